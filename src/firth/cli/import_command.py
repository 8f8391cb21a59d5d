"""firth import: read vectors or counts of other programs."""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np

from firth.cli import options
from firth.cli.count_command import show
from firth.counts.interchange import RECORD, read_glove
from firth.counts.recipe import Recipe
from firth.counts.store import check_target as check_counts_target
from firth.errors import StoreError
from firth.resources import Resources
from firth.space.formats import FORMATS, read_vectors, sniff
from firth.space.space import Space
from firth.space.store import check_target
from firth.text.vocabulary import Vocabulary

RECORDS = "glove-records"
READABLE = (*(kind for kind in FORMATS if kind != "gensim"), RECORDS)  # a pickle is never read
_LOOKED_AT = 256  # records
DEFAULT_WINDOW = 15  # the default of GloVe


@click.command("import", cls=options.accept_former({"--vocab": "--vocab-file"}))
@click.argument("file", type=options.PATH)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=options.PATH,
    help="Folder to write the space or the counts to.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(READABLE),
    help="Format of FILE.  [default: recognised by the contents]",
)
@click.option(
    "--vocab-file",
    "vocabulary",
    type=options.PATH,
    help=f"For {RECORDS}: GloVe's vocabulary, with a word, a space and its frequency per line.",
)
@click.option(
    "--window",
    type=options.Integer(1, 20),
    help=f"For {RECORDS}: the window that GloVe used, with weights 1/distance.  [default: recorded "
    f"as unknown; counts are rounded as for a window of {DEFAULT_WINDOW}]",
)
@options.force
@options.threads
@options.common
def command(
    file: Path,
    out: Path,
    kind: str | None,
    vocabulary: Path | None,
    window: int | None,
    force: bool,
    threads: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Read FILE: vectors in a common format as a space, or GloVe's records as counts.

    Files can be compressed (.gz, .bz2, .xz, .zst). Pickles are never read.
    """
    if vocabulary is not None and kind not in (None, RECORDS):
        raise click.UsageError(f"--vocab-file needs --format {RECORDS}, not {kind}.")
    if vocabulary is not None:
        _import_records(file, out, vocabulary, window, force, as_json)
        return
    if kind == RECORDS:
        raise click.UsageError(f"--format {RECORDS} needs --vocab-file, GloVe's vocabulary.")
    _import_vectors(file, out, kind, force, threads, quiet, as_json)


def _import_records(
    file: Path, out: Path, vocabulary: Path, window: int | None, force: bool, as_json: bool
) -> None:
    begun = time.monotonic()
    check_counts_target(out, force)
    assumed = Recipe(window=window or DEFAULT_WINDOW, weighting="harmonic")
    stated = Recipe() if window is None else assumed
    counts = read_glove(file, vocabulary, denominator=assumed.denominator, recipe=stated)
    counts.save(out, force=force)
    show(counts, out, time.monotonic() - begun, as_json)


def _import_vectors(
    file: Path,
    out: Path,
    kind: str | None,
    force: bool,
    threads: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    begun = time.monotonic()
    check_target(out, force)
    if kind is None and _looks_like_records(file):
        raise StoreError(
            f"{file}: looks like GloVe's co-occurrence records: give their vocabulary as "
            "--vocab-file"
        )
    kind = kind or sniff(file)
    table = read_vectors(file, kind, resources=Resources(threads))
    frequencies = table.frequencies
    if frequencies is None:
        frequencies = np.zeros(len(table.words), dtype=np.int64)
    words = Vocabulary.unchecked(table.words, frequencies)
    space = Space(words, table.vectors, recipe={"method": {"name": "imported"}, "format": kind})
    space.save(out, force=force)
    seconds = time.monotonic() - begun
    for note in () if quiet else table.notes:
        click.echo(note, err=True)
    if as_json:
        options.echo_json(
            {
                "store": str(out),
                "format": kind,
                "words": len(space),
                "dimensions": space.vector_size,
                "notes": [*table.notes],
                "seconds": round(seconds, 3),
            }
        )
    else:
        click.echo(f"{out}: {space!r} from {kind}, {seconds:.1f} s")


def _looks_like_records(file: Path) -> bool:
    """Return whether a file begins with GloVe's records: two word numbers and a count each."""
    try:
        with open(file, "rb") as opened:
            begin = opened.read(_LOOKED_AT * RECORD.itemsize)
            size = opened.seek(0, 2)
    except OSError:
        return False  # the reader will report it
    if not begin or size % RECORD.itemsize or b"\0" not in begin:
        return False
    table = np.frombuffer(begin, RECORD)
    numbers = np.concatenate([table["word"], table["context"]])
    counts = table["count"]
    return bool((numbers > 0).all() and ((counts > 1e-9) & (counts < 2.0**53)).all())
