"""The operator of generalised canonical correlation analysis, and what its eigenvectors say.

See `firth.linalg.gcca` for the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.linalg.canonical import fix_bases
from firth.linalg.krylov import WIDTH, inner, leading, times
from firth.linalg.products import Blocks
from firth.linalg.view_factors import ViewFactors
from firth.progress import silent
from firth.resources import Resources

Doubles = NDArray[np.float64]
Array = NDArray[Any]

SOLVERS = ("krylov", "incremental")
TOLERANCE = 1e-7
MOST_PASSES = 200
DENSE = 1500  # a problem of fewer rows or kept columns in all is solved as a dense one
FEW = 8  # a dense problem so many times larger than what is wanted is not solved whole
EXACT = 1e-11  # residual of a dense problem, relative to its largest eigenvalue
DENSE_CELLS = 1 << 25  # and if all kept columns together have no more cells
NOTHING = 1e-12  # eigenvalues below it, relative to the largest, are zero


@dataclass(frozen=True, eq=False)
class GCCA:
    """What `gcca` found.

    Attributes
    ----------
    vectors
        G, with a row for each row of the views and orthonormal columns; rows that no view has are
        zero.
    values
        The eigenvalues of M, from 0 to the number of views, the largest first.
    projections
        U_j of each view: (x - means) U_j predicts the row of G of a row x of the view.
    means
        Of the columns of each view, zeros if views are not centred.
    correlations
        Of G and of its prediction by each view, for each view and dimension.
    explained
        The share of the squares of each view that each dimension of G explains by itself.
    explained_together
        The share that all dimensions explain together.
    residual
        The largest ‖Mg - λg‖ over λ₁.
    passes, converged
        How often all views were read, and whether that was enough.

    Examples
    --------
    >>> from firth.linalg import gcca
    >>> rng = np.random.default_rng(0)
    >>> views = [rng.standard_normal((50, 4)) for _ in range(3)]
    >>> found = gcca(views, 2)
    >>> found.vectors.shape, found.projections[0].shape, found.correlations.shape
    ((50, 2), (4, 2), (3, 2))
    """

    vectors: Doubles
    values: Doubles
    projections: tuple[Array, ...]
    means: tuple[Doubles, ...]
    correlations: Doubles
    explained: Doubles
    explained_together: Doubles
    residual: float
    passes: int
    converged: bool


class Problem:
    """Factorised views, and the operator M that they make.

    Parameters
    ----------
    factors
        The views.
    scales
        The weight of each view.
    size
        How many rows there are in all.
    """

    def __init__(self, factors: Sequence[ViewFactors], scales: Sequence[float], size: int) -> None:
        self.factors, self.scales, self.size = list(factors), list(scales), size
        # The order in which views are added up must not depend on the order in which they came.
        self._order = sorted(range(len(self.factors)), key=self._key)

    def _key(self, number: int) -> tuple[Any, ...]:
        import hashlib  # only fits of views load it

        view = self.factors[number]
        held = hashlib.sha256(view.values.tobytes() + view.rows.tobytes())
        held.update(np.ascontiguousarray(view.left.open()[:: max(1, len(view.rows) // 64)]).data)
        return (self.scales[number], view.rank, len(view.rows), held.digest())

    @cached_property
    def observed(self) -> Doubles:
        """K: the sum of the squared weights of the views that have each row, over the views."""
        total = np.zeros(self.size)
        for number in self._order:
            view = self.factors[number]
            total[view.rows] += (self.scales[number] * view.row_weights) ** 2
        return total / len(self.factors)

    @cached_property
    def _roots(self) -> Doubles:
        return np.where(self.observed > 0, 1 / np.sqrt(np.maximum(self.observed, 1e-300)), 0.0)

    def _scaled(self, number: int) -> Doubles:
        """W_j K^(-1/2) of the rows of one view."""
        view = self.factors[number]
        return self.scales[number] * view.row_weights * self._roots[view.rows]

    def apply(self, dense: Doubles, blocks: Blocks) -> Doubles:
        """Multiply M, reading one view at a time."""
        out = np.zeros((self.size, dense.shape[1]))
        for number in self._order:
            view = self.factors[number]
            if not view.rank:
                continue
            left, scale, rows = view.left.open(), self._scaled(number)[:, None], view.rows
            small = _turned(blocks, left, rows, scale, dense) * (view.shares**2)[:, None]
            _spread(blocks, left, rows, scale, small, out)
        return out

    def columns(self) -> int:
        """Return the kept columns of all views."""
        return sum(view.rank for view in self.factors)

    def solve(
        self,
        rank: int,
        blocks: Blocks,
        resources: Resources,
        *,
        solver: str = "krylov",
        tol: float = TOLERANCE,
        seed: int = 0,
        center: bool = True,
    ) -> GCCA:
        """Find G, U_j and what they say about each view."""
        if solver not in SOLVERS:
            raise FirthError(f"`solver` must be {' or '.join(SOLVERS)}, not {solver!r:.40}")
        passes, converged = 1, True
        if not self.columns():  # no row of any view differs from the mean
            values, vectors = np.zeros(1), np.zeros((self.size, 1))
        elif solver == "incremental":
            values, vectors = self._incremental(rank, blocks)
        elif min(self.columns(), self.size) <= DENSE and self.columns() * self.size <= DENSE_CELLS:
            values, vectors = self._dense(rank, blocks, seed)
        else:
            found = leading(
                lambda dense: self.apply(dense, blocks),
                self.size,
                min(rank, self.size),
                tol=tol,
                most_passes=MOST_PASSES,
                seed=seed,
                blocks=blocks,
                progress=resources.progress,
            )
            values, vectors = found.values, found.vectors
            passes, converged = found.passes, found.converged
        vectors, values = _exactly(vectors, values, rank, self.observed)
        product = self.apply(vectors, blocks)
        gaps = np.linalg.norm(product - vectors * values, axis=0)
        residual = float(gaps.max() / max(values[0], 1e-300))
        if solver == "incremental":
            converged = residual <= tol
        return GCCA(
            vectors,
            values,
            tuple(self.projection(number, vectors, blocks) for number in range(len(self.factors))),
            tuple(view.means for view in self.factors),
            *self._agreement(vectors, blocks, center),
            residual,
            passes,
            converged,
        )

    def _dense(self, rank: int, blocks: Blocks, seed: int) -> tuple[Doubles, Doubles]:
        """Solve by the Gram matrix of the columns, or by M itself if there are fewer rows."""
        wide = np.zeros((self.size, self.columns()))
        begin = 0
        for number in self._order:
            view = self.factors[number]
            part = slice(begin, begin + view.rank)
            wide[view.rows, part] = view.left.open() * view.shares * self._scaled(number)[:, None]
            begin = part.stop
        upright = self.size >= wide.shape[1]
        gram = inner(blocks, wide, wide) if upright else wide @ wide.T
        values, vectors = _largest(gram, rank, blocks, seed)
        if upright:
            safe = np.sqrt(np.where(values > NOTHING * values[0], values, 1.0))
            vectors = wide @ (vectors / safe)
        return values, np.ascontiguousarray(vectors)

    def _incremental(self, rank: int, blocks: Blocks) -> tuple[Doubles, Doubles]:
        """Update a truncated SVD by one view after the other (M. Brand, 2002), as the paper does.

        What is cut off at one view is lost for the next ones.
        """
        held = np.zeros((self.size, 0))
        values = np.zeros(0)
        for number in self._order:
            view = self.factors[number]
            scale = self._scaled(number)[:, None]
            wide = np.zeros((self.size, len(values) + view.rank))
            wide[:, : len(values)] = held * np.sqrt(values)
            wide[view.rows, len(values) :] = view.left.open() * view.shares * scale
            squares, turn = np.linalg.eigh(inner(blocks, wide, wide))
            kept = squares[::-1] > NOTHING * max(squares[-1], 1e-300)
            kept[rank:] = False
            values = squares[::-1][kept]
            held = wide @ (turn[:, ::-1][:, kept] / np.sqrt(values))
        return values, held

    def projection(self, number: int, vectors: Doubles, blocks: Blocks) -> Array:
        """Return U_j = (XᵀX + rI)⁻¹ Xᵀ W_j G."""
        view = self.factors[number]
        if not view.rank:
            return np.zeros((len(view.means), vectors.shape[1]))
        onto = self.onto(number, vectors, blocks)
        # S / (r + S²), written so that small singular values stay exact.
        right = view.right.open()
        small = (view.shares**2 / view.values)[:, None] * onto
        return np.asarray(right @ small.astype(right.dtype))

    def onto(self, number: int, vectors: Doubles, blocks: Blocks) -> Doubles:
        """Return A_jᵀ W_j G of one view."""
        view = self.factors[number]
        weights = view.row_weights[:, None]
        return _turned(blocks, view.left.open(), view.rows, weights, vectors)

    def _agreement(
        self, vectors: Doubles, blocks: Blocks, center: bool
    ) -> tuple[Doubles, Doubles, Doubles]:
        """Return correlations, shares explained by each dimension, and by all together."""
        count, rank = len(self.factors), vectors.shape[1]
        correlations, explained = np.zeros((count, rank)), np.zeros((count, rank))
        together = np.zeros(count)
        for number, view in enumerate(self.factors):
            if not view.rank:
                continue
            own = vectors[view.rows]
            if center:
                own = own - own.mean(axis=0)
            own = own * view.row_weights[:, None]
            left = view.left.open()
            every = np.arange(len(view.rows))
            onto = _turned(blocks, left, every, np.ones((len(every), 1)), own)
            lengths = np.sqrt(np.einsum("ij,ij->j", own, own))
            seen = np.where(lengths > 0, lengths, 1.0)
            # The prediction is A T² Aᵀ g: its length, and its product with g, follow from Aᵀ g.
            shared = (view.shares**2) @ onto**2
            length = np.sqrt((view.shares**4) @ onto**2)
            correlations[number] = shared / np.where(length > 0, length, 1.0) / seen
            parts = view.values[:, None] * onto
            explained[number] = np.einsum("ij,ij->j", parts, parts) / seen**2 / view.total
            together[number] = _span(own, parts, blocks) / view.total
        return correlations, explained, together


def _largest(gram: Doubles, rank: int, blocks: Blocks, seed: int) -> tuple[Doubles, Doubles]:
    """Return the largest eigenvalues of a dense matrix: of a few of many, by Krylov's method."""
    if len(gram) > FEW * max(rank, WIDTH):
        found = leading(
            lambda dense: times(blocks, gram, dense),
            len(gram),
            rank,
            tol=EXACT,
            most_passes=FEW * 4,
            seed=seed,
            blocks=blocks,
            progress=silent,
        )
        if found.converged:
            return np.maximum(found.values, 0), found.vectors
    values, vectors = np.linalg.eigh(gram)
    return np.maximum(values[::-1][:rank], 0), vectors[:, ::-1][:, :rank]


