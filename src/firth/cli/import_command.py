"""firth import: counts from another program."""

from __future__ import annotations

import time
from pathlib import Path

import click

from firth.cli import options
from firth.cli.count_command import show
from firth.counts.interchange import read_glove
from firth.counts.recipe import Recipe
from firth.counts.store import check_target


@click.command("import")
@click.argument("records", type=options.PATH)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=options.PATH,
    help="Folder to write the counts to.",
)
@click.option(
    "--vocab",
    type=options.PATH,
    required=True,
    help="GloVe's vocabulary file: a word, a space and its frequency a line.",
)
@click.option(
    "--window",
    type=click.IntRange(min=1, max=20),
    default=15,
    show_default=True,
    help="The window that GloVe counted with; its weights are 1/distance.",
)
@options.force
@options.common
def command(
    records: Path, out: Path, vocab: Path, window: int, force: bool, quiet: bool, as_json: bool
) -> None:
    """Read RECORDS, a file of GloVe's binary co-occurrence records, as counts."""
    del quiet
    begun = time.monotonic()
    check_target(out, force)
    recipe = Recipe(
        window=window, weighting="harmonic", min_count=0, tokenizer="whitespace", lower=False,
        source="matrix",
    )  # fmt: skip
    counts = read_glove(records, vocab, scale=recipe.scale, recipe=recipe)
    counts.save(out, force=force)
    show(counts, out, time.monotonic() - begun, as_json)
