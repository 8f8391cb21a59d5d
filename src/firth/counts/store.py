"""The store of counts: a versioned folder of plain files, mapped on load and written whole.

``meta.json`` (format, shape, recipe, ledger), ``words.tsv`` and, where they differ,
``contexts.tsv`` (word, tab, frequency), ``starts.npy``, ``columns.npy``, ``values.npy``. Of a
symmetric window over one vocabulary the arrays hold the left half (see `firth.counts.halves`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firth.counts.arrays import COLUMNS, LIMIT, STARTS, VALUES, load_rows
from firth.counts.blocks import SIDES, Blocks
from firth.counts.ledger import Ledger
from firth.counts.matrix import Counts
from firth.counts.recipe import WIDEST, Recipe
from firth.counts.workspace import Workspace
from firth.errors import StoreError
from firth.stores.arrays import write_array
from firth.stores.describing import (
    Description,
    bytes_on_disk,
    first_words,
    recipe_line,
    size_row,
    words_line,
)
from firth.stores.kinds import META, Kind, size_of
from firth.stores.workspace import workspace_for
from firth.stores.writing import naming_write_errors
from firth.text.vocabulary import read_vocabulary, write_vocabulary

WORDS, CONTEXTS = "words.tsv", "contexts.tsv"
FILES = frozenset({META, WORDS, CONTEXTS, STARTS, COLUMNS, VALUES})
KIND = Kind("firth-counts", "counts", "firth count", FILES, version=3, readable=(1, 2, 3))


def is_store(path: Path) -> bool:
    """Return whether a folder is a store of counts, of any version."""
    return KIND.is_at(path)


def check_target(path: Path, force: bool) -> None:
    """Raise if an output would replace something that it must not."""
    KIND.check_target(path, force)


def load(path: Path) -> Counts:
    """Map a store into memory."""
    meta = KIND.read_meta(path)
    try:
        rows, columns = (size_of(value) for value in meta["shape"])
        nonzeros, scale = size_of(meta["nonzeros"]), size_of(meta["scale"])
        offsets = _blocks(meta["offsets"])
        same = bool(meta["same_contexts"])
        recipe, ledger = Recipe.from_json(meta["recipe"]), Ledger.from_json(meta["ledger"])
        symmetric = recipe.symmetry(same) if meta["version"] == 1 else _flag(meta["symmetric"])
        half = meta["version"] >= 3 and _flag(meta["half"]) is True
    except StoreError as error:
        raise StoreError(f"{path / META}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{path / META}: {error!r}: the store is damaged") from None
    words = read_vocabulary(path / WORDS)
    contexts = words if same else read_vocabulary(path / CONTEXTS)
    fit = (rows, columns) == (len(words), len(contexts) * max(1, len(offsets)))
    if not fit or (half and not (same and offsets == SIDES)):
        raise StoreError(f"{path}: the vocabularies do not fit the matrix: the store is damaged")
    if not 1 <= scale <= LIMIT:
        raise StoreError(f"{path / META}: {scale!r:.40} is not a scale: the store is damaged")
    arrays = load_rows(path, rows, nonzeros)
    return Counts(words, contexts, scale, offsets, recipe, ledger, *arrays, symmetric, half)


def load_checked(path: Path) -> Counts:
    """Map a store into memory, and check all of it."""
    counts = load(path)
    try:
        counts.stored()
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    return counts


def _flag(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{value!r:.40} where true, false or null was expected")
    return value


def _blocks(values: Any) -> Blocks:
    """Return the blocks of columns that a description lists."""
    if tuple(values) == SIDES:
        return SIDES
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < abs(value) <= WIDEST:
            raise ValueError(f"{value!r} is not an offset")
    return tuple(values)


def meta_of(counts: Counts) -> dict[str, Any]:
    """Return what the description of a store says of counts.

    Version 1 has no entry for symmetry: there it follows from the recipe of a counted text. Version
    2 has no sides. Both are still written where they suffice.
    """
    same = counts.contexts == counts.words
    recipe = counts.recipe
    counted = recipe.source == "text" and recipe.is_complete
    implied = counted and counts.symmetric == recipe.symmetry(same)
    more: dict[str, Any] = {"version": 2, "symmetric": counts.symmetric}
    if counts.offsets == SIDES:
        more = {"symmetric": counts.symmetric, "half": counts.half}
    elif implied:
        more = {"version": 1}
    return {
        **more,
        "shape": list(counts.shape),
        "nonzeros": len(counts.columns),
        "scale": counts.denominator,
        "offsets": list(counts.offsets),
        "same_contexts": same,
        "recipe": recipe.to_json(),
        "ledger": counts.ledger.to_json(),
    }


def write_description(folder: Path, counts: Counts) -> None:
    """Write all of a store but its arrays."""
    meta = meta_of(counts)
    write_vocabulary(folder / WORDS, counts.words)
    if not meta["same_contexts"]:
        write_vocabulary(folder / CONTEXTS, counts.contexts)
    KIND.write_meta(folder, meta)


def save(counts: Counts, path: Path, *, force: bool = False) -> None:
    """Write a store, whole or not at all."""
    check_target(path, force)
    starts, columns, values = counts.stored()
    with (
        Workspace(workspace_for(path), force=force) as work,
        naming_write_errors(path),
    ):
        for name, array in ((STARTS, starts), (COLUMNS, columns), (VALUES, values)):
            write_array(work.store / name, array)
        write_description(work.store, counts)
        if force:  # something may have appeared there since
            check_target(path, force)
        work.publish(path, replace=force)


def describe(path: Path) -> Description:
    """Describe a store for ``firth info``, after checking all of it."""
    counts = load_checked(path)
    size, words = bytes_on_disk(path), counts.words
    frequent = first_words(words.words, words.frequencies.tolist())
    density = counts.nnz / max(1, counts.shape[0] * counts.shape[1])
    total = f"{counts.total:,}" + (
        f" units of 1/{counts.denominator}" if counts.denominator > 1 else ""
    )
    recipe = counts.recipe.to_json()
    content = {
        "store": str(path),
        "kind": "counts",
        "words": len(words),
        "contexts": len(counts.contexts),
        "offsets": list(counts.offsets),
        "nonzeros": counts.nnz,
        "scale": counts.denominator,
        "total": counts.total,
        "bytes": size,
        "recipe": recipe,
        "ledger": counts.ledger.to_json(),
        "most_frequent": frequent,
    }
    rows = [
        ("total", total),
        ("density", f"{density:.2%}"),
        size_row(size),
        *counts.ledger.entries(),
    ]
    lines = [recipe_line("recipe", recipe), words_line(frequent)]
    return Description(repr(counts), rows, lines, content)
