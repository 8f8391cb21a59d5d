"""What can go wrong, in words a user can act on."""

from __future__ import annotations

import errno


class FirthError(Exception):
    """Something a user can mend; the message says what, where and how."""


class CorpusError(FirthError):
    """A text that cannot be read as asked."""


class StoreError(FirthError):
    """A file or folder of firth's that is missing, damaged, in the way or in use."""


class BudgetError(FirthError):
    """A memory budget that the work cannot be done in."""


class UnknownWord(FirthError, KeyError):  # noqa: N818 - it reads as what it is
    """A word that a space or a tree does not hold; the message names near spellings."""

    def __str__(self) -> str:
        """Show the message as it is, not quoted as a KeyError is."""
        return str(self.args[0]) if self.args else ""


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
