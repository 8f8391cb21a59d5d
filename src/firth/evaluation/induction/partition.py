"""The measures of SemEval-2010 task 14: paired F and V-measure of one sense per instance.

S. Manandhar, I. Klapaftis, D. Dligach and S. Pradhan (2010), SemEval-2010 task 14: word sense
induction and disambiguation. Of a graded answer the heaviest sense counts (the first in the order
of names where several are). Scores are computed for each word and averaged over words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.evaluation.induction.keys import Key, Labels

Table = NDArray[np.float64]


@dataclass(frozen=True)
class PartitionScores:
    """V-measure and paired F, from 0 to 1, and how many instances were answered.

    Attributes
    ----------
    v, paired_f
        The averages over words.
    answered, total
        Instances.
    by_word
        V-measure and paired F of each word.

    Examples
    --------
    >>> gold = {"bank": {"1": {"river": 1.0}, "2": {"money": 1.0}, "3": {"money": 1.0}}}
    >>> partition_scores(gold, gold)
    PartitionScores(v=1.0, paired_f=1.0, answered=3, total=3)
    """

    v: float
    paired_f: float
    answered: int
    total: int
    by_word: dict[str, tuple[float, float]] = field(default_factory=dict, repr=False)

    @property
    def avg(self) -> float:
        """The geometric mean of both, of which trivial answers win either alone."""
        return float(np.sqrt(self.v * self.paired_f))


def partition_scores(gold: Key, answers: Key) -> PartitionScores:
    """Score answers against a gold key by V-measure and paired F.

    Parameters
    ----------
    gold, answers
        Senses and weights by word and instance, as `read_key` returns. An instance that was not
        answered counts as a sense of its own.

    Examples
    --------
    >>> gold = {"bank": {"1": {"river": 1.0}, "2": {"money": 1.0}, "3": {"money": 1.0}}}
    >>> one = {"bank": {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}}}
    >>> partition_scores(gold, one)
    PartitionScores(v=0.0, paired_f=0.5, answered=3, total=3)
    """
    if not gold or not all(gold.values()):
        raise FirthError("the gold key has no instances: there is nothing to score against")
    by_word = {}
    answered = 0
    for word, instances in gold.items():
        given = answers.get(word, {})
        pairs: dict[tuple[object, object], int] = {}
        for name, labels in instances.items():
            found: object = _heaviest(given[name]) if given.get(name) else ("", name)
            answered += bool(given.get(name))
            pair = _heaviest(labels), found
            pairs[pair] = pairs.get(pair, 0) + 1
        table = _contingency(pairs)
        by_word[word] = v_measure(table), paired_f(table)
    if not answered:
        raise FirthError("the answers have no instance of the gold key: check the files")
    v, f = np.mean(list(by_word.values()), axis=0).tolist()
    return PartitionScores(v, f, answered, sum(map(len, gold.values())), by_word)


def _heaviest(labels: Labels) -> str:
    return min(labels, key=lambda sense: (-labels[sense], sense), default="")


def _contingency(pairs: dict[tuple[object, object], int]) -> Table:
    rows = {sense: n for n, sense in enumerate(dict.fromkeys(truth for truth, _ in pairs))}
    columns = {sense: n for n, sense in enumerate(dict.fromkeys(found for _, found in pairs))}
    table = np.zeros((len(rows), len(columns)))
    for (truth, found), count in pairs.items():
        table[rows[truth], columns[found]] = count
    return table


def v_measure(table: Table) -> float:
    """Return the harmonic mean of homogeneity and completeness.

    A. Rosenberg and J. Hirschberg (2007), V-measure.

    Parameters
    ----------
    table
        How many instances each gold sense (rows) and induced sense (columns) share.

    Examples
    --------
    >>> v_measure(np.array([[2.0, 0], [0, 3]])), v_measure(np.array([[2.0], [3]]))
    (1.0, 0.0)
    """
    size = table.sum()
    joint = _entropy(table.ravel() / size)
    truth, found = (_entropy(table.sum(axis=axis) / size) for axis in (1, 0))
    # An entropy that is zero cannot be lowered: then nothing is missing.
    homogeneity = 1 - (joint - found) / truth if truth > 0 else 1.0
    completeness = 1 - (joint - truth) / found if found > 0 else 1.0
    total = homogeneity + completeness
    return float(2 * homogeneity * completeness / total) if total > 1e-12 else 0.0


def paired_f(table: Table) -> float:
    """Return the F-score of the pairs of instances that are in one sense.

    Parameters
    ----------
    table
        How many instances each gold sense (rows) and induced sense (columns) share.

    Examples
    --------
    >>> paired_f(np.array([[2.0], [3]])), paired_f(np.array([[1.0, 1, 0], [0, 0, 1]]))
    (0.5714285714285714, 0.0)
    """
    both = _pairs(table).sum()
    truth, found = (_pairs(table.sum(axis=axis)).sum() for axis in (1, 0))
    return float(2 * both / (truth + found)) if truth + found else 0.0


def _pairs(counts: Table) -> Table:
    return counts * (counts - 1) / 2


def _entropy(shares: Table) -> float:
    kept = shares[shares > 0]
    return float(-(kept * np.log(kept)).sum())
