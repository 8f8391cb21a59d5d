"""The spectral template: transform and scale the counts, take the leading singular vectors.

K. Stratos, M. Collins and D. Hsu, 2015, Model-based word embeddings from decompositions of count
matrices, figure 2:

1. transform #(w, c), #(w) and #(c);
2. scale them to an association matrix Ω;
3. Ω ≈ U Σ Vᵀ, of rank d;
4. a word's vector is its row of U Σ^β, of length one.

The presets are the paper's settings (table 2 and section 7.1.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from firth.association import Association, Weighing, associate
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg import svd
from firth.methods.method import Factorisation
from firth.methods.truncated import Truncated, combining, factorisation, tolerance
from firth.parameters import parameter, redefault, seed_parameter
from firth.resources import Resources
from firth.space.combining import COMBINE
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Spectral(Truncated):
    """Any point of the spectral template: transform, scale, then singular vectors.

    Attributes
    ----------
    transform, scale, alpha, word_alpha, kappa, shift, power
        From counts to association; see `firth.association`.
    beta
        The exponent of the singular values.
    combine
        ``words``, ``sum`` or ``concat`` with the contexts' vectors; ``auto`` is ``sum`` where
        every word is a context, else ``words``.
    weight
        Of the contexts in a sum.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat on the mat", "the dog sat on the log"] * 3
    >>> space = PPMI(dim=3).fit(firth.count(lines, min_count=1))
    >>> space
    Space(7 words × 3 dimensions; ppmi)
    >>> space.recipe["method"]["alpha"], space.spectrum.shape
    (0.75, (3,))
    """

    name: ClassVar[str] = "spectral"
    paper: ClassVar[str] = "A"
    takes: ClassVar[tuple[type, ...]] = (Counts, Association)
    derived: ClassVar[tuple[str, ...]] = ("dim", "beta", "combine", "weight")

    transform: str = redefault(Weighing, "transform", "none")
    scale: str = redefault(Weighing, "scale", "none")
    alpha: float = redefault(Weighing, "alpha", 1.0)
    word_alpha: float = redefault(Weighing, "word_alpha", 1.0)
    kappa: float = redefault(Weighing, "kappa", 0.0)
    shift: float = redefault(Weighing, "shift", 0.0)
    power: float = redefault(Weighing, "power", 1.0)
    beta: float = parameter(0.0, "Exponent of the singular values.")
    combine: str = parameter(
        "words",
        "What the vectors of contexts add to those of words; auto is sum where every word is a "
        "context, else words.",
        choices=(*COMBINE, "auto"),
    )
    weight: float = parameter(1.0, "Weight of the contexts that are added.")
    tol: float = tolerance()
    seed: int = seed_parameter()

    def weighing(self) -> Weighing:
        """Return the step from counts to association."""
        return Weighing(
            transform=self.transform,
            scale=self.scale,
            alpha=self.alpha,
            word_alpha=self.word_alpha,
            kappa=self.kappa,
            shift=self.shift,
            power=self.power,
        )

    def is_symmetric(self, source: Counts | Association) -> bool:
        """Return whether the matrix to factorise is known to be its own transpose."""
        if isinstance(source, Association):
            return False
        return self.weighing().is_even and source.is_symmetric

    def check(self, source: Any, start: Space | None = None) -> None:
        """Raise if the source is not one that this method learns from."""
        super().check(source, start)
        plain = (self.transform, self.scale, self.power) == ("none", "none", 1)
        if isinstance(source, Association) and not plain:
            raise FirthError(
                "an association is factorised as it is, and `transform`, `scale` and `power` are "
                f"steps that lead to one, so {self.name} does not take it: use firth.methods.SVD"
            )

    def associate(self, source: Counts | Association, resources: Resources) -> Association:
        """Take steps 1 and 2."""
        if isinstance(source, Association):
            return source
        resources.report("weighing", f"weighing {source.nnz:,} counts")
        return associate(source, self.weighing(), resources.threads)

    def factorise(
        self, association: Association, resources: Resources, start: Space | None = None
    ) -> Factorisation:
        """Take step 3."""
        del start
        found = svd(association, self.dim, tol=self.tol, seed=self.seed, resources=resources)
        return factorisation(found.left, found.right, found)

    def combining(
        self, words: Vocabulary, contexts: Vocabulary | None, columns: int
    ) -> dict[str, Any]:
        """Return the settings of step 4."""
        return combining(self, words, contexts, columns)

    @classmethod
    def widest(cls, methods: Sequence[Self]) -> Self:
        """Choose the one with the most dimensions; the vectors of words alone always exist."""
        return replace(super().widest(methods), combine="words")


@dataclass(frozen=True, kw_only=True)
class SVD(Spectral):
    """Singular vectors of the counts as they are, or of any association.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.association import Association
    >>> matrix = Association.from_scipy(np.array([[2.0, 1.0], [1.0, 3.0]]), words=["ice", "cream"])
    >>> SVD(dim=1).fit(matrix)
    Space(2 words × 1 dimensions; svd)
    """

    name: ClassVar[str] = "svd"
    # Frequent words make the largest value a thousand times the hundredth. A residual that is small
    # relative to the largest would be large relative to the others. It takes no longer.
    tol: float = redefault(Spectral, "tol", 1e-6)


@dataclass(frozen=True, kw_only=True)
class SqrtCounts(Spectral):
    """Square roots of counts, which have a stable variance.

    Examples
    --------
    >>> import firth
    >>> SqrtCounts(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; sqrt)
    """

    name: ClassVar[str] = "sqrt"
    transform: str = redefault(Spectral, "transform", "sqrt")


@dataclass(frozen=True, kw_only=True)
class LogCounts(Spectral):
    """Logarithms of counts, log(1 + x).

    ``transform="log"`` is the thesis's SVD-Log, ln x.

    Examples
    --------
    >>> import firth
    >>> LogCounts(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; log)
    """

    name: ClassVar[str] = "log"
    transform: str = redefault(Spectral, "transform", "log1p")


@dataclass(frozen=True, kw_only=True)
class Regression(Spectral):
    """Square roots of counts over those of the word's frequency: context regressed on word.

    Examples
    --------
    >>> import firth
    >>> Regression(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; reg)
    """

    name: ClassVar[str] = "reg"
    transform: str = redefault(Spectral, "transform", "sqrt")
    scale: str = redefault(Spectral, "scale", "reg")


@dataclass(frozen=True, kw_only=True)
class PPMI(Spectral):
    """Positive pointwise mutual information with smoothed contexts.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat drinks milk", "the kitten drinks milk", "the king rules the land"] * 5
    >>> PPMI(dim=3).fit(firth.count(lines)).most_similar("cat", topn=1)[0][0]
    'kitten'
    """

    name: ClassVar[str] = "ppmi"
    scale: str = redefault(Spectral, "scale", "pmi")
    alpha: float = redefault(Spectral, "alpha", 0.75)
    beta: float = redefault(Spectral, "beta", 0.5)


@dataclass(frozen=True, kw_only=True)
class SPPMI(PPMI):
    """Positive pointwise mutual information, shifted by log 5.

    Examples
    --------
    >>> import firth
    >>> SPPMI(dim=2, shift=0.1).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; sppmi)
    """

    name: ClassVar[str] = "sppmi"
    paper: ClassVar[str] = "Levy 2014"
    shift: float = redefault(Spectral, "shift", 1.6094379124341003)


@dataclass(frozen=True, kw_only=True)
class CCA(Spectral):
    """Canonical correlation of words and contexts, on square roots of counts.

    Examples
    --------
    >>> import firth
    >>> CCA(dim=2, alpha=0.5).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; cca)
    """

    name: ClassVar[str] = "cca"
    transform: str = redefault(Spectral, "transform", "sqrt")
    scale: str = redefault(Spectral, "scale", "cca")
    alpha: float = redefault(Spectral, "alpha", 0.75)


@dataclass(frozen=True, kw_only=True)
class LogRatio(Spectral):
    """Logarithms log(1 + r) of how much more often words meet than by smoothed chance.

    docs/log-ratio.md has the measurements behind its settings.

    Examples
    --------
    >>> import firth
    >>> space = LogRatio(dim=2).fit(firth.count(["a b c d"], min_count=1))
    >>> space.recipe["method"]["alpha"]
    0.4
    """

    name: ClassVar[str] = "log-ratio"
    paper: ClassVar[str] = ""
    tol: float = redefault(Spectral, "tol", 1e-3)  # a tenth of it scores the same, more slowly
    scale: str = redefault(Spectral, "scale", "log1p")
    alpha: float = redefault(Spectral, "alpha", 0.4)
    word_alpha: float = redefault(Spectral, "word_alpha", 0.4)
    beta: float = redefault(Spectral, "beta", 0.4)
    combine: str = redefault(Spectral, "combine", "auto")
    weight: float = redefault(Spectral, "weight", 0.15)
