"""firth evaluate: score vectors on tests, with coverage and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from firth.cli import options, testing
from firth.cli.progress import Reporter
from firth.evaluation.finding import DataFolders, data_folders, tasks_of
from firth.evaluation.protocol import Rules
from firth.evaluation.report import Report
from firth.evaluation.running import evaluate
from firth.progress import Progress
from firth.space.space import Space


@dataclass(frozen=True)
class Request:
    """What was asked for, in the words of the command line."""

    parts: tuple[str, ...]
    data: tuple[Path, ...]
    rules: Rules
    analogy: str
    sections: bool
    threads: int | None


def _run_sets(spaces: Mapping[str, Space], request: Request, progress: Progress) -> Report:
    """Run tasks whose tests are sets of items."""
    listed = all(":" in part for part in request.parts)  # files of one's own need no folder
    folders = DataFolders([] if listed else data_folders(request.data))
    ways = testing.ANALOGIES[request.analogy]
    tasks = tasks_of(request.parts, folders, request.rules.half, ways)
    return evaluate(
        spaces,
        tasks,
        request.rules,
        sections=request.sections,
        threads=request.threads,
        progress=progress,
    )


Runner = Callable[[Mapping[str, Space], Request, Progress], Report]
# Suites that are run in a way of their own; all other names are sets, or tasks made of sets.
RUNNERS: dict[str, Runner] = {}


@click.command("evaluate")
@click.argument("spaces", metavar="SPACE...", nargs=-1, required=True, type=options.PATH)
@testing.suites
@testing.rules
@click.option("--common", is_flag=True, help="Cut the spaces to the words that all of them have.")
@click.option("--sections", is_flag=True, help="Also show the sections of tests that have them.")
@click.option(
    "--format",
    "form",
    type=click.Choice(testing.FORMATS),
    default="table",
    show_default=True,
    help="How to print the report.",
)
@click.option(
    "--figure",
    type=options.PATH,
    help="Draw the scores to a .svg, .png or .pdf file, replacing an earlier one.",
)
@options.threads
@options.common
def command(
    spaces: tuple[Path, ...],
    suite: str,
    data: tuple[Path, ...],
    analogy: str,
    sections: bool,
    form: str,
    figure: Path | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Score each SPACE, or file of vectors, on tests.

    Every score comes with what was covered and an interval. A row per test and a column per space
    go to standard output, the rules they were made by to standard error.
    """
    if figure is not None:
        from firth.evaluation.figures import check_figure

        check_figure(figure)
    rules = testing.rules_of(settings)
    parts = testing.parts_of(suite)
    with Reporter(quiet) as progress:
        opened = testing.named_spaces(spaces, threads)
        reports = []
        for runner, names in _by_runner(parts):
            request = Request(tuple(names), data, rules, analogy, sections, threads)
            reports.append(runner(opened, request, progress))
    report = Report([row for part in reports for row in part.rows], rules)
    if figure is not None:
        from firth.evaluation.figures import draw_scores

        draw_scores(report, figure)
    testing.show(report, form, as_json, quiet)


def _by_runner(parts: list[str]) -> list[tuple[Runner, list[str]]]:
    """Put the parts of a suite that are run alike together, in the order of the first of each."""
    found: dict[Runner, list[str]] = {}
    for part in parts:
        found.setdefault(RUNNERS.get(part, _run_sets), []).append(part)
    return list(found.items())
