"""firth fuse: one space of several, beside the plain ways to fuse them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from firth.cli import options, testing
from firth.cli.progress import Reporter
from firth.errors import FirthError
from firth.evaluation.inputs import chosen_tasks
from firth.evaluation.protocol import EvaluationRules
from firth.evaluation.report import Report
from firth.evaluation.running import report_on
from firth.methods.fusion import agreement, averaged, baseline_memory, concatenated, explained
from firth.methods.multiview import MultiView
from firth.methods.view_sources import open_views
from firth.resources import Resources
from firth.space.space import Space
from firth.space.store import check_target

FUSED, CONCATENATED, AVERAGED = "fused", "concatenated", "averaged"


@click.command("fuse")
@click.argument("spaces", nargs=-1, required=True, type=options.PATH)
@click.option("-o", "--output", "out", required=True, type=options.PATH,
              help="Folder to write the space to.")  # fmt: skip
@click.option("--dim", type=options.Integer(1), default=300, show_default=True,
              help="Dimensions of the vectors.")  # fmt: skip
@click.option("--min-views", type=options.Integer(1), default=1, show_default=True,
              help="Spaces that must have a word; others are placed after the fit.")  # fmt: skip
@click.option("--weights", help="Weights of the spaces, as NAME=WEIGHT,…")
@click.option("--suite", metavar="NAME,...",
              help="Tests to score all spaces with; see firth evaluate.")  # fmt: skip
@click.option("--data", multiple=True, type=options.PATH, help="Folder of tests.")
@options.force
@options.resources
@options.common
def command(
    spaces: tuple[Path, ...],
    out: Path,
    dim: int,
    min_views: int,
    weights: str | None,
    suite: str | None,
    data: tuple[Path, ...],
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make one space of SPACES, by generalised canonical correlations (method multiview).

    SPACES are stored spaces and files of vectors in any format, with any words and dimensions; all
    words are kept. Stores of counts may be among them. The report has the share of each space that
    the fusion explains, and the same for concatenation with an SVD and for averaging; agreement is
    the correlation between the similarities of random pairs of frequent words.
    """
    begun = time.monotonic()
    method = MultiView(dim=dim, min_views=min_views, weights=weights)
    check_target(out, force)
    rules = EvaluationRules()
    tasks = chosen_tasks(suite, data, rules, "both") if suite else []
    views = open_views(spaces)
    inputs = {
        f"{name} (given)" if name in (FUSED, CONCATENATED, AVERAGED) else name: view
        for name, view in views.items()
        if isinstance(view, Space)
    }
    if len(inputs) < 2:
        raise FirthError("there are not two spaces to fuse: give two or more")
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        Resources(threads, memory).require(
            baseline_memory(inputs, dim), f"{len(inputs):,} spaces side by side", "dim"
        )
        fused = method.fit(views, resources=resources)
        fused.save(out, force=force)
        made = {
            FUSED: fused,
            CONCATENATED: concatenated(inputs, dim, resources),
            AVERAGED: averaged(inputs),
        }
        report = report_on({**inputs, **made}, tasks, rules, resources=resources) if tasks else None
    _show(out, inputs, made, report, time.monotonic() - begun, as_json, quiet)


def _rows(inputs: dict[str, Space], made: dict[str, Space]) -> list[dict[str, Any]]:
    """Return a line for each input: its words, what explains it, and what agrees with it."""
    rows = []
    for name, space in inputs.items():
        rows.append(
            {
                "space": name,
                "words": len(space),
                "dimensions": space.vector_size,
                "explained": {way: explained(fusion, space) for way, fusion in made.items()},
                "agreement": {
                    way: agreement(space, fusion)
                    for way, fusion in {**inputs, **made}.items()
                    if way != name
                },
            }
        )
    return rows


def _show(
    out: Path,
    inputs: dict[str, Space],
    made: dict[str, Space],
    report: Report | None,
    seconds: float,
    as_json: bool,
    quiet: bool,
) -> None:
    rows, fused = _rows(inputs, made), made[FUSED]
    if as_json:
        options.echo_json(
            {
                "store": str(out),
                "words": len(fused),
                "dimensions": fused.vector_size,
                "inputs": rows,
                "views": fused.recipe["views"],
                "report": None if report is None else report.to_json(),
                "seconds": round(seconds, 3),
            }
        )
        return
    others = [*inputs, *made]
    header = ["space", "words", "dims", *(f"explained: {way}" for way in made)]
    header += [f"agrees: {other}" for other in others]
    lines = [
        [row["space"], f"{row['words']:,}", str(row["dimensions"])]
        + [f"{100 * row['explained'][way]:.1f}" for way in made]
        + [_points(row["agreement"].get(other)) for other in others]
        for row in rows
    ]
    testing.show_table(options.rich_table(header, lines, names=1))
    if report is not None:
        click.echo()
        testing.show(report, "table", False, quiet)
    click.echo(f"{out}: {fused!r}, {seconds:.1f} s")


def _points(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
