"""Clusters for words that are not in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.clusters.contexts import followers
from firth.clusters.information import pair_table
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.ties import ROUNDING, first_of_best

if TYPE_CHECKING:
    from firth.clusters.hierarchy import Hierarchy

Doubles = NDArray[np.float64]


def assign(tree: Hierarchy, counts: Counts, words: Iterable[str] | None = None) -> dict[str, str]:
    """Find the cluster with which each new word loses least; see `Hierarchy.assign`."""
    wanted = [w for w in counts.words if w not in tree] if words is None else list(words)
    missing = next((word for word in wanted if word not in counts.words), None)
    if missing is not None:
        raise FirthError(f"{missing!r} is not a word of these counts")
    pairs, frequencies = followers(counts)
    paths = sorted({*tree.bits})
    number = {path: place for place, path in enumerate(paths)}
    of_word = dict(zip(tree.words, tree.bits, strict=True))
    labels = np.array([number.get(of_word.get(w, "?"), -1) for w in counts.words], dtype=np.int64)
    known = labels >= 0
    of_words = frequencies[known].astype(np.float64)
    sizes = np.bincount(labels[known], weights=of_words, minlength=len(paths)).astype(np.float64)
    table = pair_table(pairs, labels, len(paths)).toarray()
    back = pairs.T.tocsr()
    tokens = float(frequencies.sum())
    slack = ROUNDING * tokens * (1 + np.log(tokens))
    found = {}
    for word in wanted:
        place = counts.words[word]
        if known[place]:
            found[word] = paths[labels[place]]
            continue
        sides = [_by_cluster(matrix, place, labels, len(paths)) for matrix in (pairs, back)]
        if not any(side.any() for side in sides):
            if words is None:
                continue
            raise FirthError(f"{word!r} never occurs next to a word of the tree")
        self_pairs = float(pairs[place, place])
        losses = _losses(table, sizes, sides, self_pairs, float(frequencies[place]))
        found[word] = paths[first_of_best(-losses, slack)]
    return found


def _by_cluster(matrix: Any, place: int, labels: NDArray[np.int64], size: int) -> Doubles:
    """Add up a word's row by cluster."""
    span = slice(matrix.indptr[place], matrix.indptr[place + 1])
    columns = labels[matrix.indices[span]]
    known = columns >= 0
    data = matrix.data[span][known].astype(np.float64)
    return np.bincount(columns[known], weights=data, minlength=size).astype(np.float64)


def _f(x: Doubles) -> Doubles:
    return np.asarray(x * np.log(np.where(x > 0, x, 1.0)))


def _losses(
    table: Doubles, sizes: Doubles, sides: list[Doubles], alone: float, frequency: float
) -> Doubles:
    """Return N times the loss of equation 3 if a word joins each cluster.

    With f(x) = x ln x, the sum is Σ f(n(c, x)) - Σ A(c) ln n(c), where A(c) is the number of pairs
    that contain c on either side; only the terms of the word and of the cluster change.
    """
    after, before = sides
    own = np.diag(table)
    joint = np.zeros(len(sizes))
    for counts, matrix in ((after, table), (before, table.T)):
        here = np.flatnonzero(counts)  # the word's neighbours x, as columns of the matrix
        terms = _f(counts[here]) + _f(matrix[:, here]) - _f(matrix[:, here] + counts[here])
        joint += terms.sum(axis=1)
        # The cluster itself is not one of the others.
        joint -= _f(counts) + _f(own) - _f(own + counts)
    whole = alone + after + before + own
    joint += _f(np.full_like(own, alone)) + _f(after) + _f(before) + _f(own) - _f(whole)
    sums = table.sum(axis=0) + table.sum(axis=1) + after + before
    mine = after.sum() + before.sum() + 2 * alone
    safe = np.where(sizes > 0, sizes, 1.0)
    joint += (sums + mine) * np.log(safe + frequency)
    joint -= sums * np.log(safe) + mine * np.log(frequency)
    return np.where(sizes > 0, joint, np.inf)
