"""Errors for rows of vector files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import StoreError
from firth.space.formats.table import first_repeated


def explain(name: str, fault: _core.Fault, dimension: int, unit: str = "line") -> StoreError:
    """Return the error for the row at which a reader stopped.

    Examples
    --------
    >>> print(explain("a.txt", ("few", 7, 2, "rose", "x"), 3))
    a.txt: line 7 ends in 2 numbers where 3 were expected ('x' is not a number): fix or delete it
    """
    kind, line, found, word, field = fault
    where = f"{name}: {unit} {line:,}"
    expected = f"{found:,} numbers where {dimension:,} were expected"
    message = {
        "few": f"{where} ends in {expected}{f' ({field!r} is not a number)' if field else ''}: fix "
        "or delete it",
        "many": f"{where} ends in {expected}: fix or delete it",
        "blank": f"{where} has no word before its numbers: add it, or delete the row",
        "malformed": f"{where}: the word {word!r} is not UTF-8 at its byte {found:,}: convert the "
        "file, as with iconv -f LATIN1 -t UTF-8",
        "infinite": f"{where}: {word!r} has {field!r}, not a finite float32: fix or delete it",
        "lengthy": f"{where}: a word of more than {_core.LONGEST_WORD >> 10} KiB: not a file of "
        "vectors, or damaged before this",
        "cut": f"{where}: {word!r} is cut short: download the file again",
    }[kind]
    return StoreError(message)


def check_distinct(
    name: str, words: Sequence[str], lines: NDArray[np.int64] | Sequence[int], unit: str = "line"
) -> None:
    """Raise if a word occurs twice, naming both lines."""
    twice = first_repeated(words)
    if twice:
        first, second = (int(lines[place]) for place in twice)
        raise StoreError(
            f"{name}: {words[twice[1]]!r:.80} occurs in {unit} {first:,} and in {unit} "
            f"{second:,}: delete one"
        )
