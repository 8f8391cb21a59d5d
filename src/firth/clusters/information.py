"""How much of the text's order a clustering keeps: the mutual information of neighbours.

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
    table, sizes, tokens = tables(labels, counts)
    return float(_parts(table, sizes, tokens).sum())


def tables(labels: NDArray[np.int64], counts: Counts) -> tuple[Doubles, Doubles, float]:
    """Count pairs of clusters, clusters, and tokens."""
    given = np.asarray(labels, dtype=np.int64)
    if given.shape != (len(counts.words),):
        raise FirthError(f"{len(counts.words):,} words do not fit {given.size:,} labels")
    pairs, frequencies = followers(counts)
    size = int(given.max(initial=-1)) + 1
    table = pair_table(pairs, given, size)
    known = given >= 0
    of_words = frequencies[known].astype(np.float64)
    sizes = np.bincount(given[known], weights=of_words, minlength=size).astype(np.float64)
    return table, sizes, float(frequencies.sum())


def pair_table(pairs: Any, labels: NDArray[np.int64], size: int) -> Doubles:
    """Add up the pairs of words by cluster; those of words without one are left out."""
    cells = pairs.tocoo()
    rows, columns = labels[cells.row], labels[cells.col]
    known = (rows >= 0) & (columns >= 0)
    places = rows[known] * size + columns[known]
    summed: Doubles = np.bincount(
        places, weights=cells.data[known].astype(np.float64), minlength=size * size
    ).astype(np.float64)
    return summed.reshape(size, size)


def _parts(table: Doubles, sizes: Doubles, tokens: float) -> Doubles:
    """Return each pair's part of the sum."""
    rows, columns = np.nonzero(table)
    joint = table[rows, columns]
    found: Doubles = joint / tokens * np.log(joint * tokens / (sizes[rows] * sizes[columns]))
    return found


def by_level(labels: NDArray[np.int64], merges: NDArray[np.int64], counts: Counts) -> Doubles:
    """Compute equation 3 after each merge of clusters.

    Parameters
    ----------
    labels
        The number of each word's cluster, from 0.
    merges
        Pairs of clusters; merge k makes cluster ``clusters + k``.

    Returns
    -------
    array
        Before the first merge, and after each.
    """
    table, sizes, tokens = tables(labels, counts)
    place = {number: number for number in range(len(sizes))}
    levels = [float(_parts(table, sizes, tokens).sum())]
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
    """Add up the parts of all pairs that a cluster is in, but for those with another one."""
    row, column = table[place].copy(), table[:, place].copy()
    column[place] = 0  # it stands in the row
    if but is not None:
        row[but] = column[but] = 0
    total = 0.0
    for joint in (row, column):
        others = np.flatnonzero(joint)
        n = joint[others]
        total += float((n / tokens * np.log(n * tokens / (sizes[place] * sizes[others]))).sum())
    return total
