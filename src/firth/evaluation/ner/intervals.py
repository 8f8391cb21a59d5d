"""Intervals of F1, and of the difference of two: a bootstrap over the sentences of a test.

Sentences are drawn with replacement, as many as there are, and F1 is computed from the sums of
their entities. Two taggers are compared on the same draws. The draws come from a generator keyed by
the seed, so intervals are the same on every machine.

The intervals show how F1 varies with the sentences of the test, for taggers as they were trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.evaluation.ner.spans import EntityScores

BLOCK = 64  # resamples at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A value and its bootstrap interval.

    Attributes
    ----------
    value
        The value on all sentences.
    low, high
        The ends of the interval.
    p
        The two-sided p-value: twice the share of resamples on the other side of 0, and at least
        1 / resamples.
    """

    value: float
    low: float
    high: float
    p: float

    @property
    def without_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low > 0 or self.high < 0


def f1_interval(
    scores: EntityScores | Sequence[EntityScores],
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return F1 and its interval; for several taggers, the mean of their F1.

    Examples
    --------
    >>> from firth.evaluation.ner import evaluate_entities
    >>> scores = evaluate_entities([["B-a"], ["B-a"], ["O"]], [["B-a"], ["O"], ["O"]])
    >>> interval = f1_interval(scores)
    >>> round(interval.value, 3), round(interval.low, 3), interval.high
    (0.667, 0.0, 1.0)
    """
    table = _table(scores)
    return _interval(_f1(table.sum(axis=1)), _resampled(table, resamples, seed), level)


def difference_interval(
    scores: EntityScores | Sequence[EntityScores],
    base: EntityScores | Sequence[EntityScores],
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return F1 less that of other taggers on the same test, and its interval.

    Examples
    --------
    >>> from firth.evaluation.ner import evaluate_entities
    >>> one = evaluate_entities([["B-a"], ["B-a"]], [["B-a"], ["B-a"]])
    >>> difference_interval(one, one)
    Interval(value=0.0, low=0.0, high=0.0, p=1.0)
    """
    ours, theirs = _table(scores), _table(base)
    if not np.array_equal(ours[0, :, 2], theirs[0, :, 2]):
        raise FirthError("taggers can only be compared on the same sentences")
    value = _f1(ours.sum(axis=1)) - _f1(theirs.sum(axis=1))
    both = _resampled(ours, resamples, seed) - _resampled(theirs, resamples, seed)
    return _interval(value, both, level)


def _table(scores: EntityScores | Sequence[EntityScores]) -> NDArray[np.int64]:
    """Return correct, predicted and gold of each tagger and sentence."""
    several = [scores] if isinstance(scores, EntityScores) else list(scores)
    if not several or not len(several[0].sentences):
        raise FirthError("an interval needs sentences")
    return np.stack([one.sentences for one in several])


def _f1(sums: NDArray[np.int64]) -> Floats:
    """Return F1, averaged over taggers, the first axis."""
    both = sums[..., 1] + sums[..., 2]
    each = np.where(both > 0, 2 * sums[..., 0] / np.maximum(both, 1), 0.0)
    mean: Floats = each.mean(axis=0)
    return mean


def _resampled(table: NDArray[np.int64], resamples: int, seed: int) -> Floats:
    """Return the mean F1 of each resample of the sentences."""
    if resamples < 1:
        raise FirthError(f"`resamples` must be 1 or more, not {resamples!r}")
    size = table.shape[1]
    random = np.random.Generator(np.random.Philox(key=[seed, size]))
    found = []
    for begin in range(0, resamples, BLOCK):
        draws = random.integers(size, size=(min(BLOCK, resamples - begin), size))
        times = np.stack([np.bincount(draw, minlength=size) for draw in draws])
        found.append(_f1(np.einsum("rs,tsk->trk", times, table)))
    return np.concatenate(found)


def _interval(value: Floats, found: Floats, level: float) -> Interval:
    if not 0 < level < 1:
        raise FirthError(f"`level` must be above 0 and below 1, not {level!r}")
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    beyond = min(np.mean(found <= 0), np.mean(found >= 0))
    p = min(1.0, max(2 * float(beyond), 1 / len(found)))
    return Interval(float(value), float(low), float(high), p)
