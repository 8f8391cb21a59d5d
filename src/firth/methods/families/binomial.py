"""The binomial distribution, whose deviance is the loss of skip-gram with negative sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from firth.methods.families.family import LARGEST, Doubles, Family, times_log


@dataclass(frozen=True)
class Binomial(Family):
    """Logistic link: the share of pairs that were seen, among them and those of negative sampling.

    The trials of a cell are its count y and the k t_i t_j / t samples of noise that negative
    sampling expects (Landgraf and Bellay, 2017, word2vec skip-gram with negative sampling is a
    weighted logistic PCA). They are on every cell, so unseen pairs are part of the objective.
    """

    name: ClassVar[str] = "binomial"
    biases: ClassVar[str] = "none"
    needs_zeros: ClassVar[bool] = True
    is_log: ClassVar[bool] = False

    def link(self, mean: Doubles) -> Doubles:
        """Return log(μ / (1 - μ))."""
        return np.asarray(np.log(mean) - np.log1p(-mean))

    def mean(self, predictor: Doubles) -> Doubles:
        """Return 1 / (1 + e^-η)."""
        return np.asarray(1 / (1 + np.exp(-np.clip(predictor, -LARGEST, LARGEST))))

    def slope(self, mean: Doubles) -> Doubles:
        """Return 1 / (μ (1 - μ))."""
        return 1 / self.variance(mean)

    def variance(self, mean: Doubles) -> Doubles:
        """Return μ (1 - μ) for one trial."""
        return mean * (1 - mean)

    def deviance(self, y: Doubles, mean: Doubles) -> Doubles:
        """Return 2 (y log(y / μ) + (1 - y) log((1 - y) / (1 - μ)))."""
        rest = 1 - y
        return 2 * (times_log(y, y / mean) + times_log(rest, rest / (1 - mean)))
