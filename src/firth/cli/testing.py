"""Options and output shared by the commands that test spaces."""

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
    """Add --suite, --data and --analogy, which choose the tests."""
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
            help="Folder of tests; may be repeated.  [default: FIRTH_DATA, and the tests "
            "downloaded by firth data get]",
        ),
        click.option(
            "--suite",
            default="all",
            show_default=True,
            metavar="NAME,...",
            help="Tests to use: all that are found, tasks (similarity, analogy, synonyms, "
            "categorization), sets by name (see firth data list), ten for the ten similarity sets "
            "of the thesis on UBE, KUBWE and EigenWord, or task:FILE for your own file.",
        ),
    ):
        function = option(function)
    return function


def rules(function: F) -> F:
    """Add the options that change scores."""
    for option in (
        click.option(
            "--seed",
            type=options.Integer(0, 2**63 - 1),
            default=0,
            show_default=True,
            help="Seed of the bootstrap and of k-means.",
        ),
        click.option(
            "--level",
            type=options.Share(1),
            default=0.95,
            show_default=True,
            help="Level of the confidence intervals.",
        ),
        click.option(
            "--resamples",
            type=options.Integer(1),
            default=1000,
            show_default=True,
            help="Number of bootstrap samples.",
        ),
        click.option(
            "--half",
            type=click.Choice(tuple(HALVES)),
            default="whole",
            show_default=True,
            help="Use whole sets, or their dev or test half.",
        ),
        asking.restrict,
        click.option(
            "--oov",
            type=click.Choice(tuple(OOV)),
            default="skip",
            show_default=True,
            help="Treatment of items with unknown words: skip them, score them as zero, or use the "
            "mean vector for the words.",
        ),
        click.option(
            "--case",
            type=click.Choice(tuple(CASES)),
            default="fold",
            show_default=True,
            help="Ignore letter case (fold), convert tests to lower case (lower), or use words as "
            "written (exact).",
        ),
    ):
        function = option(function)
    return function


def rules_of(settings: dict[str, Any]) -> EvaluationRules:
    """Return the rules that the options of a command choose."""
    names = ("case", "oov", "restrict", "half", "resamples", "level", "seed")
    return EvaluationRules(
        **{name: settings[name] for name in names}, common=settings.get("common", False)
    )


def parts_of(suite: str) -> list[str]:
    """Split the value of --suite."""
    parts = [part.strip() for part in suite.split(",") if part.strip()]
    if not parts:
        raise click.UsageError("--suite names no test.")
    return parts


def called(names: Sequence[str], paths: Sequence[Path], taken: Sequence[str]) -> dict[str, Path]:
    """Name paths by the values of --name."""
    if len(names) != len(paths):
        raise click.UsageError(
            f"--name must be given once for each of the {len(paths)} spaces, or not at all."
        )
    for name, times in Counter([*names, *taken]).items():
        if not name or times > 1:
            raise click.UsageError(f"--name {name!r} is empty or not unique: choose another.")
    short_names(paths)  # raises for a path that is given twice
    return dict(zip(names, paths, strict=True))


def show(report: Report, form: str, as_json: bool, quiet: bool, summary: bool = False) -> None:
    """Print a report, or its summary, to standard output, and the rules to standard error."""
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
    """Print a table: as wide as the terminal, or without a limit if there is no terminal."""
    from rich.console import Console

    width = None if sys.stdout is not None and sys.stdout.isatty() else 10_000
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())
