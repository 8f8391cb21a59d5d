"""`Counts`: a sparse word × context matrix of exact integers, and what made it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.arrays import LIMIT, Rows
from firth.counts.recipe import Ledger, Recipe
from firth.errors import FirthError, StoreError
from firth.resources import default_threads
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WIDE = 2**31  # nonzeros that scipy must number in 64 bits


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each context keeps company with each word, exactly.

    Attributes
    ----------
    words, contexts
        The vocabularies of rows and columns.
    scale
        Counts are held as whole numbers of units of 1/scale: 1 for flat windows, lcm(1..L) for
        harmonic ones.
    offsets
        For positional counts, the offset of each block of ``len(contexts)`` columns; else empty.
    recipe, ledger
        What is needed to make the matrix again, and where every token went.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a rose is a rose is a rose"], window=1, weighting="flat",
    ...                      min_count=1)
    >>> counts
    Counts(3 words × 3 contexts, 6 nonzeros; symmetric flat window of 1)
    >>> counts.row("rose")
    [('a', 3), ('is', 2)]
    """

    words: Vocabulary
    contexts: Vocabulary
    scale: int
    offsets: tuple[int, ...]
    recipe: Recipe
    ledger: Ledger
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]

    def __post_init__(self) -> None:
        """Check that the arrays fit each other."""
        if (
            self.starts.shape != (len(self.words) + 1,)
            or self.columns.shape != self.values.shape
            or self.columns.shape != (int(self.starts[-1]),)
        ):
            raise StoreError("the arrays of a count matrix do not fit its vocabularies")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.words), len(self.contexts) * max(1, len(self.offsets))

    @property
    def is_symmetric(self) -> bool:
        """Whether the counts were made the same in both directions; a matrix is not looked at."""
        made = self.recipe.source != "matrix" and self.recipe.context == "symmetric"
        return made and not self.offsets and self.words == self.contexts

    @property
    def nnz(self) -> int:
        """Cells that are not zero."""
        return len(self.columns)

    @property
    def total(self) -> int:
        """The sum of all counts, in units of 1/scale."""
        if self.values.dtype == np.uint32:
            return int(np.sum(self.values, dtype=np.uint64))
        high = int(np.sum(self.values >> np.uint64(32), dtype=np.uint64))
        low = int(np.sum(self.values & np.uint64(0xFFFFFFFF), dtype=np.uint64))
        return (high << 32) + low

    def rows(self) -> Rows:
        """Return row starts, columns and values, once they have been found sound."""
        checked = self.__dict__.get("_checked", False)
        if not checked:
            fine = _core.sound(self.starts, self.columns, self.shape[1], default_threads())
            if not fine or (self.values.dtype == np.uint64 and np.any(self.values > LIMIT)):
                raise StoreError("the count matrix is damaged: rows or columns are out of order")
            object.__setattr__(self, "_checked", True)
        return self.starts, self.columns, self.values

    def row(self, word: str) -> list[tuple[str, float]]:
        """List the contexts of a word with their counts, in column order.

        Contexts of a positional matrix are written with their offset, as ``rose+1``.
        """
        if word not in self.words:
            raise FirthError(f"{word!r} is not a word of these counts")
        starts, columns, values = self.rows()
        place = self.words[word]
        span = slice(int(starts[place]), int(starts[place + 1]))
        units = values[span].tolist()
        counts = units if self.scale == 1 else [unit / self.scale for unit in units]
        names = [self.column_name(column) for column in columns[span].tolist()]
        return list(zip(names, counts, strict=True))

    def column_name(self, column: int) -> str:
        """Name a column by its context, and its offset if it has one."""
        block, context = divmod(column, len(self.contexts))
        word = self.contexts.words[context]
        return f"{word}{self.offsets[block]:+d}" if self.offsets else word

    def to_scipy(self, units: bool = False) -> csr_array[Any]:
        """Give the matrix as a `scipy.sparse.csr_array`.

        Values are int64 if `units` is true or the scale is 1, else float64 counts, which are exact
        up to one rounding.
        """
        from scipy.sparse import csr_array

        starts, columns, values = self.rows()
        data: NDArray[Any] = values.astype(np.int64)
        if not units and self.scale != 1:
            data = data / self.scale
        if len(columns) < WIDE:  # scipy wants starts and columns of one type
            starts_: NDArray[Any] = starts.astype(np.int32)
            columns_: NDArray[Any] = columns.copy()
        else:
            starts_, columns_ = starts.copy(), columns.astype(np.int64)
        matrix = csr_array((data, columns_, starts_), shape=self.shape)
        matrix.has_canonical_format = True
        return matrix

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        words: Sequence[str],
        contexts: Sequence[str] | None = None,
        *,
        scale: int | None = None,
        frequencies: Iterable[int] | None = None,
        context_frequencies: Iterable[int] | None = None,
        recipe: Recipe | None = None,
    ) -> Counts:
        """Take counts from any scipy sparse matrix or dense array and its word list."""
        from firth.counts.interchange import from_scipy

        return from_scipy(
            matrix,
            words,
            contexts,
            scale=scale,
            frequencies=frequencies,
            context_frequencies=context_frequencies,
            recipe=recipe,
        )

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the store ``path``, whole or not at all; `force` replaces an earlier store."""
        from firth.counts.store import save

        save(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        """Map a store into memory; nothing is read until it is used."""
        from firth.counts.store import load

        return load(Path(path))

    def __add__(self, other: Counts) -> Counts:
        """Add exactly, over the union of the vocabularies.

        The sum is what counting the joined corpus would give only if both were counted under one
        vocabulary; otherwise the ledger says so.
        """
        from firth.counts.merging import add

        if not isinstance(other, Counts):
            return NotImplemented
        return add([self, other])

    def block(self, offset: int) -> Counts:
        """Take the block of columns at one offset out of a positional matrix.

        Examples
        --------
        >>> import firth
        >>> lines = ["a rose is a rose"]
        >>> pairs = firth.count(lines, window=1, context="positional", min_count=1)
        >>> pairs.block(+1).row("a")
        [('rose', 2)]
        """
        from firth.counts.views import block

        return block(self, offset)

    def select(
        self, words: Sequence[str] | None = None, contexts: Sequence[str] | None = None
    ) -> Counts:
        """Keep the rows and columns of the words given, in the order of this matrix."""
        from firth.counts.views import select

        return select(self, words, contexts)

    def top(self, words: int | None = None, contexts: int | None = None) -> Counts:
        """Keep the most frequent words and contexts."""
        for most in (words, contexts):
            if most is not None and most < 0:
                raise FirthError(f"{most} of the most frequent words cannot be kept: 0 or more")
        return self.select(self.words.words[:words], self.contexts.words[:contexts])

    def noted(self, note: str) -> Counts:
        """Return these counts with a note in their ledger."""
        ledger = replace(self.ledger, notes=(*self.ledger.notes, note))
        return replace(self, ledger=ledger)

    def __repr__(self) -> str:
        kind = f"{self.recipe.context} {self.recipe.weighting} window of {self.recipe.window}"
        if self.recipe.source == "matrix":
            kind = "from a matrix"
        blocks = f" × {len(self.offsets)} offsets" if self.offsets else ""
        return (
            f"Counts({len(self.words):,} words × {len(self.contexts):,} contexts{blocks}, "
            f"{self.nnz:,} nonzeros; {kind})"
        )

    def equals(self, other: Counts) -> bool:
        """Whether words, contexts, scale and every count are the same."""
        return (
            self.words == other.words
            and self.contexts == other.contexts
            and self.scale == other.scale
            and self.offsets == other.offsets
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.columns, other.columns)
            and np.array_equal(self.values, other.values)
        )
