"""Vectors in text, one word and its numbers per line: word2vec, fastText and GloVe.

Rules of reading
----------------
- Fields are separated by spaces or tabs. White space and carriage returns at the end of a line,
  blank lines, a byte order mark and a missing newline at the end are ignored.
- The dimension is the number of numbers at the end of most of the first rows; all rows must have as
  many. The text before the numbers, without one space or tab, is the word: it may contain spaces,
  no-break spaces and anything else but a newline. A word of several parts, the last of which reads
  as a number, is an error, because the row seems to have one number too many.
- A first line of two whole numbers is a header if the second is the dimension of the rows after it.
  If the dimension is 1, it is a header only if the first is the number of those rows; otherwise it
  is a row. A header with another dimension is an error. In a GloVe file the first line is always a
  row.
- A header with the wrong number of rows is noted. But if there are fewer rows than declared and no
  newline at the end, the file is cut short, which is an error. word2vec files without a header are
  read too.
- NaN, infinity, a number beyond float32, a word that is not UTF-8, an empty word and a word that
  occurs twice are errors that name the line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO

from firth import _core
from firth.errors import FirthError, StoreError
from firth.space.formats.faults import check_distinct, explain
from firth.space.formats.streams import CHUNK, open_file, read_lines
from firth.space.formats.table import VectorTable
from firth.text.sources import BYTE_ORDER_MARK, TextFile

SAMPLE = 1000  # rows from which the dimension is found
MOST_ROWS = 10**12  # more than any file holds
_HEADER = re.compile(rb"([0-9]+)[ \t]+([0-9]+)[ \t\r]*")
_BLANK = re.compile(rb"[ \t\r\n]*")
_VALUES = 1 << 21  # numbers written at a time


@dataclass(frozen=True)
class Layout:
    """Where the rows of a text begin, and what its header declares.

    Attributes
    ----------
    dimension
        Numbers per row.
    begin, line
        The bytes before the first row, and its line number.
    declared
        The number of rows that the header declares; None without a header.
    """

    dimension: int
    begin: int
    line: int
    declared: int | None = None


def read_text(path: Path, kind: str, threads: int) -> VectorTable:
    """Read word2vec or fastText text, or GloVe's, by the rules above."""
    file = open_file(path)
    chunks = read_lines(file)
    first = next(chunks, b"")
    layout = find_layout(file, first, header=kind != "glove")
    rows = _core.VectorText(layout.dimension, True, layout.line)
    ended = True
    beginning: list[bytes | memoryview] = [memoryview(first)[layout.begin :]]
    for chunk in chain(beginning, chunks):
        if not rows.add(chunk, threads):
            fault = rows.fault()
            assert fault is not None
            raise explain(file.name, fault, layout.dimension)
        ended = chunk[-1:] == b"\n"
    words, values, lines = rows.take()
    check_distinct(file.name, words, lines)
    notes = [*_header_notes(file, layout, kind, len(words), ended), *_edge_notes(words)]
    return VectorTable(
        tuple(words), values.reshape(len(words), layout.dimension), notes=tuple(notes)
    )


def find_layout(file: TextFile, first: bytes, *, header: bool) -> Layout:
    """Find the dimension and the header of a text from its first lines."""
    mark = len(BYTE_ORDER_MARK) if first.startswith(BYTE_ORDER_MARK) else 0
    found = _BLANK.match(first, mark)
    end_of_blank = found.end() if found else mark
    if end_of_blank == len(first):
        raise StoreError(
            f"{file.name}: holds no vectors"
            + (f" in its first {CHUNK >> 20} MiB" if len(first) >= CHUNK else "")
        )
    begin = max(mark, first.rfind(b"\n", mark, end_of_blank) + 1)
    line = first.count(b"\n", 0, begin) + 1
    end = first.find(b"\n", begin) + 1 or len(first)
    numbers = _HEADER.fullmatch(first, begin, end - first.endswith(b"\n", begin, end))
    after = _dimension(memoryview(first)[end:])
    if header and numbers:
        declared = _declared(file, line, numbers)
        if not after:
            raise StoreError(f"{file.name}: line {line:,} is a header, but no rows follow it")
        if declared[1] == after and (after > 1 or declared[0] == _count_rows(file, declared[0])):
            return Layout(after, end, line + 1, declared[0])
        if after != 1:
            raise StoreError(
                f"{file.name}: line {line:,} declares vectors of {declared[1]:,} numbers, but the "
                f"rows after it end in {after:,}: correct the line, or delete it"
            )
    dimension = _dimension(memoryview(first)[begin:])
    if not dimension:
        raise StoreError(
            f"{file.name}: line {line:,} is not a word and numbers: not vectors in text"
        )
    if not header and numbers and after not in (0, 1):
        raise StoreError(
            f"{file.name}: line {line:,} looks like a header, which GloVe's files do not have: "
            "use `format='word2vec'`"
        )
    return Layout(dimension, begin, line)


