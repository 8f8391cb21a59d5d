r"""TensorBoard's projector: a folder with ``vectors.tsv`` and ``metadata.tsv``.

The vectors are one row per line, with tabs between the numbers. The metadata are one word per line
without a header; or, with frequencies, columns under a header: the first is the word, and one may
be called ``frequency`` or ``count``. Nothing is escaped in these files, so a word with a tab, a
newline or a carriage return is refused.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np

from firth import _core
from firth.errors import FirthError, StoreError
from firth.space.formats.faults import check_distinct, explain
from firth.space.formats.streams import open_file, read_lines
from firth.space.formats.table import VectorTable
from firth.text.vocabulary import is_frequency

VECTORS, METADATA = "vectors.tsv", "metadata.tsv"
NAMES = (VECTORS, METADATA)
_COUNTS = ("frequency", "count")
_VALUES = 1 << 21  # numbers written at a time


def read_projector(folder: Path, threads: int) -> VectorTable:
    """Read a folder of vectors and metadata."""
    file = open_file(folder / VECTORS)
    chunks = read_lines(file)
    first = next(chunks, b"")
    runs = _core.number_runs(first, 1, False)
    if not len(runs) or not runs[0]:
        raise StoreError(f"{file.name}: its first line is not numbers between tabs")
    rows = _core.VectorText(int(runs[0]), False, 1)
    for chunk in chain([first], chunks):
        if not rows.add(chunk, threads):
            fault = rows.fault()
            assert fault is not None
            raise explain(file.name, fault, int(runs[0]))
    _, values, _ = rows.take()
    vectors = values.reshape(-1, int(runs[0]))
    return _with_words(folder / METADATA, vectors)


def _with_words(
    path: Path, vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]
) -> VectorTable:
    name = str(path)
    lines = _lines(path)
    counts = column = None
    first = 1
    if lines and "\t" in lines[0]:
        header = [field.strip().lower() for field in lines.pop(0).split("\t")]
        first = 2
        column = next((header.index(count) for count in _COUNTS if count in header), None)
    if len(lines) != len(vectors):
        raise StoreError(
            f"{name}: {len(lines):,} words for the {len(vectors):,} rows of {VECTORS}: "
            "they are not from the same table, or one is cut short"
        )
    rows = [line.split("\t") for line in lines]
    words = [row[0] for row in rows]
    for number, word in enumerate(words, first):
        if not word:
            raise StoreError(
                f"{name}: line {number:,} has no word: add it, or delete the line and its vector"
            )
    check_distinct(name, words, range(first, first + len(words)))
    if column:
        for number, row in enumerate(rows, first):
            if len(row) <= column or not is_frequency(row[column]):
                raise StoreError(f"{name}: line {number:,} has no frequency: add it")
        counts = np.array([int(row[column]) for row in rows], np.int64)
    return VectorTable(tuple(words), vectors, counts)


def _lines(path: Path) -> list[str]:
    file = open_file(path)
    lines = []
    for chunk in read_lines(file):
        for line in chunk.removesuffix(b"\n").split(b"\n"):
            try:
                lines.append(line.removesuffix(b"\r").decode())
            except UnicodeDecodeError as error:
                raise StoreError(
                    f"{path}: line {len(lines) + 1:,} is not UTF-8 at its byte {error.start + 1:,}"
                ) from None
    return lines


def write_projector(table: VectorTable, folder: Path, threads: int) -> None:
    """Write vectors and metadata into a folder."""
    dimension = table.vectors.shape[1]
    step = max(1, _VALUES // dimension)
    with open(folder / VECTORS, "xb") as file:
        for begin in range(0, len(table.words), step):
            values = table.vectors[begin : begin + step].reshape(-1)
            file.write(_core.format_vectors(values, dimension, None, "\t", threads).data)
    lines = list(table.words)
    if table.frequencies is not None:
        pairs = zip(table.words, table.frequencies.tolist(), strict=True)
        lines = ["word\tfrequency", *(f"{word}\t{count}" for word, count in pairs)]
    (folder / METADATA).write_bytes("".join(f"{line}\n" for line in lines).encode())


def check_words(table: VectorTable) -> None:
    """Raise if a word does not fit into the metadata."""
    for word in table.words:
        if "\t" in word or "\n" in word or "\r" in word:
            raise FirthError(
                f"{word!r:.80}: a word with a tab or line end cannot be written in {METADATA}: "
                "use `format='safetensors'`"
            )
