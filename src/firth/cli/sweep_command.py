"""firth sweep: score a method on a grid of parameter values."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from firth.cli import options, testing
from firth.cli.fit_command import single
from firth.cli.method_options import MethodCommand, method_option
from firth.cli.progress import Reporter
from firth.counts.store import load_checked
from firth.evaluation.finding import DataFolders, data_folders, tasks_of
from firth.evaluation.inputs import ANALOGIES
from firth.evaluation.protocol import EvaluationRules
from firth.evaluation.report import markdown_of
from firth.evaluation.sweep import (
    cells,
    methods_of,
    name_of,
    parse_axis,
    plan_of,
    require_memory,
    sweep,
    to_csv,
)
from firth.evaluation.sweep_folder import Point, SweepFolder
from firth.methods import METHODS
from firth.methods.view_sources import open_views
from firth.resources import Resources


@click.command("sweep", cls=MethodCommand, registry=METHODS, default="default", axes=True)
@click.argument("counts", nargs=-1, required=True, type=options.PATH)
@method_option(
    METHODS,
    default="default",
    show_default=True,
    help="Method to score (see below).",
)
@click.option(
    "--grid",
    multiple=True,
    required=True,
    metavar="NAME=VALUE,...",
    help="Values of a parameter, such as dim=50,100; may be repeated for other parameters.",
)
@click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    help="Folder to store finished points in. If a run was interrupted, the same command "
    "continues it.",
)
@testing.suites
@testing.rules
@click.option(
    "--format",
    "form",
    type=click.Choice(testing.FORMATS),
    default="table",
    show_default=True,
    help="Format of the output.",
)
@click.option(
    "--figure",
    type=options.PATH,
    help="Draw the scores to this .svg, .png or .pdf file; an earlier file is replaced.",
)
@options.force
@options.resources
@options.common
def command(
    counts: tuple[Path, ...],
    method: str,
    grid: tuple[str, ...],
    out: Path | None,
    suite: str,
    data: tuple[Path, ...],
    analogy: str,
    form: str,
    figure: Path | None,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Fit a method to COUNTS at every point of a grid, and score the vectors of each point.

    The method multiview takes several views, as in firth fit.

    Points that differ only in parameters used after the factorisation, such as the number of
    dimensions, share one factorisation.
    """
    if figure is not None:
        from firth.evaluation.figures import check_figure

        check_figure(figure)
    axes = dict(parse_axis(method, axis) for axis in grid)
    if len(axes) < len(grid):
        raise click.UsageError("--grid gives values of one parameter twice.")
    points = methods_of(method, axes)  # raises for a wrong value before anything is computed
    rules = testing.rules_of(settings)
    parts = testing.parts_of(suite)
    folders = DataFolders([] if all(":" in part for part in parts) else data_folders(data))
    tasks = tasks_of(parts, folders, rules.half, ANALOGIES[analogy])
    several = METHODS[method].several
    matrix = open_views(counts) if several else load_checked(single(counts, method))
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        require_memory(matrix, points, resources)
    folder = None
    if out is not None:
        folder = SweepFolder(out, plan_of(matrix, method, axes, tasks, rules))
        folder.open(force)
    try:
        with Reporter(quiet) as progress:
            resources = Resources(threads, memory, progress=progress)
            found = sweep(
                matrix, method, axes, tasks, rules,
                folder=folder, resources=resources,
            )  # fmt: skip
    except BaseException as error:
        if folder is not None and folder.done:
            error.add_note(f"finished points are in {out}: run the same command to continue")
        elif folder is not None:
            with suppress(OSError):  # report the first error only
                folder.leave()
        raise
    finally:
        if folder is not None:
            folder.close()
    if figure is not None:
        from firth.evaluation.figures import draw_sweep

        draw_sweep([(point.settings, point.rows) for point in found], figure, name_of)
    _show(found, rules, form, as_json)
    unit = () if form == "csv" else ("scores × 100",)
    for line in () if quiet or as_json else (*rules.lines(), *unit):
        click.echo(line, err=True)


def _show(points: list[Point], rules: EvaluationRules, form: str, as_json: bool) -> None:
    if as_json:
        found = [
            {"settings": dict(point.settings), "rows": [asdict(row) for row in point.rows]}
            for point in points
        ]
        options.echo_json({"rules": rules.to_json(), "points": found})
    elif form == "csv":
        click.echo(to_csv(points), nl=False)
    elif form == "markdown":
        click.echo(markdown_of(*cells(points)))
    else:
        testing.show_table(options.rich_table(*cells(points), names=0))
