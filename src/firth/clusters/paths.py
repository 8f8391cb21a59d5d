"""Paths files: clusters as bit strings, the format that every reader of Brown clusters knows.

A line is ``bits<TAB>word<TAB>count``; lines are sorted by their bits, then by falling count. Words
with the same bits are one cluster. The format has no escapes: a word with a tab or a line end in it
cannot be written.

A file holds the tree of the clusters, but not the order of the merges or their costs. They are made
up on reading: the words of a cluster are merged one after the other by frequency, then the
clusters, the deepest first.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from firth.clusters.checking import check_paths
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.store import description_of
from firth.errors import FirthError, StoreError
from firth.stores.describing import Description, bytes_on_disk
from firth.stores.writing import check_free, write_files
from firth.text.vocabulary import Vocabulary, is_frequency

_LINE = re.compile(rb"(\xef\xbb\xbf)?[01]*\t[^\t\r\n]+\t[0-9]+\r?\n?")
_UNFIT = re.compile("[\t\n\r\ud800-\udfff]")  # surrogates have no UTF-8


def to_text(tree: Hierarchy) -> str:
    r"""Write the lines of a paths file.

    Examples
    --------
    >>> words = Vocabulary(["cat", "run", "dog"], [4, 3, 2])
    >>> to_text(Hierarchy(words, np.array([[0, 2], [1, 3]]), np.zeros(2), 2))
    '0\trun\t3\n1\tcat\t4\n1\tdog\t2\n'
    """
    for word in tree.words:
        if not word or _UNFIT.search(word):
            raise FirthError(
                f"{word!r:.80} cannot be written to a paths file, which has no words that are "
                "empty or have tabs, line ends or surrogates in them: save the tree instead"
            )
    frequencies = tree.words.frequencies.tolist()
    order = sorted(range(len(tree)), key=lambda i: (tree.bits[i], -frequencies[i], i))
    return "".join(f"{tree.bits[i]}\t{tree.words.words[i]}\t{frequencies[i]}\n" for i in order)


def save(tree: Hierarchy, path: Path, *, force: bool = False) -> None:
    """Write a paths file, whole or not at all; `force` replaces an earlier file."""
    check_free(path, force)
    text = to_text(tree).encode("utf-8")

    def write(file: IO[bytes]) -> None:
        file.write(text)

    write_files((path, write))


def is_readable(path: Path) -> bool:
    """Whether a file begins as a paths file does."""
    try:
        with open(path, "rb") as file:
            return _LINE.fullmatch(file.readline(4096)) is not None
    except OSError:
        return False


def load(path: Path) -> Hierarchy:
    """Read a paths file; an error names the line that is wrong."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read: {error.strerror}: make paths with firth cluster"
        ) from error
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: not UTF-8 at byte {error.start:,}: not a paths file") from error
    return from_text(text, str(path))


def describe(path: Path) -> Description:
    """Describe a paths file for ``firth info``, after reading all of it."""
    return description_of(load(path), {"file": str(path)}, bytes_on_disk(path))


def from_text(text: str, name: str) -> Hierarchy:
    r"""Make a tree from the lines of a paths file; `name` is the file's, for messages.

    Examples
    --------
    >>> from_text("0\tcat\t4\n10\trun\t3\n11\tsun\t2\n0\tdog\t2\n", "paths").words_of("dog")
    ['cat', 'dog']
    """
    entries: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.rstrip("\r"):
            continue
        parts = line.rstrip("\r").split("\t")
        if len(parts) != 3 or {*parts[0]} - {"0", "1"} or not parts[1].strip():
            raise StoreError(
                f"{name}: line {number:,} is not bits, a word and a count with tabs between them"
            )
        bits, word, count = parts
        if not is_frequency(count):
            raise StoreError(f"{name}: line {number:,}: {count[:40]!r} is not a count")
        if word in entries:
            raise StoreError(f"{name}: line {number:,}: {word[:40]!r} is given twice")
        entries[word] = bits, int(count)
    if not entries:
        raise StoreError(f"{name}: there are no paths in it")
    return _tree(entries, name)


def _tree(entries: dict[str, tuple[str, int]], name: str) -> Hierarchy:
    words = Vocabulary.sort({word: count for word, (_, count) in entries.items()})
    bits = tuple(entries[word][0] for word in words)
    paths = sorted({*bits})
    try:
        check_paths(paths)
        merges, costs = _merges(bits, paths)
        return Hierarchy(words, merges, costs, len(paths), {"method": {"name": "paths"}}, bits)
    except FirthError as error:
        raise StoreError(f"{name}: {error.marked}") from None


def _merges(
    bits: tuple[str, ...], paths: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Merge words to clusters, then clusters to a root, the deepest first."""
    size = len(bits)
    node_of: dict[str, int] = {}
    merges: list[tuple[int, int]] = []
    costs: list[float] = []

    def join(a: int, b: int, cost: float) -> int:
        merges.append((min(a, b), max(a, b)) if cost == 0 else (a, b))
        costs.append(cost)
        return size + len(merges) - 1

    for word, path in enumerate(bits):
        node_of[path] = join(node_of[path], word, 0.0) if path in node_of else word
    deepest = max(len(path) for path in paths)
    by_depth: dict[int, list[str]] = {}
    for path in paths:
        by_depth.setdefault(len(path), []).append(path)
    for depth in range(deepest, 0, -1):
        for path in sorted({p[:-1] for p in by_depth.get(depth, ())}):
            below = [node_of[path + bit] for bit in "01" if path + bit in node_of]
            # A file that lost the words of one side has a node with one child.
            node_of[path] = (
                below[0]
                if len(below) == 1
                else join(below[0], below[1], float(deepest - depth + 1))
            )
            by_depth.setdefault(depth - 1, []).append(path)
    pairs = np.array(merges, dtype=np.int64).reshape(-1, 2)
    return pairs, np.array(costs)
