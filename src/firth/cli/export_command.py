"""firth export: counts for another program."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import options
from firth.counts.interchange import write_glove
from firth.counts.store import load_checked
from firth.errors import FirthError


@click.command("export")
@click.argument("store", type=options.PATH)
@click.option("-o", "--output", "out", required=True, type=options.PATH, help="File to write.")
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
    type=options.PATH,
    required=True,
    help="File for the vocabulary that GloVe's records go with.",
)
@click.option("--force", is_flag=True, help="Replace earlier files.")
@options.common
def command(
    store: Path, out: Path, kind: str, vocab: Path, force: bool, quiet: bool, as_json: bool
) -> None:
    """Write the counts of STORE as GloVe's binary co-occurrence records and vocabulary."""
    del kind, quiet
    if out.absolute() == vocab.absolute():
        raise FirthError(f"{out}: named for both records and vocabulary: give two names")
    for path in (out, vocab):
        if not force and (path.exists() or path.is_symlink()):
            raise FirthError(f"{path}: exists: choose another name, or replace it with --force")
    counts = load_checked(store)
    write_glove(counts, out, vocab)
    if as_json:
        options.echo_json({"records": counts.nnz, "words": len(counts.words)})
    else:
        click.echo(f"{out}: {counts.nnz:,} records; {vocab}: {len(counts.words):,} words")
