"""The left singular vectors of a sparse matrix, without the right ones.

They are the eigenvectors of A Aᵀ, found by block Lanczos over the rows alone. Where a matrix has
several blocks of columns, as positional counts do, this saves the larger part of the memory and of
the orthogonalisation that `svd` spends on its right basis. Values are those of A Aᵀ, squares: what
is 1e-4 of the largest here is 1e-2 there, so small singular values come out less exactly.
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

CHECK_EVERY = 6  # steps between looks: an eigenvalue problem of the basis' size each
BASIS = 5  # Lanczos vectors for each one asked for, at most


@dataclass(frozen=True)
class Left:
    """Left singular vectors and values by falling size.

    `residual` is the largest ‖A Aᵀ u - σ² u‖, relative to the largest σ².
    """

    vectors: Floats
    values: NDArray[np.float64]
    residual: float
    products: int
    converged: bool


class _Gram:
    """A Aᵀ as an operator, never written out."""

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
    """Return how many Lanczos vectors are kept at most; room for them is made at once.

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
        How many; where the matrix has fewer, the rest are zero with zero vectors.
    tol
        Every residual ‖A Aᵀ u - σ² u‖ is at most tol · σ₁².
    seed
        Of the random start vectors.
    resources
        Threads, on which the result does not depend, and progress.

    Examples
    --------
    >>> matrix = Association.from_scipy([[3, 0, 0], [0, 2, 0]])
    >>> left_vectors(matrix, 2).values.tolist()
    [3.0, 2.0]
    """
    if rank < 1:
        raise FirthError(f"rank must be 1 or more, not {rank}")
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
    # What is below the rounding of the products is not a direction of the matrix.
    alive = squares > squares[0] * np.finfo(np.float32).eps * 8
    vectors = solved.vectors * alive
    vectors[np.diff(matrix.starts) == 0] = 0
    worst = float(solved.residuals.max() / max(squares[0], np.finfo(float).tiny))
    values = np.sqrt(squares) * alive
    return Left(vectors, values, worst, solved.products, solved.converged)
