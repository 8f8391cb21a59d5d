"""The negative binomial distribution: Poisson counts whose means vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from firth.methods.families.family import Doubles, Family, times_log


@dataclass(frozen=True)
class NegativeBinomial(Family):
    """Logarithmic link, variance μ + a μ².

    Attributes
    ----------
    dispersion
        a: how much means vary beyond what is modelled.
    """

    name: ClassVar[str] = "negative_binomial"

    dispersion: float = 1.0

    def variance(self, mean: Doubles) -> Doubles:
        """Return μ + a μ²."""
        return mean * (1 + self.dispersion * mean)

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return 2 (y log(y / μ) - (y + 1/a) log((1 + a y) / (1 + a μ)))."""
        a = self.dispersion
        ratio = np.log1p(a * y) - np.log1p(a * mean)
        return np.asarray(2 * (times_log(y, y / mean) - (y + 1 / a) * ratio))
