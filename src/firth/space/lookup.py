"""Words and vectors by name: the part of a `Space` that finds a word and returns its vector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError, UnknownWord
from firth.space.asking import EmptyQuestion, Key, as_vector, is_name
from firth.space.neighbours import unit_vector
from firth.space.spelling import unknown_word
from firth.text.vocabulary import Vocabulary

Floats = NDArray[np.float32]

_UNCHANGED = (
    "a Space never changes: make another with firth.Space(firth.Vocabulary(words, frequencies), "
    "vectors)"
)
_PLACED = f"{_UNCHANGED}; Space.place finds vectors of new words from their contexts"
_NORMS = "lengths are computed when they are needed: leave the call out, or use get_normed_vectors"
# What gensim's KeyedVectors offers and a Space does not, and what to do instead.
INSTEAD = {
    **dict.fromkeys(
        ("set_vecattr", "resize_vectors", "allocate_vecattrs",
         "sort_by_descending_frequency", "intersect_word2vec_format"),
        _UNCHANGED,
    ),
    **dict.fromkeys(("add_vector", "add_vectors"), _PLACED),
    **dict.fromkeys(("fill_norms", "init_sims", "unit_normalize_all", "vectors_norm"), _NORMS),
    "wmdistance": "firth has no word mover's distance: use gensim's, on the object that "
    "firth.space.formats.to_gensim makes",
    "evaluate_word_pairs": "use firth.evaluate(space, 'similarity:FILE')",
    "evaluate_word_analogies": "use firth.evaluate(space, 'analogy:FILE')",
    "save_word2vec_format": "use firth.write_vectors(space, path, 'word2vec')",
    "load_word2vec_format": "use firth.read_vectors(path)",
}  # fmt: skip


class Lookup:
    """Words, their places and their vectors, under gensim's names."""

    words: Vocabulary
    vectors: Floats
    contexts: Vocabulary | None
    recipe: dict[str, Any]

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say what to use instead of the methods of gensim that a Space does not have."""
            named = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(f"{named}: {INSTEAD[name]}" if name in INSTEAD else named)

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
        """Whether a word, or a word at this place, is in the space."""
        return key in self

    def get_index(self, key: str | int, default: int | None = None) -> int:
        """Return the place of a word.

        Parameters
        ----------
        key
            A word, or a place, which is returned if there is a word at it.
        default
            Returned for a word that is not in the space; if None, `UnknownWord` is raised.
        """
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

    def get_vecattr(self, key: str | int, attr: str) -> int:
        """Return the frequency of a word, 0 if unknown; gensim calls this attribute ``count``."""
        if attr != "count":
            raise UnknownWord(f"words have no attribute {attr!r:.40} here: only 'count'")
        return int(self.words.frequencies[self.get_index(key)])

    def get_vector(self, key: str | int, norm: bool = False) -> Floats:
        """Return a copy of a word's vector, scaled to length one if `norm`."""
        place = self.get_index(key)
        vector: Floats = self.vectors[place]
        return vector / self.norms[place] if norm else vector.copy()

    def get_normed_vectors(self) -> Floats:
        """Return all vectors, scaled to length one; a zero vector stays zero."""
        vectors: Floats = self.vectors / self.norms[:, None]
        return vectors

    def get_mean_vector(
        self,
        keys: Sequence[Key],
        weights: Sequence[float] | NDArray[Any] | None = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> Floats:
        """Return the weighted mean of some vectors.

        Parameters
        ----------
        keys
            Words, places and vectors.
        weights
            One per key, 1 by default. The sum is divided by the sum of their absolute values.
        pre_normalize
            Scale the vectors of words to length one first; vectors are taken as they are.
        post_normalize
            Scale the mean to length one.
        ignore_missing
            Leave out words that are not in the space; otherwise they raise `UnknownWord`.
        """
        if not len(keys):
            raise EmptyQuestion("give at least one word or vector to take the mean of")
        factors = np.ones(len(keys)) if weights is None else np.asarray(weights, dtype=np.float64)
        if factors.shape != (len(keys),):
            raise EmptyQuestion(f"{len(keys):,} keys need as many `weights`, not {factors.shape}")
        total, used = np.zeros(self.vector_size), 0.0
        for key, factor in zip(keys, factors.tolist(), strict=True):
            if is_name(key):
                if ignore_missing and key not in self:
                    continue
                vector = self.vectors[self.get_index(key)].astype(np.float64)
                vector = unit_vector(vector) if pre_normalize else vector
            else:
                vector = as_vector(key, self.vector_size).astype(np.float64)
            total += factor * vector
            used += abs(factor)
        mean = total / used if used > 0 else total
        return np.asarray(unit_vector(mean) if post_normalize else mean, dtype=np.float32)
