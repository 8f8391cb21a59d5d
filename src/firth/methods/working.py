"""Working weights and responses: what a family makes of counts, for least squares.

A step of iteratively reweighted least squares fits, to each cell, a response with a weight; both
follow from the count and from the model so far (`firth.methods.families`). They are computed by
blocks of rows, each of which has the same cells on any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import FirthError
from firth.linalg.frames import aligned_rows
from firth.methods.families import Family

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
T = TypeVar("T")

BLOCK = 1 << 17  # cells that one thread works on at a time
SOLVED = 16 * BLOCK  # cells of a dense matrix that are solved for at a time
_SINGLE = 1e-11  # the square of some units in the last place
_FARTHEST = 1e6  # that a response is from the model: beyond, its weight grows instead


@dataclass(frozen=True, eq=False)
class Point:
    """A model at which a family is looked at: q_i · p_j, with biases among the coordinates.

    Attributes
    ----------
    rows, columns
        Aligned rows of (u, ψ, 1) and of (v, 1, ω).
    """

    rows: Floats
    columns: Floats

    @classmethod
    def of(cls, left: Floats, right: Floats, bias: int) -> Point:
        """Make a point of factors whose biases are their coordinate `bias`."""
        sides = []
        for vectors, own, other in ((left, bias, bias + 1), (right, bias + 1, bias)):
            out = aligned_rows(len(vectors), bias + 2)
            out[:] = 0
            out[:, :bias] = vectors[:, :bias]
            out[:, own], out[:, other] = vectors[:, bias], 1.0
            sides.append(out)
        return cls(*sides)

    def turned(self) -> Point:
        """Exchange rows and columns."""
        return Point(self.columns, self.rows)


@dataclass(frozen=True, eq=False)
class Margins:
    """What is known of rows, or of columns.

    Attributes
    ----------
    offsets
        What they add to the linear predictor beside the model.
    noise
        What they contribute to the trials of negative sampling; zeros elsewhere.
    unseen
        z: unseen cells weigh z_i z_j; zeros where they are ignored or are cells like others.
    words
        A number for each word, the same in rows and columns; -1 for none.
    """

    offsets: Doubles
    noise: Doubles
    unseen: Doubles
    words: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Look:
    """How cells are looked at in a step.

    Attributes
    ----------
    family
        The distribution.
    most
        The largest count that is taken as it is.
    diagonal
        Whether pairs of a word with itself count.
    floor
        The target of unseen cells.
    """

    family: Family
    most: float = np.inf
    diagonal: bool = True
    floor: float = 0.0


@dataclass(frozen=True, eq=False)
class Working:
    """Counts by row, from which the working weights and responses of a step are computed.

    Attributes
    ----------
    starts, columns, values
        Compressed rows, values in units.
    unit
        Of the values.
    rows_known, columns_known
        See `Margins`.
    look
        See `Look`.
    dense
        Whether cells that are not stored are counts of zero; else they are left out.
    threads
        On which no result depends.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.uint32] | NDArray[np.uint64]
    unit: float
    rows_known: Margins
    columns_known: Margins
    look: Look
    dense: bool
    threads: int

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns_known.offsets)

    @cached_property
    def blocks(self) -> list[slice]:
        """Rows that are worked on together."""
        rows = len(self.starts) - 1
        ends = np.arange(rows + 1) * self.width if self.dense else self.starts
        found, begin = [], 0
        while begin < rows:
            end = int(np.searchsorted(ends, ends[begin] + BLOCK, side="right")) - 1
            found.append(slice(begin, max(end, begin + 1)))
            begin = found[-1].stop
        return found

    def map(self, work: Callable[[slice], T], blocks: list[slice] | None = None) -> Iterator[T]:
        """Apply `work` to blocks of rows on several threads; results come in order."""
        with ThreadPoolExecutor(self.threads) as pool:
            yield from pool.map(work, self.blocks if blocks is None else blocks)

    def weigh(self, point: Point | None, pace: float) -> tuple[_core.ValueCells, Doubles]:
        """Return cells with weights and responses, and the sum of each row's weights."""
        weights, responses, sums = self.weighed(point, pace)
        cells = _core.ValueCells(
            self.starts, self.columns, weights, responses, self.width, self.threads
        )
        return cells, sums

    def weighed(self, point: Point | None, pace: float) -> tuple[Floats, Floats, Doubles]:
        """Return weights and responses of the stored cells, and the sum of each row's weights.

        Parameters
        ----------
        point
            The model so far; None to begin where every mean is its count.
        pace
            The share of the way from the model to the responses that is asked for. Weights are
            divided by it.
        """
        weights = np.empty(len(self.columns), dtype=np.float32)
        responses = np.empty(len(self.columns), dtype=np.float32)
        sums = np.zeros(len(self.starts) - 1)

        def weigh_block(block: slice) -> None:
            cells = slice(int(self.starts[block.start]), int(self.starts[block.stop]))
            weight, response, sums[block] = self._weighed(block, point, pace)
            weights[cells], responses[cells] = weight, response

        for _ in self.map(weigh_block):
            pass
        return weights, responses, sums

    def row_sums(self, point: Point, pace: float) -> Doubles:
        """Return the sum of each row's weights alone."""
        return np.concatenate([*self.map(lambda block: self._weighed(block, point, pace)[2])])

    def deviance(self, point: Point) -> Doubles:
        """Return the deviance of each row, and what unseen cells would add if seen ones were too.

        That is a row of each.
        """
        return np.concatenate([*self.map(lambda block: self._deviance(block, point))], axis=1)

    @cached_property
    def rounding(self) -> float:
        """What the deviance of a model that fits all cells may have from single precision."""

        def of_block(block: slice) -> float:
            row, columns, y = self._cells(block)
            y, trials = self._trials(row, columns, y)
            with np.errstate(all="ignore"):
                family = self.look.family
                parts = trials * family.weight(y) * (1 + family.link(y) ** 2)
            return float(np.sum(parts[np.isfinite(parts)]))

        return _SINGLE * sum(self.map(of_block))

    def _cells(self, block: slice) -> tuple[NDArray[np.int64], NDArray[np.int32], Doubles]:
        """Return the rows, columns and counts of the cells of a block."""
        cells = slice(int(self.starts[block.start]), int(self.starts[block.stop]))
        size = block.stop - block.start
        row = np.repeat(np.arange(size), np.diff(self.starts[block.start : block.stop + 1]))
        columns, counts = self.columns[cells], self.values[cells] / self.unit
        if self.dense:
            whole = np.zeros((size, self.width))
            whole[row, columns] = counts
            counts = whole.ravel()
            row = np.repeat(np.arange(size), self.width)
            columns = np.tile(np.arange(self.width, dtype=np.int32), size)
        return row + block.start, columns, np.minimum(counts, self.look.most)

    def _predictor(self, block: slice, point: Point) -> Doubles:
        """Return the model at the cells of a block."""
        if self.dense:
            found = (point.rows[block] @ point.columns.T).ravel()
        else:
            found = _core.model_values(
                self.starts, self.columns, block.start, block.stop, point.rows, point.columns, 1,
                None,
            )  # fmt: skip
        return found.astype(np.float64)

    def _trials(
        self, row: NDArray[np.int64], columns: NDArray[np.int32], y: Doubles
    ) -> tuple[Doubles, Doubles | float]:
        """Return what was observed of each trial, and the number of trials."""
        noise = self.rows_known.noise
        if not noise.any():
            return y, 1.0
        trials = y + noise[row] * self.columns_known.noise[columns]
        return y / np.maximum(trials, 1e-300), trials

    def _weighed(
        self, block: slice, point: Point | None, pace: float
    ) -> tuple[Doubles, Doubles, Doubles]:
        """Return weights and responses of the cells of a block, and sums of weights by row."""
        row, columns, y = self._cells(block)
        family, own, other = self.look.family, self.rows_known, self.columns_known
        offsets = own.offsets[row] + other.offsets[columns]
        y, trials = self._trials(row, columns, y)
        with np.errstate(all="ignore"):  # what is not finite is refused below
            if point is None:
                response = family.link(y)
                weight = family.weight(y)
                response -= offsets
            else:
                model = self._predictor(block, point)
                mean = family.mean(model + offsets)
                weight, beyond = family.weight(mean), family.response(y, mean)
                far = np.maximum(np.abs(beyond) / _FARTHEST, 1.0)
                weight, response = weight * far, model + pace * (beyond / far)
            weight = weight * trials / pace
        if not self.look.diagonal:
            weight[own.words[row] == other.words[columns]] = 0.0
        if not (np.isfinite(weight) & np.isfinite(response)).all():
            first = int(row[int(np.argmin(np.isfinite(weight) & np.isfinite(response)))])
            raise FirthError(
                f"the weights of family {family.name!r} are not finite in row {first}: its counts "
                "are too large for it"
            )
        size = block.stop - block.start
        sums = _by_row(row - block.start, weight, size)
        if own.unseen.any():
            weight = weight - own.unseen[row] * other.unseen[columns]
        return weight, response, sums

    def _deviance(self, block: slice, point: Point) -> Doubles:
        row, columns, y = self._cells(block)
        own, other = self.rows_known, self.columns_known
        model = self._predictor(block, point)
        offsets = own.offsets[row] + other.offsets[columns]
        y, trials = self._trials(row, columns, y)
        with np.errstate(all="ignore"):
            mean = self.look.family.mean(model + offsets)
            found = self.look.family.deviance(y, mean) * trials
        if not self.look.diagonal:
            found[own.words[row] == other.words[columns]] = 0.0
        spread = np.zeros_like(found)
        if own.unseen.any():
            spread = own.unseen[row] * other.unseen[columns] * (model - self.look.floor) ** 2
        size = block.stop - block.start
        return np.stack([_by_row(row - block.start, one, size) for one in (found, spread)])


