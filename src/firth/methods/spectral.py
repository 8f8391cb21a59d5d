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

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from firth.association import Association, Weighing, associate
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg import svd
from firth.resources import Resources, accept_former_keywords
from firth.space.combining import Factors, combined, shares_words
from firth.space.space import Space


@dataclass(frozen=True, kw_only=True)
class Method:
    """What every method has.

    Attributes
    ----------
    dim
        Dimensions of the vectors.
    tol
        The largest residual of a factor, relative to the largest singular or eigenvalue.
    seed
        Of the random start vectors.
    """

    name: ClassVar[str] = ""

    dim: int = 100
    tol: float = 1e-4
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if not isinstance(self.dim, int) or self.dim < 1:
            raise FirthError(f"dim must be 1 or more, not {self.dim!r}")
        if not self.tol > 0:
            raise FirthError(f"tol must be above 0, not {self.tol!r}")

    @accept_former_keywords
    def fit(
        self,
        counts: Counts,
        *,
        association: bool = True,
        resources: Resources | None = None,
    ) -> Space:
        """Learn a space from counts; see the method.

        Parameters
        ----------
        counts
            From `firth.count`, or any matrix through `Counts.from_scipy`.
        association
            Whether to keep the association matrix, which `Space.why` needs.
        resources
            Threads, on which the vectors do not depend, and progress.
        """
        if not counts.nnz:
            raise FirthError("there are no counts to learn from: no two words share a window")
        return self._fit(counts, association, resources or Resources())

    def _fit(self, counts: Counts, keep: bool, resources: Resources) -> Space:
        raise NotImplementedError

    def is_symmetric(self, counts: Counts) -> bool:
        """Whether the matrix to factorise is sure to be its own transpose."""
        del counts
        return False

    def settings(self) -> dict[str, Any]:
        """Return name and parameters as plain data."""
        return {"name": self.name, **asdict(self)}

    def _space(
        self, counts: Counts, factors: Factors, matrix: Association, keep: bool, found: Any
    ) -> Space:
        """Make the space of what a factorisation found."""
        recipe = {
            "method": self.settings(),
            "combining": factors.settings(),
            "counts": counts.recipe.to_json(),
            "offsets": list(counts.offsets),
            "largest_residual": float(
                found.residuals.max() / max(np.abs(found.values).max(), 1e-300)
            ),
            "converged": bool(found.converged),
        }
        vectors = combined(factors, counts.words, counts.contexts)
        kept = matrix if keep else None
        return Space(counts.words, vectors, counts.contexts, factors, kept, recipe)


@dataclass(frozen=True, kw_only=True)
class Spectral(Method):
    """Any point of the template.

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

    transform: str = "none"
    scale: str = "none"
    alpha: float = 1.0
    word_alpha: float = 1.0
    kappa: float = 0.0
    shift: float = 0.0
    power: float = 1.0
    beta: float = 0.0
    combine: str = "words"
    weight: float = 1.0

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

    def is_symmetric(self, counts: Counts) -> bool:
        """Whether the matrix to factorise is sure to be its own transpose."""
        return self.weighing().is_even and counts.is_symmetric

    def _fit(self, counts: Counts, keep: bool, resources: Resources) -> Space:
        resources.report("weighing", f"weighing {counts.nnz:,} counts")
        matrix = associate(counts, self.weighing(), resources.threads)
        combine = self.combine
        if combine == "auto":
            shared = shares_words(counts.words, counts.contexts, counts.shape[1])
            combine = "sum" if shared else "words"
        found = svd(matrix, self.dim, tol=self.tol, seed=self.seed, resources=resources)
        factors = Factors(found.left, found.values, found.right, self.beta, combine, self.weight)
        return self._space(counts, factors, matrix, keep, found)


@dataclass(frozen=True, kw_only=True)
class SVD(Spectral):
    """Counts as they are."""

    name: ClassVar[str] = "svd"
    # Frequent words make the largest value a thousand times the hundredth: a residual that is
    # small beside it would be large beside the others. It takes no longer.
    tol: float = 1e-6


@dataclass(frozen=True, kw_only=True)
class Sqrt(Spectral):
    """Square roots of counts, which stabilise their variance."""

    name: ClassVar[str] = "sqrt"
    transform: str = "sqrt"


@dataclass(frozen=True, kw_only=True)
class Log(Spectral):
    """log(1 + count); ``transform="log"`` is the thesis's SVD-Log, ln x."""

    name: ClassVar[str] = "log"
    transform: str = "log1p"


@dataclass(frozen=True, kw_only=True)
class Regression(Spectral):
    """Square roots divided by those of the word's frequency: a regression of context on word."""

    name: ClassVar[str] = "reg"
    transform: str = "sqrt"
    scale: str = "reg"


@dataclass(frozen=True, kw_only=True)
class PPMI(Spectral):
    """Positive pointwise mutual information with smoothed contexts."""

    name: ClassVar[str] = "ppmi"
    scale: str = "pmi"
    alpha: float = 0.75
    beta: float = 0.5


@dataclass(frozen=True, kw_only=True)
class SPPMI(Spectral):
    """PPMI shifted by log 5 (O. Levy and Y. Goldberg, 2014, Neural word embedding …)."""

    name: ClassVar[str] = "sppmi"
    scale: str = "pmi"
    alpha: float = 0.75
    beta: float = 0.5
    shift: float = 1.6094379124341003


@dataclass(frozen=True, kw_only=True)
class CCA(Spectral):
    """Canonical correlation of words and contexts, on square roots of counts."""

    name: ClassVar[str] = "cca"
    transform: str = "sqrt"
    scale: str = "cca"
    alpha: float = 0.75


@dataclass(frozen=True, kw_only=True)
class Default(Spectral):
    """What `firth fit` does when no method is named; docs/default.md has the table behind it."""

    name: ClassVar[str] = "default"
    tol: float = 1e-3  # a tenth of it scores the same and takes longer
    scale: str = "log1p"
    alpha: float = 0.4
    word_alpha: float = 0.4
    beta: float = 0.4
    combine: str = "auto"
    weight: float = 0.15


def parameters(method: type[Method]) -> dict[str, Any]:
    """Return the names and defaults of a method's parameters.

    Examples
    --------
    >>> parameters(CCA)["transform"]
    'sqrt'
    """
    return {f.name: f.default for f in fields(method)}
