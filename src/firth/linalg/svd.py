"""The largest singular values of a sparse matrix, by block Lanczos bidiagonalisation.

Golub and Kahan's recurrence in blocks of sixteen vectors (G. Golub, F. Luk and M. Overton, 1981, A
block Lanczos method for computing the singular values and corresponding singular vectors of a
matrix), with full reorthogonalisation. After j steps A V = U B and Aᵀ U = V Bᵀ + V' L E, with B
block upper bidiagonal; the singular values of B approach those of A, and L gives their residuals.

If A is symmetric, its singular vectors are its eigenvectors; left and right vectors differ only in
the sign of the eigenvalue. One basis is then enough instead of two, no transpose is needed, and if
few eigenvalues are negative, half the products are enough. Associations that weight words and
contexts alike are symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.basis import NOISE, Basis, Confirmation
from firth.linalg.canonical import fix_bases, in_single
from firth.linalg.lanczos import CHECK_EVERY, Eigh, Lanczos, default_basis
from firth.linalg.products import PANEL, Blocks, Operator, one_blas_thread
from firth.progress import Event, Progress
from firth.resources import Resources

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

DENSE = 400  # smaller matrices are factorised as dense ones


@dataclass(frozen=True)
class SVD:
    """Left vectors, singular values (the largest first), right vectors and residuals.

    `residuals` has ‖Aᵀu - σv‖ of each triple. ‖Av - σu‖ is the same if A is symmetric, and zero up
    to rounding if not.

    Examples
    --------
    >>> from firth.association import Association
    >>> found = svd(Association.from_scipy([[3, 0, 0], [0, 2, 0]]), 1)
    >>> found.left.shape, found.right.shape, found.converged
    ((2, 1), (3, 1), True)
    """

    left: Floats
    values: Doubles
    right: Floats
    residuals: Doubles
    products: int  # columns multiplied by the matrix or its transpose
    converged: bool


def svd(
    matrix: Association,
    rank: int,
    *,
    tol: float = 1e-4,
    max_basis: int | None = None,
    seed: int = 0,
    resources: Resources | None = None,
) -> SVD:
    """Find the `rank` largest singular values and their vectors.

    Parameters
    ----------
    matrix
        Any sparse matrix.
    rank
        The number of singular values. If the matrix has fewer, the rest are zero, with zero
        vectors.
    tol
        Every residual ‖Aᵀu - σv‖ is at most tol · σ₁. The error of a singular value is of the order
        of the square of its residual, divided by its distance to the others.
    max_basis
        The largest number of Lanczos vectors for each side. `converged` says whether it was enough.
    seed
        Seed of the random start vectors.
    resources
        Threads and progress. The result does not depend on the number of threads.

    Examples
    --------
    >>> from firth.association import Association
    >>> svd(Association.from_scipy([[3, 0, 0], [0, 2, 0]]), 2).values.tolist()
    [3.0, 2.0]
    """
    if rank < 1:
        raise FirthError(f"`rank` must be 1 or more, not {rank}")
    used = resources or Resources()
    progress = used.progress
    small = min(matrix.shape)
    operator = Operator(matrix, used.threads)
    dense = small <= max(DENSE, 2 * rank)
    with one_blas_thread(used.threads) as blocks:
        if dense:
            found = _dense(matrix, rank)
        else:
            most = max_basis or default_basis(rank)
            if operator.symmetric:  # one basis, with the memory of two
                lanczos = Lanczos(operator, blocks, seed)
                found = _of_eigenvectors(
                    lanczos.run(rank, "magnitude", tol, min(2 * most, small - PANEL), progress)
                )
            else:
                bases = _Bidiagonal(operator, blocks, seed)
                found = bases.run(rank, tol, min(most, small - PANEL), progress)
    # Make these exactly zero: later steps scale rows to length one, even those of rounding errors.
    found.left[np.diff(matrix.starts) == 0] = 0
    found.right[operator.empty_columns()] = 0
    if not dense:
        slack = tol * float(found.values[0]) / 10
        for group in fix_bases(found.values, found.left, found.right, slack):
            back = operator.apply_transposed(found.left[:, group])
            parts = back - found.right[:, group] * found.values[group]
            found.residuals[group] = np.linalg.norm(parts, axis=0)
    return found


def _of_eigenvectors(found: Eigh) -> SVD:
    """Return the singular vectors of a symmetric matrix from its eigenvectors."""
    values = _above_rounding(np.abs(found.values))
    left = found.vectors * (values > 0)
    right = left * np.where(found.values < 0, np.float32(-1), np.float32(1))
    return SVD(left, values, right, found.residuals, found.products, found.converged)


def _above_rounding(values: Doubles) -> Doubles:
    """Set values that may be rounding errors of the products to zero."""
    return np.where(values > values[0] * np.finfo(np.float32).eps * 8, values, 0.0)


def _dense(matrix: Association, rank: int) -> SVD:
    whole = matrix.to_dense()
    left, values, right = np.linalg.svd(whole, full_matrices=False)
    floor = values[0] * max(matrix.shape) * np.finfo(np.float32).eps if len(values) else 0.0
    alive = np.count_nonzero(values > floor)
    # Use all vectors, because the rank may divide a group of equal values.
    of_rows, of_columns = left[:, :alive], np.ascontiguousarray(right[:alive].T)
    fix_bases(values[:alive], of_rows, of_columns)
    found = min(rank, alive)
    u = np.zeros((matrix.shape[0], rank), dtype=np.float32)
    v = np.zeros((matrix.shape[1], rank), dtype=np.float32)
    out = np.zeros(rank)
    out[:found] = values[:found]
    u[:, :found] = in_single(of_rows[:, :found])
    v[:, :found] = in_single(of_columns[:, :found])
    residuals = np.linalg.norm(whole.T @ u - v * out, axis=0)
    return SVD(u, out, v, residuals, 0, True)


class _Bidiagonal:
    """Two growing bases, and the bidiagonal projection of the matrix on them."""

    def __init__(self, operator: Operator, blocks: Blocks, seed: int) -> None:
        self.operator = operator
        self.blocks = blocks
        rows, columns = operator.shape
        self.left = Basis(rows, blocks, seed)
        self.right = Basis(columns, blocks, seed)
        self.small = np.zeros((0, 0))
        self.norm = 0.0  # the longest column of a product so far, at most that of the matrix

    def step(self) -> Doubles:
        """Add a block to each basis; return L, which gives the residuals."""
        size = self.left.size
        forward = self.operator.apply(self.right.last())
        share, q, r = self.left.split(forward, self._noise(forward))
        self.left.append(q)
        grown = np.zeros((size + PANEL, size + PANEL))
        grown[:size, :size] = self.small
        grown[:size, size:] = share
        grown[size:, size:] = r
        self.small = grown
        back = self.operator.apply_transposed(q)
        _, q, lead = self.right.split(back, self._noise(back))
        self.right.append(self.right.fill(q))
        return lead

    def _noise(self, product: Floats) -> float:
        """Return the length below which a direction of a product is rounding."""
        longest = np.sqrt(np.einsum("ij,ij->j", product, product, dtype=np.float64).max())
        self.norm = max(self.norm, float(longest))
        return NOISE * self.norm

    def run(self, rank: int, tol: float, most: int, progress: Progress) -> SVD:
        """Iterate until the residuals are small."""
        self.right.append(self.right.fresh())
        confirmation = Confirmation(tol)
        steps = least = 0
        while True:
            lead = self.step()
            steps += 1
            size = self.left.size
            last = size + PANEL > most
            if not last and (size < rank + PANEL or steps < least or steps % CHECK_EVERY):
                continue
            left, values, right = np.linalg.svd(self.small)
            residuals = np.linalg.norm(lead @ left[-PANEL:, :rank], axis=0)
            worst = float(residuals.max() / max(values[0], np.finfo(float).tiny))
            progress(Event("factorising", size, 0, 0, f"basis, residual {worst:.1e}"))
            restart = worst <= tol and confirmation.needs_restart(values[:rank], values[0])
            if restart and not last:
                self.right.drop_last()
                self.right.append(self.right.fresh())
                least = steps + Confirmation.STEPS
            elif worst <= tol or last:
                done = worst <= tol and not restart
                found = self._finish(left, values, right, residuals, rank, done)
                if confirmation.restarts:
                    found = self._measured(found, tol)
                if found.converged or last:
                    return found

    def _finish(
        self,
        left: Doubles,
        values: Doubles,
        right: Doubles,
        residuals: Doubles,
        rank: int,
        converged: bool,
    ) -> SVD:
        size = self.left.size
        kept = _above_rounding(values[:rank])
        alive = kept > 0
        u = self.blocks.times(self.left.vectors(), left[:, :rank] * alive)
        v = self.blocks.times(self.right.vectors()[:, :size], right[:rank].T * alive)
        return SVD(u, kept, v, residuals, self.operator.products, converged)

    def _measured(self, found: SVD, tol: float) -> SVD:
        """Compute the residuals from a product, because a restart loses track of them."""
        product = self.operator.apply_transposed(found.left)
        residuals = np.linalg.norm(product - found.right * found.values, axis=0)
        converged = found.converged and residuals.max() <= tol * found.values[0]
        return replace(found, residuals=residuals, converged=bool(converged))
