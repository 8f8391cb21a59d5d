"""Tweedie's distributions of power 1 to 2: sums of Poisson many gamma variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from firth.methods.families.family import Doubles, Family


@dataclass(frozen=True)
class Tweedie(Family):
    """Logarithmic link, variance μ^p; one step with p = 1.25 is GloVe.

    Attributes
    ----------
    power
        p, between 1 and 2.
    """

    name: ClassVar[str] = "tweedie"

    power: float = 1.25

    def variance(self, mean: Doubles) -> Doubles:
        """Return μ^p."""
        return np.asarray(mean**self.power)

    def weight(self, mean: Doubles) -> Doubles:
        """Return μ^(2 - p)."""
        return np.asarray(mean ** (2 - self.power))

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return 2 (y^(2-p) / (1-p)(2-p) - y μ^(1-p) / (1-p) + μ^(2-p) / (2-p))."""
        one, two = 1 - self.power, 2 - self.power
        raised = mean**two
        own = np.where(y > 0, y, 0.0) ** two
        return np.asarray(2 * (own / (one * two) - y * raised / mean / one + raised / two))
