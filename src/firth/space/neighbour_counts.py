"""Counts of the nearest neighbours of words: a space as a view of nonnegative counts."""

from __future__ import annotations

import numpy as np

from firth.counts.interchange import from_scipy
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.products import one_blas_thread
from firth.progress import Event
from firth.resources import Resources
from firth.space.space import Space

UNITS = 1000  # a cosine is rounded to thousandths
_CELLS = 1 << 24  # cosines that are held at a time


def neighbour_counts(
    space: Space, neighbours: int = 50, resources: Resources | None = None
) -> Counts:
    """Count the cosines of each word with its nearest neighbours, in thousandths.

    Words without neighbours of a positive cosine have no counts.

    Parameters
    ----------
    space
        Vectors of words.
    neighbours
        How many neighbours of each word are counted.
    resources
        Progress.

    Examples
    --------
    >>> import firth
    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> neighbour_counts(firth.Space(firth.Vocabulary(["a", "b", "c"]), vectors), 1).row("a")
    [('b', 0.8)]
    """
    from scipy.sparse import coo_array

    if neighbours < 1:
        raise FirthError(f"`neighbours` must be 1 or more, not {neighbours}")
    used = resources or Resources()
    lengths = np.linalg.norm(space.vectors, axis=1, keepdims=True)
    unit = space.vectors / np.where(lengths > 0, lengths, 1)
    most = min(neighbours, len(unit) - 1)
    together = max(1, _CELLS // max(1, len(unit)))
    rows, columns, values = [], [], []
    for begin in range(0, len(unit) if most > 0 else 0, together):
        used.progress(Event("searching", begin, len(unit), unit="words"))
        with one_blas_thread(1):
            near = np.rint((unit[begin : begin + together] @ unit.T) * UNITS).astype(np.int64)
        own = np.arange(len(near))
        near[own, own + begin] = -UNITS
        # Of equal cosines, the more frequent word.
        order = np.argsort(-near, axis=1, kind="stable")[:, :most]
        best = np.take_along_axis(near, order, axis=1)
        kept = best > 0
        rows.append(np.repeat(own + begin, most).reshape(-1, most)[kept])
        columns.append(order[kept])
        values.append(best[kept])
    if not any(map(len, values)):
        raise FirthError("no two words of the space have a positive cosine: give another space")
    table = coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(len(unit), len(unit)),
    )
    frequencies = space.words.frequencies.tolist()
    words = list(space.words.words)
    return from_scipy(table / UNITS, words, denominator=UNITS, frequencies=frequencies)
