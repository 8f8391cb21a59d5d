"""Pairs of neighbouring words, as whole numbers, from positional counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.matrix import Counts
from firth.counts.views import narrow
from firth.errors import FirthError

# The offsets of Stratos, Kim, Collins and Hsu (2014), section 6.1.
NEIGHBOURS: dict[str, tuple[int, ...]] = {"R1": (1,), "LR1": (-1, 1), "LR2": (-2, -1, 1, 2)}

IMPORTED = 80 << 20  # bytes that scipy and other modules take when they are first used


def neighbours(counts: Counts, offsets: tuple[int, ...]) -> Counts:
    """Count how often each word stands at each offset from each other word.

    Whatever the weighting of the counts is, all pairs at one offset have the same weight, so the
    numbers of pairs are recovered exactly.

    Parameters
    ----------
    counts
        Positional counts that reach as far as `offsets`; for the offset +1 alone also those of a
        window of one to the right.
    offsets
        Such as ``(-1, 1)``, rising.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a rose is a rose"], window=2, weighting="harmonic",
    ...                      context="positional", min_count=1)
    >>> neighbours(counts, (1,)).row("a")
    [('rose+1', 2)]
    """
    have = _offsets(counts)
    if not {*have} >= {*offsets}:
        raise _refusal(counts, max(offsets))
    if have == offsets and counts.denominator == 1:
        return counts if counts.offsets else replace(counts, offsets=offsets)
    starts, columns, values = counts.csr()
    width = len(counts.contexts)
    place = np.full(len(have), -1, dtype=np.int64)
    units = np.ones(len(have), dtype=np.int64)
    for number, offset in enumerate(have):
        if offset in offsets:
            place[number] = offsets.index(offset)
            units[number] = _units(counts, offset)
    block = columns // width
    kept = place[block] >= 0
    block = block[kept]
    pairs, rest = np.divmod(values[kept].astype(np.int64), units[block])
    if rest.any():
        raise FirthError("these counts are not whole numbers of pairs: " + _remedy(max(offsets)))
    running = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    recipe = replace(counts.recipe, context="positional", weighting="flat", window=max(offsets))
    return replace(
        counts,
        denominator=1,
        symmetric=None,
        offsets=offsets,
        recipe=recipe,
        starts=running[starts],
        columns=(columns[kept] % width + place[block] * width).astype(np.int32),
        values=narrow(pairs),
    )


def followers(counts: Counts) -> tuple[Any, NDArray[np.int64]]:
    """Return the matrix of pairs of a word and the next, and how often each word occurs.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a rose is a rose"], window=1, context="positional", min_count=1)
    >>> pairs, frequencies = followers(counts)
    >>> int(pairs[counts.words["a"], counts.words["rose"]]), frequencies.tolist()
    (2, [2, 2, 1])
    """
    if counts.contexts != counts.words:
        raise FirthError(
            "words and the words after them must be the same vocabulary: count without limits "
            "on contexts alone"
        )
    pairs = neighbours(counts, (1,)).to_scipy()
    frequencies = counts.words.frequencies
    if len(frequencies) and frequencies.min() < 1:
        word = counts.words.words[int(frequencies.argmin())]
        raise FirthError(f"the frequency of {word!r} is not known: give the words' frequencies")
    return pairs, frequencies


def _offsets(counts: Counts) -> tuple[int, ...]:
    """Return the offset of each block of columns; counts of the next word are one block."""
    if counts.offsets:
        return tuple(offset for offset in counts.offsets if isinstance(offset, int))
    recipe = counts.recipe
    alone = recipe.offset == 1 or (recipe.context == "right" and recipe.window == 1)
    return (1,) if alone else ()


def _units(counts: Counts, offset: int) -> int:
    """Return the units that one pair at an offset counts."""
    if counts.denominator != counts.recipe.denominator:
        return counts.denominator
    return counts.recipe.weights[abs(offset) - 1]


def _remedy(reach: int) -> str:
    return (
        f"make them with `count(context='positional', window={reach}, weighting='flat', "
        "rare='unk')`"
    )


def _refusal(counts: Counts, reach: int) -> FirthError:
    offsets = [offset for offset in counts.offsets if isinstance(offset, int)]
    if offsets:
        have = f"reach offset {max(offsets):+d}, and {reach:+d} is needed"
    elif isinstance(counts.recipe.context, str):
        have = f"are {counts.recipe.context}, and do not say at which offset a word stands"
    else:
        have = "do not say at which offset a word stands"
    return FirthError(f"these counts {have}: {_remedy(reach)}")
