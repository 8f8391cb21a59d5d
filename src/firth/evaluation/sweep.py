"""Sweeps: score a method at every point of a grid of its parameters.

Counts are read once. A method says which of its parameters can change without another
factorisation, such as the number of dimensions. Points that differ in these alone share one
factorisation, so their vectors are those of a fit of their own to within its tolerance, not to the
bit.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.evaluation.protocol import EvaluationRules, Task
from firth.evaluation.report import COLUMNS, Report, Row
from firth.evaluation.running import report_on
from firth.evaluation.sweep_folder import Point, SweepFolder
from firth.methods import METHODS, Method
from firth.parameters import parameters_of
from firth.resources import Resources, accept_former_keywords
from firth.space.space import Space


def parse_axis(method: str, text: str) -> tuple[str, tuple[Any, ...]]:
    """Read ``name=value,value`` for a parameter of a method.

    Examples
    --------
    >>> parse_axis("eigenword", "threshold=-3,auto")
    ('threshold', (-3.0, 'auto'))
    >>> parse_axis("ppmi", "dim=100,300")
    ('dim', (100, 300))
    >>> parse_axis("ppmi", "word-alpha=.75")
    ('word_alpha', (0.75,))
    """
    name, equals, rest = text.partition("=")
    known = {parameter.name: parameter for parameter in parameters_of(METHODS[method])}
    parameter = known.get(name.strip().replace("-", "_"))
    if not equals or parameter is None:
        raise FirthError(f"{text[:60]!r} is not a parameter of {method} and its values, as in "
                         f"dim=100,300: it has {', '.join(sorted(known))}")  # fmt: skip
    return parameter.name, tuple(dict.fromkeys(map(parameter.parse, rest.split(","))))


def points_of(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return every point of a grid, the last axis moving fastest.

    Examples
    --------
    >>> points_of({"beta": (0, 1), "dim": (2,)})
    [{'beta': 0, 'dim': 2}, {'beta': 1, 'dim': 2}]
    """
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def methods_of(method: str, axes: Mapping[str, Sequence[Any]]) -> list[Method]:
    """Return the method at every point of a grid; a value out of range raises `FirthError`."""
    return [METHODS[method](**point) for point in points_of(axes)]


def name_of(settings: Mapping[str, Any]) -> str:
    """Write settings in a line."""
    return " ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in settings.items()
    )


def plan_of(
    counts: Counts | Mapping[str, Counts | Space],
    method: str,
    axes: Mapping[str, Sequence[Any]],
    tasks: Sequence[Task],
    rules: EvaluationRules,
) -> dict[str, Any]:
    """Describe a sweep, so that it is not mixed up with another."""
    return {
        "counts": _identity(counts),
        "method": METHODS[method].name,
        "grid": {name: list(values) for name, values in axes.items()},
        "tests": {
            f"{task.name} {number}": hashlib.sha256(repr(task).encode()).hexdigest()
            for number, task in enumerate(tasks)
        },
        "rules": rules.to_json(),
    }


def _identity(source: Any) -> dict[str, Any]:
    """Describe counts, or each of several views, so that others are told apart."""
    if isinstance(source, Mapping):
        return {name: _identity(view) for name, view in source.items()}
    if isinstance(source, Space):
        digest = hashlib.sha256(source.vectors.tobytes()).hexdigest()
        return {"recipe": source.recipe, "shape": list(source.vectors.shape), "vectors": digest}
    return {
        "recipe": source.recipe.to_json(),
        "shape": list(source.shape),
        "nonzeros": source.nnz,
        "sum": source.total,
    }


@accept_former_keywords
def sweep(
    counts: Counts | Mapping[str, Counts | Space],
    method: str,
    axes: Mapping[str, Sequence[Any]],
    tasks: Sequence[Task],
    rules: EvaluationRules | None = None,
    *,
    folder: SweepFolder | None = None,
    resources: Resources | None = None,
) -> list[Point]:
    """Score a method at every point of a grid.

    Parameters
    ----------
    counts
        What every point is fitted to; for a method of several views, a mapping from names to them.
    method
        A name of `firth.methods.METHODS`.
    axes
        The values of each parameter.
    tasks, rules
        What to score with.
    folder
        Where points are saved as they are done; points that are there already are not repeated.
    resources
        Threads, memory and progress; all cores, and no reports, if left out.
    """
    rules, used = rules or EvaluationRules(), resources or Resources()
    settings = points_of(axes)
    methods = methods_of(method, axes)
    for one in methods:
        one.check(counts)
    require_memory(counts, methods, Resources(used.threads, used.memory, used.device))
    done: dict[int, Sequence[Row]] = {}
    for number, point in enumerate(settings):
        rows = folder.load(number, point) if folder else None
        if rows is not None:
            done[number] = rows
    for group in _groups(methods):
        missing = [number for number in group if number not in done]
        if not missing:
            continue
        # The widest of all, done or not: a sweep that is resumed has the same factorisation.
        widest = methods[group[0]]
        if len(group) > 1:
            widest = type(widest).widest([methods[number] for number in group])
        fitted = widest.learn(counts, association=False, resources=used)
        for number in missing:
            text = f"{name_of(settings[number])} ({len(done) + 1} of {len(settings)})"
            used.report("sweeping", text)
            space = methods[number].derive(fitted) if len(group) > 1 else fitted
            report: Report = report_on(
                {name_of(settings[number]): space}, tasks, rules, resources=Resources(used.threads)
            )
            done[number] = report.rows
            if folder:
                folder.save(number, Point(settings[number], report.rows))
    points = [Point(point, done[number]) for number, point in enumerate(settings)]
    if folder:
        folder.finish(to_csv(points))
    return points


def _groups(methods: Sequence[Method]) -> list[list[int]]:
    """Group the points that can share a factorisation."""
    groups: dict[Any, list[int]] = {}
    for number, method in enumerate(methods):
        groups.setdefault(method.fixed() if method.derived else number, []).append(number)
    return list(groups.values())


def require_memory(counts: Any, methods: Sequence[Method], resources: Resources) -> None:
    """Report what the largest of some fits, one after another, will need, or raise `BudgetError`.

    `sweep` checks this too, without a report.
    """
    largest = max(methods, key=lambda method: (method.memory(counts), method.dim))
    largest.require_memory(counts, resources)


def cells(points: Sequence[Point]) -> tuple[list[str], list[list[str]]]:
    """Return the table of a sweep: a line per point, a column per parameter and per test."""
    tests = list(dict.fromkeys((row.test, row.measure) for point in points for row in point.rows))
    header = [*points[0].settings]
    for test, measure in tests:
        rule = measure.partition(", ")[2]
        row = next(r for p in points for r in p.rows if (r.test, r.measure) == (test, measure))
        header.append(f"{test} {rule} ({row.coverage})".replace("  ", " "))
    lines = []
    for point in points:
        rows = {(row.test, row.measure): row for row in point.rows}
        values = [f"{v:g}" if isinstance(v, float) else str(v) for v in point.settings.values()]
        lines.append([*values, *(rows[test].shown() for test in tests)])
    return header, lines


def to_csv(points: Sequence[Point]) -> str:
    """Write one line per score: the parameters, then what a report has."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*points[0].settings, *COLUMNS[1:]])
    for point in points:
        for row in point.rows:
            values = [getattr(row, name) for name in COLUMNS[1:]]
            writer.writerow(
                [*point.settings.values(), *("" if value is None else value for value in values)]
            )
    return out.getvalue()
