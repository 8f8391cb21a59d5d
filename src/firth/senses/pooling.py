"""Senses of many words from factors that are computed once.

The leading singular vectors of the whole matrix are computed once. The associations of a word's
contexts with each other are a slice of the matrix; they are approximated by the slices of these
vectors, so that the leading vectors of the slice follow from two small matrices. Each sense is then
a mixture of the common factors, and no slice is cut out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg import svd
from firth.linalg.products import one_blas_thread
from firth.progress import Event
from firth.resources import Resources
from firth.senses.factorising import Leading
from firth.senses.inventory import SenseTable
from firth.senses.learning import EVERY, MOST_SENSES, Divided, Splitting, asked_for, split_by
from firth.text.parts import ordered

CONCEPTS = 64  # common factors
TOLERANCE = 1e-3  # of their residuals

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]


def divide(
    matrix: Association,
    places: NDArray[np.int64],
    how: Splitting,
    table: SenseTable | None,
    resources: Resources,
) -> Iterator[tuple[int, Divided]]:
    """Yield the senses of each word, in order; words with too few contexts are left out."""
    if how.clustering == "nmf":
        raise FirthError("`pool` has no slices to refine: use another `clustering`")
    rank = min(CONCEPTS, *matrix.shape)
    resources.report("concepts", f"computing {rank} factors that all words share")
    found = svd(matrix, rank, tol=TOLERANCE, seed=how.seed, resources=resources)
    roots = np.sqrt(found.values).astype(np.float32)
    left, right = found.left * roots, found.right * roots
    assert matrix.words is not None
    words = matrix.words

    def work(_: int, place: int) -> Divided | None:
        columns, strengths = matrix.row(place)
        if len(columns) < how.min_support:
            return None
        asked = asked_for(words.words[place], how, table)
        if asked == 1:
            return Divided(columns, strengths[None, :].copy())
        most = min(MOST_SENSES, len(columns), rank)
        near = pooled(left[columns], right[columns], most)
        return split_by(near, columns, strengths, asked, how)

    with one_blas_thread(1):
        for number, (place, one) in enumerate(ordered(work, places.tolist(), resources.threads)):
            if (number + 1) % EVERY == 0 or number + 1 == len(places):
                resources.progress(Event("senses", number + 1, len(places)))
            if one is not None:
                yield place, one


def pooled(left: Floats, right: Floats, rank: int) -> Leading:
    """Return the leading singular values and vectors of left · rightᵀ.

    Parameters
    ----------
    left, right
        Matrices with many rows and few columns.
    rank
        How many to return.

    Examples
    --------
    >>> sides = np.array([[1, 0], [1, 0], [0, 2]], dtype=np.float32)
    >>> pooled(sides, sides, 2).values.round(3).tolist()
    [4.0, 2.0]
    """
    a, b = left.astype(np.float64), right.astype(np.float64)
    values, vectors = np.linalg.eigh(b.T @ b)
    # image · imageᵀ = left rightᵀ · (left rightᵀ)ᵀ
    image = a @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    squares, turns = np.linalg.eigh(image.T @ image)
    singular = np.sqrt(np.maximum(squares[::-1][:rank], 0.0))
    turns = turns[:, ::-1][:, :rank]
    kept = singular > 1e-9 * max(float(singular[0]), 1e-300)
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=kept)
    u = image @ (turns * inverse)
    return Leading(u, singular * kept, b @ ((a.T @ u) * inverse))
