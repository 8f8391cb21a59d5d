"""`Space`: words and their vectors, and the questions people ask of them.

Queries carry gensim's names and return shapes. A space is never changed by asking; what is derived
from it, such as the lengths of its vectors, is computed once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.space.combining import Factors, combined
from firth.space.neighbours import nearest, nearest_many
from firth.space.spelling import unknown_word
from firth.space.why import Explanation, explain
from firth.text.vocabulary import Vocabulary

Floats = NDArray[np.float32]
# What gensim calls a key, or a vector in its place; with a weight where several are mixed.
Key = str | int | Floats
Weighted = Key | tuple[Key, float]
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
    association: Association | None = None
    recipe: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that words and vectors fit."""
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            shape = " × ".join(str(n) for n in self.vectors.shape)
            raise FirthError(f"{len(self.words):,} words do not fit vectors of {shape}")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, key: object) -> bool:
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
        return np.sqrt(np.where(squares > 0, squares, 1.0)).astype(np.float32)

    def has_index_for(self, key: str) -> bool:
        """Whether a word is here."""
        return key in self

    def get_index(self, key: str | int) -> int:
        """Return the place of a word, or check that a number is one."""
        if isinstance(key, int | np.integer):
            if not 0 <= int(key) < len(self):
                raise FirthError(f"there is no word number {key}: there are {len(self):,}")
            return int(key)
        if key not in self.words:
            raise unknown_word(key, self.words.words)
        return self.words[key]

    def get_vector(self, key: str | int, norm: bool = False) -> Floats:
        """Return a word's vector, of length one if `norm`."""
        place = self.get_index(key)
        vector: Floats = self.vectors[place]
        return vector / self.norms[place] if norm else vector.copy()

    def most_similar(
        self,
        positive: Key | Sequence[Weighted] | None = None,
        negative: Key | Sequence[Weighted] | None = None,
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> Similar:
        """Find the words most similar to the positive and least to the negative ones.

        Vectors of length one are added with weights 1 and -1 (or those given as pairs), and the
        words asked about are left out. `restrict_vocab` looks at the most frequent words alone.
        """
        query, asked = self._mix(positive, negative)
        return self._nearest(query, topn, asked, restrict_vocab)

    def most_similar_batch(self, keys: Sequence[str | int], topn: int = 10) -> list[Similar]:
        """Find the words most similar to each of many words, at a fraction of the cost."""
        places = [self.get_index(key) for key in keys]
        found, scores = nearest_many(self.vectors, self.norms, places, max(topn, 0))
        return [
            [(self.words.words[w], float(s)) for w, s in zip(row, values, strict=True)]
            for row, values in zip(found.tolist(), scores.tolist(), strict=True)
        ]

    def most_similar_cosmul(
        self,
        positive: Key | Sequence[Key] | None = None,
        negative: Key | Sequence[Key] | None = None,
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> Similar:
        """Find the words that are similar to the positive ones and not to the negative, by product.

        3CosMul: Π (1 + cos)/2 over positive, divided by the same over negative (O. Levy and Y.
        Goldberg, 2014, Linguistic regularities in sparse and explicit word representations).
        """
        wanted = [key for key, _ in _weighted(positive, 1.0)]
        unwanted = [key for key, _ in _weighted(negative, 1.0)]
        if not wanted and not unwanted:
            raise FirthError("name at least one word to find others by")
        end = len(self) if restrict_vocab is None else min(restrict_vocab, len(self))
        scores = np.ones(end, dtype=np.float64)
        for keys, power in ((wanted, 1), (unwanted, -1)):
            for key in keys:
                shifted = (1 + self._cosines(self._unit(key), end).astype(np.float64)) / 2
                scores *= shifted if power > 0 else 1 / (shifted + 1e-6)
        asked = {self.get_index(k) for k in (*wanted, *unwanted) if not isinstance(k, np.ndarray)}
        order = nearest(scores, max(topn, 0), asked)
        return [(self.words.words[place], float(scores[place])) for place in order.tolist()]

    def similar_by_word(
        self, word: str, topn: int = 10, restrict_vocab: int | None = None
    ) -> Similar:
        """Find the words most similar to a word."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(
        self, vector: Floats, topn: int = 10, restrict_vocab: int | None = None
    ) -> Similar:
        """Find the words most similar to a vector."""
        return self._nearest(self._unit(vector), topn, set(), restrict_vocab)

    def similarity(self, w1: str | int, w2: str | int) -> float:
        """Return the cosine of two words."""
        a, b = self.get_index(w1), self.get_index(w2)
        product = float(np.dot(self.vectors[a].astype(float), self.vectors[b].astype(float)))
        return product / (float(self.norms[a]) * float(self.norms[b]))

    def distance(self, w1: str | int, w2: str | int) -> float:
        """Return one minus the cosine of two words."""
        return 1 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Key, other_words: Iterable[str | int] = ()) -> Floats:
        """Return one minus the cosine of a word with others, with all words if none are named."""
        others = [self.get_index(word) for word in other_words]
        cosines = self._cosines(self._unit(word_or_vector), len(self))
        chosen: Floats = 1 - (cosines[others] if others else cosines)
        return chosen

    def n_similarity(self, ws1: Sequence[str | int], ws2: Sequence[str | int]) -> float:
        """Return the cosine between the mean vectors of two groups of words."""
        if not ws1 or not ws2:
            raise FirthError("both groups need a word")
        means = [
            np.mean([self.get_vector(word, norm=True) for word in group], axis=0)
            for group in (ws1, ws2)
        ]
        lengths = [float(np.linalg.norm(mean)) or 1.0 for mean in means]
        return float(np.dot(means[0], means[1])) / (lengths[0] * lengths[1])

    def doesnt_match(self, words: Sequence[str]) -> str:
        """Return the word that is least like the others; words that are not here do not count."""
        known = [word for word in words if word in self]
        if not known:
            raise FirthError("none of these words is known: " + ", ".join(map(repr, words)))
        vectors = np.array([self.get_vector(word, norm=True) for word in known])
        mean = vectors.mean(axis=0)
        return known[int(np.argmin(vectors @ mean))]

    def rank(self, key1: str | int, key2: str | int) -> int:
        """Return at which place key2 stands among the words most similar to key1."""
        return len(self.closer_than(key1, key2)) + 1

    def closer_than(self, key1: str | int, key2: str | int) -> list[str]:
        """Return the words that are closer to key1 than key2 is, in the order of the space."""
        a, b = self.get_index(key1), self.get_index(key2)
        cosines = self._cosines(self._unit(a), len(self))
        closer = np.flatnonzero(cosines > cosines[b])
        return [self.words.words[place] for place in closer.tolist() if place != a]

    def why(self, a: str, b: str, top: int = 10) -> Explanation:
        """Say which contexts make two words similar; see `Explanation`."""
        return explain(self, a, b, top)

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

    def _unit(self, key: Key) -> Floats:
        if isinstance(key, str | int | np.integer):
            return self.get_vector(key, norm=True)
        vector = np.asarray(key, dtype=np.float32)
        if vector.shape != (self.vector_size,):
            raise FirthError(f"a vector here has {self.vector_size} numbers, not {vector.shape}")
        if not np.all(np.isfinite(vector)):
            raise FirthError("a number of the vector is not finite")
        length = float(np.linalg.norm(vector))
        return vector / length if length > 0 else vector

    def _mix(
        self, positive: Key | Sequence[Weighted] | None, negative: Key | Sequence[Weighted] | None
    ) -> tuple[Floats, set[int]]:
        keys = [*_weighted(positive, 1.0), *_weighted(negative, -1.0)]
        if not keys:
            raise FirthError("name at least one word to find others by")
        asked = {self.get_index(key) for key, _ in keys if not isinstance(key, np.ndarray)}
        mixed = sum(weight * self._unit(key).astype(np.float64) for key, weight in keys)
        return self._unit(np.asarray(mixed, dtype=np.float32)), asked

    def _cosines(self, unit: Floats, end: int) -> Floats:
        cosines: Floats = self.vectors[:end] @ unit
        cosines /= self.norms[:end]
        return cosines

    def _nearest(
        self, unit: Floats, topn: int, asked: set[int], restrict_vocab: int | None
    ) -> Similar:
        end = len(self) if restrict_vocab is None else min(restrict_vocab, len(self))
        if topn < 1 or end < 1:
            return []
        cosines = self._cosines(unit, end)
        order = nearest(cosines, topn, asked)
        return [(self.words.words[place], float(cosines[place])) for place in order.tolist()]


def _weighted(keys: Any, sign: float) -> list[tuple[Key, float]]:
    """Spell out what gensim lets people write short."""
    if keys is None:
        return []
    if isinstance(keys, str | int | np.integer) or (
        isinstance(keys, np.ndarray) and keys.ndim == 1
    ):
        keys = [keys]
    return [
        (key[0], sign * float(key[1])) if isinstance(key, tuple) else (key, sign) for key in keys
    ]
