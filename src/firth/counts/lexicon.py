"""Counts of membership: which words are in which frames, families or lists of paraphrases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firth.counts.matrix import Counts
from firth.counts.pairs import PairCounts
from firth.errors import CorpusError
from firth.text.lines import numbered_lines

FORMATS = ("words", "catvar")
# CatVar's entry: a word, its part of speech and a number, as in a-bomb_N%3.
_ENTRY = re.compile(r"(.+)_[A-Z]+%\d+")


def lexicon(groups: Iterable[list[str]], *, lower: bool = True, min_count: int = 1) -> Counts:
    """Count in which groups words are: a group has the name of its first word.

    Groups with the same first word are one.

    Parameters
    ----------
    groups
        Lists of words, such as those of `groups_of`.
    lower
        Convert words to lower case.
    min_count
        Leave out words in fewer groups, and groups of fewer words.

    Examples
    --------
    >>> found = lexicon([["fawn", "crawl"], ["sprinkle", "spray"], ["crawl", "creep"]])
    >>> found.row("crawl")
    [('crawl', 1), ('fawn', 1)]
    """
    pairs = PairCounts()
    for group in groups:
        words = [word.lower() for word in group] if lower else group
        for word in dict.fromkeys(words):
            pairs.add(word, words[0])
    return pairs.counts(min_count, most_once=True)


def groups_of(path: Path, kind: str = "words") -> Iterator[list[str]]:
    """Read a group of each line.

    Parameters
    ----------
    path
        The file.
    kind
        ``words`` with white space between them, or entries of ``catvar`` with ``#`` between them.
    """
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        if kind == "words":
            yield line.split()
            continue
        entries = [_ENTRY.fullmatch(entry) for entry in line.strip().split("#") if entry]
        if not entries or not all(entries):
            raise CorpusError(
                f"{path}:{number}: not a family of CatVar, as in a-bomb_N%3#bomb_V%5: give its "
                "file, or use the format words"
            )
        yield [entry[1] for entry in entries if entry]
