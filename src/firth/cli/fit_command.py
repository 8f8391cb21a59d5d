"""firth fit: from counts to vectors."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firth.cli import options
from firth.cli.method_options import MethodCommand, method_of, method_option
from firth.cli.progress import Reporter
from firth.counts.store import load_checked
from firth.methods import METHODS
from firth.methods.multiview import MultiView
from firth.methods.view_sources import open_views
from firth.resources import Resources
from firth.space.space import Space
from firth.space.store import check_target

if TYPE_CHECKING:
    from firth.evaluation.report import Report


@click.command("fit", cls=MethodCommand, registry=METHODS, default="default")
@click.argument("counts", nargs=-1, required=True, type=options.PATH)
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
@click.option(
    "--dev",
    type=options.PATH,
    help="For learned weights of views: a file of pairs of words and their similarity.",
)
@click.option(
    "--leave-out",
    multiple=True,
    metavar="view|group|A+B",
    help="For views: score the space also without each view, each group, or A and B together; may "
    "be repeated.",
)
@click.option(
    "--suite",
    metavar="NAME,...",
    help="For views: tests to score with, as for firth evaluate.  [default: with --leave-out, all]",
)
@click.option("--data", multiple=True, type=options.PATH, help="Folder of the tests.")
@options.force
@options.resources
@options.common
def command(
    counts: tuple[Path, ...],
    out: Path,
    method: str,
    association: bool,
    dev: Path | None,
    leave_out: tuple[str, ...],
    suite: str | None,
    data: tuple[Path, ...],
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn a space of word vectors from COUNTS, a store of firth count.

    The same counts and options give the same bytes on any number of threads. The method multiview
    takes several views: stores of counts, folders of such stores, spaces and files of vectors.
    """
    chosen = method_of(METHODS, method, settings)
    begun = time.monotonic()
    check_target(out, force)
    if isinstance(chosen, MultiView):
        space, report = _of_views(
            chosen, counts, dev, leave_out, suite, data,
            memory=memory, threads=threads, quiet=quiet,
        )  # fmt: skip
    else:
        if dev or leave_out or suite or data:
            raise click.UsageError(
                f"--dev, --leave-out, --suite and --data are not options of --method {method}."
            )
        matrix, report = load_checked(single(counts, method)), None
        with Reporter(quiet) as progress:
            resources = Resources(threads, memory, progress=progress)
            space = chosen.fit(matrix, association=association, resources=resources)
    space.save(out, force=force)
    _show(space, out, time.monotonic() - begun, as_json, report)
    if report is not None and not as_json:
        from firth.cli import testing

        testing.show(report, "table", as_json, quiet)


def single(counts: tuple[Path, ...], method: str) -> Path:
    """Return the one store of counts that a method takes."""
    if len(counts) > 1:
        raise click.UsageError(f"--method {method} takes one store of counts, not {len(counts)}.")
    return counts[0]


def _of_views(
    method: MultiView,
    paths: tuple[Path, ...],
    dev: Path | None,
    leave_out: tuple[str, ...],
    suite: str | None,
    data: tuple[Path, ...],
    *,
    memory: str | None,
    threads: int | None,
    quiet: bool,
) -> tuple[Space, Report | None]:
    """Fit several views, and score them without some."""
    # They load what other fits do not need.
    from firth.evaluation.ablation import ALL, ablate, check_apart
    from firth.evaluation.inputs import chosen_tasks
    from firth.evaluation.protocol import EvaluationRules
    from firth.evaluation.running import report_on
    from firth.evaluation.similarity import Similarity

    pairs = None
    if dev is not None:
        (pairs,) = chosen_tasks(f"similarity:{dev}", None, EvaluationRules(), "add")
    scored = bool(leave_out or suite)
    tasks = chosen_tasks(suite or "all", data, EvaluationRules(), "both") if scored else []
    if isinstance(pairs, Similarity):
        check_apart(pairs, tasks)
    if leave_out and dev:
        raise click.UsageError("--leave-out and --dev exclude each other.")
    views = open_views(paths)
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        if leave_out:
            return ablate(method, views, leave_out, tasks, resources=resources)
        known = pairs.pairs if isinstance(pairs, Similarity) else None
        space = method.fit(views, dev=known, resources=resources)
        return space, report_on({ALL: space}, tasks, resources=resources) if tasks else None


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


def _show(space: Space, out: Path, seconds: float, as_json: bool, report: Report | None) -> None:
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
                **({} if space.views is None else {"views": space.recipe["views"]}),
                **({} if report is None else {"report": report.to_json()}),
                "seconds": round(seconds, 3),
            }
        )
        return
    if space.views is not None:
        _show_views(space)
    residual, objective = diagnostics.get("largest_residual"), diagnostics.get("objective")
    exactness = "" if residual is None else f", largest residual {residual:.1e}"
    if objective:
        exactness = f", objective {objective[-1]:.4g} from {objective[0]:.4g}"
    click.echo(f"{out}: {space!r}{exactness}, {seconds:.1f} s")


def _show_views(space: Space) -> None:
    """Print a line for each view: what it has, and what it has to do with the space."""
    from firth.cli.testing import show_table

    header = ["view", "words", "columns", "rank", "correlation", "explained"]
    lines = [
        [
            view["view"],
            *(f"{view[name]:,}" for name in ("words", "columns", "rank")),
            f"{view['correlation']:.3f}",
            f"{view['explained']:.1%}",
        ]
        for view in space.recipe["views"]
    ]
    show_table(options.rich_table(header, lines, names=1))
