"""firth export: write vectors, counts or clusters for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.store import KIND as CLUSTERS
from firth.counts.interchange import check_glove_targets, write_glove
from firth.counts.store import is_store, load_checked
from firth.errors import StoreError
from firth.space.formats import FORMATS
from firth.space.opening import open_space
from firth.space.vectors import write_vectors

RECORDS, PATHS = "glove-records", "paths"


@click.command("export", cls=options.accept_former({"--vocab": "--vocab-file"}))
@click.argument("store", type=options.PATH)
@click.option(
    "-o", "--output", "out", required=True, type=options.PATH, help="File or folder to write."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice((*FORMATS, RECORDS, PATHS)),
    help=f"Format to write.  [default: word2vec for vectors, {RECORDS} for counts, "
    f"{PATHS} for clusters]",
)
@click.option(
    "--vocab-file",
    "vocabulary",
    type=options.PATH,
    help=f"File to write the vocabulary to; required for {RECORDS}.",
)
@click.option("--force", is_flag=True, help="Replace earlier files.")
@options.common
def command(
    store: Path,
    out: Path,
    kind: str | None,
    vocabulary: Path | None,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the vectors, counts or clusters of STORE for other programs.

    STORE is a store of firth, or a file of vectors. Vectors are written to a file; the formats
    projector and safetensors are folders. Numbers in text have enough digits to be read back
    exactly. Counts are written as GloVe's binary co-occurrence records with a vocabulary file,
    clusters as a paths file, which has a line with bits, word and count for each word.
    """
    kind = kind or _default(store)
    if kind != RECORDS and vocabulary is not None:
        raise click.UsageError(f"--vocab-file needs --format {RECORDS}, not {kind}.")
    if kind == RECORDS and vocabulary is None:
        raise click.UsageError(f"--format {RECORDS} needs --vocab-file.")
    if vocabulary is not None:
        shown = _export_counts(store, out, vocabulary, force)
        line = f"{out}: {shown['records']:,} records; {vocabulary}: {shown['words']:,} words"
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
    """Return the default format for the kind of a store."""
    if CLUSTERS.is_at(store):
        return PATHS
    return RECORDS if is_store(store) else "word2vec"


def _export_vectors(store: Path, out: Path, kind: str, force: bool) -> dict[str, Any]:
    if is_store(store):
        raise StoreError(
            f"{store}: is a store of counts, without vectors: make them with firth fit"
        )
    space = open_space(store)
    notes = write_vectors(space, out, kind, force=force)
    return {
        "format": kind,
        "words": len(space),
        "dimensions": space.vector_size,
        "notes": [*notes],
    }


def _export_counts(store: Path, out: Path, vocabulary: Path, force: bool) -> dict[str, Any]:
    check_glove_targets(out, vocabulary, force=force)  # before the store is read and checked
    counts = load_checked(store)
    write_glove(counts, out, vocabulary, force=force)
    return {"records": counts.nnz, "words": len(counts.words)}
