"""Ties: which values count as equal, and in which order equal values come.

Vectors have single precision, and kinds of processors differ in the order of their sums. Cosines
that are equal by symmetry differed by up to 2e-7 between them. Values within `TIE`, 1e-6, of the
best are therefore tied with it, and the first of them, in the order of the vocabulary, wins. So
answers do not depend on the last bits. Values computed from counts in double precision, without
vectors, have the tolerance `ROUNDING`, 1e-12.

In a ranking, a run is a value together with all following values within the tolerance of it. A run
depends only on the values before it, so the first k of a ranking are the ranking of the first k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firth import _core

TIE: float = _core.TIE  # absolute for cosines, relative to the largest of other values
ROUNDING: float = _core.ROUNDING  # relative to the terms of a sum

Floats = NDArray[np.floating]
Places = NDArray[np.intp]


def first_of_best(values: Floats, slack: float = TIE) -> int:
    """Return the place of the first value within `slack` of the largest.

    Examples
    --------
    >>> first_of_best(np.array([0.1, 0.5, 0.5000001]))
    1
    """
    wide = np.asarray(values, dtype=np.float64)
    return int(np.argmax(wide >= wide.max() - slack))


def ranking(
    values: Floats, places: NDArray[np.integer] | None = None, slack: float = TIE
) -> Places:
    """Return the order of values from the largest to the smallest, with ties decided by place.

    Parameters
    ----------
    values
        The values to rank.
    places
        The order within a run: smaller places come first. The default is the order of `values`.
    slack
        The tolerance: how far the values of a run may be below its first value.

    Returns
    -------
    array
        The indexes into `values`, in the order of the ranking.

    Examples
    --------
    >>> ranking(np.array([0.1, 0.5, 0.5000001, 0.9])).tolist()
    [3, 1, 2, 0]
    """
    wide = np.asarray(values, dtype=np.float64)
    of_place = np.arange(len(wide)) if places is None else np.asarray(places)
    order = np.lexsort((of_place, -wide))
    runs = _runs(wide[order], slack)
    return order if runs is None else order[np.lexsort((of_place[order], runs))]


def level(values: Floats, slack: float = TIE) -> NDArray[np.float64]:
    """Replace all values of a run by its first value, so that they share a rank.

    Examples
    --------
    >>> level(np.array([0.1, 0.5, 0.5000001])).tolist()
    [0.1, 0.5000001, 0.5000001]
    """
    wide = np.asarray(values, dtype=np.float64)
    order = np.argsort(-wide, kind="stable")
    runs = _runs(wide[order], slack)
    if runs is None:
        return wide
    ordered = wide[order]
    out = np.empty_like(wide)
    out[order] = ordered[np.searchsorted(runs, runs)]
    return out


def _runs(ordered: NDArray[np.float64], slack: float) -> Places | None:
    """Return the number of the run of each falling value, or None if there are no ties."""
    with np.errstate(invalid="ignore"):
        near = np.flatnonzero(ordered[:-1] - ordered[1:] <= slack)
    if not len(near):
        return None
    begins = np.ones(len(ordered), dtype=bool)
    begins[near + 1] = False
    # A chain of near values is one run, or several runs if it is longer than the tolerance.
    chains = np.flatnonzero(begins)
    lengths = np.diff(np.append(chains, len(ordered)))
    rising = -ordered
    for at in chains[lengths > 1].tolist():
        end = at + int(lengths[np.searchsorted(chains, at)])
        first = at
        while (last := rising[first] + slack) < rising[end - 1]:
            first += int(np.searchsorted(rising[first:end], last, side="right"))
            begins[first] = True
    return np.cumsum(begins)
