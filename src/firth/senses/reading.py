"""Describe the senses of a word so that a person can tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from firth.association import Association
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.products import multiply
from firth.resources import Resources
from firth.senses.inducing import Divided, induced, tokens_of
from firth.senses.learning import ppmi
from firth.text.pieces import lines_of
from firth.text.sources import Corpus
from firth.ties import ranking

if TYPE_CHECKING:
    from firth.senses.senses import Senses
    from firth.space.space import Space

LINES = 2000  # of those that have the word, how many are looked at for examples
AROUND = 12  # words on each side of it that are shown

Similar = list[tuple[str, float]]


@dataclass(frozen=True)
class Sense:
    """One sense of a word.

    Attributes
    ----------
    name
        The word and the number of the sense, as in ``bank_1``.
    share
        How much of the word's association with its contexts belongs to it.
    contexts
        Its strongest contexts, with their strengths.

    Examples
    --------
    >>> Sense("bank_1", 0.7, [("river", 2.5)]).name
    'bank_1'
    """

    name: str
    share: float
    contexts: list[tuple[str, float]]


@dataclass(frozen=True)
class Reading:
    """What one sense of a word is like.

    Attributes
    ----------
    name
        The word and the number of the sense.
    share
        How much of the word's association with its contexts belongs to it.
    contexts
        Its strongest contexts, with their strengths.
    neighbours
        The most similar words, with their cosines, if counts or a space were given.
    examples
        Lines of the corpus in which the word has this sense most clearly, if one was given.

    Examples
    --------
    >>> Reading("bank_1", 0.7, [("river", 2.5)], [], ["on the bank of the river"]).share
    0.7
    """

    name: str
    share: float
    contexts: Similar
    neighbours: Similar
    examples: list[str]


def read(
    senses: Senses,
    word: str,
    counts: Counts | None,
    space: Space | None,
    corpus: object,
    top: int,
    examples: int,
) -> list[Reading]:
    """Describe the senses of a word; see `Senses.read`."""
    if top < 1 or examples < 0:
        raise FirthError("`top` must be 1 or more, and `examples` 0 or more")
    found = senses.of(word, top)
    names = [sense.name for sense in found]
    near: list[Similar] = [[] for _ in found]
    if space is not None:
        near = [_in_space(space, word, name, names, top) for name in names]
    elif counts is not None:
        matrix = ppmi(counts, float(senses.recipe["method"]["alpha"]), Resources())
        if matrix.words != senses.words:
            raise FirthError("the senses were learnt from other counts: give those")
        near = neighbours(senses, word, matrix, top)
    lines: list[list[str]] = [[] for _ in found]
    if corpus is not None and examples:
        lines = _examples(senses, word, corpus, examples)
    return [
        Reading(sense.name, sense.share, sense.contexts, near[n], lines[n])
        for n, sense in enumerate(found)
    ]


def neighbours(senses: Senses, word: str, matrix: Association, top: int) -> list[Similar]:
    """Return the words whose rows of the association are most similar to each sense.

    Parameters
    ----------
    senses
        The senses.
    word
        One that was divided.
    matrix
        The association of the counts, of `firth.senses.learning.ppmi`.
    top
        How many words for each sense.
    """
    rows = senses.rows_of(word)
    dense = np.zeros((matrix.shape[1], len(rows)), dtype=np.float32)
    for number, row in enumerate(rows):
        columns, values = senses.vector(row)
        dense[columns, number] = values / np.linalg.norm(values.astype(np.float64))
    lengths = matrix.sparse().row_lengths(1)
    cosines = multiply(matrix, dense) / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines[senses.words[word]] = -1
    found = []
    for own in cosines.T:
        order = ranking(own)[:top].tolist()
        found.append([(senses.words.words[n], float(own[n])) for n in order if own[n] > 0])
    return found


def _in_space(space: Space, word: str, name: str, names: Sequence[str], top: int) -> Similar:
    """Return the most similar words of a space; not the word itself and its other senses."""
    if name not in space:
        raise FirthError(f"{name!r} is not in the `space`: make one with `embed`")
    own = {word, *names}
    asked = min(top + len(own), len(space) - 1)
    found: Similar = space.most_similar(name, topn=asked)
    return [pair for pair in found if pair[0] not in own][:top]


def _examples(senses: Senses, word: str, corpus: object, most: int) -> list[list[str]]:
    """Return the lines in which each sense is clearest."""
    divided = Divided.of(senses, word)
    best: list[list[tuple[float, int, str]]] = [[] for _ in divided.names]
    source = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    for number, (tokens, place) in enumerate(_occurrences(source, word)):
        found = induced(senses, divided, tokens)
        if not found.known:
            continue
        second = found.senses[1][1] if len(found.senses) > 1 else 0.0
        own = best[divided.names.index(found.best)]
        shown = " ".join(tokens[max(0, place - AROUND) : place + AROUND + 1])
        own.append((second - 1.0, number, shown))  # clear ones first, then in the order of the text
    return [[shown for _, _, shown in sorted(own)[:most]] for own in best]


def _occurrences(source: Corpus, word: str) -> Iterator[tuple[list[str], int]]:
    """Yield the tokens of the first lines that have a word, and its place."""
    met = 0
    for line in lines_of(source):
        if isinstance(line, str) and word not in line.lower():
            continue
        tokens = tokens_of(line) if isinstance(line, str) else line
        if word not in tokens:
            continue
        yield tokens, tokens.index(word)
        met += 1
        if met >= LINES:
            return
