"""Counts to association: how much two words have to do with each other, given how often they meet.

The template of Stratos, Collins and Hsu (2015, Model-based word embeddings from decompositions of
count matrices, figure 2) and its relatives: a transform of the counts, a scale that sets them
against the frequencies of word and context, and a power of what results.

    transform t:  x,  log(1 + x),  ln x,  x^(2/3),  sqrt(x);  also of #(w) and #(c)
    scale:        none  t(x)
                  reg   t(x) / t(#w)
                  cca   t(x) / sqrt(t(#w)^ω t(#c)^α) · sqrt(N(α) / N(1) · W(ω) / W(1))
                  pmi   log r,  r = t(x) N(α) / (t(#w)^ω t(#c)^α) · W(ω) / W(1)
                  log1p log(1 + r)
    where         N(α) = Σ t(#c)^α over contexts,  W(ω) = Σ t(#w)^ω over words

PMI is kept where it exceeds a threshold: 0 after the shift for (shifted) PPMI, a negative number of
bits for EigenWord. ``log1p`` is PPMI with the corner taken off: pairs that meet less often than by
chance still count a little. α < 1 smooths the distribution of contexts, and ω < 1 that of words;
symmetric counts with α = ω have a symmetric association. κ is added to #(w) and #(c) (Stratos, Kim,
Collins and Hsu 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.matrix import Counts
from firth.errors import FirthError

TRANSFORMS = ("none", "log1p", "log", "two-thirds", "sqrt")
SCALES = ("none", "reg", "cca", "pmi", "log1p")
_EXPONENTS = {"none": 1.0, "two-thirds": 2 / 3, "sqrt": 0.5}

Doubles = NDArray[np.float64]

_TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class Association:
    """A sparse matrix of compressed float32 rows, columns rising within a row."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """Cells that are not zero."""
        return len(self.columns)

    def transpose(self, threads: int = 1) -> Association:
        """Exchange rows and columns."""
        arrays = self.sparse(threads).transpose(threads)
        return Association(*arrays, (self.shape[1], self.shape[0]))

    def sparse(self, threads: int = 1) -> _core.Sparse:
        """Give the matrix to the core, which checks it once, for any number of products."""
        return _core.Sparse(self.starts, self.columns, self.values, self.shape[1], threads)

    def row(self, place: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the columns and values of one row."""
        span = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.columns[span], self.values[span]

    def to_dense(self) -> Doubles:
        """Write the whole matrix out in double precision; for small ones."""
        out = np.zeros(self.shape)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.starts))
        out[rows, self.columns] = self.values
        return out

    def to_scipy(self) -> Any:
        """Give the matrix as a `scipy.sparse.csr_array`."""
        from scipy.sparse import csr_array

        wide = self.nnz >= 2**31
        index = np.int64 if wide else np.int32
        arrays = self.values, self.columns.astype(index), self.starts.astype(index)
        return csr_array(arrays, shape=self.shape)

    @classmethod
    def from_scipy(cls, matrix: Any) -> Association:
        """Take any sparse matrix or dense array."""
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
        )


@dataclass(frozen=True, kw_only=True)
class Weighing:
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

    transform: str = "none"
    scale: str = "pmi"
    alpha: float = 1.0
    word_alpha: float = 1.0
    kappa: float = 0.0
    shift: float = 0.0
    threshold: float = 0.0
    bits: bool = False
    power: float = 1.0

    @property
    def is_even(self) -> bool:
        """Whether words and contexts are treated alike."""
        return self.scale == "none" or (self.scale != "reg" and self.alpha == self.word_alpha)

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.transform not in TRANSFORMS:
            raise FirthError(f"transform must be one of {', '.join(TRANSFORMS)}")
        if self.scale not in SCALES:
            raise FirthError(f"scale must be one of {', '.join(SCALES)}")
        for name in ("alpha", "word_alpha"):
            if not 0 <= getattr(self, name) <= 1:
                raise FirthError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")
        if not 0 <= self.kappa < np.inf:
            raise FirthError(f"kappa must be a number of 0 or more, not {self.kappa}")
        if not np.isfinite(self.shift):
            raise FirthError(f"shift must be finite, not {self.shift}")
        if np.isnan(self.threshold):
            raise FirthError("threshold must be a number")
        if not 0 < self.power < np.inf:
            raise FirthError(f"power must be above 0, not {self.power}")


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
    starts, columns, values = counts.rows()
    sums = _core.marginals(starts, columns, values, counts.shape[1], threads)
    return sums[0] / counts.scale, sums[1] / counts.scale


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
    """Compute an association matrix whose words and contexts bring factors of the caller's own.

    Parameters
    ----------
    counts, weighing, threads
        As for `associate`.
    of_row, of_column
        What each cell is multiplied by; for PMI, what is added to its logarithm.
    """
    starts, columns, values = counts.rows()
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
            scale=float(counts.scale),
            threads=threads,
            progress=None,
        )
    except ArithmeticError as error:
        row, column = (int(part) for part in str(error).split())
        word, context = counts.words.words[row], counts.column_name(column)
        raise FirthError(f"the association of {word!r} with {context!r} is not finite") from None
    # Where no cell is left out, the columns are those of the counts, and shared with them.
    return Association(weighed_starts, columns if kept is None else kept, weighed, counts.shape)


