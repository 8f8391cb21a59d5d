"""Ward's clustering with a bounded number of active clusters.

K. Stratos, D. Kim, M. Collins and D. Hsu, 2014, A spectral algorithm for learning class-based
n-gram models of natural language, figure 5. Merging the clusters c and c' costs

    d(c, c') = |c| |c'| / (|c| + |c'|) · ‖mean(c) - mean(c')‖²                      (equation 2)

Points enter one by one, the most frequent first. When m + 1 clusters are active, the cheapest pair
is merged. Every cluster has a lower bound on the cost of merging it with its nearest neighbour. A
bound is computed again ("tightened") only when it is the smallest of all; γ is the number of
tightenings per merge.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import FirthError
from firth.progress import Event
from firth.resources import Resources

HEAVIEST = 2.0**53  # the largest weight, and 1/HEAVIEST the smallest: costs multiply two weights


@dataclass(frozen=True, eq=False)
class Merges:
    """A binary tree: point i is node i, and merge k makes node n + k of two nodes, older first."""

    children: NDArray[np.int64]
    costs: NDArray[np.float64]
    gamma: float = 0.0  # tightenings per merge


def ward(
    vectors: NDArray[np.float32],
    clusters: int,
    *,
    weights: NDArray[np.float64] | None = None,
    resources: Resources | None = None,
) -> Merges:
    """Cluster points to a binary tree.

    Parameters
    ----------
    vectors
        A row per point, in the order in which they enter.
    clusters
        The number of active clusters. When the last point has entered, the clusters that are left
        are merged until one remains.
    weights
        The weight of each point in |c| and in the means, from 2^-53 to 2^53; by default 1, as in
        the paper.
    resources
        Threads and progress. The tree does not depend on the number of threads.

    Examples
    --------
    >>> points = np.array([[0.0], [10.0], [0.1], [10.2]], dtype=np.float32)
    >>> ward(points, 2).children.tolist()
    [[0, 2], [1, 3], [4, 5]]
    """
    points = np.ascontiguousarray(vectors, dtype=np.float32)
    if points.ndim != 2 or not points.size:
        raise FirthError("`vectors` must have at least one row and one column")
    active = min(check_whole(clusters, "clusters"), len(points))
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise FirthError(f"row {int(np.argmin(finite)):,} of `vectors` is not finite")
    masses = np.ones(len(points)) if weights is None else np.asarray(weights, dtype=np.float64)
    if masses.shape != (len(points),):
        raise FirthError(f"`weights` must have {len(points):,} values, not {masses.size:,}")
    if not np.all((masses >= 1 / HEAVIEST) & (masses <= HEAVIEST)):
        raise FirthError("`weights` must all be from 2^-53 to 2^53: scale them")

    used = resources or Resources()

    def report(done: int, total: int) -> None:
        used.progress(Event("clustering", done, total))

    children, costs, tightenings = _core.ward(points, masses, active, used.threads, report)
    pairs = children.reshape(-1, 2).astype(np.int64)
    return Merges(pairs, costs, tightenings / max(1, len(pairs)))


def check_whole(value: Any, name: str) -> int:
    """Return a whole number of 1 or more as an int; integers of NumPy are accepted.

    Examples
    --------
    >>> check_whole(np.int64(3), "clusters")
    3
    """
    try:
        number = index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise FirthError(f"`{name}` must be 1 or more, not {value!r}")
    return number
