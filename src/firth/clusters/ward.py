"""Ward's clustering of points that enter one by one, the most frequent first.

K. Stratos, D. Kim, M. Collins and D. Hsu, 2014, A spectral algorithm for learning class-based
n-gram models of natural language, figure 5. Merging the clusters c and c' costs

    d(c, c') = |c| |c'| / (|c| + |c'|) · ‖mean(c) - mean(c')‖²                      (equation 2)

and at most m + 1 clusters are active: when one more enters, the cheapest pair becomes one. Every
cluster has a lower bound on its distance to the nearest, which is looked up again ("tightened")
only when it is the smallest of all; how often, per merge, is γ.
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

HEAVIEST = 2.0**53  # and one over it the lightest: costs are products of two


@dataclass(frozen=True, eq=False)
class Merges:
    """A binary tree: point i is node i, merge k makes node n + k of two nodes, the older first."""

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
    """Merge points to one tree.

    Parameters
    ----------
    vectors
        A row per point, in the order in which they enter.
    clusters
        How many clusters are active; as many are left when the last point has entered, and these
        are then merged to a root.
    weights
        What each point counts in |c| and in the means, from 2^-53 to 2^53; 1 if left out, as in
        the paper.
    resources
        Threads, on which the tree does not depend, and progress.

    Examples
    --------
    >>> points = np.array([[0.0], [10.0], [0.1], [10.2]], dtype=np.float32)
    >>> ward(points, 2).children.tolist()
    [[0, 2], [1, 3], [4, 5]]
    """
    points = np.ascontiguousarray(vectors, dtype=np.float32)
    if points.ndim != 2 or not points.size:
        raise FirthError("there are no vectors to cluster")
    active = min(check_whole(clusters, "clusters"), len(points))
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise FirthError(f"vector number {int(np.argmin(finite)):,} is not finite")
    masses = np.ones(len(points)) if weights is None else np.asarray(weights, dtype=np.float64)
    if masses.shape != (len(points),):
        raise FirthError(f"{len(points):,} vectors need as many weights, not {masses.size:,}")
    if not np.all((masses >= 1 / HEAVIEST) & (masses <= HEAVIEST)):
        raise FirthError("every vector needs a weight from 2^-53 to 2^53: scale the weights")

    used = resources or Resources()

    def tell(done: int, total: int) -> None:
        used.progress(Event("clustering", done, total))

    children, costs, tightenings = _core.ward(points, masses, active, used.threads, tell)
    pairs = children.reshape(-1, 2).astype(np.int64)
    return Merges(pairs, costs, tightenings / max(1, len(pairs)))


def check_whole(value: Any, name: str) -> int:
    """Return a whole number of 1 or more as Python has it; numpy's are welcome.

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
        raise FirthError(f"{name} must be 1 or more, not {value!r}")
    return number
