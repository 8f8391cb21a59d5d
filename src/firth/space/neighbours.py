"""Exact nearest neighbours: the best few of many cosines, for one question or for a thousand.

Cosines of all words are computed in single precision, where the last bits depend on how BLAS cuts
its work up. Those that may be among the best, given the largest error a product can have, are then
computed again in double precision and rounded to single; so answers are exact, ties fall by place
as `firth.ties` says, and one question has the same answer alone, among many, and on any number of
threads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from firth.linalg.products import one_blas_thread
from firth.ties import TIE, ranking

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Places = NDArray[np.int64]

QUERIES = 256  # answered at a time
ROWS = 4096  # words scored at a time: with QUERIES of them, 4 MB of scores
REFINED = 4096  # rows computed again at a time
SHIFT = 1e-6  # keeps 3CosMul from dividing by zero
# Of logarithms of 3CosMul, which has three cosines; no multiple of SHIFT, by which the scores of
# words without a direction differ from those of others.
PRODUCT_TIE = 2.5 * TIE


def nearest(
    scores: NDArray[np.floating], top: int, without: Collection[int] = (), margin: float = 0.0
) -> NDArray[np.intp]:
    """Return the places of the `top` largest scores, best first, ties in order of place.

    With a margin, all that come so near to the last of them are returned too.

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
    found = np.flatnonzero(scores >= least - margin)
    found = found[np.argsort(-scores[found], kind="stable")]
    found = found[~np.isin(found, left_out)]
    return found if margin else found[:top]


def rounding(dimensions: int) -> float:
    """Bound the error of a cosine of that many dimensions in single precision."""
    return float((dimensions + 4) * np.finfo(np.float32).eps)


def margin(dimensions: int) -> float:
    """Return how far below the last of the best a cosine may come out and still tie with it."""
    return 2 * rounding(dimensions) + TIE


def refine(vectors: Floats, places: NDArray[np.integer], unit: Doubles) -> Floats:
    """Compute the cosines of some rows with a vector of length one, as exact as they can be."""
    out = np.empty(len(places), dtype=np.float32)
    nothing = (vectors.shape[1] + 4) * np.finfo(np.float64).eps  # orthogonal, but for rounding
    for begin in range(0, len(places), REFINED):
        rows = vectors[places[begin : begin + REFINED]].astype(np.float64)
        lengths = np.sqrt((rows * rows).sum(axis=1))
        products = (rows * unit).sum(axis=1)
        cosines = products / np.where(lengths > 0, lengths, 1.0)
        out[begin : begin + REFINED] = np.where(np.abs(cosines) > nothing, cosines, 0.0)
    return out


def nearest_words(
    vectors: Floats, cosines: Floats, unit: Doubles, top: int, without: Collection[int] = ()
) -> tuple[Places, Floats]:
    """Return the `top` words nearest to a vector of length one, and their cosines, best first.

    `cosines` are those of the words that are looked at, in single precision.
    """
    likely = nearest(cosines, top, without, margin=margin(vectors.shape[1]))
    return ranked(vectors, likely, unit, top)


def ranked(
    vectors: Floats, places: NDArray[np.integer], unit: Doubles, top: int
) -> tuple[Places, Floats]:
    """Put words in the order of their exact cosines, then of their places."""
    exact = refine(vectors, places, unit)
    order = ranking(exact, places)[:top]
    return places[order].astype(np.int64), exact[order]


def unit_vector(vector: NDArray[np.floating]) -> Doubles:
    """Scale a vector to length one in double precision; zero stays zero.

    Examples
    --------
    >>> unit_vector(np.array([3, 4], dtype=np.float32)).tolist()
    [0.6, 0.8]
    """
    wide = vector.astype(np.float64)
    largest = float(np.abs(wide).max(initial=0.0))
    if largest == 0:
        return wide
    wide /= largest  # so that no square is too large or too small
    return np.asarray(wide / np.sqrt((wide * wide).sum()), dtype=np.float64)


