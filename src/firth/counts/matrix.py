"""`Counts`: a sparse word × context matrix of exact integers, and how it was made."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.arrays import LIMIT, Rows
from firth.counts.blocks import SIDES, Block, Blocks, column_name
from firth.counts.halves import blocks_added, both_together, side_by_side
from firth.counts.ledger import Ledger
from firth.counts.recipe import Recipe
from firth.counts.symmetry import is_transpose
from firth.errors import FirthError, StoreError
from firth.resources import default_threads
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WIDE = 2**31  # nonzeros that scipy must number in 64 bits


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each context stands near each word, exactly.

    Attributes
    ----------
    words, contexts
        The vocabularies of rows and columns.
    denominator
        Counts are stored as whole numbers of units of 1/denominator: 1 for flat windows, lcm(1..L)
        for harmonic ones.
    offsets
        The blocks of ``len(contexts)`` columns each: the offsets of positional counts, or ``left``
        and ``right``; empty where all contexts are counted together.
    recipe, ledger
        What is known of how the matrix was made, and an account of every token that was read.
    starts, columns, values
        The matrix in compressed rows, as it is stored; use `csr`, which checks it.
    symmetric
        Whether the matrix is its own transpose, if that is known from how it was made; else None.
        `is_symmetric` checks the matrix if needed.
    half
        Whether the arrays hold the left side only. The right side is then its transpose, since a
        word stands to the right of another as often as that one stands to its left.

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
    denominator: int
    offsets: Blocks
    recipe: Recipe
    ledger: Ledger
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]
    symmetric: bool | None = None
    half: bool = False

    def __post_init__(self) -> None:
        """Check that the arrays fit each other."""
        if (
            self.starts.shape != (len(self.words) + 1,)
            or self.columns.shape != self.values.shape
            or self.columns.shape != (int(self.starts[-1]),)
            or (self.half and (self.offsets != SIDES or self.words != self.contexts))
        ):
            raise StoreError("the arrays of a count matrix do not fit its vocabularies")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.words), len(self.contexts) * max(1, len(self.offsets))

    @property
    def is_symmetric(self) -> bool:
        """Whether rows and columns are the same words and the matrix is its own transpose.

        If this is not known from how the counts were made, the matrix is checked once.
        """
        if self.offsets or self.words != self.contexts:
            return False
        if self.symmetric is not None:
            return self.symmetric
        found: bool | None = self.__dict__.get("_found_symmetric")
        if found is None:
            found = is_transpose(self.csr(), self.shape[1], default_threads())
            object.__setattr__(self, "_found_symmetric", found)
        return found

    @property
    def scale(self) -> int:
        """The former name of `denominator`."""
        warnings.warn(
            "Counts.scale is deprecated: use Counts.denominator", DeprecationWarning, stacklevel=2
        )
        return self.denominator

    @property
    def nnz(self) -> int:
        """How many cells are not zero."""
        return len(self.columns) * (2 if self.half else 1)

    @property
    def total(self) -> int:
        """The sum of all counts, in units of 1/denominator."""
        sides = 2 if self.half else 1
        if self.values.dtype == np.uint32:
            return sides * int(np.sum(self.values, dtype=np.uint64))
        high = int(np.sum(self.values >> np.uint64(32), dtype=np.uint64))
        low = int(np.sum(self.values & np.uint64(0xFFFFFFFF), dtype=np.uint64))
        return sides * ((high << 32) + low)

    def rows(self) -> Rows:
        """Return `csr`, under its former name."""
        warnings.warn(
            "Counts.rows() is deprecated: use Counts.csr()", DeprecationWarning, stacklevel=2
        )
        return self.csr()

    def csr(self) -> Rows:
        """Return the compressed rows: starts, columns and values, in units of 1/denominator.

        The arrays are checked the first time. Where only the left side is stored, the whole matrix
        is made the first time, and then kept.
        """
        return self._whole if self.half else self.stored()

    def stored(self) -> Rows:
        """Return the arrays that are stored, which are checked the first time; see `csr`."""
        if not self.__dict__.get("_checked", False):
            width = len(self.contexts) if self.half else self.shape[1]
            fine = _core.sound(self.starts, self.columns, width, default_threads())
            if not fine or (self.values.dtype == np.uint64 and np.any(self.values > LIMIT)):
                raise StoreError("the count matrix is damaged: rows or columns are out of order")
            object.__setattr__(self, "_checked", True)
        return self.starts, self.columns, self.values

    @cached_property
    def _whole(self) -> Rows:
        return side_by_side(self.stored(), default_threads())

    def together(self) -> Counts:
        """Add the counts to the left and to the right of each word; other counts stay as they are.

        Examples
        --------
        >>> import firth
        >>> counts = firth.count(["a rose is a rose"], window=1, weighting="flat", min_count=1,
        ...                      context="sides")
        >>> counts.row("a"), counts.together().row("a")
        ([('is (left)', 1), ('rose (right)', 2)], [('rose', 2), ('is', 1)])
        """
        if self.offsets != SIDES:
            return self
        threads = default_threads()
        if self.half:
            rows = both_together(self.stored(), threads)
        else:
            rows = blocks_added(self.stored(), len(self.contexts), threads)
        starts, columns, values = rows
        return replace(
            self,
            offsets=(),
            recipe=replace(self.recipe, context="symmetric"),
            starts=starts,
            columns=columns,
            values=values,
            symmetric=True if self.half else None,
            half=False,
        )

    def row(self, word: str) -> list[tuple[str, float]]:
        """List the contexts of a word with their counts, in column order.

        Contexts of a positional matrix are written with their offset, as ``rose+1``, and those of
        sides as ``rose (left)``.
        """
        if word not in self.words:
            raise FirthError(f"{word!r} is not a word of these counts")
        starts, columns, values = self.csr()
        place = self.words[word]
        span = slice(int(starts[place]), int(starts[place + 1]))
        units = values[span].tolist()
        counts = units if self.denominator == 1 else [unit / self.denominator for unit in units]
        names = [self.column_name(column) for column in columns[span].tolist()]
        return list(zip(names, counts, strict=True))

    def column_name(self, column: int) -> str:
        """Return the name of a column: its context, with the offset or side where there is one."""
        return column_name(self.contexts.words, self.offsets, column)

    def to_scipy(self, units: bool = False) -> csr_array[Any]:
        """Copy the matrix to a `scipy.sparse.csr_array`.

        Values are int64 if `units` is true or the denominator is 1; else they are float64 counts,
        each rounded once.
        """
        from scipy.sparse import csr_array

        starts, columns, values = self.csr()
        data: NDArray[Any] = values.astype(np.int64)
        if not units and self.denominator != 1:
            data = data / self.denominator
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
        denominator: int | None = None,
        frequencies: Iterable[int] | None = None,
        context_frequencies: Iterable[int] | None = None,
        recipe: Recipe | None = None,
        scale: int | None = None,
    ) -> Counts:
        """Make counts from a scipy sparse matrix or a dense array, and its words.

        See `firth.counts.interchange.from_scipy` for the parameters.

        Examples
        --------
        >>> import numpy as np
        >>> counts = Counts.from_scipy(np.array([[0, 2], [2, 1]]), ["a", "b"])
        >>> counts, counts.is_symmetric
        (Counts(2 words × 2 contexts, 3 nonzeros; from a matrix), True)
        """
        from firth.counts.interchange import former_scale, from_scipy

        return from_scipy(
            matrix,
            words,
            contexts,
            denominator=former_scale(denominator, scale),
            frequencies=frequencies,
            context_frequencies=context_frequencies,
            recipe=recipe,
        )

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the counts to the folder `path`; `force` replaces an earlier store of counts."""
        from firth.counts.store import save

        save(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        """Map a store into memory; the arrays are read when they are used."""
        from firth.counts.store import load

        return load(Path(path))

    def __add__(self, other: Counts) -> Counts:
        """Add two matrices exactly, over the union of their vocabularies.

        The sum equals the counts of the joined corpus only if both were counted with one
        vocabulary; otherwise a note in the ledger says that it does not.
        """
        from firth.counts.merging import add

        if not isinstance(other, Counts):
            return NotImplemented
        return add([self, other])

    def block(self, offset: Block) -> Counts:
        """Return the block of columns of one offset of positional counts, or of one side.

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
        """Return the rows of some words and the columns of some contexts.

        Parameters
        ----------
        words, contexts
            Lists of words; None keeps all. Rows and columns stay in the order of this matrix.
        """
        from firth.counts.views import select

        return select(self, words, contexts)

    def top(self, words: int | None = None, contexts: int | None = None) -> Counts:
        """Return the rows and columns of the most frequent words and contexts; None keeps all."""
        for name, most in (("words", words), ("contexts", contexts)):
            if most is not None and not _is_size(most):
                raise FirthError(f"`{name}` must be a whole number of 0 or more, not {most!r:.60}")
        return self.select(self.words.words[:words], self.contexts.words[:contexts])

    def noted(self, note: str) -> Counts:
        """Return the same counts with another note in their ledger."""
        ledger = replace(self.ledger, notes=(*self.ledger.notes, note))
        return replace(self, ledger=ledger)

    def __repr__(self) -> str:
        kind = "sides" if self.offsets == SIDES else "offsets"
        blocks = f" × {len(self.offsets)} {kind}" if self.offsets else ""
        return (
            f"Counts({len(self.words):,} words × {len(self.contexts):,} contexts{blocks}, "
            f"{self.nnz:,} nonzeros; {self.recipe.summary()})"
        )

    def equals(self, other: Counts) -> bool:
        """Return whether words, contexts, denominator and every count are the same."""
        alike = self.half == other.half
        own, others = (c.stored() if alike else c.csr() for c in (self, other))
        starts, columns, values = own
        return (
            self.words == other.words
            and self.contexts == other.contexts
            and self.denominator == other.denominator
            and self.offsets == other.offsets
            and np.array_equal(starts, others[0])
            and np.array_equal(columns, others[1])
            and np.array_equal(values, others[2])
        )


def _is_size(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and index(value) >= 0
    except TypeError:
        return False
