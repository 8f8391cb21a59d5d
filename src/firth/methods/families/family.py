"""What a family of distributions is: a link, a variance, a deviance.

A generalised low-rank model has g(μ_ij) = η_ij, and a variance of y_ij that is a function of μ_ij.
Iteratively reweighted least squares needs two numbers of a family at a mean μ:

    weight    W = 1 / (g'(μ)² Var(μ))
    response  z = η + g'(μ) (y - μ)

Equations 8 and 9 of Interpreting Word Embeddings with Generalized Low Rank Models. A unit deviance
D(y, μ) = 2 ∫_μ^y (y - t) / Var(t) dt is what they lower: by η, its slope is -2 W (z - η).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

LARGEST = 30.0  # of a linear predictor, by magnitude, that is taken as it is


@dataclass(frozen=True)
class Family:
    """A distribution, with a logarithmic link unless a family says otherwise.

    Class variables say how a family is used:

    name
        Of the parameter.
    biases
        The biases that its models have by default.
    needs_zeros
        Whether pairs that were not seen must be part of its objective.
    is_log
        Whether the link is the logarithm.

    Examples
    --------
    >>> from firth.methods.families import Poisson
    >>> mean = np.array([1.0, 4.0])
    >>> Poisson().weight(mean).tolist(), Poisson().response(np.array([2.0, 2.0]), mean).tolist()
    ([1.0, 4.0], [1.0, -0.5])
    """

    name: ClassVar[str] = ""
    biases: ClassVar[str] = "both"
    needs_zeros: ClassVar[bool] = False
    is_log: ClassVar[bool] = True

    def link(self, mean: Doubles) -> Doubles:
        """Return g(μ)."""
        return np.asarray(np.log(mean))

    def mean(self, predictor: Doubles) -> Doubles:
        """Return the μ of a linear predictor η."""
        return np.asarray(np.exp(np.clip(predictor, -LARGEST, LARGEST)))

    def slope(self, mean: Doubles) -> Doubles:
        """Return g'(μ)."""
        return 1.0 / mean

    def variance(self, mean: Doubles) -> Doubles:
        """Return the variance of y at μ, up to a factor."""
        raise NotImplementedError

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return twice what the logarithm of the likelihood lacks of the largest that y can have.

        At y = 0 and μ > 0 it is finite.
        """
        raise NotImplementedError

    def weight(self, mean: Doubles) -> Doubles:
        """Return W at μ."""
        return 1.0 / (self.slope(mean) ** 2 * self.variance(mean))

    def response(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return z - η: what the response is beyond the linear predictor."""
        return self.slope(mean) * (y - mean)


def times_log(y: Doubles, ratio: Doubles) -> Doubles:
    """Return y log(ratio), 0 where y is.

    Examples
    --------
    >>> times_log(np.array([0.0, 2.0]), np.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    seen = y > 0
    return np.asarray(np.where(seen, y * np.log(np.where(seen, ratio, 1.0)), 0.0))
