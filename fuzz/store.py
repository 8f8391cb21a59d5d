"""Fuzz the readers of stores with damaged and hostile files.

The readers are those of stores, GloVe's records and vocabularies. A reader may accept a file or
refuse it with a `FirthError` (or a subclass); anything else is a failure. Usage:
``python fuzz/store.py READER INPUTS SEED [FIRST]``.
"""

from __future__ import annotations

import copy
import json
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from readers import Files, One, flip, run, splice

import firth
from firth.clusters.paths import from_text, to_text
from firth.counts.store import meta_of
from firth.text.vocabulary import Vocabulary, read_word_list

READERS = ("store", "hierarchy", "glove-counts", "vocabulary")
ARRAYS = ("starts.npy", "columns.npy", "values.npy")
# Unexpected values for entries of a JSON file.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 1e999),
    *(float("nan"), "", "a", "1", "flat", "harmonic", "positional", "\ud800", "\0", [], [0], {}),
    *([None], [[1]], [1e999], ["x"], {"a": 1}, [1, 2, 3], "x" * 500),
)
NPY_WORDS = (
    *(
        b"<i8",
        b"<i4",
        b"<u4",
        b"<u8",
        b">u4",
        b"<f8",
        b"|O",
        b"|S9",
        b"<U3",
        b"|V0",
        b"<c16",
        b"<m8",
    ),
    *(b"True", b"False", b"None", b"()", b"(0,)", b"(1,)", b"(-1,)", b"(2, 2)", b"(99999999999,)"),
    *(b"(9223372036854775807,)", b"(1e3,)", b"('a',)", b"(True,)", b"[1]", b"{", b"}", b"(", b"'"),
    *(b"descr", b"shape", b"fortran_order", b"L", b"\0", b"\n", b"#", b"\\", b"[('a', '<i8')]"),
)


def bases(folder: Path) -> list[Files]:
    """Write small valid stores of every kind, and return their files."""
    lines = ["a rose is a rose is a rose", "Rose, where is thy thorn?", "a thorn is a thorn " * 9]
    recipes: list[dict[str, Any]] = [
        {"window": 2},
        {"window": 3, "weighting": "harmonic"},
        {"window": 2, "context": "positional", "max_contexts": 3},
        {"window": 2, "context": "left", "max_vocab": 4, "max_contexts": 2},
    ]
    found = []
    for number, recipe in enumerate(recipes):
        path = folder / f"base{number}"
        firth.count(lines, min_count=1, **recipe).save(path)
        found.append({file.name: file.read_bytes() for file in path.iterdir()})
    large = firth.Counts.load(folder / "base0")
    wide = firth.Counts.from_scipy(large.to_scipy() * 2**40, large.words.words, denominator=1)
    wide.save(folder / "wide")
    found.append({file.name: file.read_bytes() for file in (folder / "wide").iterdir()})
    return found


def tree_bases(folder: Path) -> list[Files]:
    """Write small sound trees, of each method and of a paths file, and take their files."""
    lines = ["a rose is a rose is a rose", "Rose, where is thy thorn?", "a thorn is a thorn " * 9]
    pairs = firth.count(lines, min_count=1, window=2, context="positional", weighting="flat")
    brown = firth.clusters.BrownClusters(clusters=3).fit(pairs)
    space = firth.methods.PPMI(dim=2).fit(firth.count(lines, min_count=1))
    trees = [
        brown,
        firth.clusters.SpectralClusters(clusters=2, dim=2).fit(pairs),
        firth.Hierarchy.from_space(space, 3),
        from_text(to_text(brown), "paths"),
    ]
    found = []
    for number, tree in enumerate(trees):
        path = folder / f"tree-base{number}"
        tree.save(path)
        found.append({file.name: file.read_bytes() for file in path.iterdir()})
    return found


def edit_json(draw: random.Random, data: bytes) -> bytes:
    """Replace, remove or add an entry somewhere in the tree."""
    if draw.random() < 0.01:  # deeper than a parser can follow
        return data.replace(b"{", b'{"x": ' + b"[" * draw.randint(10, 100_000), 1)
    tree = json.loads(data)
    for _ in range(draw.randint(1, 2)):
        node: Any = tree
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = draw.choice(keys)
            if isinstance(node[key], dict | list) and node[key] and draw.random() < 0.8:
                node = node[key]
                continue
            kind = draw.randrange(8)
            if kind == 0:
                del node[key]
            elif kind == 1 and isinstance(node, dict):
                node[draw.choice(("x", "window", "notes", "version"))] = copy.deepcopy(
                    draw.choice(ODD)
                )
            else:
                node[key] = copy.deepcopy(draw.choice(ODD))
            break
    return json.dumps(tree).encode()


def edit_header(draw: random.Random, data: bytes) -> bytes:
    """Change a word of an .npy header, and often its length to match."""
    head, body = data[10:128], data[128:]
    words = re.findall(rb"'[^']*'|\([^)]*\)|\w+", head)
    head = head.replace(draw.choice(words), draw.choice(NPY_WORDS), draw.randint(1, 2))
    if draw.random() < 0.7:
        head = head.strip().ljust(117)[:117] + b"\n"
    size = len(head) if draw.random() < 0.8 else draw.randrange(1 << 16)
    return data[:8] + size.to_bytes(2, "little") + head + body


