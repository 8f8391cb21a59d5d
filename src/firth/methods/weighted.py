"""The weighted factorisation: pairs of words weigh by what is known about them.

An SVD weighs all pairs of words alike. The more rare words a vocabulary has, the more of the
dimensions go to the noise between them. Here a pair that was seen x times weighs x^p, and every
pair, seen or not, also weighs z_i z_j, which grows with the frequencies of both words: it says more
that two frequent words never meet than that two rare ones do not. With f the sums of rows and
columns,

    target   t_ij = log(1 + e^(-shift) r_ij),  r_ij = x_ij N(α) / (f_i^α f_j^α),  0 where x_ij = 0
    weight   x_ij^p + z_i z_j,  z_i ∝ f_i^g,  Σ z_i z_j = κ Σ x^p
    minimise Σ W_ij (u_i · v_j - t_ij)² and a ridge

by alternating least squares (`firth.linalg.alternating`) from the SVD of the targets. K. Stratos,
M. Collins and D. Hsu (2015, Model-based word embeddings from decompositions of count matrices,
equation 6 and section 8) ask for such a weighted objective and leave it open. Relatives: C. Jiang,
H.-F. Yu, C.-J. Hsieh and K.-W. Chang (2018), Learning word embeddings for low-resource languages by
PU learning; X. Xin, F. Yuan, X. He and J. Jose (2018), Batch is not heavy: learning word
representations from all samples; N. Shazeer and others (2016), Swivel: improving embeddings by
noticing what's missing; A. Salle, M. Idiart and A. Villavicencio (2016), Matrix factorization using
window sampling and negative sampling for improved word representations (LexVec).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from firth.association import Association, Weighing
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.als import als, random_start
from firth.linalg.alternating import Floats, alternate
from firth.linalg.frames import canonical
from firth.linalg.products import BLOCK, one_blas_thread
from firth.methods.method import CELL, Factorisation
from firth.methods.spectral import Spectral
from firth.methods.targets import SidedTargets, Targets, of_space
from firth.methods.truncated import BASIS, Truncated, combining
from firth.parameters import parameter, redefault, seed_parameter
from firth.resources import Resources, default_threads
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

STARTS = ("svd", "random")
# Counts for each parameter, above which unseen pairs weigh least, and below which they weigh most.
MANY, FEW = 6.0, 2.0
LEAST_UNSEEN, MOST_UNSEEN = 1.5, 5.0
LEAST_RIDGE, MOST_RIDGE = 0.01, 0.1
SYMMETRIC_BASIS = 4  # Lanczos vectors for each dimension of the start, as seen on real counts
LIBRARIES = 16 << 20  # bytes of what is loaded on the way
WEIGHED = 64  # bytes for each cell of an association, on the way


@dataclass(frozen=True, kw_only=True)
class Weighted(Truncated):
    """A factorisation in which pairs weigh by how often they were seen and could have been.

    Attributes
    ----------
    alpha, shift
        The target: the logarithm of 1 plus the ratio of a count to what frequencies to the power of
        `alpha` lead one to expect.
    seen
        p: a pair that was seen x times weighs x^p. Of an association, whose values are the targets
        as they are, a value a weighs |a|^p.
    unseen
        g: every pair weighs the product of its words' frequencies to this power.
    unseen_share
        κ: the sum of these weights over that of x^p; at 0, unseen pairs are ignored.
    ridge
        ρ: how strongly the model is drawn to zero, relative to the weight of a row.
    sweeps
        How often the vectors of words and then of contexts are solved for.
    start
        The ``svd`` of the targets, or ``random``; `fit` also takes a space to start from.
    beta, combine, weight
        How vectors are made of the factors; see `firth.methods.Spectral`.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat on the mat", "the dog sat on the log"] * 3
    >>> space = Weighted(dim=3).fit(firth.count(lines, min_count=1))
    >>> space
    Space(7 words × 3 dimensions; weighted)
    >>> objective = space.recipe["diagnostics"]["objective"]
    >>> objective[-1] < objective[0]
    True
    """

    name: ClassVar[str] = "weighted"
    paper: ClassVar[str] = "A"
    takes: ClassVar[tuple[type, ...]] = (Counts, Association)
    derived: ClassVar[tuple[str, ...]] = ("beta", "combine", "weight")
    warm: ClassVar[bool] = True

    alpha: float = redefault(Weighing, "alpha", 0.4)
    shift: float = redefault(Weighing, "shift", -1.0)
    seen: float = parameter(0.5, "Exponent of a count in the weight of its pair.", least=0, most=1)
    unseen: float = parameter(
        0.4, "Exponent of frequencies in the weight that every pair has.", least=0, most=1
    )
    unseen_share: float | None = parameter(
        None,
        "Sum of the weights that every pair has, over the sum of those of counts.",
        least=0,
        rule="1.5 to 5, more for fewer counts per parameter",
    )
    ridge: float | None = parameter(
        None,
        "How strongly vectors are drawn to zero, relative to what their pairs weigh.",
        least=0,
        rule="0.01 to 0.1, more for fewer counts per parameter",
    )
    sweeps: int = parameter(4, "How often words and contexts are solved for in turn.", least=1)
    steps: int = parameter(2, "Steps of conjugate gradients for each row and sweep.", least=1)
    start: str = parameter("svd", "The factors to start from.", choices=STARTS)
    beta: float = redefault(Spectral, "beta", 0.3)
    combine: str = redefault(Spectral, "combine", "auto")
    weight: float = redefault(Spectral, "weight", 0.15)
    seed: int = seed_parameter()

    def weighing(self) -> Weighing:
        """Return the step from counts to targets."""
        return Weighing(scale="log1p", alpha=self.alpha, word_alpha=self.alpha, shift=self.shift)

    def unfolding(self, view: Any) -> int:
        """Return 0: the whole matrix of two sides is not needed."""
        del view
        return 0

    def is_symmetric(self, source: Counts | Association) -> bool:
        """Return True if the matrix of targets is known to be its own transpose."""
        return isinstance(source, Counts) and source.is_symmetric

    def memory(self, source: Any) -> int:
        """Estimate the bytes of the targets, the start and the factors.

        Weights and targets are computed from the counts in every sweep. Counts that are not
        symmetric are held by columns too, and of two sides both are held.
        """
        if isinstance(source, Association):
            # Its weights, in double and in single precision, and both matrices by columns too.
            held = WEIGHED * source.nnz
            return held + super().memory(source) + LIBRARIES
        height, width = source.shape
        aligned = self.dim + 16
        sides = 1 if self.is_symmetric(source) or source.half else 2
        # A basis that is copied when it grows by half, or one of half as many vectors of either
        # side; the result; and dense problems of the size of the basis.
        each = SYMMETRIC_BASIS if sides == 1 else BASIS / 2
        basis = min(int(each * self.dim), height, width) + 64
        starting = 4 * (height + (sides - 1) * width) * (basis * 3 // 2 + self.dim)
        starting += 4 * 8 * basis**2
        # The factors to start from, both sides, and both after a change of basis, of which one
        # is made again where it is steep. Threads compute Gram matrices from rows of doubles.
        sweeping = 4 * 4 * (height + width) * aligned
        sweeping += default_threads() * 2 * 8 * BLOCK * aligned
        cell = 4 + source.values.dtype.itemsize
        if source.half:
            # The right side, and the targets of both; their columns are those of the counts.
            fixed, turned = (cell + CELL) * (source.nnz // 2), 0
        else:
            fixed, turned = (CELL // 2) * source.nnz, (sides - 1) * cell * source.nnz
            starting += (sides - 1) * CELL * source.nnz
        return int(fixed + max(starting, turned + sweeping)) + LIBRARIES

    def decide(self, source: Any, resources: Resources) -> Self:
        """Choose the weight of unseen pairs and the ridge by the counts for each parameter."""
        del resources
        scarce = scarcity(source.nnz, sum(source.shape), self.dim)
        share, ridge = self.unseen_share, self.ridge
        if share is None:
            share = _between(LEAST_UNSEEN, MOST_UNSEEN, scarce)
        if ridge is None:
            ridge = _between(LEAST_RIDGE, MOST_RIDGE, scarce)
        return replace(self, unseen_share=share, ridge=ridge)

    def associate(self, source: Any, resources: Resources) -> Any:
        """Return the counts, with the targets for the start and for `Space.why`.

        An association is factorised as it is.
        """
        if isinstance(source, Association):
            return source
        made = SidedTargets if source.half else Targets
        return made(source, self.weighing(), resources)

    def factorise(
        self, association: Any, resources: Resources, start: Space | None = None
    ) -> Factorisation:
        """Solve for words and contexts in turn."""
        if isinstance(association, Association):
            return self._of_association(association, resources)
        left, right = self._start(association, start)
        problem = association.problem(
            seen=self.seen,
            unseen=self.unseen,
            unseen_share=self.unseen_share or 0.0,
            ridge=self.ridge or 0.0,
        )
        left, right, objective = alternate(
            problem, left, right, sweeps=self.sweeps, steps=self.steps, resources=resources
        )
        with one_blas_thread(resources.threads) as blocks:
            u, values, v = canonical(blocks, left, right, self.dim)
        return Factorisation(u, values, v, {"objective": list(objective)})

    def assemble(self, source: Any, association: Any, found: Factorisation, keep: bool) -> Space:
        """Make the space of what was found."""
        if isinstance(association, Association):
            return super().assemble(source, association, found, keep)
        kept = association.association if keep else None
        made = super().assemble(source, kept, found, keep)
        return replace(made, marginals=association.marginals)

    def combining(
        self, words: Vocabulary, contexts: Vocabulary | None, columns: int
    ) -> dict[str, Any]:
        """Return how vectors are made of the factors."""
        return combining(self, words, contexts, columns, blocks=2)

    def check(self, source: Any, start: Space | None = None) -> None:
        """Raise if the source or the space to start from does not fit."""
        super().check(source, start)
        if isinstance(source, Association):
            self._check_association(start)
        if start is not None and (start.factors is None or start.factors.right is None):
            raise FirthError(
                "the space to `start` from has no factors of words and contexts: fit it by a "
                "method that keeps both"
            )

    def _check_association(self, start: Space | None) -> None:
        """Raise if a parameter is given that an association has no use for."""
        if start is not None:
            raise FirthError("an association has no space to `start` from: leave it out")
        plain = type(self)()
        if (self.alpha, self.shift) != (plain.alpha, plain.shift):
            raise FirthError(
                "an association is factorised as it is, and `alpha` and `shift` lead to one from "
                "counts: leave them out"
            )

    def _of_association(self, matrix: Association, resources: Resources) -> Factorisation:
        """Factorise values as they are: a stored value a weighs |a|^p beyond unseen ones.

        z is made of the sums of magnitudes of rows and columns in the place of frequencies.
        """
        sizes = np.abs(matrix.values.astype(np.float64))
        weights = sizes**self.seen
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.starts))
        sums = (
            np.bincount(rows, sizes, minlength=matrix.shape[0]),
            np.bincount(matrix.columns, sizes, minlength=matrix.shape[1]),
        )
        of_row, of_column = (np.where(side > 0, side, 0.0) ** self.unseen for side in sums)
        share = (self.unseen_share or 0.0) * weights.sum() / (of_row.sum() * of_column.sum())
        root = np.sqrt(share)
        found = als(
            matrix.to_scipy(), weights, dim=self.dim, ridge=self.ridge or 0.0, sweeps=self.sweeps,
            unseen=(of_row * root, of_column * root) if share > 0 else None, steps=self.steps,
            start=self.start, seed=self.seed, resources=resources,
        )  # fmt: skip
        diagnostics = {"objective": list(found.objective)}
        return Factorisation(found.left, found.values, found.right, diagnostics)

    def _start(self, targets: Targets, start: Space | None) -> tuple[Floats, Floats]:
        """Return the factors to begin with."""
        if start is not None:
            return of_space(start, targets.counts, self.dim)
        if self.start == "random":
            return random_start(targets.counts.shape, self.dim, self.seed)
        return targets.start(self.dim, self.seed)


def scarcity(nonzeros: int, rows: int, dim: int) -> float:
    """Return 0 where there are many counts for each parameter, 1 where few, and what is between.

    Parameters
    ----------
    nonzeros
        Of the counts.
    rows
        Words and contexts together.
    dim
        Dimensions of the vectors.

    Examples
    --------
    >>> scarcity(42_000_000, 2 * 34_000, 100), round(scarcity(42_000_000, 2 * 34_000, 300), 2)
    (0.0, 0.97)
    """
    ratio = nonzeros / max(rows * dim, 1)
    return float(np.clip(np.log(MANY / max(ratio, 1e-9)) / np.log(MANY / FEW), 0.0, 1.0))


def _between(least: float, most: float, share: float) -> float:
    """Return the number a share of the way from one to another, by ratio; to three digits."""
    return float(f"{least * (most / least) ** share:.3g}")
