"""Similarity and analogy scores for the benchmarks: ten similarity sets and Google's analogies.

The similarity score is Spearman × 100, averaged over the ten sets of the EigenWord thesis; pairs
with unknown words are skipped and letter case is ignored. Analogies are answered by 3CosAdd and
3CosMul among the whole vocabulary without the words of the question. The dev scores are those of
the dev halves of Stratos, Collins and Hsu (2015): three similarity sets, and the analogies of
Google and MSR together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench.measure import data_folder
from firth.evaluation.finding import DataFolders, tasks_of
from firth.evaluation.protocol import EvaluationRules, Outcome, Subject, Task
from firth.space.space import Space

WHOLE = ("ten", "google")
DEV = ("men", "rw", "ws353", "google", "msr")


@dataclass(frozen=True)
class Scores:
    """The scores of a space, out of 100."""

    similarity: float
    add: float
    mul: float
    pairs: int
    questions: int

    @property
    def analogy(self) -> float:
        """The better of the two rules."""
        return max(self.add, self.mul)


@cache
def tasks(dev: bool) -> list[Task]:
    """Return the tests, or their dev halves."""
    folders = DataFolders([data_folder()])
    return tasks_of(DEV if dev else WHOLE, folders, "dev" if dev else "whole", ("add", "cosmul"))


def score(space: Space, dev: bool = False) -> Scores:
    """Score vectors on the whole tests, or on their dev halves."""
    subject = Subject(space, EvaluationRules())
    found = [task.score(subject) for task in tasks(dev)]
    similar = [outcome for outcome in found if outcome.kind == "similarity"]
    add, mul = ([o for o in found if o.measure.endswith(rule)] for rule in ("3CosAdd", "3CosMul"))
    return Scores(
        float(np.mean([100 * (outcome.score or 0.0) for outcome in similar])),
        _together(add),
        _together(mul),
        sum(outcome.n_covered for outcome in similar),
        sum(outcome.n_covered for outcome in add),
    )


def _together(found: Sequence[Outcome]) -> float:
    """Return the accuracy over the questions of all sets together."""
    right = sum(float(outcome.values[outcome.scored].sum()) for outcome in found)
    return 100 * right / max(1, sum(outcome.n_covered for outcome in found))
