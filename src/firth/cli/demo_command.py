"""firth demo: what firth does, on the documentation that comes with Python."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click

from firth.cli import options
from firth.cli.progress import Reporter
from firth.clusters import Hierarchy, SpectralClusters
from firth.collocations import collocations
from firth.counts.counting import count
from firth.methods import METHODS
from firth.resources import Resources
from firth.space.space import Space
from firth.text.embedded import documentation

SHOWN = 24
CLUSTERS = 150
NEIGHBOURS = ("array", "thread", "socket", "eigenvalues", "class")
ANALOGIES = (("sin", "cos", "sinh"), ("add", "added", "remove"), ("row", "rows", "matrix"))
CLUSTERED = ("float64", "returns", "quickly", "six", "linux", "raises")
WHY = ("eigenvalues", "eigenvectors")


@click.command("demo")
@options.threads
@options.common
def command(threads: int | None, quiet: bool, as_json: bool) -> None:
    """Learn vectors and clusters from the documentation of Python, NumPy and SciPy.

    The demo reads the docstrings on this machine. It downloads, executes and writes nothing.
    """
    if not quiet:
        click.echo("reading the documentation of Python, NumPy and SciPy …", err=True)
    begun = time.monotonic()
    corpus = documentation()
    read = time.monotonic()
    quietly = Resources(threads)
    with Reporter(quiet) as progress:
        pairs = count(corpus, window=1, weighting="flat", context="right", resources=quietly)
        company = count(corpus, resources=Resources(threads, progress=progress))
        counted = time.monotonic()
        space = METHODS["default"]().fit(company, resources=quietly)
        fitted = time.monotonic()
        places = count(
            corpus, window=2, weighting="flat", context="positional", rare="unk", resources=quietly
        )
        tree = SpectralClusters(clusters=CLUSTERS).fit(places, resources=quietly)
    clustered = time.monotonic()
    found = collocations(pairs, SHOWN)
    asked = {**_ask(space), "clusters": _clusters(tree)}
    if as_json:
        options.echo_json(
            {
                "corpus": str(corpus),
                "ledger": company.ledger.to_json(),
                "words": len(company.words),
                "nonzeros": company.nnz,
                "collocations": [[*pair] for pair in found],
                **asked,
            }
        )
        return
    click.echo(f"corpus: {corpus}")
    options.echo_table(company.ledger.entries())
    click.echo(f"{company!r}")
    click.echo(
        f"read in {read - begun:.1f} s, counted twice in {counted - read:.1f} s, "
        f"{space.vector_size} dimensions fitted in {fitted - counted:.1f} s, "
        f"{CLUSTERS} clusters made in {clustered - fitted:.1f} s"
    )
    _show_collocations(found)
    _show_answers(asked)
    click.echo("\nfor your own text:  firth count corpus.txt -o counts")
    click.echo("                    firth fit counts -o space")
    click.echo("                    firth similar space WORD")


def _ask(space: Space) -> dict[str, Any]:
    """Answer the queries whose words occur in the documentation on this machine."""
    analogies = [words for words in ANALOGIES if all(word in space for word in words)]
    return {
        "neighbours": {
            word: [other for other, _ in space.most_similar(word, topn=7)]
            for word in NEIGHBOURS
            if word in space
        },
        "analogies": [
            [a, b, c, space.most_similar([b, c], [a], topn=1)[0][0]] for a, b, c in analogies
        ],
        "why": str(space.why(*WHY, 6)) if all(word in space for word in WHY) else "",
    }


def _clusters(tree: Hierarchy) -> dict[str, list[str]]:
    """Return the paths and the most frequent words of the clusters of some words."""
    return {tree.path(word): tree.words_of(word)[:9] for word in CLUSTERED if word in tree}


def _show_collocations(found: Sequence[tuple[str, str, float]]) -> None:
    click.echo("\nstrongest collocations (adjacent words, by normalised PMI):")
    third = -(-len(found) // 3)
    for row in range(third):
        cells = (f"{score:.2f} {f'{w} {c}':<26}" for w, c, score in found[row::third])
        click.echo("  " + "   ".join(cells).rstrip())


def _show_answers(asked: dict[str, Any]) -> None:
    click.echo("\nnearest words:")
    for word, others in asked["neighbours"].items():
        click.echo(f"  {word:<12} {', '.join(others)}")
    click.echo("\nanalogies:")
    for a, b, c, answer in asked["analogies"]:
        click.echo(f"  {a} is to {b} as {c} is to {answer}")
    click.echo("\nclusters, each with its path in the tree:")
    width = max(map(len, asked["clusters"]), default=0)
    for path, words in asked["clusters"].items():
        click.echo(f"  {path:<{width}}  {', '.join(words)}")
    if asked["why"]:
        click.echo("\nwhy two words are similar:")
        for line in asked["why"].splitlines():
            click.echo(f"  {line}")
