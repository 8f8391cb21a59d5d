"""firth why: what two words have in common."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from firth.cli import asking, options
from firth.space.space import Space


@click.command("why")
@click.argument("space", type=options.PATH)
@click.argument("a")
@click.argument("b")
@asking.top
@options.common
def command(space: Path, a: str, b: str, top: int, quiet: bool, as_json: bool) -> None:
    """Say which contexts make A and B of SPACE similar, and by how much each."""
    del quiet
    found = Space.load(space).why(a, b, top)
    if as_json:
        options.echo_json(asdict(found))
    else:
        click.echo(str(found))
