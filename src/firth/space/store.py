"""The store of a space: a versioned folder of plain files, mapped on load and written whole.

``meta.json`` (format, shape, recipe), ``words.tsv``, ``vectors.npy``; where the method leaves them,
``contexts.tsv``, ``left.npy``, ``spectrum.npy`` and ``right.npy``; and the association matrix (see
`firth.space.association_store`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from firth.counts import store as counts_store
from firth.counts.arrays import load_array, write_array
from firth.counts.store import CONTEXTS, META, WORDS, read_meta, read_words
from firth.errors import FirthError, StoreError
from firth.space import association_store
from firth.space.association_store import StoredAssociation, load_association, write_association
from firth.space.combining import Factors
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary
from firth.writing import write_folder, write_whole

FORMAT, VERSION = "firth-space", 2
READ = (1, 2)  # versions
VECTORS, LEFT, RIGHT, SPECTRUM = "vectors.npy", "left.npy", "right.npy", "spectrum.npy"
FILES = {META, WORDS, CONTEXTS, VECTORS, LEFT, RIGHT, SPECTRUM, *association_store.FILES}


def is_space(path: Path) -> bool:
    """Whether a folder is a stored space, of any version."""
    return counts_store.is_store(path, FORMAT)


def check_target(path: Path, force: bool) -> None:
    """Raise if a space cannot be written there, or would take the place of something else."""
    counts_store.check_target(path, force, FORMAT)
    if not path.name or not path.absolute().parent.is_dir():
        raise StoreError(f"{path}: cannot be written: no such folder: choose another name")


def save(space: Space, path: Path, *, force: bool = False) -> None:
    """Write a space, whole or not at all; nothing that is not finite is ever written."""
    finite = np.isfinite(space.vectors).all(axis=1)
    if not finite.all():
        word = space.words.words[int(np.argmin(finite))]
        raise FirthError(f"the vector of {word!r} is not finite: nothing was written")
    check_target(path, force)
    meta = _describe(space)
    with write_folder(path, FILES, force=force) as folder:
        write_whole(folder / WORDS, space.words.to_text())
        if space.contexts is not None and not meta["same_contexts"]:
            write_whole(folder / CONTEXTS, space.contexts.to_text())
        write_array(folder / VECTORS, space.vectors)
        if space.factors is not None:
            write_array(folder / LEFT, space.factors.left)
            write_array(folder / SPECTRUM, space.factors.values)
            if space.factors.right is not None:
                write_array(folder / RIGHT, space.factors.right)
        if space.association is not None:
            meta["association"] = write_association(
                folder, space.association, space.words.frequencies
            )
        write_whole(folder / META, json.dumps(meta, indent=2, sort_keys=True) + "\n")


def _describe(space: Space) -> dict[str, Any]:
    factors = space.factors
    return {
        "format": FORMAT,
        "version": VERSION,
        "shape": list(space.vectors.shape),
        "contexts": None if space.contexts is None else len(space.contexts),
        "same_contexts": space.contexts is not None and space.contexts == space.words,
        "factors": None
        if factors is None
        else {
            **factors.settings(),
            "rank": len(factors.values),
            "right": None if factors.right is None else len(factors.right),
        },
        "association": None,
        "recipe": space.recipe,
    }


def load(path: Path) -> Space:
    """Map a space into memory."""
    meta = read_meta(path, FORMAT, READ)
    words = read_words(path / WORDS)
    try:
        rows, columns = (_size(n) for n in meta["shape"])
        contexts = None
        if meta["contexts"] is not None:
            contexts = words if meta["same_contexts"] else read_words(path / CONTEXTS)
        _check_lengths(meta, words, contexts)
        recipe = _recipe(meta["recipe"])
        vectors = load_array(path / VECTORS, ("<f4",), rows, columns)
        factors = _load_factors(path, meta["factors"], rows)
        association = load_association(path, meta["association"], rows)
        _check_columns(association, contexts, len(recipe.get("offsets", [])))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StoreError(f"{path / META}: {error!r}: the store is damaged") from None
    return Space(words, vectors, contexts, factors, association, recipe)


def load_checked(path: Path) -> Space:
    """Map a space into memory, and see that the whole of it is sound."""
    space = load(path)
    try:
        _ = space.norms
        if isinstance(space.association, StoredAssociation):
            space.association.check()
    except (FirthError, ValueError, IndexError) as error:
        raise StoreError(f"{path}: {error}: the store is damaged") from None
    return space


def _check_lengths(meta: dict[str, Any], words: Vocabulary, contexts: Vocabulary | None) -> None:
    if meta["shape"][0] != len(words):
        raise ValueError("the description does not fit the words")
    if contexts is not None and meta["contexts"] != len(contexts):
        raise ValueError("the description does not fit the contexts")


def _check_columns(
    association: StoredAssociation | None, contexts: Vocabulary | None, offsets: int
) -> None:
    if association is None:
        return
    if contexts is None or association.shape[1] != len(contexts) * max(1, offsets):
        raise ValueError("the association does not fit the contexts")


def _recipe(value: Any) -> dict[str, Any]:
    """Check the parts of a recipe that are read again."""
    recipe = dict(value)
    method, offsets = recipe.get("method", {}), recipe.get("offsets", [])
    if not isinstance(method, dict) or not isinstance(method.get("name", ""), str):
        raise TypeError("the recipe names no method")
    if not isinstance(offsets, list) or any(type(offset) is not int for offset in offsets):
        raise TypeError("the offsets are not whole numbers")
    return recipe


def _size(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a size")
    return value


def _load_factors(path: Path, meta: Any, rows: int) -> Factors | None:
    if meta is None:
        return None
    rank = _size(meta["rank"])
    right = None
    if meta["right"] is not None:
        right = load_array(path / RIGHT, ("<f4",), _size(meta["right"]), rank)
    return Factors(
        load_array(path / LEFT, ("<f4",), rows, rank),
        load_array(path / SPECTRUM, ("<f8",), rank),
        right,
        float(meta["beta"]),
        str(meta["combine"]),
        float(meta["weight"]),
    )
