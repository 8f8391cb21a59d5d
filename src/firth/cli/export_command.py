"""firth export: counts for another program."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import options
from firth.counts.interchange import write_glove
from firth.counts.store import load


@click.command("export")
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "out", required=True, type=click.Path(path_type=Path), help="File to write."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(("glove-records",)),
    default="glove-records",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--vocab",
    type=click.Path(path_type=Path),
    required=True,
    help="File for the vocabulary that GloVe's records go with.",
)
@options.common
def command(store: Path, out: Path, kind: str, vocab: Path, quiet: bool, as_json: bool) -> None:
    """Write the counts of STORE as GloVe's binary co-occurrence records and vocabulary."""  # fmt: skip
    del kind, quiet
    counts = load(store)
    write_glove(counts, out, vocab)
    if as_json:
        options.echo_json({"records": counts.nnz, "words": len(counts.words)})
    else:
        click.echo(f"{out}: {counts.nnz:,} records; {vocab}: {len(counts.words):,} words")
