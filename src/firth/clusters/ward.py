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

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import FirthError
from firth.progress import Event, Progress, silent


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
    threads: int = 1,
    progress: Progress = silent,
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
        What each point counts in |c| and in the means; 1 if left out, as in the paper.
    threads
        How many threads; the tree does not depend on it.

    Examples
    --------
    >>> points = np.array([[0.0], [10.0], [0.1], [10.2]], dtype=np.float32)
    >>> ward(points, 2).children.tolist()
    [[0, 2], [1, 3], [4, 5]]
    """
    points = np.ascontiguousarray(vectors, dtype=np.float32)
    if points.ndim != 2 or not points.size:
        raise FirthError("there are no vectors to cluster")
    check_clusters(clusters)
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise FirthError(f"vector number {int(np.argmin(finite)):,} is not finite")
    masses = np.ones(len(points)) if weights is None else np.asarray(weights, dtype=np.float64)
    if masses.shape != (len(points),) or not np.all((masses > 0) & np.isfinite(masses)):
        raise FirthError("every vector needs a finite weight above 0")

    def tell(done: int, total: int) -> None:
        progress(Event("clustering", done, total))

    children, costs, tightenings = _core.ward(points, masses, clusters, threads, tell)
    pairs = children.reshape(-1, 2).astype(np.int64)
    return Merges(pairs, costs, tightenings / max(1, len(pairs)))


def check_clusters(clusters: int) -> None:
    """Refuse a number of clusters that is none."""
    if not isinstance(clusters, int) or clusters < 1:
        raise FirthError(f"clusters must be 1 or more, not {clusters!r}")
