"""Word similarity: compare cosines with the scores that people gave to pairs of words.

The score is Spearman's correlation between the cosines and the human scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from firth.evaluation.protocol import Outcome, Subject, Task, every_second
from firth.ties import level

MEASURE = "Spearman"


@dataclass(frozen=True)
class Similarity(Task):
    """Pairs of words with human scores; a pair that occurs twice counts twice.

    Attributes
    ----------
    name
        The name of the test.
    pairs
        Two words and their score.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Similarity
    >>> vectors = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> pairs = (("Cat", "dog", 9.0), ("cat", "sun", 1.0), ("moon", "sun", 8.0))
    >>> found = Similarity("sky", pairs).run(space)
    >>> found.score, found.n_covered, found.total
    (1.0, 2, 3)
    """

    kind: ClassVar[str] = "similarity"

    pairs: tuple[tuple[str, str, float], ...] = ()

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.pairs)

    def score(self, subject: Subject) -> Outcome:
        """Correlate cosines with human scores."""
        left = subject.places(pair[0] for pair in self.pairs)
        right = subject.places(pair[1] for pair in self.pairs)
        products = (subject.units(left) * subject.units(right)).sum(axis=1)
        cosines = products.astype(np.float32).astype(np.float64)
        covered = (left >= 0) & (right >= 0)
        if subject.rules.oov == "zero":
            cosines[~covered] = 0.0
        scored = covered if subject.rules.oov == "skip" else np.ones_like(covered)
        # A word with itself, above all, ties with any other with itself.
        cosines[scored] = level(cosines[scored])
        gold = np.array([pair[2] for pair in self.pairs], dtype=np.float64)
        return Outcome(self.name, self.kind, MEASURE, cosines, covered, scored, gold)

    def half(self, which: str) -> Similarity:
        """Return every second pair."""
        return replace(self, pairs=every_second(self.pairs, which))