def nearest_many(
    vectors: Floats, norms: Floats, places: Places, top: int, threads: int = 1
) -> tuple[Places, Floats]:
    """Return the `top` words nearest to each of many words, and their cosines, best first.

    Products of blocks run on several threads; of each block only the scores that come near to the
    best so far are looked at again.
    """
    top = max(min(top, len(vectors) - 1), 0)
    found = np.zeros((len(places), top), dtype=np.int64)
    scores = np.zeros((len(places), top), dtype=np.float32)
    if top < 1 or not len(places):
        return found, scores
    step = min(QUERIES, -(-len(places) // threads))
    groups = [places[at : at + step] for at in range(0, len(places), step)]
    with one_blas_thread(1), ThreadPoolExecutor(threads) as pool:
        answers = pool.map(lambda group: _nearest_group(vectors, norms, group, top), groups)
        for number, (best, cosines) in enumerate(answers):
            span = slice(number * step, number * step + len(best))
            found[span], scores[span] = best, cosines
    return found, scores


def _nearest_group(vectors: Floats, norms: Floats, own: Places, top: int) -> tuple[Places, Floats]:
    units = vectors[own] / norms[own, None]
    likely = _Likely(len(own), top, margin(vectors.shape[1]))
    queries = np.arange(len(own))
    for begin in range(0, len(vectors), ROWS):
        end = min(begin + ROWS, len(vectors))
        cosines: Floats = np.matmul(units, vectors[begin:end].T, dtype=np.float32)
        cosines /= norms[begin:end]
        inside = (own >= begin) & (own < end)
        cosines[queries[inside], own[inside] - begin] = -np.inf
        likely.add(cosines, begin)
    best = np.empty((len(own), top), dtype=np.int64)
    scores = np.empty((len(own), top), dtype=np.float32)
    for query, places in enumerate(likely.places()):
        unit = unit_vector(vectors[own[query]])
        if places is None:
            row = vectors @ units[query] / norms
            answer = nearest_words(vectors, row, unit, top, {int(own[query])})
        else:
            answer = ranked(vectors, places, unit, top)
        best[query], scores[query] = answer
    return best, scores


class _Likely:
    """What may be among the best of each query, as blocks of scores come in."""

    def __init__(self, queries: int, top: int, margin: float) -> None:
        self._top, self._margin = top, margin
        self._floors = np.full(queries, -np.inf, dtype=np.float32)
        self._crowded = np.zeros(queries, dtype=bool)  # too many are alike: asked one by one
        self._queries: Places = np.empty(0, dtype=np.int64)
        self._places: Places = np.empty(0, dtype=np.int64)
        self._scores: Floats = np.empty(0, dtype=np.float32)
        self._pruned = 0

    def add(self, scores: Floats, begin: int) -> None:
        """Take the scores of a block of words, whose first has the place `begin`."""
        if begin == 0 and scores.shape[1] > 4 * self._top:
            cut = scores.shape[1] - self._top
            self._floors = np.partition(scores, cut, axis=1)[:, cut] - np.float32(self._margin)
        queries, columns = np.nonzero(scores >= self._floors[:, None])
        if len(queries) > scores.size // 8 and scores.shape[1] > 8 * self._top:
            self._crowded |= np.bincount(queries, minlength=len(scores)) > scores.shape[1] // 4
            self._floors[self._crowded] = np.inf
            kept = ~self._crowded[queries]
            queries, columns = queries[kept], columns[kept]
        self._queries = np.concatenate([self._queries, queries])
        self._places = np.concatenate([self._places, columns + begin])
        self._scores = np.concatenate([self._scores, scores[queries, columns]])
        if len(self._queries) > 2 * self._pruned:
            self._prune()

    def _prune(self) -> None:
        """Raise the floors to the last that is among the best so far, and drop what is below."""
        order = np.lexsort((-self._scores, self._queries))
        starts = np.searchsorted(self._queries[order], np.arange(len(self._floors) + 1))
        full = np.flatnonzero((np.diff(starts) >= self._top) & ~self._crowded)
        last = self._scores[order[starts[full] + self._top - 1]]
        self._floors[full] = np.maximum(self._floors[full], last - np.float32(self._margin))
        kept = order[self._scores[order] >= self._floors[self._queries[order]]]
        self._queries, self._places = self._queries[kept], self._places[kept]
        self._scores = self._scores[kept]
        self._pruned = len(kept)

    def places(self) -> Iterator[Places | None]:
        """Give the likely places of each query in turn, None if it is crowded."""
        self._prune()
        starts = np.searchsorted(self._queries, np.arange(len(self._floors) + 1))
        for query, crowded in enumerate(self._crowded.tolist()):
            yield None if crowded else self._places[starts[query] : starts[query + 1]]


def nearest_by_product(
    vectors: Floats,
    cosines: tuple[list[Floats], list[Floats]],
    units: tuple[list[Doubles], list[Doubles]],
    top: int,
    without: Collection[int] = (),
) -> tuple[Places, Doubles]:
    """Return the words of the largest Π (1 + cos)/2 over some vectors, divided by that over others.

    Parameters
    ----------
    vectors
        Of all words.
    cosines
        Of the words that are looked at with either group of vectors, in single precision.
    units
        The vectors themselves, at length one.
    top, without
        As for `nearest`.
    """
    slack = rounding(vectors.shape[1])
    above, below = (_products(side, slack) for side in cosines)
    least, most = above[0] / (below[1] + SHIFT), above[1] / (below[0] + SHIFT)
    kept = min(max(top, 0) + len(without), len(most))
    if top < 1 or kept < 1:
        return np.empty(0, dtype=np.int64), np.empty(0)
    floor = np.partition(least, len(least) - kept)[len(least) - kept]
    likely = np.flatnonzero(most >= floor * (1 - 2 * PRODUCT_TIE))
    likely = likely[~np.isin(likely, [*without])]
    exact = [[refine(vectors, likely, unit) for unit in side] for side in units]
    over, under = (_products(side, 0.0)[0] for side in exact)
    scores = np.broadcast_to(over / (under + SHIFT), likely.shape)
    with np.errstate(divide="ignore"):
        order = ranking(np.log(scores), slack=PRODUCT_TIE)[:top]
    return likely[order].astype(np.int64), scores[order]


def _products(cosines: list[Floats], slack: float) -> tuple[Doubles, Doubles]:
    """Multiply cosines brought between 0 and 1; return the least and the most that it may be."""
    least = most = np.ones(len(cosines[0]) if cosines else 1)
    for side in cosines:
        least = least * shifted(side.astype(np.float64) - slack)
        most = most * shifted(side.astype(np.float64) + slack)
    return least, most


def shifted(cosines: Doubles) -> Doubles:
    """Bring cosines between 0 and 1; what ties with 0 is 0, since `SHIFT` enlarges it."""
    between = np.clip((1 + cosines) / 2, 0.0, 1.0)
    between[between <= TIE] = 0.0
    return between
