"""firth views: counts from other sources than running text, each a view for multiview."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from firth.cli import options
from firth.cli.progress import Reporter
from firth.counts.bitext import bitext, columns_of, files_of
from firth.counts.conllu import sentences
from firth.counts.counting import count
from firth.counts.dependencies import RELATIONS, dependencies
from firth.counts.lexicon import FORMATS, groups_of, lexicon
from firth.counts.matrix import Counts
from firth.counts.store import check_target, is_store
from firth.errors import StoreError
from firth.resources import Resources
from firth.space.neighbour_counts import neighbour_counts
from firth.space.opening import open_space
from firth.stores.workspace import write_folder
from firth.stores.writing import check_free
from firth.text.tokenizers import NATIVE

F = TypeVar("F", bound=Callable[..., Any])
SIDES = {"before": -1, "after": 1, "both": 0}


@click.group("views", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Make counts of aligned, parsed and listed words: views for firth fit --method multiview."""


def _output(help_: str) -> Callable[[F], F]:
    return click.option("-o", "--output", "out", required=True, type=options.PATH, help=help_)


def _case(function: F) -> F:
    return click.option(
        "--lower/--no-lower", default=True, show_default=True, help="Convert words to lower case."
    )(function)


def _least(function: F) -> F:
    return click.option(
        "--min-count",
        type=options.Integer(1),
        default=1,
        show_default=True,
        help="Leave out words and contexts that are counted less often.",
    )(function)


@command.command("positional", short_help="Count words by their distance in a text.")
@click.argument("text", nargs=-1, required=True)
@_output("Folder to write the counts to; each distance is a view.")
@click.option("--window", type=options.Integer(1), default=15, show_default=True,
              help="Number of distances.")  # fmt: skip
@click.option("--side", type=click.Choice(tuple(SIDES)), default="before", show_default=True,
              help="Count the words before, after, or both.")  # fmt: skip
@click.option("--min-count", type=options.Integer(1), default=5, show_default=True,
              help="Leave out rarer words.")  # fmt: skip
@click.option("--max-vocab", type=options.Integer(1), help="Keep only the most frequent words.")
@click.option("--tokenizer", type=click.Choice(NATIVE), default="words", show_default=True,
              help="How text is split.")  # fmt: skip
