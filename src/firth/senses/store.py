"""The store of senses: a versioned folder of plain files, mapped on load and written whole.

``meta.json`` (format, sizes, recipe), ``words.tsv`` (all words that were counted), ``places.npy``
(those with senses), ``first.npy`` (their senses), and the vectors in compressed rows,
``starts.npy``, ``columns.npy`` and ``values.npy``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from firth.errors import FirthError, StoreError
from firth.senses.senses import Senses
from firth.stores.arrays import load_array, load_csr, write_array
from firth.stores.describing import Description, bytes_on_disk, first_words, recipe_lines, size_row
from firth.stores.describing import words_line as line_of_words
from firth.stores.kinds import META, Kind, size_of
from firth.stores.workspace import write_folder
from firth.text.vocabulary import read_vocabulary, write_vocabulary

WORDS, PLACES, FIRST = "words.tsv", "places.npy", "first.npy"
STARTS, COLUMNS, VALUES = "starts.npy", "columns.npy", "values.npy"
FILES = frozenset({META, WORDS, PLACES, FIRST, STARTS, COLUMNS, VALUES})
KIND = Kind("firth-senses", "senses", "firth senses", FILES)


def check_target(path: Path, force: bool) -> None:
    """Raise if senses cannot be written there, or would replace something that they must not."""
    KIND.check_output(path, force)


def save(senses: Senses, path: Path, *, force: bool = False) -> None:
    """Write senses, whole or not at all."""
    if not np.isfinite(senses.values).all():
        raise FirthError("a strength of a sense is not finite: nothing was written")
    try:
        json.dumps(senses.recipe, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise FirthError(f"the recipe cannot be written as JSON: {error}") from None
    check_target(path, force)
    meta = {
        "words": len(senses.words),
        "divided": len(senses.places),
        "senses": len(senses),
        "nonzeros": len(senses.values),
        "recipe": senses.recipe,
    }
    with write_folder(path, FILES, force=force) as folder:
        write_vocabulary(folder / WORDS, senses.words)
        write_array(folder / PLACES, senses.places.astype("<i8", copy=False))
        write_array(folder / FIRST, senses.first.astype("<i8", copy=False))
        write_array(folder / STARTS, senses.starts.astype("<i8", copy=False))
        write_array(folder / COLUMNS, senses.columns.astype("<i4", copy=False))
        write_array(folder / VALUES, senses.values.astype("<f4", copy=False))
        KIND.write_meta(folder, meta)


def load(path: Path) -> Senses:
    """Map senses into memory; all but their strengths is checked."""
    meta = KIND.read_meta(path)
    words = read_vocabulary(path / WORDS)
    try:
        count, divided, senses, size = (
            size_of(meta[name]) for name in ("words", "divided", "senses", "nonzeros")
        )
        recipe = _recipe(meta["recipe"])
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path / META}: {error!r}: the store is damaged") from None
    if count != len(words):
        raise StoreError(f"{path / META}: does not fit the words: the store is damaged")
    places = load_array(path / PLACES, ("<i8",), divided)
    first = load_array(path / FIRST, ("<i8",), divided + 1)
    files = path / STARTS, path / COLUMNS, path / VALUES
    starts, columns, values = load_csr(files, ("<f4",), senses, size)
    if (
        not divided
        or places[0] < 0
        or places[-1] >= count
        or (np.diff(places) <= 0).any()
        or int(first[0]) != 0
        or int(first[-1]) != senses
        or (np.diff(first) <= 0).any()
        or (np.diff(starts) <= 0).any()
        or columns.min() < 0
        or columns.max() >= count
    ):
        raise StoreError(f"{path}: the arrays do not fit each other: the store is damaged")
    return Senses(words, places, first, starts, columns, values, recipe)


def _recipe(value: Any) -> dict[str, Any]:
    """Check the parts of a recipe that are read again."""
    method = value["method"]
    if not isinstance(method, dict) or not isinstance(method["alpha"], int | float):
        raise TypeError("the recipe does not say how the senses were learnt")
    if not isinstance(value.get("counts", {}), dict):
        raise TypeError("the recipe does not say how the words were counted")
    json.dumps(value, allow_nan=False)  # it can be saved again
    return dict(value)


def load_checked(path: Path) -> Senses:
    """Map senses into memory, and check all of them."""
    senses = load(path)
    if not np.isfinite(senses.values).all() or (senses.values <= 0).any():
        raise StoreError(f"{path / VALUES}: not all strengths are above zero: the store is damaged")
    steps = np.diff(senses.columns)
    inside = np.ones(len(steps), dtype=np.bool_)
    inside[senses.starts[1:-1] - 1] = False  # from the end of a sense to the next
    if (steps[inside] <= 0).any():
        raise StoreError(f"{path / COLUMNS}: contexts are out of order: the store is damaged")
    return senses


def describe(path: Path) -> Description:
    """Describe a store for ``firth info``, after checking all of it."""
    senses = load_checked(path)
    size = bytes_on_disk(path)
    counts = np.diff(senses.first)
    places = senses.places.tolist()
    frequencies = senses.words.frequencies[senses.places].tolist()
    frequent = first_words([senses.words.words[place] for place in places], frequencies)
    content = {
        "store": str(path),
        "kind": "senses",
        "words": len(senses.words),
        "divided": len(places),
        "senses": len(senses),
        "nonzeros": len(senses.values),
        "bytes": size,
        "recipe": senses.recipe,
        "most_frequent": frequent,
    }
    rows = [
        size_row(size),
        ("senses", f"{len(senses):,} of {len(places):,} words"),
        ("senses of a word", f"{counts.min()} to {counts.max()}"),
        ("nonzeros", f"{len(senses.values):,}"),
    ]
    lines = [*recipe_lines(senses.recipe, ("method", "counts")), line_of_words(frequent)]
    return Description(repr(senses), rows, lines, content)
