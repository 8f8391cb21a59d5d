"""The command line: one file per command, imported when the command runs."""

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
    "count": "Count which words occur together in a text.",
    "fit": "Learn word vectors from counts.",
    "similar": "Find the words most similar to a word.",
    "analogy": "Complete an analogy: a is to b as c is to what?",
    "odd": "Find the word that does not match the others.",
    "why": "Explain which contexts make two words similar.",
    "place": "Find vectors of new words from a few lines of text.",
    "evaluate": "Score vectors on tests of similarity, analogy and more.",
    "compare": "Test which differences between two spaces are significant.",
    "sweep": "Score a method on a grid of parameter values.",
    "data": "List the known tests, and download them.",
    "cluster": "Group words into a tree of clusters.",
    "tree": "Show the clusters of words, or a whole tree.",
    "senses": "Learn the senses of words from counts.",
    "induce": "Say which sense a word has in a sentence.",
    "tag": "Replace words of a text by their senses.",
    "score": "Score answers to tasks of word sense induction.",
    "info": "Describe counts, vectors, clusters or senses.",
    "export": "Write vectors, counts or clusters for other programs.",
    "import": "Read vectors or counts of other programs.",
    "merge": "Add counts of several texts.",
    "views": "Make counts of bitexts, dependencies, lexicons and more.",
    "fuse": "Make one space of several.",
    "demo": "Learn from the documentation on this machine.",
}


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C, with a message that says how to continue."""


class Commands(click.Group):
    """The commands, each imported only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"firth.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and handle Ctrl-C, at which click would print an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Interrupted(_with_notes("interrupted", error)) from None

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
    """Learn word vectors, clusters and senses from co-occurrence counts.

    \b
    To learn vectors from a text and query them:
      firth count corpus.txt -o counts
      firth fit counts -o space
      firth similar space WORD

    firth COMMAND --help describes a command.
    """  # noqa: D301


def main() -> None:
    """Run the command line; print an error as one line, or as a traceback with --debug."""
    debug = "--debug" in sys.argv
    # firth has threads of its own, with one BLAS thread each. The threads that BLAS starts when
    # NumPy is imported would compete with them, and slow down the start of every command.
    for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # File names may not be valid text, and the terminal may not be able to show every word.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _import(sys.argv[1:2])
        code: Any = group(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt, Interrupted) as error:
        if sys.stderr is not None and sys.stderr.isatty():
            click.echo(err=True)  # end the line that shows ^C
        code = _stop(str(error) or "interrupted", 130)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except FirthError as error:
        if debug:
            raise
        code = _stop(_with_notes(error.with_options(_option_of), error), 1)
    except BrokenPipeError:  # the program that reads our output has ended
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

    Imported objects live until the process ends. Excluding them from garbage collection makes the
    start and end of a short command an eighth faster.
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


def _with_notes(text: str, error: BaseException) -> str:
    """Append the notes of an error, such as how to continue after it."""
    notes = (FirthError(note).with_options(_option_of) for note in getattr(error, "__notes__", ()))
    return "; ".join([text, *notes])


def _stop(text: str, code: int) -> int:
    line = " ".join(text.split())
    if sys.stdout is not None:  # it is None if the shell closed it
        sys.stdout.flush()
    click.echo(f"firth: {line}", err=True)
    return code
