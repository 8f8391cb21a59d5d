"""Which numbers are equal, and which of them comes first: the order of the vocabulary decides.

Vectors have single precision, and every kind of processor sums in an order of its own. Cosines that
are equal by symmetry, as in texts with words of the same company, were found to differ by 2e-7
between kinds. What lies within `TIE`, 1e-6, of the best is therefore as good as it, so that answers
do not hang on the last bits: of those, the first is taken. Numbers that come from counts in double
precision, without vectors, have the tolerance `ROUNDING`, 1e-12.

In a ranking, a run is a value and all after it that are within the tolerance of that first one. As
a run is fixed by what comes before it, the first k of a ranking are the ranking of the first k.
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
    """Return the place of the first value that is as large as any, but for `slack`.

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
    """Order values by falling size, and those of a run by their places.

    Parameters
    ----------
    values
        What to order by.
    places
        What decides within a run: smaller ones come first; the order of `values` if left out.
    slack
        How far a value of a run may be below its first.

    Returns
    -------
    array
        Where in `values` the first, the second … of the ranking stand.

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
    """Give all values of a run the value of its first, so that they share a rank.

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
    """Return the number of each falling value's run, or None where no two tie."""
    with np.errstate(invalid="ignore"):
        near = np.flatnonzero(ordered[:-1] - ordered[1:] <= slack)
    if not len(near):
        return None
    begins = np.ones(len(ordered), dtype=bool)
    begins[near + 1] = False
    # A chain of near values is a run, or several if it is longer than the tolerance.
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
