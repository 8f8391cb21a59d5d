"""Fuzz the readers of every vector format with damaged and hostile files.

A reader may accept a file or refuse it with a `FirthError` (or a subclass); anything else is a
failure. An accepted table must be finite, have distinct words, and stay the same when it is
written and read again. Most files have the reader's own format and some have another; ``sniff``
gets files of all formats and detects which. Usage:
``python fuzz/formats.py READER INPUTS SEED [FIRST]``.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import json
import lzma
import os
import random
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from readers import Files, One, flip, run, splice

import firth
from firth import _core
from firth.resources import Resources
from firth.space.formats import FORMATS, VectorTable, from_gensim, read_vectors, write_vectors
from firth.space.formats.streams import CHUNK
from firth.text.sources import BLOCK

WORDS = ("the", "of", "rose", "5", "été", "日本", "new york", ". . .", "\u00a0", " ", "x" * 99)
FIELDS = (
    *(b"", b"0", b"-0", b"1", b"1e3", b"1e39", b"1e-60", b"nan", b"-inf", b"abc", b"1.5.2", b"0x1"),
    *(b"1_0", b"+1", b"+-1", b"5 ", b"\xff", b"\xe9", b"a\tb", b"1" * 400, b"\xc2\xa0", b"\0"),
)
LINES = (
    *(b"", b" ", b"\r", b"2 3", b"11 3", b"1152921504606846976 3", b"11 1152921504606846976"),
    *(b"0 0", b"1 1", b"10 1", b"999999999999 16777216", b"-1 3", b"11 3 4", b"\xef\xbb\xbf"),
    *(b"word", b"word\tfrequency", b"word\tcount\tx", b"the", b"a 1", b"the 1 2 3 4", b" 1 2 3"),
)
ODD = (
    *(None, True, -1, 0, 1, 2**31, 2**63, 2**64, 1e308),
    *("F16", "F64", "BF16", "I64", "BOOL", [], {}),
)
PACKERS = {
    ".gz": lambda data: gzip.compress(data, 1),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
}
# Modules of the readers whose block sizes are reduced for small files.
sources, streams, text, binary, sniffing = (
    importlib.import_module(f"firth.{name}")
    for name in (
        "text.sources",
        *(f"space.formats.{name}" for name in ("streams", "text", "binary", "sniff")),
    )
)
READERS = (*FORMATS, "sniff")
FOLDERS = ("projector", "safetensors")


def edit_lines(draw: random.Random, data: bytes) -> bytes:
    """Change a field or a line, or the order of lines."""
    lines = data.split(b"\n")
    for _ in range(draw.randint(1, 2)):
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        kind = draw.randrange(6)
        if kind == 0:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 1:
            lines[at] = lines[other]
        elif kind == 2:
            lines.insert(draw.choice((0, at)), draw.choice(LINES))
        elif kind == 3:
            lines[draw.choice((0, at))] = draw.choice(LINES)
        else:
            separator = draw.choice((b" ", b" ", b"\t"))
            fields = lines[at].split(separator)
            place = draw.randrange(len(fields))
            fields[place : place + draw.randrange(2)] = [draw.choice(FIELDS)]
            lines[at] = separator.join(fields)
    return draw.choice((b"\n", b"\n", b"\n", b"\r\n", b" \n")).join(lines)


def edit_tensors(draw: random.Random, data: bytes) -> bytes:
    """Change an entry of a safetensors header, and often its length to match."""
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    name = draw.choice(sorted(header))
    entry = header[name]
    kind = draw.randrange(5)
    if kind == 0:
        del header[name]
    elif kind == 1:
        header[draw.choice(("vectors", "x", "frequencies"))] = entry
    elif kind == 2:
        key = draw.choice(sorted(entry))
        entry[key] = draw.choice(ODD)
    elif isinstance(entry, dict) and "shape" in entry:
        key = draw.choice(("shape", "data_offsets"))
        if entry[key]:
            entry[key][draw.randrange(len(entry[key]))] = draw.choice(
                (0, 1, 3, 36, 2**40, 2**63, -1)
            )
    else:
        entry["firth"] = draw.choice(
            ("", "{", "[1]", '{"version": 2}', '{"format": 3}', "[" * 9999)
        )
    text = json.dumps(header).encode()
    size = len(text) if draw.random() < 0.9 else draw.choice((0, 1, 2**20, 2**40, 2**64 - 1))
    return size.to_bytes(8, "little") + text + body


class Fuzzer:
    """Small valid files of every format, damaged in ways that suit the format, for one reader."""

    def __init__(self, folder: Path, reader: str) -> None:
        self.folder, self.reader = folder, reader
        self.files: dict[str, list[Files]] = {kind: [] for kind in FORMATS}
        self.folders = {kind: folder / kind for kind in FOLDERS}
        for path in self.folders.values():
            path.mkdir()
        numbers = np.random.default_rng(1)
        for dimension in (1, 3, 7):
            vectors = numbers.standard_normal((len(WORDS), dimension), np.float32)
            frequencies = np.arange(len(WORDS), 0, -1)
            table = VectorTable(WORDS, vectors, frequencies if dimension > 1 else None)
            plain = VectorTable(tuple(word.replace(" ", "_") for word in WORDS), vectors)
            for kind in FORMATS:
                if kind == "gensim":  # a pickle, which is refused by its first bytes
                    self.files[kind].append({"": b"\x80\x04\x95" + vectors.tobytes()})
                    continue
                path = folder / "sound"
                write_vectors(plain if kind == "word2vec-binary" else table, path, kind)
                self.files[kind].append(read_and_remove(path))

    def one(self, draw: random.Random) -> None:
        """Run one input."""
        if self.reader == "gensim" and draw.random() < 0.9:  # its files are refused
            self.check(draw, from_gensim(keyed_vectors(draw)), "safetensors")
            return
        kind = self.reader
        if kind == "sniff" or draw.random() < 0.05:
            kind = draw.choice(FORMATS)
        path = self.write_input(draw, kind)
        given = None if self.reader == "sniff" else self.reader
        try:
            if draw.random() < 0.15:
                shrink_blocks(draw)
            table = read_vectors(path, given, resources=Resources(2 if draw.random() < 0.03 else 1))
        finally:
            restore_blocks()
        self.check(draw, table, "word2vec" if kind == "gensim" else kind)

    def check(self, draw: random.Random, table: VectorTable, kind: str) -> None:
        """Check that a table is valid and, sometimes, that it can be written and read again."""
        if not np.isfinite(table.vectors).all() or len(set(table.words)) != len(table.words):
            raise AssertionError("a table is not valid")
        if draw.random() < 0.3:
            check_written(table, self.folder / "again", kind)

    def write_input(self, draw: random.Random, kind: str) -> Path:
        """Write the damaged files of an input; one file of a folder may be missing."""
        files = dict(draw.choice(self.files[kind]))
        for name in draw.sample(sorted(files), draw.randint(1, len(files))):
            files[name] = damaged(draw, kind, name, files[name])
        if "" not in files:
            path = self.folders[kind]
            for name, data in files.items():
                write(path / name, data)
            if draw.random() < 0.01:
                (path / draw.choice(sorted(files))).unlink()
            return path
        path = self.folder / draw.choice(("input", "input.vec"))
        data = files[""]
        if draw.random() < 0.02:
            suffix = draw.choice(sorted(PACKERS))
            path = path.with_name(path.name + suffix)
            data = PACKERS[suffix](data)
            if draw.random() < 0.5:
                data = draw.choice((flip, splice))(draw, data)
        write(path, data)
        return path


def write(path: Path, data: bytes) -> None:
    """Write a file with as few system calls as possible."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(file, data)
    os.close(file)


