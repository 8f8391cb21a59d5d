"""Generalised low-rank models by name: GloVe, Poisson counts, skip-gram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firth.methods.glrm import CLIPPED, GLRM
from firth.parameters import parameter, redefault


@dataclass(frozen=True, kw_only=True)
class GloVe(GLRM):
    """GloVe, without its learning rate: one step with Tweedie's distribution.

    Its objective is Σ min(y, clip_at)^¾ (u·v + ψ + ω - log y)² over pairs that were seen.

    Examples
    --------
    >>> import firth
    >>> GloVe(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; glove)
    """

    name: ClassVar[str] = "glove"
    steps: int = redefault(GLRM, "steps", 1)


@dataclass(frozen=True, kw_only=True)
class GloVeNegative(GLRM):
    """GloVe on PMI, where pairs that were never seen are drawn to a floor.

    The thesis on UBE, KUBWE and EigenWord (8.2) asks for it.

    Examples
    --------
    >>> import firth
    >>> GloVeNegative(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; glove-negative)
    """

    name: ClassVar[str] = "glove-negative"
    paper: ClassVar[str] = "E"
    steps: int = redefault(GLRM, "steps", 1)
    offset: str = redefault(GLRM, "offset", "independence")
    zeros: str | None = redefault(GLRM, "zeros", "weighted")
    unseen: float = redefault(GLRM, "unseen", 0.5)
    floor: float = redefault(GLRM, "floor", -1.0)
    biases: str | None = redefault(GLRM, "biases", "none")


@dataclass(frozen=True, kw_only=True)
class PoissonModel(GLRM):
    """Poisson counts, of which the paper expects more than of GloVe's distribution.

    Examples
    --------
    >>> import firth
    >>> PoissonModel(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; poisson)
    """

    name: ClassVar[str] = "poisson"
    family: str = redefault(GLRM, "family", "poisson")


@dataclass(frozen=True, kw_only=True)
class SkipGram(GLRM):
    """Skip-gram without sampling: a softmax over all contexts, for small vocabularies.

    Examples
    --------
    >>> import firth
    >>> SkipGram(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; skipgram)
    """

    name: ClassVar[str] = "skipgram"
    family: str = redefault(GLRM, "family", "multinomial")
    steps: int = redefault(GLRM, "steps", 10)
    clip: str | None = parameter(
        None, "What is clipped: means in weights, or counts.", choices=CLIPPED, rule="nothing"
    )
    sweeps: int = redefault(GLRM, "sweeps", 4)


@dataclass(frozen=True, kw_only=True)
class SGNS(GLRM):
    """Skip-gram with negative sampling, its loss summed over all pairs, for small vocabularies.

    Examples
    --------
    >>> import firth
    >>> SGNS(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; sgns)
    """

    name: ClassVar[str] = "sgns"
    family: str = redefault(GLRM, "family", "binomial")
    steps: int = redefault(GLRM, "steps", 10)
    clip: str | None = parameter(
        None, "What is clipped: means in weights, or counts.", choices=CLIPPED, rule="nothing"
    )
    sweeps: int = redefault(GLRM, "sweeps", 4)
