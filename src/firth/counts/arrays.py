"""Compressed rows on disk: three .npy files that are written by the core and mapped on load.

Rows that only wait to be added to others are packed into one file and read by the core alone.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.errors import StoreError, remedy_for

STARTS, COLUMNS, VALUES = "starts.npy", "columns.npy", "values.npy"
PACKED = "rows.packed"
OFFSET = 128  # bytes of .npy header, room for any length
LIMIT = (1 << 63) - 1

Rows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]
# A kernel that writes its rows to files, or keeps them if there are none.
Write: TypeAlias = "Callable[[_core.Files | None], _core.Rows]"


def npy_header(descr: str, *shape: int) -> bytes:
    """Write a version 1.0 .npy header, in exactly `OFFSET` bytes.

    Examples
    --------
    >>> len(npy_header("<i4", 10**12))
    128
    """
    entry = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    body = entry.encode("ascii").ljust(OFFSET - 11) + b"\n"
    return b"\x93NUMPY\x01\x00" + (OFFSET - 10).to_bytes(2, "little") + body


def write_rows(folder: Path, write: Write) -> int:
    """Have a kernel write its rows into a folder; return the number of nonzeros."""
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
    """Have a kernel keep its rows in memory."""
    starts, _, _, columns, values = write(None)
    if columns is None or values is None:
        raise TypeError("the kernel wrote its rows elsewhere")
    return starts, columns, values


def load_rows(folder: Path, rows: int, size: int) -> Rows:
    """Map the arrays of a folder, and check that they are the ones its description tells of."""
    starts = load_array(folder / STARTS, ("<i8",), rows + 1)
    columns = load_array(folder / COLUMNS, ("<i4",), size)
    values = load_array(folder / VALUES, ("<u4", "<u8"), size)
    if int(starts[0]) != 0 or int(starts[-1]) != size:
        raise StoreError(f"{folder / STARTS}: does not fit the other arrays: the store is damaged")
    return starts, columns, values


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array so that `load_array` can map it, and make it last."""
    with open(path, "wb") as file:
        file.write(npy_header(array.dtype.str, *array.shape))
        file.write(np.ascontiguousarray(array).data)  # unlike tofile, it fails on a full disk
        file.flush()
        os.fsync(file.fileno())


def load_array(path: Path, kinds: tuple[str, ...], *shape: int) -> Any:
    """Map an array of known shape as a plain one.

    Its header must be, byte for byte, the one that firth writes: nothing in it is ever parsed.
    """
    try:
        with open(path, "rb") as file:
            header = file.read(OFFSET)
            size = os.fstat(file.fileno()).st_size
        kind = next((kind for kind in kinds if header == npy_header(kind, *shape)), None)
        if kind is None:
            entries = " × ".join(f"{n:,}" for n in shape)
            raise StoreError(
                f"{path}: not an array of {entries} entries of {' or '.join(kinds)}: the store "
                "is damaged"
            )
        if size != OFFSET + math.prod(shape) * np.dtype(kind).itemsize:
            raise StoreError(
                f"{path}: {size:,} bytes are too few or too many: the store is damaged"
            )
        if 0 in shape:
            return np.empty(shape, dtype=kind)
        return np.asarray(np.memmap(path, kind, "r", OFFSET, shape))
    except FileNotFoundError:
        raise StoreError(f"{path}: missing: the store is damaged") from None
    except OSError as error:
        remedy = remedy_for(error, "make it readable, or make the store again")
        raise StoreError(f"{path}: cannot be read: {error.strerror}: {remedy}") from error
    except ValueError as error:
        raise StoreError(f"{path}: cannot be read ({error}): the store is damaged") from error


def write_run(folder: Path, write: Write) -> None:
    """Have a kernel write its rows into a folder, packed, to be added to others."""
    file = os.open(folder / PACKED, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        starts = write(file)[0]
        os.fsync(file)
    finally:
        os.close(file)
    write_array(folder / STARTS, starts)


@contextmanager
def open_run(folder: Path) -> Iterator[tuple[int, int, int]]:
    """Open what `write_run` wrote for the merging kernel to read: starts, rows and their size."""
    starts = os.open(folder / STARTS, os.O_RDONLY)
    try:
        packed = os.open(folder / PACKED, os.O_RDONLY)
        try:
            yield starts, packed, os.fstat(packed).st_size
        finally:
            os.close(packed)
    finally:
        os.close(starts)
