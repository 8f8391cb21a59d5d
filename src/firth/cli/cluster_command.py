"""firth cluster: from counts to a tree of word clusters."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.cli.fit_command import Finite, warn_of_residual
from firth.cli.progress import Reporter
from firth.clusters import BrownClusters, Hierarchy, SpectralClusters
from firth.clusters.contexts import CONTEXTS
from firth.clusters.spectral import POWERS
from firth.counts.store import is_store, load_checked
from firth.errors import FirthError, StoreError
from firth.resources import Resources
from firth.space.opening import open_space
from firth.space.store import is_space
from firth.writing import check_free

METHODS: dict[str, type[SpectralClusters | BrownClusters]] = {
    "spectral": SpectralClusters,
    "brown": BrownClusters,
}


@click.command("cluster")
@click.argument("counts", type=options.PATH)
@click.option(
    "-o", "--output", "out", required=True, type=options.PATH, help="Paths file to write."
)
@click.option("--clusters", type=click.IntRange(min=1), default=1000, show_default=True,
              help="How many clusters.")  # fmt: skip
@click.option(
    "--method",
    type=click.Choice((*METHODS, "ward")),
    help="How to cluster: counts by spectral or brown, a space by ward.  [default: spectral, or "
    "ward for a space]",
)
@click.option("--context", type=click.Choice((*CONTEXTS,)), help="Which neighbours to look at.")
@click.option("--kappa", type=Finite(), help="Pseudocount added to frequencies.")
@click.option("--transform", type=click.Choice((*POWERS,)), help="Of counts and frequencies.")
@click.option(
    "--dim",
    type=click.IntRange(min=1),
    help="Singular vectors.  [default: half as many as clusters, 20 to 100]",
)
@click.option("--mass", type=Finite(), help="Exponent of a word's frequency in its weight, 0 to 1.")
@click.option("--tol", type=Finite(), help="Largest residual, relative to the largest value.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of the random start.")
@click.option("--force", is_flag=True, help="Replace an earlier file.")
@options.resources
@options.common
def command(
    counts: Path,
    out: Path,
    clusters: int,
    method: str | None,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Cluster the words of positional COUNTS, or of a space or a file of vectors, to a tree.

    PATHS has a line of bits, word and count for every word. Make counts for it with firth count
    --context positional --window 2 --rare unk. The same counts and options give the same bytes on
    any number of threads. Parameters that are left out have the defaults of the method.
    """
    begun = time.monotonic()
    check_free(out, force)
    if not out.absolute().parent.is_dir():
        raise StoreError(f"{out}: cannot be written: no such folder: choose another name")
    ours = is_space(counts)
    name = method or ("ward" if ours else "spectral")
    if ours and name != "ward":
        raise FirthError(f"{counts}: is a space: cluster it with --method ward")
    if name == "ward" and is_store(counts):
        raise FirthError(f"{counts}: is counts: cluster it with --method spectral or brown")
    chosen = _chosen(name, clusters, settings)
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        if chosen is None:
            space = open_space(counts, resources)
            need = Hierarchy.memory(space, clusters)
            size = f"{len(space):,} words and {clusters:,} clusters"
            resources.require(need, size, "clusters")
            tree = Hierarchy.from_space(space, clusters, resources=resources)
            information = None
        else:
            matrix = load_checked(counts)
            need = chosen.memory(matrix) + 8 * matrix.nnz
            size = f"{len(matrix.words):,} words, {matrix.nnz:,} nonzeros and {clusters:,} clusters"
            resources.require(need, size, "clusters")
            tree = chosen.fit(matrix, resources=resources)
            information = tree.information(matrix) if matrix.contexts == matrix.words else None
    tree.save(out, force=force)
    _show(tree, out, information, time.monotonic() - begun, as_json)


def _chosen(
    name: str, clusters: int, settings: dict[str, Any]
) -> SpectralClusters | BrownClusters | None:
    """Make the method, or say which options it has."""
    given = {option: value for option, value in settings.items() if value is not None}
    known = [field.name for field in fields(METHODS[name])] if name in METHODS else ["clusters"]
    other = next((option for option in given if option not in known), None)
    if other is not None:
        has = ", ".join(f"--{option}" for option in sorted(known))
        raise click.UsageError(f"--{other} is not an option of --method {name}, which has {has}.")
    return METHODS[name](clusters=clusters, **given) if name in METHODS else None


def _show(
    tree: Hierarchy, out: Path, information: float | None, seconds: float, as_json: bool
) -> None:
    gamma = tree.recipe.get("gamma")
    if "converged" in tree.recipe:
        warn_of_residual(tree.recipe)
    if as_json:
        options.echo_json(
            {
                "paths": str(out),
                "words": len(tree),
                "clusters": tree.clusters,
                "method": tree.recipe["method"],
                "mutual_information": information,
                "gamma": gamma,
                "largest_residual": tree.recipe.get("largest_residual"),
                "converged": tree.recipe.get("converged"),
                "seconds": round(seconds, 3),
            }
        )
        return
    parts = [f"{out}: {tree!r}"]
    if information is not None:
        parts.append(f"mutual information {information:.4f}")
    if gamma is not None:
        parts.append(f"γ {gamma:.2f}")
    click.echo(", ".join([*parts, f"{seconds:.1f} s"]))
