"""Sweeps: score a method at every point of a grid of its parameters.

Counts are read once. Points that differ only in dimensions, in the exponent of the spectrum or in
what contexts add share one association and one factorisation, of the largest number of dimensions,
whose leading part the others take; so their vectors are those of a fit of their own to within its
tolerance, not to the bit.
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import io
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from firth.counts.matrix import Counts
from firth.errors import FirthError, StoreError
from firth.evaluation.protocol import EvaluationRules, Task
from firth.evaluation.report import COLUMNS, Report, Row
from firth.evaluation.running import report_on
from firth.methods import METHODS, SVDNS, EigenWord, Method, Spectral
from firth.methods.spectral import parameters
from firth.resources import Resources, accept_former_keywords
from firth.space.combining import Factors, combined, shares_words
from firth.space.space import Space
from firth.writing import another_run, said, write_whole

# What may change without another factorisation.
DERIVED = ("dim", "beta", "combine", "weight")
NESTED = (Spectral, EigenWord, SVDNS)  # leading dimensions do not depend on how many there are
SETTINGS, TABLE = "sweep.json", "table.csv"
FORMAT, VERSION = "firth-sweep", 1


@dataclass(frozen=True)
class Point:
    """The settings of a point of the grid, and what it scored."""

    settings: Mapping[str, Any]
    rows: Sequence[Row]


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
    name = name.replace("-", "_")
    known = parameters(METHODS[method])
    if not equals or name not in known:
        raise FirthError(f"{text[:60]!r} is not a parameter of {method} and its values, as in "
                         f"dim=100,300: it has {', '.join(sorted(known))}")  # fmt: skip
    words = next(
        "str" in str(field.type) for field in fields(METHODS[method]) if field.name == name
    )
    values = tuple(
        dict.fromkeys(_value(name, known[name], part, words) for part in rest.split(","))
    )
    return name, values


def _value(name: str, default: Any, text: str, words: bool) -> Any:
    text = text.strip()
    if isinstance(default, bool):
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise FirthError(f"{name} is true or false, not {text[:40]!r}")
    if isinstance(default, int | float):
        kind = int if isinstance(default, int) else float
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is not None and abs(value) < float("inf"):
            return value
        if not words:
            raise FirthError(f"{name} takes numbers, not {text[:40]!r}")
    if not text:
        raise FirthError(f"a value of {name} is empty")
    return text


def points_of(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return every point of a grid, the last axis moving fastest.

    Examples
    --------
    >>> points_of({"beta": (0, 1), "dim": (2,)})
    [{'beta': 0, 'dim': 2}, {'beta': 1, 'dim': 2}]
    """
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def methods_of(method: str, axes: Mapping[str, Sequence[Any]]) -> list[Method]:
    """Return the method at every point of a grid, which refuses what has no meaning."""
    return [METHODS[method](**point) for point in points_of(axes)]


def name_of(settings: Mapping[str, Any]) -> str:
    """Write settings in a line."""
    return " ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in settings.items()
    )


