"""The stored cells of a matrix, as half sweeps use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firth import _core

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Cells(Protocol):
    """The stored cells of a matrix by row: those of the core, or `StackedCells`."""

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
        """Solve for the rows; return the objective of each before and after."""
        ...


@dataclass(frozen=True)
class StackedCells:
    """Cells of matrices of the same width, one above the other.

    Attributes
    ----------
    parts
        The cells of each.
    heights
        How many rows each has.
    """

    parts: tuple[_core.Cells, ...]
    heights: tuple[int, ...]

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
        """Solve for the rows of each part."""
        found = []
        begin = 0
        for number, (part, height) in enumerate(zip(self.parts, self.heights, strict=True)):
            span = slice(begin, begin + height)
            begin += height
            found.append(
                part.solve(
                    other,
                    rows[span],
                    offsets,
                    unseen_rows[span],
                    unseen_columns,
                    unseen_diagonal,
                    pull,
                    constant,
                    target,
                    ridge_rows[span],
                    ridge_diagonal,
                    steps,
                    threads,
                    _share(progress, number, len(self.parts)),
                    relaxation,
                )
            )
        before, after = zip(*found, strict=True)
        return np.concatenate(before), np.concatenate(after)


def _share(progress: _core.Progress | None, number: int, parts: int) -> _core.Progress | None:
    """Return a listener to the progress of one part of several."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)
