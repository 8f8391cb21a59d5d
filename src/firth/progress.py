"""Progress of long runs, reported as events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A report on the progress of a long run, or a line of text about it.

    Attributes
    ----------
    stage
        The stage of the run, such as ``counting``.
    done, total
        The work done, and the whole work; `total` is 0 if it is unknown.
    tokens
        The number of tokens read so far.
    unit
        The unit of `done` and `total`.
    text
        A line of text, or empty.

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
    """Ignore an event; the progress function of runs that report nothing.

    Examples
    --------
    >>> from firth.progress import Event, silent
    >>> silent(Event("counting"))
    """
