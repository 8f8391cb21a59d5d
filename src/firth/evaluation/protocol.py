"""What every test of word vectors has: the rules it is run by, and its outcome.

A task is a small frozen dataclass with a `name`, a `kind` and one method, ``run(space, rules)``,
which returns an `Outcome`: one value for every item of the test, and which items were covered.
Coverage, intervals and paired tests are computed from these.
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
from firth.parameters import Checked, parameter
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
class EvaluationRules(Checked):
    """The choices that change a score, which are all printed with it.

    Attributes
    ----------
    case
        ``fold`` ignores case in tests and space, and takes the most frequent spelling; ``lower``
        puts the words of the tests in lower case; ``exact`` takes them as written.
    oov
        What to do with items that have an unknown word: ``skip`` leaves them out, ``zero`` gives
        them similarity 0 or counts them as wrong, ``mean`` uses the mean vector for the word.
    restrict
        Use only this many of the most frequent words; all if None.
    half
        ``whole`` sets, or their ``dev`` or ``test`` half.
    common
        Cut several spaces to the words that all of them have.
    resamples
        The number of bootstrap samples.
    level
        The level of the intervals.
    seed
        The seed of the bootstrap and of k-means.

    Examples
    --------
    >>> import firth
    >>> firth.EvaluationRules(oov="zero", restrict=30_000).lines()[1:3]
    ['unknown words: items with an unknown word scored as 0 or wrong',
     'vocabulary: the 30,000 most frequent words']
    """

    case: str = parameter("fold", "How letter case is treated.", choices=tuple(CASES))
    oov: str = parameter("skip", "What to do with unknown words.", choices=tuple(OOV))
    restrict: int | None = parameter(None, "Use the most frequent words only.", least=1)
    half: str = parameter("whole", "Whole sets or a half.", choices=tuple(HALVES))
    common: bool = parameter(False, "Cut spaces to the words that they share.")
    resamples: int = parameter(1000, "Bootstrap samples.", least=1)
    level: float = parameter(0.95, "The level of the intervals.", above=0, most=1)
    seed: int = parameter(0, "Of the bootstrap and of k-means.", least=0, most=2**63 - 1)

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        if self.level >= 1:
            raise FirthError(f"`level` must be above 0 and below 1, not {self.level!r}")

    def lines(self, intervals: bool = True) -> list[str]:
        """Describe the rules, a line each; those of intervals only if `intervals`."""
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
    """A space prepared for tests: words are looked up by the rule for letter case.

    Examples
    --------
    >>> from firth.text.vocabulary import Vocabulary
    >>> vectors = np.eye(3, dtype=np.float32)
    >>> space = Space(Vocabulary(["Rose", "thorn", "rose"], [3, 2, 1]), vectors)
    >>> Subject(space, EvaluationRules()).places(["ROSE", "tulip"]).tolist()
    [0, -1]
    >>> Subject(space, EvaluationRules(case="lower")).places(["ROSE", "tulip"]).tolist()
    [2, -1]
    """

    def __init__(self, space: Space, rules: EvaluationRules, threads: int | None = None) -> None:
        self.space, self.rules = space, rules
        self.threads = threads or default_threads()
        self.end = len(space) if rules.restrict is None else min(rules.restrict, len(space))

    def key(self, word: str) -> str:
        """Return the form by which a word of a test is looked up."""
        if self.rules.case == "exact":
            return word
        return word.casefold() if self.rules.case == "fold" else word.lower()

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The form by which each word of the space is found."""
        words = self.space.words.words[: self.end]
        return tuple(w.casefold() for w in words) if self.rules.case == "fold" else words

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each key; of words that differ only in case, the first."""
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
        """The mean of the vectors that are used."""
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
        """Return vectors of length one; for unknown words the mean, or zero by the other rules.

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
            raise FirthError(f"the vector of {word!r} is not finite: fit or import the space again")
        largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
        rows /= np.where(largest > 0, largest, 1.0)  # so that no square is too large or too small
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of a task: a value for every item, and which items were covered.

    Attributes
    ----------
    task, kind
        The name of the test and the kind of task, such as ``similarity``.
    measure
        What `score` measures: ``Spearman``, ``accuracy`` or ``purity``, and the rule if there are
        several.
    values
        The similarity of every item, or 1 for right and 0 for wrong.
    covered
        Which items have only words that the space knows.
    scored
        Which items count: those covered, or all, by the rule for unknown words.
    gold
        The human scores, of similarities.
    sections
        The part of the test that each item belongs to, if there are parts.
    undefined
        Why there is no score although items are covered.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.evaluation import Outcome
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
        """The number of items with only known words."""
        return int(np.count_nonzero(self.covered))

    @cached_property
    def score(self) -> float | None:
        """The score; None if it is not defined, and `reason` says why."""
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
        """Return the outcome of some items under a name of its own."""
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
        """Return the outcome of each section, in the order of the test."""
        labels = np.array(self.sections, dtype=object)
        return [
            self.part(np.asarray(labels == section, dtype=bool), f"{self.task}: {section}")
            for section in dict.fromkeys(self.sections)
        ]


@dataclass(frozen=True)
class Task:
    """A test of word vectors: the base class of `Similarity`, `Analogy` and the others.

    Attributes
    ----------
    name
        The name of the test.

    Examples
    --------
    >>> import firth
    >>> from firth.evaluation import Similarity, Task
    >>> task = Similarity("pairs", (("cat", "dog", 9.0), ("cat", "sun", 1.0)))
    >>> isinstance(task, Task), task.kind, task.size
    (True, 'similarity', 2)
    """

    kind: ClassVar[str] = ""

    name: str

    @property
    def size(self) -> int:
        """The number of items."""
        raise NotImplementedError

    def run(self, space: Space, rules: EvaluationRules | None = None) -> Outcome:
        """Test a space by the rules."""
        return self.score(Subject(space, rules or EvaluationRules()))

    def score(self, subject: Subject) -> Outcome:
        """Test a prepared space, which several tasks may share."""
        raise NotImplementedError

    def half(self, which: str) -> Task:
        """Return the dev or test half: every second item, the first of them in the test half."""
        raise NotImplementedError


def every_second(items: Sequence[Any], which: str) -> Any:
    """Take a half as paper A did: the first, third … items are the test half, the others dev.

    Examples
    --------
    >>> every_second("abcde", "test"), every_second("abcde", "dev")
    ('ace', 'bd')
    """
    return items[0::2] if which == "test" else items[1::2]


def shared(spaces: Sequence[Space], rules: EvaluationRules) -> list[Space]:
    """Cut spaces to the words that all of them have, each in its own order.

    By the rule ``fold``, words that differ only in case are one word: the most frequent of them.
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


def __getattr__(name: str) -> Any:
    """Return a name that has changed, with a warning."""
    if name == "Rules":
        import warnings

        warnings.warn("Rules is now called EvaluationRules", DeprecationWarning, 2)
        return EvaluationRules
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
