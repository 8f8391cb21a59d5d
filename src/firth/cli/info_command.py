"""firth info: describe a store or a file."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import options
from firth.errors import FirthError
from firth.stores.registry import describe


@click.command("info")
@click.argument("store", type=options.PATH)
@click.option(
    "--figure",
    type=options.PATH,
    help="Draw how a fit went to this .svg, .png or .pdf file; an earlier file is replaced.",
)
@options.common
def command(store: Path, figure: Path | None, quiet: bool, as_json: bool) -> None:
    """Check all of STORE, and show what it contains and how it was made.

    STORE is a store of counts, vectors, clusters or senses, a file of vectors in any format that
    firth import reads, or a paths file of clusters.
    """
    del quiet
    found = describe(store)
    if figure is not None:
        from firth.evaluation.figures import draw_history  # matplotlib takes time to load

        recipe = found.content.get("recipe")
        known = recipe.get("diagnostics", {}) if isinstance(recipe, dict) else {}
        draw_history(known, figure)
    if as_json:
        options.echo_json(found.content)
        return
    click.echo(found.title)
    options.echo_table([(name, _as_command(value)) for name, value in found.rows])
    for line in found.lines:
        click.echo(line)


def _as_command(value: str) -> str:
    """Replace calls between backquotes, as of `fit(...)`, by the command."""
    return FirthError(value).with_options({"why": "firth why"}.get)
