"""The command line: one file per command, loaded when it is called."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import Any

import click

from firth.errors import FirthError

COMMANDS = {
    "count": "Count which words keep company in a text.",
    "fit": "Make word vectors from counts.",
    "similar": "Find the words most similar to others.",
    "analogy": "Complete: a is to b as c is to what.",
    "odd": "Name the word that does not go with the others.",
    "why": "Say which contexts make two words similar.",
    "evaluate": "Score vectors on tests of word similarity, analogy and more.",
    "compare": "Say which differences between two spaces are real.",
    "sweep": "Score a method over a grid of its parameters.",
    "data": "List the tests that are known, and fetch them.",
    "cluster": "Make a tree of word clusters from counts.",
    "tree": "Show where words stand in a tree of clusters.",
    "info": "Show what a store or a file holds.",
    "export": "Write vectors or counts for another program.",
    "import": "Read vectors or counts from another program.",
    "merge": "Add stores of counts into a new one.",
    "demo": "Count a corpus that is already on this machine.",
}


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C, with what to do about it."""


class Commands(click.Group):
    """The commands, each imported only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"firth.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; click itself would print an empty line at Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Interrupted(_told("interrupted", error)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value:
        from importlib.metadata import version

        click.echo(f"firth {version('firth')}")
        ctx.exit()


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version,
              help="Show the version and exit.")  # fmt: skip
def group() -> None:
    """Word vectors, word clusters and word senses from co-occurrence counts.

    You shall know a word by the company it keeps.
    """


def main() -> None:
    """Run the command line; every error is one line, unless --debug."""
    debug = "--debug" in sys.argv
    # Work is shared among threads of our own, with one BLAS thread each. Those that BLAS starts
    # with NumPy would spin beside them, and hold up the start of every command.
    for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A file's name need not be text, and a word need not fit the terminal.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _import(sys.argv[1:2])
        code: Any = group(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt, Interrupted) as error:
        if sys.stderr is not None and sys.stderr.isatty():
            click.echo(err=True)  # leave the line that shows ^C
        code = _stop(str(error) or "interrupted", 130)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except FirthError as error:
        if debug:
            raise
        code = _stop(_told(error.with_options(_option_of), error), 1)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except MemoryError:
        if debug:
            raise
        code = _stop("out of memory: lower --memory or --threads, or use a larger machine", 1)
    except OSError as error:
        if debug:
            raise
        code = _stop(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)
    sys.exit(code if isinstance(code, int) else 0)


def _import(named: list[str]) -> None:
    """Import the command that is named first.

    What is imported lives to the end of the process. Not looking through it for garbage, then or
    later, takes an eighth off the start and end of a short command.
    """
    gc.disable()
    for name in named:
        if name in COMMANDS:
            importlib.import_module(f"firth.cli.{name}_command")
    gc.freeze()
    gc.enable()


def _option_of(parameter: str) -> str | None:
    """Return the option of the running command for a parameter of the library."""
    named = next((name for name in sys.argv[1:] if name in COMMANDS), None)
    if named is None:
        return None
    command: click.Command = importlib.import_module(f"firth.cli.{named}_command").command
    if isinstance(command, click.Group):
        below = next((name for name in sys.argv[1:] if name in command.commands), None)
        command = command.commands[below] if below else command
    for option in command.get_params(click.Context(command)):
        named_so = option.name == parameter or f"--{parameter.replace('_', '-')}" in option.opts
        if named_so and isinstance(option, click.Option):
            return max(option.opts, key=len)
    return None


def _told(text: str, error: BaseException) -> str:
    """Add what is noted on an error, such as how to continue after it."""
    notes = (FirthError(note).with_options(_option_of) for note in getattr(error, "__notes__", ()))
    return "; ".join([text, *notes])


def _stop(text: str, code: int) -> int:
    line = " ".join(text.split())
    if sys.stdout is not None:  # it is when the shell closed it
        sys.stdout.flush()
    click.echo(f"firth: {line}", err=True)
    return code
