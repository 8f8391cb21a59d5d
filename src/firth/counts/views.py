"""Parts of a matrix of counts."""

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
    """Store values in 32 bits if all of them fit, else in 64, as the core does."""
    if len(values) == 0 or int(values.max()) < 2**32:
        return values.astype(np.uint32)
    return values.astype(np.uint64)


def block(counts: Counts, offset: int) -> Counts:
    """Return the columns of one offset of positional counts."""
    if offset not in counts.offsets:
        have = ", ".join(f"{known:+d}" for known in counts.offsets)
        if not have:
            raise FirthError(
                "only positional counts have blocks: count with `context='positional'`"
            )
        raise FirthError(f"there is no block at `offset` {offset!r:.60}: choose one of {have}")
    width = len(counts.contexts)
    begin = counts.offsets.index(offset) * width
    _, columns, _ = counts.csr()
    kept = (columns >= begin) & (columns < begin + width)
    found = _filtered(counts, kept, columns - begin, counts.words, counts.contexts)
    return replace(found, offsets=(), recipe=counts.recipe.of_block(offset))


def select(counts: Counts, words: Sequence[str] | None, contexts: Sequence[str] | None) -> Counts:
    """Return some rows and some columns, in the order that they have."""
    rows = _places(counts.words, "words", words)
    places = _places(counts.contexts, "contexts", contexts)
    if len(rows) == len(counts.words) and len(places) == len(counts.contexts):
        return counts
    starts, columns, _ = counts.csr()
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
    kept_symmetry = counts.symmetric and found.words == found.contexts
    found = replace(found, recipe=counts.recipe.of_part(), symmetric=kept_symmetry or None)
    return found.noted(f"{len(rows):,} words × {len(places):,} contexts of a larger matrix")


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
    counts: Counts,
    kept: NDArray[np.bool_],
    columns: NDArray[Any],
    words: Vocabulary,
    contexts: Vocabulary,
    rows: NDArray[np.int64] | None = None,
) -> Counts:
    starts, _, values = counts.csr()
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
        symmetric=None,
    )
