"""Induce senses: which senses a word has in a sentence.

The cosine of the sentence's vector with each sense, where a word w of the sentence weighs a / (a +
p(w)), so that frequent words decide little (S. Arora, Y. Liang and T. Ma, 2017, A simple but
tough-to-beat baseline for sentence embeddings). A sense weighs its cosine over the largest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import FirthError
from firth.progress import Event
from firth.resources import Resources

if TYPE_CHECKING:
    from firth.senses.senses import Senses

SMOOTHING = 1e-4  # a
DECIDING = 5  # words that are named

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Induction:
    """The senses of a word in a sentence.

    Attributes
    ----------
    word
        The word.
    senses
        Names and weights, the heaviest first, whose weight is 1.
    deciding
        For each sense, the words of the sentence that speak for it: with how much each adds to the
        difference between its cosine and the largest of another sense.
    known
        Whether the sentence has a context of the word. If not, the weights are the shares of the
        senses in all of the word's contexts.

    Examples
    --------
    >>> Induction("bank", [("bank_2", 1.0), ("bank_1", 0.4)], {}, True).best
    'bank_2'
    """

    word: str
    senses: list[tuple[str, float]]
    deciding: dict[str, list[tuple[str, float]]]
    known: bool

    @property
    def best(self) -> str:
        """The name of the heaviest sense."""
        return self.senses[0][0]


@dataclass(frozen=True, eq=False)
class Divided:
    """The vectors of a word's senses, of length one."""

    word: str
    names: Sequence[str]
    contexts: NDArray[np.int64]
    vectors: Doubles
    shares: Doubles

    @classmethod
    def of(cls, senses: Senses, word: str) -> Divided:
        """Look a word up."""
        rows = senses.rows_of(word)
        contexts, vectors = senses.matrix(word)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        unit = vectors / lengths[:, None]
        names = senses.names[rows.start : rows.stop]
        return cls(word, names, contexts, unit, senses.shares(word))


def induce(senses: Senses, word: str, sentence: str | Sequence[str]) -> Induction:
    """Say which senses a word has in a sentence; see `Senses.induce`."""
    return induced(senses, Divided.of(senses, word), sentence)


def induce_all(
    senses: Senses, items: Iterable[tuple[str, str | Sequence[str]]], resources: Resources
) -> list[Induction]:
    """Say which senses words have in sentences; see `Senses.induce_all`."""
    divided = lru_cache(maxsize=1024)(lambda word: Divided.of(senses, word))
    found = []
    for number, (word, sentence) in enumerate(items):
        found.append(induced(senses, divided(word), sentence))
        if number % 1024 == 1023:
            resources.progress(Event("sentences", number + 1, 0))
    return found


def induced(senses: Senses, word: Divided, sentence: str | Sequence[str]) -> Induction:
    """Say which senses a word has in a sentence, once the word is looked up."""
    tokens = tokens_of(sentence) if isinstance(sentence, str) else sentence
    if not all(isinstance(token, str) for token in tokens):
        raise FirthError("a sentence must be a text, or a list of words")
    contexts, weights = query(senses, [token for token in tokens if token != word.word])
    at = np.minimum(np.searchsorted(word.contexts, contexts), len(word.contexts) - 1)
    met = word.contexts[at] == contexts
    length = max(float(np.linalg.norm(weights)), 1e-300)
    near = word.vectors[:, at[met]] * (weights[met] / length)  # the parts of the cosines
    cosines = near.sum(axis=1)
    known = bool(cosines.max(initial=0.0) > 0)
    scores = cosines if known else word.shares
    order = np.argsort(-scores, kind="stable").tolist()
    largest = float(scores[order[0]])
    graded = [(word.names[n], float(scores[n]) / largest) for n in order]
    deciding = {
        word.names[n]: _deciding(senses, contexts[met], near, n, order) if known else []
        for n in order
    }
    return Induction(word.word, graded, deciding, known)


def _deciding(
    senses: Senses, contexts: NDArray[np.int64], near: Doubles, sense: int, order: list[int]
) -> list[tuple[str, float]]:
    """Return the contexts that speak for a sense rather than for the best other one."""
    other = next((n for n in order if n != sense), None)
    gained = near[sense] - (0.0 if other is None else near[other])
    strongest = np.lexsort((contexts, -gained))[:DECIDING].tolist()
    words = senses.words.words
    return [(words[int(contexts[n])], float(gained[n])) for n in strongest if gained[n] > 0]


def query(senses: Senses, tokens: Sequence[str]) -> tuple[NDArray[np.int64], Doubles]:
    """Return the contexts among some words, rising, and their weights."""
    known = senses.words
    places = [known[token] for token in tokens if token in known]
    contexts, times = np.unique(np.array(places, dtype=np.int64), return_counts=True)
    share = known.frequencies[contexts] / max(int(known.frequencies.sum()), 1)
    return contexts, times * SMOOTHING / (SMOOTHING + share)


def tokens_of(text: str, tokenizer: str = "words", lower: bool = True) -> list[str]:
    """Cut a text into words.

    Parameters
    ----------
    text
        A line or more.
    tokenizer, lower
        As for `firth.count`.

    Examples
    --------
    >>> tokens_of("He sat on the Bank.")
    ['he', 'sat', 'on', 'the', 'bank']
    """
    content = text.encode("utf-8", "replace")
    ids, words, ends, _, _ = _core.tokenize(content, tokenizer, lower, True)
    raw, bounds = words.tobytes(), [0, *ends.tolist()]
    known = [raw[a:b].decode() for a, b in pairwise(bounds)]
    return [known[token - 1] for token in ids.tolist() if token]  # 0 ends a line
