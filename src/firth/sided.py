"""The association of words with the words to their left and to their right.

Of counts of two sides over one vocabulary, the right side is the transpose of the left (see
`firth.counts.halves`). A context weighs the same on either side, so the same holds for their
association, of which a stored space holds the left side alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association, Weighing, factors, marginals, weigh
from firth.counts.blocks import LEFT, RIGHT, SIDES, Blocks
from firth.counts.matrix import Counts
from firth.text.vocabulary import Vocabulary

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SidedAssociation:
    """A square matrix and its transpose side by side.

    Attributes
    ----------
    left, right
        The association with the words to the left of each word, and to its right.
    """

    left: Association
    right: Association

    @property
    def parts(self) -> tuple[Association, ...]:
        """The matrices that stand side by side in this one."""
        return self.left, self.right

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns of both sides."""
        return self.left.shape[0], self.left.shape[1] + self.right.shape[1]

    @property
    def nnz(self) -> int:
        """Cells that are not zero."""
        return self.left.nnz + self.right.nnz

    @property
    def words(self) -> Vocabulary | None:
        """The names of the rows."""
        return self.left.words

    @property
    def contexts(self) -> Vocabulary | None:
        """The names of the columns of either side."""
        return self.left.contexts

    @property
    def offsets(self) -> Blocks:
        """The blocks of columns."""
        return SIDES

    def row(self, place: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the columns and values of one row."""
        (near, before), (far, after) = self.left.row(place), self.right.row(place)
        width = np.int32(self.left.shape[1])
        return np.concatenate([near, far + width]), np.concatenate([before, after])

    def to_association(self) -> Association:
        """Return both sides as one matrix."""
        from scipy.sparse import hstack

        joined = Association.from_scipy(hstack([part.to_scipy() for part in self.parts]))
        return joined.named(self.words, self.contexts, SIDES)

    def to_dense(self) -> Doubles:
        """Return a dense matrix in double precision, for small ones."""
        return np.concatenate([part.to_dense() for part in self.parts], axis=1)

    def to_scipy(self) -> Any:
        """Return the matrix as a `scipy.sparse.csr_array`."""
        return self.to_association().to_scipy()


@dataclass(frozen=True, eq=False)
class Halves:
    """Counts of two sides, each side as a matrix of its own.

    Attributes
    ----------
    left, right
        How often each word stands to the left of each other, and to the right.
    frequencies
        The sum of each word's counts on both sides.
    """

    left: Counts
    right: Counts
    frequencies: Doubles

    @classmethod
    def of(cls, counts: Counts, threads: int) -> Halves:
        """Split counts of which the left side is stored.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["a rose is a rose"], window=1, weighting="flat", min_count=1,
        ...                      context="sides")
        >>> halves = Halves.of(counts, 1)
        >>> halves.left.row("rose"), halves.right.row("rose"), halves.frequencies.tolist()
        ([('a', 2)], [('is', 1)], [3.0, 3.0, 2.0])
        """
        left, right = counts.block(LEFT), counts.block(RIGHT)
        before, after = marginals(left, threads)
        return cls(left, right, before + after)

    def factors(self, weighing: Weighing) -> Doubles:
        """Return what each word brings to its cells, as a row and as a column of either side.

        The counts of one side are half of all, so their ratios to what is expected are doubled.
        """
        of_row, of_column = factors(weighing, self.frequencies, self.frequencies)
        assert np.array_equal(of_row, of_column)
        doubled: Doubles = of_row * np.sqrt(2.0)
        return doubled

    def associate(self, weighing: Weighing, threads: int) -> SidedAssociation:
        """Compute the association with either side.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["a rose is a rose"], window=1, min_count=1, context="sides")
        >>> sides = Halves.of(counts, 1).associate(Weighing(scale="log1p"), 1)
        >>> bool(np.array_equal(sides.left.to_dense(), sides.right.to_dense().T))
        True
        """
        own = self.factors(weighing)
        sides = (weigh(side, weighing, own, own, threads) for side in (self.left, self.right))
        return SidedAssociation(*sides)
