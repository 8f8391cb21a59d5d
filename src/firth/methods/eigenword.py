"""EigenWord and SVD-NS: PMI in bits with a share of its negative values, factorised as it is.

Chapter 4 of the thesis on UBE, KUBWE and EigenWord. M is the symmetric matrix of PMI (base 2) with
entries at or below a threshold τ < 0 set to zero, so that pairs that avoid each other somewhat are
negative examples, and the extreme, ill-estimated ones are not. `EigenWord` maximises
Σ m_ij w_i·w_j over orthonormal columns, which is solved by the eigenvectors of the algebraically
largest eigenvalues; `SVDNS` takes the singular vectors, which are the eigenvectors of largest
magnitude. There is no weighting by eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from firth.association import Association, Weighing, associate
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg import eigh
from firth.methods.spectral import Method
from firth.resources import Resources
from firth.space.combining import Factors
from firth.space.space import Space

# threshold="auto": negatives at no more than this share of the positives.
MOST_NEGATIVES = 2 / 3


@dataclass(frozen=True, kw_only=True)
class _Thresholded(Method):
    """What the two methods share.

    Attributes
    ----------
    threshold
        PMI in bits at or below it becomes zero; ``"auto"`` is the lowest that keeps negative
        values at no more than two thirds of the positive ones.
    psd
        Make the matrix positive semi-definite by a dominant diagonal (4.3.2).
    """

    which: ClassVar[Literal["algebraic", "magnitude"]] = "algebraic"

    threshold: float | str = -3.0
    psd: bool = False

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        super().__post_init__()
        if isinstance(self.threshold, str) and self.threshold != "auto":
            raise FirthError(f"threshold must be a number or 'auto', not {self.threshold!r}")

    def is_symmetric(self, counts: Counts) -> bool:
        """Whether the matrix to factorise is sure to be its own transpose: no other is taken."""
        del counts
        return True

    def _fit(self, counts: Counts, keep: bool, resources: Resources) -> Space:
        _check_symmetric(counts, self.name)
        resources.report("weighing", f"weighing {counts.nnz:,} counts")
        if isinstance(self.threshold, str):
            whole = associate(counts, _weighing(-np.inf), resources.threads)
            threshold = lowest_threshold(whole.values)
        else:
            threshold = float(self.threshold)
        matrix = associate(counts, _weighing(threshold), resources.threads)
        factorised = dominant(matrix) if self.psd else matrix
        found = eigh(
            factorised,
            min(self.dim, len(counts.words)),
            which=self.which,
            tol=self.tol,
            seed=self.seed,
            resources=resources,
        )
        # Exactly zero, or what rounding left there would become a direction of length one.
        found.vectors[np.diff(matrix.starts) == 0] = 0
        factors = Factors(found.vectors, found.values, None)
        space = self._space(counts, factors, matrix, keep, found)
        space.recipe["threshold"] = threshold
        return space


@dataclass(frozen=True, kw_only=True)
class EigenWord(_Thresholded):
    """Eigenvectors of the algebraically largest eigenvalues of thresholded PMI."""

    name: ClassVar[str] = "eigenword"


@dataclass(frozen=True, kw_only=True)
class SVDNS(_Thresholded):
    """Singular vectors of thresholded PMI: the eigenvalues of largest magnitude."""

    name: ClassVar[str] = "svdns"
    which: ClassVar[Literal["algebraic", "magnitude"]] = "magnitude"

    threshold: float | str = -2.5


def _weighing(threshold: float) -> Weighing:
    return Weighing(scale="pmi", bits=True, threshold=threshold)


def _check_symmetric(counts: Counts, name: str) -> None:
    if not counts.is_symmetric:
        raise FirthError(
            f"{name} needs symmetric counts with the same words in rows and columns: count with "
            "--context symmetric and no vocabulary of their own for contexts"
        )


def lowest_threshold(values: np.ndarray[tuple[int], np.dtype[np.float32]]) -> float:
    """Return the lowest threshold that keeps negatives at two thirds of the positives, at most.

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
    """Raise each diagonal entry to the sum of the magnitudes of its row's others.

    A symmetric matrix whose diagonal dominates so has no negative eigenvalues (Gershgorin).
    """
    table = matrix.to_scipy().tolil()
    whole = matrix.to_scipy()
    others = np.asarray(abs(whole).sum(axis=1)).ravel() - np.abs(whole.diagonal())
    table.setdiag(np.maximum(whole.diagonal(), others))
    return Association.from_scipy(table.tocsr())
