"""firth export: vectors or counts for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.counts.interchange import write_glove
from firth.counts.store import is_store, load_checked
from firth.errors import FirthError, StoreError
from firth.space.formats import FORMATS
from firth.space.opening import open_space
from firth.space.vectors import write_vectors

RECORDS = "glove-records"


@click.command("export")
@click.argument("store", type=options.PATH)
@click.option(
    "-o", "--output", "out", required=True, type=options.PATH, help="File or folder to write."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice((*FORMATS, RECORDS)),
    help=f"What to write.  [default: word2vec for vectors, {RECORDS} for counts]",
)
@click.option(
    "--vocab",
    type=options.PATH,
    help=f"File for the vocabulary that {RECORDS} go with, and need.",
)
@click.option("--force", is_flag=True, help="Replace earlier files.")
@options.common
def command(
    store: Path,
    out: Path,
    kind: str | None,
    vocab: Path | None,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the vectors or the counts of STORE, which may also be a file of vectors.

    Vectors go to a file, or for projector and safetensors to a folder; text has as many digits as
    give the same bits again. Counts go to GloVe's binary co-occurrence records and a vocabulary.
    """
    kind = kind or (RECORDS if is_store(store) else "word2vec")
    if kind != RECORDS and vocab is not None:
        raise click.UsageError(f"--vocab goes with --format {RECORDS}, not with {kind}.")
    if kind == RECORDS and vocab is None:
        raise click.UsageError(f"--format {RECORDS} needs a file for the vocabulary: --vocab.")
    if vocab is not None:
        shown = _export_counts(store, out, vocab, force)
        line = f"{out}: {shown['records']:,} records; {vocab}: {shown['words']:,} words"
    else:
        shown = _export_vectors(store, out, kind, force)
        line = f"{out}: {shown['words']:,} words × {shown['dimensions']:,} dimensions, {kind}"
        for note in () if quiet else shown["notes"]:
            click.echo(note, err=True)
    if as_json:
        options.echo_json(shown)
    else:
        click.echo(line)


def _export_vectors(store: Path, out: Path, kind: str, force: bool) -> dict[str, Any]:
    if is_store(store):
        raise StoreError(f"{store}: counts, which have no vectors: make them with firth fit")
    space = open_space(store)
    notes = write_vectors(space, out, kind, force=force)
    return {
        "format": kind,
        "words": len(space),
        "dimensions": space.vector_size,
        "notes": [*notes],
    }


def _export_counts(store: Path, out: Path, vocab: Path, force: bool) -> dict[str, Any]:
    if out.absolute() == vocab.absolute():
        raise FirthError(f"{out}: named for both records and vocabulary: give two names")
    for path in (out, vocab):
        if not force and (path.exists() or path.is_symlink()):
            raise FirthError(f"{path}: exists: choose another name, or replace it with --force")
    counts = load_checked(store)
    write_glove(counts, out, vocab)
    return {"records": counts.nnz, "words": len(counts.words)}
