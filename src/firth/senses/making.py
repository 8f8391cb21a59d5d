"""Make `Senses` of counts: the words that are asked for, divided one by one or by a pool."""

from __future__ import annotations

from collections.abc import Sequence
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
    used = resources or Resources()
    known = table_of(table)
    if how.k == "wordnet" and known is None:
        raise FirthError(
            "`k='wordnet'` needs a `table` of senses: give WordNet's folder of dict files, or a "
            "file of lemmas and numbers"
        )
    places = words_to_divide(counts, words, known)
    need = memory(counts, used.threads, how) + mapped(counts.columns, counts.values)
    used.require(need, f"{len(places):,} words and {counts.nnz:,} nonzeros", "threads")
    matrix = ppmi(counts, how.alpha, used)
    source = pooling.divide if pool else divide
    found = list(source(matrix, places, how, known, used))
    if not isinstance(words, str):
        _check_found(matrix, places, [place for place, _ in found], how)
    recipe = {
        "method": {**settings(how, words), "pool": pool},
        "counts": counts.recipe.to_json(),
    }
    return assembled(matrix, found, recipe)


def _check_found(
    matrix: Association, places: np.ndarray[tuple[int], np.dtype[np.int64]], found: list[int],
    how: Splitting,
) -> None:  # fmt: skip
    """Raise if a word that was named could not be divided."""
    assert matrix.words is not None
    missing = sorted({*places.tolist()} - {*found})
    if missing:
        word, size = matrix.words.words[missing[0]], len(matrix.row(missing[0])[0])
        raise FirthError(
            f"{word!r} has {size:,} contexts, fewer than `min_support`, {how.min_support}: leave "
            "it out, or count more text"
        )


def assembled(
    matrix: Association, found: list[tuple[int, Divided]], recipe: dict[str, Any]
) -> Senses:
    """Put the senses of words together as one sparse matrix."""
    assert matrix.words is not None
    if not found:
        raise FirthError("no word has as many contexts as `min_support`: lower it, or count more")
    columns, values, lengths, senses = [], [], [], []
    for _, one in found:
        senses.append(len(one.parts))
        for part in one.parts:
            kept = np.flatnonzero(part)
            lengths.append(len(kept))
            columns.append(one.columns[kept])
            values.append(part[kept])
    words: Vocabulary = matrix.words
    return Senses(
        words,
        np.array([place for place, _ in found], dtype=np.int64),
        np.concatenate([[0], np.cumsum(senses)]),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate(columns),
        np.concatenate(values),
        recipe,
    )
