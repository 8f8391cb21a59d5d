"""What every test of word vectors has: the rules it is run by, and what comes out of it.

A task is a small frozen dataclass with a `name`, a `kind` and one verb, ``run(space, rules)``,
which gives an `Outcome`: one value for every item of the test, and which items were covered, so
that coverage, intervals and paired tests need nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.evaluation.significance import correlation
from firth.resources import default_threads
from firth.space.space import Space

Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

CASES = {
    "fold": "letter case ignored; of spellings that differ in it, the most frequent",
    "lower": "words of the tests in lower case",
    "exact": "letter case as written",
}
OOV = {
    "skip": "items with an unknown word left out",
    "zero": "items with an unknown word scored as 0 or wrong",
    "mean": "the mean vector for an unknown word",
}
TIES = "equal similarities share a rank, a word and itself have 1; of answers the more frequent"
_SPLIT = "halves of paper A where their files are found, else every second item"
HALVES = {"whole": "whole sets", "dev": f"the dev {_SPLIT}", "test": f"the test {_SPLIT}"}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The choices that change a score, all of them printed with it.

    Attributes
    ----------
    case
        ``fold`` ignores case in tests and space, and takes the most frequent spelling; ``lower``
        puts the words of the tests in lower case; ``exact`` takes them as written.
    oov
        What becomes of items with a word that the space lacks: ``skip`` leaves them out, ``zero``
        gives them similarity 0 or counts them as wrong, ``mean`` puts the mean vector in its place.
    restrict
        Look at so many of the most frequent words alone.
    half
        ``whole`` sets, or the ``dev`` or ``test`` half.
    common
        Cut several spaces to the words they share before they are compared.
    resamples, level, seed
        Of the bootstrap intervals.

    Examples
    --------
    >>> Rules(oov="zero", restrict=30_000).lines()[1:3]
    ['unknown words: items with an unknown word scored as 0 or wrong',
     'vocabulary: the 30,000 most frequent words']
    """

    case: str = "fold"
    oov: str = "skip"
    restrict: int | None = None
    half: str = "whole"
    common: bool = False
    resamples: int = 1000
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        for name, value, known in (
            ("case", self.case, CASES),
            ("oov", self.oov, OOV),
            ("half", self.half, HALVES),
        ):
            if value not in known:
                raise FirthError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        if self.restrict is not None and self.restrict < 1:
            raise FirthError(f"restrict must be 1 or more, not {self.restrict}")
        if self.resamples < 1:
            raise FirthError(f"resamples must be 1 or more, not {self.resamples}")
        if not 0 < self.level < 1:
            raise FirthError(f"level must lie between 0 and 1, not {self.level}")

    def lines(self, intervals: bool = True) -> list[str]:
        """Say the rules in words, those of the intervals too unless there are none."""
        words = (
            "all words" if self.restrict is None else f"the {self.restrict:,} most frequent words"
        )
        shared = " that all the spaces share" if self.common else ""
        drawn = f"{self.resamples:,} bootstrap samples of the items, seed {self.seed}"
        return [
            f"case: {CASES[self.case]}",
            f"unknown words: {OOV[self.oov]}",
            f"vocabulary: {words}{shared}",
            f"items: {HALVES[self.half]}",
            f"ties: {TIES}",
            *([f"intervals: {self.level:.0%}, {drawn}"] if intervals else ()),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the rules as plain data."""
        return asdict(self)


class Subject:
    """A space made ready to be asked by the rules: words are looked up as the case rule has it.

    Examples
    --------
    >>> from firth.text.vocabulary import Vocabulary
    >>> vectors = np.eye(3, dtype=np.float32)
    >>> space = Space(Vocabulary(["Rose", "thorn", "rose"], [3, 2, 1]), vectors)
    >>> Subject(space, Rules()).places(["ROSE", "tulip"]).tolist()
    [0, -1]
    >>> Subject(space, Rules(case="lower")).places(["ROSE", "tulip"]).tolist()
    [2, -1]
    """

    def __init__(self, space: Space, rules: Rules, threads: int | None = None) -> None:
        self.space, self.rules = space, rules
        self.threads = threads or default_threads()
        self.end = len(space) if rules.restrict is None else min(rules.restrict, len(space))

    def key(self, word: str) -> str:
        """Return what a word of a test is looked up by."""
        if self.rules.case == "exact":
            return word
        return word.casefold() if self.rules.case == "fold" else word.lower()

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What each word of the space is found by."""
        words = self.space.words.words[: self.end]
        return tuple(w.casefold() for w in words) if self.rules.case == "fold" else words

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each key; of words that differ in case alone, the first."""
        return dict(zip(reversed(self.keys), range(self.end - 1, -1, -1), strict=True))

    @cached_property
    def spellings(self) -> dict[str, tuple[int, ...]]:
        """All the places of the keys that have more than one."""
        if len(self.index) == self.end:
            return {}
        found: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            if self.index[key] != place:
                found.setdefault(key, [self.index[key]]).append(place)
        return {key: tuple(places) for key, places in found.items()}

    @cached_property
    def mean(self) -> Doubles:
        """The mean of the vectors that are looked at."""
        if not self.end:
            return np.zeros(self.space.vector_size)
        return np.asarray(self.space.vectors[: self.end].mean(axis=0, dtype=np.float64))

    def place(self, word: str) -> int:
        """Return the place of a word, -1 if it is not here."""
        return self.index.get(self.key(word), -1)

    def places(self, words: Iterable[str]) -> Places:
        """Return the places of words, -1 where they are not here."""
        return np.fromiter((self.place(word) for word in words), dtype=np.int64)

    def units(self, places: Places) -> Doubles:
        """Return vectors of length one; unknown words have the mean, or zero by the other rules.

        Sums run along rows, so that a vector does not depend on what it is computed with.
        """
        rows = np.zeros((len(places), self.space.vector_size))
        known = places >= 0
        rows[known] = self.space.vectors[places[known]]
        if self.rules.oov == "mean":
            rows[~known] = self.mean
        if not np.isfinite(rows).all():
            bad = int(places[np.argmin(np.isfinite(rows).all(axis=1))])
            word = self.space.words.words[bad] if bad >= 0 else "the mean"
            raise FirthError(f"the vector of {word!r} is not finite: mend the space")
        largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
        rows /= np.where(largest > 0, largest, 1.0)  # so that no square is too large or too small
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a task found: a value for every item, and which items it could be found for.

    Attributes
    ----------
    task, kind
        The name of the task, and what sort of task it is.
    measure
        What `score` is: ``Spearman``, ``accuracy`` or ``purity``, with the rule where there are
        several.
    values
        For every item the similarity, or 1 for right and 0 for wrong.
    covered
        The items all of whose words the space knows.
    scored
        The items that count: those covered, or more of them by the rule for unknown words.
    gold
        For similarities, what people said.
    sections
        For every item the part of the test it belongs to, where there are parts.
    undefined
        Why there is no score though items are covered, if so.

    Examples
    --------
    >>> right = np.array([1.0, 0.0, 0.0])
    >>> known = np.array([True, True, False])
    >>> found = Outcome("esl", "synonyms", "accuracy", right, known, known)
    >>> found.score, found.n_covered, found.total
    (0.5, 2, 3)
    >>> found.only(np.array([False, False, True])).reason
    'no covered items'
    """

    task: str
    kind: str
    measure: str
    values: Doubles
    covered: Flags
    scored: Flags
    gold: Doubles | None = None
    sections: tuple[str, ...] = ()
    undefined: str = ""

    @property
    def total(self) -> int:
        """The number of items."""
        return len(self.values)

    @property
    def n_covered(self) -> int:
        """The number of items all of whose words are known."""
        return int(np.count_nonzero(self.covered))

    @cached_property
    def score(self) -> float | None:
        """The score, None where it is not defined; `reason` says why."""
        if self.undefined or not self.scored.any():
            return None
        values = self.values[self.scored]
        if self.gold is not None:
            return correlation(values, self.gold[self.scored])
        return float(values.mean())

    @property
    def reason(self) -> str:
        """Why there is no score, in a few words; empty if there is one."""
        if self.score is not None:
            return ""
        if not self.scored.any():
            return "no covered items" if self.total else "no items"
        if self.undefined:
            return self.undefined
        if np.count_nonzero(self.scored) == 1:
            return "one covered item"
        assert self.gold is not None
        whose = "similarities" if np.ptp(self.values[self.scored]) == 0 else "human scores"
        return f"all {whose} equal"

    def only(self, items: Flags) -> Outcome:
        """Return the outcome of some items; the others count as not covered."""
        return replace(self, covered=self.covered & items, scored=self.scored & items)

    def part(self, items: Flags, task: str) -> Outcome:
        """Return the outcome of some items as that of a test of its own."""
        return replace(
            self,
            task=task,
            values=self.values[items],
            covered=self.covered[items],
            scored=self.scored[items],
            gold=None if self.gold is None else self.gold[items],
            sections=tuple(s for s, kept in zip(self.sections, items, strict=True) if kept)
            if self.sections
            else (),
        )

    def by_section(self) -> list[Outcome]:
        """Return the outcome of each section, in the order in which they come."""
        labels = np.array(self.sections, dtype=object)
        return [
            self.part(np.asarray(labels == section, dtype=bool), f"{self.task}: {section}")
            for section in dict.fromkeys(self.sections)
        ]


@dataclass(frozen=True)
class Task:
    """A test of word vectors."""

    kind: ClassVar[str] = ""

    name: str

    @property
    def size(self) -> int:
        """The number of items."""
        raise NotImplementedError

    def run(self, space: Space, rules: Rules | None = None) -> Outcome:
        """Test a space by the rules."""
        return self.score(Subject(space, rules or Rules()))

    def score(self, subject: Subject) -> Outcome:
        """Test a space that was made ready, which several tasks may share."""
        raise NotImplementedError

    def half(self, which: str) -> Task:
        """Return the dev or test half: every second item, the first of them in the test."""
        raise NotImplementedError


def every_second(items: Sequence[Any], which: str) -> Any:
    """Take a half as A's authors did: the first, third … items are the test, the others dev.

    Examples
    --------
    >>> every_second("abcde", "test"), every_second("abcde", "dev")
    ('ace', 'bd')
    """
    return items[0::2] if which == "test" else items[1::2]


def shared(spaces: Sequence[Space], rules: Rules) -> list[Space]:
    """Cut spaces to the words that all of them have, each in its own order.

    By the rule ``fold`` words that differ in case alone are one, and the most frequent stays.
    """
    subjects = [Subject(space, rules) for space in spaces]
    common = set.intersection(*(set(subject.index) for subject in subjects))
    return [_cut(subject, common) for subject in subjects]


def _cut(subject: Subject, common: set[str]) -> Space:
    from firth.text.vocabulary import Vocabulary

    space = subject.space
    places = sorted(subject.index[key] for key in common)
    words = [space.words.words[place] for place in places]
    kept = np.array(places, dtype=np.int64)
    vocabulary = Vocabulary.unchecked(words, space.words.frequencies[kept])
    return Space(vocabulary, space.vectors[kept], recipe=space.recipe)
