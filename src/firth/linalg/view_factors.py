"""The truncated singular value decomposition of a view, centred over the rows that it has.

A view of generalised canonical correlation analysis is a matrix X with rows for some of the words.
With the means μ of the columns of Y over these rows and a weight for each row,

    X = diag(weights) (Y - 1 μᵀ) = A S Bᵀ,    T = S / sqrt(r + S²).

Centring is a rank-one change of the products with Y, so a sparse Y stays sparse and X is never
made. Only the smaller side has a Lanczos basis; the other side and the singular values follow from
one product (Rayleigh-Ritz), which makes the columns of A orthonormal whatever the tolerance was.
The A and B of large views are kept in temporary files without a name, which vanish with the
process, and are mapped into memory one at a time.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.canonical import fix_signs
from firth.linalg.krylov import inner, times
from firth.linalg.lanczos import Lanczos
from firth.linalg.products import PANEL, Blocks, Operator
from firth.progress import silent
from firth.stores.writing import naming_write_errors

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Array = NDArray[Any]

DENSE = 600  # sparse views with fewer rows or columns are factorised as dense ones in doubles
BASIS = 6  # the most Lanczos vectors for each singular vector
SQUARES = 1e-6  # tolerance of σ², relative to the largest
# A tall view is factorised by its Gram matrix, in which half of the digits of its smallest singular
# value are lost, if the square of that is above this share of the largest.
STEEP = 1e-7
IN_MEMORY = 1 << 20  # bytes of A or B above which it goes to a file


class Held:
    """An array that is in memory, or in a temporary file that is mapped when it is opened.

    Examples
    --------
    >>> Held(np.ones((2, 3)), limit=0).open().sum()
    np.float64(6.0)
    """

    def __init__(self, array: Array, limit: int = IN_MEMORY) -> None:
        self.shape, self._dtype = array.shape, array.dtype
        self._file: IO[bytes] | None = None
        self._array: Array | None = array
        if array.nbytes > limit:
            with naming_write_errors(Path(tempfile.gettempdir())):
                self._file = tempfile.TemporaryFile(prefix="firth-")  # noqa: SIM115 - kept open
                self._file.write(np.ascontiguousarray(array).data)
                self._file.flush()
            weakref.finalize(self, self._file.close)
            self._array = None

    def open(self) -> Array:
        """Return the array; of a file, the pages are given back once it is no longer used."""
        if self._array is not None:
            return self._array
        assert self._file is not None
        return np.asarray(np.memmap(self._file, self._dtype, "r", 0, self.shape))

    @property
    def on_disk(self) -> int:
        """Bytes in a file."""
        return 0 if self._file is None else int(np.prod(self.shape)) * self._dtype.itemsize


@dataclass(frozen=True, eq=False)
class ViewFactors:
    """What is kept of one view: A, S and B, and the rows that it has.

    Attributes
    ----------
    left, values, right
        A with a row for each observed row, S, and B with a row for each column.
    rows
        The places of the observed rows, rising.
    weights
        Of the observed rows; None if all are one.
    means
        Of the columns, zeros if the view is not centred.
    shares
        The diagonal of T: how much of each direction regularisation leaves.
    total
        The sum of the squares of X, of which S² are the parts that were kept.

    Examples
    --------
    >>> from firth.linalg.products import one_blas_thread
    >>> with one_blas_thread(1) as blocks:
    ...     view = factor_view(np.eye(3)[:, :2], np.arange(3), blocks=blocks, center=False)
    >>> view.values.tolist(), view.rank, view.total
    ([1.0, 1.0], 2, 2.0)
    """

    left: Held
    values: Doubles
    right: Held
    rows: NDArray[np.int64]
    weights: Doubles | None
    means: Doubles
    shares: Doubles
    total: float

    @property
    def rank(self) -> int:
        """How many singular values were kept."""
        return len(self.values)

    @cached_property
    def row_weights(self) -> Doubles:
        """The weight of each observed row."""
        return np.ones(len(self.rows)) if self.weights is None else self.weights


def factor_view(
    matrix: Association | Array,
    rows: NDArray[np.int64],
    *,
    blocks: Blocks,
    threads: int = 1,
    rank: int | None = None,
    regularisation: float = 1e-8,
    center: bool = True,
    weights: Doubles | None = None,
    tol: float = SQUARES,
    seed: int = 0,
) -> ViewFactors:
    """Factorise one view.

    Parameters
    ----------
    matrix
        The observed rows of Y, sparse or dense.
    rows
        The places of these rows among all.
    blocks, threads
        Threads, on which the result does not depend.
    rank
        The most singular values to keep; all if None.
    regularisation, center, weights
        r, whether to subtract the means, and a weight for each row.
    tol, seed
        Of the Lanczos method, for large sparse views.
    """
    height, width = matrix.shape
    most = min(height, width) if rank is None else min(rank, height, width)
    sparse = isinstance(matrix, Association)
    if sparse and min(height, width) > max(DENSE, 2 * most):
        assert isinstance(matrix, Association)
        found = _lanczos(_Centred(matrix, threads, weights, center), blocks, most, tol, seed)
    else:
        y = matrix.to_dense() if isinstance(matrix, Association) else matrix
        found = _dense(np.array(y, dtype=np.float64), weights, center, blocks)
    left, values, right, means, total = found
    # Rounding errors, as D leaves them out; a view of one value has no direction once centred.
    least = max(height, width) * np.finfo(np.float64).eps
    if left.dtype == np.float32:
        least = float(np.finfo(np.float32).eps) * 4
    floor = least * max(float(values[0]) if len(values) else 0.0, float(np.sqrt(total)))
    floor = max(floor, np.finfo(np.float64).tiny)
    if center:  # what is left of equal rows is rounding of their mean
        size = float(np.abs(means).max(initial=0)) * np.sqrt(height)
        floor = max(floor, size * (1e-14 if left.dtype == np.float64 else 1e-7))
    kept = int(np.count_nonzero(values[:most] > floor))
    left, values, right = left[:, :kept], values[:kept], np.array(right[:, :kept])
    held = np.array(left)
    fix_signs(held, right)
    shares = values / np.sqrt(regularisation + values**2)
    return ViewFactors(Held(held), values, Held(right), rows, weights, means, shares, total)


_Found = tuple[Array, Doubles, Array, Doubles, float]


def _dense(y: Doubles, weights: Doubles | None, center: bool, blocks: Blocks) -> _Found:
    """Factorise in double precision."""
    means = y.mean(axis=0) if center and len(y) else np.zeros(y.shape[1])
    y -= means
    if weights is not None:
        y *= weights[:, None]
    total = float(np.sum(y * y))
    if not y.size:
        nothing = np.zeros((len(y), 0))
        return nothing, np.zeros(0), np.zeros((y.shape[1], 0)), means, total
    if len(y) >= 2 * y.shape[1]:
        squares, right = np.linalg.eigh(inner(blocks, y, y))
        if squares[0] > STEEP * squares[-1]:
            values, right = np.sqrt(squares[::-1]), np.ascontiguousarray(right[:, ::-1])
            return times(blocks, y, right / values), values, right, means, total
    try:
        left, values, right = np.linalg.svd(y, full_matrices=False)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise FirthError(f"the singular values of a view were not found: {error}") from None
    return left, values, right.T, means, total


class _Centred:
    """The operator XᵀX, or XXᵀ if X has fewer rows, with X centred and weighted."""

    def __init__(
        self, matrix: Association, threads: int, weights: Doubles | None, center: bool
    ) -> None:
        self._operator = Operator(matrix, threads)
        height, width = matrix.shape
        sums = np.bincount(matrix.columns, matrix.values.astype(np.float64), minlength=width)
        self.means = sums / height if center else np.zeros(width)
        self._weights = None if weights is None else weights.astype(np.float32)[:, None]
        self.upright = height >= width
        self.shape = (min(height, width),) * 2
        self.products = 0
        self.total = self._squares(matrix, weights)

    def _squares(self, matrix: Association, weights: Doubles | None) -> float:
        """Return Σ w² (y - μ)², without making X."""
        heights = np.ones(matrix.shape[0]) if weights is None else weights**2
        cells = np.repeat(heights, np.diff(matrix.starts))
        values = matrix.values.astype(np.float64)
        means = self.means[matrix.columns]
        changed = float(np.sum(cells * (values**2 - 2 * values * means)))
        return max(changed + float(heights.sum() * (self.means @ self.means)), 0.0)

    def times(self, dense: Floats) -> Floats:
        """Multiply X."""
        out = self._operator.apply(dense)
        out -= (self.means @ dense).astype(np.float32)
        return out if self._weights is None else out * self._weights

    def turned(self, dense: Floats) -> Floats:
        """Multiply Xᵀ."""
        weighted = dense if self._weights is None else dense * self._weights
        out = self._operator.apply_transposed(weighted)
        sums = weighted.sum(axis=0, dtype=np.float64)
        out -= np.outer(self.means, sums).astype(np.float32)
        return out

    def apply(self, dense: Floats) -> Floats:
        """Multiply by X and by its transpose, in the order that the smaller side needs."""
        first, second = (self.times, self.turned) if self.upright else (self.turned, self.times)
        self.products += dense.shape[1]
        return second(first(dense))


def _lanczos(x: _Centred, blocks: Blocks, rank: int, tol: float, seed: int) -> _Found:
    """Find the singular vectors of the smaller side, then those of the other by one product."""
    side = x.shape[0]
    most = min(side - PANEL, max(BASIS * rank, 600))
    # More than are wanted: the last of them come out the least exact.
    extra = min(rank + PANEL, most - PANEL)
    solved = Lanczos(x, blocks, seed, 6, most + 2 * PANEL).run(
        extra, "algebraic", tol, most, silent
    )
    small = solved.vectors
    turn = x.times if x.upright else x.turned
    large = _by_panels(turn, small)
    squares, rotation = np.linalg.eigh(blocks.gram(large))
    squares, rotation = np.maximum(squares[::-1][:rank], 0), rotation[:, ::-1][:, :rank]
    values = np.sqrt(squares)
    safe = np.where(values > 0, values, 1.0)
    other = blocks.times(large, rotation / safe * (values > 0))
    own = blocks.times(small, rotation)
    left, right = (other, own) if x.upright else (own, other)
    return left, values, right, x.means, x.total


def _by_panels(product: Callable[[Floats], Floats], dense: Floats) -> Floats:
    """Multiply a few columns at a time, since the products make copies."""
    parts = [dense[:, at : at + 4 * PANEL] for at in range(0, dense.shape[1], 4 * PANEL)]
    first = product(parts[0])
    out = np.empty((len(first), dense.shape[1]), dtype=np.float32)
    out[:, : first.shape[1]] = first
    for number, part in enumerate(parts[1:], 1):
        begin = number * 4 * PANEL
        out[:, begin : begin + part.shape[1]] = product(part)
    return out
