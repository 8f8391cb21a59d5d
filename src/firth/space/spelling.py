"""Suggest near spellings for a word that is not known."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import UnknownWord
from firth.text.vocabulary import Vocabulary

LOOKED_AT = 300_000  # of the most frequent words
COMPARED = 20_000  # of those that share enough letters
SHOWN = 3
LONGEST = 64  # letters of a word that is compared
SHORT = 4  # letters of a word in which one mistake is allowed, and two in longer ones

Letters = NDArray[np.uint16]
# Letters with capitals and accents: Latin, Greek and Cyrillic.
_CASED = (*range(0x41, 0x5B), *range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2000))


def unknown_word(
    word: str,
    words: Sequence[str],
    of: str = "space",
    *,
    contexts: Vocabulary | None = None,
    recipe: Mapping[str, Any] | None = None,
) -> UnknownWord:
    """Make the error for a word that is not known, naming up to three near spellings.

    Parameters
    ----------
    word
        The word.
    words
        The words that are known, most frequent first.
    of
        What has the words: a space, or a tree.
    contexts
        The words that were counted as contexts; they may be more than those with vectors.
    recipe
        The recipe of the space; that of its counts may say how frequent a word had to be.

    Examples
    --------
    >>> unknown_word("colour", ["color", "dollar", "the"])
    UnknownWord("'colour' is not a word of this space; near it: color")
    >>> unknown_word("rose", ["is"], contexts=Vocabulary(["rose"], [2]))
    UnknownWord("'rose' is not a word of this space: it occurs 2 times, but as a context only")
    """
    found = f"{word[:80]!r} is not a word of this {of}"
    if contexts is not None and word in contexts:
        found += f": {_counted(contexts.frequency(word), recipe or {})}"
    near = near_spellings(word, words)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return UnknownWord(f"{found}{hint}")


def _counted(frequency: int, recipe: Mapping[str, Any]) -> str:
    """Say how often a word without a vector occurs."""
    counts = recipe.get("counts")
    least = counts.get("min_count") if isinstance(counts, dict) else None
    if not frequency:
        return "it was counted as a context only"
    times = f"it occurs {frequency:,} time{'' if frequency == 1 else 's'}"
    if isinstance(least, int) and frequency < least:
        return f"{times}, below the minimum count of {least:,}"
    return f"{times}, but as a context only"


def near_spellings(word: str, words: Sequence[str]) -> list[str]:
    """Return up to three words that a word may be a misspelling of, the likeliest first.

    Words are compared without accents and capitals. A letter that is missing, added, wrong, or
    exchanged with the next one is a mistake (F. Damerau, 1964, A technique for computer detection
    and correction of spelling errors); one is allowed in words of up to four letters, and two in
    longer ones. Among as many mistakes, a word that differs only in doubled letters or in their
    order comes first, then one with the same first letter, then the more frequent one.

    Parameters
    ----------
    word
        The word.
    words
        The words to choose from, most frequent first.

    Examples
    --------
    >>> near_spellings("recieve", ["relieve", "receive", "resume"])
    ['receive', 'relieve']
    >>> near_spellings("resume", ["resumes", "résumé", "RESUME"])
    ['résumé', 'RESUME', 'resumes']
    """
    asked = _letters(word)
    if not 0 < len(asked) <= LONGEST:
        return []
    most = 1 if len(asked) <= SHORT else 2
    looked_at = words[:LOOKED_AT]
    letters = _letters("\n".join(looked_at))
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    if len(ends) != len(looked_at):  # a word has a line break in it
        looked_at = [other for other in looked_at if "\n" not in other]
        letters = _letters("\n".join(looked_at))
        ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    begins = np.append(0, ends[:-1] + 1)
    likely = _likely(asked, letters, begins, ends, most)
    mistakes = _mistakes(asked, letters, begins[likely], ends[likely])
    near = np.flatnonzero(mistakes <= most)
    places = likely[near]
    unusual = np.array(
        [not _is_usual(asked, letters[begins[at] : ends[at]]) for at in places.tolist()], dtype=bool
    )
    first = letters[begins[places]] != asked[0]
    order = np.lexsort((places, first, unusual, mistakes[near]))
    return [looked_at[place] for place in places[order[:SHOWN]].tolist()]


def _letters(text: str) -> Letters:
    """Return the UTF-16 units of a text, without accents and capitals."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    plain: Letters = _plain()[units]
    return plain


def _is_usual(asked: Letters, letters: Letters) -> bool:
    """Whether two words differ only in doubled letters or in the order of letters."""
    if np.array_equal(np.sort(asked), np.sort(letters)):
        return True
    kept = [word[np.append(True, word[1:] != word[:-1])] for word in (asked, letters)]
    return np.array_equal(*kept)


@cache
def _plain() -> Letters:
    """Return a table from every UTF-16 unit to the same letter without accent and capital."""
    table = np.arange(1 << 16, dtype=np.uint16)
    for code in _CASED:
        base = unicodedata.normalize("NFD", chr(code))[0].casefold()
        if len(base) == 1:
            table[code] = ord(base)
    return table


def _likely(
    asked: Letters,
    letters: Letters,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    most: int,
) -> NDArray[np.int64]:
    """Return the words of like length that have few letters which the asked word has not."""
    lengths = ends - begins
    alike = np.flatnonzero((np.abs(lengths - len(asked)) <= most) & (lengths > 0))
    strange = np.ones(1 << 16, dtype=np.int8)
    strange[asked] = 0
    sums = np.cumsum(strange[letters], dtype=np.int32)
    before = sums[begins[alike]] - strange[letters[begins[alike]]]
    few = sums[ends[alike] - 1] - before <= most
    return np.asarray(alike[few][:COMPARED])


def _mistakes(
    asked: Letters, letters: Letters, begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Count the mistakes by which each of many words differs from one (optimal alignment)."""
    lengths = ends - begins
    if not len(lengths):
        return np.empty(0, dtype=np.int8)
    width = int(lengths.max())
    places = np.minimum(begins[None, :] + np.arange(width)[:, None], len(letters) - 1)
    table = letters[places]  # a row for each place in a word
    # rows[i][j]: from the first i letters asked for to the first j letters of each word.
    rows = [np.empty((width + 1, len(lengths)), dtype=np.int8) for _ in range(3)]
    rows[0][:] = np.arange(width + 1, dtype=np.int8)[:, None]
    for i in range(1, len(asked) + 1):
        before, last, now = rows[(i - 2) % 3], rows[(i - 1) % 3], rows[i % 3]
        now[0] = i
        wrong = table != asked[i - 1]
        for j in range(1, width + 1):
            np.minimum(last[j], now[j - 1], out=now[j])
            now[j] += 1
            np.minimum(now[j], last[j - 1] + wrong[j - 1], out=now[j])
            if i > 1 and j > 1:
                swapped = (table[j - 1] == asked[i - 2]) & (table[j - 2] == asked[i - 1])
                np.minimum(now[j], before[j - 2] + 1, out=now[j], where=swapped)
    found: NDArray[np.int8] = rows[len(asked) % 3][lengths, np.arange(len(lengths))]
    return found
