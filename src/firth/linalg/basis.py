"""A growing orthonormal basis, stored in panels of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firth.linalg.canonical import EQUAL
from firth.linalg.products import PANEL, Blocks, random_panel

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

NOISE = 1e-6  # shorter directions, relative to the norm of the matrix, are float32 rounding
LOOSEST = 1e-4  # the largest difference of equal values, relative to the largest value


class Basis:
    """Orthonormal columns, added a panel at a time.

    The memory grows by half when it is full. Columns are stored as rows, so that memory which is
    not filled yet is never touched.
    """

    def __init__(self, rows: int, blocks: Blocks, seed: int, room: int = 32 * PANEL) -> None:
        self.size = 0
        self._held = np.empty((room, rows), dtype=np.float32)
        self._blocks = blocks
        self._seed = seed
        self._draws = 0

    def vectors(self) -> Floats:
        """Return all columns so far."""
        return self._held[: self.size].T

    def last(self) -> Floats:
        """Return the panel added last."""
        return self._held[self.size - PANEL : self.size].T

    def append(self, panel: Floats) -> None:
        """Add a panel."""
        if self.size + PANEL > len(self._held):
            larger = np.empty((len(self._held) * 3 // 2, self._held.shape[1]), dtype=np.float32)
            larger[: self.size] = self._held[: self.size]
            self._held = larger
        self._held[self.size : self.size + PANEL] = panel.T
        self.size += PANEL

    def drop_last(self) -> None:
        """Remove the panel added last."""
        self.size -= PANEL

    def split(self, panel: Floats, floor: float) -> tuple[Doubles, Floats, Doubles]:
        """Factor panel = basis · share + q · r, with q orthonormal to the basis.

        The panel is overwritten. Directions shorter than `floor` become zero columns of q. Both
        steps are done twice: the second time, on the scaled q, makes short directions as orthogonal
        as long ones.
        """
        share = self._project(panel)
        q, r = self._blocks.orthonormalize(panel, floor)
        again = self._project(q)
        q, s = self._blocks.orthonormalize(q, 0.5)
        return share + again @ r, q, s @ r

    def fresh(self) -> Floats:
        """Draw a random panel that is orthonormal to the basis."""
        panel = random_panel(self._held.shape[1], PANEL, self._seed, self._draws)
        self._draws += 1
        return self.split(panel, 0.0)[1]

    def fill(self, q: Floats) -> Floats:
        """Replace the zero columns of q by random directions, orthonormal to the basis and q."""
        zero = ~q.any(axis=0)
        if not zero.any():
            return q
        new = self.fresh()
        for _ in range(2):
            self._blocks.subtract(new, q, self._blocks.inner(q, new))
            new = self._blocks.orthonormalize(new, 0.5)[0]
            self._project(new)
        longest = np.argsort(~new.any(axis=0), kind="stable")[: np.count_nonzero(zero)]
        q[:, zero] = new[:, longest]
        return q

    def _project(self, panel: Floats) -> Doubles:
        """Subtract the projection of a panel on the basis; return its coefficients."""
        known = self.vectors()
        share = self._blocks.inner(known, panel)
        self._blocks.subtract(panel, known, share)
        return share


class Confirmation:
    """Checks that no value was missed among those that have converged.

    A Krylov space that grows from one panel holds at most PANEL vectors of a repeated value. If
    PANEL or more of the values found are equal, there may be others, which are only found from new
    random vectors. The iteration is therefore restarted until the values do not change.
    """

    STEPS = 4  # after a restart, before the values are checked again

    def __init__(self, tol: float) -> None:
        self.restarts = 0
        self._tol = max(tol, NOISE)
        self._known: Doubles | None = None

    def needs_restart(self, values: Doubles, largest: float) -> bool:
        """Return whether to continue from a random panel, now that these values have converged.

        `largest` is the largest magnitude of all values; tolerances are relative to it.
        """
        known, self._known = self._known, values
        if known is not None and np.all(np.abs(known - values) <= self._tol * largest):
            return False
        # The error of a value is of the order of the square of its residual. If a loose tolerance
        # were used instead, any dense part of a spectrum would look like one repeated value.
        slack = min(max(EQUAL, self._tol**2), LOOSEST) * largest
        ordered = np.sort(values[np.abs(values) > slack])
        repeated = bool(np.any(ordered[PANEL - 1 :] - ordered[: 1 - PANEL] <= 2 * slack))
        self.restarts += repeated
        return repeated
