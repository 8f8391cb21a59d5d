"""firth merge: add stores of counts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.cli.count_command import show
from firth.cli.progress import Reporter
from firth.counts.merging import merge
from firth.resources import Resources


@click.command("merge")
@click.argument("stores", nargs=-1, required=True, type=options.PATH)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=options.PATH,
    help="Folder to write the sum to.",
)
@options.force
@options.resources
@options.common
def command(
    stores: tuple[Path, ...],
    memory: Any,
    threads: Any,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Add STORES of counts exactly; the vocabulary is the union of theirs.

    The stores must have the same window, weighting, context, diagonal and treatment of rare words.
    If all were counted with one vocabulary (firth count --vocab), the sum equals the counts of the
    texts together. If not, a note in the ledger says so.
    """
    begun = time.monotonic()
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        counts = merge(stores, resources=resources, **settings)
    show(counts, settings["out"], time.monotonic() - begun, as_json)
