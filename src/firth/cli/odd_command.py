"""firth odd: the word that does not match the others."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import options
from firth.space.opening import open_space


@click.command("odd")
@click.argument("space", type=options.PATH)
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@options.common
def command(space: Path, words: tuple[str, ...], quiet: bool, as_json: bool) -> None:
    """Find the WORD that does not match the others in SPACE: the farthest from their mean.

    SPACE is a stored space, or a file of vectors in any format that firth import reads.
    """
    del quiet
    loaded = open_space(space)
    for word in words:  # raise for unknown words, which doesnt_match ignores
        loaded.get_index(word)
    odd = loaded.doesnt_match(words)
    if as_json:
        options.echo_json({"words": [*words], "odd": odd})
    else:
        click.echo(odd)
