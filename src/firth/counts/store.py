"""The store: a versioned folder of plain files that is mapped on load and written whole.

``meta.json`` (format, shape, recipe, ledger), ``words.tsv`` and, where they differ,
``contexts.tsv`` (word, tab, frequency), ``starts.npy``, ``columns.npy``, ``values.npy``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firth.counts.arrays import COLUMNS, LIMIT, STARTS, VALUES, load_rows, write_array
from firth.counts.matrix import Counts
from firth.counts.recipe import WIDEST, Ledger, Recipe
from firth.counts.workspace import SUFFIX, Workspace
from firth.errors import StoreError
from firth.text.vocabulary import Vocabulary
from firth.writing import said, write_whole

FORMAT, VERSION = "firth-counts", 1
META, WORDS, CONTEXTS = "meta.json", "words.tsv", "contexts.tsv"
_LARGEST_META = 64 << 20


def read_meta(
    path: Path, kind: str = FORMAT, versions: tuple[int, ...] = (VERSION,)
) -> dict[str, Any]:
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
    if meta.get("version") not in versions:
        raise StoreError(
            f"{path}: version {meta.get('version')!r} of the format; this firth reads "
            f"{' and '.join(map(str, versions))}: "
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
    return Counts(words, contexts, scale, offsets, recipe, ledger, *arrays)


def load_checked(path: Path) -> Counts:
    """Map a store into memory, and see that the whole of it is sound."""
    counts = load(path)
    try:
        counts.rows()
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    return counts


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a size")
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
    """Make the description of a store."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "shape": list(counts.shape),
        "nonzeros": counts.nnz,
        "scale": counts.scale,
        "offsets": list(counts.offsets),
        "same_contexts": counts.contexts == counts.words,
        "recipe": counts.recipe.to_json(),
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
    starts, columns, values = counts.rows()
    with Workspace(workspace_for(path), {}, resume=False, force=force) as work, said(path):
        for name, array in ((STARTS, starts), (COLUMNS, columns), (VALUES, values)):
            write_array(work.store / name, array)
        write_description(work.store, counts)
        if force:  # someone may have put something there meanwhile
            check_target(path, force)
        work.publish(path, replace=force)
