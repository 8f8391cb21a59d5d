"""Counts of new words over the contexts of a space, in whatever form they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.arrays import LIMIT
from firth.counts.blocks import SIDES, Block, Blocks, block_name
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe
from firth.counts.sampling import kept_share
from firth.errors import FirthError

if TYPE_CHECKING:
    from firth.space.space import Space

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NewRow:
    """The counts of one new word.

    Attributes
    ----------
    word
        The word.
    occurrences
        How often it occurs, 0 where that is unknown.
    columns
        The columns of its contexts, rising.
    counts
        How often each is near the word, by weight; above 0.
    frequency
        Their sum.
    distinct
        How many different contexts there are, on whatever side.
    """

    word: str
    occurrences: int
    columns: NDArray[np.int64]
    counts: Doubles
    frequency: float
    distinct: int


def new_rows(space: Space, contexts: Counts | Mapping[str, Any]) -> list[NewRow]:
    """Read counts of new words; contexts that the space does not have are left out.

    Parameters
    ----------
    space
        Where they are to be placed.
    contexts
        As for `Space.place`.
    """
    known = space.contexts
    assert known is not None
    if isinstance(contexts, Counts):
        found = _of_counts(space, contexts)
    elif isinstance(contexts, Mapping):
        found = _of_mapping(space, contexts)
    else:
        raise FirthError(
            "`contexts` must be Counts, or a mapping from each word to its contexts and their "
            f"counts, not {type(contexts).__name__}"
        )
    thinned = _thinning(space, contexts)
    rows = []
    for word, occurrences, columns, counts in found:
        kept = counts if thinned is None else counts * thinned[columns % len(known)]
        distinct = len(np.unique(columns % len(known)))
        rows.append(NewRow(word, occurrences, columns, kept, float(kept.sum()), distinct))
    if not rows:
        raise FirthError("there is no word to place: give one in `contexts`")
    return rows


_Found = Iterator[tuple[str, int, NDArray[np.int64], Doubles]]


def _blocks(space: Space) -> Blocks:
    return tuple(space.recipe.get("offsets") or ())


def _thinning(space: Space, contexts: Counts | Mapping[str, Any]) -> Doubles | None:
    """Return how much of each context subsampling left in the counts of the space.

    Few lines tell little of how frequent their words are, so new counts are not subsampled. They
    are multiplied by what would be left on average.
    """
    plain = space.recipe.get("counts")
    rate = Recipe.from_json(plain).subsample if plain else None
    if not isinstance(rate, float):
        return None
    if isinstance(contexts, Counts) and isinstance(contexts.recipe.subsample, float):
        return None
    known = space.contexts
    assert known is not None
    return kept_share(known.frequencies, int(known.frequencies.sum()), rate)


def _of_counts(space: Space, counts: Counts) -> _Found:
    """Read the rows of a matrix of counts."""
    known, blocks = space.contexts, _blocks(space)
    assert known is not None
    given = counts if blocks else counts.together()
    if given.offsets != blocks:
        wanted, has = (", ".join(map(block_name, b)) or "none" for b in (blocks, given.offsets))
        raise FirthError(
            f"the space has the blocks of contexts {wanted}, and the counts {has}: count with the "
            "`context` of the space"
        )
    width = len(given.contexts)
    places = np.array([known.index.get(word, -1) for word in given.contexts], dtype=np.int64)
    if not len(places) or places.max() < 0:
        raise FirthError("no context of these counts is a context of the space: check the text")
    starts, all_columns, values = given.csr()
    for number, word in enumerate(given.words):
        span = slice(int(starts[number]), int(starts[number + 1]))
        block, place = np.divmod(all_columns[span].astype(np.int64), width)
        columns = places[place] + block * len(known)
        held = (places[place] >= 0) & (values[span] > 0)
        order = np.argsort(columns[held], kind="stable")
        found = values[span][held].astype(np.float64) / given.denominator
        yield word, int(given.words.frequencies[number]), columns[held][order], found[order]


def _of_mapping(space: Space, contexts: Mapping[str, Any]) -> _Found:
    """Read a mapping from each word to a mapping from its contexts to their counts."""
    for word, row in contexts.items():
        if not isinstance(word, str) or not word.strip():
            raise FirthError(f"{word!r:.60} in `contexts` is not a word: give strings")
        if not isinstance(row, Mapping):
            raise FirthError(
                f"the contexts of {word!r:.40} must be a mapping from contexts to counts, not "
                f"{type(row).__name__}"
            )
        cells: dict[int, float] = {}
        for key, value in row.items():
            for column, part in _cells(space, word, key, value):
                cells[column] = cells.get(column, 0.0) + part
        columns = np.array(sorted(cells), dtype=np.int64)
        yield word, 0, columns, np.array([cells[column] for column in columns.tolist()])


def _cells(space: Space, word: str, key: Any, value: Any) -> Iterator[tuple[int, float]]:
    """Yield the columns of a context that is named, and the part of its count in each."""
    known, blocks = space.contexts, _blocks(space)
    assert known is not None
    try:
        count = float(value)
    except (TypeError, ValueError):
        count = np.nan
    if not 0 <= count <= LIMIT:
        raise FirthError(
            f"the count of {key!r:.40} near {word!r:.40} must be a number from 0 to 2^63 - 1, not "
            f"{value!r:.40}"
        )
    context, block = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
    if context not in known or not count:
        return
    place = known[context]
    if not blocks and block is None:
        yield place, count
    elif block is None and blocks == SIDES:
        for side in range(2):
            yield place + side * len(known), count / 2
    else:
        yield place + _block(blocks, block) * len(known), count


def _block(blocks: Blocks, block: Block | None) -> int:
    """Return the number of a block of columns."""
    if block in blocks:
        return blocks.index(block)
    if not blocks:
        raise FirthError(f"the space does not tell contexts apart by place: leave {block!r} out")
    names = ", ".join(map(repr, blocks))
    raise FirthError(f"a context needs its place, one of {names}: write ('rose', {blocks[0]!r})")
