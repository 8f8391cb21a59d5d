"""firth export: vectors or counts for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.store import KIND as CLUSTERS
from firth.counts.interchange import write_glove
from firth.counts.store import is_store, load_checked
from firth.errors import FirthError, StoreError
from firth.space.formats import FORMATS, VectorTable, write_vectors
from firth.space.space import Space
from firth.space.store import is_space

RECORDS, PATHS = "glove-records", "paths"


@click.command("export")
@click.argument("store", type=options.PATH)
@click.option(
    "-o", "--output", "out", required=True, type=options.PATH, help="File or folder to write."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice((*FORMATS, RECORDS, PATHS)),
    help=f"What to write.  [default: word2vec for vectors, {RECORDS} for counts, "
    f"{PATHS} for clusters]",
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
    """Write the vectors, counts or clusters of STORE.

    Vectors go to a file, or for projector and safetensors to a folder; text has as many digits as
    give the same bits again. Counts go to GloVe's binary co-occurrence records and a vocabulary,
    clusters to a paths file: a line of bits, word and count for every word.
    """
    kind = kind or _default(store)
    if kind != RECORDS and vocab is not None:
        raise click.UsageError(f"--vocab goes with --format {RECORDS}, not with {kind}.")
    if kind == RECORDS and vocab is None:
        raise click.UsageError(f"--format {RECORDS} needs a file for the vocabulary: --vocab.")
    if vocab is not None:
        shown = _export_counts(store, out, vocab, force)
        line = f"{out}: {shown['records']:,} records; {vocab}: {shown['words']:,} words"
    elif kind == PATHS:
        tree = Hierarchy.load(store)
        tree.write_paths(out, force=force)
        shown = {"format": PATHS, "words": len(tree), "clusters": tree.clusters}
        line = f"{out}: {tree!r}, {PATHS}"
    else:
        shown = _export_vectors(store, out, kind, force)
        line = f"{out}: {shown['words']:,} words × {shown['dimensions']:,} dimensions, {kind}"
        for note in () if quiet else shown["notes"]:
            click.echo(note, err=True)
    if as_json:
        options.echo_json(shown)
    else:
        click.echo(line)


def _default(store: Path) -> str:
    """Return the usual format for what a store holds."""
    if CLUSTERS.is_at(store):
        return PATHS
    return "word2vec" if is_space(store) else RECORDS


def _export_vectors(store: Path, out: Path, kind: str, force: bool) -> dict[str, Any]:
    if is_store(store):
        raise StoreError(f"{store}: counts, which have no vectors: make them with firth fit")
    space = Space.load(store)
    frequencies = space.words.frequencies
    table = VectorTable(
        space.words.words, space.vectors, frequencies if frequencies.any() else None
    )
    notes = write_vectors(table, out, kind, force=force)
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
            raise FirthError(
                f"{path}: exists: choose another name, or replace it with `force=True`"
            )
    counts = load_checked(store)
    write_glove(counts, out, vocab)
    return {"records": counts.nnz, "words": len(counts.words)}