def _span(own: Doubles, parts: Doubles, blocks: Blocks) -> float:
    """Return the squares of a view in the span of some columns G, of S Aᵀ G."""
    values, vectors = np.linalg.eigh(inner(blocks, own, own))
    kept = values > 1e-12 * max(float(values[-1]), 1e-300)
    inside = parts @ (vectors[:, kept] / np.sqrt(values[kept]))
    return float(np.sum(inside * inside))


def _turned(
    blocks: Blocks, left: Array, rows: NDArray[np.int64], scale: Doubles, dense: Doubles
) -> Doubles:
    """Return Aᵀ (scale · dense[rows]) over blocks of rows, in double precision."""
    total = np.zeros((left.shape[1], dense.shape[1]))

    def product(block: slice) -> Doubles:
        turned: Doubles = left[block].T.astype(np.float64)
        return turned @ (dense[rows[block]] * scale[block])

    for part in blocks.map(len(rows), product):
        total += part
    return total


def _spread(
    blocks: Blocks,
    left: Array,
    rows: NDArray[np.int64],
    scale: Doubles,
    small: Doubles,
    out: Doubles,
) -> None:
    """Add scale · A small to some rows; no row is in two blocks."""

    def product(block: slice) -> None:
        out[rows[block]] += (left[block].astype(np.float64) @ small) * scale[block]

    for _ in blocks.map(len(rows), product):
        pass


def _exactly(
    vectors: Doubles, values: Doubles, rank: int, observed: Doubles
) -> tuple[Doubles, Doubles]:
    """Return so many columns with fixed signs; what no view has, or no direction, is zero."""
    out, kept = np.zeros((len(vectors), rank)), np.zeros(rank)
    alive = values > NOTHING * max(float(values[0]), 1e-300)
    count = int(np.count_nonzero(alive))
    out[:, :count], kept[:count] = vectors[:, alive], values[alive]
    out[observed <= 0] = 0
    fix_bases(kept, out, slack=1e-9)
    return out, kept
