"""firth similar: the words most similar to a word."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import asking, options
from firth.space.opening import open_space


@click.command("similar")
@click.argument("space", type=options.PATH)
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@asking.top
@asking.restrict
@options.common
def command(
    space: Path, words: tuple[str, ...], top: int, restrict: int | None, quiet: bool, as_json: bool
) -> None:
    """Find the words of SPACE most similar to WORD, or to the mean of several words.

    SPACE is a stored space, or a file of vectors in any format that firth import reads.
    """
    del quiet
    found = open_space(space).most_similar([*words], topn=top, restrict_vocab=restrict)
    asking.show_words({"words": [*words]}, found, as_json)
