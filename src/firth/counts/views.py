"""Parts of a matrix of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.arrays import Rows
from firth.counts.blocks import LEFT, Block, block_name
from firth.counts.halves import right_side
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.resources import default_threads
from firth.text.vocabulary import Vocabulary


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Store values in 32 bits if all of them fit, else in 64, as the core does."""
    if len(values) == 0 or int(values.max()) < 2**32:
        return values.astype(np.uint32)
    return values.astype(np.uint64)


def block(counts: Counts, offset: Block) -> Counts:
    """Return the columns of one offset of positional counts, or of one side."""
    if offset not in counts.offsets:
        have = ", ".join(block_name(known) for known in counts.offsets)
        if not have:
            raise FirthError(
                "only positional counts and sides have blocks: count with `context='positional'` "
                "or `context='sides'`"
            )
        raise FirthError(f"there is no block at `offset` {offset!r:.60}: choose one of {have}")
    if counts.half:
        left = counts.stored()
        rows = left if offset == LEFT else right_side(left, default_threads())
    else:
        width = len(counts.contexts)
        begin = counts.offsets.index(offset) * width
        whole = counts.csr()
        kept = (whole[1] >= begin) & (whole[1] < begin + width)
        rows = _filtered(whole, kept, whole[1] - begin)
    recipe = counts.recipe.of_block(offset)
    return _with(counts, rows, offsets=(), symmetric=None, half=False, recipe=recipe)


def select(counts: Counts, words: Sequence[str] | None, contexts: Sequence[str] | None) -> Counts:
    """Return some rows and some columns, in the order that they have."""
    rows = _places(counts.words, "words", words)
    places = _places(counts.contexts, "contexts", contexts)
    if len(rows) == len(counts.words) and len(places) == len(counts.contexts):
        return counts
    chosen = _part(counts.words, rows)
    others = _part(counts.contexts, places)
    same = chosen == others
    half = counts.half and same
    found = _with(
        counts,
        _selected(counts.stored() if half else counts.csr(), len(counts.contexts), rows, places),
        words=chosen,
        contexts=chosen if same else others,
        recipe=counts.recipe.of_part(),
        symmetric=(counts.symmetric and same) or None,
        half=half,
    )
    return found.noted(f"{len(rows):,} words × {len(places):,} contexts of a larger matrix")


def _with(counts: Counts, rows: Rows, **changes: Any) -> Counts:
    """Return counts with other arrays and other fields."""
    starts, columns, values = rows
    return replace(counts, starts=starts, columns=columns, values=values, **changes)


def _selected(matrix: Rows, width: int, rows: NDArray[np.int64], places: NDArray[np.int64]) -> Rows:
    """Return some rows, and some columns of every block of `width` columns."""
    starts, columns, _ = matrix
    lengths = np.diff(starts)
    row_kept = np.zeros(len(lengths), dtype=bool)
    row_kept[rows] = True
    renamed = np.full(width, -1, dtype=np.int32)
    renamed[places] = np.arange(len(places), dtype=np.int32)
    which, context = np.divmod(columns, width)
    new = renamed[context]
    kept = np.repeat(row_kept, lengths) & (new >= 0)
    return _filtered(matrix, kept, which * len(places) + new, rows)


def _places(vocabulary: Vocabulary, name: str, words: Sequence[str] | None) -> NDArray[np.int64]:
    """Return where the words stand in a vocabulary; `name` is the parameter's, for messages."""
    if words is None:
        return np.arange(len(vocabulary))
    if isinstance(words, str):
        raise FirthError(f"`{name}` must be a list of words, not the text {words!r:.60}")
    missing = next((word for word in words if word not in vocabulary), None)
    if missing is not None:
        raise FirthError(f"{missing!r} of `{name}` is not in the vocabulary of these counts")
    return np.unique(np.array([vocabulary[word] for word in words], dtype=np.int64))


def _part(vocabulary: Vocabulary, places: NDArray[np.int64]) -> Vocabulary:
    words = [vocabulary.words[place] for place in places.tolist()]
    return Vocabulary.unchecked(words, vocabulary.frequencies[places])


def _filtered(
    matrix: Rows,
    kept: NDArray[np.bool_],
    columns: NDArray[Any],
    rows: NDArray[np.int64] | None = None,
) -> Rows:
    """Return the cells that are kept, with other columns, and only some rows if given."""
    starts, _, values = matrix
    running = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    lengths = np.diff(running[starts])
    if rows is not None:
        lengths = lengths[rows]
    return (
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        columns[kept].astype(np.int32),
        narrow(values[kept]),
    )


def offsets(counts: Counts, kept: Sequence[Block]) -> Counts:
    """Return positional counts of some offsets only, in the order that they have.

    Examples
    --------
    >>> import firth
    >>> both = firth.count(["a rose is a rose"], window=1, context="positional", min_count=1)
    >>> before = offsets(both, [-1])
    >>> before.offsets, before.block(-1).equals(both.block(-1))
    ((-1,), True)
    """
    unknown = next((one for one in kept if one not in counts.offsets), None)
    if unknown is not None or not kept:
        raise FirthError(f"there is no block at `offset` {unknown!r:.60}")
    width = len(counts.contexts)
    places = [place for place, one in enumerate(counts.offsets) if one in kept]
    number = np.full(len(counts.offsets), -1, dtype=np.int64)
    number[places] = np.arange(len(places))
    whole = counts.csr()
    block, context = np.divmod(whole[1], np.int32(width))
    new = number[block]
    rows = _filtered(whole, new >= 0, new * width + context)
    chosen: Any = tuple(counts.offsets[place] for place in places)
    found = _with(counts, rows, offsets=chosen, symmetric=None, recipe=counts.recipe.of_part())
    return found.noted(f"{len(places):,} of {len(counts.offsets):,} offsets of a larger matrix")
