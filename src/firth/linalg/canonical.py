"""One basis out of many: signs of vectors, and rotations where values are equal.

Vectors of a value are only defined but for their sign, and those of equal values but for a rotation
among them, so that rounding would choose. Here the order of the rows chooses, which is that of the
vocabulary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

# Relative: what iterations leave of the equality of values, of rows and of entries.
EQUAL = 1e-5
# Entries of vectors that were found in double precision: what is smaller is zero but for rounding.
NOTHING = 1e-10


def fix_bases(
    values: Doubles, vectors: Floats, others: Floats | None = None, slack: float = np.inf
) -> list[slice]:
    """Rotate the columns of equal values onto the rows that are longest in them, and fix signs.

    Among the columns of a group, the longest row gets entries in the first alone; what is longest
    of the rest, in the first two; and so on. Of rows of the same length the first is taken.

    Parameters
    ----------
    values
        Of the columns; equal ones beside each other.
    vectors, others
        Changed in place: `others`, such as right singular vectors, are turned along.
    slack
        Values differ if they are further apart than this, or than `EQUAL` of the first of them.

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
    """Find the groups of equal values that stand beside each other.

    What is zero but for the rounding of products in single precision is zero.

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
    """Return the axes of the longest rows, each taken out of the others; None if they are fewer."""
    width = rows.shape[1]
    rest = rows.copy()
    axes: Doubles = np.zeros((width, 0))
    for _ in range(width):
        squares = np.einsum("ij,ij->i", rest, rest)
        longest = float(squares.max())
        axis = rest[int(np.argmax(squares >= longest * (1 - EQUAL)))]
        for _ in range(2):  # the second time for what rounding left
            axis = axis - axes @ (axes.T @ axis)
        length = float(np.sqrt(axis @ axis))
        if not length > EQUAL * np.sqrt(longest) or longest == 0:
            return None
        axes = np.column_stack([axes, axis / length])
        rest -= np.outer(rest @ axes[:, -1], axes[:, -1])
    return axes


def in_single(vectors: Floats) -> NDArray[np.float32]:
    """Round vectors of length one that were found in double precision, and to zero what is nothing.

    A word without a share in any vector would otherwise have a direction, out of rounding.
    """
    return np.where(np.abs(vectors) > NOTHING, vectors, 0.0).astype(np.float32)


def fix_signs(vectors: Floats, others: Floats | None = None) -> None:
    """Make the entry of largest magnitude of each column positive, and turn `others` along.

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
