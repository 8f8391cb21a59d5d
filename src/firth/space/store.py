"""The store of a space: a versioned folder of plain files, mapped on load and written whole.

``meta.json`` (format, shape, recipe), ``words.tsv``, ``vectors.npy``; where the method leaves them,
``contexts.tsv``, ``left.npy``, ``spectrum.npy``, ``right.npy``, since version 3 ``placed.npy`` and
``marginals.npy`` (see `Space.place`), and since version 4 ``biases.npy`` and views (see
`firth.space.view_store`); and the association matrix (see `firth.space.association_store`). The
first version that has all that a space needs is written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from firth.counts.blocks import SIDES
from firth.errors import FirthError, StoreError
from firth.resources import format_bytes
from firth.space import association_store, view_store
from firth.space.association_store import StoredAssociation, load_association
from firth.space.association_writing import write_association
from firth.space.combining import Factors
from firth.space.marginals import SETTINGS, Marginals
from firth.space.space import Space
from firth.stores.arrays import load_array, write_array
from firth.stores.describing import (
    Description,
    bytes_on_disk,
    first_words,
    recipe_lines,
    size_row,
    words_line,
)
from firth.stores.kinds import META, Kind, size_of
from firth.stores.workspace import write_folder
from firth.text.vocabulary import Vocabulary, read_vocabulary, write_vocabulary

WORDS, CONTEXTS = "words.tsv", "contexts.tsv"
VECTORS, LEFT, RIGHT, SPECTRUM = "vectors.npy", "left.npy", "right.npy", "spectrum.npy"
PLACED, MARGINALS, BIASES = "placed.npy", "marginals.npy", "biases.npy"
FILES = frozenset(
    {META, WORDS, CONTEXTS, VECTORS, LEFT, RIGHT, SPECTRUM, PLACED, MARGINALS, BIASES}
    | association_store.FILES
    | view_store.FILES
)
KIND = Kind("firth-space", "vectors", "firth fit", FILES, version=4, readable=(1, 2, 3, 4))


def is_space(path: Path) -> bool:
    """Whether a folder is a stored space, of any version."""
    return KIND.is_at(path)


def check_target(path: Path, force: bool) -> None:
    """Raise if a space cannot be written there, or would replace something that it must not."""
    KIND.check_output(path, force)


def save(space: Space, path: Path, *, force: bool = False) -> None:
    """Write a space, whole or not at all; a value that is not finite is an error."""
    finite = np.isfinite(space.vectors).all(axis=1)
    if not finite.all():
        word = space.words.words[int(np.argmin(finite))]
        raise FirthError(f"the vector of {word!r} is not finite: nothing was written")
    check_target(path, force)
    meta = _meta_of(space)
    with write_folder(path, FILES, force=force) as folder:
        write_vocabulary(folder / WORDS, space.words)
        if space.contexts is not None and not meta["same_contexts"]:
            write_vocabulary(folder / CONTEXTS, space.contexts)
        write_array(folder / VECTORS, space.vectors)
        if space.factors is not None:
            write_array(folder / LEFT, space.factors.left)
            write_array(folder / SPECTRUM, space.factors.values)
            if space.factors.right is not None:
                write_array(folder / RIGHT, space.factors.right)
            if space.factors.placed is not None:
                write_array(folder / PLACED, space.factors.placed)
            if space.factors.biases is not None:
                write_array(folder / BIASES, np.concatenate(space.factors.biases))
        if space.marginals is not None:
            write_array(folder / MARGINALS, _sums(space.marginals))
        if space.views is not None:
            meta["views"] = view_store.write_views(folder, space.views)
            meta["version"] = 4
        if space.association is not None:
            described = write_association(folder, space.association, space.words.frequencies)
            meta["association"] = described
            if described.get("sided"):  # which versions 1 and 2 do not have
                meta["version"] = max(meta["version"], 3)
        KIND.write_meta(folder, meta)


def _meta_of(space: Space) -> dict[str, Any]:
    factors, known = space.factors, space.marginals
    meta: dict[str, Any] = {
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
    placed = None if factors is None else factors.placed
    biases = None if factors is None else factors.biases
    if known is None and placed is None and biases is None:
        return {**meta, "version": 2}  # which earlier versions of firth read too
    meta["version"] = 3 if biases is None else 4
    if biases is not None:
        meta["factors"]["biases"] = [len(side) for side in biases]
    if placed is not None:
        meta["factors"]["placed"] = len(placed)
    if known is not None:
        meta["marginals"] = {**known.settings(), "rows": len(known.row_weights)}
    return meta


def load(path: Path) -> Space:
    """Map a space into memory."""
    meta = KIND.read_meta(path)
    words = read_vocabulary(path / WORDS)
    try:
        rows, columns = (size_of(n) for n in meta["shape"])
        contexts = None
        if meta["contexts"] is not None:
            contexts = words if meta["same_contexts"] else read_vocabulary(path / CONTEXTS)
        _check_lengths(meta, words, contexts)
        recipe = _recipe(meta["recipe"])
        vectors = load_array(path / VECTORS, ("<f4",), rows, columns)
        factors = _load_factors(path, meta["factors"], rows)
        marginals = _load_marginals(path, meta.get("marginals"), factors)
        association = load_association(path, meta["association"], rows)
        views = view_store.load_views(path, meta.get("views"), words)
        offsets = tuple(recipe.get("offsets", []))
        _check_columns(association, contexts, len(offsets))
        if association is not None:
            association = replace(association, words=words, contexts=contexts, offsets=offsets)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StoreError(f"{path / META}: {error!r}: the store is damaged") from None
    return Space(words, vectors, contexts, factors, association, recipe, marginals, views)


def load_checked(path: Path) -> Space:
    """Map a space into memory, and check all of it."""
    space = load(path)
    try:
        _ = space.norms
        if isinstance(space.association, StoredAssociation):
            space.association.check()
    except (FirthError, ValueError, IndexError) as error:
        raise StoreError(f"{path}: {error}: the store is damaged") from None
    return space


def describe(path: Path) -> Description:
    """Describe a store for ``firth info``, after checking all of it."""
    from firth.space.sizes import sizes_of  # which names the files of this module

    space = load_checked(path)
    size, parts = bytes_on_disk(path), sizes_of(path)
    spectrum = [] if space.spectrum is None else space.spectrum.tolist()
    frequent = first_words(space.words.words, space.words.frequencies.tolist())
    content = {
        "store": str(path),
        "kind": "space",
        "words": len(space),
        "dimensions": space.vector_size,
        "contexts": None if space.contexts is None else len(space.contexts),
        "association": None if space.association is None else space.association.nnz,
        "spectrum": spectrum,
        "bytes": size,
        "parts": parts,
        "recipe": space.recipe,
        "most_frequent": frequent,
    }
    rows = [size_row(size), *_part_rows(parts)]
    if spectrum:
        rows.append(("spectrum", f"{spectrum[0]:.4g} to {spectrum[-1]:.4g}"))
    if space.association is not None:
        rows.append(("association", f"{space.association.nnz:,} nonzeros"))
    lines = recipe_lines(space.recipe, ("method", "combining", "counts"))
    return Description(repr(space), rows, [*lines, words_line(frequent)], content)


def _part_rows(parts: dict[str, int]) -> list[tuple[str, str]]:
    """Return the sizes of the large parts of a space, their use, and how to leave them out."""
    remedies = {"association": ", for `why`; `fit(association=False)` leaves it out"}
    most = sum(parts.values())
    return [
        (f"  {name}", f"{format_bytes(size)}{remedies.get(name, '')}")
        for name, size in parts.items()
        if size * 20 > most
    ]


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
    known = isinstance(offsets, list) and all(type(one) is int or one in SIDES for one in offsets)
    if not known:
        raise TypeError("the offsets are neither whole numbers nor sides")
    return recipe


def _load_factors(path: Path, meta: Any, rows: int) -> Factors | None:
    if meta is None:
        return None
    rank = size_of(meta["rank"])
    right = placed = biases = None
    if meta["right"] is not None:
        right = load_array(path / RIGHT, ("<f4",), size_of(meta["right"]), rank)
    if meta.get("placed") is not None:
        placed = load_array(path / PLACED, ("<f4",), size_of(meta["placed"]), rank)
        if len(placed) > rows:
            raise ValueError("more words were placed than there are")
    if meta.get("biases") is not None:
        sizes = [size_of(each) for each in meta["biases"]]
        if sizes != [rows, meta["right"]]:
            raise ValueError("the biases do not fit the factors")
        both = load_array(path / BIASES, ("<f8",), sum(sizes))
        if not np.isfinite(both).all():
            raise StoreError(f"{path / BIASES}: a bias is not a number: the store is damaged")
        biases = both[:rows], both[rows:]
    return Factors(
        load_array(path / LEFT, ("<f4",), rows, rank),
        load_array(path / SPECTRUM, ("<f8",), rank),
        right,
        float(meta["beta"]),
        str(meta["combine"]),
        float(meta["weight"]),
        placed,
        biases,
    )


def _sums(known: Marginals) -> Any:
    """Return the sums of rows, then of columns: of counts, and of their weights."""
    frequencies = np.concatenate([known.row_frequencies, known.column_frequencies])
    return np.stack([frequencies, np.concatenate([known.row_weights, known.column_weights])])


def _load_marginals(path: Path, meta: Any, factors: Factors | None) -> Marginals | None:
    if meta is None:
        return None
    if factors is None or factors.right is None:
        raise ValueError("there are sums of counts without factors")
    rows, columns = size_of(meta["rows"]), len(factors.right)
    if rows + (0 if factors.placed is None else len(factors.placed)) != len(factors.left):
        raise ValueError("the sums of counts do not fit the words")
    sums = load_array(path / MARGINALS, ("<f8",), 2, rows + columns)
    if not (np.isfinite(sums).all() and (sums >= 0).all()):
        raise StoreError(f"{path / MARGINALS}: a sum of counts is not one: the store is damaged")
    settings = {name: float(meta[name]) for name in SETTINGS}
    if not np.isfinite([*settings.values()]).all() or not isinstance(meta["mirrored"], bool):
        raise ValueError("the settings of the weights are damaged")
    (row_f, column_f), (row_w, column_w) = ((each[:rows], each[rows:]) for each in sums)
    return Marginals(row_f, column_f, row_w, column_w, **settings, mirrored=meta["mirrored"])
