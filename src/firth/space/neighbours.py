"""Exact nearest neighbours: the best few of many scores, for one question or for a thousand."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

QUERIES = 256  # answered at a time
ROWS = 8192  # words scored at a time: with QUERIES of them, 8 MB of scores


def nearest(
    scores: NDArray[np.floating], top: int, without: Collection[int] = ()
) -> NDArray[np.intp]:
    """Return the places of the `top` largest scores, best first, ties in order of place.

    Examples
    --------
    >>> nearest(np.array([0.1, 0.9, 0.5, 0.9]), 3).tolist()
    [1, 3, 2]
    >>> nearest(np.array([0.1, 0.9, 0.5, 0.9]), 2, without={1}).tolist()
    [3, 2]
    """
    left_out = [place for place in without if place < len(scores)]
    kept = min(top + len(left_out), len(scores))
    if top < 1 or kept < 1:
        return np.empty(0, dtype=np.intp)
    # The last score that may be in, and then all that reach it, so that ties fall by place.
    least = np.partition(scores, len(scores) - kept)[len(scores) - kept]
    found = np.flatnonzero(scores >= least)
    found = found[np.argsort(-scores[found], kind="stable")]
    return found[~np.isin(found, left_out)][:top]


def nearest_many(
    vectors: Floats, norms: Floats, places: Sequence[int], top: int
) -> tuple[NDArray[np.int64], Floats]:
    """Return the `top` words nearest to each of many words, and their cosines, best first.

    Scores are computed block by block as products of matrices, and only those that beat the
    worst of the best so far are looked at again.
    """
    top = min(top, len(vectors) - 1)
    found = np.zeros((len(places), max(top, 0)), dtype=np.int64)
    scores = np.zeros((len(places), max(top, 0)), dtype=np.float32)
    if top < 1:
        return found, scores
    for begin in range(0, len(places), QUERIES):
        some = np.asarray(places[begin : begin + QUERIES], dtype=np.int64)
        units = vectors[some] / norms[some, None]
        best, best_scores = _best(vectors, norms, units, some, top)
        found[begin : begin + QUERIES] = best
        scores[begin : begin + QUERIES] = best_scores
    return found, scores


def _best(
    vectors: Floats, norms: Floats, units: Floats, own: NDArray[np.int64], top: int
) -> tuple[NDArray[np.int64], Floats]:
    queries = np.arange(len(units))
    best = np.full((len(units), top), len(vectors), dtype=np.int64)
    scores = np.full((len(units), top), -np.inf, dtype=np.float32)
    for begin in range(0, len(vectors), ROWS):
        block = slice(begin, min(begin + ROWS, len(vectors)))
        cosines = units @ vectors[block].T
        cosines /= norms[block]
        inside = (own >= block.start) & (own < block.stop)
        cosines[queries[inside], own[inside] - begin] = -np.inf
        if begin == 0 and cosines.shape[1] > 2 * top:
            cut = cosines.shape[1] - top
            floor = np.partition(cosines, cut, axis=1)[:, cut]
        else:
            floor = scores[:, -1]
        for query in np.flatnonzero((cosines >= floor[:, None]).any(axis=1)).tolist():
            better = np.flatnonzero(cosines[query] >= floor[query])
            pool = np.concatenate([best[query], better + begin])
            values = np.concatenate([scores[query], cosines[query, better]])
            order = np.lexsort((pool, -values))[:top]
            best[query], scores[query] = pool[order], values[order]
    return best, scores
