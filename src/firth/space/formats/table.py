"""`VectorTable`: words and vectors as they are read from a file or written to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError


@dataclass(frozen=True, eq=False)
class VectorTable:
    """Words, a vector for each, and notes on the file that they were read from.

    Parameters
    ----------
    words
        Distinct words, in the order of the file.
    vectors
        A float32 row for each word.
    frequencies
        How often each word occurs, if the file says.
    notes
        What the reader ignored, and a user may want to know.

    Examples
    --------
    >>> table = VectorTable(("rose", "thorn"), np.array([[0.5, 1], [0, -2]]))
    >>> table.vectors.dtype, table.vectors.shape
    (dtype('float32'), (2, 2))
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    frequencies: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        words = tuple(self.words)
        with np.errstate(over="ignore"):  # `check` refuses infinite values
            vectors = np.ascontiguousarray(self.vectors, np.float32)
        if vectors.ndim != 2 or len(vectors) != len(words):
            size = " × ".join(f"{n:,}" for n in vectors.shape)
            raise FirthError(f"{len(words):,} words need as many vectors, not an array of {size}")
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "vectors", vectors)
        if self.frequencies is not None:
            frequencies = np.ascontiguousarray(self.frequencies, np.int64)
            if frequencies.shape != (len(words),):
                raise FirthError(f"{len(words):,} words need as many frequencies")
            object.__setattr__(self, "frequencies", frequencies)


def check(table: VectorTable) -> VectorTable:
    """Return a table if it can be written; the error names the word that cannot."""
    if not table.words or not table.vectors.shape[1]:
        raise FirthError("there are no vectors to write")
    for word in table.words:
        if not isinstance(word, str) or not word:
            raise FirthError(f"{word!r} is not a word: replace it, or leave it out")
        if not word.isascii() and not _is_text(word):
            raise FirthError(f"{word!r}: half of a character, which UTF-8 cannot encode: fix it")
    twice = first_repeated(table.words)
    if twice:
        raise FirthError(f"{table.words[twice[1]]!r} occurs twice among the words: leave one out")
    bad = first_infinite(table.vectors)
    if bad:
        row, column = bad
        raise FirthError(
            f"{table.words[row]!r}: its vector has {table.vectors[row, column]} at place "
            f"{column + 1:,}: only finite numbers can be written"
        )
    if table.frequencies is not None and int(table.frequencies.min()) < 0:
        row = int(table.frequencies.argmin())
        raise FirthError(f"{table.words[row]!r}: {table.frequencies[row]} is not a frequency")
    return table


def first_infinite(vectors: NDArray[np.float32]) -> tuple[int, int] | None:
    """Return row and column of the first NaN or infinite value, or None."""
    step = max(1, (1 << 22) // max(1, vectors.shape[1]))
    for begin in range(0, len(vectors), step):
        finite = np.isfinite(vectors[begin : begin + step])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            return begin + int(row), int(column)
    return None


def first_repeated(words: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of the first word that occurs twice, or None.

    Examples
    --------
    >>> first_repeated(["a", "rose", "is", "a", "rose"])
    (0, 3)
    """
    if len(set(words)) == len(words):
        return None
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        first = places.setdefault(word, place)
        if first != place:
            return first, place
    return None


def _is_text(word: str) -> bool:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
