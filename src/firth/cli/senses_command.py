"""firth senses: the senses of words, from counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from firth.cli import asking, options
from firth.cli.progress import Reporter
from firth.counts.store import load_checked
from firth.errors import FirthError
from firth.methods import METHODS
from firth.parameters import parameters_of
from firth.resources import Resources
from firth.senses import Reading, Senses
from firth.senses.embedding import check_method
from firth.senses.learning import Splitting
from firth.senses.page import save_page
from firth.senses.store import check_target
from firth.space.store import check_target as check_space
from firth.stores.writing import check_free
from firth.text.sources import Corpus
from firth.text.vocabulary import read_word_list

F = TypeVar("F", bound=Callable[..., Any])
SHOWN = 20  # words whose senses are printed


def _splitting(function: F) -> F:
    """Add an option for each parameter of `Splitting`."""
    for known in reversed(parameters_of(Splitting)):
        limits = f"; {known.range}" if known.is_limited else ""
        choices = f" ({', '.join(known.choices)})" if known.kind is str else ""
        text = f"{known.meaning[:-1]}{choices}.  [default: {known.shown_default}{limits}]"
        function = click.option(known.option, type=str, help=text)(function)
    return function


@click.command("senses")
@click.argument("counts", type=options.PATH)
@click.option("-o", "--output", "out", required=True, type=options.PATH,
              help="Folder to write the senses to.")  # fmt: skip
@click.option("--words", metavar="WORD,...",
              help="The words to divide.  [default: all with senses in --table]")  # fmt: skip
@click.option("--words-file", type=options.PATH, metavar="FILE",
              help="A file of words to divide, one per line.")  # fmt: skip
@click.option("--table", type=options.PATH, metavar="PATH",
              help="How many senses words have: the folder of WordNet's dict files, or a file of "
              "lemmas and numbers with tabs between them.")  # fmt: skip
@_splitting
@click.option("--pool", is_flag=True,
              help="Compute factors of all contexts once: faster for many words.")  # fmt: skip
@click.option("--space", type=options.PATH, metavar="SPACE",
              help="Also write a space with a vector for each sense, as bank_1.")  # fmt: skip
@click.option("--method", default="svd", show_default=True,
              help="With --space: a method that takes an association.")  # fmt: skip
@click.option("--dim", type=options.Integer(1), default=100, show_default=True,
              help="With --space: dimensions of the vectors.")  # fmt: skip
@click.option("--keep-words/--no-keep-words", default=True, show_default=True,
              help="With --space: keep vectors of divided words beside senses.")  # fmt: skip
@click.option("--html", type=options.PATH, metavar="FILE",
              help="Write the senses of the given words to this HTML page.")  # fmt: skip
@click.option("--text", multiple=True, metavar="TEXT",
              help="A text to take examples from; may be repeated.")  # fmt: skip
@asking.top
@options.force
@options.resources
@options.common
def command(
    counts: Path,
    out: Path,
    words: str | None,
    words_file: Path | None,
    table: Path | None,
    pool: bool,
    space: Path | None,
    method: str,
    dim: int,
    keep_words: bool,
    html: Path | None,
    text: tuple[str, ...],
    top: int,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn the senses of words from COUNTS, a store of firth count.

    A flat window of 5 is a good choice for the counts. For each given word, its senses are shown:
    name, share, strongest contexts and most similar words.
    """
    given = _given(settings)
    wanted = _wanted(words, words_file)
    check_target(out, force)
    fitted = METHODS[method](dim=dim)
    if space is not None:
        check_space(space, force)
        check_method(fitted)
    if html is not None:
        if wanted is None:
            raise click.UsageError("--html needs --words or --words-file.")
        check_free(html, force)
    if len({path.absolute() for path in (out, space, html) if path}) < 1 + bool(space) + bool(html):
        raise click.UsageError("--output, --space and --html must name different places.")
    corpus = Corpus([Path(name) for name in text]) if text else None
    begun = time.monotonic()
    matrix = load_checked(counts)
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        senses = Senses.learn(
            matrix, "ambiguous" if wanted is None else wanted, table=table, pool=pool,
            resources=resources, **given,
        )  # fmt: skip
        vectors = None
        if space is not None:
            vectors = senses.embed(matrix, fitted, keep_words=keep_words, resources=resources)
        shown = [] if wanted is None else list(dict.fromkeys(wanted))
        readings = {
            word: senses.read(word, counts=matrix, corpus=corpus, top=top)
            for word in shown[: None if html is not None else SHOWN]
        }
    senses.save(out, force=force)
    if vectors is not None and space is not None:
        vectors.save(space, force=force)
    if html is not None:
        save_page(readings, html, title=f"Senses of {counts.name}", force=force)
    seconds = time.monotonic() - begun
    _show(senses, out, space, html, readings, seconds, as_json)


def _given(settings: Mapping[str, str | None]) -> dict[str, Any]:
    """Parse the options that were given."""
    found = {}
    for known in parameters_of(Splitting):
        text = settings.get(known.name)
        if text is None:
            continue
        try:
            found[known.name] = known.parse(text)
        except FirthError as error:
            reason = error.marked.removeprefix(f"`{known.name}` ")
            raise click.BadParameter(f"{reason}.", param_hint=repr(known.option)) from None
    return found


def _wanted(words: str | None, file: Path | None) -> list[str] | None:
    """List the words that are asked for; None if none is named."""
    if words is None and file is None:
        return None
    listed = [] if words is None else [word.strip() for word in words.split(",")]
    listed += [] if file is None else read_word_list(file)
    return [word for word in listed if word]


def _show(
    senses: Senses,
    out: Path,
    space: Path | None,
    html: Path | None,
    readings: Mapping[str, Sequence[Reading]],
    seconds: float,
    as_json: bool,
) -> None:
    if as_json:
        options.echo_json(
            {
                "store": str(out),
                "words": len(senses.places),
                "senses": len(senses),
                "space": None if space is None else str(space),
                "page": None if html is None else str(html),
                "readings": {word: [_plain(one) for one in r] for word, r in readings.items()},
                "seconds": round(seconds, 3),
            }
        )
        return
    for found in list(readings.values())[:SHOWN]:
        for reading in found:
            _print(reading)
    for path in (space, html):
        if path is not None:
            click.echo(f"{path}: written")
    click.echo(f"{out}: {senses!r}, {seconds:.1f} s")


def _plain(reading: Reading) -> dict[str, Any]:
    return {
        "name": reading.name,
        "share": reading.share,
        "contexts": [[word, value] for word, value in reading.contexts],
        "neighbours": [[word, value] for word, value in reading.neighbours],
        "examples": reading.examples,
    }


def _print(reading: Reading) -> None:
    click.echo(f"{reading.name}  {reading.share:.0%}")
    click.echo(f"  contexts  {' '.join(word for word, _ in reading.contexts)}")
    if reading.neighbours:
        click.echo(f"  similar   {' '.join(word for word, _ in reading.neighbours)}")
    for line in reading.examples:
        click.echo(f"  example   {line}")
