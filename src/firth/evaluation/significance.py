"""Intervals of scores, and tests of whether two scores differ.

Intervals are percentiles of a bootstrap over items. Two correlations with the same human scores are
compared by Williams's t, as J. H. Steiger (1980, Tests for comparing elements of a correlation
matrix) advises, and by a paired bootstrap. Two accuracies on the same questions are compared by
McNemar's exact test and by the posterior under flat Beta priors. Several comparisons are corrected
by Holm's procedure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

CELLS = 2**18  # numbers in a block of resamples; fixed, because random draws depend on it
WHOLE = (
    1e-12  # how near to 1 or -1 a correlation counts as it: fewer ranks than 20,000 miss by more
)


def correlation(a: Doubles, b: Doubles) -> float | None:
    """Return Spearman's rank correlation, with mean ranks for ties; None if it is not defined.

    Examples
    --------
    >>> correlation(np.array([1.0, 2, 3, 4]), np.array([10.0, 20, 40, 30]))
    0.8
    >>> correlation(np.array([1.0, 1, 1]), np.array([1.0, 2, 3])) is None
    True
    """
    found = _correlations(_Ranks(a), _Ranks(b), np.ones((1, len(a)), dtype=np.int64))[0]
    return None if np.isnan(found) else float(found)


class _Ranks:
    """Ranks of the numbers of a resample, in which each may occur several times or never."""

    def __init__(self, values: Doubles) -> None:
        _, self._group = np.unique(values, return_inverse=True)
        self._order = np.argsort(self._group, kind="stable")
        self._begins = np.searchsorted(
            self._group[self._order], np.arange(self._group.max(initial=-1) + 1)
        )

    def centred(self, times: Integers) -> Integers:
        """Return twice the distance of each rank from the mean rank, as whole numbers."""
        if not len(self._group):
            return times
        ties = np.add.reduceat(times[:, self._order], self._begins, axis=1)
        doubled = 2 * np.cumsum(ties, axis=1) - ties + 1  # of mean ranks, which may end in a half
        whole = times.sum(axis=1, keepdims=True)
        return np.asarray((doubled - (whole + 1))[:, self._group])


def _correlations(a: _Ranks, b: _Ranks, times: Integers) -> Doubles:
    """Correlate ranks, once for every row of `times`, which says how often each item occurs."""
    x, y = (ranks.centred(times).astype(np.float64) for ranks in (a, b))
    # Whole numbers below 2^53: the sums are exact in any order.
    both, first, second = (
        np.einsum("ij,ij,ij->i", times.astype(np.float64), p, q)
        for p, q in ((x, y), (x, x), (y, y))
    )
    lengths = np.sqrt(first * second)  # exact for ranks that are the same
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(lengths > 0, np.clip(both / lengths, -1, 1), np.nan)


def _resampled(items: int, resamples: int, seed: int) -> Any:
    """Draw, block by block, how often each item occurs in each bootstrap sample."""
    rows = max(1, CELLS // max(items, 1))
    for number, begin in enumerate(range(0, resamples, rows)):
        generator = np.random.Generator(np.random.Philox(key=[seed, number]))
        count = min(rows, resamples - begin)
        drawn = generator.integers(0, items, size=(count, items))
        drawn += items * np.arange(count)[:, None]
        times = np.bincount(drawn.ravel(), minlength=count * items)
        yield times.reshape(count, items)


def _percentiles(samples: Doubles, level: float) -> tuple[float, float] | None:
    defined = samples[~np.isnan(samples)]
    if 2 * len(defined) <= len(samples):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def correlation_interval(
    values: Doubles, gold: Doubles, resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """Return the bootstrap interval of Spearman's correlation; None if it is not defined.

    Samples in which all values are equal have no correlation, and are left out.
    """
    if correlation(values, gold) is None:
        return None
    a, b = _Ranks(values), _Ranks(gold)
    samples = [_correlations(a, b, t) for t in _resampled(len(values), resamples, seed)]
    return _percentiles(np.concatenate(samples), level)


def correlation_difference(
    first: Doubles,
    second: Doubles,
    gold: Doubles,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return the paired bootstrap interval of the second correlation with gold less the first."""
    if correlation(first, gold) is None or correlation(second, gold) is None:
        return None
    a, b, t = _Ranks(first), _Ranks(second), _Ranks(gold)
    samples = [
        _correlations(b, t, times) - _correlations(a, t, times)
        for times in _resampled(len(gold), resamples, seed)
    ]
    return _percentiles(np.concatenate(samples), level)


