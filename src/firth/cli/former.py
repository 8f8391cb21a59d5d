"""Former names of options and their values, which work for one more version, with a warning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


def warn(former: str, now: str) -> None:
    """Print a one-line warning that a name has changed."""
    click.echo(f"firth: warning: {former} is now {now}", err=True)


class Choice(click.Choice[str]):
    """A choice of words that also accepts former names."""

    def __init__(self, choices: Sequence[str], former: Mapping[str, str]) -> None:
        super().__init__(choices)
        self.former = former

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the present name of a word."""
        if value in self.former:
            name = f"{max(param.opts, key=len)} " if param is not None else ""
            warn(f"{name}{value}", f"{name}{self.former[value]}")
            value = self.former[value]
        return super().convert(value, param, ctx)
