"""Brown's clusters: unite the words whose union loses least of the mutual information.

P. Brown, P. deSouza, R. Mercer, V. Della Pietra and J. Lai, 1992, Class-based n-gram models of
natural language; as in figure 1 of Stratos, Kim, Collins and Hsu (2014): words enter by falling
frequency, and whenever there are more than m clusters, the two are united whose union loses least
of equation 3 over the words that have entered. The losses of all pairs are kept and updated after
each union by the terms that changed: O(n m²) in all (P. Liang, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.clusters import information
from firth.clusters.contexts import IMPORTED, followers
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.method import ClusterMethod
from firth.clusters.ward import Merges, check_whole
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.progress import Event
from firth.resources import Resources


def brown(
    pairs: Any,
    frequencies: NDArray[np.int64],
    clusters: int,
    *,
    resources: Resources | None = None,
) -> Merges:
    """Unite words into one tree.

    Parameters
    ----------
    pairs
        How often each word is followed by each other: a scipy sparse matrix or an array.
    frequencies
        How often each word occurs, once at least, in the order in which they enter.
    clusters
        How many clusters are active; as many are left when the last word has entered.
    resources
        Threads, on which the tree does not depend, and progress.

    Returns
    -------
    Merges
        Costs are losses of mutual information in nats.

    Examples
    --------
    >>> pairs = np.array([[0, 0, 9, 9], [0, 0, 9, 9], [9, 9, 0, 0], [9, 9, 0, 0]])
    >>> merges = brown(pairs, np.array([18, 18, 18, 18]), 2)
    >>> merges.children.tolist(), merges.costs.round(3).tolist()
    ([[0, 1], [2, 3], [4, 5]], [0.0, 0.0, 0.693])
    """
    from scipy.sparse import csr_array

    active = min(check_whole(clusters, "clusters"), len(frequencies))
    after = csr_array(pairs)
    if after.shape != (len(frequencies), len(frequencies)) or not len(frequencies):
        raise FirthError(
            "there are no words to cluster, or the pairs are not a square matrix of them"
        )

    of_words = np.asarray(frequencies, dtype=np.float64)
    if not np.all((of_words >= 1) & (of_words < 2.0**53)):
        raise FirthError("every word needs a frequency of 1 or more, below 2^53")

    used = resources or Resources()

    def tell(done: int, total: int) -> None:
        used.progress(Event("clustering", done, total))

    children, costs, _ = _core.brown(
        *_rows(after), *_rows(csr_array(after.T)), of_words, active, used.threads, tell
    )
    return Merges(children.reshape(-1, 2).astype(np.int64), costs)


def _rows(pairs: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return a matrix as the core takes it."""
    pairs.sum_duplicates()
    pairs.sort_indices()
    rows = pairs.indptr.astype(np.int64), pairs.indices.astype(np.int32)
    return (*rows, pairs.data.astype(np.float64))


@dataclass(frozen=True, kw_only=True)
class BrownClusters(ClusterMethod):
    """Brown's algorithm: unite the words whose union loses least mutual information.

    Attributes
    ----------
    clusters
        How many clusters.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat runs", "a dog runs", "the dog sleeps", "a cat sleeps"] * 5
    >>> counts = firth.count(lines, window=1, context="positional")
    >>> sorted(BrownClusters(clusters=3).fit(counts).words_of("cat"))
    ['cat', 'dog']
    """

    name: ClassVar[str] = "brown"
    paper: ClassVar[str] = "Brown 1992"

    def memory(self, source: Counts) -> int:
        """Estimate the bytes of the tables of clusters and of the pairs of words."""
        active = min(self.clusters, len(source.words)) + 65
        block = source.nnz // max(1, len(source.offsets))
        # Four tables of clusters; pairs as scipy has them, both ways, and as the core has them.
        pairs = 80 * block + 9 * source.nnz + 200 * len(source.words)
        return max(4 * 8 * active * active + pairs, information.memory(source)) + IMPORTED

    def learn(self, source: Counts, resources: Resources) -> Hierarchy:
        """Cluster without the checks of `fit`."""
        pairs, frequencies = followers(source)
        if not pairs.nnz:
            raise FirthError("there are no counts to learn from: no word follows another")
        merges = brown(pairs, frequencies, self.clusters, resources=resources)
        return Hierarchy.of_merges(source.words, merges, self.clusters, {"method": self.settings()})
