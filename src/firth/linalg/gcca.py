"""Generalised canonical correlation analysis of views that may lack rows.

P. Rastogi, B. Van Durme and R. Arora (2015, Multiview LSA), after J. Carroll (1968): the rows of G
are one representation of the rows of all views X_j that linear maps U_j of the views come nearest
to,

    minimise Σ_j ‖W_j K_j (G - X_j U_j)‖²   with GᵀG = I,

where K_j selects the rows that view j has and W_j weighs rows or the whole view. With X_j = A_j S_j
B_jᵀ (of rank m; see `firth.linalg.view_factors`) and T_j = S_j / sqrt(r + S_j²), G is made of the
leading eigenvectors of

    M = K^(-1/2) (Σ_j W_j A_j T_j² A_jᵀ W_j) K^(-1/2),   K = Σ_j W_j² K_j / J.

Nothing is missing and all weights are 1: K = 1, M = Σ P_j, and with two views the eigenvalues are 1
plus the canonical correlations. Nearly all T are close to 1, so the spectrum is flat, and one pass
over the views (``solver="incremental"``, the paper's) is far from it. The default solver reads all
A_j in each of its passes, one view at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg.gcca_problem import GCCA, TOLERANCE, Problem
from firth.linalg.products import one_blas_thread
from firth.linalg.view_factors import factor_view
from firth.progress import Event
from firth.resources import Resources

Doubles = NDArray[np.float64]
Array = NDArray[Any]


def gcca(
    matrices: Sequence[Any],
    rank: int,
    *,
    missing: Any = None,
    weights: Sequence[Any] | None = None,
    view_rank: int | None = None,
    regularisation: float = 1e-8,
    center: bool = True,
    solver: str = "krylov",
    tol: float = TOLERANCE,
    seed: int = 0,
    resources: Resources | None = None,
) -> GCCA:
    """Find the representation of rows that several matrices agree on.

    Parameters
    ----------
    matrices
        Arrays, scipy matrices or `Association` with one row for each item, in any order of views:
        the result does not depend on it.
    rank
        Columns of G. Where the views have fewer directions, the rest are zero.
    missing
        A boolean array with a row for each item and a column for each view, or a sequence of one
        mask for each view (None for a view that has every row): the rows that a view lacks. What
        the matrix holds there is not read.
    weights
        One number, or an array of a number for each row, for each view.
    view_rank
        The most singular values of each view that are used; all if None.
    regularisation
        r.
    center
        Whether to subtract the means of columns over the rows that the view has.
    solver
        ``krylov``, or the paper's one pass, ``incremental``.
    tol
        Every residual ‖Mg - λg‖ is at most tol · λ₁.
    seed, resources
        Of random start vectors; threads and progress, on which the result does not depend.

    Examples
    --------
    Two views: the eigenvalues are one plus the canonical correlations.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.standard_normal((100, 3)), rng.standard_normal((100, 4))
    >>> q, p = (np.linalg.qr(view - view.mean(axis=0))[0] for view in (x, y))
    >>> correlations = np.linalg.svd(q.T @ p, compute_uv=False)
    >>> bool(np.allclose(gcca([x, y], 2).values, 1 + correlations[:2]))
    True
    """
    used = resources or Resources()
    views = [_matrix(view, number) for number, view in enumerate(matrices, 1)]
    if not views:
        raise FirthError("`matrices` is empty: give one or more")
    size = views[0].shape[0]
    for number, view in enumerate(views, 1):
        if view.shape[0] != size:
            raise FirthError(
                f"matrix {number} has {view.shape[0]:,} rows, and the first has {size:,}: align "
                "their rows, and mark those that a view lacks as `missing`"
            )
    if isinstance(rank, bool) or not 1 <= rank <= size:
        raise FirthError(f"`rank` must be from 1 to the {size:,} rows, not {rank}")
    if view_rank is not None and (isinstance(view_rank, bool) or view_rank < 1):
        raise FirthError(f"`view_rank` must be 1 or more, not {view_rank}")
    if not 0 <= regularisation < np.inf:
        raise FirthError(f"`regularisation` must be a number of 0 or more, not {regularisation}")
    if not tol > 0:
        raise FirthError(f"`tol` must be above 0, not {tol}")
    observed = _observed(missing, size, len(views))
    scales, row_weights = _weights(weights, size, len(views))
    factors = []
    with one_blas_thread(used.threads) as blocks:
        for number, (view, rows) in enumerate(zip(views, observed, strict=True)):
            of_rows = row_weights[number]
            used.progress(Event("factorising", number, len(views), 0, "views factorised"))
            factors.append(
                factor_view(
                    _some(view, rows, number + 1),
                    rows,
                    blocks=blocks,
                    threads=used.threads,
                    rank=view_rank,
                    regularisation=regularisation,
                    center=center,
                    weights=None if of_rows is None else of_rows[rows],
                    seed=seed,
                )
            )
        problem = Problem(factors, scales, size)
        if not problem.columns():
            raise FirthError(
                "no view has a row that differs from its mean: give views with more rows"
            )
        return problem.solve(rank, blocks, used, solver=solver, tol=tol, seed=seed, center=center)


def _matrix(view: Any, number: int) -> Association | Array:
    """Return a view as an array of numbers or an association."""
    from scipy.sparse import issparse

    if isinstance(view, Association):
        return view
    if issparse(view):
        return Association.from_scipy(view)
    try:
        found = np.asarray(view, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise FirthError(f"matrix {number} is not a matrix of numbers: {error}") from None
    if found.ndim != 2:
        raise FirthError(f"matrix {number} has {found.ndim} dimensions: give it two")
    return found


def _some(view: Association | Array, rows: NDArray[np.int64], number: int) -> Association | Array:
    """Return some rows of a view, which must be finite."""
    if isinstance(view, Association):
        if len(rows) == view.shape[0]:
            return view
        return Association.from_scipy(view.to_scipy()[rows])
    some = view[rows]
    if not np.isfinite(some).all():
        row = rows[int(np.argmin(np.isfinite(some).all(axis=1)))]
        raise FirthError(f"row {row} of matrix {number} is not finite: mark it as `missing`")
    return some


def _observed(missing: Any, size: int, views: int) -> list[NDArray[np.int64]]:
    """Return the rows that each view has."""
    if missing is None:
        return [np.arange(size)] * views
    columns = missing.T if isinstance(missing, np.ndarray) and missing.ndim == 2 else missing
    if isinstance(columns, Mapping) or len(columns) != views:
        raise FirthError(f"`missing` must have a mask for each of the {views:,} matrices")
    found = []
    for number, mask in enumerate(columns, 1):
        absent = np.zeros(size, dtype=bool) if mask is None else np.asarray(mask)
        if absent.shape != (size,) or absent.dtype != bool:
            raise FirthError(f"the mask {number} of `missing` must be {size:,} booleans")
        found.append(np.flatnonzero(~absent))
    return found


def _weights(
    weights: Sequence[Any] | None, size: int, views: int
) -> tuple[list[float], list[Doubles | None]]:
    """Return the weight of each view, and the weights of its rows where it has them."""
    if weights is None:
        return [1.0] * views, [None] * views
    if len(weights) != views:
        raise FirthError(f"`weights` must have one for each of the {views:,} matrices")
    scales: list[float] = []
    of_rows: list[Doubles | None] = []
    for number, weight in enumerate(weights, 1):
        given = np.asarray(weight, dtype=np.float64)
        if given.shape not in ((), (size,)) or not (
            np.isfinite(given).all() and (given >= 0).all()
        ):
            raise FirthError(
                f"the weight {number} of `weights` must be a number, or {size:,} numbers, of 0 or "
                "more"
            )
        scales.append(float(given) if given.ndim == 0 else 1.0)
        of_rows.append(None if given.ndim == 0 else given)
    return scales, of_rows