def mean_interval(
    values: Doubles, resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """Return the bootstrap interval of the mean of few distinct values, such as 0 and 1.

    A bootstrap sample of items is a multinomial sample of their values.

    Examples
    --------
    >>> low, high = mean_interval(np.repeat([0.0, 1.0], [40, 60]))
    >>> 0.49 < low < 0.52, 0.68 < high < 0.71
    (True, True)
    """
    if not len(values):
        return None
    distinct, counts = np.unique(values, return_counts=True)
    generator = np.random.Generator(np.random.Philox(key=[seed, 0]))
    drawn = generator.multinomial(len(values), counts / len(values), size=resamples)
    return _percentiles((drawn * distinct).sum(axis=1) / len(values), level)


def williams(first: float, second: float, between: float, items: int) -> float:
    """Return Williams's t for two correlations with the same variable.

    t = (r₁ - r₂) √((n-1)(1+r) / (2 |R| (n-1)/(n-3) + r̄² (1-r)³)) with n - 3 degrees of freedom, r̄
    the mean of r₁ and r₂, |R| = 1 - r₁² - r₂² - r² + 2 r₁ r₂ r (Steiger 1980, equation 7). At r = 1
    and r = -1 both terms of the fraction may vanish, and its limit is taken: zero for two that are
    the same, and for opposites, where r₂ = -r₁, the t of r₁ alone, r₁ √((n-3) / (1-r₁²)).

    Examples
    --------
    >>> round(williams(0.5, 0.4, 0.6, 103), 3)
    1.296
    >>> [round(williams(0.1, r * 0.1, r, 100), 3) for r in (-0.999999, -1.0)]
    [0.99, 0.99]
    """
    difference = first - second
    if 1 - between < WHOLE:
        return 0.0 if abs(difference) < np.sqrt(WHOLE) else float(np.copysign(np.inf, difference))
    if 1 + between < WHOLE:
        alone = difference / 2
        if 1 - abs(alone) < WHOLE:
            return float(np.copysign(np.inf, difference))
        return float(alone * np.sqrt((items - 3) / (1 - alone**2)))
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    below = 2 * max(determinant, 0.0) * (items - 1) / (items - 3) + mean**2 * (1 - between) ** 3
    above = (items - 1) * (1 + between)
    if below <= 0:  # the two together determine the human scores
        return float(np.copysign(np.inf, difference))
    return float(difference * np.sqrt(above / below))


def steiger(first: float, second: float, between: float, items: int) -> float | None:
    """Return the two-sided p-value of Williams's t; None for fewer than four items."""
    from scipy.stats import t as student

    if items < 4:
        return None
    return float(2 * student.sf(abs(williams(first, second, between, items)), items - 3))


def mcnemar(first_alone: int, second_alone: int) -> float:
    """Return McNemar's exact two-sided p-value, from the items that only one of the two got right.

    Examples
    --------
    >>> round(mcnemar(2, 10), 4), mcnemar(0, 0)
    (0.0386, 1.0)
    """
    from scipy.stats import binom

    differing = first_alone + second_alone
    if differing == 0:
        return 1.0
    return float(min(1.0, 2 * binom.cdf(min(first_alone, second_alone), differing, 0.5)))


def not_better(
    right_first: int, items_first: int, right_second: int, items_second: int, prior: float = 1.0
) -> float:
    """Return the posterior probability that the second is not better, under Beta(prior, prior).

    p(θ₁ > θ₂) = Σ B(a₂ + i, b₁ + b₂) / ((b₁ + i) B(1 + i, b₁) B(a₂, b₂)) over whole i from 0 to
    a₁ - 1; with a prior that leaves a₁ no whole number the integral is taken numerically.

    Examples
    --------
    >>> round(not_better(60, 80, 68, 80), 3)
    0.059
    >>> round(not_better(5, 10, 5, 10), 12)
    0.5
    """
    from scipy.integrate import quad
    from scipy.special import betaln
    from scipy.stats import beta

    a1, b1 = right_first + prior, items_first - right_first + prior
    a2, b2 = right_second + prior, items_second - right_second + prior
    if float(a1).is_integer():
        i = np.arange(int(a1), dtype=np.float64)
        terms = betaln(a2 + i, b1 + b2) - np.log(b1 + i) - betaln(1 + i, b1) - betaln(a2, b2)
        return float(min(1.0, np.exp(terms).sum()))
    return float(quad(lambda x: beta.pdf(x, a1, b1) * beta.cdf(x, a2, b2), 0, 1, limit=200)[0])


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct the p-values of several tests, to bound the probability of any false positive.

    S. Holm, 1979, A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> [round(p, 4) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty_like(p)
    out[order] = np.minimum(raised, 1.0)
    return [float(value) for value in out]
