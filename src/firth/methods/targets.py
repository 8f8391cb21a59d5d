"""What the weighted factorisation approximates: targets and weights, computed from counts.

No weight is written out, and targets only for the start and for `Space.why`: the kernel computes
both from the counts in every pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from firth import _core
from firth.association import Association, Doubles, Weighing, associate, factors, marginals
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.alternating import Floats
from firth.linalg.alternating import Weighted as Problem
from firth.linalg.cells import Cells, StackedCells
from firth.linalg.eigh import eigh
from firth.linalg.svd import svd
from firth.resources import Resources
from firth.sided import Halves, SidedAssociation
from firth.space.marginals import Marginals
from firth.space.space import Space

# Of the singular values to start from. With 1e-3 on wiki17m (d = 100) the SVD takes 25% longer, and
# the scores are the same; with 1e-2 they depend on the seed: 58.0 to 59.1 on ten similarity sets.
TOLERANCE = 2e-3


@dataclass(frozen=True, eq=False)
class _Laid:
    """Cells of a matrix by row and by column, and what is known of its rows and columns."""

    rows: Cells
    columns: Cells
    row_sums: Doubles  # of the weights of seen pairs
    column_sums: Doubles
    row_frequencies: Doubles
    column_frequencies: Doubles
    blank_row: np.ndarray[tuple[int], np.dtype[np.bool_]]
    blank_column: np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(eq=False)
class Targets:
    """Counts as one matrix, whose targets and weights are computed when they are needed.

    Attributes
    ----------
    counts
        The counts.
    weighing
        From counts to targets.
    resources
        Threads and progress.
    marginals
        Sums of the counts, once the problem has been laid out.
    """

    counts: Counts
    weighing: Weighing
    resources: Resources
    marginals: Marginals | None = None

    @cached_property
    def association(self) -> Association | SidedAssociation:
        """The targets of all seen pairs."""
        self.resources.report("weighing", f"weighing {self.counts.nnz:,} counts")
        return self._associate()

    def _associate(self) -> Association | SidedAssociation:
        return associate(self.counts, self.weighing, self.resources.threads)

    def start(self, dim: int, seed: int) -> tuple[Floats, Floats]:
        """Return factors to start from: U Σ^½ and V Σ^½ of the SVD of the targets."""
        (matrix,) = self.association.parts
        found = svd(matrix, dim, tol=TOLERANCE, seed=seed, resources=self.resources)
        roots = np.sqrt(found.values).astype(np.float32)
        return found.left * roots, found.right * roots

    def problem(self, *, seen: float, unseen: float, unseen_share: float, ridge: float) -> Problem:
        """Lay out cells, weights and ridges by row and by column.

        The parameters are those of `firth.methods.Weighted`.
        """
        laid = self._lay_out(seen)
        self.marginals = Marginals(
            laid.row_frequencies,
            laid.column_frequencies,
            laid.row_sums,
            laid.column_sums,
            alpha=self.weighing.alpha,
            shift=self.weighing.shift,
            seen=seen,
            unseen=unseen,
            unseen_share=unseen_share,
            ridge=ridge,
            mirrored=self.counts.half or self.counts.is_symmetric,
        )
        row, column = self.marginals.sides()
        return Problem(
            laid.rows,
            laid.columns,
            row.weights,
            column.weights,
            row.ridges,
            column.ridges,
            unseen=unseen_share > 0,
            blank_row=laid.blank_row,
            blank_column=laid.blank_column,
        )

    def _lay_out(self, seen: float) -> _Laid:
        """Lay out the cells by row and by column: of symmetric counts, they are the same."""
        counts, threads = self.counts, self.resources.threads
        sums = marginals(counts, threads)
        of_row, of_column = factors(self.weighing, *sums)
        starts, columns, values = counts.csr()
        rows = self._cells(counts, of_row, of_column, seen)
        row_sums = rows.weight_sums(threads, None)
        blank = np.diff(starts) == 0
        if counts.is_symmetric:
            return _Laid(rows, rows, row_sums, row_sums, *sums, blank, blank)
        turned_starts, places, tables = _core.transpose_tables(
            starts, columns, [np.ascontiguousarray(values)], counts.shape[1], threads
        )
        turned = _core.CountCells(
            turned_starts, places, tables[0], of_column, of_row.astype(np.float32),
            float(counts.denominator), seen, threads,
        )  # fmt: skip
        return _Laid(
            rows, turned, row_sums, turned.weight_sums(threads, None), *sums,
            blank, np.diff(turned_starts) == 0,
        )  # fmt: skip

    def _cells(
        self, counts: Counts, of_row: Doubles, of_column: Doubles, seen: float
    ) -> _core.CountCells:
        starts, columns, values = counts.csr()
        scale = float(counts.denominator)
        narrow = of_column.astype(np.float32)
        threads = self.resources.threads
        return _core.CountCells(starts, columns, values, of_row, narrow, scale, seen, threads)


class SidedTargets(Targets):
    """Targets of counts of two sides: each context has a column for either side.

    A context weighs the same on either side. So the targets of the right side are the transpose of
    those of the left, and each side stays a matrix of its own.
    """

    @cached_property
    def halves(self) -> Halves:
        """Either side of the counts."""
        return Halves.of(self.counts, self.resources.threads)

    def _associate(self) -> SidedAssociation:
        return self.halves.associate(self.weighing, self.resources.threads)

    def start(self, dim: int, seed: int) -> tuple[Floats, Floats]:
        """Return factors to start from: those of the sum of both sides, for either side.

        With M = L + Lᵀ = U Λ Uᵀ, either side is about half of M. This takes half the time of the
        SVD of both sides, and the sweeps that follow lead to vectors as good.
        """
        sides = self.association.parts
        size = sides[0].shape[0]
        rank = min(dim, size)
        found = eigh(
            sides, rank, which="magnitude", tol=TOLERANCE, seed=seed, resources=self.resources
        )
        roots = np.sqrt(np.abs(found.values) / 2).astype(np.float32)
        words = np.zeros((size, dim), dtype=np.float32)
        words[:, :rank] = found.vectors * roots
        signs = np.ones(dim, dtype=np.float32)
        signs[:rank][found.values < 0] = -1
        contexts = words * signs
        return words, np.concatenate([contexts, contexts])

    def _lay_out(self, seen: float) -> _Laid:
        halves, threads = self.halves, self.resources.threads
        own = halves.factors(self.weighing)
        left, right = (self._cells(side, own, own, seen) for side in (halves.left, halves.right))
        before, after = (cells.weight_sums(threads, None) for cells in (left, right))
        size = len(self.counts.words)
        blank = [np.diff(side.starts) == 0 for side in (halves.left, halves.right)]
        # The columns of the left side are the rows of the right, and the other way round.
        return _Laid(
            _core.JoinedCells([left, right]),
            StackedCells((right, left), (size, size)),
            before + after,
            np.concatenate([after, before]),
            halves.frequencies,
            np.concatenate([halves.frequencies, halves.frequencies]),
            blank[0] & blank[1],
            np.concatenate(blank[::-1]),
        )


def of_space(space: Space, counts: Counts, dim: int) -> tuple[Floats, Floats]:
    """Take the factors of words and contexts that a space knows; zeros for the others."""
    factors_ = space.factors
    assert factors_ is not None
    assert factors_.right is not None
    roots = np.sqrt(np.abs(factors_.values[:dim])).astype(np.float32)
    contexts = space.contexts
    blocks = max(1, len(counts.offsets))
    if contexts is None or len(factors_.right) != len(contexts) * blocks:
        raise FirthError("the space to `start` from has other blocks of contexts than the counts")
    sides = []
    for matrix, known, wanted, copies in (
        (factors_.left, space.words, counts.words, 1),
        (factors_.right, contexts, counts.contexts, blocks),
    ):
        places = np.array([known.index.get(word, -1) for word in wanted], dtype=np.int64)
        side = np.zeros((len(wanted) * copies, dim), dtype=np.float32)
        for block in range(copies):
            rows = matrix[block * len(known) : (block + 1) * len(known), :dim] * roots
            own = side[block * len(wanted) : (block + 1) * len(wanted), : len(roots)]
            own[places >= 0] = rows[places[places >= 0]]
        sides.append(side)
    return sides[0], sides[1]
