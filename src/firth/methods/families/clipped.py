"""A family whose weights grow no more above a mean, as GloVe's do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from firth.methods.families.family import Doubles, Family


@dataclass(frozen=True)
class Clipped(Family):
    """A family of logarithmic link with the weight of min(μ, most) at μ, its response as it is.

    That is the weight of a variance μ² / W(most) above `most`, the gamma distribution's: what steps
    lower is a deviance too, the integral of that variance.

    Attributes
    ----------
    inner
        The family.
    most
        Where weights stop growing.

    Examples
    --------
    >>> from firth.methods.families import Tweedie
    >>> Clipped(Tweedie(1.25), 10.0).weight(np.array([1.0, 1e4])).round(4).tolist()
    [1.0, 5.6234]
    """

    name: ClassVar[str] = "clipped"

    inner: Family
    most: float

    def variance(self, mean: Doubles) -> Doubles:
        """Return the variance, and above `most` the one that leads to a constant weight."""
        return mean**2 / self.weight(mean)

    def weight(self, mean: Doubles) -> Doubles:
        """Return W of the smaller of μ and `most`."""
        return self.inner.weight(np.minimum(mean, self.most))

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return the deviance as far as `most`, and from there that of the gamma distribution."""
        below = self.inner.deviance(y, np.minimum(mean, self.most))
        at_most = self.inner.deviance(y, np.full_like(y, self.most))
        below = below - np.where(y > self.most, at_most, 0.0)
        high_y, high_mean = np.maximum(y, self.most), np.maximum(mean, self.most)
        heaviest = float(self.inner.weight(np.array([self.most]))[0])
        above = y / high_mean - y / high_y - np.log(high_y / high_mean)
        return np.asarray(below + 2 * heaviest * above)