def edit_lines(draw: random.Random, data: bytes) -> bytes:
    """Change a field of a table, or the order of its lines."""
    lines = data.split(b"\n")
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(4)
    if kind == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 1:
        lines[at] = lines[other]
    elif kind == 2:
        lines.insert(
            at, draw.choice((b"", b"\t", b"\t1", b"a\tb", "x\t٣".encode(), b"y\t-1", b"z 1"))
        )
    else:
        word, tab, _ = lines[at].partition(b"\t")
        number = draw.choice((b"0", b"-1", b"1e3", b"9" * 18, b"9" * 19, b"9" * 5000, b"", b" 1"))
        lines[at] = word + tab + number
    return b"\n".join(lines)


def damage(draw: random.Random, name: str, data: bytes) -> bytes:
    """Damage one file, mostly in a way that suits its format."""
    if draw.random() < 0.6:
        if name.endswith(".json"):
            return edit_json(draw, data)
        if name.endswith(".npy"):
            if draw.random() < 0.5:
                return edit_header(draw, data)
            return data[:128] + flip(draw, data[128:])
        return edit_lines(draw, data)
    return draw.choice((flip, splice))(draw, data)


@contextmanager
def damaged(draw: random.Random, files: Files, path: Path) -> Iterator[None]:
    """Damage one to three files of a store, and repair them afterwards."""
    names = draw.sample(sorted(files), draw.choice((1, 1, 1, 2, 3)))
    try:
        for name in names:
            if draw.random() < 0.02:
                (path / name).unlink()
            else:
                (path / name).write_bytes(damage(draw, name, files[name]))
        yield
    finally:
        for name in names:
            (path / name).write_bytes(files[name])


def use(counts: firth.Counts, sound: firth.Counts) -> None:
    """Use counts as a program does."""
    repr(counts)
    counts.ledger.entries()
    counts.csr()
    counts.to_scipy()
    _ = counts.total
    for word in counts.words.words[:2]:
        counts.row(word)
    counts.top(2, 2)
    for offset in counts.offsets[:1]:
        counts.block(offset)
    counts.equals(sound)
    json.dumps(meta_of(counts), allow_nan=False)
    _ = counts + counts
    _ = sound + counts


def ask(tree: firth.Hierarchy, path: Path) -> None:
    """Do with a tree what a program does; what was taken is taken again after it is saved."""
    repr(tree)
    for clusters in range(1, len(tree) + 1):
        tree.cut(clusters)
    tree.to_linkage(costs=True)
    for bits in tree.members:
        tree.prefix(bits)
    tree.save(path, force=True)
    again = firth.Hierarchy.load(path)
    if again.recipe != tree.recipe or again.bits != tree.bits:
        raise AssertionError("a tree that changes when it is written and read")
    from_text(to_text(tree), "paths")


class Fuzzer:
    """The readers, each with files of its own that are damaged and then restored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stores = bases(folder)
        self.sound = [firth.Counts.load(folder / f"base{number}") for number in range(4)]
        self.sound.append(firth.Counts.load(folder / "wide"))
        self.paths = self.lay_out("store", self.stores)
        self.trees = tree_bases(folder)
        self.tree_paths = self.lay_out("tree", self.trees)
        firth.write_glove(self.sound[1], folder / "records", folder / "vocabulary")
        self.records = (folder / "records").read_bytes()
        self.vocabulary = (folder / "vocabulary").read_bytes()
        self.words = self.stores[0]["words.tsv"]

    def lay_out(self, name: str, stores: list[Files]) -> list[Path]:
        """Write the files of stores into folders of their own."""
        paths = []
        for number, files in enumerate(stores):
            path = self.folder / f"{name}{number}"
            path.mkdir()
            for file, data in files.items():
                (path / file).write_bytes(data)
            paths.append(path)
        return paths

    def store(self, draw: random.Random) -> None:
        """Damage a store of counts, and use what can be read."""
        number = draw.randrange(len(self.stores))
        files, path = self.stores[number], self.paths[number]
        with damaged(draw, files, path):
            use(firth.Counts.load(path), self.sound[number])

    def hierarchy(self, draw: random.Random) -> None:
        """Damage a store of a tree, and use what is left."""
        number = draw.randrange(len(self.trees))
        files, path = self.trees[number], self.tree_paths[number]
        with damaged(draw, files, path):
            ask(firth.Hierarchy.load(path), self.folder / "saved")

    def glove(self, draw: random.Random) -> None:
        """Damage GloVe's records or vocabulary."""
        records, vocabulary = self.records, self.vocabulary
        if draw.random() < 0.7:
            records = draw.choice((flip, flip, flip, splice))(draw, records)
        if draw.random() < 0.4:
            table = vocabulary.replace(b" ", b"\t")
            vocabulary = damage(draw, "vocabulary", table).replace(b"\t", b" ")
        (self.folder / "records").write_bytes(records)
        (self.folder / "vocabulary").write_bytes(vocabulary)
        scale = draw.choice((1, 6, 2520, 2**62))
        found = firth.read_glove(
            self.folder / "records", self.folder / "vocabulary", denominator=scale
        )
        use(found, found)

    def table(self, draw: random.Random) -> None:
        """Damage a vocabulary file."""
        data = damage(draw, "words.tsv", self.words)
        (self.folder / "words").write_bytes(data)
        read_word_list(self.folder / "words")
        text = data.decode("utf-8", "replace")
        found = Vocabulary.from_text(text, "words")
        again = Vocabulary.from_text(found.to_text(), "words")
        if found != again:
            raise AssertionError("a vocabulary changes when it is written and read")

    def reader(self, name: str) -> One:
        """Return a function that runs one input of a reader."""
        return {
            "store": self.store,
            "hierarchy": self.hierarchy,
            "glove-counts": self.glove,
            "vocabulary": self.table,
        }[name]


if __name__ == "__main__":
    sys.exit(run(READERS, lambda folder, name: Fuzzer(folder).reader(name), __doc__))
