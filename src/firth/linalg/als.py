"""A weighted low-rank factorisation of any sparse matrix, by alternating least squares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.association import Association
from firth.errors import FirthError
from firth.linalg.alternating import Weighted, alternate
from firth.linalg.frames import canonical
from firth.linalg.products import one_blas_thread, random_panel
from firth.linalg.svd import svd
from firth.resources import Resources

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

STARTS = ("svd", "random")
TOLERANCE = 1e-3  # of the SVD to start from
_LEAST = 1e-6  # of the mean, that a row or column weighs at least


@dataclass(frozen=True, eq=False)
class ALS:
    """Left vectors, values by falling size, right vectors, and the objective by half sweep.

    The model is ``left * values @ right.T``; columns are orthonormal, or zero where the value is.
    The first objective is that of the start.

    Examples
    --------
    >>> found = als([[4.0, 2.0], [2.0, 1.0]], dim=1)
    >>> found.left.shape, found.right.shape, len(found.values)
    ((2, 1), (2, 1), 1)
    """

    left: Floats
    values: Doubles
    right: Floats
    objective: tuple[float, ...]


def als(
    matrix: Any,
    weights: Any = None,
    *,
    dim: int,
    unseen: float | tuple[Any, Any] | None = None,
    floor: float = 0.0,
    ridge: float = 0.0,
    sweeps: int = 4,
    steps: int = 2,
    start: str | tuple[Any, Any] = "svd",
    seed: int = 0,
    resources: Resources | None = None,
) -> ALS:
    """Approximate a sparse matrix by one of low rank, each cell having a weight.

    Minimises Σ W_ij (m_ij - t_ij)² over matrices m of rank `dim`, t being the stored cells of
    `matrix`, explicit zeros among them, and `floor` elsewhere.

    Parameters
    ----------
    matrix
        Any scipy sparse matrix or dense array; zeros of the latter are not stored.
    weights
        What stored cells weigh beyond the weight of unseen ones: a sparse matrix with the same
        cells, or an array in the order of their rows; 1 if left out. Never negative.
    dim
        The rank.
    unseen
        What cells weigh that are not stored: a number, or two vectors whose entries are multiplied,
        of rows and of columns. By default they are ignored.
    floor
        The target of unseen cells.
    ridge
        How much cells are drawn to zero, relative to what their row or column weighs; see
        `firth.linalg.alternating`.
    sweeps
        How often rows and columns are solved for.
    steps
        Of conjugate gradients for each row, every time.
    start
        ``svd`` of the stored cells, ``random``, or two factors.
    seed
        Of the random start.
    resources
        Threads, on which the result does not depend, and progress.

    Examples
    --------
    With one weight for all cells, stored or not, the best matrix is that of the SVD:

    >>> found = als([[3, 0, 0], [0, 2, 0], [0, 0, 1]], weights=0, dim=2, unseen=1)
    >>> found.values.round(4).tolist(), round(found.objective[-1], 4)
    ([3.0, 2.0], 1.0)
    """
    _check(dim=dim, sweeps=sweeps, steps=steps)
    if not 0 <= ridge < np.inf:
        raise FirthError(f"`ridge` must be a number of 0 or more, not {ridge}")
    if not np.isfinite(floor):
        raise FirthError(f"`floor` must be finite, not {floor}")
    used = resources or Resources()
    table = Association.from_scipy(matrix)
    if 0 in table.shape:
        raise FirthError("a matrix without rows or columns has no factors")
    stored = _stored_weights(table, weights)
    pairs = _unseen_weights(unseen, table.shape)
    # The arithmetic is done near one, in units that are powers of two and change no digit.
    weight_unit = _power_of_four(max(stored.max(initial=0), pairs[0].max() * pairs[1].max()))
    unit = _power_of_four(max(float(np.abs(table.values).max(initial=0)), abs(floor)))
    target = replace(table, values=(table.values / unit).astype(np.float32))
    root = np.sqrt(weight_unit)
    problem = _problem(
        target, stored / weight_unit, (pairs[0] / root, pairs[1] / root), ridge, used.threads
    )
    problem = replace(problem, unseen=unseen is not None, floor=floor / unit)
    left, right = _start(target, start, dim, unit, seed, used)
    left, right, objective = alternate(
        problem, left, right, sweeps=sweeps, steps=steps, resources=used
    )
    with one_blas_thread(used.threads) as blocks:
        u, values, v = canonical(blocks, left, right, dim)
    whole = weight_unit * unit**2
    return ALS(u, values * unit, v, tuple(value * whole for value in objective))


def _check(**least_one: int) -> None:
    for name, value in least_one.items():
        if value < 1:
            raise FirthError(f"`{name}` must be 1 or more, not {value}")


def _power_of_four(largest: float) -> float:
    """Return the power of four that a number is nearest to from below; 1 for zero."""
    return float(4.0 ** np.floor(np.log2(largest) / 2)) if largest > 0 else 1.0


def _stored_weights(table: Association, weights: Any) -> Doubles:
    """Return what each stored cell weighs beyond an unseen one."""
    if weights is None or np.isscalar(weights):
        found = np.full(table.nnz, 1.0 if weights is None else weights, dtype=np.float64)
    elif hasattr(weights, "tocsr"):
        other = weights.tocsr().copy()
        other.sum_duplicates()
        same = (
            other.shape == table.shape
            and np.array_equal(other.indptr, table.starts)
            and np.array_equal(other.indices, table.columns)
        )
        if not same:
            raise FirthError("`weights` must have the cells of the matrix, and no others")
        found = other.data.astype(np.float64)
    else:
        found = np.asarray(weights, dtype=np.float64)
        if found.shape != (table.nnz,):
            raise FirthError(f"{found.size:,} weights for {table.nnz:,} cells")
    if not np.all((found >= 0) & (found < np.inf)):
        raise FirthError("`weights` must be numbers of 0 or more")
    return found


def _unseen_weights(
    unseen: float | tuple[Any, Any] | None, shape: tuple[int, int]
) -> tuple[Doubles, Doubles]:
    """Return the weights of rows and of columns that unseen cells weigh the product of."""
    if isinstance(unseen, tuple):
        given = unseen
    else:
        value = 1.0 if unseen is None else float(unseen)
        root = np.sqrt(value) if value >= 0 else value
        given = (np.full(shape[0], root), np.full(shape[1], root))
    pairs = []
    for values, size, side in zip(given, shape, ("row", "column"), strict=True):
        found = np.array(values, dtype=np.float64)
        if found.shape != (size,):
            raise FirthError(
                f"`unseen` needs a weight for each {side}: {size:,}, not {found.size:,}"
            )
        if not np.all((found >= 0) & (found < np.inf)) or not found.any():
            raise FirthError("`unseen` weights must be numbers of 0 or more, not all of them 0")
        # A side without any weight could not be brought to a basis in which it is orthonormal.
        pairs.append(np.maximum(found, _LEAST * found.mean()))
    return pairs[0], pairs[1]


def _problem(
    target: Association,
    weights: Doubles,
    pairs: tuple[Doubles, Doubles],
    ridge: float,
    threads: int,
) -> Weighted:
    """Lay out the cells by row and by column, and the ridges."""
    light = weights.astype(np.float32)
    starts, columns, tables = _core.transpose_tables(
        target.starts, target.columns, [light, target.values], target.shape[1], threads
    )
    height, width = target.shape
    of_row, of_column = pairs
    rows = np.repeat(np.arange(height), np.diff(target.starts))
    row_sums = np.bincount(rows, weights, minlength=height) + of_row * of_column.sum()
    column_sums = np.bincount(target.columns, weights, minlength=width) + of_column * of_row.sum()
    return Weighted(
        _core.ValueCells(target.starts, target.columns, light, target.values, width, threads),
        _core.ValueCells(starts, columns, tables[0], tables[1], height, threads),
        of_row,
        of_column,
        ridge * row_sums / of_column.sum(),
        ridge * column_sums / of_row.sum(),
        blank_row=np.diff(target.starts) == 0,
        blank_column=np.diff(starts) == 0,
    )


def _start(
    target: Association,
    start: str | tuple[Any, Any],
    dim: int,
    unit: float,
    seed: int,
    resources: Resources,
) -> tuple[Floats, Floats]:
    """Return the factors to begin with."""
    if isinstance(start, str):
        if start not in STARTS:
            raise FirthError(f"`start` must be one of {', '.join(STARTS)}, or two factors")
        if start == "random":
            return random_start(target.shape, dim, seed)
        found = svd(target, dim, tol=TOLERANCE, seed=seed, resources=resources)
        roots = np.sqrt(found.values).astype(np.float32)
        return found.left * roots, found.right * roots
    sides = []
    for given, size, side in zip(start, target.shape, ("left", "right"), strict=True):
        factor = np.asarray(given, dtype=np.float64) / np.sqrt(unit)
        if factor.shape != (size, dim):
            raise FirthError(f"the {side} factor to start from must be {size:,} × {dim}")
        if not np.all(np.isfinite(factor)):
            raise FirthError(f"the {side} factor to start from is not finite")
        sides.append(factor.astype(np.float32))
    return sides[0], sides[1]


def random_start(shape: tuple[int, int], dim: int, seed: int) -> tuple[Floats, Floats]:
    """Begin with zeros on the left, which is solved for first, and random numbers on the right."""
    return np.zeros((shape[0], dim), dtype=np.float32), random_panel(shape[1], dim, seed, 0)
