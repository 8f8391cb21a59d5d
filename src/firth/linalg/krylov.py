"""The largest eigenvalues of a symmetric operator, in double precision and bounded memory.

Block Lanczos with full orthogonalisation and thick restarts (K. Wu and H. Simon, 2000,
Thick-restart Lanczos method for large symmetric eigenvalue problems): when the basis is full, only
its best vectors and the last panel are kept. It is for operators whose products are expensive and
whose spectrum is nearly flat, where single precision would not separate the leading vectors from
the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.linalg.canonical import fix_signs
from firth.linalg.products import Blocks
from firth.progress import Event, Progress

Doubles = NDArray[np.float64]

WIDTH = 64  # columns of a panel: each product reads every view from disk once
NOISE = 1e-9  # shorter directions, relative to the norm, are rounding errors
ROOM = 3  # the most vectors of the basis for each one that is wanted, besides some panels


@dataclass(frozen=True, eq=False)
class Leading:
    """Eigenvalues, the largest first, their vectors, and ‖Mu - λu‖ of each.

    Examples
    --------
    >>> found = Leading(np.ones(1), np.ones((1, 1)), np.zeros(1), 2, True)
    >>> found.converged, found.passes
    (True, 2)
    """

    values: Doubles
    vectors: Doubles
    residuals: Doubles
    passes: int
    converged: bool


def basis_size(rows: int, rank: int) -> int:
    """Return the most vectors that the basis holds.

    Examples
    --------
    >>> basis_size(300_000, 300), basis_size(500, 300)
    (1156, 500)
    """
    return min(rows, ROOM * rank + 4 * WIDTH)


class _Basis:
    """Orthonormal columns in double precision, of room that is allocated once."""

    def __init__(self, rows: int, room: int, blocks: Blocks, seed: int) -> None:
        self.held: Doubles = np.empty((rows, room))
        self.size = 0
        self._blocks, self._seed, self._draws = blocks, seed, 0

    def append(self, panel: Doubles) -> None:
        """Add columns."""
        self.held[:, self.size : self.size + panel.shape[1]] = panel
        self.size += panel.shape[1]

    def vectors(self) -> Doubles:
        """Return all columns so far."""
        return self.held[:, : self.size]

    def split(self, panel: Doubles, floor: float) -> tuple[Doubles, Doubles]:
        """Return the share of the basis in a panel, and orthonormal columns of the rest.

        The panel is overwritten. Directions shorter than `floor` are left out.
        """
        share = self._project(panel)
        q = self._orthonormal(panel, floor)
        self._project(q)
        return share, self._orthonormal(q, 0.5)

    def fresh(self, columns: int) -> Doubles:
        """Draw random columns that are orthonormal to the basis."""
        generator = np.random.Generator(np.random.Philox(key=[self._seed, self._draws]))
        self._draws += 1
        drawn = generator.standard_normal((len(self.held), columns))
        return self.split(drawn, 0.0)[1]

    def _project(self, panel: Doubles) -> Doubles:
        known = self.vectors()
        share = inner(self._blocks, known, panel)

        def subtract(block: slice) -> None:
            panel[block] -= known[block] @ share

        for _ in self._blocks.map(len(panel), subtract):
            pass
        return share

    def _orthonormal(self, panel: Doubles, floor: float) -> Doubles:
        """Return orthonormal columns that span a panel, by its Gram matrix."""
        values, vectors = np.linalg.eigh(inner(self._blocks, panel, panel))
        # The largest first. Rounding of the Gram matrix hides what is below 1e-7 of the longest.
        kept = np.flatnonzero(values > max(floor**2, float(values.max(initial=0)) * 1e-14))[::-1]
        return times(self._blocks, panel, vectors[:, kept] / np.sqrt(values[kept]))


def inner(blocks: Blocks, a: Doubles, b: Doubles) -> Doubles:
    """Compute aᵀ b over blocks of rows, added up in their order.

    Examples
    --------
    >>> inner(Blocks(1), np.ones((3, 1)), np.ones((3, 2))).tolist()
    [[3.0, 3.0]]
    """
    total = np.zeros((a.shape[1], b.shape[1]))
    for part in blocks.map(len(a), lambda block: a[block].T @ b[block]):
        total += part
    return total


def times(blocks: Blocks, a: Doubles, c: Doubles) -> Doubles:
    """Compute a c over blocks of rows.

    Examples
    --------
    >>> times(Blocks(1), np.ones((2, 1)), np.array([[2.0]])).tolist()
    [[2.0], [2.0]]
    """
    out = np.empty((len(a), c.shape[1]))

    def multiply(block: slice) -> None:
        out[block] = a[block] @ c

    for _ in blocks.map(len(a), multiply):
        pass
    return out


def leading(
    apply: Callable[[Doubles], Doubles],
    rows: int,
    rank: int,
    *,
    tol: float,
    most_passes: int,
    seed: int,
    blocks: Blocks,
    progress: Progress,
) -> Leading:
    """Find the largest eigenvalues of a positive semi-definite operator.

    Parameters
    ----------
    apply
        Multiplies the operator by some columns.
    rows, rank
        The size of the operator, and how many eigenvalues are wanted, at most its size.
    tol
        Every residual is at most tol · λ₁.
    most_passes
        The most calls of `apply`; `converged` says whether they were enough.
    seed
        Of the random columns to start from.
    blocks, progress
        Threads, and where to report residuals.

    Examples
    --------
    >>> from firth.progress import silent
    >>> scale = np.arange(1.0, 201)[:, None]
    >>> found = leading(lambda x: scale * x, 200, 2, tol=1e-10, most_passes=99, seed=0,
    ...                 blocks=Blocks(1), progress=silent)
    >>> found.values.round(6).tolist()
    [200.0, 199.0]
    """
    room = basis_size(rows, rank)
    basis = _Basis(rows, room, blocks, seed)
    small = np.zeros((0, 0))
    panel = basis.fresh(min(WIDTH, room))
    norm, passes, before = 0.0, 0, -1.0
    while True:
        basis.append(panel)
        width, size = panel.shape[1], basis.size
        product = apply(panel)
        passes += 1
        norm = max(norm, float(np.sqrt(np.einsum("ij,ij->j", product, product).max(initial=0))))
        rest = product.copy()
        share, panel = basis.split(rest, NOISE * max(norm, 1e-300))
        grown = np.zeros((size, size))
        grown[: size - width, : size - width] = small
        grown[:, size - width :] = share
        grown[size - width :, :] = share.T
        corner = grown[size - width :, size - width :]
        grown[size - width :, size - width :] = (corner + corner.T) / 2
        small = grown
        # What of the product of the last panel lies outside the basis.
        lead = inner(blocks, panel, product) if panel.shape[1] else np.zeros((0, width))
        if size < min(rank + WIDTH, room) and passes < most_passes:
            panel = _filled(basis, panel, room)
            if panel.shape[1]:
                continue
        values, vectors = np.linalg.eigh(small)
        values, vectors = values[::-1], vectors[:, ::-1]
        wanted = min(rank, size)
        residuals = np.linalg.norm(lead @ vectors[size - width :, :wanted], axis=0)
        worst = float(residuals.max(initial=0)) / max(float(values[0]), 1e-300)
        progress(Event("factorising", passes, 0, 0, f"passes over the views, residual {worst:.1e}"))
        done = worst <= tol
        if done and size < rows and float(np.linalg.norm(lead)) <= tol * float(values[0]):
            # The basis is invariant. If an eigenvalue has more vectors than a panel has columns,
            # others may lie outside it, until new columns add nothing to what is wanted.
            found_so_far = float(values[:wanted].sum())
            done = found_so_far <= before + tol * float(values[0])
            before = found_so_far
        if done or passes >= most_passes or size >= rows:
            found = times(blocks, basis.vectors(), vectors[:, :wanted])
            fix_signs(found)
            return Leading(values[:wanted].copy(), found, residuals, passes, bool(done))
        panel = _filled(basis, panel, rows)
        if size + panel.shape[1] > room:
            kept = min(size, rank + (room - rank) // 3)
            _restart(basis, vectors[:, :kept], blocks)
            small = np.diag(values[:kept])
            # The couplings of the kept vectors to the panel come with its next product.


def _filled(basis: _Basis, panel: Doubles, room: int) -> Doubles:
    """Return a panel, or random columns if nothing is left of it, that fits the room."""
    space = max(0, room - basis.size)
    if not panel.shape[1] and space:
        panel = basis.fresh(min(WIDTH, space))
    return panel[:, : max(space, 0)]


def _restart(basis: _Basis, turn: Doubles, blocks: Blocks) -> None:
    """Replace the basis by some combinations of its vectors, in place."""
    held, size, kept = basis.held, basis.size, turn.shape[1]

    def rotate(block: slice) -> None:
        held[block, :kept] = held[block, :size] @ turn

    for _ in blocks.map(len(held), rotate):
        pass
    basis.size = kept
