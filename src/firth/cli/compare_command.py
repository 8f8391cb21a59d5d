"""firth compare: which differences between two spaces are significant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import former, options, testing
from firth.cli.progress import Reporter
from firth.evaluation.api import compare
from firth.evaluation.compare import Comparison
from firth.evaluation.report import markdown_of
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
    help="Restrict both spaces to the words that they have in common.",
)
@click.option(
    "--significance",
    type=options.Share(0.5),
    default=0.05,
    show_default=True,
    help="Significance level, for all tests together.",
)
@click.option(
    "--alpha",
    "former_alpha",
    type=options.Share(0.5),
    hidden=True,
)
@click.option(
    "--format",
    "form",
    type=click.Choice(testing.FORMATS),
    default="table",
    show_default=True,
    help="Format of the output.",
)
@options.threads
@options.common
def command(
    first: Path,
    second: Path,
    suite: str,
    data: tuple[Path, ...],
    analogy: str,
    significance: float,
    former_alpha: float | None,
    form: str,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Test which differences between the scores of FIRST and SECOND are significant.

    FIRST and SECOND are stored spaces or files of vectors. They are scored on the items whose words
    both know. Similarity scores are compared by Steiger's test, the others by McNemar's test;
    p-values are corrected for all tests together by Holm's procedure, and intervals come from a
    paired bootstrap. Agreement is the correlation between the similarities of the two spaces, or
    the share of items that both get right or both get wrong. MRDS is the minimum required
    difference for significance of Rastogi, Van Durme and Arora (2015).
    """
    if former_alpha is not None:
        former.warn("--alpha", "--significance")
        significance = former_alpha
    rules = testing.rules_of(settings)
    parts = testing.parts_of(suite)
    with Reporter(quiet) as progress:
        comparison = compare(
            first, second, parts, rules,
            data=data, analogy=analogy, significance=significance,
            resources=Resources(threads, progress=progress),
        )  # fmt: skip
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
    """Print a table, and a sentence about each test."""
    if form == "markdown":
        click.echo(markdown_of(*comparison.cells()))
    else:
        testing.show_table(options.rich_table(*comparison.cells(), names=1))
    click.echo()
    for sentence in comparison.sentences():
        click.echo(sentence)
