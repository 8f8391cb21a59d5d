"""Generalised low-rank models, slowly: dense matrices in double precision."""

import numpy as np


def batches_of(drawn, batch, parts):
    """The cells of each batch, in the order in which parts of rows and columns are gone through."""
    for turn in range(parts):
        for part in range(parts):
            block = part * parts + (part + turn) % parts
            for first in range(drawn.begins[block], drawn.begins[block + 1], batch):
                yield slice(first, min(first + batch, drawn.begins[block + 1]))


def adagrad_epoch(drawn, left, right, squares, moves, penalties, penalised, batch, rate, parts):
    """One epoch of stochastic gradients, a batch at a time; changes all arrays in place."""
    loss = 0.0
    for cells in batches_of(drawn, batch, parts):
        gradients = np.zeros_like(left), np.zeros_like(right)
        times = np.zeros(len(left)), np.zeros(len(right))
        for i, j, w, t in zip(
            drawn.rows[cells], drawn.columns[cells], drawn.weights[cells], drawn.targets[cells],
            strict=True,
        ):  # fmt: skip
            error = left[i] @ right[j] - t
            loss += w * error**2
            gradients[0][i] += w * error * right[j]
            gradients[1][j] += w * error * left[i]
            times[0][i] += 1
            times[1][j] += 1
        for side, values in enumerate((left, right)):
            held = (times[side] * penalties[side])[:, None] * penalised * values
            gradient = (gradients[side] + held) * moves[side]
            gradient[times[side] == 0] = 0
            squares[side] += gradient**2
            values[:] = values - rate * gradient / np.sqrt(squares[side])
    return loss


class Model:
    """A dense matrix of weights and responses, with biases and plain ridges."""

    def __init__(self, weights, responses, ridge_row, ridge_column, biases):
        self.weights, self.responses = weights, responses
        self.ridges, self.biases = (ridge_row, ridge_column), biases

    def objective(self, left, right, own, other):
        model = left @ right.T + own[:, None] + other
        fit = np.sum(self.weights * (model - self.responses) ** 2)
        held = sum(
            float(ridge @ np.sum(side**2, axis=1))
            for ridge, side in zip(self.ridges, (left, right), strict=True)
        )
        return float(fit) + held

    def best_rows(self, right, other):
        """Vectors and biases of the rows that minimise the objective, the columns being fixed."""
        size = right.shape[1]
        sought = np.column_stack([right, np.ones(len(right))]) if self.biases[0] else right
        out = np.zeros((len(self.weights), size + 1))
        for i, (weight, response) in enumerate(zip(self.weights, self.responses, strict=True)):
            held = np.zeros(sought.shape[1])
            held[:size] = self.ridges[0][i]
            normal = (sought.T * weight) @ sought + np.diag(held)
            found = np.linalg.pinv(normal, rcond=1e-12, hermitian=True) @ sought.T
            out[i, : sought.shape[1]] = found @ (weight * (response - other))
        return out[:, :size], out[:, size]
