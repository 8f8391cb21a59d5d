"""Analogies: a is to b as c is to what.

3CosAdd takes the word nearest to b - a + c, all at length one (T. Mikolov, W. Yih and G. Zweig,
2013, Linguistic regularities in continuous space word representations); 3CosMul the one that
maximises cos(x, b) cos(x, c) / (cos(x, a) + 10^-6), cosines brought between 0 and 1 (O. Levy and Y.
Goldberg, 2014). The words of the question are never its answer, in any spelling that the rule for
letter case treats as the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from firth.evaluation.completing import RULES, check_rule, complete
from firth.evaluation.protocol import Outcome, Subject, Task, every_second

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Question:
    """A question of an analogy test: a is to b as c is to what.

    Attributes
    ----------
    a, b, c
        The words of the question.
    answers
        The answers that are right.
    section
        The part of the test that it belongs to, if there are parts.

    Examples
    --------
    >>> from firth.evaluation import Question
    >>> Question("man", "king", "woman", ("queen",)).answers
    ('queen',)
    """

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
        The name of the test.
    questions
        The questions, in the order of the file.
    rule
        How to complete them: ``add`` for 3CosAdd or ``cosmul`` for 3CosMul.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Analogy, Question
    >>> vectors = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=np.float32)
    >>> words = firth.Vocabulary(["man", "king", "woman", "queen"], [4, 3, 2, 1])
    >>> space = firth.Space(words, vectors)
    >>> Analogy("royal", (Question("man", "king", "woman", ("queen",)),)).run(space).score
    1.0
    """

    kind: ClassVar[str] = "analogy"

    questions: tuple[Question, ...] = ()
    rule: str = "add"

    def __post_init__(self) -> None:
        """Check `rule`."""
        object.__setattr__(self, "rule", check_rule(self.rule))

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.questions)

    def score(self, subject: Subject) -> Outcome:
        """Complete all questions at once, and check the answers."""
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
    """Questions as places of words, and which of them can be answered."""

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
        # By the rule "zero" a question with an unknown word is wrong without being asked.
        self.posed = there if subject.rules.oov == "mean" else self.covered

    def complete(self, rule: str) -> dict[int, int]:
        """Return the place of the answer to each question that is asked."""
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
        """Return pairs of question and place that may not be its answer."""
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
