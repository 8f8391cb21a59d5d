"""EigenWord and SVD-NS: eigenvectors of PMI in bits, with some of its negative values.

Chapter 4 of the thesis on UBE, KUBWE and EigenWord. M is the symmetric matrix of PMI (base 2) with
entries at or below a threshold τ < 0 set to zero: pairs that meet somewhat less often than by
chance are negative examples, and the most negative values, which are estimated badly, are left out.
`EigenWord` maximises Σ m_ij w_i·w_j over orthonormal columns, which is solved by the eigenvectors
of the algebraically largest eigenvalues; `SVDNS` takes the singular vectors, which are the
eigenvectors of largest magnitude. There is no weighting by eigenvalues. Pairs that were never seen
may have negative values too (`firth.methods.unseen`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from firth.association import Association, Weighing, associate
from firth.counts.blocks import SIDES
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg import eigh
from firth.methods.method import CELL, Factorisation
from firth.methods.truncated import Truncated, factorisation, tolerance
from firth.methods.unseen import Extended, with_all, with_random
from firth.parameters import parameter, redefault, seed_parameter
from firth.resources import Resources
from firth.space.space import Space

# threshold="auto": negatives at no more than this share of the positives.
MOST_NEGATIVES = 2 / 3
BLOCK = 1 << 18  # entries of the rows whose diagonal is raised at a time
WORKING = 48  # bytes for each of them on the way


@dataclass(frozen=True, kw_only=True)
class EigenWord(Truncated):
    """Eigenvectors of the algebraically largest eigenvalues of thresholded PMI.

    Attributes
    ----------
    threshold
        PMI in bits at or below it becomes zero; ``"auto"`` is the lowest that keeps negative
        values at no more than two thirds of the positive ones.
    psd
        Make the matrix positive semi-definite by a dominant diagonal (4.3.2).
    unseen, unseen_value
        What pairs that were never seen are, and their value, or the lowest of random ones. As many
        are drawn as two thirds of the positive ones.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat on the mat", "the dog sat on the log"] * 3
    >>> EigenWord(dim=3).fit(firth.count(lines, min_count=1))
    Space(7 words × 3 dimensions; eigenword)
    """

    name: ClassVar[str] = "eigenword"
    paper: ClassVar[str] = "E"
    which: ClassVar[Literal["algebraic", "magnitude"]] = "algebraic"

    threshold: float | str = parameter(
        -3.0,
        "PMI in bits at or below it becomes zero; auto keeps at most two negative values for three "
        "positive ones.",
        choices=("auto",),
    )
    psd: bool = parameter(False, "Make the matrix positive semi-definite, by raising its diagonal.")
    unseen: str = parameter(
        "none",
        "Pairs that were never seen are zero, all of one value, or some of random values.",
        choices=("none", "all", "random"),
    )
    unseen_value: float = parameter(
        -1.0, "Value of unseen pairs in bits; random ones lie between it and zero.", most=0
    )
    tol: float = tolerance()
    seed: int = seed_parameter()

    def is_symmetric(self, source: Counts | Association) -> bool:
        """Return True: matrices that are not symmetric are refused."""
        del source
        return True

    def memory(self, source: Counts | Association) -> int:
        """Estimate the bytes that the matrix, its raised diagonal and the factors need."""
        fitting = super().memory(source)
        if self.psd:
            block = min(source.nnz, BLOCK + source.shape[1])
            fitting += CELL * (source.nnz + 2 * source.shape[0]) + WORKING * block
        if self.unseen == "all":
            fitting += CELL // 2 * source.nnz
        if self.unseen == "random":
            fitting += 4 * CELL * source.nnz
        if self.threshold != "auto":
            return fitting
        # All PMI before it is thresholded, and its negative values twice, to be put in order.
        return max(fitting, (2 * CELL + 1) * source.nnz)

    def check(self, source: Any, start: Space | None = None) -> None:
        """Raise if the counts cannot be symmetric, or parameters do not fit each other."""
        super().check(source, start)
        if self.psd and self.unseen == "all":
            raise FirthError("`psd` needs a sparse matrix: `unseen` must not be 'all' with it")
        if source.offsets not in ((), SIDES) or source.words != source.contexts:
            raise self._refusal()

    def prepared(self, source: Any) -> Any:
        """Return counts of two sides added up, other counts as they are."""
        return source.together()

    def decide(self, source: Any, resources: Resources) -> Self:
        """Find the threshold, if it is ``"auto"``."""
        if self.threshold != "auto":
            return self
        whole = associate(source, _weighing(-np.inf), resources.threads)
        return replace(self, threshold=lowest_threshold(whole.values))

    def associate(self, source: Counts, resources: Resources) -> Association | Extended:
        """Compute PMI, leave out what is at or below the threshold, and add unseen pairs."""
        if not source.is_symmetric:
            raise self._refusal()
        resources.report("weighing", f"weighing {source.nnz:,} counts")
        found = associate(source, _weighing(float(self.threshold)), resources.threads)
        if self.unseen == "all":
            return with_all(source, found, self.unseen_value)
        if self.unseen == "random":
            return with_random(source, found, self.unseen_value, MOST_NEGATIVES, self.seed)
        return found

    def factorise(
        self, association: Association | Extended, resources: Resources, start: Space | None = None
    ) -> Factorisation:
        """Take the eigenvectors."""
        del start
        parts = association.parts
        first = parts[0]
        assert isinstance(first, Association)
        found = eigh(
            dominant(first) if self.psd else parts,
            min(self.dim, first.shape[0]),
            which=self.which,
            tol=self.tol,
            seed=self.seed,
            resources=resources,
        )
        # Exactly zero: otherwise rounding errors would be scaled to vectors of length one.
        found.vectors[np.diff(first.starts) == 0] = 0
        return factorisation(found.vectors, None, found)

    def assemble(self, source: Any, association: Any, found: Factorisation, keep: bool) -> Space:
        """Make the space; what `why` explains is the association of seen pairs."""
        seen = association.association if isinstance(association, Extended) else association
        return super().assemble(source, seen, found, keep)

    def _refusal(self) -> FirthError:
        return FirthError(
            f"{self.name} needs symmetric counts with the same words in rows and columns: make "
            "them with `count(context='symmetric')`, without limits on contexts alone"
        )


@dataclass(frozen=True, kw_only=True)
class SVDNS(EigenWord):
    """Singular vectors of thresholded PMI: the eigenvalues of largest magnitude.

    Examples
    --------
    >>> import firth
    >>> SVDNS(dim=2).fit(firth.count(["a b c d"], min_count=1))
    Space(4 words × 2 dimensions; svdns)
    """

    name: ClassVar[str] = "svdns"
    which: ClassVar[Literal["algebraic", "magnitude"]] = "magnitude"

    threshold: float | str = redefault(EigenWord, "threshold", -2.5)


def _weighing(threshold: float) -> Weighing:
    return Weighing(scale="pmi", bits=True, threshold=threshold)


def lowest_threshold(values: np.ndarray[tuple[int], np.dtype[np.float32]]) -> float:
    """Return the lowest threshold that keeps at most two negative values for three positive ones.

    Examples
    --------
    >>> lowest_threshold(np.array([1, 2, 3, -1, -2, -3], dtype=np.float32))
    -3.0
    """
    positive = int(np.count_nonzero(values > 0))
    negative = np.sort(values[values < 0])[::-1]
    most = int(positive * MOST_NEGATIVES)
    if len(negative) <= most:
        return float(np.nextafter(negative[-1], -np.inf)) if len(negative) else 0.0
    return float(negative[most])


def dominant(matrix: Association) -> Association:
    """Raise each diagonal entry to the sum of the magnitudes of the other entries of its row.

    A symmetric matrix with such a diagonal has no negative eigenvalues (Gershgorin). It
    takes one pass, and little more memory than its result.

    Examples
    --------
    >>> dominant(Association.from_scipy([[0, -2], [-2, 3]])).to_dense().tolist()
    [[2.0, -2.0], [-2.0, 3.0]]
    """
    rows = matrix.shape[0]
    columns = np.empty(matrix.nnz + rows, dtype=np.int32)
    values = np.empty(matrix.nnz + rows, dtype=np.float32)
    lengths = np.empty(rows, dtype=np.int64)
    end = 0
    for part in _parts(matrix.starts):
        of_columns, of_values, lengths[part] = _raised(matrix, part)
        span = slice(end, end + len(of_columns))
        columns[span], values[span] = of_columns, of_values
        end = span.stop
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return replace(matrix, starts=starts, columns=columns[:end], values=values[:end])


def _raised(
    matrix: Association, part: slice
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """Return columns, values and lengths of some rows with their dominant diagonal."""
    from scipy.sparse import csr_array

    starts = matrix.starts[part.start : part.stop + 1] - matrix.starts[part.start]
    cells = slice(int(matrix.starts[part.start]), int(matrix.starts[part.stop]))
    columns, values = matrix.columns[cells], matrix.values[cells]
    size = part.stop - part.start
    row = np.repeat(np.arange(size, dtype=np.int32), np.diff(starts))
    on = columns == row + np.int32(part.start)
    diagonal = np.zeros(size, dtype=np.float32)
    diagonal[row[on]] = values[on]
    # Off and on the diagonal: scipy adds up a row from left to right, in single precision.
    magnitudes = csr_array((np.abs(values), columns, starts), shape=(size, matrix.shape[1]))
    others = np.asarray(magnitudes.sum(axis=1)).ravel() - np.abs(diagonal)
    raised = np.maximum(diagonal, others).astype(np.float32)
    new = np.flatnonzero((raised != 0) & (np.bincount(row[on], minlength=size) == 0))
    # A new entry stands after the row's entries to the left of the diagonal.
    left = np.bincount(row[columns < row + np.int32(part.start)], minlength=size)
    places = starts[new] + left[new]
    on_values = values.copy()
    on_values[on] = raised[row[on]]
    lengths = np.diff(starts)
    lengths[new] += 1
    return (
        np.insert(columns, places, (new + part.start).astype(np.int32)),
        np.insert(on_values, places, raised[new]),
        lengths,
    )


def _parts(starts: NDArray[np.int64]) -> Iterator[slice]:
    """Cut rows into parts of about `BLOCK` entries, each with one row or more."""
    begin, rows = 0, len(starts) - 1
    while begin < rows:
        end = int(np.searchsorted(starts, starts[begin] + BLOCK, side="right")) - 1
        end = max(end, begin + 1)
        yield slice(begin, end)
        begin = end