class SweepFolder:
    """Points that are done, a file for each, so that a sweep that broke off can go on.

    The folder is locked from `open` to `close`, so that two sweeps do not mix their points.
    """

    def __init__(self, path: Path, plan: dict[str, Any]) -> None:
        self.path, self._plan = path, plan
        self._made = False
        self._lock: int | None = None

    def close(self) -> None:
        """Let others have the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        self.close()

    def open(self, force: bool) -> None:
        """Make the folder, or go on with what is in it if it is of the same sweep."""
        plan = {"format": FORMAT, "version": VERSION, **self._plan}
        text = json.dumps(plan, indent=2, sort_keys=True) + "\n"
        settings = self.path / SETTINGS
        with said(self.path):
            if self.path.is_dir():
                self._take_lock()
            if self.path.exists():
                ours = self.path.is_dir() and settings.exists()
                same = ours and settings.read_bytes() == text.encode()
                if not ours and (not self.path.is_dir() or any(self.path.iterdir())):
                    raise StoreError(f"{self.path}: exists and is not a sweep: choose another name")
                if ours and not same and not force and not self._nothing_done(settings):
                    raise StoreError(
                        f"{self.path}: holds another sweep: choose another name, or replace it "
                        "with --force"
                    )
                if force or not same:
                    self._clear()
            else:
                self.path.mkdir()
                self._made = True
                self._take_lock()
            write_whole(settings, text)

    def _take_lock(self) -> None:
        self.close()
        self._lock = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise another_run(self.path) from None

    @property
    def done(self) -> list[Path]:
        """The files of the points that are done."""
        return sorted(self.path.glob("point-*.json"))

    def _clear(self) -> None:
        for file in [*self.done, *self.path.glob("*.writing"), self.path / TABLE]:
            file.unlink(missing_ok=True)

    def _nothing_done(self, settings: Path) -> bool:
        """Tell whether a sweep of ours stopped before its first point, so that nothing is lost."""
        try:
            found = json.loads(settings.read_text(encoding="utf-8"))
        except ValueError:
            return False
        ours = isinstance(found, dict) and found.get("format") == FORMAT
        return ours and not self.done and not (self.path / TABLE).exists()

    def leave(self) -> None:
        """Take away what a sweep without a point has written, and the folder if it made it."""
        if self.done:
            self.close()
            return
        self._clear()
        (self.path / SETTINGS).unlink(missing_ok=True)
        if self._made:
            self.path.rmdir()
        self.close()

    def _file(self, number: int) -> Path:
        return self.path / f"point-{number:04d}.json"

    def load(self, number: int, settings: Mapping[str, Any]) -> list[Row] | None:
        """Return the rows of a point that is done, if it has these settings."""
        path = self._file(number)
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rows, of = [Row(**row) for row in found["rows"]], found["settings"]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise StoreError(f"{path}: {error!r}: damaged: remove it, and run again") from None
        if of != dict(settings):
            raise StoreError(f"{path}: of another point: remove it, and run again")
        return rows

    def save(self, number: int, point: Point) -> None:
        """Keep a point."""
        content = {"settings": dict(point.settings), "rows": [asdict(row) for row in point.rows]}
        with said(self.path):
            write_whole(self._file(number), json.dumps(content, indent=2) + "\n")

    def finish(self, points: Sequence[Point]) -> None:
        """Write the whole table."""
        with said(self.path):
            write_whole(self.path / TABLE, to_csv(points))


def plan_of(
    counts: Counts,
    method: str,
    axes: Mapping[str, Sequence[Any]],
    tasks: Sequence[Task],
    rules: EvaluationRules,
) -> dict[str, Any]:
    """Describe a sweep so that another can be told from it."""
    _, _, values = counts.rows()
    return {
        "counts": {
            "recipe": counts.recipe.to_json(),
            "shape": list(counts.shape),
            "nonzeros": counts.nnz,
            "sum": int(values.sum()),
        },
        "method": method,
        "grid": {name: list(values) for name, values in axes.items()},
        "tests": {
            f"{task.name} {number}": hashlib.sha256(repr(task).encode()).hexdigest()
            for number, task in enumerate(tasks)
        },
        "rules": rules.to_json(),
    }


@accept_former_keywords
def sweep(
    counts: Counts,
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
        What every point is fitted to.
    method
        A name of `firth.methods.METHODS`.
    axes
        The values of each parameter.
    tasks, rules
        What to score with.
    folder
        Where points are kept as they are done; those already there are not done again.
    resources
        Threads, memory and progress; all cores, and no reports, if left out.
    """
    rules, used = rules or EvaluationRules(), resources or Resources()
    settings = points_of(axes)
    methods = methods_of(method, axes)
    done: dict[int, Sequence[Row]] = {}
    for number, point in enumerate(settings):
        rows = folder.load(number, point) if folder else None
        if rows is not None:
            done[number] = rows
    for group in _groups(methods):
        missing = [number for number in group if number not in done]
        if not missing:
            continue
        # All of the group, so that a sweep that broke off goes on with the same factorisation.
        fitted = _fit(counts, [methods[number] for number in group], used)
        for number in missing:
            text = f"{name_of(settings[number])} ({len(done) + 1} of {len(settings)})"
            used.report("sweeping", text)
            space = derived(fitted, methods[number]) if len(group) > 1 else fitted
            report: Report = report_on(
                {name_of(settings[number]): space}, tasks, rules, resources=Resources(used.threads)
            )
            done[number] = report.rows
            if folder:
                folder.save(number, Point(settings[number], report.rows))
    points = [Point(point, done[number]) for number, point in enumerate(settings)]
    if folder:
        folder.finish(points)
    return points


def _groups(methods: Sequence[Method]) -> list[list[int]]:
    """Put points that can share a factorisation together."""
    groups: dict[Any, list[int]] = {}
    for number, method in enumerate(methods):
        key: Any = number
        if isinstance(method, NESTED):
            given = asdict(method)
            key = tuple((name, value) for name, value in given.items() if name not in DERIVED)
        groups.setdefault(key, []).append(number)
    return list(groups.values())


def _fit(counts: Counts, methods: Sequence[Method], resources: Resources) -> Space:
    largest = max(methods, key=lambda method: method.dim)
    if len(methods) > 1 and isinstance(largest, Spectral):
        largest = replace(largest, combine="words")  # others are made of the factors
    return largest.fit(counts, association=False, resources=resources)


def derived(fitted: Space, method: Method) -> Space:
    """Make the space of a method from a factorisation that has at least its dimensions."""
    factors = fitted.factors
    assert factors is not None
    dim = min(method.dim, len(factors.values))
    right = None if factors.right is None else factors.right[:, :dim]
    beta, combine, weight = factors.beta, factors.combine, factors.weight
    if isinstance(method, Spectral):
        beta, combine, weight = method.beta, method.combine, method.weight
    if combine == "auto":
        columns = 0 if right is None else len(right)
        combine = "sum" if shares_words(fitted.words, fitted.contexts, columns) else "words"
    cut = Factors(factors.left[:, :dim], factors.values[:dim], right, beta, combine, weight)
    vectors = combined(cut, fitted.words, fitted.contexts)
    recipe = {**fitted.recipe, "method": method.settings(), "combining": cut.settings()}
    return replace(fitted, vectors=vectors, factors=cut, recipe=recipe)


def cells(points: Sequence[Point]) -> tuple[list[str], list[list[str]]]:
    """Lay a sweep out: a line per point, a column per parameter and per test."""
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
