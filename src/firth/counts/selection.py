"""Choosing the vocabularies: which words are rows, which are contexts, and which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.ledger import Ledger
from firth.counts.recipe import Recipe
from firth.counts.sampling import thresholds
from firth.errors import CorpusError
from firth.text.vocabulary import PLACEHOLDER, Vocabulary, in_order

Ids = NDArray[np.uint32]


@dataclass(frozen=True)
class Selection:
    """The two vocabularies, and for each type of the corpus its id as a row and as a context.

    Usually one vocabulary begins with the other. Then one stream of ids serves for both and
    `context_ids` is None: an id below ``len(words)`` is a row, one below ``len(contexts)`` a
    context. The id `universe` - 1 keeps a place in the window and counts nothing.
    """

    words: Vocabulary
    contexts: Vocabulary
    row_ids: Ids
    context_ids: Ids | None
    universe: int
    ledger: Ledger

    def occurs(self, word: str) -> bool:
        """Return whether a word is a row and occurs in the text."""
        return word in self.words and self.words.frequency(word) > 0

    def has_half(self, recipe: Recipe) -> bool:
        """Return whether to count only the left side, because the right one is its transpose."""
        return recipe.context == "sides" and self.words == self.contexts

    def sampled(self, counts: NDArray[np.int64], rate: float) -> Ids:
        """Return the threshold of each type of the corpus; see `firth.counts.sampling`.

        Parameters
        ----------
        counts
            How often each type occurs.
        rate
            The rate of subsampling.
        """
        hole = np.uint32(self.universe - 1)
        absent = (self.row_ids == hole) | (self.row_ids == _core.DROPPED)
        unknown = _stands_for(self.words, self.row_ids)
        if self.context_ids is not None:
            absent &= (self.context_ids == hole) | (self.context_ids == _core.DROPPED)
            unknown &= _stands_for(self.contexts, self.context_ids)
        frequency = np.where(absent, 0, counts)
        # Words that are the placeholder both as rows and as contexts have its frequency.
        frequency[unknown] = counts[unknown].sum()
        total = int(np.where(frequency > 0, counts, 0).sum())
        return thresholds(frequency, total, rate)

    def leave_out(self) -> NDArray[np.int32]:
        """Return for each row the column of its own word, -1 where there is none."""
        index = self.contexts.index
        return np.array([index.get(word, -1) for word in self.words], dtype=np.int32)


def _stands_for(vocabulary: Vocabulary, ids: Ids) -> NDArray[np.bool_]:
    """Return for each type whether the placeholder of a vocabulary stands for it."""
    if PLACEHOLDER not in vocabulary:
        return np.zeros(len(ids), dtype=bool)
    return np.equal(ids, vocabulary[PLACEHOLDER])


def select(lexicon: _core.Lexicon, recipe: Recipe, fixed: Sequence[str] | None) -> Selection:
    """Choose rows and contexts from all the types of a corpus."""
    counts = lexicon.counts()
    unknown_type = int(lexicon.find([PLACEHOLDER])[0]) if recipe.rare == "unk" else -1
    words, row_of = _rows(lexicon, counts, recipe, fixed, unknown_type)
    if recipe.context_min_count is None and recipe.max_contexts is None:
        contexts, context_of = words, row_of
    else:
        least = recipe.known("context_min_count")
        contexts, context_of = _most_frequent(
            lexicon,
            counts,
            recipe.known("min_count") if least is None else least,
            recipe.known("max_contexts"),
            unknown_type,
        )
    if not words:
        raise CorpusError(_emptied(lexicon, counts, recipe))
    if not contexts:
        raise CorpusError("no word is left as a context: lower `context_min_count`")
    ledger = _ledger(counts, recipe, (row_of >= 0) | (context_of >= 0))
    if recipe.rare == "unk":
        words, row_of, contexts, context_of = _with_unknown(
            counts, words, row_of, contexts, context_of
        )
    return _streams(words, row_of, contexts, context_of, recipe.rare == "gap", ledger)


def _rows(
    lexicon: _core.Lexicon,
    counts: NDArray[np.int64],
    recipe: Recipe,
    fixed: Sequence[str] | None,
    unknown_type: int,
) -> tuple[Vocabulary, NDArray[np.int64]]:
    least, most = recipe.known("min_count"), recipe.known("max_vocab")
    if fixed is None:
        return _most_frequent(lexicon, counts, least, most, unknown_type)
    chosen: dict[str, int] = {}
    ids = lexicon.find(list(fixed))
    for word, place in zip(fixed, ids.tolist(), strict=True):
        count = int(counts[place]) if place >= 0 else 0
        if count >= least and not (recipe.rare == "unk" and word == PLACEHOLDER):
            chosen[word] = count
    keep_above = recipe.known("keep_above")
    if keep_above is not None:
        more = lexicon.order(keep_above + 1)
        more = more[more != unknown_type]
        chosen.update(zip(lexicon.words(more), counts[more].tolist(), strict=True))
    words, frequencies = in_order(chosen)
    vocabulary = Vocabulary.unchecked(words[:most], frequencies[:most])
    row_of = np.full(len(counts), -1, dtype=np.int64)
    places = lexicon.find(list(vocabulary.words))
    present = places >= 0
    row_of[places[present]] = np.flatnonzero(present)
    return vocabulary, row_of


def _most_frequent(
    lexicon: _core.Lexicon,
    counts: NDArray[np.int64],
    least: int,
    most: int | None,
    unknown_type: int,
) -> tuple[Vocabulary, NDArray[np.int64]]:
    order = lexicon.order(least)
    order = np.ascontiguousarray(order[order != unknown_type][:most])
    row_of = np.full(len(counts), -1, dtype=np.int64)
    row_of[order] = np.arange(len(order))
    return Vocabulary.unchecked(lexicon.words(order), counts[order]), row_of


def _emptied(lexicon: _core.Lexicon, counts: NDArray[np.int64], recipe: Recipe) -> str:
    if not len(counts):
        return "the text has no words: check the file and the `tokenizer`"
    if recipe.vocab is not None:
        return "no word of the fixed vocabulary is left: lower `min_count`, or give other words"
    most = lexicon.order(int(counts.max()))[:1]
    return (
        f"no word occurs {recipe.known('min_count'):,} times: the most frequent, "
        f"{lexicon.words(most)[0][:40]!r}, occurs {int(counts.max()):,}; lower `min_count`"
    )


def _ledger(counts: NDArray[np.int64], recipe: Recipe, kept: NDArray[np.bool_]) -> Ledger:
    below = ~kept & (counts < recipe.known("min_count"))
    rest = ~kept & ~below
    beyond = int(counts[rest].sum())
    return Ledger(
        types=len(counts),
        kept=int(counts[kept].sum()),
        kept_types=int(np.count_nonzero(kept)),
        below_min_count=int(counts[below].sum()),
        beyond_max_vocab=beyond if recipe.vocab is None else 0,
        not_in_vocabulary=beyond if recipe.vocab is not None else 0,
    )


def _with_unknown(
    counts: NDArray[np.int64],
    words: Vocabulary,
    row_of: NDArray[np.int64],
    contexts: Vocabulary,
    context_of: NDArray[np.int64],
) -> tuple[Vocabulary, NDArray[np.int64], Vocabulary, NDArray[np.int64]]:
    new_words, new_rows = _add_unknown(counts, words, row_of)
    if contexts is words:
        return new_words, new_rows, new_words, new_rows
    return new_words, new_rows, *_add_unknown(counts, contexts, context_of)


def _add_unknown(
    counts: NDArray[np.int64], vocabulary: Vocabulary, place_of: NDArray[np.int64]
) -> tuple[Vocabulary, NDArray[np.int64]]:
    """Add the placeholder at the place of its frequency, and map every other type to it."""
    unknown = int(counts[place_of < 0].sum())
    if unknown == 0:
        return vocabulary, place_of
    frequencies = vocabulary.frequencies
    place = int(np.count_nonzero(frequencies > unknown))
    while (
        place < len(vocabulary)
        and frequencies[place] == unknown
        and vocabulary.words[place] < PLACEHOLDER
    ):
        place += 1
    words = (*vocabulary.words[:place], PLACEHOLDER, *vocabulary.words[place:])
    moved = np.where(place_of >= place, place_of + 1, place_of)
    moved[place_of < 0] = place
    return Vocabulary.unchecked(words, np.insert(frequencies, place, unknown)), moved


def _streams(
    words: Vocabulary,
    row_of: NDArray[np.int64],
    contexts: Vocabulary,
    context_of: NDArray[np.int64],
    gap: bool,
    ledger: Ledger,
) -> Selection:
    rows, columns = len(words), len(contexts)
    hole = max(rows, columns)
    neither = (row_of < 0) & (context_of < 0)

    def ids(place_of: NDArray[np.int64]) -> Ids:
        out = np.where(place_of >= 0, place_of, hole).astype(np.uint32)
        out[neither] = hole if gap else _core.DROPPED
        return out

    if context_of is row_of:
        return Selection(words, contexts, ids(row_of), None, hole + 1, ledger)
    both = (row_of >= 0) & (context_of >= 0)
    single = (
        bool(np.all(row_of[both] == context_of[both]))
        and bool(np.all(context_of[(row_of < 0) & ~neither] >= rows))
        and bool(np.all(row_of[(context_of < 0) & ~neither] >= columns))
    )
    if single:
        row_ids, context_ids = ids(np.maximum(row_of, context_of)), None
    else:
        row_ids, context_ids = ids(row_of), ids(context_of)
    return Selection(words, contexts, row_ids, context_ids, hole + 1, ledger)
