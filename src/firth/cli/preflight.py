"""What a run will need of memory: told before it begins, and refused where it is not to be had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from firth.counts.budget import advise, format_bytes, four_fifths_free, parse_memory, resident
from firth.errors import BudgetError
from firth.progress import Event, Progress

F = TypeVar("F", bound=Callable[..., Any])


def memory(function: F) -> F:
    """Add --memory to a command whose work cannot be done in parts."""
    return click.option(
        "--memory",
        metavar="SIZE",
        help="Refuse to begin if more is needed, as 512M or 4G.  [default: 4/5 of what is free]",
    )(function)


def limit_of(given: str | None) -> int:
    """Return how much a run may take: what --memory says, or most of what is free."""
    return four_fifths_free() if given is None else parse_memory(given)


def check(size: str, more: int, limit: int, lower: str, progress: Progress) -> None:
    """Say what a run will need in all, or raise if that is above the limit.

    Parameters
    ----------
    size
        What it is that needs so much, in words.
    more
        What will be needed beyond what the process holds already.
    limit
        What may be used.
    lower
        The option that would bring the need down.
    progress
        Told the need.
    """
    need = more + resident()
    if need > limit:
        raise BudgetError(
            f"{format_bytes(limit)} of memory is too little: {size} need about {advise(need)}; "
            f"raise --memory, or lower {lower}"
        )
    progress(Event("memory", text=f"about {format_bytes(need)} of memory will be needed"))
