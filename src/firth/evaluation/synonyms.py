"""Synonym choice: find which of a few words means the same as another.

The choice with the largest cosine is taken. A tie with a wrong choice counts as wrong, so a space
that cannot tell the choices apart scores 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from firth.evaluation.protocol import Outcome, Subject, Task, every_second
from firth.ties import TIE

MEASURE = "accuracy"


@dataclass(frozen=True)
class Choice:
    """A question of a synonym test: a word and a few choices.

    Attributes
    ----------
    word
        The word.
    choices
        The choices, the right one first.

    Examples
    --------
    >>> from firth.evaluation import Choice
    >>> Choice("cat", ("kitten", "sun")).choices[0]
    'kitten'
    """

    word: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Synonyms(Task):
    """Questions with a few choices each.

    Attributes
    ----------
    name
        The name of the test.
    questions
        A word and its choices, the right one first.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Choice, Synonyms
    >>> vectors = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> Synonyms("pets", (Choice("cat", ("dog", "sun")),)).run(space).score
    1.0
    """

    kind: ClassVar[str] = "synonyms"

    questions: tuple[Choice, ...] = ()

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.questions)

    def score(self, subject: Subject) -> Outcome:
        """Answer every question, and check the answers."""
        rules = subject.rules
        covered = np.zeros(len(self.questions), dtype=bool)
        right = np.zeros(len(self.questions))
        for number, question in enumerate(self.questions):
            places = subject.places((question.word, *question.choices))
            covered[number] = (places >= 0).all()
            if rules.oov != "mean" and not covered[number]:
                continue
            units = subject.units(places)
            cosines = (units[1:] * units[0]).sum(axis=1)
            right[number] = bool((cosines[0] > cosines[1:] + TIE).all())
        scored = covered if rules.oov == "skip" else np.ones_like(covered)
        return Outcome(self.name, self.kind, MEASURE, right, covered, scored)

    def half(self, which: str) -> Synonyms:
        """Return every second question."""
        return replace(self, questions=every_second(self.questions, which))
