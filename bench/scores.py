"""Similarity and analogy scores for the benchmarks: the ten sets of the thesis, and Google's.

Uncovered pairs are skipped, letter case is ignored, Spearman × 100 averaged over the ten sets;
analogies by 3CosAdd and 3CosMul over the whole vocabulary, question words excluded. The dev scores
are of the dev halves of paper A: three similarity sets, and Google's and MSR's analogies together.
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
    """What a space scores, in points of 100."""

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
    """Score vectors on all tests, or on the dev halves alone."""
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
    """Return the accuracy over the questions of several sets."""
    right = sum(float(outcome.values[outcome.scored].sum()) for outcome in found)
    return 100 * right / max(1, sum(outcome.n_covered for outcome in found))
