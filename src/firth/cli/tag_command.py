"""firth tag: a text with senses in the place of words."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import options
from firth.cli.progress import Reporter
from firth.errors import CorpusError
from firth.resources import Resources
from firth.senses import Senses, tag
from firth.stores.writing import check_free


@click.command("tag")
@click.argument("senses", type=options.PATH)
@click.argument("text", nargs=-1, required=True)
@click.option("-o", "--output", "out", required=True, type=options.PATH,
              help="File to write the text to.")  # fmt: skip
@click.option("--window", type=options.Integer(1), default=10, show_default=True,
              help="Number of words on each side that decide.")  # fmt: skip
@click.option("--clear", type=click.FloatRange(0, 1), default=0.8, show_default=True,
              help="Largest weight of the second sense, relative to the first; else the word stays "
              "as it is.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an existing file.")
@options.common
def command(
    senses: Path,
    text: tuple[str, ...],
    out: Path,
    window: int,
    clear: float,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Replace the divided words of TEXT whose sense is clear by their senses, as bank_1.

    SENSES is a store of firth senses. TEXT is one or more files, folders or patterns, or - for
    standard input. Counts of the tagged text have senses as words.
    """
    if "" in text:  # as a path it would be the current folder
        raise CorpusError("the name of a file is empty: leave it out")
    check_free(out, force)
    learnt = Senses.load(senses)
    with Reporter(quiet) as progress:
        resources = Resources(1, progress=progress)
        sources = [Path(name) for name in text]
        done = tag(
            learnt, sources, out, window=window, clear=clear, force=force, resources=resources
        )
    if as_json:
        options.echo_json({"text": str(out), "replaced": done.replaced, "unclear": done.unclear})
    else:
        click.echo(f"{out}: {done.replaced:,} words replaced, {done.unclear:,} not clear")
