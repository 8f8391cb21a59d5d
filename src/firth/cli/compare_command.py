"""firth compare: which differences between two spaces are real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options, testing
from firth.cli.progress import Reporter
from firth.evaluation.compare import Comparison, compare
from firth.evaluation.finding import DataFolders, data_folders, tasks_of
from firth.evaluation.report import markdown_of
from firth.evaluation.running import open_space, outcomes
from firth.resources import Resources


@click.command("compare")
@click.argument("first", type=options.PATH)
@click.argument("second", type=options.PATH)
@testing.suites
@testing.rules
@click.option(
    "--common/--no-common",
    default=True,
    show_default=True,
    help="Cut the spaces to the words that both have.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance, over all the tests together.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(testing.FORMATS),
    default="table",
    show_default=True,
    help="How to print the comparison.",
)
@options.threads
@options.common
def command(
    first: Path,
    second: Path,
    suite: str,
    data: tuple[Path, ...],
    analogy: str,
    alpha: float,
    form: str,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare the spaces, or files of vectors, FIRST and SECOND on the items that both know.

    Similarities are compared by Steiger's test, questions and classes by McNemar's, corrected over
    all the tests after Holm; intervals are of a paired bootstrap. Agreement is the correlation of
    the two spaces with each other, or the share of items that both get right or both wrong. MRDS
    is the minimum required difference for significance of Rastogi, Van Durme and Arora (2015).
    """
    rules = testing.rules_of(settings)
    parts = testing.parts_of(suite)
    folders = DataFolders([] if all(":" in part for part in parts) else data_folders(data))
    with Reporter(quiet) as progress:
        resources = Resources(threads, progress=progress)
        named = testing.named((first, second))
        spaces = {name: open_space(path, resources) for name, path in named.items()}
        tasks = tasks_of(parts, folders, rules.half, testing.ANALOGIES[analogy])
        found = outcomes(spaces, tasks, rules, resources=resources)
    (one, a), (other, b) = found.items()
    comparison = compare(one, other, list(zip(a, b, strict=True)), rules, alpha)
    if as_json:
        options.echo_json(comparison.to_json())
        return
    if form == "csv":
        click.echo(comparison.csv(), nl=False)
    else:
        _show(comparison, form)
    unit = "" if form == "csv" else "scores, agreement and MRDS × 100"
    for line in () if quiet else filter(None, (*rules.lines(), unit)):
        click.echo(line, err=True)


def _show(comparison: Comparison, form: str) -> None:
    """Print a table for people, and what it says in words."""
    if form == "markdown":
        click.echo(markdown_of(*comparison.cells()))
    else:
        testing.show_table(options.rich_table(*comparison.cells(), names=1))
    click.echo()
    for sentence in comparison.sentences():
        click.echo(sentence)
