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


def new_row(fitted, row, frequencies, contexts, *, alpha, shift, seen, unseen, unseen_share, ridge):
    """The row of a new word, and how many dimensions its counts settle, over all pairs.

    `fitted` are the counts that `contexts` were learnt from, `frequencies` those of its rows and of
    its columns.
    """

    def raised(f, power):
        return np.where(f > 0, np.where(f > 0, f, 1.0) ** power, 0.0)

    of_row, of_column = (np.asarray(f, dtype=float) for f in frequencies)
    own = row.sum()
    whole = raised(of_column, alpha).sum() * raised(of_row, alpha).sum() / of_row.sum()
    ratio = np.divide(
        row * whole,
        own**alpha * raised(of_column, alpha),
        out=np.zeros_like(row),
        where=of_column > 0,
    )
    targets = np.log1p(np.exp(-shift) * ratio)
    weights = np.where(row > 0, row**seen, 0.0)
    met = np.where(fitted > 0, fitted**seen, 0.0)
    z, y, all_z = 1.0, np.ones(len(of_column)), np.ones(len(of_row))
    spread = np.zeros_like(row)
    if unseen_share:
        root = np.sqrt(unseen_share * met.sum())
        y = root * raised(of_column, unseen) / raised(of_column, unseen).sum()
        all_z = root * raised(of_row, unseen) / raised(of_row, unseen).sum()
        z = root * own**unseen / raised(of_row, unseen).sum()
        spread = z * y
    of_whole_column = met.sum(axis=0) + (all_z.sum() * y if unseen_share else 0)
    drawn = (
        ridge * (weights + spread).sum() / y.sum() * y + z * ridge * of_whole_column / all_z.sum()
    )
    heavy = (contexts.T * weights) @ contexts
    normal = (contexts.T * (weights + spread + drawn)) @ contexts
    inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
    found = inverse @ contexts.T @ ((weights + spread) * targets)
    return found, float(np.trace(inverse @ heavy))
