"""Sums of the rows and columns of counts, and the weights of pairs that follow from them.

They are what a weighted factorisation knows of a word beside its own counts, so with them and the
factors a space can solve for a word that it has not seen (`firth.space.placing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Weighing, factors

Doubles = NDArray[np.float64]

SETTINGS = ("alpha", "shift", "seen", "unseen", "unseen_share", "ridge")


@dataclass(frozen=True, eq=False)
class Side:
    """What is known of the rows of a matrix of counts, or of its columns.

    Attributes
    ----------
    frequencies
        The sums of their counts.
    factors
        What each brings to the ratio of a count to what one expects.
    weights
        z of rows, y of columns: every pair weighs their product.
    ridges
        λ of rows, μ of columns; see `firth.linalg.alternating`.
    """

    frequencies: Doubles
    factors: Doubles
    weights: Doubles
    ridges: Doubles


@dataclass(frozen=True, eq=False)
class Marginals:
    """Sums of counts, and how the weighted factorisation makes targets and weights of them.

    Attributes
    ----------
    row_frequencies, column_frequencies
        The sums of the counts of each row and of each column.
    row_weights, column_weights
        The sums of x^p over the counts x of each row and of each column.
    alpha, shift, seen, unseen, unseen_share, ridge
        The parameters of `firth.methods.Weighted`.
    mirrored
        Whether a word occurs as a context of another as often as that one as a context of it, on
        the other side where sides are told apart.

    Examples
    --------
    >>> sums = np.array([3.0, 1.0])
    >>> known = Marginals(sums, sums, np.array([2.0, 1.0]), np.array([2.0, 1.0]), unseen_share=2.0)
    >>> rows, columns = known.sides()
    >>> round(float(rows.weights.sum() * columns.weights.sum()), 6)
    6.0
    """

    row_frequencies: Doubles
    column_frequencies: Doubles
    row_weights: Doubles
    column_weights: Doubles
    alpha: float = 0.4
    shift: float = -1.0
    seen: float = 0.5
    unseen: float = 0.4
    unseen_share: float = 1.5
    ridge: float = 0.01
    mirrored: bool = False

    def settings(self) -> dict[str, Any]:
        """Return everything but the sums, as plain data."""
        return {name: getattr(self, name) for name in (*SETTINGS, "mirrored")}

    def sides(self) -> tuple[Side, Side]:
        """Compute what is known of rows and of columns."""
        weighing = Weighing(
            scale="log1p", alpha=self.alpha, word_alpha=self.alpha, shift=self.shift
        )
        of_row, of_column = factors(weighing, self.row_frequencies, self.column_frequencies)
        z, y = np.ones_like(self.row_frequencies), np.ones_like(self.column_frequencies)
        row_weights, column_weights = self.row_weights, self.column_weights
        if self.unseen_share:
            root = np.sqrt(self.unseen_share * float(row_weights.sum()))
            z = root * _shares(self.row_frequencies, self.unseen)
            y = root * _shares(self.column_frequencies, self.unseen)
            row_weights = row_weights + z * y.sum()
            column_weights = column_weights + y * z.sum()
        return (
            Side(self.row_frequencies, of_row, z, self.ridge * row_weights / total(y)),
            Side(self.column_frequencies, of_column, y, self.ridge * column_weights / total(z)),
        )

    def seen_shares(
        self, places: Sequence[int], columns: Sequence[NDArray[np.int32]]
    ) -> tuple[float, ...]:
        """Return for some rows which share of their weight is on the cells that were seen.

        Parameters
        ----------
        places, columns
            The rows, and the columns that were seen in each.
        """
        row, column = self.sides()
        if not self.unseen_share:
            return (1.0,) * len(places)
        found = []
        for place, seen in zip(places, columns, strict=True):
            spread = row.weights[place] * column.weights
            on_seen = self.row_weights[place] + spread[seen].sum()
            found.append(float(on_seen / max(on_seen + _rest(spread, seen), np.finfo(float).tiny)))
        return tuple(found)


def _rest(spread: Doubles, seen: NDArray[np.int32]) -> float:
    """Return the sum of all entries but some."""
    others = np.ones(len(spread), dtype=bool)
    others[seen] = False
    return float(spread[others].sum())


def _shares(frequencies: Doubles, power: float) -> Doubles:
    """Return frequencies to a power, as parts of one."""
    raised = raised_to(frequencies, power)
    return raised / total(raised)


def raised_to(frequencies: Doubles, power: float) -> Doubles:
    """Return frequencies to a power; zeros stay zeros, whatever the power.

    Examples
    --------
    >>> raised_to(np.array([0.0, 4.0]), 0.5).tolist(), raised_to(np.array([0.0]), 0).tolist()
    ([0.0, 2.0], [0.0])
    """
    return np.where(frequencies > 0, np.where(frequencies > 0, frequencies, 1.0) ** power, 0.0)


def total(values: Doubles) -> float:
    """Return the sum of weights, and not zero."""
    return max(float(values.sum()), np.finfo(float).tiny)