def damaged(draw: random.Random, kind: str, name: str, data: bytes) -> bytes:
    """Damage one file, mostly in a way that suits its format."""
    if draw.random() < 0.001:  # longer than a word may be
        at = draw.randrange(len(data) + 1)
        return data[:at] + b"w" * (_core.LONGEST_WORD + 9) + data[at:]
    if draw.random() < 0.7:
        if name.endswith(".safetensors"):
            return edit_tensors(draw, data)
        if kind == "word2vec-binary":
            head, _, rows = data.partition(b"\n")
            if draw.random() < 0.4:
                return edit_lines(draw, head) + b"\n" + rows
            return head + b"\n" + draw.choice((flip, splice))(draw, rows)
        return edit_lines(draw, data)
    return draw.choice((flip, splice))(draw, data)


def keyed_vectors(draw: random.Random) -> Any:
    """Make an object with the attributes of gensim's `KeyedVectors`, some of them odd."""
    rows = draw.choice((0, 1, 3, 3, 3))
    words: Any = [draw.choice(WORDS) for _ in range(rows)]
    if draw.random() < 0.7:
        words = list(WORDS[:rows])
    if rows and draw.random() < 0.3:
        words[draw.randrange(rows)] = draw.choice(
            (None, 3, "", "\ud800", b"a", [], ("a",), "a\nb", "a\tb", float("nan"))
        )
    numbers = np.random.default_rng(draw.randrange(1 << 32))
    vectors: Any = numbers.standard_normal((rows, draw.choice((0, 1, 3)))).astype(
        draw.choice(("f2", "f4", "f8", "i8", "u1", "c16", "O", "S9", "M8[s]", "?"))
        if draw.random() < 0.3
        else "f4"
    )
    if vectors.size and draw.random() < 0.3 and vectors.dtype.kind in "fO":
        with np.errstate(over="ignore"):
            vectors.flat[draw.randrange(vectors.size)] = draw.choice((1e308, np.nan, -np.inf, 1e39))
    if draw.random() < 0.2:
        vectors = draw.choice((None, 3, "abc", [], [[1], [1, 2]], [[10**400]], vectors[0:1], {}))
    counts: Any = np.arange(rows)
    if draw.random() < 0.4:
        counts = draw.choice(
            (None, 3, [], [1, None, 2], [1, 2, 2**70], [-1, 0, 1], np.array([2**63] * rows), "abc")
        )
    keyed = SimpleNamespace(index_to_key=words, vectors=vectors, expandos={"count": counts})
    if draw.random() < 0.2:
        delattr(keyed, draw.choice(("index_to_key", "vectors", "expandos")))
    elif draw.random() < 0.1:
        odd = draw.choice((None, 3, "abc", [], {}))
        setattr(keyed, draw.choice(("index_to_key", "vectors", "expandos")), odd)
    return SimpleNamespace(wv=keyed) if draw.random() < 0.2 else keyed


