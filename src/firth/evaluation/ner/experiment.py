"""Compare a plain tagger with taggers that use clusters or vectors, as papers A and B do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firth.errors import FirthError
from firth.evaluation import report
from firth.evaluation.ner.features import covered
from firth.evaluation.ner.intervals import Interval, difference_interval, f1_interval
from firth.evaluation.ner.spans import EntityScores, Score, Sentence, evaluate_entities
from firth.evaluation.ner.tagger import Tagger
from firth.progress import Event
from firth.resources import Resources
from firth.space.space import Space

PLAIN = "plain"


@dataclass(frozen=True)
class Row:
    """The scores of a tagger with one kind of features.

    Attributes
    ----------
    name
        The name of the clusters or the space; ``plain`` for neither.
    f1
        F1 on the test with its interval, the mean over seeds.
    difference
        F1 less that of the plain tagger, on the same resamples.
    dev
        The mean F1 on the dev sentences, in the epoch that was chosen.
    covered, total
        The tokens of the test that have a cluster or a vector (None for plain), and all tokens.
    precision, recall
        The means over seeds.
    types
        The scores of the first seed for each type of entity.
    epochs
        The epochs of training, for each seed.
    seconds
        The time of training, with features; the mean over seeds.
    """

    name: str
    f1: Interval
    difference: Interval | None
    dev: float | None
    covered: int | None
    total: int
    precision: float
    recall: float
    types: dict[str, Score]
    epochs: tuple[int, ...]
    seconds: float

    @property
    def coverage(self) -> float | None:
        """The share of test tokens that have a cluster or a vector."""
        return None if self.covered is None else self.covered / max(self.total, 1)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, F1 and its like in points of 100."""
        plain = None if self.difference is None else _points(self.difference)
        types = {
            kind: {
                "f1": 100 * score.f1,
                "precision": 100 * score.precision,
                "recall": 100 * score.recall,
                "entities": score.gold,
            }
            for kind, score in self.types.items()
        }
        return {
            "features": self.name,
            "f1": _points(self.f1),
            "difference": plain,
            "dev": None if self.dev is None else 100 * self.dev,
            "covered": self.covered,
            "total": self.total,
            "precision": 100 * self.precision,
            "recall": 100 * self.recall,
            "types": types,
            "epochs": list(self.epochs),
            "seconds": round(self.seconds, 3),
        }


def run(
    spaces: Mapping[str, Space],
    train: Sequence[Sentence],
    test: Sequence[Sentence],
    *,
    dev: Sequence[Sentence] | None = None,
    clusters: Mapping[str, Mapping[str, str]] | None = None,
    tagger: Tagger | None = None,
    seeds: int = 1,
    resamples: int = 2000,
    level: float = 0.95,
    resources: Resources | None = None,
) -> Iterator[Row]:
    """Train and test a plain tagger, then one with each of the clusters and spaces.

    Parameters
    ----------
    spaces, clusters
        By name.
    train, test, dev
        Sentences; if `dev` is given, the number of epochs is chosen on it.
    tagger
        The settings of the taggers.
    seeds
        How many taggers to train for each row, with consecutive seeds from the tagger's own; F1 is
        their mean.
    resamples, level
        The bootstrap samples and the level of the intervals.
    resources
        Progress, reported before each tagger.

    Yields
    ------
    Row
        The plain tagger first; each row as soon as it is ready.

    Examples
    --------
    >>> names = [Sentence(("in", "Milan"), ("O", "B-place")), Sentence(("a", "cat"), ("O", "O"))]
    >>> [row.name for row in run({}, names, names, clusters={"brown": {"milan": "01"}})]
    ['plain', 'brown']
    """
    used = resources or Resources()
    if seeds < 1:
        raise FirthError(f"`seeds` must be 1 or more, not {seeds!r}")
    if not test:
        raise FirthError("there are no sentences to test on")
    chosen = tagger or Tagger()
    many = [replace(chosen, seed=chosen.seed + more) for more in range(seeds)]
    ways: list[tuple[str, Mapping[str, str] | None, Space | None]] = [(PLAIN, None, None)]
    ways += [(name, paths, None) for name, paths in (clusters or {}).items()]
    ways += [(name, None, space) for name, space in spaces.items()]
    base: list[EntityScores] = []
    for done, (name, paths, space) in enumerate(ways):
        used.progress(Event("tagging", done, len(ways), unit="taggers", text=f"training: {name}"))
        begun = time.perf_counter()
        fitted = [t.fit(train, clusters=paths, space=space, dev=dev) for t in many]
        seconds = (time.perf_counter() - begun) / seeds
        scores = [evaluate_entities(test, one.tag(test)) for one in fitted]
        base = base or scores
        known = paths if space is None else space.words.index
        yield Row(
            name=name,
            f1=f1_interval(scores, resamples=resamples, level=level),
            difference=difference_interval(scores, base, resamples=resamples, level=level)
            if done
            else None,
            dev=None if dev is None else sum(max(one.dev_scores) for one in fitted) / seeds,
            covered=None if known is None else covered((s.words for s in test), known),
            total=sum(len(s.words) for s in test),
            precision=sum(one.overall.precision for one in scores) / seeds,
            recall=sum(one.overall.recall for one in scores) / seeds,
            types=scores[0].types,
            epochs=tuple(one.epochs for one in fitted),
            seconds=seconds,
        )


def report_rows(found: Row, test: str) -> list[report.Row]:
    """Return F1, and its difference from the plain tagger's, as rows of a report.

    Tokens of the test with a cluster or a vector count as covered; for a plain tagger all do.
    """
    covered = found.total if found.covered is None else found.covered
    parts = (("F1", found.f1), ("F1 above plain", found.difference))
    return [
        report.Row(
            found.name, test, "ner", measure, part.value, part.low, part.high, covered, found.total
        )
        for measure, part in parts
        if part is not None
    ]


HEADER = (
    "| features | F1 | range | precision | recall | − plain | range | p | dev F1 | known "
    "| epochs | s |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def line(row: Row) -> str:
    """Write a row of a Markdown table."""
    gap = row.difference
    cells = [
        row.name,
        f"{100 * row.f1.value:.1f}",
        f"{100 * row.f1.low:.1f} to {100 * row.f1.high:.1f}",
        f"{100 * row.precision:.1f}",
        f"{100 * row.recall:.1f}",
        "" if gap is None else f"{100 * gap.value:+.1f}",
        "" if gap is None else f"{100 * gap.low:+.1f} to {100 * gap.high:+.1f}",
        "" if gap is None else f"{gap.p:.4f}",
        "" if row.dev is None else f"{100 * row.dev:.1f}",
        "" if row.coverage is None else f"{100 * row.coverage:.0f}%",
        ", ".join(map(str, row.epochs)),
        f"{row.seconds:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def markdown(rows: Sequence[Row]) -> str:
    """Write rows as a Markdown table, in points of 100."""
    return "\n".join([HEADER, *map(line, rows)])


def _points(interval: Interval) -> dict[str, float]:
    return {
        "value": 100 * interval.value,
        "low": 100 * interval.low,
        "high": 100 * interval.high,
        "p": interval.p,
    }
