"""Chunks of text as streams of ids, with the neighbouring words across their edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.sampling import Sampling
from firth.counts.selection import Selection
from firth.text.parts import ordered

Ids = NDArray[np.uint32]
Stream = NDArray[np.uint16] | NDArray[np.uint32]  # the largest number ends a line
MOST_NARROW = np.iinfo(np.uint16).max  # how many ids fit a stream of 16 bits
# Returns a part's tokens, and the corpus-wide id of each of its types.
Fetch = Callable[[int], tuple[Ids, Ids]]


@dataclass(frozen=True)
class Chunk:
    """The parts [first_part, last_part), as ids of rows and of contexts.

    The chunk counts the positions [begin, end). Before and after them are up to a window of
    positions of the neighbouring chunks, which are only contexts here. Both streams are the same
    array if one vocabulary begins with the other.
    """

    first_part: int
    last_part: int
    rows: Stream
    contexts: Stream
    begin: int
    end: int
    sampled_out: int = 0  # tokens of the chunk that subsampling dropped


def group(lengths: Sequence[int], first: int, most: Callable[[int], int]) -> list[tuple[int, int]]:
    """Group parts, from `first` on, into chunks of at most `most(part)` positions each.

    Examples
    --------
    >>> group([5, 5, 5, 2], 0, lambda part: 10)
    [(0, 2), (2, 4)]
    """
    groups: list[tuple[int, int]] = []
    room = 0
    for part in range(first, len(lengths)):
        if groups and lengths[part] <= room:
            groups[-1] = (groups[-1][0], part + 1)
        else:
            groups.append((part, part + 1))
            room = most(part)
        room -= lengths[part]
    return groups


def chunks(
    groups: Sequence[tuple[int, int]],
    lengths: Sequence[int],
    fetch: Fetch,
    selection: Selection,
    window: int,
    threads: int,
    sampling: Sampling | None = None,
) -> Iterator[Chunk]:
    """Join the parts of each group into one chunk."""
    context_map = selection.row_ids if selection.context_ids is None else selection.context_ids
    narrow = selection.universe <= MOST_NARROW
    end_of_line = np.iinfo(np.uint16 if narrow else np.uint32).max

    def empty(size: int) -> Stream:
        return _core.empty(size, narrow)

    def contexts_of(part: int) -> Stream:
        ids, types = fetch(part)
        found = empty(len(ids))
        tokens = _tokens(part, ids, types, context_map, sampling)
        return found[: _core.place([tokens], found, 1)[0]]

    def before(part: int) -> Stream:
        """Return up to a window of the contexts that end just before a part."""
        found = empty(0)
        while part > 0 and len(found) < window:
            part -= 1
            found = np.concatenate([contexts_of(part), found])
        return found[-window:]

    def after(part: int) -> Stream:
        """Return up to a window of the contexts from the beginning of a part on."""
        found = empty(0)
        while part < len(lengths) and len(found) < window:
            found = np.concatenate([found, contexts_of(part)])
            part += 1
        return found[:window]

    def fetched(number: int, part: int) -> tuple[int, Ids, Ids]:
        del number
        return (part, *fetch(part))

    left = before(groups[0][0]) if groups else empty(0)
    for first, last in groups:
        room = sum(lengths[first:last]) + 2 * window + 2
        rows = empty(room)
        contexts = rows if selection.context_ids is None else empty(room)
        contexts[0] = end_of_line
        at = begin = 1 + len(left)
        contexts[1:begin] = left
        sampled_out = 0
        found = (tokens for _, tokens in ordered(fetched, range(first, last), threads))
        while batch := list(islice(found, 4 * threads)):
            parts = [_tokens(*part, selection.row_ids, sampling) for part in batch]
            size, dropped = _core.place(parts, rows[at:], threads)
            sampled_out += dropped
            if contexts is not rows:
                parts = [_tokens(*part, context_map, sampling) for part in batch]
                _core.place(parts, contexts[at:], threads)
            at += size
        # Kept for the next chunk, so that no part is fetched again.
        left = contexts[max(1, at - window) : at].copy()
        right = after(last) if contexts[at - 1] != end_of_line else empty(0)
        contexts[at : at + len(right)] = right
        contexts[at + len(right)] = end_of_line
        size = at + len(right) + 1
        yield Chunk(first, last, rows[:size], contexts[:size], begin, at, sampled_out)


def sampled_out(
    parts: Iterable[int], fetch: Fetch, selection: Selection, sampling: Sampling
) -> int:
    """Return how many tokens of some parts subsampling drops."""
    dropped = 0
    for part in parts:
        ids, types = fetch(part)
        scratch = _core.empty(len(ids))
        tokens = _tokens(part, ids, types, selection.row_ids, sampling)
        dropped += _core.place([tokens], scratch, 1)[1]
    return dropped


def _tokens(
    part: int, ids: Ids, types: Ids, id_of_type: Ids, sampling: Sampling | None
) -> _core.TokenPart:
    """Return a part as `_core.place` takes it."""
    if sampling is None:
        return ids, id_of_type[types]
    return ids, id_of_type[types], *sampling.of_part(part, types)
