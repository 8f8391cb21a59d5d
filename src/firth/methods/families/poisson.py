"""Counts of independent events, and the multinomial distribution, which is Poisson by rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firth.methods.families.family import Doubles, Family, times_log


@dataclass(frozen=True)
class Poisson(Family):
    """Logarithmic link, variance μ."""

    name: ClassVar[str] = "poisson"

    def variance(self, mean: Doubles) -> Doubles:
        """Return μ."""
        return mean

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return 2 (y log(y / μ) - y + μ)."""
        return 2 * (times_log(y, y / mean) - y + mean)


@dataclass(frozen=True)
class Multinomial(Poisson):
    """Each row is drawn from one softmax over the contexts, as skip-gram without sampling has it.

    Given the sum of a row, Poisson counts are multinomial; a free bias of the row makes the sum
    what it is (A. Agresti, 2014, Foundations of Linear and Generalized Linear Models, 7.2). The
    softmax has all contexts below the line, so unseen pairs are part of the objective.
    """

    name: ClassVar[str] = "multinomial"
    biases: ClassVar[str] = "rows"
    needs_zeros: ClassVar[bool] = True
