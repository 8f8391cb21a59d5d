"""firth count: count the words of a text into a store."""

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
    type=options.Integer(1),
    default=10,
    show_default=True,
    help="Number of words on each side that are contexts.",
)
@click.option(
    "--weighting",
    type=click.Choice(WEIGHTINGS),
    default="harmonic",
    show_default=True,
    help="Weight of a word at distance d: 1, 1/d, or (window - d + 1)/window.",
)
@click.option(
    "--context",
    type=click.Choice(CONTEXTS),
    default="symmetric",
    show_default=True,
    help="Count both sides of the window together, one side only, or each side or each offset in "
    "separate columns.",
)
@click.option(
    "--diagonal/--no-diagonal",
    default=True,
    show_default=True,
    help="Whether a word can be its own context.",
)
@click.option(
    "--min-count",
    type=options.Integer(0),
    help="Smallest frequency of a word.  [default: 5, or 0 with --vocab]",
)
@click.option(
    "--max-vocab",
    metavar="N",
    type=options.Integer(1),
    help="Keep only the N most frequent words.",
)
@click.option(
    "--vocab",
    type=options.PATH,
    help="Count only the words of this file, one per line.",
)
@click.option(
    "--keep-above",
    metavar="N",
    type=options.Integer(0),
    help="With --vocab: also count other words that occur more than N times.",
)
@click.option(
    "--rare",
    type=click.Choice(RARE),
    default="drop",
    show_default=True,
    help="Treatment of words outside the vocabulary: drop them before windows are formed, leave "
    "gaps, or count them as <unk>.",
)
@click.option(
    "--context-min-count",
    type=options.Integer(0),
    help="Smallest frequency of a context; contexts then have a separate vocabulary.",
)
@click.option(
    "--max-contexts",
    metavar="N",
    type=options.Integer(1),
    help="Keep only the N most frequent contexts; contexts then have a separate vocabulary.",
)
@click.option(
    "--tokenizer",
    type=click.Choice(NATIVE),
    default="words",
    show_default=True,
    help="Find words of letters, marks and digits in any script, or split at white space.",
)
@click.option(
    "--lower/--no-lower",
    default=None,
    help="Lowercase the text.  [default: with words, not with whitespace]",
)
@click.option(
    "--clean",
    "cleaners",
    multiple=True,
    type=click.Choice(("wikipedia", "tweets")),
    help="Cleaner to apply before the tokenizer; may be repeated.",
)
@click.option(
    "--encoding-errors",
    type=click.Choice(("replace", "strict")),
    default="replace",
    show_default=True,
    help="Replace malformed UTF-8 by U+FFFD, or stop with an error.",
)
@click.option(
    "--subsample",
    metavar="T",
    type=float,
    help="Drop words of a relative frequency well above T at random before windows are formed; "
    "1e-3 is a usual value.  [default: keep all]",
)
@click.option(
    "--seed",
    type=options.Integer(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Seed of --subsample.",
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
    """Count how often words occur together within a window in TEXT.

    TEXT is one or more files, folders or patterns, or - for standard input. Files ending in .gz,
    .bz2, .xz and .zst are decompressed. A window ends at the end of its line. The same text and
    options give the same bytes with any threads, memory and interruptions.
    """
    if "" in text:  # as a path it would be the current folder
        raise CorpusError("the name of a file is empty: leave it out")
    begun = time.monotonic()
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        counts = count([Path(name) for name in text], resources=resources, **settings)
    show(counts, settings["out"], time.monotonic() - begun, as_json)


def show(counts: Counts, out: Path, seconds: float, as_json: bool) -> None:
    """Print a summary of stored counts."""
    if as_json:
        options.echo_json(
            {
                "store": str(out),
                "words": len(counts.words),
                "contexts": len(counts.contexts),
                "offsets": list(counts.offsets),
                "nonzeros": counts.nnz,
                "scale": counts.denominator,
                "seconds": round(seconds, 3),
                "recipe": counts.recipe.to_json(),
                "ledger": counts.ledger.to_json(),
            }
        )
        return
    options.echo_table(counts.ledger.entries())
    click.echo(f"{out}: {counts!r}, {seconds:.1f} s")
