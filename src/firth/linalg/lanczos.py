"""Block Lanczos for symmetric matrices: one growing basis, and Rayleigh-Ritz in it.

A Krylov space approximates both ends of the spectrum. So the caller can choose the eigenvalues that
are largest by value or by magnitude, where power iteration only finds those of largest magnitude.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from firth.linalg.basis import NOISE, Basis, Confirmation
from firth.linalg.canonical import EQUAL, fix_bases
from firth.linalg.products import PANEL, Blocks
from firth.progress import Event, Progress
from firth.ties import ranking

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Which = Literal["algebraic", "magnitude"]

CHECK_EVERY = 2  # steps between checks of the residuals


def default_basis(rank: int) -> int:
    """Return the default of the largest number of Lanczos vectors."""
    return max(10 * rank, 600)


class Symmetric(Protocol):
    """What `Lanczos` needs of a symmetric matrix."""

    shape: tuple[int, int]
    products: int

    def apply(self, dense: Floats) -> Floats:
        """Multiply the matrix by a dense one."""
        ...


@dataclass(frozen=True)
class Eigh:
    """Eigenvalues, their vectors, and residuals ‖Mu - λu‖.

    Examples
    --------
    >>> from firth.association import Association
    >>> from firth.linalg import eigh
    >>> found = eigh(Association.from_scipy([[1, 0], [0, 2]]), 1)
    >>> found.values.tolist(), found.vectors.ravel().tolist(), found.converged
    ([2.0], [0.0, 1.0], True)
    """

    values: Doubles
    vectors: Floats
    residuals: Doubles
    products: int
    converged: bool


def chosen_of(values: Doubles, which: Which, rank: int) -> NDArray[np.intp]:
    """Return the places of the `rank` largest values, the largest first.

    Of values of the same magnitude, positive ones come first.

    Examples
    --------
    >>> chosen_of(np.array([-3.0, 1.0, 2.999999]), "magnitude", 2).tolist()
    [2, 0]
    """
    if which == "algebraic":
        return np.argsort(-values, kind="stable")[:rank]
    with np.errstate(divide="ignore"):
        return ranking(np.log(np.abs(values)), (values < 0).astype(np.int8), EQUAL)[:rank]


class Lanczos:
    """A growing basis, and the projection of the matrix M on it."""

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
        """Multiply the last block by M, and add the new directions of the product to the basis."""
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

    def residuals(self, vectors: Floats, values: Doubles) -> Doubles:
        """Compute ‖Mu - λu‖ from a product with M."""
        product = self.operator.apply(vectors)
        return np.asarray(np.linalg.norm(product - vectors * values, axis=0), dtype=np.float64)

    def run(self, rank: int, which: Which, tol: float, most: int, progress: Progress) -> Eigh:
        """Iterate until the residuals are small."""
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
            chosen = chosen_of(values, which, rank)
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
                rotated = fix_bases(values[chosen], u, slack=tol * largest / 10)
                if confirmation.restarts:  # after a restart `lead` does not give the residuals
                    residuals = self.residuals(u, values[chosen])
                done = bool(residuals.max() <= tol * largest) and not restart
                if done or last:
                    for group in rotated:
                        residuals[group] = self.residuals(u[:, group], values[chosen][group])
                    return Eigh(values[chosen], u, residuals, self.operator.products, done)
