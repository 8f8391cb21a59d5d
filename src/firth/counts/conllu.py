"""Sentences with dependencies, in CoNLL-U: strict about structure, with errors that name the line.

The format is that of Universal Dependencies (https://universaldependencies.org/format.html): ten
columns between tabs, a blank line after each sentence, comments after ``#``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firth.errors import CorpusError
from firth.text.lines import numbered_lines

COLUMNS = 10
# Of at most ten digits: Python reads no number of thousands.
_RANGE = re.compile(r"([1-9][0-9]{0,9})-([1-9][0-9]{0,9})")
_EMPTY = re.compile(r"(0|[1-9][0-9]{0,9})\.[1-9][0-9]{0,9}")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}")


@dataclass(frozen=True)
class Word:
    """A word of a sentence: its form, its governor, and how it depends on it.

    Attributes
    ----------
    form
        As written.
    head
        The number of the governor, from 1; 0 for the root.
    relation
        The relation to it.
    enhanced
        Pairs of governor and relation of the enhanced dependencies, without those to empty nodes.

    Examples
    --------
    >>> Word("sleeps", 0, "root").enhanced
    ()
    """

    form: str
    head: int
    relation: str
    enhanced: tuple[tuple[int, str], ...] = ()


def sentences(path: Path) -> Iterator[list[Word]]:
    """Read the sentences of a file; words are numbered from 1.

    Multiword tokens (``3-4``) and empty nodes (``3.1``) are checked and left out.
    """
    words: list[Word] = []
    begin = 0
    for number, line in numbered_lines(path):
        if line.startswith("#"):
            if words:
                raise _fault(path, number, "structure", "a comment inside a sentence")
        elif not line.strip():
            if words:
                yield _checked(path, begin, words)
            words, begin = [], 0
        else:
            begin = begin or number
            word = _word(path, number, line, len(words))
            if word is not None:
                words.append(word)
    if words:
        yield _checked(path, begin, words)


def _fault(path: Path, number: int, kind: str, what: str) -> CorpusError:
    return CorpusError(f"{path}:{number}: {kind}: {what}: fix the file, or make it again")


def _word(path: Path, number: int, line: str, before: int) -> Word | None:
    """Read a line; None for a multiword token or an empty node."""
    fields = line.split("\t")
    if len(fields) != COLUMNS:
        what = f"{len(fields)} columns where {COLUMNS} between tabs were expected"
        raise _fault(path, number, "structure", what)
    blank = next((place for place, field in enumerate(fields, 1) if not field.strip()), None)
    if blank is not None:
        raise _fault(path, number, "structure", f"column {blank} is empty where _ was expected")
    name, form, head, relation, enhanced = (fields[i] for i in (0, 1, 6, 7, 8))
    span = _RANGE.fullmatch(name)
    if span:
        if int(span[1]) != before + 1 or int(span[2]) <= int(span[1]):
            raise _fault(path, number, "number", f"the tokens {name} do not follow word {before}")
        return None
    if _EMPTY.fullmatch(name):
        if int(name.partition(".")[0]) != before:
            raise _fault(path, number, "number", f"the node {name} does not follow word {before}")
        return None
    if name != str(before + 1):
        what = f"{name!r:.20} where word {before + 1} was expected"
        raise _fault(path, number, "number", what)
    if not _NUMBER.fullmatch(head):
        raise _fault(path, number, "head", f"{head!r:.20} is not the number of a word")
    if relation == "_":
        raise _fault(path, number, "relation", f"word {name} has none")
    return Word(form, int(head), relation, tuple(_enhanced(path, number, enhanced)))


def _enhanced(path: Path, number: int, text: str) -> Iterator[tuple[int, str]]:
    for part in () if text == "_" else text.split("|"):
        head, colon, relation = part.partition(":")
        if not colon or not relation or not (_NUMBER.fullmatch(head) or _EMPTY.fullmatch(head)):
            what = f"{part!r:.30} is not a head and a relation, as in 3:nmod:of"
            raise _fault(path, number, "enhanced dependencies", what)
        if "." not in head:
            yield int(head), relation


def _checked(path: Path, begin: int, words: list[Word]) -> list[Word]:
    """Return a sentence that is a tree with one root."""
    size = len(words)
    for place, word in enumerate(words, 1):
        heads = [word.head, *(head for head, _ in word.enhanced)]
        if max(heads) > size:
            what = f"word {place} has the head {max(heads)} in a sentence of {size:,} words"
            raise _fault(path, begin, "head", what)
    roots = sum(word.head == 0 for word in words)
    if roots != 1:
        raise _fault(path, begin, "root", f"the sentence that begins here has {roots} roots")
    state = [0] * (size + 1)  # 1: on the way to the root from the present word, 2: reaches it
    state[0] = 2
    for first in range(1, size + 1):
        chain, place = [], first
        while state[place] == 0:
            state[place] = 1
            chain.append(place)
            place = words[place - 1].head
        if state[place] == 1:
            what = f"the heads of the sentence that begins here form a circle at word {place}"
            raise _fault(path, begin, "head", what)
        for one in chain:
            state[one] = 2
    return words
