"""The normal distribution: least squares of the counts as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from firth.methods.families.family import Doubles, Family


@dataclass(frozen=True)
class Gaussian(Family):
    """Identity link, constant variance."""

    name: ClassVar[str] = "gaussian"
    is_log: ClassVar[bool] = False

    def link(self, mean: Doubles) -> Doubles:
        """Return μ."""
        return mean

    def mean(self, predictor: Doubles) -> Doubles:
        """Return η."""
        return predictor

    def slope(self, mean: Doubles) -> Doubles:
        """Return 1."""
        return np.ones_like(mean)

    def variance(self, mean: Doubles) -> Doubles:
        """Return 1."""
        return np.ones_like(mean)

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return the squared error."""
        return (y - mean) ** 2
