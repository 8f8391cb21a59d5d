"""Stochastic gradients for a weighted low-rank model of stored cells, to compare with.

The cells are drawn in one random order, a gradient is computed for each batch, and every coordinate
has a learning rate of its own that falls with the gradients it has seen (J. Duchi, E. Hazan and Y.
Singer, 2011, Adaptive subgradient methods for online learning and stochastic optimization).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import FirthError
from firth.linalg.frames import aligned_rows
from firth.progress import Event
from firth.resources import Resources

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_FIRST = 0.1  # of the sums of squared gradients: the first steps are about three rates long


@dataclass(frozen=True, eq=False)
class Cells:
    """The stored cells of a matrix: compressed rows, with a weight and a target each."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    weights: Floats
    targets: Floats
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Cells in the order in which they are drawn, by parts of rows and of columns."""

    begins: NDArray[np.int64]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    weights: Floats
    targets: Floats

    @classmethod
    def of(cls, cells: Cells, seed: int) -> Drawn:
        """Draw an order that depends on the seed alone."""
        rows = np.repeat(
            np.arange(cells.shape[0], dtype=np.int32), np.diff(cells.starts)
        )  # of each cell
        order = np.random.Generator(np.random.Philox(key=[seed, 2])).permutation(len(rows))
        parts = _core.PARTS
        block = (rows % parts * parts + cells.columns % parts).astype(np.uint8)
        begins = np.concatenate([[0], np.cumsum(np.bincount(block, minlength=parts**2))])
        order = order[np.argsort(block[order], kind="stable")]
        return cls(
            begins.astype(np.int64),
            rows[order],
            cells.columns[order],
            cells.weights[order],
            cells.targets[order],
        )


def adagrad(
    cells: Cells,
    dim: int,
    *,
    biases: tuple[bool, bool],
    ridges: tuple[Doubles, Doubles],
    epochs: int,
    rate: float,
    batch: int,
    seed: int,
    resources: Resources,
) -> tuple[Floats, Floats, list[float]]:
    """Minimise Σ w (u·v + ψ + ω - t)² + Σ λ |u|² + Σ μ |v|² over the stored cells.

    Parameters
    ----------
    cells
        What is fitted.
    dim
        Dimensions of the vectors.
    biases
        Whether rows and columns have biases.
    ridges
        λ and μ.
    epochs, rate, batch
        Passes over all cells, the learning rate, and the cells of a gradient.
    seed
        Of the start and of the order of the cells.
    resources
        Threads, on which the result does not depend, and progress.

    Returns
    -------
    left, right
        Aligned rows: vectors, then their bias as coordinate `dim`.
    objective
        Of each epoch, each cell's as it was when it was drawn, without the ridges.

    Examples
    --------
    >>> whole = np.arange(3, dtype=np.int64) * 2, np.array([0, 1, 0, 1], dtype=np.int32)
    >>> ones, targets = np.ones(4, np.float32), np.array([1, 2, 2, 4], np.float32)
    >>> found = adagrad(Cells(*whole, ones, targets, (2, 2)), 1, biases=(False, False),
    ...                 ridges=(np.zeros(2), np.zeros(2)), epochs=400, rate=0.1, batch=1, seed=0,
    ...                 resources=Resources())
    >>> (found[0][:, :1] @ found[1][:, :1].T).round(2).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    drawn = Drawn.of(cells, seed)
    generator = np.random.Generator(np.random.Philox(key=[seed, 3]))
    sides, squares, moves, penalties = [], [], [], []
    width = aligned_rows(0, dim + 2).shape[1]
    times = np.diff(cells.starts), np.bincount(cells.columns, minlength=cells.shape[1])
    for number, size in enumerate(cells.shape):
        values = aligned_rows(size, dim + 2)
        values[:] = 0
        values[:, :dim] = (generator.random((size, dim), dtype=np.float32) - 0.5) / dim
        values[:, dim + 1 - number] = 1  # what the bias of the other side is multiplied by
        sides.append(values)
        start = aligned_rows(size, dim + 2)
        start[:] = _FIRST
        squares.append(start)
        moving = np.zeros(width, dtype=np.float32)
        moving[:dim] = 1
        moving[dim + number] = biases[number]
        moves.append(moving)
        penalties.append((ridges[number] / np.maximum(times[number], 1)).astype(np.float32))
    penalised = np.zeros(width, dtype=np.float32)
    penalised[:dim] = 1
    objective: list[float] = []
    for epoch in range(epochs):
        loss = _core.adagrad_epoch(
            drawn.begins, drawn.rows, drawn.columns, drawn.weights, drawn.targets,
            sides[0], squares[0], moves[0], penalties[0],
            sides[1], squares[1], moves[1], penalties[1],
            penalised, batch, rate, resources.threads, None,
        )  # fmt: skip
        if not np.isfinite(loss):
            raise FirthError(f"epoch {epoch + 1} of adagrad diverged: lower `rate`")
        objective.append(loss)
        resources.progress(Event("descending", epoch + 1, epochs, unit=f"objective {loss:.4g}"))
    right = sides[1]
    right[:, dim] = right[:, dim + 1]
    for side in sides:
        side[:, dim + 1] = 0
    return sides[0], right, objective
