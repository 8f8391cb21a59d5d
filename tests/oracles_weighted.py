"""The weighted factorisation, slowly: every pair of a dense matrix, in double precision."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Pairs:
    """A dense matrix whose every pair has a target, a weight and a ridge.

    `weights` are what seen pairs weigh beyond z_i y_j, `seen` tells which they are.
    """

    targets: np.ndarray
    weights: np.ndarray
    seen: np.ndarray
    z: np.ndarray
    y: np.ndarray
    ridge_row: np.ndarray
    ridge_column: np.ndarray
    unseen: bool = True
    floor: float = 0.0

    @property
    def whole(self):
        """What each pair weighs."""
        spread = np.outer(self.z, self.y) * self.unseen
        return np.where(self.seen, self.weights, 0.0) + spread

    @property
    def goal(self):
        return np.where(self.seen, self.targets, self.floor)

    @property
    def ridge(self):
        """What draws each pair to zero."""
        return np.outer(self.ridge_row, self.y) + np.outer(self.z, self.ridge_column)

    def objective(self, left, right):
        model = left @ right.T
        return float(np.sum(self.whole * (model - self.goal) ** 2) + np.sum(self.ridge * model**2))

    def gradient(self, left, right):
        """By the left factor."""
        model = left @ right.T
        return 2 * (self.whole * (model - self.goal) + self.ridge * model) @ right

    def best_rows(self, right):
        """The left factor that minimises the objective, of least length where many do."""
        rows = []
        for weight, ridge, goal in zip(self.whole, self.ridge, self.goal, strict=True):
            normal = (right.T * (weight + ridge)) @ right
            rows.append(
                np.linalg.pinv(normal, rcond=1e-10, hermitian=True) @ right.T @ (weight * goal)
            )
        return np.array(rows)

    def after_steps(self, left, right, steps):
        """The left factor after steps of conjugate gradients, in these very coordinates."""
        out = []
        rows = zip(self.whole, self.ridge, self.goal, left, strict=True)
        for weight, ridge, goal, start in rows:
            normal = (right.T * (weight + ridge)) @ right
            x = start.astype(np.float64)
            residual = right.T @ (weight * goal) - normal @ x
            direction = residual.copy()
            for _ in range(steps):
                length = direction @ normal @ direction
                if length <= 0:
                    break
                square = residual @ residual
                x = x + square / length * direction
                residual = residual - square / length * (normal @ direction)
                direction = residual + residual @ residual / square * direction
            out.append(x)
        return np.array(out)
