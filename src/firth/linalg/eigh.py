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
    """Find the largest eigenvalues of a symmetric matrix, and their vectors.

    Parameters
    ----------
    matrix
        A sparse matrix, which must be exactly symmetric.
    rank
        The number of eigenvalues, at most the number of rows.
    which
        ``algebraic`` for the largest values, ``magnitude`` for the largest absolute values.
    tol
        Every residual ‖Mu - λu‖ is at most tol · |λ₁|, where λ₁ is the largest by magnitude.
    max_basis, seed, resources
        As for `svd`.

    Examples
    --------
    >>> from firth.association import Association
    >>> matrix = Association.from_scipy([[1, 0, 0], [0, -3, 0], [0, 0, 2]])
    >>> eigh(matrix, 2).values.tolist(), eigh(matrix, 2, which="magnitude").values.tolist()
    ([2.0, 1.0], [-3.0, 2.0])
    """
    size = matrix.shape[0]
    if matrix.shape[0] != matrix.shape[1]:
        raise FirthError(f"`matrix` must be square, not {size:,} × {matrix.shape[1]:,}")
    if not 1 <= rank <= size:
        raise FirthError(f"`rank` must be from 1 to {size:,}, not {rank}")
    used = resources or Resources()
    operator = Operator(matrix, used.threads)
    if not operator.symmetric:
        raise FirthError("`matrix` must be symmetric: use svd for its singular values")
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
    # Use all vectors, because the rank may divide a group of equal values.
    basis = np.ascontiguousarray(vectors[:, ordered])
    fix_bases(values[ordered], basis)
    u = in_single(basis[:, :rank])
    residuals = np.linalg.norm(whole @ u - u * values[chosen], axis=0)
    return Eigh(values[chosen], u, residuals, 0, True)