def shrink_blocks(draw: random.Random) -> None:
    """Make the readers read small files in several blocks, as they read large ones."""
    sources.BLOCK = sniffing.BLOCK = draw.choice((40, 100, 300))
    streams.CHUNK = text.CHUNK = binary.CHUNK = draw.choice((1, 50, 200))


def restore_blocks() -> None:
    """Undo `shrink_blocks`."""
    sources.BLOCK = sniffing.BLOCK = BLOCK
    streams.CHUNK = text.CHUNK = binary.CHUNK = CHUNK


def check_written(table: VectorTable, path: Path, kind: str) -> None:
    """Check that a table stays the same when it is written and read again."""
    try:
        write_vectors(table, path, kind, resources=Resources(threads=1))
    except firth.FirthError:
        return  # a word that does not fit this format
    try:
        again = read_vectors(path, kind, resources=Resources(threads=1))
    except firth.FirthError as error:
        raise AssertionError("a table was written and cannot be read") from error
    finally:
        read_and_remove(path)
    if again.words != table.words or again.vectors.tobytes() != table.vectors.tobytes():
        raise AssertionError("a table changes when it is written and read")


def read_and_remove(path: Path) -> Files:
    """Read the files of an output, and remove it."""
    if path.is_dir():
        files = {file.name: file.read_bytes() for file in path.iterdir()}
        shutil.rmtree(path)
        return files
    data = path.read_bytes()
    path.unlink()
    return {"": data}


def reader(folder: Path, name: str) -> One:
    """Return a function that runs one input of a reader."""
    return Fuzzer(folder, name).one


if __name__ == "__main__":
    sys.exit(run(READERS, reader, __doc__))
