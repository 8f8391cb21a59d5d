"""firth place: vectors of new words, from the words around them in a text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from firth.cli import asking, options
from firth.cli.progress import Reporter
from firth.counts.recipe import WEIGHTINGS
from firth.errors import CorpusError, FirthError
from firth.resources import Resources
from firth.space.placing import Placed
from firth.space.space import Space
from firth.space.store import check_target
from firth.text.vocabulary import read_word_list


@dataclass(frozen=True)
class _Answer:
    """A placed word, and the words most similar to it."""

    word: str
    occurrences: int
    contexts: int
    settled: float
    leverage: float
    known: bool
    found: list[tuple[str, float]]


@click.command("place")
@click.argument("space", type=options.PATH)
@click.argument("text", nargs=-1, required=True)
@click.option("--words", metavar="WORD,...", help="The words to place.")
@click.option(
    "--words-file", metavar="FILE", type=options.PATH, help="A file of words, one per line."
)
@click.option(
    "--window",
    type=options.Integer(1),
    help="Number of words on each side that are contexts.  [default: that of SPACE]",
)
@click.option(
    "--weighting",
    type=click.Choice(WEIGHTINGS),
    help="Weight of a word at distance d: 1, 1/d, or (window - d + 1)/window.  [default: that of "
    "SPACE]",
)
@click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    help="Folder to write a space to that also has the new words.",
)
@asking.top
@options.force
@options.resources
@options.common
def command(
    space: Path,
    text: tuple[str, ...],
    words: str | None,
    words_file: Path | None,
    window: int | None,
    weighting: str | None,
    out: Path | None,
    top: int,
    force: bool,
    memory: str | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the vectors of new words from their contexts in TEXT, and show what is similar.

    SPACE must be a space of firth fit, by the default method. TEXT is one or more files, folders or
    patterns, or - for standard input, which hold the new words; a few lines will do. The words of
    SPACE do not change. A vector is as sure as its contexts settle many of the dimensions.
    """
    wanted = _wanted(words, words_file)
    if "" in text:  # as a path it would be the current folder
        raise CorpusError("the name of a file is empty: leave it out")
    if out is not None:
        check_target(out, force)
    loaded = asking.fitted_space(space, "firth place", "the sums of counts")
    with Reporter(quiet) as progress:
        resources = Resources(threads, memory, progress=progress)
        sources = [Path(name) for name in text]
        found = loaded.contexts_in(
            sources, wanted, window=window, weighting=weighting, resources=resources
        )
        placed = loaded.place(found, resources=resources)
    if not quiet and len(placed) < len(wanted):
        click.echo(
            f"firth: warning: {len(wanted) - len(placed):,} of {len(wanted):,} words are not in "
            "the text, and were not placed",
            err=True,
        )
    answers = [_answer(loaded, placed, number, top) for number in range(len(placed))]
    if out is not None:
        loaded.with_words(placed).save(out, force=force)
    if as_json:
        options.echo_json({"placed": [_plain(answer) for answer in answers]})
        return
    for answer in answers:
        _show(answer, loaded.vector_size)
    if out is not None:
        new = f"{len(placed):,} new word{'' if len(placed) == 1 else 's'}"
        click.echo(f"{out}: {len(loaded):,} words, and {new}")


def _wanted(words: str | None, file: Path | None) -> list[str]:
    """List the words that are asked for."""
    listed = [] if words is None else [word.strip() for word in words.split(",")]
    listed += [] if file is None else read_word_list(file)
    listed = list(dict.fromkeys(word for word in listed if word))
    if not listed:
        raise FirthError("there is no word to place: give --words or --words-file")
    return listed


def _answer(space: Space, placed: Placed, number: int, top: int) -> _Answer:
    word = placed.words.words[number]
    known = word in space
    vector = placed.vectors[number]
    found = space.similar_by_vector(vector, topn=top + known) if vector.any() else []
    return _Answer(
        word,
        int(placed.words.frequencies[number]),
        int(placed.contexts[number]),
        float(placed.settled[number]),
        float(placed.leverage[number]),
        known,
        [pair for pair in found if pair[0] != word][:top],
    )


def _plain(answer: _Answer) -> dict[str, object]:
    return {
        "word": answer.word,
        "occurrences": answer.occurrences,
        "contexts": answer.contexts,
        "settled": answer.settled,
        "leverage": answer.leverage,
        "in_space": answer.known,
        "found": [[word, cosine] for word, cosine in answer.found],
    }


def _show(answer: _Answer, dimensions: int) -> None:
    """Print a word, how sure its vector is, and its neighbours."""
    one = answer.contexts == 1
    near = f"{answer.contexts:,} context{'' if one else 's'}"
    times = f"{answer.occurrences:,} occurrence{'' if answer.occurrences == 1 else 's'}"
    click.echo(
        f"{answer.word}: {near} in {times} settle{'s' if one else ''} {answer.settled:.1f} of "
        f"{dimensions:,} dimensions{' (also a word of the space)' if answer.known else ''}"
    )
    for word, cosine in answer.found:
        click.echo(f"{cosine:.4f}  {word}")
