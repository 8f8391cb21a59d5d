"""firth count: from text to stored counts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.cli.progress import Reporter
from firth.counts.counting import count
from firth.counts.matrix import Counts
from firth.counts.recipe import CONTEXTS, RARE, WEIGHTINGS
from firth.errors import CorpusError
from firth.resources import Resources
from firth.text.tokenizers import NATIVE


@click.command("count")
@click.argument("text", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=options.PATH,
    help="Folder to write the counts to.",
)
@click.option(
    "--window",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Words to each side that count as company.",
)
@click.option(
    "--weighting",
    type=click.Choice(WEIGHTINGS),
    default="harmonic",
    show_default=True,
    help="Weight by distance d: 1, 1/d, or (window - d + 1)/window.",
)
@click.option(
    "--context",
    type=click.Choice(CONTEXTS),
    default="symmetric",
    show_default=True,
    help="Both sides together, one side, or a block of columns per offset.",
)
@click.option(
    "--diagonal/--no-diagonal",
    default=True,
    show_default=True,
    help="Whether a word may be its own context.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=0),
    help="Least frequency of a word.  [default: 5; 0 with --vocab]",
)
@click.option("--max-vocab", type=click.IntRange(min=1), help="Keep the N most frequent words.")
@click.option(
    "--vocab",
    type=options.PATH,
    help="File of words, one a line: count these and no others.",
)
@click.option(
    "--keep-above",
    type=click.IntRange(min=0),
    help="With --vocab: also keep any word more frequent than N.",
)
@click.option(
    "--rare",
    type=click.Choice(RARE),
    default="drop",
    show_default=True,
    help="Other words: dropped before windows are laid, left as gaps, or one <unk>.",
)
@click.option(
    "--context-min-count",
    type=click.IntRange(min=0),
    help="Least frequency of a context, if contexts have a vocabulary of their own.",
)
@click.option(
    "--max-contexts", type=click.IntRange(min=1), help="Keep the N most frequent contexts."
)
@click.option(
    "--tokenizer",
    type=click.Choice(NATIVE),
    default="words",
    show_default=True,
    help="Letters, marks and digits of any script; or what stands between white space.",
)
@click.option(
    "--lower/--no-lower", default=None, help="Fold case.  [default: for words, not for whitespace]"
)
@click.option(
    "--clean",
    "cleaners",
    multiple=True,
    type=click.Choice(("wikipedia", "tweets")),
    help="Clean the text first; may be given several times.",
)
@click.option(
    "--encoding-errors",
    type=click.Choice(("replace", "strict")),
    default="replace",
    show_default=True,
    help="What to do with malformed UTF-8.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run.")
@options.force
@options.resources
@options.common
def command(
    text: tuple[str, ...],
    memory: Any,
    threads: Any,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Count which words keep company in TEXT: files, folders, patterns, or - for standard input.

    Files ending in .gz, .bz2, .xz and .zst are decompressed. Lines bound windows. The same text
    and options give the same bytes, whatever the threads, the memory and the interruptions.
    """  # fmt: skip
    if "" in text:  # as a path this would be the whole of the current folder
        raise CorpusError("an empty name stands where a file was expected: leave it out")
    begun = time.monotonic()
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        counts = count([Path(name) for name in text], resources=resources, **settings)
    show(counts, settings["out"], time.monotonic() - begun, as_json)


def show(counts: Counts, out: Path, seconds: float, as_json: bool) -> None:
    """Print what was counted."""
    if as_json:
        options.echo_json(
            {
                "store": str(out),
                "words": len(counts.words),
                "contexts": len(counts.contexts),
                "offsets": list(counts.offsets),
                "nonzeros": counts.nnz,
                "scale": counts.scale,
                "seconds": round(seconds, 3),
                "recipe": counts.recipe.to_json(),
                "ledger": counts.ledger.to_json(),
            }
        )
        return
    options.echo_table(counts.ledger.rows())
    click.echo(f"{out}: {counts!r}, {seconds:.1f} s")