def _factors(weighing: Weighing, of_word: Doubles, of_context: Doubles) -> tuple[Doubles, Doubles]:
    """Return what each row and column adds to, or multiplies, its cells."""
    if weighing.scale == "none":
        return np.ones_like(of_word), np.ones_like(of_context)
    word, context = (_transformed(weighing.transform, f) for f in (of_word, of_context))
    if weighing.scale == "reg":
        return _inverse(word, 1.0), np.ones_like(context)
    # A frequency whose transform is not above zero takes its row or column away.
    smooth_word = np.where(word > 0, np.abs(word) ** weighing.word_alpha, 0.0)
    smooth_context = np.where(context > 0, np.abs(context) ** weighing.alpha, 0.0)
    share = float(smooth_word.sum()) / max(float(word.sum()), _TINY)
    total = float(smooth_context.sum()) * share
    if weighing.scale == "cca":
        root = (total / max(float(context.sum()), _TINY)) ** 0.25
        return _inverse(smooth_word, 0.5) * root, _inverse(smooth_context, 0.5) * root
    # Half of what all cells have in common goes to either side: like sides have like factors.
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


def normalized_pmi(counts: Counts) -> NDArray[np.float64]:
    """Score every nonzero cell by its normalised pointwise mutual information.

    npmi(w, c) = log(p(w, c) / (p(w) p(c))) / -log p(w, c), which is 1 for words that never occur
    without each other, 0 for independent ones (G. Bouma, 2009, Normalized (pointwise) mutual
    information in collocation extraction). Returned in the order of the cells.

    Examples
    --------
    >>> import firth
    >>> pairs = firth.count(["ice cream", "ice cream", "hot tea"], window=1, context="right",
    ...                     min_count=1)
    >>> normalized_pmi(pairs).round(3).tolist()
    [1.0, 1.0]
    """
    starts, columns, values = counts.rows()
    joint = values.astype(np.float64)
    rows = np.repeat(np.arange(len(counts.words)), np.diff(starts))
    total = joint.sum()
    of_rows = np.bincount(rows, joint, minlength=counts.shape[0])
    of_columns = np.bincount(columns, joint, minlength=counts.shape[1])
    ratio = np.log(joint * total) - np.log(of_rows[rows] * of_columns[columns])
    surprise = np.log(total) - np.log(joint)
    # A pair that is all there is meets with certainty: its score is 1 by continuity.
    scores: NDArray[np.float64] = np.ones_like(ratio)
    np.divide(ratio, surprise, out=scores, where=surprise > 0)
    return scores


def collocations(counts: Counts, top: int = 20, least: float = 20) -> list[tuple[str, str, float]]:
    """List the pairs of word and context that hold together most firmly.

    Parameters
    ----------
    counts
        Any counts; with ``window=1, context="right"`` the pairs are neighbours in the text.
    top
        How many pairs.
    least
        The least count of a pair, for rare pairs score high by chance.

    Returns
    -------
    list of (word, context, score)
        By falling normalised PMI, then in the order of the vocabulary.
    """
    starts, columns, values = counts.rows()
    scores = np.where(values >= least * counts.scale, normalized_pmi(counts), -np.inf)
    best = np.argsort(-scores, kind="stable")[:top]
    rows = np.searchsorted(starts, best, side="right") - 1
    return [
        (counts.words.words[row], counts.column_name(column), score)
        for row, column, score in zip(
            rows.tolist(), columns[best].tolist(), scores[best].tolist(), strict=True
        )
        if np.isfinite(score)
    ]
