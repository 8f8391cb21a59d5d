"""`Senses`: sparse sense vectors of words, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.matrix import Counts
from firth.errors import FirthError, UnknownWord
from firth.resources import Resources
from firth.senses.inventory import SenseTable
from firth.space.spelling import unknown_word
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from firth.methods.method import Method
    from firth.senses.inducing import Induction
    from firth.senses.reading import Reading, Sense
    from firth.space.space import Space

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Senses:
    """Senses of words, each a sparse vector over contexts.

    The vectors of a word's senses add up exactly to its row of positive PMI.

    Attributes
    ----------
    words
        All words that were counted, which are the contexts too.
    places
        Which of them have senses, rising.
    first
        The senses of word number n of `places` are ``first[n]`` to ``first[n + 1] - 1``, the one
        with the largest share first.
    starts, columns, values
        The vectors, in compressed rows.
    recipe
        How they were learnt.

    Examples
    --------
    >>> import firth
    >>> lines = ["the bank lends money", "the bank of the river"] * 3
    >>> senses = Senses.learn(firth.count(lines, min_count=1), ["bank"], k=2, min_support=2)
    >>> senses
    Senses(1 word × 2.0 senses; spectral)
    >>> [sense.name for sense in senses.of("bank")]
    ['bank_1', 'bank_2']
    """

    words: Vocabulary
    places: NDArray[np.int64]
    first: NDArray[np.int64]
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Floats
    recipe: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the arrays fit each other."""
        if (
            self.first.shape != (len(self.places) + 1,)
            or self.starts.shape != (int(self.first[-1]) + 1,)
            or self.columns.shape != self.values.shape
            or self.columns.shape != (int(self.starts[-1]),)
        ):
            raise FirthError("the arrays of senses do not fit each other")

    @classmethod
    def learn(
        cls,
        counts: Counts,
        words: str | Sequence[str] = "ambiguous",
        *,
        k: int | str = "auto",
        table: SenseTable | str | Path | None = None,
        clustering: str = "spectral",
        max_senses: int = 10,
        min_support: int = 20,
        alpha: float = 0.75,
        pool: bool = False,
        seed: int = 0,
        resources: Resources | None = None,
    ) -> Senses:
        """Learn the senses of words from counts.

        The contexts of a word are grouped by how they are associated with each other. A flat window
        of 5 is a good choice for the counts.

        Parameters
        ----------
        counts
            Symmetric counts.
        words
            A list of words, or ``"ambiguous"``: all that have several senses in `table`.
        k
            How many senses a word has: a number, ``"wordnet"`` for what `table` says, or
            ``"auto"`` for a rule that looks at the contexts.
        table
            How many senses words have: a mapping, a tab-separated file, or the folder of
            WordNet's dict files.
        clustering
            ``"spectral"``, by which each context belongs to one sense; ``"nndsvd"``, by which
            senses share contexts; or ``"nmf"``, which refines that and takes longer.
        max_senses
            The most senses of a word.
        min_support
            Words with fewer contexts than this are not divided.
        alpha
            Exponent that smooths the frequencies of contexts in the PPMI matrix.
        pool
            Learn concepts once for all words, as mixtures of which the senses of each word are then
            found; this is faster for many words.
        seed
            Of the random start vectors.
        resources
            Threads, memory and progress. The senses do not depend on them.

        Examples
        --------
        >>> import firth
        >>> lines = ["the bank lends money", "the bank of the river"] * 3
        >>> counts = firth.count(lines, min_count=1)
        >>> len(Senses.learn(counts, ["bank", "river"], k=2, min_support=2))
        4
        """
        from firth.senses.making import learn

        return learn(
            counts, words, k=k, table=table, clustering=clustering, max_senses=max_senses,
            min_support=min_support, alpha=alpha, pool=pool, seed=seed, resources=resources,
        )  # fmt: skip

    def __len__(self) -> int:
        return int(self.first[-1])

    def __contains__(self, word: object) -> bool:
        return word in self.words and self.words[str(word)] in self._numbers

    def __repr__(self) -> str:
        count = len(self.places)
        mean = len(self) / max(count, 1)
        kind = self.recipe.get("method", {}).get("clustering", "senses")
        return f"Senses({count:,} word{'' if count == 1 else 's'} × {mean:.1f} senses; {kind})"

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {place: number for number, place in enumerate(self.places.tolist())}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all senses, in order."""
        return tuple(
            f"{self.words.words[place]}_{number + 1}"
            for n, place in enumerate(self.places.tolist())
            for number in range(int(self.first[n + 1] - self.first[n]))
        )

    @cached_property
    def sums(self) -> Doubles:
        """The sum of each sense's vector."""
        cumulated = np.concatenate([[0.0], np.cumsum(self.values, dtype=np.float64)])
        out: Doubles = cumulated[self.starts[1:]] - cumulated[self.starts[:-1]]
        return out

    def rows_of(self, word: str) -> range:
        """Return the numbers of the senses of a word.

        Parameters
        ----------
        word
            One that was divided.
        """
        if word not in self.words:
            known = [self.words.words[place] for place in self.places.tolist()]
            raise unknown_word(word, known, "store of senses")
        number = self._numbers.get(self.words[word])
        if number is None:
            raise UnknownWord(
                f"{word!r} was not divided into senses: learn them with `words`, from a text where "
                f"it has at least `min_support` contexts"
            )
        return range(int(self.first[number]), int(self.first[number + 1]))

    def vector(self, sense: int) -> tuple[NDArray[np.int32], Floats]:
        """Return the contexts and strengths of a sense.

        Parameters
        ----------
        sense
            Its number, of `rows_of`.
        """
        span = slice(int(self.starts[sense]), int(self.starts[sense + 1]))
        return self.columns[span], self.values[span]

    def matrix(self, word: str) -> tuple[NDArray[np.int64], Doubles]:
        """Return the contexts of a word, and a row of strengths for each of its senses.

        Parameters
        ----------
        word
            One that was divided.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["the bank lends money", "the bank of the river"], min_count=1)
        >>> senses = Senses.learn(counts, ["bank"], k=2, min_support=2)
        >>> contexts, strengths = senses.matrix("bank")
        >>> strengths.shape == (2, len(contexts))
        True
        """
        rows = self.rows_of(word)
        vectors = [self.vector(row) for row in rows]
        contexts = np.unique(np.concatenate([columns for columns, _ in vectors]))
        out = np.zeros((len(rows), len(contexts)))
        for own, (columns, values) in zip(out, vectors, strict=True):
            own[np.searchsorted(contexts, columns)] = values
        return contexts.astype(np.int64), out

    def shares(self, word: str) -> Doubles:
        """Return how much of a word's association belongs to each of its senses.

        Parameters
        ----------
        word
            One that was divided.
        """
        rows = self.rows_of(word)
        sums = self.sums[rows.start : rows.stop]
        out: Doubles = sums / sums.sum()
        return out

    def of(self, word: str, top: int = 10) -> list[Sense]:
        """List the senses of a word, with their strongest contexts.

        Parameters
        ----------
        word
            One that was divided.
        top
            How many contexts to list.

        Examples
        --------
        >>> import firth
        >>> lines = ["the bank lends money", "the bank of the river"] * 3
        >>> senses = Senses.learn(firth.count(lines, min_count=1), ["bank"], k=2, min_support=2)
        >>> round(sum(sense.share for sense in senses.of("bank")), 6)
        1.0
        """
        from firth.senses.reading import Sense

        found = []
        for row, share in zip(self.rows_of(word), self.shares(word).tolist(), strict=True):
            columns, values = self.vector(row)
            order = np.lexsort((columns, -values))[:top]
            contexts = [(self.words.words[int(columns[n])], float(values[n])) for n in order]
            found.append(Sense(self.names[row], share, contexts))
        return found

    def induce(self, word: str, sentence: str | Sequence[str]) -> Induction:
        """Say which senses a word has in a sentence, and which words decided it.

        Parameters
        ----------
        word
            One that was divided.
        sentence
            A text, or its tokens. The word itself is left out.

        Examples
        --------
        >>> import firth
        >>> lines = ["the bank lends money", "the bank of the river"] * 3
        >>> senses = Senses.learn(firth.count(lines, min_count=1), ["bank"], k=2, min_support=2)
        >>> found = senses.induce("bank", "bank of a river")
        >>> found.known, found.senses[0][1]
        (True, 1.0)
        """
        from firth.senses.inducing import induce

        return induce(self, word, sentence)

    def induce_all(
        self, items: Iterable[tuple[str, str | Sequence[str]]], resources: Resources | None = None
    ) -> list[Induction]:
        """Say which senses words have in sentences.

        Parameters
        ----------
        items
            Pairs of a word and a sentence.
        resources
            Progress.
        """
        from firth.senses.inducing import induce_all

        return induce_all(self, items, resources or Resources())

    def embed(
        self,
        counts: Counts,
        method: Method | None = None,
        *,
        keep_words: bool = True,
        resources: Resources | None = None,
    ) -> Space:
        """Learn a space that has a vector for each sense, as ``bank_1``, and for each other word.

        Parameters
        ----------
        counts
            Those from which the senses were learnt.
        method
            Any method that takes an association; by default the plain singular vectors of
            `firth.methods.SVD`, of 100 dimensions.
        keep_words
            Whether the vectors of divided words stay beside those of their senses.
        resources
            Threads, memory and progress.

        Examples
        --------
        >>> import firth
        >>> lines = ["the bank lends money", "the bank of the river"] * 3
        >>> counts = firth.count(lines, min_count=1)
        >>> senses = Senses.learn(counts, ["bank"], k=2, min_support=2)
        >>> "bank_2" in senses.embed(counts, firth.methods.SVD(dim=2))
        True
        """
        from firth.senses.embedding import embed

        return embed(self, counts, method, keep_words=keep_words, resources=resources)

    def read(
        self,
        word: str,
        *,
        counts: Counts | None = None,
        space: Space | None = None,
        corpus: object = None,
        top: int = 10,
        examples: int = 3,
    ) -> list[Reading]:
        """Describe the senses of a word: contexts, neighbours and lines of a corpus.

        Parameters
        ----------
        word
            One that was divided.
        counts
            Those from which the senses were learnt, for the words whose rows are most similar.
        space
            A space of `embed`, for the words whose vectors are most similar.
        corpus
            A text, for lines that have the word in each sense.
        top
            How many contexts and neighbours to list.
        examples
            How many lines to list.

        Examples
        --------
        >>> import firth
        >>> lines = ["the bank lends money", "the bank of the river"] * 3
        >>> senses = Senses.learn(firth.count(lines, min_count=1), ["bank"], k=2, min_support=2)
        >>> [len(reading.examples) for reading in senses.read("bank", corpus=lines, examples=1)]
        [1, 1]
        """
        from firth.senses.reading import read

        return read(self, word, counts, space, corpus, top, examples)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the folder ``path``, whole or not at all; `force` replaces earlier senses."""
        from firth.senses.store import save

        save(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Senses:
        """Load stored senses; their arrays are mapped, and read from disk as they are used."""
        from firth.senses.store import load

        return load(Path(path))
