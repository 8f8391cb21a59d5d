"""Lines of a file of a test: UTF-8, with or without a byte-order mark, with any line ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firth.errors import FirthError

NOT_TEXT = "not UTF-8: convert the file with iconv"
LARGEST = 2**28  # bytes: far more than any test has

Line = tuple[int, str]


class DatasetError(FirthError):
    """A test that cannot be read as asked."""


def fault(path: Path, number: int, what: str) -> DatasetError:
    """Make the error for a line."""
    return DatasetError(f"{path}:{number}: {what}")


def read_lines(path: Path, comments: str = "#", strict: bool = True) -> list[Line]:
    """Return the lines that are not empty, with their numbers.

    With `strict` off, bytes that are not UTF-8 are let through; use `check_text` on the fields that
    are read. The sentences of SCWS, which are not read, have such bytes.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise DatasetError(f"{path}: larger than any test: is it the right file?")
        content = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror}: name a file that can be read") from None
    try:
        text = content.decode("utf-8-sig", "strict" if strict else "surrogateescape")
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise fault(path, number, NOT_TEXT) from None
    lines = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)
    found = [
        (number, line.strip("\n"))
        for number, line in lines
        if line.strip() and not (comments and line.startswith(comments))
    ]
    if not found:
        raise DatasetError(f"{path}: empty: there is nothing to test with")
    return found


def check_text(path: Path, number: int, *fields: str) -> None:
    """Raise if a field of a line has bytes that are not UTF-8."""
    if any("\ud800" <= letter <= "\udfff" for field in fields for letter in field):
        raise fault(path, number, NOT_TEXT)


def split(line: str, delimiter: str | None) -> list[str]:
    """Split a line into fields, without the white space around them."""
    if delimiter == ",":
        import csv

        try:
            return [field.strip() for field in next(csv.reader([line]))]
        except csv.Error:  # a field longer than the csv module takes
            return [field.strip() for field in line.split(",")]
    return [field.strip() for field in line.split(delimiter)]


def delimiter_of(lines: Sequence[Line], fields: int) -> str | None:
    """Return what separates the fields: a tab, comma, semicolon or bar; None for white space.

    Examples
    --------
    >>> delimiter_of([(1, "new york;city;7.5")], 3)
    ';'
    >>> delimiter_of([(1, "sun sunlight 50.0")], 3) is None
    True
    """
    some = [line for _, line in lines[:20]]
    for delimiter in ("\t", ";", ",", "|"):
        if all(line.count(delimiter) >= fields - 1 for line in some):
            return delimiter
    return None
