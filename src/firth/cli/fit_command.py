"""firth fit: from counts to vectors."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from firth.association import SCALES, TRANSFORMS
from firth.cli import options
from firth.cli.progress import Reporter
from firth.counts.matrix import Counts
from firth.counts.store import load_checked
from firth.methods import METHODS
from firth.methods.spectral import Method, parameters
from firth.resources import Resources
from firth.space.combining import COMBINE
from firth.space.space import Space
from firth.space.store import check_target

BASIS = 5  # Lanczos vectors for each dimension, as seen on real counts


class Finite(click.ParamType):  # type: ignore[type-arg]
    """A number, and not one that is none; or one of a few words."""

    name = "float"

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Read the number."""
        if value in self.words:
            return str(value)
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            either = "".join(f" or {word!r}" for word in self.words)
            self.fail(f"{value!r} is not a finite number{either}.", param, ctx)
        return number


@click.command("fit")
@click.argument("counts", type=options.PATH)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=options.PATH,
    help="Folder to write the space to.",
)
@click.option(
    "--method",
    type=click.Choice(tuple(METHODS)),
    default="default",
    show_default=True,
    help="How to make vectors; the options below that it does not take are refused.",
)
@click.option(
    "--dim", type=click.IntRange(min=1), help="Dimensions of the vectors.  [default: 100]"
)
@click.option("--transform", type=click.Choice(TRANSFORMS), help="Of counts and frequencies.")
@click.option("--scale", type=click.Choice(SCALES), help="Counts against frequencies.")
@click.option("--alpha", type=Finite(), help="Exponent of context smoothing, 0 to 1.")
@click.option("--word-alpha", type=Finite(), help="Exponent of word smoothing, 0 to 1.")
@click.option("--kappa", type=Finite(), help="Pseudocount added to frequencies.")
@click.option("--shift", type=Finite(), help="Subtracted from PMI, in nats.")
@click.option("--power", type=Finite(), help="Exponent of the association.")
@click.option("--threshold", type=Finite("auto"), help="PMI in bits at or below it is left out.")
@click.option("--psd/--no-psd", default=None, help="Make the matrix positive semi-definite.")
@click.option("--beta", type=Finite(), help="Exponent of the singular values.")
@click.option(
    "--combine", type=click.Choice((*COMBINE, "auto")), help="What contexts add to words' vectors."
)
@click.option("--weight", type=Finite(), help="Weight of the contexts.")
@click.option("--tol", type=Finite(), help="Largest residual, relative to the largest value.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of the random start.")
@click.option(
    "--association/--no-association",
    default=True,
    show_default=True,
    help="Keep the association matrix, which firth why needs.",
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
    """Make a space of word vectors from COUNTS.

    The same counts and options give the same bytes on any number of threads. Parameters that are
    left out have the defaults of the method.
    """
    chosen = _chosen(method, settings)
    begun = time.monotonic()
    check_target(out, force)
    matrix = load_checked(counts)
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        check_memory(matrix, [chosen], resources)
        space = chosen.fit(matrix, association=association, resources=resources)
    space.save(out, force=force)
    _show(space, out, time.monotonic() - begun, as_json)


def _chosen(name: str, settings: dict[str, Any]) -> Method:
    """Make the method, or say which options it has."""
    given = {option: value for option, value in settings.items() if value is not None}
    known = parameters(METHODS[name])
    other = next((option for option in given if option not in known), None)
    if other is not None:
        other, *has = (f"--{option.replace('_', '-')}" for option in (other, *sorted(known)))
        raise click.UsageError(
            f"{other} is not an option of --method {name}, which has {', '.join(has)}."
        )
    return METHODS[name](**given)


def check_memory(counts: Counts, methods: Sequence[Method], resources: Resources) -> None:
    """Say what the largest of some fits, one after another, will need; raise if it is not there."""
    need, dim = max((_need(counts, method), method.dim) for method in methods)
    size = f"{counts.nnz:,} nonzeros and {dim:,} dimensions"
    resources.require(need, size, "dim")


def _need(counts: Counts, method: Method) -> int:
    """Reckon what counts, matrix and Lanczos vectors take.

    A matrix that is not symmetric comes with its transpose, and with a basis for either side.
    """
    sides = 1 if method.is_symmetric(counts) else 2
    rows = sum(counts.shape) * sides // 2
    vectors = min(BASIS * method.dim, *counts.shape) + 64
    # Counts, matrix and transpose at 8 bytes a cell; a basis is copied when it grows by half.
    cells = 8 * (1 + sides) * counts.nnz
    return cells + 4 * rows * (vectors * 3 // 2) + 8 * sum(counts.shape) * method.dim


def warn_of_residual(recipe: dict[str, Any]) -> None:
    """Say so if singular vectors are less exact than was asked for."""
    if not recipe["converged"]:
        click.echo(
            f"firth: warning: the largest residual, {recipe['largest_residual']:.1e}, is above the "
            "tolerance: raise --tol, or lower --dim",
            err=True,
        )


def _show(space: Space, out: Path, seconds: float, as_json: bool) -> None:
    residual, converged = space.recipe["largest_residual"], space.recipe["converged"]
    warn_of_residual(space.recipe)
    if space.spectrum is not None and not space.spectrum.any():
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
                "largest_residual": residual,
                "converged": converged,
                "seconds": round(seconds, 3),
            }
        )
        return
    click.echo(f"{out}: {space!r}, largest residual {residual:.1e}, {seconds:.1f} s")
