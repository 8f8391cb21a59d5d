"""Arrays on disk: .npy files with a header of fixed length, mapped into memory on load."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import StoreError, remedy_for

OFFSET = 128  # bytes of .npy header, room for any length


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


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array so that `load_array` can map it, and flush it to disk."""
    with open(path, "wb") as file:
        file.write(npy_header(array.dtype.str, *array.shape))
        file.write(np.ascontiguousarray(array).data)  # unlike tofile, it fails on a full disk
        file.flush()
        os.fsync(file.fileno())


def load_array(path: Path, kinds: tuple[str, ...], *shape: int) -> Any:
    """Map an array of known shape and of one of some types.

    The header must be, byte for byte, the one that `write_array` writes: it is never parsed.
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


def load_csr(
    files: tuple[Path, Path, Path], kinds: tuple[str, ...], rows: int, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """Map the starts, columns and values of compressed rows, and check that they fit together.

    Parameters
    ----------
    files
        Of starts, columns and values.
    kinds
        The types that values may have.
    rows, size
        How many rows and nonzeros there are.
    """
    starts = load_array(files[0], ("<i8",), rows + 1)
    columns = load_array(files[1], ("<i4",), size)
    values = load_array(files[2], kinds, size)
    if int(starts[0]) != 0 or int(starts[-1]) != size:
        raise StoreError(f"{files[0]}: does not fit the other arrays: the store is damaged")
    return starts, columns, values
