"""What the commands that test spaces share: options for tests and rules, and printing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from firth.cli import asking, former, options
from firth.evaluation.completing import FORMER_RULES
from firth.evaluation.inputs import ANALOGIES, short_names
from firth.evaluation.protocol import CASES, HALVES, OOV, EvaluationRules
from firth.evaluation.report import Report

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "markdown", "csv")


def suites(function: F) -> F:
    """Add --suite, --data and --analogy, which say what to test with."""
    for option in (
        click.option(
            "--analogy",
            type=former.Choice(tuple(ANALOGIES), FORMER_RULES),
            default="add",
            show_default=True,
            help="Complete analogies by 3CosAdd (add), 3CosMul (cosmul) or both.",
        ),
        click.option(
            "--data",
            multiple=True,
            type=options.PATH,
            help="Folder of tests; may be given again.  [default: FIRTH_DATA and what firth "
            "data get fetched]",
        ),
        click.option(
            "--suite",
            default="all",
            show_default=True,
            metavar="NAME,...",
            help="What to test with: all tests that are found, tasks (similarity, analogy, "
            "synonyms, categorization), sets (see firth data list), ten for the ten similarity "
            "sets of the thesis, or task:FILE for a file of your own.",
        ),
    ):
        function = option(function)
    return function


def rules(function: F) -> F:
    """Add the options that change scores."""
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(0, 2**63 - 1),
            default=0,
            show_default=True,
            help="Seed of the bootstrap and of k-means.",
        ),
        click.option(
            "--level",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            default=0.95,
            show_default=True,
            help="Level of the intervals.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(min=1),
            default=1000,
            show_default=True,
            help="Number of bootstrap samples.",
        ),
        click.option(
            "--half",
            type=click.Choice(tuple(HALVES)),
            default="whole",
            show_default=True,
            help="Test with whole sets, or with their dev or test half.",
        ),
        asking.restrict,
        click.option(
            "--oov",
            type=click.Choice(tuple(OOV)),
            default="skip",
            show_default=True,
            help="Items with unknown words: skip them, score them zero, or use the mean vector.",
        ),
        click.option(
            "--case",
            type=click.Choice(tuple(CASES)),
            default="fold",
            show_default=True,
            help="Ignore letter case, put tests in lower case, or take words as written.",
        ),
    ):
        function = option(function)
    return function


def rules_of(settings: dict[str, Any]) -> EvaluationRules:
    """Return the rules that the options of a command ask for."""
    names = ("case", "oov", "restrict", "half", "resamples", "level", "seed")
    return EvaluationRules(
        **{name: settings[name] for name in names}, common=settings.get("common", False)
    )


def parts_of(suite: str) -> list[str]:
    """Split the value of --suite."""
    parts = [part.strip() for part in suite.split(",") if part.strip()]
    if not parts:
        raise click.UsageError("--suite names nothing to test with.")
    return parts


def called(names: Sequence[str], paths: Sequence[Path], taken: Sequence[str]) -> dict[str, Path]:
    """Name paths as the user chose."""
    if len(names) != len(paths):
        raise click.UsageError(f"{len(names)} of --name for {len(paths)} spaces: name all or none.")
    for name, times in Counter([*names, *taken]).items():
        if not name or times > 1:
            raise click.UsageError(f"--name {name!r}: give each space a name of its own.")
    short_names(paths)  # refuses a path that is given twice
    return dict(zip(names, paths, strict=True))


def show(report: Report, form: str, as_json: bool, quiet: bool, summary: bool = False) -> None:
    """Print a report, or its summary, to standard output, and the rules beside it."""
    lines = report.lines(points=form != "csv", intervals=not summary)
    if as_json:
        options.echo_json(report.to_json())
    elif form == "markdown":
        click.echo(report.markdown(summary))
        click.echo()
        for line in lines:
            click.echo(f"- {line}")
    else:
        if form == "csv":
            click.echo(report.csv(), nl=False)
        elif summary:
            show_table(options.rich_table(*report.summary(), names=1))
        else:
            show_table(options.rich_table(*report.cells(), names=2))
        for line in () if quiet else lines:
            click.echo(line, err=True)


def show_table(table: Any) -> None:
    """Print a rich table: as wide as the terminal, or as wide as it needs where there is none."""
    from rich.console import Console

    width = None if sys.stdout is not None and sys.stdout.isatty() else 10_000
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())
