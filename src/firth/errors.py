"""Errors that a user can act on: what is wrong, where, and what to do.

A message writes the name of a parameter between backquotes, as in "`min_count` must be 0 or more".
Python shows the name; a command shows its option instead, `--min-count`. A call between backquotes,
as in "make them with `count(context='positional', window=2)`", is shown as it is in Python, and by
a command as `firth count --context positional --window 2`.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable

_NAMED = re.compile(r"`([a-z_]+)(?:=([^`\s]*))?`")
_CALLED = re.compile(r"`([a-z_]+)\(([^`]*)\)`")


class FirthError(Exception):
    """An error that a user can fix; the message says what is wrong, where, and what to do.

    Examples
    --------
    >>> error = FirthError("`keep_above` needs a fixed vocabulary: give one as `vocab`")
    >>> print(error)
    keep_above needs a fixed vocabulary: give one as vocab
    >>> print(error.with_options(lambda name: "--" + name.replace("_", "-")))
    --keep-above needs a fixed vocabulary: give one as --vocab
    >>> error = FirthError("count again with `count(window=2, rare='unk')`")
    >>> print(error.with_options(lambda name: None))
    count again with firth count --window 2 --rare unk
    """

    def __str__(self) -> str:
        """Show the message with the names of parameters as Python has them."""
        plain = _CALLED.sub(lambda match: match[0][1:-1], self.marked)
        return _NAMED.sub(lambda match: match[0][1:-1], plain)

    @property
    def marked(self) -> str:
        """The message with the names of parameters between backquotes."""
        return str(self.args[0]) if self.args else ""

    def with_options(self, option_of: Callable[[str], str | None]) -> str:
        """Return the message with the options of a command in the place of parameters.

        Parameters
        ----------
        option_of
            Gives the option of a parameter, or None where the command has none.
        """

        def shown(match: re.Match[str]) -> str:
            option, value = option_of(match[1]), match[2]
            return match[0][1:-1] if option is None else _with_value(option, value)

        return _NAMED.sub(shown, _CALLED.sub(_as_command, self.marked))


def _with_value(option: str, value: str | None) -> str:
    if value in (None, "True"):
        return option
    if value == "False":
        return option.replace("--", "--no-", 1)
    return f"{option} {str(value).strip(chr(39))}"


def _as_command(match: re.Match[str]) -> str:
    """Write a call as a command; its options are called as the parameters are."""
    parts = [part.partition("=") for part in match[2].split(", ") if part]
    options = [_with_value("--" + name.replace("_", "-"), value) for name, _, value in parts]
    return " ".join(["firth", match[1], *options])


class CorpusError(FirthError):
    """A text that cannot be read as asked.

    Examples
    --------
    >>> import firth
    >>> try:
    ...     firth.count([], min_count=1)
    ... except firth.CorpusError as error:
    ...     print(error)
    the corpus is empty: there is nothing to count
    """


class StoreError(FirthError):
    """A file or folder that is missing, damaged, already there or in use by another run.

    Examples
    --------
    >>> import firth
    >>> try:
    ...     firth.Space.load("no-such-space")
    ... except firth.StoreError as error:
    ...     print(str(error).partition(":")[0])
    no-such-space
    """


class BudgetError(FirthError):
    """A run that needs more memory than it may use.

    Examples
    --------
    >>> import firth
    >>> try:
    ...     firth.Resources(memory="1M").require(2 << 30, "a million words", "dim")
    ... except firth.BudgetError as error:
    ...     print(str(error).partition(":")[0])
    1.0 MiB of memory is too little
    """


class UnknownWord(FirthError, KeyError):  # noqa: N818 - the name says it
    """A word that a space or a tree does not hold; the message names near spellings.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> space = firth.Space(firth.Vocabulary(["color"], [1]), np.ones((1, 2), dtype=np.float32))
    >>> try:
    ...     space.most_similar("colour")
    ... except firth.UnknownWord as error:  # also a KeyError
    ...     print(error)
    'colour' is not a word of this space; near it: color
    """


def remedy_for(error: OSError, usual: str) -> str:
    """Say what helps against an error of the system: what usually does, or what is its own.

    Examples
    --------
    >>> remedy_for(OSError(errno.EMFILE, "Too many open files"), "choose another name")
    'raise the limit on open files, as with ulimit -n 1024'
    """
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "raise the limit on open files, as with ulimit -n 1024"
    return usual


def need_extra(package: str, extra: str) -> FirthError:
    """Make the error for an optional package that is not installed.

    Examples
    --------
    >>> need_extra("zstandard", "zst")
    FirthError("this needs zstandard: pip install 'firth[zst]'")
    """
    return FirthError(f"this needs {package}: pip install 'firth[{extra}]'")
