"""Options and output shared by the commands that query a space."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from firth.cli import options
from firth.errors import FirthError
from firth.space.space import Space
from firth.stores.kinds import META

F = TypeVar("F", bound=Callable[..., Any])


def top(function: F) -> F:
    """Add --top."""
    return click.option(
        "--top",
        type=options.Integer(1),
        default=10,
        show_default=True,
        help="Number of results to show.",
    )(function)


def restrict(function: F) -> F:
    """Add --restrict."""
    return click.option(
        "--restrict",
        type=options.Integer(1),
        metavar="N",
        help="Search only the N most frequent words.",
    )(function)


def show_words(asked: dict[str, Any], found: list[tuple[str, float]], as_json: bool) -> None:
    """Print words and scores, best first; JSON also contains the query."""
    if as_json:
        options.echo_json({**asked, "found": [[word, score] for word, score in found]})
        return
    for word, score in found:
        click.echo(f"{score:.4f}  {word}")


def fitted_space(path: Path, command: str, need: str) -> Space:
    """Load a space of firth fit; files of vectors lack what the command needs."""
    if path.exists() and not (path / META).exists():
        raise FirthError(
            f"{path}: has vectors only, and {command} needs {need}: give a space of firth fit"
        )
    return Space.load(path)
