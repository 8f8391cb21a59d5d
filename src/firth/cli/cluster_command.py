"""firth cluster: from counts to a tree of word clusters."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.cli.fit_command import warn_of_residual
from firth.cli.method_options import MethodCommand, method_of, method_option
from firth.cli.progress import Reporter
from firth.clusters import METHODS, Hierarchy
from firth.clusters.store import check_target
from firth.counts.matrix import Counts
from firth.counts.store import is_store, load_checked
from firth.errors import FirthError, StoreError
from firth.resources import Resources
from firth.space.opening import open_space
from firth.space.space import Space
from firth.space.store import is_space
from firth.stores.writing import check_free, check_parent


@click.command("cluster", cls=MethodCommand, registry=METHODS, default="spectral")
@click.argument("counts", metavar="COUNTS|SPACE", type=options.PATH)
@click.option("-o", "--output", "out", type=options.PATH, help="Folder to write the tree to.")
@click.option(
    "--paths",
    type=options.PATH,
    help="Paths file to write, for other programs; with or without -o.",
)
@method_option(
    METHODS,
    help="Clustering method (see below).  [default: spectral for counts, ward for a space]",
)
@click.option("--force", is_flag=True, help="Replace an earlier tree or paths file.")
@options.resources
@options.common
def command(
    counts: Path,
    out: Path | None,
    paths: Path | None,
    method: str | None,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Group the words of COUNTS, or of a space or a file of vectors, into a tree of clusters.

    Counts must be positional: make them with firth count --context positional --window 2
    --weighting flat --rare unk. firth tree, firth info and firth evaluate read the tree. A paths
    file has a line with bits, word and count for each word, as the programs for Brown clusters
    write it. The same counts and options give the same bytes on any number of threads.
    """
    begun = time.monotonic()
    _check_outputs(out, paths, force)
    kind = Space if is_space(counts) else Counts if is_store(counts) else None
    name = method or ("ward" if kind is Space else "spectral")
    takes = METHODS[name].takes
    if kind is not None and kind not in takes:
        what = "a space" if kind is Space else "counts"
        fit = [known for known, one in METHODS.items() if kind in one.takes]
        raise FirthError(f"{counts}: is {what}: cluster it with --method {' or '.join(fit)}")
    chosen = method_of(METHODS, name, settings)
    information = None
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        source = open_space(counts, resources) if Space in takes else load_checked(counts)
        tree = chosen.fit(source, resources=resources)
        if isinstance(source, Counts) and source.contexts == source.words:
            information = tree.information(source)
    if out is not None:
        tree.save(out, force=force)
    if paths is not None:
        tree.write_paths(paths, force=force)
    _show(tree, (out, paths), information, time.monotonic() - begun, as_json)


def _check_outputs(out: Path | None, paths: Path | None, force: bool) -> None:
    """Check that the outputs can be written, before anything is computed."""
    if out is None and paths is None:
        raise click.UsageError("Missing option '-o' / '--output' for a tree, or '--paths'.")
    if out is not None:
        check_target(out, force)
    if paths is not None:
        check_free(paths, force)
        check_parent(paths)
        if paths.is_dir():
            raise StoreError(f"{paths}: is a folder: choose another name for `paths`")
        if out is not None and out.absolute() == paths.absolute():
            raise StoreError(f"{paths}: given for both `out` and `paths`: give two names")


def _show(
    tree: Hierarchy,
    outputs: tuple[Path | None, Path | None],
    information: float | None,
    seconds: float,
    as_json: bool,
) -> None:
    store, paths = (None if path is None else str(path) for path in outputs)
    diagnostics = tree.recipe.get("diagnostics", {})
    gamma = diagnostics.get("gamma")
    warn_of_residual(diagnostics)
    if as_json:
        options.echo_json(
            {
                "store": store,
                "paths": paths,
                "words": len(tree),
                "clusters": tree.clusters,
                "method": tree.recipe["method"],
                "mutual_information": information,
                "diagnostics": diagnostics,
                "seconds": round(seconds, 3),
            }
        )
        return
    written = " and ".join(name for name in (store, paths) if name is not None)
    parts = [f"{written}: {tree!r}"]
    if information is not None:
        parts.append(f"mutual information {information:.4f}")
    if gamma is not None:
        parts.append(f"γ {gamma:.2f}")
    click.echo(", ".join([*parts, f"{seconds:.1f} s"]))
