"""The features of a word and its neighbours that a tagger uses.

These are the usual features for named entities (L. Ratinov and D. Roth, 2009, Design challenges and
misconceptions in named entity recognition): the word as it stands and in lower case, its shape, its
affixes; and the same, without affixes, of the two words to each side. Prefixes of the bit strings
of word clusters, or the entries of word vectors, may be added (J. Turian, L. Ratinov and Y. Bengio,
2010, Word representations: a simple and general method for semi-supervised learning), for each of
the five words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import FirthError
from firth.space.space import Space

REACH = 2  # words to each side
SLOTS = 2 * REACH + 1
AFFIXES = 4  # letters of the longest prefix and suffix
PREFIXES = (4, 6, 10, 20)  # bits of a cluster's path; Turian, Ratinov and Bengio
DEVIATION = 0.1  # standard deviation of the entries of vectors; the same paper
EDGE = "edge"  # stands for the words before and after a sentence

Words = Sequence[str]


def look_up(word: str, known: Mapping[str, object]) -> str | None:
    """Return the form of a word that is known: itself, or in lower case, or None.

    Examples
    --------
    >>> look_up("Cat", {"cat": 1}), look_up("Cat", {"cat": 1, "Cat": 2}), look_up("Dog", {"cat": 1})
    ('cat', 'Cat', None)
    """
    if word in known:
        return word
    lower = word.lower()
    return lower if lower in known else None


def shape(word: str) -> str:
    """Return a word with X for capitals, x for other letters, d for digits, runs cut to two.

    Examples
    --------
    >>> shape("Firth"), shape("USA"), shape("I"), shape("iPhone6"), shape("@me"), shape("2017-18")
    ('Xxx', 'XX', 'X', 'xXxxd', '@xx', 'dd-dd')
    """
    out: list[str] = []
    for char in word:
        kind = "d" if char.isdigit() else char
        if char.isalpha():
            kind = "X" if char.isupper() else "x"
        if out[-2:] != [kind, kind]:
            out.append(kind)
    return "".join(out)


def attributes(word: str, clusters: Mapping[str, str] | None = None) -> tuple[list[str], list[str]]:
    """Return the features of a word: those for any place in the window, and those for its middle.

    Examples
    --------
    >>> attributes("Ada", {"ada": "010110"})[0]
    ['word=Ada', 'lower=ada', 'shape=Xxx', 'bits4=0101', 'bits6=010110', 'bits10=010110',
     'bits20=010110']
    >>> attributes("Ada")[1]
    ['prefix=a', 'suffix=a', 'prefix=ad', 'suffix=da', 'prefix=ada', 'suffix=ada']
    """
    lower = word.lower()
    everywhere = [f"word={word}", f"lower={lower}", f"shape={shape(word)}"]
    form = look_up(word, clusters) if clusters else None
    if clusters and form is not None:
        everywhere += [f"bits{length}={clusters[form][:length]}" for length in PREFIXES]
    middle = []
    for length in range(1, min(AFFIXES, len(lower)) + 1):
        middle += [f"prefix={lower[:length]}", f"suffix={lower[-length:]}"]
    return everywhere, middle


@dataclass(frozen=True, eq=False)
class Vectors:
    """The vectors of a space, scaled so that their entries have a standard deviation of 0.1."""

    space: Space
    factor: float

    @classmethod
    def of(cls, space: Space) -> Vectors:
        """Compute the factor; raise if all entries are the same."""
        deviation = float(np.std(space.vectors, dtype=np.float64))
        if not np.isfinite(deviation) or deviation == 0:
            raise FirthError("these vectors are all the same or not finite: use another space")
        return cls(space, DEVIATION / deviation)

    def of_words(self, words: Words) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return each word's row of a table, or -1, and the table."""
        known = self.space.words.index
        forms = [look_up(word, known) for word in words]
        places = np.array([-1 if form is None else known[form] for form in forms], dtype=np.int64)
        distinct, rows = np.unique(places[places >= 0], return_inverse=True)
        found = np.full(len(words), -1, dtype=np.int32)
        found[places >= 0] = rows
        table = self.space.vectors[distinct].astype(np.float64) * self.factor
        return found, np.ascontiguousarray(table, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Window:
    """The words of sentences as numbers, and for each token the five around it; 0 is the edge."""

    words: list[str]
    ids: NDArray[np.int64]
    sentences: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Sequence[Words]) -> Window:
        """Give words numbers in the order of their first occurrence."""
        number = {"": 0}  # no word is empty, so the edge has a number of its own
        padded = [0] * REACH
        middles = []
        for words in sentences:
            middles.append(np.arange(len(padded), len(padded) + len(words)))
            padded += [number.setdefault(word, len(number)) for word in words]
            padded += [0] * REACH
        ends = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        middle = np.concatenate([np.zeros(0, np.int64), *middles])
        around = middle[:, None] + np.arange(-REACH, REACH + 1)
        return cls(list(number), np.array(padded, dtype=np.int64)[around], ends)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Sentences as numbers.

    Attributes
    ----------
    sentences
        The first token of each, and the end of the last.
    starts
        The first feature of each token, and the end of the last.
    features
        Of all tokens, below `size`.
    rows
        For each token the rows in `table` of the words of its window, -1 for none.
    table
        The vectors.
    """

    sentences: NDArray[np.int64]
    starts: NDArray[np.int64]
    features: NDArray[np.int32]
    size: int
    rows: NDArray[np.int32]
    table: NDArray[np.float32]

    def kernel(self) -> _core.Sentences:
        """Pass the arrays to the core, which checks them."""
        return _core.Sentences(
            self.sentences, self.starts, self.features, self.size, self.rows, self.table
        )


@dataclass(frozen=True, eq=False)
class Encoder:
    """Turns sentences into numbers.

    Attributes
    ----------
    attributes
        The number of each attribute of a word that occurred in training.
    features
        For each attribute and slot of the window the number of the feature; -1 if there is none.
    size
        How many features there are.
    clusters
        The bits of words.
    vectors
        Of words.
    """

    attributes: dict[str, int]
    features: NDArray[np.int32]
    size: int
    clusters: Mapping[str, str] | None
    vectors: Vectors | None

    @classmethod
    def learn(
        cls, sentences: Sequence[Words], clusters: Mapping[str, str] | None, space: Space | None
    ) -> Encoder:
        """Give the features of training sentences numbers."""
        window = Window.of(sentences)
        number: dict[str, int] = {}
        for word in window.words:
            for name in _seen(word, clusters)[0]:
                number.setdefault(name, len(number))
        ids, slots, _ = _spread(window, number, clusters)
        seen = np.unique(ids * SLOTS + slots)
        features = np.full(len(number) * SLOTS, -1, dtype=np.int32)
        features[seen] = np.arange(len(seen))
        vectors = None if space is None else Vectors.of(space)
        return cls(number, features.reshape(-1, SLOTS), len(seen), clusters, vectors)

    @property
    def dim(self) -> int:
        """The dimensions of the vectors; 0 without."""
        return 0 if self.vectors is None else self.vectors.space.vector_size

    @property
    def slots(self) -> int:
        """How many vectors a token has."""
        return 0 if self.vectors is None else SLOTS

    def encode(self, sentences: Sequence[Words]) -> Encoded:
        """Return the features and vectors of sentences; features not in training are left out."""
        window = Window.of(sentences)
        ids, slots, tokens = _spread(window, self.attributes, self.clusters)
        features = np.where(ids < 0, -1, self.features[ids, slots])
        kept = features >= 0
        lengths = np.bincount(tokens[kept], minlength=len(window.ids))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        rows = np.zeros((len(window.ids), 0), dtype=np.int32)
        table = np.zeros((0, 0), dtype=np.float32)
        if self.vectors is not None:
            of_word, table = self.vectors.of_words(window.words)
            of_word[0] = -1
            rows = np.ascontiguousarray(of_word[window.ids])
        found = features[kept].astype(np.int32)
        return Encoded(window.sentences, starts, found, self.size, rows, table)


def covered(sentences: Iterable[Words], known: Mapping[str, object]) -> int:
    """Return how many tokens are known, as they are or in lower case.

    Examples
    --------
    >>> covered([["The", "cat"], ["purrs"]], {"the": 1, "cat": 2})
    2
    """
    return sum(look_up(word, known) is not None for words in sentences for word in words)


def _seen(word: str, clusters: Mapping[str, str] | None) -> tuple[list[str], int]:
    """Return the attributes of a word, and how many of them are for any place in the window."""
    if not word:
        return [EDGE], 1
    everywhere, middle = attributes(word, clusters)
    return everywhere + middle, len(everywhere)


def _spread(
    window: Window, number: Mapping[str, int], clusters: Mapping[str, str] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return attribute, slot and token of all features of the tokens, in order."""
    seen = [_seen(word, clusters) for word in window.words]
    flat = np.array([number.get(name, -1) for names, _ in seen for name in names], dtype=np.int64)
    whole = np.array([len(names) for names, _ in seen], dtype=np.int64)
    part = np.array([everywhere for _, everywhere in seen], dtype=np.int64)
    lengths = part[window.ids]
    lengths[:, REACH] = whole[window.ids[:, REACH]]
    begins = np.concatenate([[0], np.cumsum(whole)[:-1]])[window.ids].ravel()
    counts = lengths.ravel()
    shift = begins - (np.cumsum(counts) - counts)
    ids = flat[np.repeat(shift, counts) + np.arange(counts.sum())]
    slots = np.repeat(np.tile(np.arange(SLOTS), len(window.ids)), counts)
    tokens = np.repeat(np.arange(len(window.ids)), lengths.sum(axis=1))
    return ids, slots, tokens
