"""Progress: how a long run reports what it is doing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A step of a long run, or a line of text about it.

    Attributes
    ----------
    stage
        What is being done, such as ``counting``.
    done, total
        How much is done, and of how much; 0 where the total is unknown.
    tokens
        How many tokens were read.
    unit
        What `done` and `total` count.
    text
        A line of text.

    Examples
    --------
    >>> import firth
    >>> stages = []
    >>> resources = firth.Resources(progress=lambda event: stages.append(event.stage))
    >>> resources.report("note", "all is well")
    >>> stages
    ['note']
    """

    stage: str
    done: int = 0
    total: int = 0
    tokens: int = 0
    unit: str = ""
    text: str = ""


Progress = Callable[[Event], object]


def silent(event: Event) -> None:
    """Ignore an event.

    Examples
    --------
    >>> from firth.progress import Event, silent
    >>> silent(Event("counting"))
    """
