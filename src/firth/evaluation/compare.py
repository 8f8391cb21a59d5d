"""Two spaces on the same tests: which differences are real, and how far the two agree.

Similarity sets are compared by Steiger's test and a paired bootstrap, questions and classes by
McNemar's exact test and the posterior under flat priors; p-values are corrected over all the tests
by Holm's procedure. The items are those that both spaces score.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth.evaluation.mrds import accuracy_mrds, correlation_mrds
from firth.evaluation.protocol import EvaluationRules, Outcome
from firth.evaluation.significance import (
    correlation,
    correlation_difference,
    holm,
    mcnemar,
    mean_interval,
    not_better,
    steiger,
)

STEIGER, MCNEMAR = "Steiger", "McNemar"


@dataclass(frozen=True)
class Difference:
    """Two scores on one test, and whether they differ.

    Attributes
    ----------
    test, measure
        The test, and what is measured.
    by
        The statistical test: Steiger's or McNemar's.
    first, second
        The scores; None where there is none, and `reason` says why.
    low, high
        The interval of second less first, from the paired bootstrap.
    p, corrected
        The two-sided p-value, before and after Holm's correction.
    posterior
        For accuracies: the probability that the second is not better, under flat priors.
    agreement
        Spearman's correlation of the two spaces' similarities, or the share of items on which both
        are right or both wrong.
    mrds
        The minimum required difference for significance at this agreement, see `mrds.py`.
    items, covered, total
        The items that both score; those whose words both know; all items of the test.
    reason
        Why there is no score.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Similarity
    >>> words = firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1])
    >>> space = firth.Space(words, np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32))
    >>> pairs = Similarity("pairs", (("cat", "dog", 9.0), ("cat", "sun", 1.0)))
    >>> found = firth.compare({"a": space}, {"b": space}, pairs).differences[0]
    >>> found.by, found.items, found.is_real(0.05)
    ('Steiger', 2, False)
    """

    test: str
    measure: str
    by: str
    first: float | None
    second: float | None
    low: float | None
    high: float | None
    p: float | None
    posterior: float | None
    agreement: float | None
    mrds: float | None
    items: int
    covered: int
    total: int
    reason: str = ""
    corrected: float | None = None

    @property
    def difference(self) -> float | None:
        """Second less first."""
        if self.first is None or self.second is None:
            return None
        return self.second - self.first

    @property
    def label(self) -> str:
        """The test, with the rule that its measure names."""
        rule = self.measure.partition(", ")[2]
        return f"{self.test} ({rule})" if rule else self.test

    def is_real(self, significance: float) -> bool:
        """Whether the difference is significant at this level, after the correction."""
        return self.corrected is not None and self.corrected < significance


@dataclass(frozen=True)
class Comparison:
    """Two spaces on several tests, as `firth.compare` returns them.

    Attributes
    ----------
    first, second
        The names of the spaces.
    differences
        A `Difference` per test.
    rules
        The choices that the scores were made by.
    significance
        The level below which a corrected p-value makes a difference real.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Similarity
    >>> words = firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1])
    >>> space = firth.Space(words, np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32))
    >>> pairs = Similarity("pairs", (("cat", "dog", 9.0), ("cat", "sun", 1.0)))
    >>> firth.compare({"a": space}, {"b": space}, pairs).differences[0].difference
    0.0
    """

    first: str
    second: str
    differences: Sequence[Difference]
    rules: EvaluationRules
    significance: float = 0.05

    def sentences(self) -> list[str]:
        """Say which differences are real, a sentence per test and a summary."""
        lines = [self._sentence(difference) for difference in self.differences]
        return [*lines, *self._summary()]

    def _sentence(self, d: Difference) -> str:
        if d.difference is None or d.first is None or d.second is None:
            return f"{d.label}: cannot be compared: {d.reason}."
        scores = f"{100 * d.first:.1f} and {100 * d.second:.1f}, difference {_points(d.difference)}"
        if d.low is not None and d.high is not None:
            scores += f" [{_points(d.low)}, {_points(d.high)}]"
        if d.corrected is None or d.p is None:
            return f"{d.label}: {scores}; too few items for a test."
        corrected = _probability(d.corrected).removeprefix("= ")
        probability = f"p {_probability(d.p)} by {d.by}, {corrected} corrected"
        if d.is_real(self.significance):
            better = self.second if d.difference > 0 else self.first
            return f"{d.label}: {better} is better: {scores}; {probability}."
        return f"{d.label}: no real difference: {scores}; {probability}."

    def _summary(self) -> list[str]:
        real = [d for d in self.differences if d.is_real(self.significance)]
        for_second = sum((d.difference or 0) > 0 for d in real)
        tested = sum(d.corrected is not None for d in self.differences)
        lines = [
            f"Of {tested} tests, {self.second} is better on {for_second} and {self.first} on "
            f"{len(real) - for_second}, at {self.significance:g} after Holm's correction."
        ]
        similar = [d for d in self.differences if d.by == STEIGER and d.agreement is not None]
        if similar:
            values = [(d.agreement or 0.0, d.test) for d in similar]
            low, high = min(values), max(values)
            span = f"{100 * low[0]:.1f} ({low[1]})"
            if len(values) > 1:
                span = f"between {span} and {100 * high[0]:.1f} ({high[1]})"
            lines.append(f"Their similarities correlate with each other at {span}.")
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data; scores are fractions, not points."""
        rows = [
            {**asdict(d), "difference": d.difference, "real": d.is_real(self.significance)}
            for d in self.differences
        ]
        return {
            "first": self.first,
            "second": self.second,
            "significance": self.significance,
            "rules": self.rules.to_json(),
            "differences": rows,
            "words": self.sentences(),
        }

    def csv(self) -> str:
        """Write one line per test, with all the digits."""
        rows = self.to_json()["differences"]
        out = io.StringIO()
        names = list(rows[0]) if rows else ["test"]
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Lay the differences out in lines and columns."""
        header = ["test", "covered", self.first, self.second, "difference", "p", "corrected",
                  "agreement", "MRDS", ""]  # fmt: skip
        lines = []
        for d in self.differences:
            score = [d.reason if s is None else f"{100 * s:.1f}" for s in (d.first, d.second)]
            gap = "" if d.difference is None else _points(d.difference)
            if gap and d.low is not None and d.high is not None:
                gap += f" [{_points(d.low)}, {_points(d.high)}]"
            lines.append([
                d.label, f"{d.covered:,}/{d.total:,}", *score, gap,
                "" if d.p is None else _probability(d.p).removeprefix("= "),
                "" if d.corrected is None else _probability(d.corrected).removeprefix("= "),
                "" if d.agreement is None else f"{100 * d.agreement:.1f}",
                "" if d.mrds is None else f"{100 * d.mrds:.1f}",
                "real" if d.is_real(self.significance) else "",
            ])  # fmt: skip
        return header, lines


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _probability(p: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> _probability(0.0312), _probability(1e-9)
    ('= 0.031', '< 0.0001')
    """
    if p < 1e-4:
        return "< 0.0001"
    return f"= {p:.2g}" if p < 0.995 else "= 1"


