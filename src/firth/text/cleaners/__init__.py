"""Cleaners: functions that clean the lines of a file before they are tokenised.

A cleaner takes the lines of one file, without their newline characters, and yields cleaned lines,
one, several or none for each. It reads lazily and holds a bounded number of lines. No cleaner runs
unless it is asked for, and any cleaner can be used with any tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from firth.errors import FirthError
from firth.text.cleaners.tweets import tweets
from firth.text.cleaners.wikipedia import wikipedia

__all__ = ["CLEANERS", "Cleaner", "resolve", "tweets", "wikipedia"]

Cleaner: TypeAlias = Callable[[Iterable[str]], Iterator[str]]

CLEANERS: dict[str, Cleaner] = {"tweets": tweets, "wikipedia": wikipedia}


def resolve(names: str | Cleaner | Sequence[str | Cleaner]) -> Cleaner:
    """Combine names and functions into one cleaner that applies them from left to right.

    Parameters
    ----------
    names
        The name of a cleaner in `CLEANERS`, a function, or a sequence of these. An empty sequence
        makes a cleaner that changes nothing.

    Returns
    -------
    Cleaner
        It can be pickled if its parts can.

    Raises
    ------
    FirthError
        If a name is not known, or something is neither a name nor callable.

    Examples
    --------
    >>> def without_digits(lines):
    ...     for line in lines:
    ...         yield "".join(letter for letter in line if not letter.isdigit())
    >>> clean = resolve(["wikipedia", without_digits])
    >>> list(clean(["'''Ada''' (1815-1852) wrote note G7. It was read."]))
    ['Ada wrote note G.', 'It was read.']
    """
    parts = [names] if isinstance(names, str) or callable(names) else list(names)
    stages = tuple(_find(part) for part in parts)
    return stages[0] if len(stages) == 1 else partial(_chain, stages)


def _find(part: str | Cleaner) -> Cleaner:
    if isinstance(part, str) and part in CLEANERS:
        return CLEANERS[part]
    if callable(part):
        return part
    known = ", ".join(sorted(CLEANERS))
    raise FirthError(
        f"unknown cleaner {part!r}: use one of {known}, or a function from lines to lines"
    )


def _chain(stages: tuple[Cleaner, ...], lines: Iterable[str]) -> Iterator[str]:
    for stage in stages:
        lines = stage(lines)
    return iter(lines)
