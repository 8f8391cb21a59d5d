"""The mutual information of the clusters of neighbouring words.

Equation 3 of Stratos, Kim, Collins and Hsu (2014), in nats:

    Σ_(c, c') count(c, c') / N · ln( count(c, c') N / (count(c) count(c')) )

N tokens, count(c) of the words of c, count(c, c') of a word of c right before one of c'.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.clusters.contexts import followers
from firth.counts.matrix import Counts
from firth.errors import FirthError

Doubles = NDArray[np.float64]


def mutual_information(labels: NDArray[np.int64], counts: Counts) -> float:
    """Compute equation 3 of a clustering.

    Parameters
    ----------
    labels
        The number of each word's cluster, in the order of ``counts.words``; -1 leaves a word out.
    counts
        Positional counts of the text.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b a b a b a b"], window=1, context="positional", min_count=1)
    >>> round(mutual_information(np.array([0, 1]), counts), 3)
    0.499
    >>> mutual_information(np.array([0, 0]), counts) < 0.001
    True
    """
    size = int(np.max(labels, initial=-1)) + 1
    return float(_parts(*tables(labels, size, counts)).sum())


def memory(counts: Counts) -> int:
    """Estimate the bytes that `mutual_information` needs beyond the counts."""
    block = counts.nnz // max(1, len(counts.offsets))
    return 60 * block + 18 * counts.nnz + 50 * len(counts.words)


def tables(labels: NDArray[np.int64], size: int, counts: Counts) -> tuple[Any, Doubles, float]:
    """Return pairs of clusters as a sparse matrix, the tokens of each cluster, and of all."""
    given = np.asarray(labels, dtype=np.int64)
    if given.shape != (len(counts.words),):
        raise FirthError(f"{len(counts.words):,} words do not fit {given.size:,} labels")
    pairs, frequencies = followers(counts)
    table = pair_table(pairs, given, size)
    known = given >= 0
    of_words = frequencies[known].astype(np.float64)
    sizes = np.bincount(given[known], weights=of_words, minlength=size).astype(np.float64)
    return table, sizes, float(frequencies.sum())


def pair_table(pairs: Any, labels: NDArray[np.int64], size: int) -> Any:
    """Add up the pairs of words by cluster; words without a cluster are left out.

    Returns
    -------
    csr_array
        Of doubles; sparse, because there may be as many clusters as words.
    """
    from scipy.sparse import coo_array

    cells = pairs.tocoo()
    places = labels.astype(np.int32)
    rows, columns = places[cells.row], places[cells.col]
    known = (rows >= 0) & (columns >= 0)
    by_cluster = (cells.data[known].astype(np.float64), (rows[known], columns[known]))
    return coo_array(by_cluster, shape=(size, size)).tocsr()


def _parts(table: Any, sizes: Doubles, tokens: float) -> Doubles:
    """Return each pair's part of the sum."""
    cells = table.tocoo()
    joint = cells.data
    found: Doubles = joint / tokens * np.log(joint * tokens / (sizes[cells.row] * sizes[cells.col]))
    return found


def by_level(labels: NDArray[np.int64], merges: NDArray[np.int64], counts: Counts) -> Doubles:
    """Compute equation 3 after each merge of clusters.

    Parameters
    ----------
    labels
        The number of each word's cluster, from 0; -1 leaves a word out.
    merges
        Pairs of clusters; merge k makes cluster ``clusters + k``.

    Returns
    -------
    array
        Before the first merge, and after each.
    """
    pairs, sizes, tokens = tables(labels, len(merges) + 1, counts)
    levels = [float(_parts(pairs, sizes, tokens).sum())]
    table = pairs.toarray()
    place = {number: number for number in range(len(sizes))}
    for number, (a, b) in enumerate(merges.tolist(), len(sizes)):
        to = place[number] = place.pop(a)
        gone = place.pop(b)
        before = _with(table, sizes, tokens, to) + _with(table, sizes, tokens, gone, but=to)
        table[to] += table[gone]
        table[gone] = 0
        table[:, to] += table[:, gone]
        table[:, gone] = 0
        sizes[to] += sizes[gone]
        levels.append(levels[-1] + _with(table, sizes, tokens, to) - before)
    return np.array(levels)


def _with(
    table: Doubles, sizes: Doubles, tokens: float, place: int, but: int | None = None
) -> float:
    """Add up the parts of all pairs that a cluster is in, except those with one other cluster."""
    row, column = table[place].copy(), table[:, place].copy()
    column[place] = 0  # counted in the row
    if but is not None:
        row[but] = column[but] = 0
    total = 0.0
    for joint in (row, column):
        others = np.flatnonzero(joint)
        n = joint[others]
        total += float((n / tokens * np.log(n * tokens / (sizes[place] * sizes[others]))).sum())
    return total