def compare_outcomes(
    first: str,
    second: str,
    pairs: Sequence[tuple[Outcome, Outcome]],
    rules: EvaluationRules,
    significance: float = 0.05,
) -> Comparison:
    """Compare two spaces by their outcomes on the same tasks.

    Parameters
    ----------
    first, second
        Names of the spaces.
    pairs
        The outcomes of both on each task.
    rules
        The rules of the outcomes, and of the bootstrap.
    significance
        The level of significance.
    """
    found = [difference(a, b, rules, significance) for a, b in pairs]
    tested = [number for number, d in enumerate(found) if d.p is not None]
    corrected = holm([d.p for d in found if d.p is not None])
    for number, p in zip(tested, corrected, strict=True):
        found[number] = Difference(**{**asdict(found[number]), "corrected": p})
    return Comparison(first, second, tuple(found), rules, significance)


def difference(
    a: Outcome, b: Outcome, rules: EvaluationRules, significance: float = 0.05
) -> Difference:
    """Compare two outcomes of one task on the items that both score."""
    both = a.scored & b.scored
    a, b = a.only(both), b.only(both)
    by = MCNEMAR if a.gold is None else STEIGER
    items, covered = int(np.count_nonzero(both)), int(np.count_nonzero(a.covered & b.covered))
    empty = Difference(a.task, a.measure, by, a.score, b.score, None, None, None, None, None, None,
                       items, covered, a.total, a.reason or b.reason)  # fmt: skip
    if a.score is None or b.score is None:
        return empty
    kind = _correlations if by == STEIGER else _accuracies
    values = kind(a, b, rules, significance)
    return Difference(**{**asdict(empty), **values})


def _correlations(
    a: Outcome, b: Outcome, rules: EvaluationRules, significance: float
) -> dict[str, Any]:
    assert a.gold is not None
    x, y, gold = a.values[a.scored], b.values[a.scored], a.gold[a.scored]
    assert a.score is not None
    assert b.score is not None
    between = correlation(x, y)
    interval = correlation_difference(x, y, gold, rules.resamples, rules.level, rules.seed)
    low, high = interval or (None, None)
    p = mrds = None
    if between is not None and len(x) > 3:
        p = steiger(a.score, b.score, between, len(x))
        if abs(between) < 1:
            mrds = correlation_mrds(len(x), between, significance)
    return {"low": low, "high": high, "p": p, "agreement": between, "mrds": mrds}


def _accuracies(
    a: Outcome, b: Outcome, rules: EvaluationRules, significance: float
) -> dict[str, Any]:
    x, y = a.values[a.scored], b.values[a.scored]
    interval = mean_interval(y - x, rules.resamples, rules.level, rules.seed)
    low, high = interval or (None, None)
    first_alone, second_alone = int(((x > 0) & (y == 0)).sum()), int(((y > 0) & (x == 0)).sum())
    return {
        "low": low,
        "high": high,
        "p": mcnemar(first_alone, second_alone),
        "posterior": not_better(int(x.sum()), len(x), int(y.sum()), len(y)),
        "agreement": float((x == y).mean()),
        "mrds": accuracy_mrds(len(x), significance),
    }
