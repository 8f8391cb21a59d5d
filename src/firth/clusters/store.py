"""The store of a tree of clusters: a versioned folder of plain files, written whole.

``meta.json`` (format, words, clusters, recipe), ``words.tsv``, ``merges.npy`` and ``costs.npy``;
for a tree that was read from a paths file also ``paths.txt``, a line of bits for each word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from firth.clusters.hierarchy import Hierarchy
from firth.errors import FirthError, StoreError
from firth.stores.arrays import load_array, write_array
from firth.stores.describing import (
    Description,
    bytes_on_disk,
    first_words,
    recipe_lines,
    size_row,
    words_line,
)
from firth.stores.kinds import META, Kind, read_text, size_of
from firth.stores.workspace import write_folder
from firth.stores.writing import write_whole
from firth.text.vocabulary import Vocabulary, read_vocabulary, write_vocabulary

WORDS, MERGES, COSTS, PATHS = "words.tsv", "merges.npy", "costs.npy", "paths.txt"
FILES = frozenset({META, WORDS, MERGES, COSTS, PATHS})
KIND = Kind("firth-hierarchy", "clusters", "firth cluster", FILES)


def check_target(path: Path, force: bool) -> None:
    """Raise if a tree cannot be written there, or would replace something that it must not."""
    KIND.check_output(path, force)


def save(tree: Hierarchy, path: Path, *, force: bool = False) -> None:
    """Write a tree, whole or not at all."""
    if not np.isfinite(tree.costs).all():
        number = int(np.argmin(np.isfinite(tree.costs)))
        raise FirthError(f"the cost of merge {number:,} is not finite: nothing was written")
    try:
        json.dumps(tree.recipe, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise FirthError(f"the recipe cannot be written as JSON: {error}") from None
    check_target(path, force)
    meta = {
        "words": len(tree),
        "clusters": tree.clusters,
        "given": tree.given is not None,
        "recipe": tree.recipe,
    }
    with write_folder(path, FILES, force=force) as folder:
        write_vocabulary(folder / WORDS, tree.words)
        write_array(folder / MERGES, tree.merges.astype("<i8", copy=False))
        write_array(folder / COSTS, tree.costs.astype("<f8", copy=False))
        if tree.given is not None:
            write_whole(folder / PATHS, "".join(f"{bits}\n" for bits in tree.given))
        KIND.write_meta(folder, meta)


def load(path: Path) -> Hierarchy:
    """Load a tree; all of it is checked."""
    meta = KIND.read_meta(path)
    words = read_vocabulary(path / WORDS)
    try:
        size, clusters, given = _sizes(meta, words)
        recipe = _recipe(meta["recipe"])
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path / META}: {error!r}: the store is damaged") from None
    paths = _paths(path / PATHS, words) if given else None
    merges = load_array(path / MERGES, ("<i8",), size - 1, 2)
    costs = load_array(path / COSTS, ("<f8",), size - 1)
    if not np.isfinite(costs).all():
        raise StoreError(f"{path / COSTS}: not all costs are finite: the store is damaged")
    try:
        return Hierarchy(words, merges, costs, clusters, recipe, paths)
    except FirthError as error:
        raise StoreError(f"{path}: {error.marked}: the store is damaged") from None


def _sizes(meta: dict[str, Any], words: Vocabulary) -> tuple[int, int, bool]:
    """Return how many words and clusters there are, and whether paths were given."""
    size, clusters, given = size_of(meta["words"]), size_of(meta["clusters"]), meta["given"]
    if not isinstance(given, bool) or size != len(words) or not size:
        raise ValueError("the description does not fit the words")
    return size, clusters, given


def _recipe(value: Any) -> dict[str, Any]:
    """Check the parts of a recipe that are read again."""
    if not isinstance(value, dict) or not isinstance(value.get("method", {}), dict):
        raise TypeError("the recipe names no method")
    json.dumps(value, allow_nan=False)  # it can be saved again
    return value


def _paths(path: Path, words: Vocabulary) -> tuple[str, ...]:
    lines = read_text(path).split("\n")
    if len(lines) != len(words) + 1 or lines[-1]:
        raise StoreError(f"{path}: not a path for each word: the store is damaged")
    return tuple(lines[:-1])


def describe(path: Path) -> Description:
    """Describe a store for ``firth info``, after checking all of it."""
    return description_of(load(path), {"store": str(path)}, bytes_on_disk(path))


def description_of(tree: Hierarchy, place: Mapping[str, str], size: int) -> Description:
    """Describe a tree.

    Parameters
    ----------
    tree
        A tree.
    place
        Where it lies, for JSON.
    size
        Its bytes on disk.
    """
    sizes = [len(words) for words in tree.members.values()]
    lengths = [len(bits) for bits in tree.members]
    frequent = first_words(tree.words.words, tree.words.frequencies.tolist())
    content = {
        **place,
        "kind": "clusters",
        "words": len(tree),
        "clusters": tree.clusters,
        "largest": max(sizes),
        "shortest_path": min(lengths),
        "longest_path": max(lengths),
        "bytes": size,
        "recipe": tree.recipe,
        "most_frequent": frequent,
    }
    rows = [
        size_row(size),
        ("words in a cluster", f"{min(sizes):,} to {max(sizes):,}"),
        ("bits in a path", f"{min(lengths)} to {max(lengths)}"),
    ]
    lines = [*recipe_lines(tree.recipe, ("method", "space", "counts")), words_line(frequent)]
    return Description(repr(tree), rows, lines, content)
