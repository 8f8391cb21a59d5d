"""firth evaluate: score vectors on tests, with coverage and confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from firth.cli import options, testing
from firth.cli.progress import Reporter
from firth.clusters.hierarchy import Hierarchy
from firth.counts.store import load_checked
from firth.evaluation.api import evaluate
from firth.evaluation.inputs import short_names
from firth.evaluation.protocol import EvaluationRules
from firth.evaluation.report import Report, information_row
from firth.resources import Resources
from firth.space.opening import open_space
from firth.space.space import Space


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    parts: tuple[str, ...]
    data: tuple[Path, ...]
    rules: EvaluationRules
    analogy: str
    sections: bool
    train: Path | None = None
    test: Path | None = None
    dev: Path | None = None
    clusters: Mapping[str, Path] = field(default_factory=dict)
    counts: Path | None = None
    epochs: int = 10


def _run_sets(spaces: Mapping[str, Space], request: Request, resources: Resources) -> Report:
    """Run the tasks that are sets of items."""
    return evaluate(
        spaces,
        request.parts,
        request.rules,
        data=request.data,
        analogy=request.analogy,
        sections=request.sections,
        resources=resources,
    )


def _run_names(spaces: Mapping[str, Space], request: Request, resources: Resources) -> Report:
    """Train taggers of named entities: without features, and with each tree and each space."""
    from firth.evaluation.ner import Tagger, read_conll
    from firth.evaluation.ner.experiment import report_rows, run

    if request.train is None or request.test is None:
        raise click.UsageError("--suite ner needs --train FILE and --test FILE.")
    rows = run(
        spaces,
        read_conll(request.train),
        read_conll(request.test),
        dev=None if request.dev is None else read_conll(request.dev),
        clusters={name: Hierarchy.load(path).paths() for name, path in request.clusters.items()},
        tagger=Tagger(epochs=request.epochs, seed=request.rules.seed),
        resamples=request.rules.resamples,
        level=request.rules.level,
        resources=resources,
    )
    chosen = (
        f"at most {request.epochs} epochs, by --dev" if request.dev else f"{request.epochs} epochs"
    )
    rule = "entities as conlleval counts them; words as written, else in lower case"
    drawn = f"{request.rules.resamples:,} bootstrap samples of the sentences"
    ranges = f"{request.rules.level:.0%} intervals by {drawn}"
    resources.report("note", f"names: {rule}; {chosen}; {ranges}")
    found = [row for one in rows for row in report_rows(one, request.test.name)]
    return Report(found, request.rules)


def _run_information(spaces: Mapping[str, Space], request: Request, resources: Resources) -> Report:
    """Compute the mutual information between the clusters of adjacent words."""
    del spaces, resources
    if request.counts is None or not request.clusters:
        raise click.UsageError("--suite information needs --counts COUNTS and --clusters TREE.")
    counts = load_checked(request.counts)
    rows = []
    for name, path in request.clusters.items():
        tree = Hierarchy.load(path)
        known = sum(word in tree for word in counts.words)
        found = tree.information(counts)
        rows.append(information_row(name, found, known, len(counts.words)))
    return Report(rows, request.rules)


Runner = Callable[[Mapping[str, Space], Request, Resources], Report]
# Suites that need more than a space. All other names are sets, or tasks that consist of sets.
RUNNERS: dict[str, Runner] = {"ner": _run_names, "information": _run_information}


@click.command("evaluate")
@click.argument("spaces", metavar="SPACE...", nargs=-1, type=options.PATH)
@testing.suites
@testing.rules
@click.option(
    "--common", is_flag=True, help="Restrict the spaces to the words that all of them have."
)
@click.option("--sections", is_flag=True, help="Also show the scores of the sections of tests.")
@click.option(
    "--summary",
    is_flag=True,
    help="Print one line per space: the mean of the similarity sets, and the other tests.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Name of a SPACE in the report; repeat it for each, in their order.",
)
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
@click.option(
    "--train", type=options.PATH, help="For ner: tagged sentences to train on, in CoNLL's columns."
)
@click.option("--test", type=options.PATH, help="For ner: tagged sentences to test on.")
@click.option(
    "--dev", type=options.PATH, help="For ner: tagged sentences to choose the number of epochs on."
)
@click.option(
    "--clusters",
    multiple=True,
    type=options.PATH,
    help="For ner and information: a tree of firth cluster, or a paths file; may be repeated.",
)
@click.option("--counts", type=options.PATH, help="For information: positional counts of a text.")
@click.option(
    "--epochs",
    type=options.Integer(1),
    default=10,
    show_default=True,
    help="For ner: number of epochs of training; with --dev, the largest number.",
)
@options.threads
@options.common
def command(
    spaces: tuple[Path, ...],
    suite: str,
    data: tuple[Path, ...],
    analogy: str,
    sections: bool,
    summary: bool,
    names: tuple[str, ...],
    form: str,
    figure: Path | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Score each SPACE on tests; a SPACE is a stored space or a file of vectors.

    The output has a row per test and a column per SPACE; with --summary, a line per SPACE. Every
    score has its coverage and a confidence interval. The rules of the scores are printed to
    standard error.

    --suite ner trains taggers of named entities: one without, and one with each SPACE and each of
    --clusters as features. --suite information computes the mutual information between the
    --clusters of adjacent words, in nats.
    """
    if summary and (as_json or form == "csv"):
        raise click.UsageError("--summary cannot be combined with --json or --format csv.")
    if figure is not None:
        from firth.evaluation.figures import check_figure

        check_figure(figure)
    rules = testing.rules_of(settings)
    parts = testing.parts_of(suite)
    own = {name: settings[name] for name in (*SUITES, "epochs")}
    _check_options(parts, spaces, own)
    own["clusters"], chosen = _named(own["clusters"], spaces, names, _reserved(parts))
    with Reporter(quiet) as progress:
        resources = Resources(threads, progress=progress)
        opened = {name: open_space(path, resources) for name, path in chosen.items()}
        reports = []
        for runner, tests in _by_runner(parts):
            request = Request(tuple(tests), data, rules, analogy, sections, **own)
            reports.append(runner(opened, request, resources))
    report = Report([row for part in reports for row in part.rows], rules)
    if figure is not None:
        from firth.evaluation.figures import draw_scores

        draw_scores(report, figure)
    testing.show(report, form, as_json, quiet, summary)


