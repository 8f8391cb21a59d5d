"""Rows of counts on disk: three .npy files that are written by the core and mapped on load.

Rows of a run, which are added up with others, are packed into one file that only the core reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.stores.arrays import OFFSET, load_csr, npy_header, write_array

STARTS, COLUMNS, VALUES = "starts.npy", "columns.npy", "values.npy"
PACKED = "rows.packed"
LIMIT = (1 << 63) - 1

Rows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]
# A kernel that writes its rows to files, or keeps them if there are none.
Write: TypeAlias = "Callable[[_core.Files | None], _core.Rows]"


def write_rows(folder: Path, write: Write) -> int:
    """Let a kernel write its rows to files in a folder; return the number of nonzeros."""
    mode = os.O_RDWR | os.O_CREAT | os.O_EXCL
    columns = os.open(folder / COLUMNS, mode, 0o666)
    try:
        values = os.open(folder / VALUES, mode, 0o666)
        try:
            starts, size, wide, _, _ = write((columns, values, OFFSET))
            os.pwrite(columns, npy_header("<i4", size), 0)
            os.pwrite(values, npy_header("<u8" if wide else "<u4", size), 0)
            os.fsync(columns)
            os.fsync(values)
        finally:
            os.close(values)
    finally:
        os.close(columns)
    write_array(folder / STARTS, starts)
    return size


def keep_rows(write: Write) -> Rows:
    """Let a kernel keep its rows in memory, and return them."""
    starts, _, _, columns, values = write(None)
    if columns is None or values is None:
        raise TypeError("the kernel wrote its rows elsewhere")
    return starts, columns, values


def load_rows(folder: Path, rows: int, size: int) -> Rows:
    """Map the rows of a folder, and check that they have the size that its description names."""
    files = (folder / STARTS, folder / COLUMNS, folder / VALUES)
    return load_csr(files, ("<u4", "<u8"), rows, size)


def write_run(folder: Path, write: Write) -> None:
    """Let a kernel write packed rows to a folder, for a later sum."""
    file = os.open(folder / PACKED, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        starts = write(file)[0]
        os.fsync(file)
    finally:
        os.close(file)
    write_array(folder / STARTS, starts)


@contextmanager
def open_run(folder: Path) -> Iterator[tuple[int, int, int]]:
    """Open the files of `write_run` for the merging kernel: starts, rows and their size."""
    starts = os.open(folder / STARTS, os.O_RDONLY)
    try:
        packed = os.open(folder / PACKED, os.O_RDONLY)
        try:
            yield starts, packed, os.fstat(packed).st_size
        finally:
            os.close(packed)
    finally:
        os.close(starts)
