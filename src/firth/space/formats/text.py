"""Vectors in text, a word and its numbers a line: word2vec, fastText, and GloVe without a header.

Rules of reading
----------------
- Fields are separated by spaces or tabs. White space at the end of a line does not count, nor do
  carriage returns there, blank lines, a byte order mark, or a missing newline at the end.
- The dimension is how many numbers most of the first rows end in; all rows must have as many. What
  stands before the numbers, less one space or tab, is the word: it may hold spaces, no-break spaces
  and anything else but a newline. A word of several parts whose last reads as a number is refused,
  because it looks like a row with one number too many.
- A first line of two whole numbers is a header if the second is the dimension of the rows after it.
  If the dimension is 1, it is a header only if the first is the number of those rows; else it is a
  row. If the dimension is another one, the header is wrong, and refused. In a GloVe file the first
  line is always a row.
- A header with the wrong number of rows is noted; but with fewer rows than declared and no newline
  at the end, the file is cut short, and refused. Without a header, word2vec is read all the same.
- NaN, infinity, a number beyond float32, a word that is not UTF-8, an empty word, and a word that
  stands twice are errors that name the line.
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

SAMPLE = 1000  # rows that the dimension is told by
MOST_ROWS = 10**12  # no file declares more in earnest
_HEADER = re.compile(rb"([0-9]+)[ \t]+([0-9]+)[ \t\r]*")
_BLANK = re.compile(rb"[ \t\r\n]*")
_VALUES = 1 << 21  # written at a time


@dataclass(frozen=True)
class Layout:
    """Where the rows of a text begin, and what a header said of them."""

    dimension: int
    begin: int  # bytes before the first row
    line: int  # its number
    declared: int | None = None  # rows


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
    """Tell the dimension and the header of a text by its first lines."""
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
            raise StoreError(f"{file.name}: line {line:,} is a header, and no rows follow it")
        if declared[1] == after and (after > 1 or declared[0] == _count_rows(file, declared[0])):
            return Layout(after, end, line + 1, declared[0])
        if after != 1:
            raise StoreError(
                f"{file.name}: line {line:,} declares vectors of {declared[1]:,} numbers, but the "
                f"rows after it end in {after:,}: correct the line, or delete it"
            )
    dimension = _dimension(memoryview(first)[begin:])
    if not dimension:
        raise StoreError(f"{file.name}: line {line:,} is not a word and numbers: no text vectors")
    if not header and numbers and after not in (0, 1):
        raise StoreError(
            f"{file.name}: line {line:,} looks like a header, which GloVe's files do not have: "
            "read it as word2vec"
        )
    return Layout(dimension, begin, line)


def _dimension(text: memoryview) -> int:
    """How many numbers most of the first rows end in; of several such, what comes first."""
    runs = _core.number_runs(text, SAMPLE, True).tolist()
    return max(Counter(runs).items(), key=lambda item: item[1])[0] if runs else 0


def _declared(file: TextFile, line: int, numbers: re.Match[bytes]) -> tuple[int, int]:
    rows, dimension = (int(text) if len(text) < 19 else 10**19 for text in numbers.groups())
    if max(rows, dimension) > MOST_ROWS:
        raise StoreError(
            f"{file.name}: line {line:,} declares {numbers[1].decode():.40} rows of "
            f"{numbers[2].decode():.40} numbers, which no file holds: correct the line"
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
                f"{file.name}: cut short in row {rows:,} of {layout.declared:,}: fetch it again"
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
    """Raise if a word does not fit into text; return what a user should know of the others."""
    for word in table.words:
        if "\n" in word:
            raise FirthError(f"{word!r:.80}: a word of two lines: use the format safetensors")
    bad = _core.first_ambiguous(table.words)
    if bad >= 0:
        raise FirthError(
            f"{table.words[bad]!r:.80}: a number after a space, in text, would be taken for the "
            "first of the vector: use the format safetensors"
        )
    if kind == "glove" and table.words[0].startswith("\ufeff"):
        raise FirthError(
            f"{table.words[0]!r:.80}: a byte order mark cannot begin a file: use word2vec"
        )
    spaced = sum(1 for word in table.words if " " in word)
    if spaced:
        return (f"words with a space, which firth and spaCy read but gensim does not: {spaced:,}",)
    return ()
