"""The largest eigenvalues of a sparse symmetric matrix, by value or by magnitude."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.canonical import fix_bases, in_single
from firth.linalg.lanczos import Eigh, Lanczos, Which, chosen_of, default_basis
from firth.linalg.products import PANEL, Operator, RankOne, one_blas_thread, random_panel
from firth.linalg.svd import DENSE
from firth.resources import Resources

_UNEVEN = 1e-5  # the largest relative difference of x·My and y·Mx by rounding


def eigh(
    matrix: Association | Sequence[Association | RankOne],
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
        A sparse matrix, which must be exactly symmetric; or several, of which the sum is meant,
        such as a matrix and its transpose, or a sparse matrix and one of rank one.
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
    parts = [matrix] if isinstance(matrix, Association) else list(matrix)
    size = parts[0].shape[0]
    if any(part.shape != (size, size) for part in parts):
        shape = next(part.shape for part in parts if part.shape != (size, size))
        raise FirthError(f"`matrix` must be square, not {shape[0]:,} × {shape[1]:,}")
    if not 1 <= rank <= size:
        raise FirthError(f"`rank` must be from 1 to {size:,}, not {rank}")
    used = resources or Resources()
    operator = _Sum(
        [part if isinstance(part, RankOne) else Operator(part, used.threads) for part in parts]
    )
    if not operator.symmetric:
        raise FirthError("`matrix` must be symmetric: use svd for its singular values")
    with one_blas_thread(used.threads) as blocks:
        if size <= max(DENSE, 2 * rank):
            whole = reduce(np.add, [part.to_dense() for part in parts])
            return _dense(whole, rank, which)
        lanczos = Lanczos(operator, blocks, seed)
        most = min(max_basis or default_basis(rank), size - PANEL)
        return lanczos.run(rank, which, tol, most, used.progress)


class _Sum:
    """The sum of matrices, without computing it."""

    def __init__(self, parts: Sequence[Operator | RankOne]) -> None:
        self.parts = parts
        self.shape = parts[0].shape
        self.products = 0

    @property
    def symmetric(self) -> bool:
        """Whether the sum is symmetric: of one matrix exactly, of several up to rounding."""
        sparse = [part for part in self.parts if isinstance(part, Operator)]
        if len(sparse) == 1:
            return sparse[0].symmetric
        x, y = (random_panel(self.shape[0], 1, 0, number) for number in (0, 1))
        of_x, of_y = (self.apply(vector).astype(np.float64) for vector in (x, y))
        one, other = float(y[:, 0] @ of_x[:, 0]), float(x[:, 0] @ of_y[:, 0])
        size = float(np.linalg.norm(of_x) * np.linalg.norm(y))
        return abs(one - other) <= _UNEVEN * size

    def apply(self, dense: NDArray[np.float32]) -> NDArray[np.float32]:
        """Multiply the sum by a dense matrix."""
        found = self.parts[0].apply(dense)
        for part in self.parts[1:]:
            found += part.apply(dense)
        self.products = sum(part.products for part in self.parts)
        return found


def _dense(whole: NDArray[np.float64], rank: int, which: Which) -> Eigh:
    values, vectors = np.linalg.eigh(whole)
    ordered = chosen_of(values, which, len(values))
    chosen = ordered[:rank]
    # Use all vectors, because the rank may divide a group of equal values.
    basis = np.ascontiguousarray(vectors[:, ordered])
    fix_bases(values[ordered], basis)
    u = in_single(basis[:, :rank])
    residuals = np.linalg.norm(whole @ u - u * values[chosen], axis=0)
    return Eigh(values[chosen], u, residuals, 0, True)
