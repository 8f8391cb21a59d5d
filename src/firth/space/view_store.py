"""The part of the store of a space that holds its views.

``view_contexts.tsv`` lists the columns of all views, one after the other; ``view_maps.npy`` holds
U and L, ``view_columns.npy`` the sums, means and intercepts of the columns, ``view_agreement.npy``
correlations and explained shares, and ``view_words.npy`` which words have which views.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from firth.errors import StoreError
from firth.space.view_maps import NONLINEARITIES, ViewMaps
from firth.stores.arrays import load_array, write_array
from firth.stores.kinds import read_text, size_of
from firth.stores.writing import write_whole
from firth.text.vocabulary import Vocabulary

CONTEXTS, MAPS, COLUMNS = "view_contexts.tsv", "view_maps.npy", "view_columns.npy"
AGREEMENT, WORDS = "view_agreement.npy", "view_words.npy"
FILES = frozenset({CONTEXTS, MAPS, COLUMNS, AGREEMENT, WORDS})


def write_views(folder: Path, maps: ViewMaps) -> dict[str, Any]:
    """Write the views of a space; return what its description says of them."""
    write_whole(folder / CONTEXTS, "".join(columns.to_text() for columns in maps.contexts))
    write_array(folder / MAPS, np.stack([maps.projections, maps.loadings]))
    write_array(folder / COLUMNS, np.stack([maps.sums, maps.means, maps.intercepts]))
    write_array(folder / AGREEMENT, np.stack([maps.correlations, maps.explained]))
    write_array(folder / WORDS, maps.observed.view(np.uint8))
    names = zip(maps.names, maps.contexts, maps.nonlinearities, maps.totals, strict=True)
    return {
        "dimensions": int(maps.projections.shape[1]),
        "words": len(maps.words),
        "each": [
            {
                "name": name,
                "columns": len(columns),
                "nonlinearity": kind,
                "total": total,
                "weight": float(weight),
                "explained": float(share),
            }
            for (name, columns, kind, total), weight, share in zip(
                names, maps.weights, maps.together, strict=True
            )
        ],
    }


def load_views(path: Path, meta: Any, words: Vocabulary) -> ViewMaps | None:
    """Map the views of a space into memory; raise ValueError if their description is damaged."""
    if meta is None:
        return None
    each = meta["each"]
    sizes = [size_of(view["columns"]) for view in each]
    dim, rows, width = size_of(meta["dimensions"]), size_of(meta["words"]), sum(sizes)
    if rows > len(words) or not each:
        raise ValueError("the views do not fit the words")
    numbers = np.array([[v["total"], v["weight"], v["explained"]] for v in each], dtype=np.float64)
    if not np.isfinite(numbers).all() or any(v["nonlinearity"] not in NONLINEARITIES for v in each):
        raise ValueError("the settings of the views are damaged")
    projections, loadings = load_array(path / MAPS, ("<f4",), 2, width, dim)
    sums, means, intercepts = load_array(path / COLUMNS, ("<f8",), 3, width)
    correlations, explained = load_array(path / AGREEMENT, ("<f8",), 2, len(each), dim)
    observed = load_array(path / WORDS, ("|u1",), rows, len(each))
    if observed.max(initial=0) > 1:
        raise StoreError(f"{path / WORDS}: more than zeros and ones: the store is damaged")
    fitted = words
    if rows < len(words):  # the last were placed after the fit
        fitted = Vocabulary.unchecked(words.words[:rows], words.frequencies[:rows])
    return ViewMaps(
        names=tuple(str(view["name"]) for view in each),
        contexts=_contexts(path / CONTEXTS, sizes),
        nonlinearities=tuple(view["nonlinearity"] for view in each),
        totals=tuple(numbers[:, 0].tolist()),
        observed=observed.view(np.bool_),
        weights=numbers[:, 1],
        sums=sums,
        means=means,
        intercepts=intercepts,
        projections=projections,
        loadings=loadings,
        correlations=correlations,
        explained=explained,
        together=numbers[:, 2],
        words=fitted,
    )


def _contexts(path: Path, sizes: list[int]) -> tuple[Vocabulary, ...]:
    lines = read_text(path).split("\n")[:-1]
    if len(lines) != sum(sizes):
        raise StoreError(f"{path}: {len(lines):,} columns of views are not {sum(sizes):,}")
    found, begin = [], 0
    for size in sizes:
        text = "".join(f"{line}\n" for line in lines[begin : begin + size])
        found.append(Vocabulary.from_text(text, str(path)))
        begin += size
    return tuple(found)
