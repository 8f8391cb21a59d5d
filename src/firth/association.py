"""From counts to association: how much two words have to do with each other.

The template of Stratos, Collins and Hsu (2015, Model-based word embeddings from decompositions of
count matrices, figure 2) and its relatives: a transform of the counts, a scale that divides
them by the frequencies of word and context, and a power of the result.

    transform t:  x,  log(1 + x),  ln x,  x^(2/3),  sqrt(x);  also of #(w) and #(c)
    scale:        none  t(x)
                  reg   t(x) / t(#w)
                  cca   t(x) / sqrt(t(#w)^ω t(#c)^α) · sqrt(N(α) / N(1) · W(ω) / W(1))
                  pmi   log r,  r = t(x) N(α) / (t(#w)^ω t(#c)^α) · W(ω) / W(1)
                  log1p log(1 + r)
    where         N(α) = Σ t(#c)^α over contexts,  W(ω) = Σ t(#w)^ω over words

PMI is kept where it exceeds a threshold: 0 after the shift for (shifted) PPMI, a negative number of
bits for EigenWord. ``log1p`` is a smooth form of PPMI: pairs that meet less often than by chance
still have a small positive value. α < 1 smooths the distribution of contexts, and ω < 1 that of
words; symmetric counts with α = ω have a symmetric association. κ is added to #(w) and #(c)
(Stratos, Kim, Collins and Hsu 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.blocks import Block, Blocks
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.parameters import Checked, parameter
from firth.text.vocabulary import Vocabulary

TRANSFORMS = ("none", "log1p", "log", "two-thirds", "sqrt")
SCALES = ("none", "reg", "cca", "pmi", "log1p")
_EXPONENTS = {"none": 1.0, "two-thirds": 2 / 3, "sqrt": 0.5}

Doubles = NDArray[np.float64]

_TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class Association:
    """A sparse matrix of compressed float32 rows, columns rising within a row, and its names.

    Attributes
    ----------
    starts, columns, values, shape
        The matrix.
    words, contexts
        The names of rows and columns, where they are known.
    offsets
        The blocks of ``len(contexts)`` columns each: the offsets of positional counts, or ``left``
        and ``right``; else empty.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    shape: tuple[int, int]
    words: Vocabulary | None = None
    contexts: Vocabulary | None = None
    offsets: Blocks = ()

    def __post_init__(self) -> None:
        """Check that the names fit the matrix."""
        rows, columns = self.shape
        if self.words is not None and len(self.words) != rows:
            raise FirthError(f"{len(self.words):,} `words` do not name {rows:,} rows")
        if self.contexts is not None:
            named = len(self.contexts) * max(1, len(self.offsets))
            if named != columns:
                raise FirthError(f"{named:,} `contexts` do not name {columns:,} columns")

    @property
    def nnz(self) -> int:
        """Cells that are not zero."""
        return len(self.columns)

    @property
    def parts(self) -> tuple[Association, ...]:
        """The matrices that stand side by side in this one: itself."""
        return (self,)

    def transpose(self, threads: int = 1) -> Association:
        """Exchange rows and columns."""
        arrays = self.sparse(threads).transpose(threads)
        shape = (self.shape[1], self.shape[0])
        if self.offsets:  # a row would be a context at an offset
            return Association(*arrays, shape, None, self.words)
        return Association(*arrays, shape, self.contexts, self.words)

    def sparse(self, threads: int = 1) -> _core.Sparse:
        """Return the matrix as the core has it, checked once, for any number of products."""
        held: _core.Sparse | None = self.__dict__.get("_sparse")
        if held is None:
            held = _core.Sparse(self.starts, self.columns, self.values, self.shape[1], threads)
            object.__setattr__(self, "_sparse", held)
        return held

    def is_symmetric(self, threads: int = 1) -> bool:
        """Return whether the matrix equals its transpose exactly; it is compared only once.

        Examples
        --------
        >>> Association.from_scipy([[0, 2], [2, 1]]).is_symmetric()
        True
        """
        found: bool | None = self.__dict__.get("_symmetric")
        if found is None:
            square = self.shape[0] == self.shape[1]
            found = square and self.sparse(threads).symmetric(threads)
            object.__setattr__(self, "_symmetric", found)
        return found

    def row(self, place: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the columns and values of one row."""
        span = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.columns[span], self.values[span]

    def named(
        self, words: Vocabulary | None, contexts: Vocabulary | None, offsets: Sequence[Block] = ()
    ) -> Association:
        """Return the same matrix with names of its rows and columns."""
        return replace(self, words=words, contexts=contexts, offsets=tuple(offsets))

    def to_dense(self) -> Doubles:
        """Return a dense matrix in double precision, for small ones."""
        out = np.zeros(self.shape)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.starts))
        out[rows, self.columns] = self.values
        return out

    def to_scipy(self) -> Any:
        """Return the matrix as a `scipy.sparse.csr_array`."""
        from scipy.sparse import csr_array

        wide = self.nnz >= 2**31
        index = np.int64 if wide else np.int32
        arrays = self.values, self.columns.astype(index), self.starts.astype(index)
        return csr_array(arrays, shape=self.shape)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        words: Vocabulary | Sequence[str] | None = None,
        contexts: Vocabulary | Sequence[str] | None = None,
    ) -> Association:
        """Take any sparse matrix or dense array.

        Parameters
        ----------
        matrix
            Finite numbers; they are kept in single precision.
        words, contexts
            Names of the rows and of the columns. Methods need those of the rows, and `Space.why`
            those of the columns.

        Examples
        --------
        >>> matrix = Association.from_scipy([[0, 2.5], [2.5, 0]], ["ice", "cream"])
        >>> matrix.nnz, matrix.words.words
        (2, ('ice', 'cream'))
        """
        from scipy.sparse import csr_array

        table = csr_array(matrix)
        table.sum_duplicates()
        table.sort_indices()
        values = table.data.astype(np.float32)
        if not np.all(np.isfinite(values)):
            raise FirthError("a value of the matrix is not finite")
        return cls(
            table.indptr.astype(np.int64),
            table.indices.astype(np.int32),
            values,
            (int(table.shape[0]), int(table.shape[1])),
            _vocabulary(words),
            _vocabulary(contexts),
        )


def _vocabulary(names: Vocabulary | Sequence[str] | None) -> Vocabulary | None:
    """Take names; frequencies that are not known are 0."""
    if names is None or isinstance(names, Vocabulary):
        return names
    return Vocabulary(list(names), [0] * len(names))


@dataclass(frozen=True, kw_only=True)
class Weighing(Checked):
    """How counts become association.

    Attributes
    ----------
    transform, scale
        See the head of this module.
    alpha, word_alpha
        The exponents of context and of word smoothing, for ``cca``, ``pmi`` and ``log1p``.
    kappa
        The pseudocount added to the frequencies of words and contexts.
    shift
        Subtracted from PMI in nats: log k for shifted PPMI; negative values keep weak
        associations.
    threshold
        PMI at or below it becomes zero; in the unit of `bits`, after the shift.
    bits
        PMI in base 2 instead of nats.
    power
        The exponent that the association is raised to, by magnitude.
    """

    transform: str = parameter(
        "none", "Function applied to counts and frequencies.", choices=TRANSFORMS
    )
    scale: str = parameter(
        "pmi", "How counts are scaled by the frequencies of word and context.", choices=SCALES
    )
    alpha: float = parameter(
        1.0, "Exponent that smooths the frequencies of contexts.", least=0, most=1
    )
    word_alpha: float = parameter(
        1.0, "Exponent that smooths the frequencies of words.", least=0, most=1
    )
    kappa: float = parameter(
        0.0, "Pseudocount added to the frequencies of words and contexts.", least=0
    )
    shift: float = parameter(0.0, "Subtracted from PMI, in nats.")
    threshold: float = 0.0
    bits: bool = False
    power: float = parameter(1.0, "Exponent of the association.", above=0)

    @property
    def is_even(self) -> bool:
        """Whether words and contexts are treated alike."""
        return self.scale == "none" or (self.scale != "reg" and self.alpha == self.word_alpha)

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if np.isnan(self.threshold):
            raise FirthError("`threshold` must be a number")


def associate(counts: Counts, weighing: Weighing, threads: int = 1) -> Association:
    """Compute the association matrix of counts in one pass over their nonzeros.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["ice cream", "ice tea", "hot tea"], window=1, min_count=1)
    >>> ppmi = associate(counts, Weighing())
    >>> ppmi.to_dense().round(3)[counts.words["hot"]]
    array([0.   , 1.099, 0.   , 0.   ])
    """
    of_word, of_context = marginals(counts, threads)
    of_row, of_column = factors(weighing, of_word, of_context)
    return weigh(counts, weighing, of_row, of_column, threads)


def marginals(counts: Counts, threads: int = 1) -> tuple[Doubles, Doubles]:
    """Return the sums of the rows and of the columns of counts.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["ice cream", "ice tea"], window=1, context="right", min_count=1)
    >>> [sums.tolist() for sums in marginals(counts)]
    [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    """
    starts, columns, values = counts.csr()
    sums = _core.marginals(starts, columns, values, counts.shape[1], threads)
    return sums[0] / counts.denominator, sums[1] / counts.denominator


def factors(weighing: Weighing, of_word: Doubles, of_context: Doubles) -> tuple[Doubles, Doubles]:
    """Return what each row and column brings to its cells: factors, or for PMI, what is added.

    Parameters
    ----------
    weighing
        How counts become association.
    of_word, of_context
        The sums of rows and columns, without κ.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a cell that is not finite is an error
        return _factors(weighing, of_word + weighing.kappa, of_context + weighing.kappa)


def weigh(
    counts: Counts, weighing: Weighing, of_row: Doubles, of_column: Doubles, threads: int = 1
) -> Association:
    """Compute an association matrix from factors of rows and columns that the caller gives.

    Parameters
    ----------
    counts, weighing, threads
        As for `associate`.
    of_row, of_column
        What each cell is multiplied by; for PMI, what is added to its logarithm.
    """
    starts, columns, values = counts.csr()
    try:
        weighed_starts, kept, weighed = _core.associate(
            starts,
            columns,
            values,
            of_row,
            of_column,
            transform={"log1p": "log1p", "log": "log"}.get(weighing.transform, "power"),
            exponent=_EXPONENTS.get(weighing.transform, 1.0),
            kind={"pmi": "logarithm", "log1p": "soft"}.get(weighing.scale, "product"),
            unit=1 / np.log(2) if weighing.bits else 1.0,
            threshold=weighing.threshold if weighing.scale == "pmi" else -np.inf,
            power=weighing.power,
            scale=float(counts.denominator),
            threads=threads,
            progress=None,
        )
    except ArithmeticError as error:
        row, column = (int(part) for part in str(error).split())
        word, context = counts.words.words[row], counts.column_name(column)
        raise FirthError(f"the association of {word!r} with {context!r} is not finite") from None
    # Where no cell is left out, the columns are those of the counts, and shared with them.
    return Association(
        weighed_starts,
        columns if kept is None else kept,
        weighed,
        counts.shape,
        counts.words,
        counts.contexts,
        counts.offsets,
    )


def _factors(weighing: Weighing, of_word: Doubles, of_context: Doubles) -> tuple[Doubles, Doubles]:
    """Return what the cells of each row and column are multiplied by, or what is added to them."""
    if weighing.scale == "none":
        return np.ones_like(of_word), np.ones_like(of_context)
    word, context = (_transformed(weighing.transform, f) for f in (of_word, of_context))
    if weighing.scale == "reg":
        return _inverse(word, 1.0), np.ones_like(context)
    # A frequency whose transform is not above zero makes its row or column zero.
    smooth_word = np.where(word > 0, np.abs(word) ** weighing.word_alpha, 0.0)
    smooth_context = np.where(context > 0, np.abs(context) ** weighing.alpha, 0.0)
    share = float(smooth_word.sum()) / max(float(word.sum()), _TINY)
    total = float(smooth_context.sum()) * share
    if weighing.scale == "cca":
        root = (total / max(float(context.sum()), _TINY)) ** 0.25
        return _inverse(smooth_word, 0.5) * root, _inverse(smooth_context, 0.5) * root
    # Half of the constant factor goes to either side: symmetric counts have equal factors.
    if weighing.scale == "log1p":
        root = np.sqrt(total) * np.exp(-weighing.shift / 2)
        return _inverse(smooth_word, 1.0) * root, _inverse(smooth_context, 1.0) * root
    half = (np.log(max(total, _TINY)) - weighing.shift) / 2
    return _logarithm(smooth_word, half), _logarithm(smooth_context, half)


def _inverse(x: Doubles, exponent: float) -> Doubles:
    return np.where(x > 0, np.where(x > 0, x, 1.0) ** -exponent, 0.0)


def _logarithm(x: Doubles, above: float) -> Doubles:
    return np.where(x > 0, above - np.log(np.where(x > 0, x, 1.0)), -np.inf)


def _transformed(transform: str, x: Doubles) -> Doubles:
    if transform == "log1p":
        return np.log1p(x)
    if transform == "log":
        return np.log(np.maximum(x, 1.0))
    return np.where(x > 0, x, 0.0) ** _EXPONENTS[transform]
