"""Parts of a count matrix, as count matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.text.vocabulary import Vocabulary


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Hold values in 32 bits if all of them fit, else in 64, as the core does."""
    if len(values) == 0 or int(values.max()) < 2**32:
        return values.astype(np.uint32)
    return values.astype(np.uint64)


def block(counts: Counts, offset: int) -> Counts:
    """Take the columns of one offset out of positional counts."""
    if offset not in counts.offsets:
        have = ", ".join(f"{o:+d}" for o in counts.offsets) or "none: count with positional context"
        raise FirthError(f"no block at offset {offset:+d}; there are {have}")
    width = len(counts.contexts)
    begin = counts.offsets.index(offset) * width
    _, columns, _ = counts.rows()
    kept = (columns >= begin) & (columns < begin + width)
    side = "left" if offset < 0 else "right"
    recipe = replace(counts.recipe, context=side, source=f"offset {offset:+d}")
    found = _filtered(counts, kept, columns - begin, counts.words, counts.contexts)
    return replace(found, offsets=(), recipe=recipe)


def select(counts: Counts, words: Sequence[str] | None, contexts: Sequence[str] | None) -> Counts:
    """Keep some rows and some columns, in the order they have."""
    rows = _places(counts.words, words)
    places = _places(counts.contexts, contexts)
    starts, columns, _ = counts.rows()
    lengths = np.diff(starts)
    row_kept = np.zeros(len(counts.words), dtype=bool)
    row_kept[rows] = True
    renamed = np.full(len(counts.contexts), -1, dtype=np.int32)
    renamed[places] = np.arange(len(places), dtype=np.int32)
    which, context = np.divmod(columns, len(counts.contexts))
    new = renamed[context]
    kept = np.repeat(row_kept, lengths) & (new >= 0)
    found = _filtered(
        counts,
        kept,
        which * len(places) + new,
        _part(counts.words, rows),
        _part(counts.contexts, places),
        rows,
    )
    if len(rows) == len(counts.words) and len(places) == len(counts.contexts):
        return counts
    return found.noted(f"{len(rows):,} words × {len(places):,} contexts of a larger matrix")


def _places(vocabulary: Vocabulary, words: Sequence[str] | None) -> NDArray[np.int64]:
    if words is None:
        return np.arange(len(vocabulary))
    missing = [word for word in words if word not in vocabulary]
    if missing:
        raise FirthError(f"{missing[0]!r} is not in the vocabulary of these counts")
    return np.unique(np.array([vocabulary[word] for word in words], dtype=np.int64))


def _part(vocabulary: Vocabulary, places: NDArray[np.int64]) -> Vocabulary:
    words = [vocabulary.words[place] for place in places.tolist()]
    return Vocabulary(words, vocabulary.frequencies[places])


def _filtered(
    counts: Counts,
    kept: NDArray[np.bool_],
    columns: NDArray[Any],
    words: Vocabulary,
    contexts: Vocabulary,
    rows: NDArray[np.int64] | None = None,
) -> Counts:
    starts, _, values = counts.rows()
    running = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    lengths = np.diff(running[starts])
    if rows is not None:
        lengths = lengths[rows]
    return replace(
        counts,
        words=words,
        contexts=contexts,
        starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        columns=columns[kept].astype(np.int32),
        values=narrow(values[kept]),
    )