@options.force
@options.resources
@options.common
def positional(
    text: tuple[str, ...],
    out: Path,
    window: int,
    side: str,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Count the words that stand 1, 2, … words before each word of TEXT, each distance apart."""
    begun = time.monotonic()
    check_target(out, force)
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        counts = count(
            [Path(name) for name in text], window=window, weighting="flat", context="positional",
            resources=resources, **settings,
        )  # fmt: skip
    counts = of_side(counts, SIDES[side])
    counts.save(out, force=force)
    _show({out: counts}, begun, as_json)


def of_side(counts: Counts, side: int) -> Counts:
    """Return the offsets of one side of positional counts; of both if `side` is 0."""
    from firth.counts.views import offsets

    if not side:
        return counts
    return offsets(counts, [offset for offset in counts.offsets if int(offset) * side > 0])


@command.command("bitext", short_help="Count which words are aligned in a bitext.")
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@_output("Folder to write the counts to.")
@click.option("--separate", is_flag=True,
              help="FILES are three: sentences, translations, and links.")  # fmt: skip
@_case
@_least
@options.force
@options.common
def of_bitext(
    files: tuple[Path, ...],
    out: Path,
    separate: bool,
    lower: bool,
    min_count: int,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Count which words of the translation are aligned to each word.

    FILES have three columns with tabs between them: a sentence, its translation, and Pharaoh's
    links, as in 0-0 1-2. Words are separated by spaces. Files ending in .gz, .bz2, .xz and .zst are
    decompressed.
    """
    del quiet
    begun = time.monotonic()
    check_target(out, force)
    if separate and len(files) != 3:
        raise click.UsageError("--separate takes three files: sentences, translations and links.")
    if separate:
        found = files_of(*files)
    else:
        found = (sentence for file in files for sentence in columns_of(file))
    counts = bitext(found, lower=lower, min_count=min_count)
    counts.save(out, force=force)
    _show({out: counts}, begun, as_json)


@command.command("dependencies", short_help="Count words and their governors, by relation.")
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@_output("Folder to write a store of counts for each relation to.")
@click.option("--relations", type=click.Choice(RELATIONS), default="stanford", show_default=True,
              help="The 21 Stanford relations of the paper, or each of the files.")  # fmt: skip
@_case
@_least
@options.force
@options.common
def of_dependencies(
    files: tuple[Path, ...],
    out: Path,
    relations: str,
    lower: bool,
    min_count: int,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Count the governors of each word in the CoNLL-U FILES, a view for each relation."""
    del quiet
    begun = time.monotonic()
    _check_folder(out, force)
    parsed = (sentence for file in files for sentence in sentences(file))
    views = dependencies(parsed, relations=relations, lower=lower, min_count=min_count)
    kept = {path.name for path in out.iterdir()} if out.is_dir() else set()
    with write_folder(out, kept | {*views}, force=force) as folder:
        for name, counts in views.items():
            counts.save(folder / name)
    _show({out / name: counts for name, counts in views.items()}, begun, as_json)


def _check_folder(out: Path, force: bool) -> None:
    """Raise if a folder of stores would replace something else."""
    check_free(out, force)
    if out.exists() and (not out.is_dir() or not all(map(is_store, out.iterdir()))):
        raise StoreError(f"{out}: exists and holds more than stores of counts: choose another name")


@command.command("lexicon", short_help="Count which words are in which groups.")
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@_output("Folder to write the counts to.")
@click.option("--format", "kind", type=click.Choice(FORMATS), default="words", show_default=True,
              help="Words with spaces between them, or the families of CatVar.")  # fmt: skip
@_case
@_least
@options.force
@options.common
def of_lexicon(
    files: tuple[Path, ...],
    out: Path,
    kind: str,
    lower: bool,
    min_count: int,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Count which words are in which groups; each line of FILES is a group.

    A group, such as a frame, a family of derivations or a list of paraphrases, has the name of its
    first word.
    """
    del quiet
    begun = time.monotonic()
    check_target(out, force)
    groups = (group for file in files for group in groups_of(file, kind))
    counts = lexicon(groups, lower=lower, min_count=min_count)
    counts.save(out, force=force)
    _show({out: counts}, begun, as_json)


@command.command("space", short_help="Count the nearest neighbours of words in a space.")
@click.argument("space", type=options.PATH)
@_output("Folder to write the counts to.")
@click.option("--neighbours", type=options.Integer(1), default=50, show_default=True,
              help="Number of neighbours of each word.")  # fmt: skip
@options.force
@options.threads
@options.common
def of_space(
    space: Path,
    out: Path,
    neighbours: int,
    force: bool,
    threads: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Count the cosines of each word of SPACE with its nearest neighbours, in thousandths.

    SPACE is a stored space or a file of vectors. firth fit --method multiview also takes SPACE
    itself; its neighbours are a view that says nothing of the words far from each other.
    """
    begun = time.monotonic()
    check_target(out, force)
    with Reporter(quiet) as progress:
        resources = Resources(threads, progress=progress)
        counts = neighbour_counts(open_space(space, resources), neighbours, resources)
    counts.save(out, force=force)
    _show({out: counts}, begun, as_json)


def _show(made: Mapping[Path, Counts], begun: float, as_json: bool) -> None:
    """Print what was made."""
    seconds = time.monotonic() - begun
    if as_json:
        options.echo_json(
            [
                {
                    "store": str(path),
                    "words": len(counts.words),
                    "contexts": len(counts.contexts),
                    "offsets": list(counts.offsets),
                    "nonzeros": counts.nnz,
                    "seconds": round(seconds, 3),
                }
                for path, counts in made.items()
            ]
        )
        return
    for path, counts in made.items():
        click.echo(f"{path}: {counts!r}")
    click.echo(f"{seconds:.1f} s", err=True)
