"""firth why: which contexts make two words similar."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from firth.cli import asking, options


@click.command("why")
@click.argument("space", type=options.PATH)
@click.argument("a")
@click.argument("b")
@click.option(
    "--contrast", metavar="WORD", help="Explain why A is closer to B than to WORD, or is not."
)
@asking.top
@options.common
def command(
    space: Path, a: str, b: str, contrast: str | None, top: int, quiet: bool, as_json: bool
) -> None:
    """Explain which contexts make the words A and B of SPACE similar.

    SPACE must be a space of firth fit. The cosine of the words' rows in the association matrix is
    the sum of the printed parts. The usual strength of a context is its mean over words of the same
    frequency; the part of a context is large if it is stronger than usual in both words.
    """
    del quiet
    loaded = asking.fitted_space(space, "firth why", "the association matrix")
    found = loaded.why(a, b, top) if contrast is None else loaded.why(a, b, top, contrast=contrast)
    if as_json:
        options.echo_json(asdict(found))
    else:
        click.echo(str(found))
