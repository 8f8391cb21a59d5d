"""The largest eigenvalues of a sparse symmetric matrix, by block Lanczos and Rayleigh-Ritz.

Power iteration would find the eigenvalues of largest magnitude, which may be negative. A Krylov
space holds both ends of the spectrum, so the algebraically largest are chosen by sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.basis import NOISE, Basis, Confirmation
from firth.linalg.products import PANEL, Blocks, Operator, fix_signs, one_blas_thread
from firth.linalg.svd import CHECK_EVERY, DENSE
from firth.progress import Event, Progress, silent

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Which = Literal["algebraic", "magnitude"]


class Symmetric(Protocol):
    """What Lanczos needs to know of a symmetric matrix."""

    shape: tuple[int, int]
    products: int

    def apply(self, dense: Floats) -> Floats:
        """Multiply the matrix by a dense one."""
        ...


@dataclass(frozen=True)
class Eigh:
    """Eigenvalues in the order asked for, their vectors, and residuals ‖Mu - λu‖."""

    values: Doubles
    vectors: Floats
    residuals: Doubles
    products: int
    converged: bool


def eigh(
    matrix: Association,
    rank: int,
    *,
    which: Which = "algebraic",
    tol: float = 1e-4,
    max_basis: int | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress = silent,
) -> Eigh:
    """Find eigenvalues and vectors of a symmetric matrix.

    Parameters
    ----------
    matrix
        A symmetric sparse matrix.
    rank
        How many; at most as many as there are rows.
    which
        ``algebraic``: the largest by value; ``magnitude``: the largest by size.
    tol
        Every residual ‖Mu - λu‖ is at most tol · |λ₁|, λ₁ being the largest by magnitude.
    max_basis, seed, threads
        As for `svd`.
    """
    size = matrix.shape[0]
    if matrix.shape[0] != matrix.shape[1]:
        raise FirthError(f"a matrix of {size:,} × {matrix.shape[1]:,} has no eigenvalues")
    if not 1 <= rank <= size:
        raise FirthError(f"rank must lie between 1 and {size:,}, not {rank}")
    with one_blas_thread(threads) as blocks:
        if size <= max(DENSE, 2 * rank):
            return _dense(matrix, rank, which)
        most = min(size - PANEL, max_basis or max(10 * rank, 600))
        lanczos = Lanczos(Operator(matrix, threads, symmetric=True), blocks, seed)
        return lanczos.run(rank, which, tol, most, progress)


def _order(values: Doubles, which: Which, rank: int) -> NDArray[np.intp]:
    key = -values if which == "algebraic" else -np.abs(values)
    return np.argsort(key, kind="stable")[:rank]


def _dense(matrix: Association, rank: int, which: Which) -> Eigh:
    whole = matrix.to_dense()
    values, vectors = np.linalg.eigh(whole)
    chosen = _order(values, which, rank)
    u = np.ascontiguousarray(vectors[:, chosen], dtype=np.float32)
    fix_signs(u)
    residuals = np.linalg.norm(whole @ u - u * values[chosen], axis=0)
    return Eigh(values[chosen], u, residuals, 0, True)


class Lanczos:
    """One growing basis, and the small symmetric matrix that M is in it."""

    def __init__(
        self,
        operator: Symmetric,
        blocks: Blocks,
        seed: int,
        check_every: int = CHECK_EVERY,
        room: int = 32 * PANEL,
    ) -> None:
        self.operator = operator
        self.check_every = check_every
        self.blocks = blocks
        self.basis = Basis(operator.shape[0], blocks, seed, room)
        self.small = np.zeros((0, 0))
        self.norm = 0.0  # the longest column of a product so far, at most that of the matrix

    def step(self) -> Doubles:
        """Multiply the last block, and add what is new in the product."""
        size = self.basis.size
        product = self.operator.apply(self.basis.last())
        longest = np.sqrt(np.einsum("ij,ij->j", product, product, dtype=np.float64).max())
        self.norm = max(self.norm, float(longest))
        share, q, lead = self.basis.split(product, NOISE * self.norm)
        grown = np.zeros((size, size))
        grown[: size - PANEL, : size - PANEL] = self.small
        grown[:, size - PANEL :] = share
        grown[size - PANEL :, :] = share.T
        corner = grown[size - PANEL :, size - PANEL :]
        grown[size - PANEL :, size - PANEL :] = (corner + corner.T) / 2
        self.small = grown
        self.basis.append(self.basis.fill(q))
        return lead

    def run(self, rank: int, which: Which, tol: float, most: int, progress: Progress) -> Eigh:
        """Go on until the residuals are small."""
        self.basis.append(self.basis.fresh())
        confirmation = Confirmation(tol)
        steps = least = 0
        while True:
            lead = self.step()
            steps += 1
            size = len(self.small)
            last = size + PANEL > most
            if not last and (size < rank + PANEL or steps < least or steps % self.check_every):
                continue
            values, vectors = np.linalg.eigh(self.small)
            chosen = _order(values, which, rank)
            residuals = np.linalg.norm(lead @ vectors[-PANEL:, chosen], axis=0)
            largest = float(np.abs(values).max())
            worst = float(residuals.max() / max(largest, np.finfo(float).tiny))
            progress(Event("factorising", size, 0, 0, f"basis, residual {worst:.1e}"))
            restart = worst <= tol and confirmation.needs_restart(values[chosen], largest)
            if restart and not last:
                self.basis.drop_last()
                self.basis.append(self.basis.fresh())
                least = steps + Confirmation.STEPS
            elif worst <= tol or last:
                u = self.blocks.times(self.basis.vectors()[:, :size], vectors[:, chosen])
                fix_signs(u)
                if confirmation.restarts:  # which lose track of the residuals
                    product = self.operator.apply(u)
                    residuals = np.linalg.norm(product - u * values[chosen], axis=0)
                done = bool(residuals.max() <= tol * largest) and not restart
                if done or last:
                    return Eigh(values[chosen], u, residuals, self.operator.products, done)
