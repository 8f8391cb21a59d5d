"""Spectral clusters: canonical correlation of words with their neighbours, then Ward's algorithm.

K. Stratos, D. Kim, M. Collins and D. Hsu, 2014, A spectral algorithm for learning class-based
n-gram models of natural language, figures 4 and 5:

1. Ω(w, c) = t(#(w, c)) / sqrt(t(#(w) + κ) t(#(c) + κ)), c being a word at an offset;
2. U, the left singular vectors of Ω for the d largest singular values; rows of length one;
3. merge the words' rows bottom-up, the most frequent first.

The paper has t(x) = x, d = m and words of equal weight. The square root (Stratos, Collins and Hsu,
2015), fewer dimensions and a mild weight of frequent words keep more of the mutual information of
texts smaller than the paper's; bench/RESULTS.md has the table. The paper's own setting is
``transform="none", dim=clusters, mass=0``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.association import Association, Weighing, weigh
from firth.clusters import information
from firth.clusters.contexts import IMPORTED, NEIGHBOURS, neighbours
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.method import ClusterMethod
from firth.clusters.ward import ward
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.left import Left, basis_size, left_vectors
from firth.linalg.products import PANEL
from firth.parameters import formerly, parameter, seed_parameter
from firth.resources import Resources
from firth.space.combining import unit_rows

# With 200 to 1000 clusters on 17M tokens, more dimensions add more noise than information.
ENOUGH = 100
# With 50 and 100 clusters on each of three texts, half as many dimensions as clusters keep more
# information than as many. Up to this many clusters each has a dimension, which is needed where the
# words come from as many classes (bench/RESULTS.md).
FEW = 20
POWERS = {"none": 1.0, "two-thirds": 2 / 3, "sqrt": 0.5}


@formerly(context="neighbours")
@dataclass(frozen=True, kw_only=True)
class SpectralClusters(ClusterMethod):
    """Canonical correlation of words with their nearest neighbours, then Ward's algorithm.

    Attributes
    ----------
    clusters
        How many clusters, m.
    neighbours
        ``R1`` is the next word, ``LR1`` also the one before, ``LR2`` two to either side.
    kappa
        The pseudocount κ added to the frequencies of words and contexts. The paper found 200 best
        for a tagger's features and 5000 for mutual information, on 205M tokens.
    transform
        Of counts and frequencies: ``sqrt``, ``two-thirds`` or ``none``.
    dim
        Singular vectors, d. If left out, half as many as clusters, but 100 at most and 20 at least,
        or as many as clusters if those are fewer.
    mass
        A word weighs frequency ** mass in the means of clusters and the costs of merges: 0 is the
        paper's, where every word weighs the same.
    tol
        The largest residual of a singular vector; see `firth.linalg.left_vectors`.
    seed
        Of the random start vectors.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat runs", "a dog runs", "the dog sleeps", "a cat sleeps"] * 5
    >>> counts = firth.count(lines, window=1, context="positional")
    >>> tree = SpectralClusters(clusters=3, neighbours="LR1").fit(counts)
    >>> sorted(tree.words_of("cat")), sorted(tree.words_of("the"))
    (['cat', 'dog'], ['a', 'the'])
    """

    name: ClassVar[str] = "spectral"
    paper: ClassVar[str] = "B"

    neighbours: str = parameter(
        "LR2",
        "R1 looks at the next word, LR1 at one word to either side, LR2 at two.",
        choices=tuple(NEIGHBOURS),
    )
    kappa: float = parameter(
        200.0, "Pseudocount added to the frequencies of words and contexts.", least=0
    )
    transform: str = parameter(
        "sqrt", "Function applied to counts and frequencies.", choices=tuple(POWERS)
    )
    dim: int | None = parameter(
        None,
        "Singular vectors.",
        least=1,
        rule=f"half as many as clusters, {FEW} to {ENOUGH}",
    )
    mass: float = parameter(
        0.25, "Exponent of a word's frequency in its weight; 0 weighs all alike.", least=0, most=1
    )
    tol: float = parameter(
        1e-3, "Largest residual of a singular vector, relative to the largest value.", above=0
    )
    seed: int = seed_parameter()

    def rank(self, words: int) -> int:
        """Return how many singular vectors are taken for so many words."""
        usual = min(max(self.clusters // 2, min(self.clusters, FEW)), ENOUGH)
        return min(self.dim or usual, words)

    def memory(self, source: Counts) -> int:
        """Estimate the bytes of the matrix and its transpose, the vectors, and the clusters."""
        counts = source
        words, rank = len(counts.words), self.rank(len(counts.words))
        basis = max(basis_size(words, rank), 0) + 2 * PANEL
        # The matrix and its transpose; pairs, where they are not the counts as they stand.
        plain = counts.denominator == 1 and counts.offsets == NEIGHBOURS[self.neighbours]
        sparse = (2 if plain else 6) * 8 * counts.nnz
        # The basis; the vectors as found, with signs fixed, and of length one; panels of products.
        dense = 4 * words * (basis + 5 * rank) + 4 * 4 * PANEL * sum(counts.shape)
        small = 6 * 8 * basis * basis
        active = min(self.clusters, words) + 64
        fitting = sparse + dense + small + 8 * active * (active + rank + 256)
        return max(fitting, information.memory(counts)) + IMPORTED

    def embed(self, counts: Counts, *, resources: Resources | None = None) -> Left:
        """Take steps 1 and 2: the left singular vectors, not yet of length one."""
        used = resources or Resources()
        pairs = neighbours(counts, NEIGHBOURS[self.neighbours])
        if not pairs.nnz:
            raise FirthError("there are no counts to learn from: no two words share a window")
        used.report("weighing", f"weighing {pairs.nnz:,} counts")
        matrix = self._correlations(pairs, used.threads)
        return left_vectors(
            matrix,
            self.rank(len(counts.words)),
            tol=self.tol,
            seed=self.seed,
            resources=used,
        )

    def learn(self, source: Counts, resources: Resources) -> Hierarchy:
        """Cluster without the checks of `fit`."""
        found = self.embed(source, resources=resources)
        merges = ward(
            unit_rows(found.vectors),
            self.clusters,
            weights=self._weights(source),
            resources=resources,
        )
        recipe = {
            "method": self.settings(),
            "diagnostics": {
                "gamma": merges.gamma,
                "largest_residual": found.residual,
                "converged": found.converged,
            },
        }
        return Hierarchy.of_merges(source.words, merges, self.clusters, recipe)

    def _weights(self, counts: Counts) -> NDArray[np.float64]:
        return np.asarray(np.maximum(counts.words.frequencies, 1) ** self.mass, dtype=np.float64)

    def _correlations(self, pairs: Counts, threads: int) -> Association:
        """Divide the counts by the frequencies of word and context (figure 4, step 2).

        A word's frequency is the mean of its sums over the offsets (appendix A), which differ at
        the ends of lines.
        """
        starts, columns, values = pairs.csr()
        sums = _core.marginals(starts, columns, values, pairs.shape[1], threads)
        of_word, of_context = sums[0] / max(1, len(pairs.offsets)), sums[1].astype(np.float64)
        of_row, of_column = (
            1 / np.sqrt(np.where(sum_ + self.kappa > 0, sum_ + self.kappa, 1.0))
            for sum_ in (of_word, of_context)
        )
        weighing = Weighing(scale="cca", power=POWERS[self.transform])
        return weigh(pairs, weighing, of_row, of_column, threads)
