"""Subsampling of frequent words: which tokens are dropped before windows are formed.

A word of relative frequency p is kept with probability √(t/p) + t/p, as in word2vec's program. A
hash of the token's place in the text decides, so the choice depends on the text and the seed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint32]

ALWAYS = 2**32 - 1  # kAlways in core/stream.hpp


@dataclass(frozen=True)
class Sampling:
    """How tokens of frequent words are dropped.

    Attributes
    ----------
    thresholds
        For each type of the corpus: a token is kept if its hash, of 32 bits, is below it.
    firsts
        For each part of the text, how many tokens precede it.
    key
        The seed of the hash.
    """

    thresholds: Ids
    firsts: Sequence[int]
    key: int

    def of_part(self, number: int, types: Ids) -> tuple[Ids, int, int]:
        """Return the thresholds of a part's types, the place of its first token, and the key."""
        return self.thresholds[types], self.firsts[number], self.key


def thresholds(frequencies: NDArray[np.int64], total: int, rate: float) -> Ids:
    """Compute the threshold of each word.

    Parameters
    ----------
    frequencies
        How often each word occurs; words of frequency 0 are always kept.
    total
        Tokens that are words of the vocabulary.
    rate
        The relative frequency t from which words are dropped, about: exactly, words of a relative
        frequency above 2.618 t are.

    Examples
    --------
    >>> found = thresholds(np.array([0, 1, 99]), 100, 0.01)
    >>> (found == ALWAYS).tolist(), round(float(found[2]) / 2**32, 4)
    ([True, True, False], 0.1106)
    """
    share = kept_share(frequencies, total, rate)
    return np.where(share < 1, share * 2**32, ALWAYS).astype(np.uint32)


def kept_share(frequencies: NDArray[np.int64], total: int, rate: float) -> NDArray[np.float64]:
    """Return which share of the tokens of each word subsampling keeps on average.

    Parameters
    ----------
    frequencies, total, rate
        As for `thresholds`.

    Examples
    --------
    >>> kept_share(np.array([0, 1, 99]), 100, 0.01).round(4).tolist()
    [1.0, 1.0, 0.1106]
    """
    ratio = rate * total / np.maximum(frequencies, 1)
    probability = np.where(frequencies > 0, np.sqrt(ratio) + ratio, 1.0)
    return np.minimum(probability, 1.0)