def _by_row(row: NDArray[np.int64], values: Doubles, size: int) -> Doubles:
    """Add up values by row."""
    return np.asarray(np.bincount(row, values, minlength=size), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class AllCells:
    """All cells of a small matrix, whose weights and responses are computed when they are solved.

    It stands in the place of the core's cells; see `firth.linalg.cells.Cells`.

    Attributes
    ----------
    working
        The counts.
    point, pace
        As `Working.weigh` takes them.
    """

    working: Working
    point: Point
    pace: float

    def solve(
        self,
        other: Floats,
        rows: Floats,
        offsets: Floats | None,
        unseen_rows: Doubles,
        unseen_columns: Floats | None,
        unseen_diagonal: Doubles,
        pull: Doubles,
        constant: float,
        target: float,
        ridge_rows: Doubles,
        ridge_diagonal: Doubles,
        steps: int,
        threads: int,
        progress: _core.Progress | None,
        relaxation: float = 1.0,
    ) -> tuple[Doubles, Doubles]:
        """Solve for some rows at a time."""
        found = []
        for group in self._groups():
            span = slice(group[0].start, group[-1].stop)
            found.append(
                self._cells(group).solve(
                    other, rows[span], offsets, unseen_rows[span], unseen_columns, unseen_diagonal,
                    pull, constant, target, ridge_rows[span], ridge_diagonal, steps, threads, None,
                    relaxation,
                )
            )  # fmt: skip
            if progress is not None:
                progress(span.stop, len(rows))
        before, after = zip(*found, strict=True)
        return np.concatenate(before), np.concatenate(after)

    def _groups(self) -> Iterator[list[slice]]:
        """Divide blocks into those that are solved for together."""
        most = max(1, SOLVED // max(BLOCK, self.working.width))
        blocks = self.working.blocks
        for begin in range(0, len(blocks), most):
            yield blocks[begin : begin + most]

    def _cells(self, group: list[slice]) -> _core.ValueCells:
        """Compute the cells of some blocks."""
        width, rows = self.working.width, group[-1].stop - group[0].start
        weights = np.empty(rows * width, dtype=np.float32)
        responses = np.empty(rows * width, dtype=np.float32)

        def weigh_block(block: slice) -> None:
            first = group[0].start
            cells = slice((block.start - first) * width, (block.stop - first) * width)
            found = self.working._weighed(block, self.point, self.pace)
            weights[cells], responses[cells] = found[0], found[1]

        for _ in self.working.map(weigh_block, group):
            pass
        starts = np.arange(rows + 1, dtype=np.int64) * width
        columns = np.tile(np.arange(width, dtype=np.int32), rows)
        return _core.ValueCells(starts, columns, weights, responses, width, self.working.threads)
