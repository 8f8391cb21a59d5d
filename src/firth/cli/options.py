"""Options that mean the same in every command, and how results are printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
MOST_THREADS = 4096  # more than any machine has, and no trouble to the kernels
# What cannot be read is an error of ours, not of usage.
PATH = click.Path(path_type=Path, readable=False)


def accept_former(former: dict[str, str]) -> type[click.Command]:
    """Make the class of a command that still takes options under former names, with a warning.

    Parameters
    ----------
    former
        The present name of each former one, as in ``{"--vocab": "--vocab-file"}``.
    """

    class Accepting(click.Command):
        """A command some of whose options had other names."""

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
        type=click.IntRange(1, MOST_THREADS),
        help="Threads to use.  [default: all cores]",
    )(function)


def resources(function: F) -> F:
    """Add --memory and --threads."""
    return click.option(
        "--memory",
        metavar="SIZE",
        help="Memory to use at most, as 512M or 4G; a run that needs more is refused before it "
        "begins.  [default: 4/5 of what is free]",
    )(threads(function))


def force(function: F) -> F:
    """Add --force."""
    return click.option(
        "--force", is_flag=True, help="Replace an earlier store, or discard an interrupted run."
    )(function)


def common(function: F) -> F:
    """Add --quiet, --json and --debug."""
    for option in (
        click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks."),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option("--quiet", "-q", is_flag=True, help="No progress on standard error."),
    ):
        function = option(function)
    return function


def echo_json(data: Any) -> None:
    """Print a result for another program: JSON is UTF-8, whatever the terminal is."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    click.echo(text.encode("utf-8", "backslashreplace"))  # bytes of a name that are not text


def echo_table(rows: list[tuple[str, str]]) -> None:
    """Print names and values in two columns, numbers to the right."""
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
    """Lay lines out as a table without borders; names, and columns in `left`, to the left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(header):
        justify: Any = "left" if number < names or number in left else "right"
        table.add_column(Text(name), justify=justify)
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    return table
