"""Make `Senses` of counts: the words that are asked for, divided one by one or by a pool."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from firth.association import Association
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.resources import Resources, mapped
from firth.senses import pooling
from firth.senses.inventory import SenseTable
from firth.senses.learning import (
    Divided,
    Splitting,
    divide,
    memory,
    ppmi,
    settings,
    table_of,
    words_to_divide,
)
from firth.senses.senses import Senses
from firth.text.vocabulary import Vocabulary


def learn(
    counts: Counts,
    words: str | Sequence[str],
    *,
    k: int | str,
    table: SenseTable | str | Path | None,
    clustering: str,
    max_senses: int,
    min_support: int,
    alpha: float,
    pool: bool,
    seed: int,
    resources: Resources | None,
) -> Senses:
    """Learn senses; see `Senses.learn`."""
    how = Splitting(
        k=k, clustering=clustering, max_senses=max_senses, min_support=min_support, alpha=alpha,
        seed=seed,
    )  # fmt: skip
    if not isinstance(counts, Counts):
        raise FirthError(f"senses are learnt from counts, not from {type(counts).__name__}")
    used = resources or Resources()
    known = table_of(table)
    if how.k == "wordnet" and known is None:
        raise FirthError(
            "`k='wordnet'` needs a `table` of senses: give WordNet's folder of dict files, or a "
            "file of lemmas and numbers"
        )
    places = words_to_divide(counts, words, known)
    need = memory(counts, places, used.threads, how) + mapped(counts.columns, counts.values)
    used.require(need, f"{len(places):,} words and {counts.nnz:,} nonzeros", "threads")
    matrix = ppmi(counts, how.alpha, used)
    if not isinstance(words, str):
        _check_support(matrix, places, how)
    source = pooling.divide if pool else divide
    recipe = {
        "method": {**settings(how, words), "pool": pool},
        "counts": counts.recipe.to_json(),
    }
    return assembled(matrix, source(matrix, places, how, known, used), recipe)


def _check_support(
    matrix: Association, places: np.ndarray[tuple[int], np.dtype[np.int64]], how: Splitting
) -> None:
    """Raise if a word that was named cannot be divided."""
    assert matrix.words is not None
    for place in places.tolist():
        size = len(matrix.row(place)[0])
        if size < how.min_support:
            raise FirthError(
                f"{matrix.words.words[place]!r} has {size:,} contexts, fewer than `min_support`, "
                f"{how.min_support}: leave it out, or count more text"
            )


def assembled(
    matrix: Association, found: Iterable[tuple[int, Divided]], recipe: dict[str, Any]
) -> Senses:
    """Put the senses of words together as one sparse matrix, and keep none of their zeros."""
    assert matrix.words is not None
    columns, values, lengths, senses, places = [], [], [], [], []
    for place, one in found:
        places.append(place)
        senses.append(len(one.parts))
        for part in one.parts:
            kept = np.flatnonzero(part)
            lengths.append(len(kept))
            columns.append(one.columns[kept])
            values.append(part[kept])
    if not places:
        raise FirthError("no word has as many contexts as `min_support`: lower it, or count more")
    words: Vocabulary = matrix.words
    return Senses(
        words,
        np.array(places, dtype=np.int64),
        np.concatenate([[0], np.cumsum(senses)]),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate(columns),
        np.concatenate(values),
        recipe,
    )
