"""Negative context: values of pairs that were never seen.

The thesis on UBE, KUBWE and EigenWord takes negative context from pairs that were seen less often
than by chance, and wonders (8.2) about those that were never seen, of which there are far more.
Here all of them may have one value, which a sparse matrix and one of rank one have together; or
some, drawn at random, random values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.counts.matrix import Counts
from firth.linalg.products import RankOne

ROWS = 1024  # of which the seen pairs are looked up at a time


@dataclass(frozen=True, eq=False)
class Extended:
    """An association, and the sum of matrices that it is with unseen pairs.

    Attributes
    ----------
    association
        Of seen pairs alone.
    parts
        Matrices whose sum is to be factorised.
    """

    association: Association
    parts: tuple[Association | RankOne, ...]


def with_all(counts: Counts, association: Association, value: float) -> Extended:
    """Give every unseen pair of words that have contexts one value.

    Examples
    --------
    >>> counts = Counts.from_scipy(np.array([[1, 2], [2, 0]]), ["a", "b"])
    >>> seen = Association.from_scipy([[1, 3], [3, 0]])
    >>> sum(part.to_dense() for part in with_all(counts, seen, -0.5).parts).tolist()
    [[1.0, 3.0], [3.0, -0.5]]
    """
    starts, columns, _ = counts.csr()
    values = np.full(len(columns), -value, dtype=np.float32)
    for begin in range(0, len(starts) - 1, ROWS):
        rows = slice(begin, min(begin + ROWS, len(starts) - 1))
        cells, own = _span(starts, rows), _span(association.starts, rows)
        places = np.searchsorted(
            _keys(starts, columns, rows), _keys(association.starts, association.columns, rows)
        )
        values[cells][places] += association.values[own]
    there = (np.diff(starts) > 0).astype(np.float32)
    seen = replace(association, starts=starts, columns=columns, values=values)
    return Extended(association, (seen, RankOne(there, value)))


def with_random(
    counts: Counts, association: Association, value: float, share: float, seed: int
) -> Extended:
    """Give random unseen pairs of different words random values between one and zero.

    Parameters
    ----------
    counts, association
        What was seen, and the association of it.
    value
        The lowest.
    share
        Of the number of positive pairs, how many are drawn; those that were seen are dropped.
    seed
        Of the draws.

    Examples
    --------
    >>> counts = Counts.from_scipy(np.eye(60, dtype=int), [f"w{i}" for i in range(60)])
    >>> seen = Association.from_scipy(np.eye(60))
    >>> (part,) = with_random(counts, seen, -2.0, 1.0, seed=0).parts
    >>> drawn = part.values[part.values < 0]
    >>> part.is_symmetric(), len(drawn) > 40, float(drawn.min()) >= -2
    (True, True, True)
    """
    from scipy.sparse import csr_array

    size = len(counts.words)
    generator = np.random.Generator(np.random.Philox(key=[seed, 1]))
    many = int(share * np.count_nonzero(association.values > 0)) // 2
    there = np.flatnonzero(np.diff(counts.csr()[0]) > 0)
    pairs = np.sort(there[generator.integers(0, len(there), (many, 2))], axis=1)
    keys = np.unique(pairs[pairs[:, 0] < pairs[:, 1]] @ np.array([size, 1]))
    keys = keys[~_are_seen(counts, keys)]
    values = (value * generator.random(len(keys))).astype(np.float32)
    rows, columns = np.divmod(keys, size)
    drawn = csr_array((values, (rows, columns)), shape=(size, size))
    whole = (association.to_scipy() + drawn + drawn.T).tocsr()
    whole.sort_indices()
    made = replace(
        association,
        starts=whole.indptr.astype(np.int64),
        columns=whole.indices.astype(np.int32),
        values=whole.data.astype(np.float32),
    )
    return Extended(association, (made,))


def _are_seen(counts: Counts, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of some pairs, as rising numbers of row and column, were seen."""
    starts, columns, _ = counts.csr()
    found = np.zeros(len(keys), dtype=bool)
    for begin in range(0, len(starts) - 1, ROWS):
        rows = slice(begin, min(begin + ROWS, len(starts) - 1))
        width = len(counts.contexts)
        first, last = np.searchsorted(keys, [rows.start * width, rows.stop * width])
        seen = _keys(starts, columns, rows)
        own = keys[first:last] - rows.start * width
        places = np.minimum(np.searchsorted(seen, own), max(len(seen) - 1, 0))
        if len(seen):
            found[first:last] = seen[places] == own
    return found


def _span(starts: NDArray[np.int64], rows: slice) -> slice:
    """Return where the cells of some rows are."""
    return slice(int(starts[rows.start]), int(starts[rows.stop]))


def _keys(starts: NDArray[np.int64], columns: NDArray[np.int32], rows: slice) -> NDArray[np.int64]:
    """Return the cells of some rows as rising numbers of row and column."""
    width = len(starts) - 1
    row = np.repeat(
        np.arange(rows.stop - rows.start, dtype=np.int64),
        np.diff(starts[rows.start : rows.stop + 1]),
    )
    return np.asarray(row * width + columns[_span(starts, rows)], dtype=np.int64)
