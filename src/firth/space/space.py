"""`Space`: words and their vectors, and the questions people ask of them.

Queries carry gensim's names and return shapes. A space is never changed by asking; what is derived
from it, such as the lengths of its vectors, is computed once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError, UnknownWord
from firth.resources import default_threads
from firth.space.asking import Key, Keys, as_vector, is_name, weighted
from firth.space.association_store import StoredAssociation, background
from firth.space.background import Background
from firth.space.combining import Factors, combined
from firth.space.neighbours import (
    margin,
    nearest_by_product,
    nearest_many,
    nearest_words,
    refine,
    unit_vector,
)
from firth.space.spelling import unknown_word
from firth.space.why import Contrast, Explanation, explain
from firth.text.vocabulary import Vocabulary
from firth.ties import TIE, first_of_best

if TYPE_CHECKING:
    from firth.space.approximate import ApproximateIndex as Indexer

Floats = NDArray[np.float32]
Similar = list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Space:
    """Words and vectors.

    Attributes
    ----------
    words
        The words of the rows with their frequencies, 0 where unknown.
    vectors
        float32, a row per word.
    contexts
        The words of the contexts, if they are known.
    factors
        What the factorisation left, from which `recombine` makes other vectors.
    association
        The association matrix that was factorised, for `why`.
    recipe
        Everything needed to make the space again: method, parameters, counts.

    Examples
    --------
    >>> import numpy as np
    >>> vectors = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)
    >>> space = Space(Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> [word for word, similarity in space.most_similar("cat")]
    ['dog', 'sun']
    """

    words: Vocabulary
    vectors: Floats
    contexts: Vocabulary | None = None
    factors: Factors | None = None
    association: Association | StoredAssociation | None = None
    recipe: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that words and vectors fit."""
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            shape = " × ".join(str(n) for n in self.vectors.shape)
            raise FirthError(f"{len(self.words):,} words do not fit vectors of {shape}")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, int | np.integer):
            return 0 <= int(key) < len(self)
        return key in self.words

    def __getitem__(self, key: str | int | Sequence[str | int]) -> Floats:
        if isinstance(key, str | int | np.integer):
            return self.get_vector(key)
        return self.vectors[[self.get_index(one) for one in key]]

    def __repr__(self) -> str:
        method = self.recipe.get("method", {}).get("name", "vectors")
        return f"Space({len(self):,} words × {self.vector_size} dimensions; {method})"

    @property
    def vector_size(self) -> int:
        """The number of dimensions."""
        return int(self.vectors.shape[1])

    @property
    def index_to_key(self) -> list[str]:
        """The words, most frequent first."""
        return list(self.words.words)

    @property
    def key_to_index(self) -> dict[str, int]:
        """The place of each word."""
        return dict(self.words.index)

    @property
    def spectrum(self) -> NDArray[np.float64] | None:
        """The singular or eigenvalues of the factorisation."""
        return None if self.factors is None else self.factors.values

    @cached_property
    def norms(self) -> Floats:
        """The length of each vector; 1 for a zero vector, whose similarities are then 0."""
        squares = np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64)
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.where(squares == 0, 1.0, squares)).astype(np.float32)
        if not np.isfinite(lengths).all():
            word = self.words.words[int(np.argmin(np.isfinite(lengths)))]
            raise FirthError(f"the vector of {word!r} is not finite, or too long to compare")
        return lengths

    def has_index_for(self, key: str | int) -> bool:
        """Whether a word is here."""
        return key in self

    def get_index(self, key: str | int, default: int | None = None) -> int:
        """Return the place of a word, or check that a number is one."""
        if isinstance(key, int | np.integer):
            if 0 <= int(key) < len(self):
                return int(key)
        elif key in self.words:
            return self.words[key]
        if default is not None:
            return default
        if isinstance(key, str):
            raise unknown_word(key, self.words.words, contexts=self.contexts, recipe=self.recipe)
        raise UnknownWord(f"there is no word number {key}: there are {len(self):,}")

    def get_vector(self, key: str | int, norm: bool = False) -> Floats:
        """Return a word's vector, of length one if `norm`."""
        place = self.get_index(key)
        vector: Floats = self.vectors[place]
        return vector / self.norms[place] if norm else vector.copy()

    @overload
    def most_similar(
        self, positive: Keys = ..., negative: Keys = ..., topn: int = ...,
        restrict_vocab: int | None = ..., indexer: Indexer | None = ...,
    ) -> Similar: ...  # fmt: skip
    @overload
    def most_similar(
        self, positive: Keys, negative: Keys, topn: None,
        restrict_vocab: int | None = ..., indexer: Indexer | None = ...,
    ) -> Floats: ...  # fmt: skip
    @overload
    def most_similar(
        self, positive: Keys = ..., negative: Keys = ..., *, topn: None,
        restrict_vocab: int | None = ..., indexer: Indexer | None = ...,
    ) -> Floats: ...  # fmt: skip
    def most_similar(
        self,
        positive: Keys = None,
        negative: Keys = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
        indexer: Indexer | None = None,
    ) -> Similar | Floats:
        """Find the words most similar to the positive and least to the negative ones.

        Words of length one, and vectors as they are, are added with weights 1 and -1, or with
        those that stand in pairs, as in ``[("king", 1.0), ("man", -0.5)]``. The words asked about
        are left out.

        Parameters
        ----------
        positive, negative
            A word, the place of one, a vector, or a list of these or of pairs with weights.
        topn
            How many; None gives the cosines of all words, as an array.
        restrict_vocab
            Look at so many of the most frequent words alone.
        indexer
            Look up the words in an `ApproximateIndex` of this space.
        """
        keys = [*weighted(positive, 1.0), *weighted(negative, -1.0)]
        if not keys:
            raise FirthError("name at least one word to find others by")
        asked = {self.get_index(key) for key, _ in keys if is_name(key)}
        parts = [weight * self._wide(key) for key, weight in keys]
        unit = unit_vector(np.sum(parts, axis=0))
        if topn is None:
            return self._cosines(unit, self._end(restrict_vocab))
        if indexer is None:
            return self._nearest(unit, topn, asked, restrict_vocab)
        return self._pairs(*indexer.nearest(unit, topn, asked, self._end(restrict_vocab)))

    def most_similar_batch(self, keys: Sequence[str | int], topn: int = 10) -> list[Similar]:
        """Find the words most similar to each of many words, at a fraction of the cost."""
        places = np.array([self.get_index(key) for key in keys], dtype=np.int64)
        found, scores = nearest_many(self.vectors, self.norms, places, topn, default_threads())
        return [self._pairs(*answer) for answer in zip(found, scores, strict=True)]

    def most_similar_cosmul(
        self,
        positive: Keys = None,
        negative: Keys = None,
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> Similar:
        """Find the words that are similar to the positive ones and not to the negative, by product.

        3CosMul: Π (1 + cos)/2 over positive, divided by the same over negative plus 10^-6 (O. Levy
        and Y. Goldberg, 2014, Linguistic regularities in sparse and explicit word representations).
        """
        sides = [[key for key, _ in weighted(keys, 1.0)] for keys in (positive, negative)]
        if not any(sides):
            raise FirthError("name at least one word to find others by")
        end = self._end(restrict_vocab)

        above, below = ([unit_vector(self._wide(key)) for key in side] for side in sides)
        of_above, of_below = ([self._cosines(u, end) for u in side] for side in (above, below))
        asked = {self.get_index(k) for side in sides for k in side if is_name(k)}
        return self._pairs(
            *nearest_by_product(self.vectors, (of_above, of_below), (above, below), topn, asked)
        )

    def similar_by_word(
        self, word: str | int, topn: int = 10, restrict_vocab: int | None = None
    ) -> Similar:
        """Find the words most similar to a word."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(
        self, vector: Floats, topn: int = 10, restrict_vocab: int | None = None
    ) -> Similar:
        """Find the words most similar to a vector."""
        unit = unit_vector(as_vector(vector, self.vector_size))
        return self._nearest(unit, topn, set(), restrict_vocab)

    def similarity(self, w1: str | int, w2: str | int) -> float:
        """Return the cosine of two words; 0 if either is the zero vector."""
        a, b = (unit_vector(self.vectors[self.get_index(word)]) for word in (w1, w2))
        return float((a * b).sum())

    def distance(self, w1: str | int, w2: str | int) -> float:
        """Return one minus the cosine of two words."""
        return 1 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Key, other_words: Iterable[str | int] = ()) -> Floats:
        """Return one minus the cosine of a word with others, with all words if none are named."""
        unit = unit_vector(self._wide(word_or_vector))
        others = np.array([self.get_index(word) for word in other_words], dtype=np.int64)
        cosines = refine(self.vectors, others, unit) if len(others) else self._cosines(unit)
        return np.asarray(1 - cosines, dtype=np.float32)

    def n_similarity(self, ws1: Sequence[str | int], ws2: Sequence[str | int]) -> float:
        """Return the cosine between the mean vectors of two groups of words."""
        if not len(ws1) or not len(ws2):
            raise FirthError("both groups need a word")
        a, b = (unit_vector(self[group].mean(axis=0, dtype=np.float64)) for group in (ws1, ws2))
        return float((a * b).sum())

    def doesnt_match(self, words: Sequence[str | int]) -> str | int:
        """Return the word that is least like the others, of several the first that is named.

        Words that are not here do not count.
        """
        known = [word for word in words if word in self]
        if not len(words):
            raise FirthError("name at least one word to choose from")
        if not known:
            raise FirthError("none of these words is known: " + ", ".join(map(repr, words)))
        vectors = np.array([unit_vector(self.vectors[self.get_index(word)]) for word in known])
        return known[first_of_best(-(vectors * vectors.mean(axis=0)).sum(axis=1))]

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

    @cached_property
    def background(self) -> Background:
        """The usual strength of each context, for words of every band of frequency."""
        return background(self.association, self.words.frequencies)

    @overload
    def why(self, a: str, b: str, top: int = ..., *, contrast: None = ...) -> Explanation: ...
    @overload
    def why(self, a: str, b: str, top: int = ..., *, contrast: str) -> Contrast: ...
    def why(
        self, a: str, b: str, top: int = 10, *, contrast: str | None = None
    ) -> Explanation | Contrast:
        """Explain which contexts make two words similar.

        A context counts by how far it is stronger in both words than is usual for words of their
        frequencies; see `Explanation`.

        Parameters
        ----------
        a, b
            The words.
        top
            How many contexts to list.
        contrast
            Another word: explain why `a` is closer to `b` than to it, or not; see `Contrast`.

        Examples
        --------
        >>> import firth
        >>> lines = ["the cat drinks milk", "the dog drinks water", "the sun warms the stone"]
        >>> space = firth.PPMI(dim=3).fit(firth.count(lines, window=3, min_count=1))
        >>> [shared.context for shared in space.why("cat", "dog", top=1).contexts]
        ['drinks']
        """
        return explain(self, a, b, top, contrast)

    def recombine(
        self, *, beta: float | None = None, combine: str | None = None, weight: float | None = None
    ) -> Space:
        """Make other vectors of the same factorisation.

        Parameters
        ----------
        beta
            The exponent of the singular values.
        combine
            ``words``, ``sum`` (words plus `weight` times contexts, each of length one) or
            ``concat``.
        weight
            The weight of the contexts.
        """
        if self.factors is None:
            raise FirthError("this space keeps no factors: fit it again to change beta or combine")
        factors = self.factors.having(beta=beta, combine=combine, weight=weight)
        vectors = combined(factors, self.words, self.contexts)
        recipe = {**self.recipe, "combining": factors.settings()}
        return replace(self, vectors=vectors, factors=factors, recipe=recipe)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the folder ``path``, whole or not at all; `force` replaces an earlier space."""
        from firth.space.store import save

        save(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Space:
        """Map a stored space into memory."""
        from firth.space.store import load

        return load(Path(path))

    def _wide(self, key: Key) -> NDArray[np.float64]:
        """Return a word's vector at length one, or a vector as it is."""
        if isinstance(key, str | int | np.integer):
            return unit_vector(self.vectors[self.get_index(key)])
        return as_vector(key, self.vector_size).astype(np.float64)

    def _end(self, restrict_vocab: int | None) -> int:
        """Return how many words are looked at."""
        return len(self) if restrict_vocab is None else max(0, min(restrict_vocab, len(self)))

    def _cosines(self, unit: NDArray[np.float64], end: int | None = None) -> Floats:
        cosines: Floats = self.vectors[:end] @ unit.astype(np.float32)
        cosines /= self.norms[:end]
        return cosines

    def _nearest(
        self, unit: NDArray[np.float64], topn: int, asked: set[int], restrict_vocab: int | None
    ) -> Similar:
        cosines = self._cosines(unit, self._end(restrict_vocab))
        return self._pairs(*nearest_words(self.vectors, cosines, unit, topn, asked))

    def _pairs(self, places: NDArray[np.integer], scores: NDArray[np.floating]) -> Similar:
        names = self.words.words
        pairs = zip(places.tolist(), scores.tolist(), strict=True)
        return [(names[place], score) for place, score in pairs]
