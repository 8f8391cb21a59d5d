"""firth score: answers to tasks of word sense induction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.evaluation.induction import baseline, graded_scores, partition_scores, read_key
from firth.evaluation.induction.baselines import BASELINES
from firth.evaluation.induction.keys import Key

GRADED = {
    "Jaccard": "jaccard", "tau": "tau", "WNDCG": "ndcg", "fuzzy NMI": "nmi", "B-cubed": "bcubed",
    "mean": "mean",
}  # fmt: skip
PARTITION = {"V-measure": "v", "paired F": "paired_f"}


@click.command("score")
@click.argument("gold", type=options.PATH)
@click.argument("answers", nargs=-1, type=options.PATH)
@click.option("--task", type=click.Choice(["semeval-2013", "semeval-2010"]),
              default="semeval-2013", show_default=True,
              help="Graded senses (task 13 of 2013), or one sense (task 14 of 2010).")  # fmt: skip
@click.option("--others", is_flag=True,
              help="Count answers to instances that GOLD does not have as wrong, as in the figures "
              "published in 2013.")  # fmt: skip
@click.option("--baselines/--no-baselines", default=True, show_default=True,
              help="Also score one sense for all, one for each, and random senses.")  # fmt: skip
@options.common
def command(
    gold: Path,
    answers: tuple[Path, ...],
    task: str,
    others: bool,
    baselines: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Score the key files ANSWERS against the key GOLD, × 100.

    AVG is the geometric mean of fuzzy NMI and fuzzy B-cubed, or of V-measure and paired F; trivial
    answers win either of the two.
    """
    del quiet
    if others and task != "semeval-2013":
        raise click.UsageError("--others is for --task semeval-2013.")
    if not answers and not baselines:
        raise click.UsageError("give ANSWERS to score, or leave out --no-baselines.")
    truth = read_key(gold)
    given: dict[str, Key] = {str(path): read_key(path) for path in answers}
    if baselines:
        given |= {f"({kind})": baseline(truth, kind) for kind in BASELINES}
    measures = GRADED if task == "semeval-2013" else PARTITION
    rows = {}
    for name, key in given.items():
        found: Any = (
            graded_scores(truth, key, others=others)
            if task == "semeval-2013"
            else partition_scores(truth, key)
        )
        rows[name] = found
    if as_json:
        options.echo_json(
            [
                {
                    "answers": name,
                    "AVG": found.avg,
                    **{shown: getattr(found, field) for shown, field in measures.items()},
                    "answered": found.answered,
                    "total": found.total,
                }
                for name, found in rows.items()
            ]
        )
        return
    width = max([len(name) for name in rows], default=0)
    click.echo(f"{'':<{width}}  " + "  ".join(f"{name:>9}" for name in ["AVG", *measures]))
    for name, found in rows.items():
        values = [found.avg, *(getattr(found, field) for field in measures.values())]
        shown = "  ".join(f"{100 * value:9.2f}" for value in values)
        click.echo(f"{name:<{width}}  {shown}  {found.answered:,}/{found.total:,}")
