"""The largest eigenvalues of a sparse symmetric matrix, by value or by magnitude."""

from __future__ import annotations

import numpy as np

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.canonical import fix_bases, in_single
from firth.linalg.lanczos import Eigh, Lanczos, Which, chosen_of, default_basis
from firth.linalg.products import PANEL, Operator, one_blas_thread
from firth.linalg.svd import DENSE
from firth.resources import Resources


def eigh(
    matrix: Association,
    rank: int,
    *,
    which: Which = "algebraic",
    tol: float = 1e-4,
    max_basis: int | None = None,
    seed: int = 0,
    resources: Resources | None = None,
) -> Eigh:
    """Find eigenvalues and vectors of a symmetric matrix.

    Parameters
    ----------
    matrix
        A sparse matrix, symmetric to the last bit; any other is refused.
    rank
        How many; at most as many as there are rows.
    which
        ``algebraic``: the largest by value; ``magnitude``: the largest by size.
    tol
        Every residual ‖Mu - λu‖ is at most tol · |λ₁|, λ₁ being the largest by magnitude.
    max_basis, seed, resources
        As for `svd`.
    """
    size = matrix.shape[0]
    if matrix.shape[0] != matrix.shape[1]:
        raise FirthError(f"a matrix of {size:,} × {matrix.shape[1]:,} has no eigenvalues")
    if not 1 <= rank <= size:
        raise FirthError(f"rank must lie between 1 and {size:,}, not {rank}")
    used = resources or Resources()
    operator = Operator(matrix, used.threads)
    if not operator.symmetric:
        raise FirthError("the matrix is not symmetric: take its singular values by svd")
    with one_blas_thread(used.threads) as blocks:
        if size <= max(DENSE, 2 * rank):
            return _dense(matrix, rank, which)
        lanczos = Lanczos(operator, blocks, seed)
        most = min(max_basis or default_basis(rank), size - PANEL)
        return lanczos.run(rank, which, tol, most, used.progress)


def _dense(matrix: Association, rank: int, which: Which) -> Eigh:
    whole = matrix.to_dense()
    values, vectors = np.linalg.eigh(whole)
    ordered = chosen_of(values, which, len(values))
    chosen = ordered[:rank]
    # All of them, for the rank may cut through a group of equal values.
    basis = np.ascontiguousarray(vectors[:, ordered])
    fix_bases(values[ordered], basis)
    u = in_single(basis[:, :rank])
    residuals = np.linalg.norm(whole @ u - u * values[chosen], axis=0)
    return Eigh(values[chosen], u, residuals, 0, True)