def _dimension(text: memoryview) -> int:
    """Return how many numbers most of the first rows end in; of equals, the first."""
    runs = _core.number_runs(text, SAMPLE, True).tolist()
    return max(Counter(runs).items(), key=lambda item: item[1])[0] if runs else 0


def _declared(file: TextFile, line: int, numbers: re.Match[bytes]) -> tuple[int, int]:
    rows, dimension = (int(text) if len(text) < 19 else 10**19 for text in numbers.groups())
    if max(rows, dimension) > MOST_ROWS:
        raise StoreError(
            f"{file.name}: line {line:,} declares {numbers[1].decode():.40} rows of "
            f"{numbers[2].decode():.40} numbers, more than any file holds: correct the line"
        )
    return rows, dimension


def _count_rows(file: TextFile, enough: int) -> int:
    """Count the lines that are not blank, after the header, up to more than `enough`."""
    rows = -1
    for chunk in read_lines(file):
        rows += sum(1 for line in chunk.split(b"\n") if line.strip(b" \t\r"))
        if rows > enough:
            break
    return rows


def _header_notes(
    file: TextFile, layout: Layout, kind: str, rows: int, ended: bool
) -> Iterator[str]:
    if layout.declared is None:
        if kind != "glove":
            yield f"there is no header; rows: {rows:,}"
    elif layout.declared != rows:
        if rows < layout.declared and not ended:
            raise StoreError(
                f"{file.name}: cut short in row {rows:,} of {layout.declared:,}: download it again"
            )
        yield f"rows: {rows:,}, where the header declares {layout.declared:,}"


def _edge_notes(words: list[str]) -> Iterator[str]:
    edges = sum(1 for word in words if word[0] in " \t" or word[-1] in " \t")
    if edges:
        yield f"words that begin or end with a space, kept as they are: {edges:,}"


def write_text(table: VectorTable, file: IO[bytes], kind: str, threads: int) -> None:
    """Write text that is read again as the same words and the same bits."""
    dimension = table.vectors.shape[1]
    if kind != "glove":
        file.write(b"%d %d\n" % (len(table.words), dimension))
    step = max(1, _VALUES // dimension)
    for begin in range(0, len(table.words), step):
        words = table.words[begin : begin + step]
        values = table.vectors[begin : begin + step].reshape(-1)
        file.write(_core.format_vectors(values, dimension, words, " ", threads).data)


def check_words(table: VectorTable, kind: str) -> tuple[str, ...]:
    """Raise if a word cannot be written as text; return notes on the others."""
    for word in table.words:
        if "\n" in word:
            raise FirthError(f"{word!r:.80}: a word with a newline: use `format='safetensors'`")
    bad = _core.first_ambiguous(table.words)
    if bad >= 0:
        raise FirthError(
            f"{table.words[bad]!r:.80}: in text, the number after the space would be read as the "
            "first of the vector: use `format='safetensors'`"
        )
    if kind == "glove" and table.words[0].startswith("\ufeff"):
        raise FirthError(
            f"{table.words[0]!r:.80}: a byte order mark cannot begin a file: use "
            "`format='word2vec'`"
        )
    spaced = sum(1 for word in table.words if " " in word)
    if spaced:
        return (f"words with a space, which firth and spaCy read but gensim does not: {spaced:,}",)
    return ()
