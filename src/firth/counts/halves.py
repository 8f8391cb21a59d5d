"""The two sides of a window: the counts to the left of each word, and those to its right.

A word stands to the right of another as often as that one stands to its left. So where rows and
columns have one vocabulary, the right side is the transpose of the left, and only the left is
counted and stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth import _core
from firth.counts.arrays import LIMIT, Rows, keep_rows
from firth.errors import FirthError


def right_side(left: Rows, threads: int) -> Rows:
    """Return the counts to the right of each word: the transpose of those to its left.

    Examples
    --------
    >>> left = np.array([0, 1, 1]), np.array([1], dtype=np.int32), np.array([7], dtype=np.uint32)
    >>> starts, columns, values = right_side(left, 1)
    >>> starts.tolist(), columns.tolist(), values.tolist()
    ([0, 0, 1], [0], [7])
    """
    starts, columns, values = left
    size = len(starts) - 1
    turned = _core.transpose_tables(starts, columns, [np.ascontiguousarray(values)], size, threads)
    return turned[0], turned[1], turned[2][0]


def both_together(left: Rows, threads: int) -> Rows:
    """Add the left side and the right, its transpose.

    Examples
    --------
    >>> left = np.array([0, 2, 2]), np.array([0, 1], dtype=np.int32), np.array([3, 7], np.uint32)
    >>> starts, columns, values = both_together(left, 1)
    >>> starts.tolist(), columns.tolist(), values.tolist()
    ([0, 2, 3], [0, 1, 0], [6, 7, 7])
    """
    size = len(left[0]) - 1
    return _added([_matrix(left), _matrix(right_side(left, threads))], size, threads)


def side_by_side(left: Rows, threads: int) -> Rows:
    """Put the left side and, in the columns after it, the right side into one matrix.

    Examples
    --------
    >>> left = np.array([0, 1, 1]), np.array([1], dtype=np.int32), np.array([7], dtype=np.uint32)
    >>> starts, columns, values = side_by_side(left, 1)
    >>> starts.tolist(), columns.tolist(), values.tolist()
    ([0, 1, 2], [1, 2], [7, 7])
    """
    size = len(left[0]) - 1
    if 2 * size >= 2**31:
        raise FirthError(f"two sides of {size:,} columns each are too many")
    after = np.arange(size, 2 * size, dtype=np.int32)
    right = {**_matrix(right_side(left, threads)), "column_to": after}
    return _added([_matrix(left), right], 2 * size, threads)


def blocks_added(rows: Rows, width: int, threads: int) -> Rows:
    """Add up the two blocks of `width` columns each that a matrix consists of.

    Examples
    --------
    >>> rows = np.array([0, 2]), np.array([0, 3], dtype=np.int32), np.array([5, 6], dtype=np.uint32)
    >>> blocks_added(rows, 3, 1)[2].tolist()
    [11]
    """
    place = np.tile(np.arange(width, dtype=np.int32), 2)
    return _added([{**_matrix(rows), "width": 2 * width, "column_to": place}], width, threads)


def _matrix(rows: Rows) -> dict[str, Any]:
    starts, columns, values = rows
    return {
        "starts": starts,
        "columns": columns,
        "values": values,
        "wide": values.dtype == np.uint64,
        "rows": len(starts) - 1,
        "width": len(starts) - 1,
    }


def _added(matrices: list[dict[str, Any]], width: int, threads: int) -> Rows:
    rows = matrices[0]["rows"]
    try:
        return keep_rows(
            lambda files: _core.merge_rows(matrices, rows, width, LIMIT, files, threads, None)
        )
    except OverflowError:
        raise FirthError("a count passes 2^63: count less text at a time") from None
