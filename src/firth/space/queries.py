"""Questions about similar words, under gensim's names and with gensim's return values.

`firth.Space` has these methods; docs/space.md lists where they differ from gensim's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.resources import default_threads
from firth.space.asking import (
    EmptyQuestion,
    Key,
    Keys,
    as_vector,
    is_name,
    is_pair,
    most,
    weighted,
)
from firth.space.lookup import Floats, Lookup
from firth.space.neighbours import (
    SHIFT,
    margin,
    nearest_by_product,
    nearest_many,
    nearest_words,
    refine,
    shifted,
    unit_vector,
)
from firth.ties import TIE, first_of_best, ranking

if TYPE_CHECKING:
    from firth.space.approximate import ApproximateIndex as Indexer

Similar = list[tuple[str, float]]
NO_WORDS = "name at least one word to find others by"


class Queries(Lookup):
    """Similarities between words, and the words most similar to others."""

    @overload
    def most_similar(
        self, positive: Keys = ..., negative: Keys = ..., topn: int = ..., clip_start: int = ...,
        clip_end: int | None = ..., restrict_vocab: int | None = ..., indexer: Indexer | None = ...,
    ) -> Similar: ...  # fmt: skip
    @overload
    def most_similar(
        self, positive: Keys, negative: Keys, topn: None, clip_start: int = ...,
        clip_end: int | None = ..., restrict_vocab: int | None = ..., indexer: Indexer | None = ...,
    ) -> Floats: ...  # fmt: skip
    @overload
    def most_similar(
        self, positive: Keys = ..., negative: Keys = ..., *, topn: None, clip_start: int = ...,
        clip_end: int | None = ..., restrict_vocab: int | None = ..., indexer: Indexer | None = ...,
    ) -> Floats: ...  # fmt: skip
    def most_similar(
        self,
        positive: Keys = None,
        negative: Keys = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
    ) -> Similar | Floats:
        """Find the words most similar to the positive and least similar to the negative ones.

        The vectors of words, scaled to length one, and vectors that are given, as they are, are
        added with weight 1 (positive) or -1 (negative), or with the weight that stands beside them
        in a pair, as in ``[("king", 1.0), ("man", -0.5)]``. The words of the question are left out
        of the answer.

        Parameters
        ----------
        positive, negative
            A word, the place of one, a vector, or a list of these or of pairs with weights.
        topn
            How many words; None returns the cosines of all words, as an array.
        clip_start, clip_end
            Search only the words from the first of these places up to the second.
        restrict_vocab
            Search only this many of the most frequent words; overrides the two before.
        indexer
            An `ApproximateIndex` of this space, or an index of gensim's such as AnnoyIndexer.

        Returns
        -------
        list of (str, float) or array
            Words and cosines, most similar first.
        """
        top = most(topn)
        if top == 0 and (positive is not None or negative is not None):
            return []
        keys = [*weighted(positive, 1.0), *weighted(negative, -1.0)]
        if not keys:
            raise EmptyQuestion(NO_WORDS)
        asked = {self.get_index(key) for key, _ in keys if is_name(key)}
        unit = unit_vector(np.sum([weight * self._wide(key) for key, weight in keys], axis=0))
        begin, end = self._span(clip_start, clip_end, restrict_vocab)
        if top is None:
            return self._cosines(unit, begin, end)
        if indexer is None:
            return self._nearest(unit, top, asked, begin, end)
        if not hasattr(indexer, "nearest"):
            found: Similar = indexer.most_similar(unit.astype(np.float32), top)
            return found
        if begin:
            raise FirthError("an index of `indexer` searches from the first word: leave "
                             "`clip_start` out")  # fmt: skip
        return self._pairs(*indexer.nearest(unit, top, asked, end))

    def most_similar_batch(self, keys: Sequence[str | int], topn: int = 10) -> list[Similar]:
        """Find the words most similar to each of many words, at a fraction of the cost."""
        places = np.array([self.get_index(key) for key in keys], dtype=np.int64)
        top = most(topn) or 0
        found, scores = nearest_many(self.vectors, self.norms, places, top, default_threads())
        return [self._pairs(*answer) for answer in zip(found, scores, strict=True)]

    @overload
    def most_similar_cosmul(
        self, positive: Keys = ..., negative: Keys = ..., topn: int = ...,
        restrict_vocab: int | None = ...,
    ) -> Similar: ...  # fmt: skip
    @overload
    def most_similar_cosmul(
        self, positive: Keys, negative: Keys, topn: None, restrict_vocab: int | None = ...
    ) -> NDArray[np.float64]: ...
    @overload
    def most_similar_cosmul(
        self, positive: Keys = ..., negative: Keys = ..., *, topn: None,
        restrict_vocab: int | None = ...,
    ) -> NDArray[np.float64]: ...  # fmt: skip
    def most_similar_cosmul(
        self,
        positive: Keys = None,
        negative: Keys = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> Similar | NDArray[np.float64]:
        """Find words that are similar to the positive and not to the negative ones, by product.

        3CosMul: the product of (1 + cos)/2 over the positive words, divided by the same product
        over the negative ones plus 10^-6 (O. Levy and Y. Goldberg, 2014, Linguistic regularities in
        sparse and explicit word representations).

        Parameters
        ----------
        positive, negative
            A word, the place of one, a vector, or a list of these. Pairs with weights are refused:
            a product has none.
        topn
            How many words; None returns the scores of all words, as an array.
        restrict_vocab
            Search only this many of the most frequent words.
        """
        top = most(topn)
        if top == 0 and (positive is not None or negative is not None):
            return []
        if any(is_pair(key) for keys in (positive, negative) if isinstance(keys, list | tuple)
               for key in keys):  # fmt: skip
            raise FirthError("most_similar_cosmul multiplies, and takes no weights: give words "
                             "alone, or ask most_similar")  # fmt: skip
        sides = [[key for key, _ in weighted(keys, 1.0)] for keys in (positive, negative)]
        if not any(sides):
            raise EmptyQuestion(NO_WORDS)
        _, end = self._span(0, None, restrict_vocab)
        above, below = ([unit_vector(self._wide(key)) for key in side] for side in sides)
        of_above, of_below = ([self._cosines(u, 0, end) for u in side] for side in (above, below))
        if top is None:
            over, under = (
                np.prod([np.ones(end), *(shifted(c.astype(np.float64)) for c in side)], axis=0)
                for side in (of_above, of_below)
            )
            return np.asarray(over / (under + SHIFT))
        asked = {self.get_index(k) for side in sides for k in side if is_name(k)}
        return self._pairs(
            *nearest_by_product(self.vectors, (of_above, of_below), (above, below), top, asked)
        )

    @overload
    def similar_by_word(
        self, word: str | int, topn: int = ..., restrict_vocab: int | None = ...
    ) -> Similar: ...
    @overload
    def similar_by_word(
        self, word: str | int, topn: None, restrict_vocab: int | None = ...
    ) -> Floats: ...
    def similar_by_word(
        self, word: str | int, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Similar | Floats:
        """Find the words most similar to a word."""
        return self.similar_by_key(word, topn, restrict_vocab)

    @overload
    def similar_by_key(
        self, key: str | int, topn: int = ..., restrict_vocab: int | None = ...
    ) -> Similar: ...
    @overload
    def similar_by_key(
        self, key: str | int, topn: None, restrict_vocab: int | None = ...
    ) -> Floats: ...
    def similar_by_key(
        self, key: str | int, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Similar | Floats:
        """Find the words most similar to a word, or to the word at a place."""
        return self.most_similar([key], None, topn, restrict_vocab=restrict_vocab)

    @overload
    def similar_by_vector(
        self, vector: Any, topn: int = ..., restrict_vocab: int | None = ...
    ) -> Similar: ...
    @overload
    def similar_by_vector(
        self, vector: Any, topn: None, restrict_vocab: int | None = ...
    ) -> Floats: ...
    def similar_by_vector(
        self, vector: Any, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Similar | Floats:
        """Find the words most similar to a vector."""
        known = as_vector(vector, self.vector_size)
        return self.most_similar([known], None, topn, restrict_vocab=restrict_vocab)

    def most_similar_to_given(self, key1: str | int, keys_list: Sequence[str | int]) -> str | int:
        """Return the word of a list that is most similar to `key1`."""
        if not len(keys_list):
            raise EmptyQuestion("name at least one word to choose from")
        cosines = np.array([self.similarity(key1, key) for key in keys_list])
        return keys_list[first_of_best(cosines)]

    def similarity(self, w1: str | int, w2: str | int) -> float:
        """Return the cosine of two words; 0 if either has a zero vector."""
        a, b = (unit_vector(self.vectors[self.get_index(word)]) for word in (w1, w2))
        return _cosine(a, b)

    def distance(self, w1: str | int, w2: str | int) -> float:
        """Return one minus the cosine of two words."""
        return 1 - self.similarity(w1, w2)

    def distances(
        self, word_or_vector: Key, other_words: Iterable[str | int] | None = ()
    ) -> Floats:
        """Return one minus the cosine of a word with others; with all words if none are named."""
        unit = unit_vector(self._wide(word_or_vector))
        places = [self.get_index(word) for word in other_words or ()]
        others = np.array(places, dtype=np.int64)
        cosines = refine(self.vectors, others, unit) if places else self._cosines(unit)
        return np.asarray(1 - cosines, dtype=np.float32)

    def n_similarity(self, ws1: Sequence[str | int], ws2: Sequence[str | int]) -> float:
        """Return the cosine between the mean vectors of two groups of words."""
        if not len(ws1) or not len(ws2):
            raise EmptyQuestion("both groups need a word")
        a, b = (unit_vector(self[group].mean(axis=0, dtype=np.float64)) for group in (ws1, ws2))
        return _cosine(a, b)

    def relative_cosine_similarity(self, wa: str | int, wb: str | int, topn: int = 10) -> float:
        """Return the cosine of two words over the sum of the cosines nearest to the first.

        A. Leeuwenberg, M. Vela, J. Dehdari and J. van Genabith, 2016, A minimally supervised
        approach for synonym extraction with word embeddings, equation 1.
        """
        near = self.similar_by_key(wa, topn)
        if not near:
            raise EmptyQuestion("`topn` must be 1 or more")
        return self.similarity(wa, wb) / sum(cosine for _, cosine in near)

    def rank_by_centrality(
        self, words: Sequence[str | int], use_norm: bool = True
    ) -> list[tuple[float, str | int]]:
        """Order words by their cosine with the mean of all of them, highest first.

        Parameters
        ----------
        words
            Words that are not in the space are left out.
        use_norm
            Scale the vectors to length one; else products, not cosines, are compared.
        """
        known = [word for word in words if word in self]
        if not len(words):
            raise EmptyQuestion("name at least one word to choose from")
        if not known:
            raise EmptyQuestion("none of these words is known: " + ", ".join(map(repr, words)))
        rows = [self.vectors[self.get_index(word)].astype(np.float64) for word in known]
        vectors = np.array([unit_vector(row) for row in rows] if use_norm else rows)
        products = (vectors * unit_vector(vectors.mean(axis=0))).sum(axis=1)
        scores = products.astype(np.float32).tolist()
        return [(scores[place], known[place]) for place in ranking(products).tolist()]

    def doesnt_match(self, words: Sequence[str | int]) -> str | int:
        """Return the word that is least like the others; unknown words are left out.

        Of several that are equally unlike them, the first of `words` is returned.
        """
        ordered = self.rank_by_centrality(words)
        least = {word for score, word in ordered if score <= ordered[-1][0] + TIE}
        return next(word for word in words if word in least)

    def rank(self, key1: str | int, key2: str | int) -> int:
        """Return at which place key2 stands among the words most similar to key1."""
        return len(self.closer_than(key1, key2)) + 1

    def closer_than(self, key1: str | int, key2: str | int) -> list[str]:
        """Return the words that are closer to key1 than key2 is, in the order of the space."""
        a, b = self.get_index(key1), self.get_index(key2)
        unit = unit_vector(self.vectors[a])
        cosines = self._cosines(unit)
        bound = refine(self.vectors, np.array([b]), unit)[0]
        unsure = np.flatnonzero(np.abs(cosines - bound) <= margin(self.vector_size))
        cosines[unsure] = refine(self.vectors, unsure, unit)
        closer = np.flatnonzero(cosines.astype(np.float64) > float(bound) + TIE)
        return [self.words.words[place] for place in closer.tolist() if place != a]

    @staticmethod
    def cosine_similarities(vector_1: Any, vectors_all: Any) -> NDArray[np.float64]:
        """Return the cosines of a vector with the rows of an array; 0 for zero vectors."""
        unit = unit_vector(np.asarray(vector_1, dtype=np.float64))
        rows = np.asarray(vectors_all, dtype=np.float64)
        return np.array([(unit_vector(row) * unit).sum() for row in rows])

    def _wide(self, key: Any) -> NDArray[np.float64]:
        """Return a word's vector at length one, or a vector as it is."""
        if is_name(key):
            return unit_vector(self.vectors[self.get_index(key)])
        return as_vector(key, self.vector_size).astype(np.float64)

    def _span(self, start: int, end: int | None, restrict_vocab: int | None) -> tuple[int, int]:
        """Return the first place that is searched, and the one after the last."""
        if restrict_vocab is not None:
            start, end = 0, max(0, restrict_vocab)
        else:
            end = end or None
        begin, stop, _ = slice(start, end).indices(len(self))
        return begin, max(begin, stop)

    def _cosines(self, unit: NDArray[np.float64], begin: int = 0, end: int | None = None) -> Floats:
        cosines: Floats = self.vectors[begin:end] @ unit.astype(np.float32)
        cosines /= self.norms[begin:end]
        return cosines

    def _nearest(
        self, unit: NDArray[np.float64], top: int, asked: set[int], begin: int, end: int
    ) -> Similar:
        cosines = self._cosines(unit, begin, end)
        without = {place - begin for place in asked if begin <= place < end}
        found, scores = nearest_words(self.vectors[begin:end], cosines, unit, top, without)
        return self._pairs(found + begin, scores)

    def _pairs(self, places: NDArray[np.integer], scores: NDArray[np.floating]) -> Similar:
        names = self.words.words
        pairs = zip(places.tolist(), scores.tolist(), strict=True)
        return [(names[place], score) for place, score in pairs]


def _cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the cosine of two vectors of length one, rounded so that equal vectors have 1."""
    return float(np.float32((a * b).sum()))
