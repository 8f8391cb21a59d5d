"""Analogies: a is to b as c is to what.

3CosAdd takes the word nearest to b - a + c, all at length one (T. Mikolov, W. Yih and G. Zweig,
2013, Linguistic regularities in continuous space word representations); 3CosMul the one that
maximises cos(x, b) cos(x, c) / (cos(x, a) + 10^-6), cosines brought between 0 and 1 (O. Levy and Y.
Goldberg, 2014). The words of the question are left out of the answers, in every spelling that the
rule for letter case holds to be the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.evaluation.completing import RULES, complete
from firth.evaluation.protocol import Outcome, Subject, Task, every_second

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Question:
    """The three words of a question, the answers that are right, and its section."""

    a: str
    b: str
    c: str
    answers: tuple[str, ...]
    section: str = ""


@dataclass(frozen=True)
class Analogy(Task):
    """Analogy questions.

    Attributes
    ----------
    name
        Of the test.
    questions
        The questions, in the order of the file.
    rule
        ``add`` for 3CosAdd or ``mul`` for 3CosMul.

    Examples
    --------
    >>> from firth.space.space import Space
    >>> from firth.text.vocabulary import Vocabulary
    >>> vectors = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=np.float32)
    >>> space = Space(Vocabulary(["man", "king", "woman", "queen"], [4, 3, 2, 1]), vectors)
    >>> Analogy("royal", (Question("man", "king", "woman", ("queen",)),)).run(space).score
    1.0
    """

    kind: ClassVar[str] = "analogy"

    questions: tuple[Question, ...] = ()
    rule: str = "add"

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.rule not in RULES:
            raise FirthError(f"rule must be one of {', '.join(RULES)}, not {self.rule!r}")

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.questions)

    def score(self, subject: Subject) -> Outcome:
        """Complete all the questions at once, and see which answers are right."""
        asked = _Asked(self.questions, subject)
        right = np.zeros(len(self.questions))
        found = asked.complete(self.rule)
        for number, place in found.items():
            right[number] = place >= 0 and subject.keys[place] in asked.answers[number]
        skip = subject.rules.oov == "skip"
        scored = asked.covered if skip else np.ones_like(asked.covered)
        sections = tuple(question.section for question in self.questions)
        measure = f"accuracy, {RULES[self.rule]}"
        return Outcome(
            self.name, self.kind, measure, right, asked.covered, scored,
            sections=sections if any(sections) else (),
        )  # fmt: skip

    def half(self, which: str) -> Analogy:
        """Return every second question."""
        return replace(self, questions=every_second(self.questions, which))


class _Asked:
    """Questions as places of words, and which of them there is a point in asking."""

    def __init__(self, questions: tuple[Question, ...], subject: Subject) -> None:
        self.subject = subject
        words = (word for q in questions for word in (q.a, q.b, q.c))
        self.places = subject.places(words).reshape(-1, 3)
        self.answers = [{subject.key(answer) for answer in q.answers} for q in questions]
        there = np.array(
            [any(key in subject.index for key in keys) for keys in self.answers], dtype=bool
        )
        known = (self.places >= 0).all(axis=1)
        self.covered = known & there
        # By the rule "zero" a question with an unknown word is wrong, and need not be asked.
        self.posed = there if subject.rules.oov == "mean" else self.covered

    def complete(self, rule: str) -> dict[int, int]:
        """Return the place of the answer to each question that is posed."""
        numbers = np.flatnonzero(self.posed)
        places = self.places[numbers]
        distinct, rows = np.unique(places, return_inverse=True)
        units = self.subject.units(distinct)
        space, end = self.subject.space, self.subject.end
        found = complete(
            space.vectors[:end], space.norms[:end], units, rows.reshape(-1, 3),
            self._excluded(places), rule, self.subject.threads,
        )  # fmt: skip
        return dict(zip(numbers.tolist(), found.tolist(), strict=True))

    def _excluded(self, places: Places) -> Places:
        """Pairs of question and place that may not be its answer."""
        rows = np.repeat(np.arange(len(places)), 3)
        pairs = np.column_stack([rows, places.ravel()])
        spellings = self.subject.spellings
        if spellings:
            keys = self.subject.keys
            more = [
                (row, other)
                for row, place in pairs.tolist()
                if place >= 0
                for other in spellings.get(keys[place], ())
            ]
            pairs = np.concatenate([pairs, np.array(more, dtype=np.int64).reshape(-1, 2)])
        return np.asarray(pairs[pairs[:, 1] >= 0], dtype=np.int64)
