"""firth odd: the word that does not go with the others."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import options
from firth.space.space import Space


@click.command("odd")
@click.argument("space", type=options.PATH)
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@options.common
def command(space: Path, words: tuple[str, ...], quiet: bool, as_json: bool) -> None:
    """Name the WORD of SPACE that is least like the others: the farthest from their mean."""
    del quiet
    loaded = Space.load(space)
    for word in words:  # a word that is not known is an error here, not passed over
        loaded.get_index(word)
    odd = loaded.doesnt_match(words)
    if as_json:
        options.echo_json({"words": [*words], "odd": odd})
    else:
        click.echo(odd)
