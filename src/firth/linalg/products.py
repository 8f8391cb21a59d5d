"""Matrix products: sparse times dense, and tall times small.

Every sum runs over blocks of fixed size in a fixed order, with one BLAS thread per block, so that
the results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from firth import _core
from firth.association import Association
from firth.errors import FirthError

PANEL = 16  # columns of a dense panel, as in core/sparse.hpp
BLOCK = 4096  # rows of a tall matrix that one thread works on at a time

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
T = TypeVar("T")


class Operator:
    """A sparse matrix and its transpose, ready for many products.

    Parameters
    ----------
    matrix
        The association matrix.
    threads
        The number of threads; the result does not depend on it.

    Examples
    --------
    >>> from firth.association import Association
    >>> operator = Operator(Association.from_scipy([[1, 2], [0, 3]]), threads=1)
    >>> operator.apply(np.ones((2, 1), dtype=np.float32)).ravel().tolist()
    [3.0, 3.0]
    """

    def __init__(self, matrix: Association, threads: int) -> None:
        self.shape = matrix.shape
        self.threads = threads
        self.products = 0  # columns multiplied so far
        self._matrix = matrix
        self._sparse = matrix.sparse(threads)
        self._transpose: _core.Sparse | None = None
        self._empty: NDArray[np.bool_] | None = None

    @cached_property
    def symmetric(self) -> bool:
        """Whether the matrix equals its transpose exactly."""
        return self._matrix.is_symmetric(self.threads)

    def apply(self, dense: Floats) -> Floats:
        """Multiply the matrix by a dense one."""
        self.products += dense.shape[1]
        return _by_panels(self._sparse, self.shape, dense, False, self.threads)

    def apply_transposed(self, dense: Floats) -> Floats:
        """Multiply the transpose by a dense matrix; the first call builds the transpose."""
        self.products += dense.shape[1]
        if self._transpose is None and self.symmetric:
            self._transpose = self._sparse
        if self._transpose is None:
            turned = self._matrix.transpose(self.threads)
            self._transpose = turned.sparse(self.threads)
            self._empty = np.diff(turned.starts) == 0
        return _by_panels(self._transpose, self.shape[::-1], dense, False, self.threads)

    def empty_columns(self) -> NDArray[np.bool_]:
        """Return which columns have no entries."""
        if self._empty is None and self.symmetric:
            self._empty = np.diff(self._matrix.starts) == 0
        if self._empty is None:
            filled = np.bincount(self._matrix.columns, minlength=self.shape[1])
            self._empty = filled == 0
        return self._empty


@dataclass(frozen=True, eq=False)
class RankOne:
    """The symmetric matrix weight · v vᵀ.

    Examples
    --------
    >>> RankOne(np.array([1, 0, 2], dtype=np.float32), -0.5).to_dense().tolist()
    [[-0.5, -0.0, -1.0], [-0.0, -0.0, -0.0], [-1.0, -0.0, -2.0]]
    """

    vector: Floats
    weight: float
    symmetric: ClassVar[bool] = True
    products: ClassVar[int] = 0  # none with a sparse matrix

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.vector), len(self.vector)

    def to_dense(self) -> Doubles:
        """Return a dense matrix, for small ones."""
        return self.weight * np.outer(self.vector, self.vector).astype(np.float64)

    def apply(self, dense: Floats) -> Floats:
        """Multiply the matrix by a dense one."""
        sums = self.weight * np.einsum("i,ij->j", self.vector, dense, dtype=np.float64)
        return np.asarray(self.vector[:, None] * sums.astype(np.float32), dtype=np.float32)


def multiply(
    matrix: Association, dense: Floats, *, transposed: bool = False, threads: int = 1
) -> Floats:
    """Multiply a sparse matrix, or its transpose without building it, by a dense one.

    Examples
    --------
    >>> matrix = Association.from_scipy([[1, 2], [0, 3]])
    >>> multiply(matrix, np.ones((2, 1), dtype=np.float32), transposed=True)
    array([[1.],
           [5.]], dtype=float32)
    """
    shape = matrix.shape[::-1] if transposed else matrix.shape
    return _by_panels(matrix.sparse(threads), shape, dense, transposed, threads)


def _by_panels(
    sparse: _core.Sparse, shape: tuple[int, int], dense: Floats, transposed: bool, threads: int
) -> Floats:
    rows, width = shape
    columns = dense.shape[1]
    if len(dense) != width:
        raise FirthError(f"`dense` must have {width:,} rows, not {len(dense):,}")
    out = np.empty((rows, columns), dtype=np.float32)
    for begin in range(0, columns, PANEL):
        part = dense[:, begin : begin + PANEL]
        panel = empty_panel(width)
        panel[:, : part.shape[1]] = part
        panel[:, part.shape[1] :] = 0
        found = np.empty((rows, PANEL), dtype=np.float32)
        sparse.multiply(panel, found, transposed, threads)
        out[:, begin : begin + PANEL] = found[:, : part.shape[1]]
    return out


def empty_panel(rows: int) -> Floats:
    """Allocate a panel whose rows are aligned to cache lines.

    NumPy does not align them. Every row would then lie across two cache lines, and a product would
    take a third longer.
    """
    raw = np.empty((rows + 1) * PANEL, dtype=np.float32)
    skip = -raw.ctypes.data % (4 * PANEL) // 4
    return raw[skip : skip + rows * PANEL].reshape(rows, PANEL)


class Blocks:
    """Operations on tall matrices, by blocks of rows in a fixed order, on several threads."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def close(self) -> None:
        """Shut the threads down."""
        if self._pool is not None:
            self._pool.shutdown()

    def map(self, rows: int, work: Callable[[slice], T]) -> Iterator[T]:
        """Apply `work` to each block of rows; results come in order."""
        blocks = [slice(at, min(at + BLOCK, rows)) for at in range(0, rows, BLOCK)]
        return self._pool.map(work, blocks) if self._pool is not None else map(work, blocks)

    def inner(self, a: Floats, b: Floats) -> Doubles:
        """Compute aᵀ b: blocks in single precision, their sum in double precision."""
        total = np.zeros((a.shape[1], b.shape[1]))
        for part in self.map(len(a), lambda block: a[block].T @ b[block]):
            total += part
        return total

    def gram(self, a: Floats) -> Doubles:
        """Compute aᵀ a in double precision."""
        total = np.zeros((a.shape[1], a.shape[1]))

        def block_gram(block: slice) -> Doubles:
            wide = a[block].astype(np.float64)
            return wide.T @ wide

        for part in self.map(len(a), block_gram):
            total += part
        return total

    def subtract(self, a: Floats, b: Floats, c: Doubles) -> None:
        """Subtract b c from a in place."""
        small = c.astype(np.float32)

        def block_subtract(block: slice) -> None:
            a[block] -= b[block] @ small

        for _ in self.map(len(a), block_subtract):
            pass

    def times(self, a: Floats, c: Doubles) -> Floats:
        """Compute a c."""
        small = np.ascontiguousarray(c, dtype=np.float32)
        out = np.empty((len(a), c.shape[1]), dtype=np.float32)

        def block_times(block: slice) -> None:
            np.matmul(a[block], small, out=out[block])

        for _ in self.map(len(a), block_times):
            pass
        return out

    def orthonormalize(self, a: Floats, floor: float = 0.0) -> tuple[Floats, Doubles]:
        """Factor a = q r, where the columns of q are orthonormal or zero, by the Gram matrix.

        Directions shorter than `floor`, or too short for the precision, become zero columns of q.
        If `a` is nearly orthonormal, q is orthonormal to rounding. Otherwise call this again on q
        with a floor of one half, which removes only columns of rounding errors.
        """
        values, vectors = np.linalg.eigh(self.gram(a))
        kept = values > max(floor**2, float(values[-1]) * 1e-12)
        roots = np.sqrt(np.where(kept, values, 0.0))
        inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=kept)
        return self.times(a, vectors * inverse), roots[:, None] * vectors.T


@contextmanager
def one_blas_thread(threads: int) -> Iterator[Blocks]:
    """Yield `Blocks` on several threads, with BLAS limited to one thread."""
    blocks = Blocks(threads)
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield blocks
    finally:
        blocks.close()


def random_panel(rows: int, columns: int, seed: int, number: int) -> Floats:
    """Draw a panel of normal numbers, which depends only on `seed` and `number`."""
    generator = np.random.Generator(np.random.Philox(key=[seed, number]))
    return generator.standard_normal((rows, columns), dtype=np.float32)
