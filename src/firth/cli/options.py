"""Options that are the same in every command, and functions that print results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
MOST_THREADS = 4096
# firth itself reports files that cannot be read; click would call that an error of usage.
PATH = click.Path(path_type=Path, readable=False)


class Integer(click.IntRange):
    """An integer from `min` to `max`, whose help says "1 or more" instead of "x>=1"."""

    name = "integer"

    def __init__(self, min: int, max: int | None = None) -> None:  # noqa: A002
        super().__init__(min, max)

    def _describe_range(self) -> str:
        if self.max is None:
            return f"{self.min} or more"
        return f"{self.min} to {'2^63 - 1' if self.max == 2**63 - 1 else self.max}"


class Share(click.FloatRange):
    """A number above 0 and below `max`."""

    name = "float"

    def __init__(self, max: float) -> None:  # noqa: A002
        super().__init__(0, max, min_open=True, max_open=True)

    def _describe_range(self) -> str:
        return f"above 0, below {self.max:g}"


def accept_former(former: dict[str, str]) -> type[click.Command]:
    """Make a class of commands that accept options by former names, with a warning.

    Parameters
    ----------
    former
        The present name of each former name, as in ``{"--vocab": "--vocab-file"}``.
    """

    class Accepting(click.Command):
        """A command that also accepts former names of options."""

        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            """Replace former names before the options are parsed."""
            return super().parse_args(ctx, [_present(former, word) for word in args])

    return Accepting


def _present(former: dict[str, str], word: str) -> str:
    name, equals, value = word.partition("=")
    if name not in former:
        return word
    click.echo(f"firth: warning: {name} is deprecated: use {former[name]}", err=True)
    return former[name] + equals + value


def threads(function: F) -> F:
    """Add --threads."""
    return click.option(
        "--threads",
        type=Integer(1, MOST_THREADS),
        help="Number of threads.  [default: all cores]",
    )(function)


def resources(function: F) -> F:
    """Add --memory and --threads."""
    return click.option(
        "--memory",
        metavar="SIZE",
        help="Largest amount of memory to use, such as 512M or 4G; a run that needs more stops "
        "before it begins.  [default: 4/5 of the free memory]",
    )(threads(function))


def force(function: F) -> F:
    """Add --force."""
    return click.option(
        "--force", is_flag=True, help="Replace an existing store, or discard an interrupted run."
    )(function)


def common(function: F) -> F:
    """Add --quiet, --json and --debug."""
    for option in (
        click.option(
            "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option(
            "--quiet", "-q", is_flag=True, help="Print no progress or notes to standard error."
        ),
    ):
        function = option(function)
    return function


def echo_json(data: Any) -> None:
    """Print a result as JSON, always in UTF-8."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    # File names may contain bytes that are not text.
    click.echo(text.encode("utf-8", "backslashreplace"))


def echo_table(rows: list[tuple[str, str]]) -> None:
    """Print names and values in two columns, with numbers aligned to the right."""
    if not rows:
        return
    name_width = max(len(name) for name, _ in rows)
    numbers = [value for _, value in rows if value[:1].isdigit()]
    width = max((len(value.split(" ")[0]) for value in numbers), default=0)
    for name, value in rows:
        number, space, rest = value.partition(" ")
        if value[:1].isdigit() and number.replace(",", "").isdigit():
            click.echo(f"{name:<{name_width}}  {number:>{width}}{space}{rest}")
        else:
            click.echo(f"{name:<{name_width}}  {value}")


def rich_table(
    header: list[str], lines: list[list[str]], names: int, left: tuple[int, ...] = ()
) -> Any:
    """Make a table without borders; the first `names` columns and those in `left` align left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(header):
        justify: Any = "left" if number < names or number in left else "right"
        table.add_column(Text(name), justify=justify)
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    return table
