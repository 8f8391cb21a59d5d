"""Canonical bases: the signs of vectors, and rotations among vectors of equal values.

A singular vector or eigenvector is defined up to its sign, and those of equal values up to a
rotation, so that rounding would decide. Here the order of the rows, which is that of the
vocabulary, decides instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

# The relative tolerance within which values, rows and entries of iterative results are equal.
EQUAL = 1e-5
# Smaller entries of vectors that were computed in double precision are rounding errors.
NOTHING = 1e-10


def fix_bases(
    values: Doubles, vectors: Floats, others: Floats | None = None, slack: float = np.inf
) -> list[slice]:
    """Rotate the columns of equal values to their longest rows, and fix signs.

    Within a group of columns, the longest row becomes nonzero in the first column only, the
    longest of the remainders of the others in the first two, and so on. Of rows of the same length,
    the first is used.

    Parameters
    ----------
    values
        The values of the columns; equal values must be adjacent.
    vectors, others
        Changed in place: `others`, such as right singular vectors, are rotated like `vectors`.
    slack
        Values are equal if they differ by at most this, and by at most `EQUAL` times the first.

    Returns
    -------
    list of slice
        The columns that were rotated.
    """
    groups = []
    for columns in equal_values(values, slack):
        rotation = _rotation(vectors[:, columns].astype(np.float64))
        if rotation is None:
            continue
        for matrix in (vectors,) if others is None else (vectors, others):
            matrix[:, columns] = matrix[:, columns].astype(np.float64) @ rotation
        groups.append(columns)
    fix_signs(vectors, others)
    return groups


def equal_values(values: Doubles, slack: float = np.inf) -> list[slice]:
    """Find the groups of adjacent equal values.

    Values that are within the rounding of single precision of zero count as zero.

    Examples
    --------
    >>> equal_values(np.array([3.0, 2.000001, 2.0, 1.0, 1e-9, 0.0]))
    [slice(1, 3, None), slice(4, 6, None)]
    """
    sizes = np.abs(values)
    nothing = sizes.max(initial=0.0) * np.finfo(np.float32).eps * 8
    found = []
    begin = 0
    listed = np.where(sizes > nothing, values, 0.0).tolist()
    for end in range(1, len(listed) + 1):
        near = min(EQUAL * abs(listed[begin]), slack)
        if end < len(listed) and abs(listed[end] - listed[begin]) <= near:
            continue
        if end - begin > 1:
            found.append(slice(begin, end))
        begin = end
    return found


def _rotation(rows: Doubles) -> Doubles | None:
    """Return orthonormal axes along the longest rows, or None if the rows span fewer dimensions."""
    width = rows.shape[1]
    rest = rows.copy()
    axes: Doubles = np.zeros((width, 0))
    for _ in range(width):
        squares = np.einsum("ij,ij->i", rest, rest)
        longest = float(squares.max())
        axis = rest[int(np.argmax(squares >= longest * (1 - EQUAL)))]
        for _ in range(2):  # the second time removes rounding errors
            axis = axis - axes @ (axes.T @ axis)
        length = float(np.sqrt(axis @ axis))
        if not length > EQUAL * np.sqrt(longest) or longest == 0:
            return None
        axes = np.column_stack([axes, axis / length])
        rest -= np.outer(rest @ axes[:, -1], axes[:, -1])
    return axes


def in_single(vectors: Floats) -> NDArray[np.float32]:
    """Round unit vectors from double to single precision, and rounding errors to zero.

    Otherwise a word that has no share in any vector would get a direction from rounding errors.
    """
    return np.where(np.abs(vectors) > NOTHING, vectors, 0.0).astype(np.float32)


def fix_signs(vectors: Floats, others: Floats | None = None) -> None:
    """Make the entry of largest magnitude of each column positive; change `others` alike.

    Of entries of the same magnitude, the first decides.
    """
    if not vectors.size:
        return
    sizes = np.abs(vectors)
    places = (sizes >= sizes.max(axis=0) * sizes.dtype.type(1 - EQUAL)).argmax(axis=0)
    signs = np.sign(vectors[places, np.arange(vectors.shape[1])])
    signs[signs == 0] = 1
    vectors *= signs
    if others is not None:
        others *= signs
