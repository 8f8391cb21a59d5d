"""firth fit: from counts to vectors."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.cli.method_options import MethodCommand, method_of, method_option
from firth.cli.progress import Reporter
from firth.counts.store import load_checked
from firth.methods import METHODS
from firth.resources import Resources
from firth.space.space import Space
from firth.space.store import check_target


@click.command("fit", cls=MethodCommand, registry=METHODS, default="default")
@click.argument("counts", type=options.PATH)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=options.PATH,
    help="Folder to write the space to.",
)
@method_option(
    METHODS,
    default="default",
    show_default=True,
    help="Method (see below).",
)
@click.option(
    "--association/--no-association",
    default=True,
    show_default=True,
    help="Store the association matrix, which firth why needs.",
)
@options.force
@options.resources
@options.common
def command(
    counts: Path,
    out: Path,
    method: str,
    association: bool,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn a space of word vectors from COUNTS, a store of firth count.

    The same counts and options give the same bytes on any number of threads.
    """
    chosen = method_of(METHODS, method, settings)
    begun = time.monotonic()
    check_target(out, force)
    matrix = load_checked(counts)
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        space = chosen.fit(matrix, association=association, resources=resources)
    space.save(out, force=force)
    _show(space, out, time.monotonic() - begun, as_json)


def warn_of_residual(diagnostics: dict[str, Any]) -> None:
    """Warn if the residuals of the singular vectors are above the tolerance."""
    if not diagnostics.get("converged", True):
        click.echo(
            f"firth: warning: the largest residual, {diagnostics['largest_residual']:.1e}, is "
            "above the tolerance: raise --tol, or lower --dim",
            err=True,
        )


def warn_of_stalling(diagnostics: dict[str, Any]) -> None:
    """Warn if a step of a model could not be taken."""
    stalled = diagnostics.get("stalled")
    if stalled:
        click.echo(
            f"firth: warning: step {stalled['step']} with family {stalled['family']} stalled: it "
            f"would raise the deviance, most of all that of {stalled['word']!r}; raise --penalty, "
            "or lower --clip-at",
            err=True,
        )


def _show(space: Space, out: Path, seconds: float, as_json: bool) -> None:
    diagnostics = space.recipe["diagnostics"]
    warn_of_residual(diagnostics)
    warn_of_stalling(diagnostics)
    if not space.vectors.any():
        click.echo(
            f"firth: warning: {space.recipe['method']['name']} finds no two words associated, so "
            "every vector is zero: choose another method or other settings, or count more text",
            err=True,
        )
    if as_json:
        options.echo_json(
            {
                "store": str(out),
                "words": len(space),
                "dimensions": space.vector_size,
                "method": space.recipe["method"],
                "chosen": space.recipe.get("chosen", {}),
                "diagnostics": diagnostics,
                "seconds": round(seconds, 3),
            }
        )
        return
    residual, objective = diagnostics.get("largest_residual"), diagnostics.get("objective")
    exactness = "" if residual is None else f", largest residual {residual:.1e}"
    if objective:
        exactness = f", objective {objective[-1]:.4g} from {objective[0]:.4g}"
    click.echo(f"{out}: {space!r}{exactness}, {seconds:.1f} s")
