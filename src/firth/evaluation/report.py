"""`Report`: scores with their coverage and intervals, as a table, Markdown, CSV or plain data."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firth.evaluation.protocol import EvaluationRules, Outcome
from firth.evaluation.registry import TASKS
from firth.evaluation.significance import correlation_interval, mean_interval

COLUMNS = (
    *("space", "test", "task", "measure", "score", "low", "high", "covered", "total", "reason"),
)


@dataclass(frozen=True)
class Row:
    """A score of a space on a test.

    Attributes
    ----------
    space, test, task, measure
        The names of the space and the test, the kind of task, and what is measured.
    score, low, high
        The score and its interval; None where there is none, and `reason` says why.
    covered, total
        The items with only known words, and all items.
    reason
        Why there is no score.
    percent
        Whether the score is shown in points of 100; mutual information in nats is not.

    Examples
    --------
    >>> from firth.evaluation import Row
    >>> row = Row("mine", "rg65", "similarity", "Spearman", 0.7321, 0.61, 0.83, 60, 65)
    >>> row.shown(), row.coverage
    ('73.2 [61.0, 83.0]', '60/65')
    """

    space: str
    test: str
    task: str
    measure: str
    score: float | None
    low: float | None = None
    high: float | None = None
    covered: int = 0
    total: int = 0
    reason: str = ""
    percent: bool = True

    def shown(self, intervals: bool = True) -> str:
        """Write the score and its interval.

        Examples
        --------
        >>> Row("a", "rg65", "similarity", "Spearman", 0.7321, 0.61, 0.83, 60, 65).shown()
        '73.2 [61.0, 83.0]'
        >>> Row("a", "rg65", "similarity", "Spearman", None, reason="no covered items").shown()
        'no covered items'
        """
        if self.score is None:
            return self.reason or "no score"
        scale, digits = (100, 1) if self.percent else (1, 3)
        text = f"{scale * self.score:.{digits}f}"
        if intervals and self.low is not None and self.high is not None:
            text += f" [{scale * self.low:.{digits}f}, {scale * self.high:.{digits}f}]"
        return text

    @property
    def coverage(self) -> str:
        """The covered items and all items, as ``60/65``."""
        return f"{self.covered:,}/{self.total:,}"


def row_of(space: str, outcome: Outcome, rules: EvaluationRules) -> Row:
    """Return an outcome as a row of a report, with the interval of its score."""
    low = high = None
    if outcome.score is not None:
        settings = rules.resamples, rules.level, rules.seed
        values = outcome.values[outcome.scored]
        if outcome.gold is None:
            found = mean_interval(values, *settings)
        else:
            found = correlation_interval(values, outcome.gold[outcome.scored], *settings)
        low, high = found or (None, None)
    return Row(
        space, outcome.task, outcome.kind, outcome.measure, outcome.score, low, high,
        outcome.n_covered, outcome.total, outcome.reason,
    )  # fmt: skip


def information_row(clustering: str, nats: float, words: int, total: int) -> Row:
    """Return the mutual information of a clustering as a row of a report.

    It is in nats, as in equation 3 of K. Stratos, D. Kim, M. Collins and D. Hsu, 2014.

    Examples
    --------
    >>> information_row("brown", 1.6, 300, 300).shown()
    '1.600'
    """
    return Row(
        clustering, "mutual information", "clusters", "nats", nats, covered=words, total=total,
        percent=False,
    )  # fmt: skip


def average(space: str, rows: Iterable[Row]) -> Row | None:
    """Return the mean of the similarity scores of a space; None if there are fewer than two.

    If a set has no score, neither has the mean: a mean of fewer sets would be another number.
    """
    own = [row for row in rows if row.space == space and row.task == "similarity"]
    if len(own) < 2:
        return None
    missing = next((row for row in own if row.score is None), None)
    mean = None if missing else float(np.mean([row.score for row in own if row.score is not None]))
    reason = f"{missing.test}: {missing.reason}" if missing else ""
    return Row(
        space, f"mean of {len(own)} similarity sets", "average", "Spearman", mean,
        covered=sum(row.covered for row in own), total=sum(row.total for row in own), reason=reason,
    )  # fmt: skip


def markdown_of(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table.

    Examples
    --------
    >>> print(markdown_of(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    rows = [
        "| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in (header, *lines)
    ]
    return "\n".join([rows[0], "|" + "---|" * len(header), *rows[1:]])


def _heading(test: str, rows: Sequence[Row]) -> str:
    """Name a column of a summary, with the rules of its test."""
    rules = list(dict.fromkeys(row.measure.partition(", ")[2] for row in rows))
    by = " and ".join(rules)
    return test + (f", better of {by}" if len(rules) > 1 else f", {by}" if by else "")


@dataclass(frozen=True)
class Report:
    """Scores, and the rules by which they were computed.

    Attributes
    ----------
    rows
        A `Row` per space and test.
    rules
        The choices that the scores were made by.


    Examples
    --------
    >>> import firth
    >>> from firth.evaluation import Row
    >>> rows = [Row("small", "rg65", "similarity", "Spearman", 0.7, 0.6, 0.8, 60, 65),
    ...         Row("large", "rg65", "similarity", "Spearman", 0.8, 0.7, 0.9, 65, 65)]
    >>> print(firth.Report(rows, firth.EvaluationRules()).markdown())
    | test | measure | small | large |
    |---|---|---|---|
    | rg65 | Spearman | 70.0 [60.0, 80.0] 60/65 | 80.0 [70.0, 90.0] 65/65 |
    """

    rows: Sequence[Row]
    rules: EvaluationRules

    @property
    def spaces(self) -> list[str]:
        """The names of the spaces, in order."""
        return list(dict.fromkeys(row.space for row in self.rows))

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the lines of a table: a line per test, a column per space.

        Coverage has a column of its own, unless it differs between spaces.
        """
        places: dict[tuple[str, str], dict[str, Row]] = {}
        for row in self.rows:
            places.setdefault((row.test, row.measure), {})[row.space] = row
        same = all(len({row.coverage for row in own.values()}) == 1 for own in places.values())
        same = same and all(len(own) == len(self.spaces) for own in places.values())
        header = ["test", "measure", *(["covered"] if same else []), *self.spaces]
        lines = []
        for (test, measure), own in places.items():
            line = [test, measure]
            if same:
                line.append(next(iter(own.values())).coverage)
            for space in self.spaces:
                if space not in own:
                    line.append("")
                    continue
                text = own[space].shown()
                line.append(text if same else f"{text} {own[space].coverage}")
            lines.append(line)
        return header, lines

    def summary(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the lines of a table with a line per space.

        Its columns are the mean of the similarity sets, and the other tests. Of a test that was
        scored by several rules, each space has its better score.
        """
        means = [row for row in self.rows if row.task == "average"]
        others = [row for row in self.rows if row.task != "average"]
        if means:
            others = [row for row in others if row.task != "similarity"]
        columns: dict[tuple[str, str], list[Row]] = {}
        for row in (*means, *others):
            columns.setdefault((row.test, row.measure.partition(", ")[0]), []).append(row)
        header = ["space"]
        lines = [[space] for space in self.spaces]
        for (test, _), own in columns.items():
            same = len({row.coverage for row in own}) == 1
            header.append(_heading(test, own) + (f" ({own[0].coverage})" if same else ""))
            for space, line in zip(self.spaces, lines, strict=True):
                rows = [row for row in own if row.space == space]
                best = max(rows, key=lambda row: (row.score is not None, row.score), default=None)
                text = "" if best is None else best.shown(intervals=False)
                line.append(text if same or best is None else f"{text} {best.coverage}")
        return header, lines

    def lines(self, points: bool = True, intervals: bool = True) -> list[str]:
        """Describe the rules by which the rows were computed."""
        of_sets = any(row.task in (*TASKS, "average") for row in self.rows)
        points = points and any(row.percent for row in self.rows)
        rules = self.rules.lines(intervals) if of_sets else []
        return [*rules, *(["scores × 100"] if points else ())]

    def markdown(self, summary: bool = False) -> str:
        """Write a Markdown table."""
        return markdown_of(*(self.summary() if summary else self.cells()))

    def csv(self) -> str:
        """Write one line per score, with all the digits."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            values = (getattr(row, name) for name in COLUMNS)
            writer.writerow(["" if value is None else value for value in values])
        return out.getvalue()

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data; scores are fractions, not points."""
        return {
            "rules": self.rules.to_json(),
            "rows": [asdict(row) for row in self.rows],
        }
