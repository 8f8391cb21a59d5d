"""Near spellings of a word that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from firth.errors import UnknownWord

LOOKED_AT = 50_000  # of the most frequent words


def unknown_word(word: str, words: Sequence[str], of: str = "space") -> UnknownWord:
    """Make the error for a word that is not known, naming up to three near spellings.

    `of` is what has the words: a space, or a tree.

    Examples
    --------
    >>> unknown_word("colour", ["color", "dollar", "the"])
    UnknownWord("'colour' is not a word of this space; near it: color")
    """
    folded = word.casefold()
    likely = [
        other
        for other in words[:LOOKED_AT]
        if abs(len(other) - len(word)) <= 2 and (other[:1] == folded[:1] or folded == other)
    ]
    near = difflib.get_close_matches(folded, likely, n=3, cutoff=0.7)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return UnknownWord(f"{word[:80]!r} is not a word of this {of}{hint}")
