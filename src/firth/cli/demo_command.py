"""firth demo: what firth does, on a corpus that every Python machine holds."""

from __future__ import annotations

import time

import click

from firth.association import collocations
from firth.cli import options
from firth.cli.progress import Reporter
from firth.counts.counting import count
from firth.text.embedded import documentation

SHOWN = 24


@click.command("demo")
@options.threads
@options.common
def command(threads: int | None, quiet: bool, as_json: bool) -> None:
    """Count the documentation of Python, NumPy and SciPy, and show its strongest collocations.

    The docstrings already on this machine are read, never executed; nothing is downloaded or
    written.
    """
    if not quiet:
        click.echo("reading the documentation of Python, NumPy and SciPy …", err=True)
    begun = time.monotonic()
    corpus = documentation()
    read = time.monotonic()
    with Reporter(quiet) as progress:
        pairs = count(corpus, window=1, context="right", threads=threads)
        company = count(corpus, window=5, threads=threads, progress=progress)
    counted = time.monotonic()
    found = collocations(pairs, SHOWN)
    if as_json:
        options.echo_json(
            {
                "corpus": str(corpus),
                "ledger": company.ledger.to_json(),
                "words": len(company.words),
                "nonzeros": company.nnz,
                "collocations": [[*pair] for pair in found],
            }
        )
        return
    click.echo(f"corpus: {corpus}")
    options.echo_table(company.ledger.rows())
    click.echo(f"{company!r}")
    click.echo(f"read in {read - begun:.1f} s, counted twice in {counted - read:.1f} s")
    click.echo("\nstrongest collocations (neighbours, normalised PMI):")
    third = -(-len(found) // 3)
    for row in range(third):
        cells = [f"{w} {c}" for w, c, _ in found[row::third]]
        scores = [score for _, _, score in found[row::third]]
        line = "   ".join(
            f"{score:.2f} {cell:<26}" for cell, score in zip(cells, scores, strict=True)
        )
        click.echo("  " + line.rstrip())
    click.echo("\ncount a text of your own:  firth count corpus.txt -o counts")
