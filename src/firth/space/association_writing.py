"""Writing the association matrix of a space; see `firth.space.association_store`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.resources import default_threads
from firth.sided import SidedAssociation
from firth.space.association_store import (
    BACKGROUND,
    COLUMNS,
    STARTS,
    VALUES,
    WIDE,
    StoredAssociation,
    first_at_least,
    pieces_of,
)
from firth.space.background import background_of
from firth.stores.arrays import npy_header, write_array

CHUNK = 1 << 18  # cells that are written at a time

Places = NDArray[np.int64]


def write_association(
    folder: Path,
    association: Association | SidedAssociation | StoredAssociation,
    frequencies: NDArray[np.int64],
) -> dict[str, Any]:
    """Write an association matrix into the folder of a space; return its description.

    Parameters
    ----------
    folder
        Where to write.
    association
        The matrix.
    frequencies
        How often the word of each row occurs.
    """
    if isinstance(association, StoredAssociation):
        if association.means is not None:  # it is copied as it is
            return _write(folder, association, association.means)
        association = association.to_association()
    threads = default_threads()
    stored = association.parts[0]
    sided = isinstance(association, SidedAssociation)
    triangle = not sided and stored.is_symmetric(threads)
    edges = _edges(stored, triangle)
    starts = np.zeros(edges.shape[0] * (edges.shape[1] - 1) + 1, dtype=np.int64)
    np.cumsum(np.diff(edges, axis=1).ravel(), out=starts[1:])
    write_array(folder / STARTS, starts)
    spans = np.array([[0, stored.nnz]])  # the whole, where no cell is left out
    if triangle:
        spans = np.column_stack([edges[:, 0], edges[:, -1]])
    # The system takes as long to write as we to compute.
    with ThreadPoolExecutor(2 if threads > 1 else 1) as pool:
        files = [
            pool.submit(_write_spans, folder / VALUES, stored.values, spans, "<f4"),
            pool.submit(_write_spans, folder / COLUMNS, stored.columns, spans, "<u2"),
        ]
        means = background_of(association, frequencies, threads).means
        for file in files:
            file.result()
    write_array(folder / BACKGROUND, means)
    return _describe(association, int(starts[-1]), triangle, sided, len(means))


def _edges(association: Association, triangle: bool) -> Places:
    """Return for each row where its pieces begin, and where the last one ends."""
    rows, width = association.shape
    begin, end = association.starts[:-1], association.starts[1:]
    edges = np.empty((rows, pieces_of(width) + 1), dtype=np.int64)
    edges[:, -1] = end
    for piece in range(pieces_of(width)):
        least = np.full(rows, piece * WIDE)
        if triangle:
            least = np.maximum(least, np.arange(rows))
        edges[:, piece] = begin
        if triangle or piece:
            edges[:, piece] = first_at_least(association.columns, begin, end, least)
    return edges


def _write_spans(path: Path, array: NDArray[Any], spans: Places, kind: str) -> None:
    """Write stretches of an array, one after another, as an array of their own."""
    with open(path, "wb") as file:
        file.write(npy_header(kind, int(np.diff(spans).sum())))
        for part in _gathered(array, spans):
            file.write(part.astype(kind, copy=False).data)  # of a column, the lower 16 bits
        file.flush()
        os.fsync(file.fileno())


def _gathered(array: NDArray[Any], spans: Places) -> Iterator[NDArray[Any]]:
    """Yield stretches of an array: short ones together, and long ones in parts."""
    some: list[NDArray[Any]] = []
    size = 0
    for begin, end in spans.tolist():
        for first in range(begin, end, CHUNK):
            some.append(array[first : min(first + CHUNK, end)])
            size += len(some[-1])
            if size >= CHUNK:
                yield some[0] if len(some) == 1 else np.concatenate(some)
                some, size = [], 0
    if some:
        yield np.concatenate(some)


def _write(folder: Path, stored: StoredAssociation, means: NDArray[np.float32]) -> dict[str, Any]:
    """Write a stored association again."""
    write_array(folder / STARTS, stored.starts)
    write_array(folder / COLUMNS, stored.columns)
    write_array(folder / VALUES, stored.values)
    write_array(folder / BACKGROUND, means)
    return _describe(stored, len(stored.values), stored.triangle, stored.sided, len(means))


def _describe(matrix: Any, cells: int, triangle: bool, sided: bool, used: int) -> dict[str, Any]:
    described = {
        "columns": matrix.shape[1],
        "nonzeros": matrix.nnz,
        "cells": cells,
        "triangle": triangle,
        "bands": used,
    }
    return {**described, "sided": True} if sided else described
