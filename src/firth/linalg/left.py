"""The left singular vectors of a sparse matrix, without the right ones.

They are the eigenvectors of A Aᵀ, computed by block Lanczos over the rows only. For a matrix with
several blocks of columns, as of positional counts, this saves most of the memory and of the
orthogonalisation that `svd` needs for its right basis. The eigenvalues of A Aᵀ are the squares of
the singular values, so small singular values are less exact: a tolerance of 1e-4 for the squares is
one of 1e-2 for the values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.lanczos import Lanczos
from firth.linalg.products import PANEL, Operator, one_blas_thread
from firth.linalg.svd import DENSE, svd
from firth.resources import Resources

Floats = NDArray[np.float32]

CHECK_EVERY = 6  # steps between checks, each of which solves a dense problem of the basis' size
BASIS = 5  # the most Lanczos vectors for each vector of the result


@dataclass(frozen=True)
class Left:
    """Left singular vectors and values, the largest first.

    `residual` is the largest ‖A Aᵀ u - σ² u‖, relative to the largest σ².

    Examples
    --------
    >>> from firth.association import Association
    >>> found = left_vectors(Association.from_scipy([[3, 0, 0], [0, 2, 0]]), 1)
    >>> found.vectors.ravel().tolist(), found.converged
    ([1.0, 0.0], True)
    """

    vectors: Floats
    values: NDArray[np.float64]
    residual: float
    products: int
    converged: bool


class _Gram:
    """The operator A Aᵀ, without computing its matrix."""

    def __init__(self, matrix: Association, threads: int) -> None:
        self._operator = Operator(matrix, threads)
        self.shape = (matrix.shape[0], matrix.shape[0])
        self.products = 0

    def apply(self, dense: Floats) -> Floats:
        """Multiply by the transpose, then by the matrix, a panel at a time."""
        out = np.empty((self.shape[0], dense.shape[1]), dtype=np.float32)
        for begin in range(0, dense.shape[1], PANEL):
            part = slice(begin, begin + PANEL)
            out[:, part] = self._operator.apply(self._operator.apply_transposed(dense[:, part]))
        self.products = self._operator.products
        return out


def basis_size(rows: int, rank: int) -> int:
    """Return the largest number of Lanczos vectors; memory for all of them is allocated at once.

    Examples
    --------
    >>> basis_size(300_000, 200), basis_size(300_000, 1000)
    (1000, 5000)
    """
    return min(rows - PANEL, max(BASIS * rank, 600))


def left_vectors(
    matrix: Association,
    rank: int,
    *,
    tol: float = 1e-3,
    seed: int = 0,
    resources: Resources | None = None,
) -> Left:
    """Find the left vectors of the `rank` largest singular values.

    Parameters
    ----------
    matrix
        Any sparse matrix.
    rank
        The number of vectors. If the matrix has fewer singular values, the rest are zero.
    tol
        Every residual ‖A Aᵀ u - σ² u‖ is at most tol · σ₁².
    seed
        Seed of the random start vectors.
    resources
        Threads and progress. The result does not depend on the number of threads.

    Examples
    --------
    >>> from firth.association import Association
    >>> matrix = Association.from_scipy([[3, 0, 0], [0, 2, 0]])
    >>> left_vectors(matrix, 2).values.tolist()
    [3.0, 2.0]
    """
    if rank < 1:
        raise FirthError(f"`rank` must be 1 or more, not {rank}")
    used = resources or Resources()
    if min(matrix.shape) <= max(DENSE, 2 * rank):
        found = svd(matrix, rank, tol=tol, seed=seed, resources=used)
        largest = max(float(found.values.max(initial=0.0)), np.finfo(float).tiny)
        worst = float(found.residuals.max()) / largest
        return Left(found.left, found.values, worst, found.products, found.converged)
    with one_blas_thread(used.threads) as blocks:
        most = basis_size(matrix.shape[0], rank)
        lanczos = Lanczos(_Gram(matrix, used.threads), blocks, seed, CHECK_EVERY, most + 2 * PANEL)
        solved = lanczos.run(rank, "algebraic", tol, most, used.progress)
    squares = np.maximum(solved.values, 0.0)
    # Smaller values are rounding errors of the products.
    alive = squares > squares[0] * np.finfo(np.float32).eps * 8
    vectors = solved.vectors * alive
    vectors[np.diff(matrix.starts) == 0] = 0
    worst = float(solved.residuals.max() / max(squares[0], np.finfo(float).tiny))
    values = np.sqrt(squares) * alive
    return Left(vectors, values, worst, solved.products, solved.converged)
