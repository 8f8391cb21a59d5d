"""Damaged and hostile vector files through the readers of every format.

A reader may take a file or refuse it with a `FirthError` or one of its children; anything else is a
failure. What it takes must be finite, with distinct words, and the same after it is written and
read again. ``python fuzz/formats.py INPUTS SEED [FIRST]``.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import shutil
import sys
from pathlib import Path

import numpy as np
from store import flip, run, splice

import firth
from firth.space.formats import FORMATS, VectorTable, read_vectors, write_vectors

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
OPENERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}

Files = dict[str, bytes]


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
    """Small sound files of every format, each damaged in its own ways."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, list[Files]] = {kind: [] for kind in FORMATS}
        numbers = np.random.default_rng(1)
        for dimension in (1, 3, 7):
            vectors = numbers.standard_normal((len(WORDS), dimension), np.float32)
            frequencies = np.arange(len(WORDS), 0, -1)
            table = VectorTable(WORDS, vectors, frequencies if dimension > 1 else None)
            plain = VectorTable(tuple(word.replace(" ", "_") for word in WORDS), vectors)
            for kind in FORMATS:
                if kind == "gensim":  # a pickle, refused by its first bytes
                    self.files[kind].append({"": b"\x80\x04\x95" + vectors.tobytes()})
                    continue
                path = folder / "sound"
                write_vectors(plain if kind == "word2vec-binary" else table, path, kind)
                self.files[kind].append(taken(path))

    def damaged(self, draw: random.Random, kind: str, name: str, data: bytes) -> bytes:
        """Damage one file, mostly in a way that leaves some sense."""
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

    def one(self, draw: random.Random) -> None:
        """Run one input."""
        kind = draw.choice(FORMATS)
        files = dict(draw.choice(self.files[kind]))
        for name in draw.sample(sorted(files), draw.randint(1, len(files))):
            files[name] = self.damaged(draw, kind, name, files[name])
        path = self.folder / ("input" if "" not in files else draw.choice(("input", "input.vec")))
        if "" in files and draw.random() < 0.05:
            suffix = draw.choice(sorted(OPENERS))
            path = path.with_name(path.name + suffix)
            files[""] = OPENERS[suffix](files[""])
            if draw.random() < 0.5:
                files[""] = draw.choice((flip, splice))(draw, files[""])
        try:
            self.laid_out(path, files)
            asked = draw.choice((None, None, kind, draw.choice(FORMATS)))
            table = read_vectors(path, asked, threads=draw.choice((1, 1, 1, 2)))
        except firth.FirthError as error:
            if not str(error) or "\n" in str(error):
                raise AssertionError("an error that is not one line") from error
            return
        finally:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        self.used(table, "word2vec" if kind == "gensim" else kind)

    def laid_out(self, path: Path, files: Files) -> None:
        """Write the files of an input; some of a folder may be missing."""
        if "" in files:
            path.write_bytes(files[""])
            return
        path.mkdir()
        for name, data in files.items():
            (path / name).write_bytes(data)

    def used(self, table: VectorTable, kind: str) -> None:
        """See that a table is sound, and the same when it is written and read again."""
        if not np.isfinite(table.vectors).all() or len(set(table.words)) != len(table.words):
            raise AssertionError("a table that is not sound")
        path = self.folder / "again"
        try:
            write_vectors(table, path, kind)
        except firth.FirthError:
            return  # a word that does not fit this format
        again = read_vectors(path, kind)
        taken(path)
        if again.words != table.words or again.vectors.tobytes() != table.vectors.tobytes():
            raise AssertionError("a table that changes when it is written and read")


def taken(path: Path) -> Files:
    """Take the files of an output, and remove it."""
    if path.is_dir():
        files = {file.name: file.read_bytes() for file in path.iterdir()}
        shutil.rmtree(path)
        return files
    data = path.read_bytes()
    path.unlink()
    return {"": data}


if __name__ == "__main__":
    sys.exit(run(Fuzzer, __doc__))
