"""Counts of a word-aligned bitext: how often a word is aligned to a word of the other language.

Alignments are Pharaoh's: ``0-0 1-2 1-3`` links places of words, from 0, in a sentence and in its
translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from firth.counts.matrix import Counts
from firth.counts.pairs import PairCounts
from firth.errors import CorpusError
from firth.text.lines import numbered_lines

Sentence = tuple[str, str, str, str]  # its place for messages, text, translation, links


def bitext(sentences: Iterable[Sentence], *, lower: bool = True, min_count: int = 1) -> Counts:
    """Count which words are aligned to which.

    Parameters
    ----------
    sentences
        From `columns_of` or `files_of`: where a sentence stands, its text, the text of its
        translation, and their links. Words are separated by white space.
    lower
        Convert words to lower case.
    min_count
        Leave out words, of both languages, with fewer links.

    Examples
    --------
    >>> one = ("line 1", "the red cat", "le chat rouge", "0-0 1-2 2-1")
    >>> bitext([one]).row("cat")
    [('chat', 1)]
    """
    pairs = PairCounts()
    for place, text, translation, links in sentences:
        words, others = ((one.lower() if lower else one).split() for one in (text, translation))
        for link in links.split():
            first, second = _link(place, link, len(words), len(others))
            pairs.add(words[first], others[second])
    return pairs.counts(min_count)


def _link(place: str, link: str, words: int, others: int) -> tuple[int, int]:
    first, _, second = link.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in (first, second)):
        raise CorpusError(f"{place}: {link!r:.40} is not a link of two places, as in 0-2: fix it")
    for number, size, which in ((first, words, "sentence"), (second, others, "translation")):
        if int(number) >= size:
            raise CorpusError(
                f"{place}: the link {link} names word {number} of a {which} of {size:,} words, "
                "counted from 0: align the texts again with the tokens that they have here"
            )
    return int(first), int(second)


def columns_of(path: Path) -> Iterator[Sentence]:
    """Read sentences of a file with three columns between tabs: text, translation, links."""
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            raise CorpusError(
                f"{path}:{number}: {len(fields)} columns where a sentence, its translation and "
                "their links were expected, with tabs between them"
            )
        yield (f"{path}:{number}", *fields)  # type: ignore[misc]


def files_of(text: Path, translation: Path, links: Path) -> Iterator[Sentence]:
    """Read sentences of three files with a line for each: text, translation, links."""
    files = (text, translation, links)
    reading = [numbered_lines(path) for path in files]
    while True:
        lines = [next(each, None) for each in reading]
        if all(line is None for line in lines):
            return
        for path, line in zip(files, lines, strict=True):
            if line is None:
                longest = next(p for p, one in zip(files, lines, strict=True) if one is not None)
                raise CorpusError(
                    f"{path}: has fewer lines than {longest}: give files with a line for each "
                    "sentence"
                )
        first, second, third = (line for line in lines if line is not None)
        yield f"{links}:{third[0]}", first[1], second[1], third[1]
