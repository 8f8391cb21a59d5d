"""Checking whether a matrix of counts is symmetric."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.arrays import Rows


def is_transpose(rows: Rows, width: int, threads: int) -> bool:
    """Check a square matrix in one pass over its nonzeros.

    The kernel compares the bits of 32-bit values. Values of 64 bits are compared by halves.
    """
    starts, columns, values = rows
    return all(
        _core.Sparse(starts, columns, half, width, threads).symmetric(threads)
        for half in _halves(values)
    )


def _halves(values: NDArray[Any]) -> list[NDArray[np.float32]]:
    if values.dtype == np.uint32:
        return [values.view(np.float32)]
    words = values.view(np.uint32).reshape(-1, 2)
    return [np.ascontiguousarray(words[:, half]).view(np.float32) for half in (0, 1)]
