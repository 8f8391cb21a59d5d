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

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.association import Association, Weighing, weigh
from firth.clusters import information
from firth.clusters.contexts import CONTEXTS, IMPORTED, neighbours
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.ward import check_whole, ward
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.left import Left, basis_size, left_vectors
from firth.linalg.products import PANEL
from firth.resources import Resources, accept_former_keywords
from firth.space.combining import unit_rows

# On 17M tokens more dimensions than this add more noise than information, at 200 to 1000 clusters.
ENOUGH = 100
# Half as many dimensions as clusters keep more information than as many, at 50 and 100 clusters on
# each of three texts. So few as these are all kept: they are needed where words do come of as many
# classes (bench/RESULTS.md).
FEW = 20
POWERS = {"none": 1.0, "two-thirds": 2 / 3, "sqrt": 0.5}


@dataclass(frozen=True, kw_only=True)
class SpectralClusters:
    """Clusters of words by the company of their nearest neighbours.

    Attributes
    ----------
    clusters
        How many clusters, m.
    context
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
    >>> tree = SpectralClusters(clusters=3, context="LR1").fit(counts)
    >>> sorted(tree.words_of("cat")), sorted(tree.words_of("the"))
    (['cat', 'dog'], ['a', 'the'])
    """

    name: ClassVar[str] = "spectral"

    clusters: int = 1000
    context: str = "LR2"
    kappa: float = 200.0
    transform: str = "sqrt"
    dim: int | None = None
    mass: float = 0.25
    tol: float = 1e-3
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        object.__setattr__(self, "clusters", check_whole(self.clusters, "clusters"))
        if self.dim is not None:
            object.__setattr__(self, "dim", check_whole(self.dim, "dim"))
        if self.context not in CONTEXTS:
            raise FirthError(f"context must be one of {', '.join(CONTEXTS)}, not {self.context!r}")
        if self.transform not in POWERS:
            raise FirthError(
                f"transform must be one of {', '.join(POWERS)}, not {self.transform!r}"
            )
        if not 0 <= self.kappa < np.inf:
            raise FirthError(f"kappa must be a number of 0 or more, not {self.kappa}")
        if not 0 <= self.mass <= 1:
            raise FirthError(f"mass must lie between 0 and 1, not {self.mass}")
        if not self.tol > 0:
            raise FirthError(f"tol must be above 0, not {self.tol!r}")

    def settings(self) -> dict[str, Any]:
        """Return name and parameters as plain data."""
        return {"name": self.name, **asdict(self)}

    def rank(self, words: int) -> int:
        """How many singular vectors are taken of so many words."""
        usual = min(max(self.clusters // 2, min(self.clusters, FEW)), ENOUGH)
        return min(self.dim or usual, words)

    def memory(self, counts: Counts) -> int:
        """Estimate the bytes that `fit`, then `information`, need beside the counts themselves."""
        words, rank = len(counts.words), self.rank(len(counts.words))
        basis = max(basis_size(words, rank), 0) + 2 * PANEL
        # The matrix and its transpose; pairs, where they are not the counts as they stand.
        plain = counts.denominator == 1 and counts.offsets == CONTEXTS[self.context]
        sparse = (2 if plain else 6) * 8 * counts.nnz
        # The basis, vectors as they come, signed and of length one; panels of products.
        dense = 4 * words * (basis + 5 * rank) + 4 * 4 * PANEL * sum(counts.shape)
        small = 6 * 8 * basis * basis
        active = min(self.clusters, words) + 64
        fitting = sparse + dense + small + 8 * active * (active + rank + 256)
        return max(fitting, information.memory(counts)) + IMPORTED

    def embed(self, counts: Counts, *, resources: Resources | None = None) -> Left:
        """Take steps 1 and 2: the left singular vectors, not yet of length one."""
        used = resources or Resources()
        pairs = neighbours(counts, CONTEXTS[self.context])
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

    @accept_former_keywords
    def fit(self, counts: Counts, *, resources: Resources | None = None) -> Hierarchy:
        """Cluster the words of positional counts; the tree does not depend on `resources`."""
        found = self.embed(counts, resources=resources)
        merges = ward(
            unit_rows(found.vectors),
            self.clusters,
            weights=self._weights(counts),
            resources=resources,
        )
        recipe = {
            "method": self.settings(),
            "gamma": merges.gamma,
            "largest_residual": found.residual,
            "converged": found.converged,
        }
        return Hierarchy.of_merges(counts.words, merges, self.clusters, recipe)

    def _weights(self, counts: Counts) -> NDArray[np.float64]:
        return np.asarray(np.maximum(counts.words.frequencies, 1) ** self.mass, dtype=np.float64)

    def _correlations(self, pairs: Counts, threads: int) -> Association:
        """Set the counts against the frequencies of word and context (figure 4, step 2).

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
