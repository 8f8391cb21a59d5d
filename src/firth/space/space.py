"""`Space`: words and their vectors, and where they came from.

Queries have gensim's names and return values; they are in `queries.py`. A space never changes; what
is derived from it, such as the lengths of its vectors, is computed once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.sided import SidedAssociation
from firth.space.association_store import StoredAssociation, background
from firth.space.background import Background
from firth.space.combining import Factors, combined, vectors_of
from firth.space.marginals import Marginals
from firth.space.queries import Queries
from firth.space.view_maps import ViewMaps, place_by_view, predict
from firth.space.why import Contrast, Explanation, explain
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from firth.counts.matrix import Counts
    from firth.resources import Resources
    from firth.space.placing import Placed

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Space(Queries):
    """Words and their vectors; its methods answer questions about similar words.

    Attributes
    ----------
    words
        The words of the rows and their frequencies; a frequency of 0 means unknown.
    vectors
        A float32 array with a row per word.
    contexts
        The words of the contexts, if they are known.
    factors
        The factors of the association matrix, from which `recombine` makes other vectors.
    association
        The association matrix that was factorised, for `why`.
    recipe
        Everything needed to make the space again: method, parameters, counts.
    marginals
        Sums of the counts, which `place` needs.
    views
        Where the space was fitted to several views, what is kept of them.

    Examples
    --------
    >>> import numpy as np
    >>> vectors = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)
    >>> import firth
    >>> space = firth.Space(firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> [word for word, similarity in space.most_similar("cat")]
    ['dog', 'sun']
    """

    words: Vocabulary
    vectors: Floats
    contexts: Vocabulary | None = None
    factors: Factors | None = None
    association: Association | SidedAssociation | StoredAssociation | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    marginals: Marginals | None = None
    views: ViewMaps | None = None

    def __post_init__(self) -> None:
        """Check that words and vectors fit."""
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            shape = " × ".join(str(n) for n in self.vectors.shape)
            raise FirthError(f"{len(self.words):,} words do not fit vectors of {shape}")

    def __repr__(self) -> str:
        method = self.recipe.get("method", {}).get("name", "vectors")
        return f"Space({len(self):,} words × {self.vector_size} dimensions; {method})"

    @property
    def spectrum(self) -> NDArray[np.float64] | None:
        """The singular or eigenvalues of the factorisation."""
        return None if self.factors is None else self.factors.values

    def vectors_for_all(
        self, keys: Iterable[str | int], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> Space:
        """Return a space of some words, in their order; words that are not here are left out.

        Parameters
        ----------
        keys
            Words or places; each is taken once.
        allow_inference
            Whether places count as words.
        copy_vecattrs
            Keep the frequencies of the words; otherwise they are 0, which means unknown.
        """
        kept = [key for key in keys if key in (self if allow_inference else self.words)]
        places = np.array(list(dict.fromkeys(map(self.get_index, kept))), dtype=np.int64)
        frequencies = self.words.frequencies[places]
        words = [self.words.words[place] for place in places.tolist()]
        vocabulary = Vocabulary(words, frequencies if copy_vecattrs else np.zeros_like(frequencies))
        return Space(vocabulary, self.vectors[places], recipe=dict(self.recipe))

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
        >>> space = firth.methods.PPMI(dim=3).fit(firth.count(lines, window=3, min_count=1))
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
            ``words``, ``sum`` (words plus `weight` times contexts, each of length one), ``mean``
            (the same with the lengths that they have) or ``concat``.
        weight
            The weight of the contexts.
        """
        if self.factors is None:
            raise FirthError(
                "this space keeps no factors: fit it again to change `beta` or `combine`"
            )
        factors = self.factors.having(beta=beta, combine=combine, weight=weight)
        vectors = combined(factors, self.words, self.contexts)
        recipe = {**self.recipe, "combining": factors.settings()}
        return replace(self, vectors=vectors, factors=factors, recipe=recipe)

    def place(
        self,
        contexts: Counts | Mapping[str, Any],
        *,
        view: str | None = None,
        resources: Resources | None = None,
    ) -> Placed:
        """Find the vectors of new words from counts of their contexts.

        Each vector is the weighted least squares solution of the word's row of counts, the vectors
        of contexts being fixed; see `firth.space.placing`. The space must have been fitted by the
        method ``weighted``; or by ``multiview``, and then `view` says which view has the words.

        Parameters
        ----------
        contexts
            A mapping from each word to a mapping from its contexts to their counts, or `Counts`
            whose rows are the words, such as those of `contexts_in`. Contexts that the space does
            not have are left out. If the space tells the two sides of a word apart, a context may
            be a pair ``(context, "left")``; a context alone is counted half on either side.
        view
            The name of a view of the space. A word may then also map to an array with a number
            for each column of the view.
        resources
            Threads, on which the result does not depend.

        Examples
        --------
        >>> import firth
        >>> lines = ["the cat drinks milk", "the dog drinks water", "the cat eats fish",
        ...          "the dog eats meat"] * 3
        >>> space = firth.methods.Weighted(dim=3).fit(firth.count(lines, window=3, min_count=1))
        >>> placed = space.place({"kitten": {"the": 2, "drinks": 1, "eats": 1, "fish": 1}})
        >>> placed, placed.contexts.tolist()
        (Placed(1 words × 3 dimensions), [4])
        >>> space.similar_by_vector(placed["kitten"], topn=1)[0][0]
        'cat'
        """
        from firth.space.placing import place  # its linear algebra takes time to load

        if view is not None:
            return place_by_view(self, contexts, view)
        return place(self, contexts, resources)

    def predict(self, view: str, word: str, topn: int | None = 10) -> list[tuple[str, float]]:
        """Predict the row of a word in a view from its vector.

        For a word that the view lacks, this is what its other views say about it. Values are those
        of the prepared view: fourth roots of counts, for example.

        Parameters
        ----------
        view
            The name of a view of the space.
        word
            A word of the space.
        topn
            How many columns to return, the largest first; None for all in their order.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["a b c d", "b c a d"] * 2, min_count=1, window=1)
        >>> views = {"near": counts, "some": counts.select(["a", "b", "c"])}
        >>> space = firth.methods.MultiView(dim=2, min_views=1).fit(views)
        >>> [context for context, value in space.predict("some", "d", topn=1)]
        ['c']
        """
        return predict(self, view, word, topn)

    def contexts_in(
        self,
        corpus: object,
        words: Sequence[str],
        *,
        window: int | None = None,
        weighting: str | None = None,
        resources: Resources | None = None,
    ) -> Counts:
        """Count the contexts of some words in a text, as those of the space were counted.

        Parameters
        ----------
        corpus
            A text, as for `firth.count`.
        words
            The words; the tokenizer of the space normalises them.
        window, weighting
            As for `firth.count`; by default those of the counts of the space.
        resources
            Threads, memory and progress.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["the cat drinks milk", "the dog drinks"] * 3, min_count=1)
        >>> space = firth.methods.Weighted(dim=2).fit(counts)
        >>> space.contexts_in(["the kitten drinks"], ["kitten"]).row("kitten")
        [('drinks', 1.0), ('the', 1.0)]
        """
        from firth.space.contexts import contexts_in  # it loads what reads text

        return contexts_in(self, corpus, words, window, weighting, resources)

    def with_words(self, placed: Placed) -> Space:
        """Return a space with more words, which were placed in this one.

        The other vectors do not change. The association, which `why` needs, is left out, as it has
        no rows of the new words.

        Parameters
        ----------
        placed
            What `place` returned.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["the cat drinks milk", "the dog drinks"] * 3, min_count=1)
        >>> space = firth.methods.Weighted(dim=2).fit(counts)
        >>> larger = space.with_words(space.place({"kitten": {"the": 1, "drinks": 1}}))
        >>> "kitten" in larger, len(larger) - len(space)
        (True, 1)
        """
        factors, known = self.factors, next((w for w in placed.words if w in self), None)
        if known is not None:
            raise FirthError(f"{known!r} is in the space already: leave it out")
        if factors is None or placed.left.shape[1] != factors.left.shape[1]:
            raise FirthError("the words were placed in another space: place them in this one")
        before = factors.placed
        others = placed.others if before is None else np.concatenate([before, placed.others])
        left = np.concatenate([factors.left, placed.left])
        vectors = vectors_of(factors, placed.left, placed.others)
        words = Vocabulary.unchecked(
            (*self.words.words, *placed.words.words),
            np.concatenate([self.words.frequencies, placed.words.frequencies]),
        )
        return replace(
            self,
            words=words,
            vectors=np.concatenate([self.vectors, vectors]),
            factors=replace(factors, left=left, placed=others),
            association=None,
            recipe={**self.recipe, "placed": len(others)},
        )

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the folder ``path``, whole or not at all; `force` replaces an earlier space."""
        from firth.space.store import save

        save(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Space:
        """Load a stored space; its arrays are mapped, and read from disk as they are used."""
        from firth.space.store import load

        return load(Path(path))
