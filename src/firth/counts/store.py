"""The store: a versioned folder of plain files that is mapped on load and written whole.

``meta.json`` (format, shape, recipe, ledger), ``words.tsv`` and, where they differ,
``contexts.tsv`` (word, tab, frequency), ``starts.npy``, ``columns.npy``, ``values.npy``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firth.counts.arrays import COLUMNS, LIMIT, STARTS, VALUES, load_rows, write_array
from firth.counts.ledger import Ledger
from firth.counts.matrix import Counts
from firth.counts.recipe import WIDEST, Recipe
from firth.counts.workspace import SUFFIX, Workspace
from firth.errors import StoreError
from firth.text.vocabulary import Vocabulary
from firth.writing import said, write_whole

FORMAT, VERSION = "firth-counts", 2
META, WORDS, CONTEXTS = "meta.json", "words.tsv", "contexts.tsv"
_LARGEST_META = 64 << 20


def read_meta(path: Path, kind: str = FORMAT, version: int = VERSION) -> dict[str, Any]:
    """Read the description of a store of some kind, or say why this is none."""
    command = "firth count" if kind == FORMAT else "firth fit"
    if not path.exists():
        raise StoreError(f"{path}: no such store: make it with {command}, or check the name")
    if not path.is_dir() or not (path / META).is_file():
        raise StoreError(
            f"{path}: not a firth store (a folder with a {META}): make one with {command}"
        )
    try:
        if (path / META).stat().st_size > _LARGEST_META:
            raise StoreError(f"{path / META}: too large to be a description: run {command} again")
        meta = json.loads((path / META).read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(
            f"{path / META}: cannot be read: {error.strerror}: make it readable"
        ) from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path / META}: not JSON ({error}): the store is damaged") from None
    if not isinstance(meta, dict) or meta.get("format") != kind:
        what = "counts" if kind == FORMAT else "vectors"
        raise StoreError(f"{path}: not a store of {what}: make one with {command}")
    found = meta.get("version")
    if type(found) is not int or not 1 <= found <= version:
        raise StoreError(
            f"{path}: version {found!r:.40} of the format; this firth reads {version}: "
            f"install a newer firth, or run {command} again"
        )
    return meta


def is_store(path: Path, kind: str = FORMAT) -> bool:
    """Whether a folder is a store of some kind, of any version."""
    try:
        meta = json.loads((path / META).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(meta, dict) and meta.get("format") == kind


def load(path: Path) -> Counts:
    """Map a store into memory."""
    meta = read_meta(path)
    try:
        rows, columns = (_whole(value) for value in meta["shape"])
        nonzeros, scale = _whole(meta["nonzeros"]), _whole(meta["scale"])
        offsets = tuple(_offset(value) for value in meta["offsets"])
        same = bool(meta["same_contexts"])
        recipe, ledger = Recipe.from_json(meta["recipe"]), Ledger.from_json(meta["ledger"])
        symmetric = recipe.symmetry(same) if meta["version"] == 1 else _symmetry(meta["symmetric"])
    except StoreError as error:
        raise StoreError(f"{path / META}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{path / META}: {error!r}: the store is damaged") from None
    words = read_words(path / WORDS)
    contexts = words if same else read_words(path / CONTEXTS)
    if (rows, columns) != (len(words), len(contexts) * max(1, len(offsets))):
        raise StoreError(f"{path}: the vocabularies do not fit the matrix: the store is damaged")
    if not 1 <= scale <= LIMIT:
        raise StoreError(f"{path / META}: {scale!r:.40} is not a scale: the store is damaged")
    arrays = load_rows(path, rows, nonzeros)
    return Counts(words, contexts, scale, offsets, recipe, ledger, *arrays, symmetric)


def load_checked(path: Path) -> Counts:
    """Map a store into memory, and check the whole of it."""
    counts = load(path)
    try:
        counts.csr()
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    return counts


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a size")
    return value


def _symmetry(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{value!r:.40} does not say whether the matrix is symmetric")
    return value


def _offset(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < abs(value) <= WIDEST:
        raise ValueError(f"{value!r} is not an offset")
    return value


def read_words(path: Path) -> Vocabulary:
    """Read the vocabulary of a store."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read: {error.strerror}: make it readable, or the store again"
        ) from error
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path}: not UTF-8 at byte {error.start:,}: the store is damaged"
        ) from None
    return Vocabulary.from_text(text, str(path))


def describe(counts: Counts) -> dict[str, Any]:
    """Make the description of a store.

    Version 1 has no entry for symmetry: there it follows from the recipe of a counted text. It is
    still written where that is so.
    """
    same = counts.contexts == counts.words
    recipe = counts.recipe
    counted = recipe.source == "text" and recipe.is_complete
    implied = counted and counts.symmetric == recipe.symmetry(same)
    more = {} if implied else {"symmetric": counts.symmetric}
    return {
        **more,
        "format": FORMAT,
        "version": 1 if implied else VERSION,
        "shape": list(counts.shape),
        "nonzeros": counts.nnz,
        "scale": counts.denominator,
        "offsets": list(counts.offsets),
        "same_contexts": same,
        "recipe": recipe.to_json(),
        "ledger": counts.ledger.to_json(),
    }


def write_description(folder: Path, counts: Counts) -> None:
    """Write all of a store but its arrays."""
    meta = describe(counts)
    write_whole(folder / WORDS, counts.words.to_text())
    if not meta["same_contexts"]:
        write_whole(folder / CONTEXTS, counts.contexts.to_text())
    write_whole(folder / META, json.dumps(meta, indent=2, sort_keys=True) + "\n")


def check_target(path: Path, force: bool, kind: str = FORMAT) -> None:
    """Raise if an output would take the place of something it must not."""
    with said(path):
        if not path.exists() and not path.is_symlink():
            return
    if not path.is_dir() or path.is_symlink() or not is_store(path, kind):
        what = "counts" if kind == FORMAT else "vectors"
        raise StoreError(f"{path}: exists and is not a store of {what}: choose another name")
    if not force:
        raise StoreError(f"{path}: exists: choose another name, or replace it with --force")


def workspace_for(path: Path) -> Path:
    """Return the folder in which the output ``path`` is made."""
    if not path.name:
        raise StoreError(f"{path}: not a name for an output: choose another")
    return path.with_name(path.name + SUFFIX)


def save(counts: Counts, path: Path, *, force: bool = False) -> None:
    """Write a store, whole or not at all."""
    check_target(path, force)
    starts, columns, values = counts.csr()
    with Workspace(workspace_for(path), {}, resume=False, force=force) as work, said(path):
        for name, array in ((STARTS, starts), (COLUMNS, columns), (VALUES, values)):
            write_array(work.store / name, array)
        write_description(work.store, counts)
        if force:  # someone may have put something there meanwhile
            check_target(path, force)
        work.publish(path, replace=force)
