"""Generalised low-rank models: GloVe, skip-gram and what lies between as one estimator.

Interpreting Word Embeddings with Generalized Low Rank Models. A count y_ij has a distribution of
mean μ_ij, and

    g(μ_ij) = u_i · v_j + ψ_i + ω_j

with a link g. The likelihood is maximised by iteratively reweighted least squares
(`firth.methods.irls`), each step of which minimises

    Σ W_ij (u_i · v_j + ψ_i + ω_j - z_ij)² + λ/2 (Σ |u_i|² + Σ |v_j|²)

by alternating least squares, without a learning rate, on the kernel of the method ``weighted``. One
step from μ = y with Tweedie's distribution of power 1.25 is GloVe: W = y^¾ and z = log y (J.
Pennington, R. Socher and C. Manning, 2014, GloVe: Global vectors for word representation). The
multinomial is skip-gram, the binomial skip-gram with negative sampling. Both are about all pairs;
the others may leave out pairs that were not seen, as GloVe does, or give all of them one target and
weights z_i z_j.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.frames import canonical, padded
from firth.linalg.products import BLOCK, one_blas_thread
from firth.methods.families import FAMILIES, Clipped, Family
from firth.methods.irls import Course, Reweighted, Steps
from firth.methods.likelihood import Likelihood
from firth.methods.method import CELL, Factorisation
from firth.methods.spectral import Spectral
from firth.methods.truncated import BASIS, Truncated, combining
from firth.methods.working import BLOCK as CELLS
from firth.methods.working import SOLVED, Look
from firth.parameters import parameter, redefault, seed_parameter
from firth.resources import Resources, default_threads
from firth.space.combining import COMBINE, Factors
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

CLIPPED = ("weights", "input")
LARGE = 10**9  # tokens, from which on GloVe's papers clip at 100
LIBRARIES = 20 << 20  # bytes of what is loaded on the way


@dataclass(frozen=True, kw_only=True)
class GLRM(Truncated):
    """A generalised low-rank model of counts, by iteratively reweighted least squares.

    Attributes
    ----------
    family
        The distribution of a count around its mean.
    power, dispersion, negatives
        Of the families ``tweedie``, ``negative_binomial`` and ``binomial``.
    steps
        Steps of reweighting; fewer if the deviance settles.
    penalty, penalty_scale
        λ, and whether it multiplies what each row weighs.
    clip, clip_at
        What is clipped there: the means in ``weights``, or counts as ``input``.
    diagonal
        Whether a word counts as its own context.
    offset
        With ``independence``, what is modelled is the ratio of a mean to that of independent words,
        so that the responses are PMI.
    zeros
        Pairs that were not seen are left out (``ignore``), have one target and weights z_i z_j
        (``weighted``), or are counts like others (``exact``), which takes time by the square of
        the vocabulary.
    unseen, unseen_weight, floor
        With ``weighted``: z is the frequency to this power, so scaled that z_i z_j has this mean;
        and the target.
    biases
        ψ and ω, ψ alone, or none.
    damping
        A response is this much less than all the way from the model to where z is; ½ is the
        formula that the paper displays for Tweedie. More where a step would raise the deviance.
    start
        The ``svd`` of logarithms of counts, or ``random``; `fit` also takes a space.
    solver, epochs, rate, batch
        ``als``, or the stochastic gradients of GloVe, to compare with.
    sweeps, tol, gradients
        The most sweeps of a step, the relative fall of the objective that ends them, and steps of
        conjugate gradients for each row and sweep.
    beta, combine, weight
        How vectors are made of the factors; by default they are U + V.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat on the mat", "the dog sat on the log"] * 3
    >>> space = GLRM(dim=2, family="poisson", steps=3).fit(firth.count(lines, min_count=1))
    >>> space
    Space(7 words × 2 dimensions; glrm)
    >>> [step["step"] for step in space.recipe["diagnostics"]["history"]]
    [1, 2, 3]
    """

    name: ClassVar[str] = "glrm"
    paper: ClassVar[str] = "C"
    takes: ClassVar[tuple[type, ...]] = (Counts,)
    derived: ClassVar[tuple[str, ...]] = ("beta", "combine", "weight")
    warm: ClassVar[bool] = True

    family: str = parameter(
        "tweedie", "The distribution of a count around its mean.", choices=tuple(FAMILIES)
    )
    power: float = parameter(1.25, "Power p of the variance of tweedie, μ^p.", above=1, most=1.99)
    dispersion: float = parameter(
        1.0, "Factor a of the variance of negative_binomial, μ + a μ².", above=0
    )
    negatives: float = parameter(5.0, "Samples of noise for each pair, of binomial.", above=0)
    steps: int = parameter(3, "Steps of reweighting, at most.", least=1)
    penalty: float = parameter(
        0.002, "λ: how strongly vectors are drawn to zero; biases are not.", least=0
    )
    penalty_scale: str = parameter(
        "none", "What λ is multiplied by: half, or what a row weighs.", choices=("none", "rows")
    )
    clip: str | None = parameter(
        "weights",
        "What is clipped: the means that weights grow with, or the counts themselves.",
        choices=CLIPPED,
    )
    clip_at: float | None = parameter(
        None, "Where it is clipped.", above=0, rule="10, or 100 from 10^9 tokens on"
    )
    diagonal: bool = parameter(True, "Count a word as its own context.")
    offset: str = parameter(
        "none",
        "What responses are relative to: nothing, or independent words, which makes them PMI.",
        choices=("none", "independence"),
    )
    zeros: str | None = parameter(
        None,
        "Pairs that were not seen are left out, have one target, or are counts like others.",
        choices=("ignore", "weighted", "exact"),
        rule="exact for multinomial and binomial, else ignore",
    )
    unseen: float = parameter(
        0.0, "Exponent of frequencies in the weights of unseen pairs.", least=0, most=1
    )
    unseen_weight: float | None = parameter(
        None,
        "Mean weight of a pair if unseen.",
        above=0,
        rule="so much that all pairs have what the seen ones have",
    )
    floor: float = parameter(0.0, "Target of unseen pairs with one target.")
    biases: str | None = parameter(
        None,
        "Biases of words and contexts, of words, or none.",
        choices=("both", "rows", "none"),
        rule="rows for multinomial, none for binomial, else both",
    )
    damping: float = parameter(
        0.0, "Share of the way to its response that a step leaves out.", least=0, most=0.99
    )
    solver: str = parameter(
        "als", "Alternating least squares, or stochastic gradients.", choices=("als", "adagrad")
    )
    sweeps: int = parameter(
        30, "How often words and contexts are solved for in turn in a step, at most.", least=1
    )
    tol: float = parameter(
        1e-3, "Relative fall of the objective in a sweep, below which a step ends.", least=0
    )
    gradients: int = parameter(2, "Steps of conjugate gradients for each row and sweep.", least=1)
    epochs: int = parameter(50, "Passes over all cells, of adagrad.", least=1)
    rate: float = parameter(0.1, "Learning rate of adagrad.", above=0)
    batch: int = parameter(512, "Cells of a gradient of adagrad.", least=1)
    start: str = parameter("svd", "The factors to start from.", choices=("svd", "random"))
    beta: float = redefault(Spectral, "beta", 0.5)
    combine: str = parameter(
        "auto",
        "What contexts add to words: nothing, their vectors, at length one or as they are, or "
        "columns.",
        choices=(*COMBINE, "auto"),
        rule="mean where every word is a context, else words",
    )
    weight: float = redefault(Spectral, "weight", 1.0)
    seed: int = seed_parameter()

    @property
    def handled_zeros(self) -> str:
        """How unseen pairs are handled, whether that was given or not."""
        return self.zeros or ("exact" if FAMILIES[self.family].needs_zeros else "ignore")

    @property
    def having(self) -> tuple[bool, bool]:
        """Whether rows and columns have biases."""
        biases = self.biases or FAMILIES[self.family].biases
        return biases != "none", biases == "both"

    def is_symmetric(self, source: Counts | Any) -> bool:
        """Return True if the counts are known to be their own transpose."""
        return isinstance(source, Counts) and source.is_symmetric

    def memory(self, source: Any) -> int:
        """Estimate the bytes of weights, responses, the start and the factors.

        Counts that are not symmetric are held by columns too.
        """
        height, width = source.shape
        if source.half:
            width //= 2
        aligned, nnz = self.dim + 32, source.nnz
        one = source.half or self.is_symmetric(source)
        basis = min(BASIS * self.dim, height, width) + 64
        starting = 4 * (height + (0 if one else width)) * (basis * 3 // 2 + self.dim)
        starting += 4 * 8 * basis**2 + CELL * nnz * (1 if one else 2)
        threads = default_threads()
        sides = 6 * 4 * (height + width) * aligned + threads * 2 * 8 * BLOCK * aligned
        sides += threads * 16 * 8 * CELLS
        turned = 0 if one else (4 + source.values.dtype.itemsize) * nnz
        if self.handled_zeros == "exact":
            sides += 12 * max(SOLVED, width) + threads * 16 * 8 * max(0, width - CELLS)
        else:
            laid = 2 * 4 * nnz
            turned += laid if one and self.steps == 1 else 2 * laid
            turned += 32 * nnz if self.solver == "adagrad" else 0
        if source.half:
            turned += (4 + source.values.dtype.itemsize) * nnz
        return int(max(starting, turned + sides)) + LIBRARIES

    def unfolding(self, view: Any) -> int:
        """Return 0: the counts of two sides are added up."""
        del view
        return 0

    def check(self, source: Any, start: Space | None = None) -> None:
        """Raise if the source, the space to start from, or parameters together do not fit."""
        super().check(source, start)
        if FAMILIES[self.family].needs_zeros and self.zeros == "ignore":
            raise FirthError(
                f"`zeros` must be 'exact' or 'weighted' with family {self.family}, not 'ignore': "
                "unseen pairs are part of its likelihood"
            )
        if self.offset == "independence" and not FAMILIES[self.family].is_log:
            raise FirthError(
                f"`offset='independence'` is for families with a logarithmic link, not for "
                f"{self.family}: what it subtracts is the logarithm of a mean"
            )
        if self.solver == "adagrad" and (self.handled_zeros != "ignore" or self.steps > 1):
            raise FirthError(
                "`solver='adagrad'` takes one step with `zeros='ignore'`: it samples seen pairs"
            )
        if self.solver == "adagrad" and start is not None:
            raise FirthError(
                "`solver='adagrad'` takes no space to `start` from: it begins with random vectors"
            )
        if start is not None and (start.factors is None or start.factors.right is None):
            raise FirthError(
                "the space to `start` from has no factors of words and contexts: fit it by a "
                "method that keeps both"
            )

    def prepared(self, source: Any) -> Any:
        """Return counts of two sides added up, other counts as they are."""
        return source.together()

    def decide(self, source: Any, resources: Resources) -> Self:
        """Put what rules and the family decide in the place of what was not given."""
        del resources
        tokens = source.ledger.tokens or int(source.words.frequencies.sum())
        own, other = self.having
        return replace(
            self,
            zeros=self.handled_zeros,
            biases={(True, True): "both", (True, False): "rows", (False, False): "none"}[
                own, other
            ],
            clip_at=self.clip_at or (100.0 if tokens >= LARGE else 10.0),
        )

    def distribution(self) -> Family:
        """Return the family, with weights that are clipped if they are to be."""
        kind = FAMILIES[self.family]
        own = {"power": self.power, "dispersion": self.dispersion}
        family = kind(**{name: own[name] for name in (one.name for one in fields(kind))})
        if self.clip == "weights" and family.is_log:
            return Clipped(family, float(self.clip_at or 10.0))
        return family

    def associate(self, source: Counts, resources: Resources) -> Likelihood:
        """Return the counts as data of the family."""
        look = Look(
            self.distribution(),
            float(self.clip_at or np.inf) if self.clip == "input" else np.inf,
            self.diagonal,
            self.floor,
        )
        return Likelihood(
            source,
            look,
            independent=self.offset == "independence",
            negatives=self.negatives if self.family == "binomial" else 0.0,
            zeros=self.handled_zeros,
            unseen=self.unseen,
            unseen_weight=self.unseen_weight,
            resources=resources,
        )

    def factorise(
        self, association: Likelihood, resources: Resources, start: Space | None = None
    ) -> Factorisation:
        """Take the steps, or as many epochs of stochastic gradients."""
        likelihood = association
        model = Reweighted(
            likelihood.rows,
            likelihood.columns,
            likelihood.symmetric,
            self.dim,
            self.having,
            Steps(
                self.steps, self.sweeps, self.tol, self.gradients, self.penalty,
                self.penalty_scale == "rows", 1.0 - self.damping,
            ),
            resources,
        )  # fmt: skip
        if self.solver == "adagrad":
            from firth.methods.stochastic import descend

            course = descend(model, self.epochs, self.rate, self.batch, self.seed)
        else:
            begun = likelihood.start(self.dim, self.having, self.start, self.seed, start)
            course = model.fit(*begun.sides, known=begun.known)
        self._tell(course, likelihood, resources)
        return self._found(course, likelihood, resources)

    def _tell(self, course: Course, likelihood: Likelihood, resources: Resources) -> None:
        """Name the word where a step stalled, and say so."""
        if course.stalled is None:
            return
        word = likelihood.counts.words.words[course.stalled.pop("row")]
        course.stalled |= {"family": self.family, "word": word}
        resources.report(
            "stalled",
            f"step {course.stalled['step']} with family {self.family} stalled: no pace lowers the "
            f"deviance, which would rise most for {word!r}; raise `penalty` or lower `clip_at`",
        )

    def _found(self, course: Course, likelihood: Likelihood, resources: Resources) -> Factorisation:
        """Bring vectors to their canonical form."""
        sides = []
        for side, working in ((course.left, likelihood.rows), (course.right, likelihood.columns)):
            vectors = padded(side[:, : self.dim])
            vectors[np.diff(working.starts) == 0] = 0  # nothing is known of such words
            sides.append(vectors)
        with one_blas_thread(resources.threads) as blocks:
            u, values, v = canonical(blocks, sides[0], sides[1], self.dim)
        likelihood.biases = tuple(
            np.ascontiguousarray(side[:, self.dim], dtype=np.float64)
            for side in (course.left, course.right)
        )
        objective = course.history[-1]["objective"] if course.history else []
        diagnostics: dict[str, Any] = {"objective": objective, "history": course.history}
        if course.stalled is not None:
            diagnostics["stalled"] = course.stalled
        return Factorisation(u, values, v, diagnostics)

    def assemble(self, source: Any, association: Any, found: Factorisation, keep: bool) -> Space:
        """Make the space of what was found; what `why` needs is the logarithms of counts."""
        kept = association.explained() if keep else None
        made = super().assemble(source, kept, found, keep)
        assert isinstance(made.factors, Factors)
        factors = replace(made.factors, biases=association.biases)
        return replace(made, factors=factors)

    def combining(
        self, words: Vocabulary, contexts: Vocabulary | None, columns: int
    ) -> dict[str, Any]:
        """Return how vectors are made of the factors: (U + V) / 2 where both have the same."""
        found = combining(self, words, contexts, columns)
        if self.combine == "auto" and found["combine"] == "sum":
            found["combine"] = "mean"
        return found
