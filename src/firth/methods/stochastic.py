"""One step of a generalised low-rank model by stochastic gradients, as the paper fits it."""

from __future__ import annotations

from firth.linalg.adagrad import Cells, adagrad
from firth.linalg.alternating import objective_of
from firth.methods.irls import Course, Reweighted
from firth.methods.working import Point


def descend(model: Reweighted, epochs: int, rate: float, batch: int, seed: int) -> Course:
    """Fit the weights and responses of the counts as they are."""
    rows = model.rows
    weights, responses, _ = rows.weighed(None, 1.0)
    problem = model.problem(None, 1.0)
    left, right, objective = adagrad(
        Cells(rows.starts, rows.columns, weights, responses, (len(rows.starts) - 1, rows.width)),
        model.bias,
        biases=model.biases,
        ridges=(problem.ridge_row, problem.ridge_column),
        epochs=epochs,
        rate=rate,
        batch=batch,
        seed=seed,
        resources=model.resources,
    )
    found = rows.deviance(Point.of(left, right, model.bias))
    objective.append(objective_of(problem, left, right, model.resources.threads))
    course = Course(left, right)
    course.history.append(
        {"step": 1, "pace": 1.0, "objective": objective, "deviance": float(found[0].sum())}
    )
    return course
