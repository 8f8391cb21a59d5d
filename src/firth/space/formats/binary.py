r"""word2vec's binary file: a header, then for each word its bytes, a space and float32 numbers.

Rules of reading
----------------
- The first line is two whole numbers, rows and dimension; it cannot be left out.
- Newlines before a word, as word2vec itself writes them, and at the end are ignored.
- A word ends at its first space, and has 64 KiB at most. It cannot contain a space or a newline, so
  such a word is refused on writing.
- What the header declares must fit into the file, which is checked before anything is read. Fewer
  rows than declared are an error: the file is cut short. More rows are read, and noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from firth import _core
from firth.errors import FirthError, StoreError
from firth.space.formats.faults import check_distinct, explain
from firth.space.formats.streams import CHUNK, open_file, read_blocks
from firth.space.formats.table import VectorTable
from firth.text.sources import TextFile

HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t\r]*\n")
LONGEST_HEADER = 64
MOST_NUMBERS = 1 << 24  # in one vector
_VALUES = 1 << 21  # numbers written at a time


def read_binary(path: Path) -> VectorTable:
    """Read a word2vec binary file, by the rules above."""
    file = open_file(path)
    blocks = read_blocks(file)
    first = next(blocks, b"")
    while len(first) < LONGEST_HEADER and (more := next(blocks, b"")):
        first += more
    rows, dimension, begin = _header(file, first)
    reader = _core.VectorBinary(dimension)
    _read_rows(reader, first[begin:], blocks)
    fault = reader.fault()
    if fault is not None:
        raise explain(file.name, fault, dimension, "row")
    words, values, numbers = reader.take()
    if len(words) < rows:
        raise StoreError(
            f"{file.name}: {len(words):,} rows where {rows:,} were declared: cut short: "
            "download it again"
        )
    check_distinct(file.name, words, numbers, "row")
    notes: tuple[str, ...] = ()
    if len(words) > rows:
        notes = (f"rows: {len(words):,}, where the header declares {rows:,}",)
    return VectorTable(tuple(words), values.reshape(len(words), dimension), notes=notes)


def _header(file: TextFile, first: bytes) -> tuple[int, int, int]:
    """Read the header; return rows, dimension, and where the rows begin."""
    match = HEADER.match(first[:LONGEST_HEADER])
    if not match:
        raise StoreError(
            f"{file.name}: does not begin with a line of two whole numbers, rows and dimension: "
            "not a word2vec binary file, or its header is missing"
        )
    rows, dimension = int(match[1]), int(match[2])
    if not rows or not dimension:
        raise StoreError(f"{file.name}: line 1 declares no vectors")
    least = rows * (4 * dimension + 2)  # a letter, a space and the numbers
    if dimension > MOST_NUMBERS or (file.is_plain and least > file.size - match.end()):
        raise StoreError(
            f"{file.name}: line 1 declares {rows:,} vectors of {dimension:,} numbers, for which "
            "the file is too small: it is cut short, or its header is wrong"
        )
    return rows, dimension, match.end()


def _read_rows(reader: _core.VectorBinary, rest: bytes, blocks: Iterator[bytes]) -> None:
    """Pass the rows to the reader in blocks, each with the rest of the one before."""
    parts, size, want = [rest], len(rest), CHUNK
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size < want:
            continue
        data = b"".join(parts)
        taken = reader.add(data, False)
        if reader.fault() is not None:
            return
        parts, size = [data[taken:]], size - taken
        want = max(CHUNK, 2 * size)  # a row may be longer than a block
    reader.add(b"".join(parts), True)


def write_binary(table: VectorTable, file: IO[bytes]) -> None:
    """Write a file as word2vec does, with a newline after each row."""
    dimension = table.vectors.shape[1]
    file.write(b"%d %d\n" % (len(table.words), dimension))
    step = max(1, _VALUES // dimension)
    for begin in range(0, len(table.words), step):
        words = table.words[begin : begin + step]
        rows = table.vectors[begin : begin + step].astype(np.dtype("<f4"), copy=False)
        pieces = zip(words, rows, strict=True)
        file.write(b"".join(b"%b %b\n" % (word.encode(), row.tobytes()) for word, row in pieces))


def check_words(table: VectorTable) -> None:
    """Raise if a word cannot be written in a binary file."""
    if table.vectors.shape[1] > MOST_NUMBERS:
        raise FirthError(
            f"vectors of more than {MOST_NUMBERS:,} numbers: use `format='safetensors'`"
        )
    for word in table.words:
        if " " in word or "\n" in word:
            raise FirthError(
                f"{word!r:.80}: a word with a space or newline cannot be written in a binary "
                "file: use `format='safetensors'`"
            )
        if len(word.encode()) > _core.LONGEST_WORD:
            raise FirthError(f"{word!r:.80}: longer than {_core.LONGEST_WORD >> 10} KiB")