# The suites that use an option.
SUITES = {
    "train": ("ner",),
    "test": ("ner",),
    "dev": ("ner",),
    "clusters": ("ner", "information"),
    "counts": ("information",),
}


def _check_options(parts: list[str], spaces: tuple[Path, ...], given: dict[str, Any]) -> None:
    """Raise if an option is given without its suite, or a suite needs a space and has none."""
    for name, suites in SUITES.items():
        if given[name] and not {*parts} & {*suites}:
            raise click.UsageError(f"--{name} needs --suite {' or '.join(suites)}.")
    if not spaces and not {*parts} <= {*RUNNERS}:
        raise click.UsageError("Missing argument 'SPACE...'.")


def _named(
    clusters: Sequence[Path], spaces: Sequence[Path], names: Sequence[str], taken: Sequence[str]
) -> tuple[dict[str, Path], dict[str, Path]]:
    """Name clusters and spaces: by --name, or by the shortest names that distinguish them."""
    if names:
        found = short_names(clusters, taken)
        return found, testing.called(names, spaces, [*found, *taken])
    found = short_names([*clusters, *spaces], taken)
    first, second = ({n: p for n, p in found.items() if p in own} for own in (clusters, spaces))
    return first, second


def _reserved(parts: list[str]) -> tuple[str, ...]:
    """Return the names of rows that a suite uses itself."""
    if "ner" not in parts:
        return ()
    from firth.evaluation.ner.experiment import PLAIN

    return (PLAIN,)


def _by_runner(parts: list[str]) -> list[tuple[Runner, list[str]]]:
    """Group the parts of a suite by the function that runs them, in order."""
    found: dict[Runner, list[str]] = {}
    for part in parts:
        found.setdefault(RUNNERS.get(part, _run_sets), []).append(part)
    return list(found.items())
