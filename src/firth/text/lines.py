"""Lines of a text file that may be compressed, with their numbers, strictly in UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firth.errors import CorpusError
from firth.text.sources import TextFile, refuse_binary, unreadable


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield the lines of a file with their numbers, from 1, without line ends.

    Files ending in .gz, .bz2, .xz and .zst are decompressed. A line that is not UTF-8 is an error
    that names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lines.txt"
    >>> _ = path.write_bytes(b"one\r\ntwo")
    >>> list(numbered_lines(path))
    [(1, 'one'), (2, 'two')]
    """
    if path.is_dir():
        raise CorpusError(f"{path}: is a folder: name a file")
    number, rest = 0, b""
    try:
        file = TextFile(path)
        if file.is_plain:
            refuse_binary(file.name, file.sample())
        for data, _ in file.blocks():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                number += 1
                yield number, _text(path, number, line)
        if rest:
            yield number + 1, _text(path, number + 1, rest)
    except OSError as error:
        raise unreadable(str(path), error) from error


def _text(path: Path, number: int, line: bytes) -> str:
    try:
        text = line.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError:
        raise CorpusError(f"{path}:{number}: not UTF-8: convert the file with iconv") from None
    return text.removeprefix("\ufeff") if number == 1 else text
