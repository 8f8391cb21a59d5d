"""Iteratively reweighted least squares for low-rank models.

Each step takes weights and responses from the model so far and fits a low-rank model to them by
alternating least squares: algorithm 1 of Interpreting Word Embeddings with Generalized Low Rank
Models. A step that would raise the penalised deviance is taken again, more slowly: weights are
divided by a pace below one, and responses lie that share of the way from the model. Least squares
then lower a function that bends more than the deviance and touches it at the model so far, so that
at a small enough pace the penalised deviance cannot rise. A step for which no pace is small enough
is reported as stalled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.linalg.alternating import Weighted as Problem
from firth.linalg.alternating import alternate
from firth.linalg.frames import grams, padded
from firth.linalg.products import one_blas_thread
from firth.methods.working import AllCells, Doubles, Floats, Point, Working
from firth.resources import Resources

SLOWEST = 2.0**-8  # the smallest pace that is tried
_LEAST = 1e-6  # of the mean, that a row or column weighs at least
_ROUNDING = 1e-6  # of a penalised deviance, that may be rounding
_SETTLED = 1e-5  # of a penalised deviance: steps that lower it by less are the last


@dataclass(frozen=True)
class Steps:
    """How far to go.

    Attributes
    ----------
    steps
        Of reweighting, at most.
    sweeps, tol, gradients
        The most sweeps in a step, the relative fall of the objective that ends them, and the steps
        of conjugate gradients in each.
    penalty
        λ.
    by_weight
        Whether λ multiplies the sum of a row's weights.
    pace
        See `Working.weigh`.
    """

    steps: int
    sweeps: int
    tol: float
    gradients: int
    penalty: float
    by_weight: bool = False
    pace: float = 1.0


@dataclass(eq=False)
class Course:
    """Both sides of a model, and what happened to them.

    Attributes
    ----------
    left, right
        Aligned rows: vectors, then biases as the coordinate `bias`.
    history
        A mapping for each step.
    stalled
        The step that could not be taken, and its worst row.
    """

    left: Floats
    right: Floats
    history: list[dict[str, Any]] = field(default_factory=list)
    stalled: dict[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class Reweighted:
    """A generalised low-rank model of counts.

    Attributes
    ----------
    rows, columns
        The counts by row, and those of the transpose.
    symmetric
        Whether both are the same.
    bias
        The coordinate of the biases.
    biases
        Whether rows and columns have them.
    going
        How far to go.
    resources
        Threads and progress.
    """

    rows: Working
    columns: Working
    symmetric: bool
    bias: int
    biases: tuple[bool, bool]
    going: Steps
    resources: Resources

    def fit(self, left: NDArray[np.floating], right: NDArray[np.floating], known: bool) -> Course:
        """Take the steps.

        Parameters
        ----------
        left, right
            Vectors and biases to start from.
        known
            Whether the first weights are those at the start; else those of means that are equal to
            the counts.
        """
        course = Course(padded(left), padded(right))
        with one_blas_thread(self.resources.threads):  # or the last bits would depend on processors
            self._go(course, known)
        return course

    def _go(self, course: Course, known: bool) -> None:
        """Take the steps of a course."""
        point = Point.of(course.left, course.right, self.bias) if known else None
        fallen: Doubles | None = None if point is None else self.rows.deviance(point)
        for step in range(1, self.going.steps + 1):
            pace = self.going.pace
            while True:
                problem = self.problem(point, pace)
                taken = self._taken(course, problem)
                found = self.rows.deviance(taken[2])
                before = None
                if fallen is not None:
                    before = self._penalised(problem, fallen, course.left, course.right)
                after = self._penalised(problem, found, *taken[:2])
                del problem  # before another one is laid out
                if np.isfinite(after) and (before is None or not self._rises(before, after)):
                    break
                pace /= 2
                self._tell(f"step {step} would raise the deviance: trying a pace of {pace:g}")
                if pace < SLOWEST:
                    risen = found[0] if fallen is None else found[0] - fallen[0]
                    worst = int(np.argmax(np.nan_to_num(risen, nan=np.inf)))
                    course.stalled = {"step": step, "row": worst}
                    return
            course.left, course.right, point, objective = taken
            fallen = found
            course.history.append(
                {
                    "step": step,
                    "pace": pace,
                    "objective": list(objective),
                    "deviance": float(found[0].sum()),
                    "penalised": after,
                }
            )
            self._tell(f"step {step}: deviance {found[0].sum():.5g}")
            if before is not None and before - after <= _SETTLED * abs(before):
                break

    def _rises(self, before: float, after: float) -> bool:
        """Return whether a penalised deviance rises by more than rounding."""
        slack = _ROUNDING * abs(before)
        return after > before + slack and after > before + slack + self.rows.rounding

    def _tell(self, text: str) -> None:
        if self.going.steps > 1:
            self.resources.report("sweeping", text)

    def _taken(
        self, course: Course, problem: Problem
    ) -> tuple[Floats, Floats, Point, tuple[float, ...]]:
        """Return both sides after a step."""
        going = self.going
        left, right, objective = alternate(
            problem,
            course.left,
            course.right,
            sweeps=going.sweeps,
            steps=going.gradients,
            tol=going.tol,
            resources=self.resources,
        )
        return left, right, Point.of(left, right, self.bias), objective

    def problem(self, point: Point | None, pace: float) -> Problem:
        """Lay out the least squares of a step."""
        rows, columns, of_rows, of_columns = self._cells(point, pace)
        own, other = self.rows.rows_known.unseen, self.rows.columns_known.unseen
        unseen = bool(own.any())
        going = self.going
        ridge_row, ridge_column = (
            going.penalty * sums if going.by_weight else np.full(len(sums), going.penalty / 2)
            for sums in (of_rows, of_columns)
        )
        if not unseen:  # these only precondition
            own, other = _at_least(of_rows), _at_least(of_columns)
        return Problem(
            rows,
            columns,
            own,
            other,
            ridge_row,
            ridge_column,
            unseen=unseen,
            floor=self.rows.look.floor if unseen else 0.0,
            plain=True,
            bias=self.bias,
            biases=self.biases,
        )

    def _cells(self, point: Point | None, pace: float) -> tuple[Any, Any, Doubles, Doubles]:
        """Return the cells by row and by column, and what rows and columns weigh."""
        if self.rows.dense:
            assert point is not None
            turned = point.turned()
            of_rows = self.rows.row_sums(point, pace)
            of_columns = self.columns.row_sums(turned, pace)
            rows, columns = AllCells(self.rows, point, pace), AllCells(self.columns, turned, pace)
            return rows, columns, of_rows, of_columns
        cells, of_rows = self.rows.weigh(point, pace)
        if self.symmetric and point is None:
            return cells, cells, of_rows, of_rows
        turned_cells, of_columns = self.columns.weigh(
            None if point is None else point.turned(), pace
        )
        return cells, turned_cells, of_rows, of_columns

    def _penalised(self, problem: Problem, fallen: Doubles, left: Floats, right: Floats) -> float:
        """Return the deviance with what the penalty and unseen cells add to it."""
        total = float(fallen[0].sum() - fallen[1].sum())
        for side, ridge in ((left, problem.ridge_row), (right, problem.ridge_column)):
            vectors = side[:, : self.bias]
            total += float(ridge @ np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
        if problem.unseen:
            point = Point.of(left, right, self.bias)
            point.columns[:, self.bias + 1] -= np.float32(problem.floor)
            with one_blas_thread(self.resources.threads) as blocks:
                (of_rows,) = grams(blocks, point.rows, problem.of_row)
                (of_columns,) = grams(blocks, point.columns, problem.of_column)
            total += float(np.sum(of_rows * of_columns))
        return total


def _at_least(sums: Doubles) -> Doubles:
    """Return weights of rows relative to their mean, none of them nothing."""
    mean = float(sums.mean()) or 1.0
    return np.maximum(sums / mean, _LEAST)
