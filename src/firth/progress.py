"""How long work tells what it is doing, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A step of a long piece of work, or a line of text about it."""

    stage: str
    done: int = 0
    total: int = 0  # 0 where unknown
    tokens: int = 0
    unit: str = ""
    text: str = ""


Progress = Callable[[Event], object]


def silent(event: Event) -> None:
    """Listen to nothing."""
