"""From the solution of the views to what a space keeps: the rows of all words, and the maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.linalg.gcca_problem import GCCA, Problem
from firth.linalg.krylov import inner
from firth.linalg.products import Blocks
from firth.space.view_maps import ViewMaps

if TYPE_CHECKING:
    from firth.methods.multiview import FactoredViews

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Factorised views, what was found of them, and the weights that were used."""

    factored: FactoredViews
    found: GCCA
    weights: Sequence[float]
    center: bool

    def summary(self) -> list[dict[str, Any]]:
        """Return where each view is from, and what it has to do with the result."""
        found = self.found
        return [
            {
                **view.origin(),
                "words": len(factors.rows),
                "columns": len(one.contexts),
                "rank": factors.rank,
                "weight": float(weight),
                "correlation": float(correlations.mean()),
                "explained": float(together),
            }
            for view, one, factors, weight, correlations, together in zip(
                self.factored.views,
                self.factored.prepared,
                self.factored.factors,
                self.weights,
                found.correlations,
                found.explained_together,
                strict=True,
            )
        ]


def maps_of(
    fitted: Fitted, problem: Problem, blocks: Blocks
) -> tuple[NDArray[np.float32], ViewMaps]:
    """Return the rows of G of all words, and the maps of all views.

    Parameters
    ----------
    fitted
        What was fitted.
    problem
        The factors that it came from.
    blocks
        Threads.
    """
    factored, found = fitted.factored, fitted.found
    count, rank = len(factored.words), found.vectors.shape[1]
    observed = np.zeros((count, len(factored.views)), dtype=bool)
    for number, places in enumerate(factored.places):
        observed[places, number] = True
    loadings, intercepts = zip(
        *(_loading(fitted, problem, number, blocks) for number in range(len(factored.views))),
        strict=True,
    )
    maps = ViewMaps(
        names=factored.names,
        contexts=tuple(one.contexts for one in factored.prepared),
        nonlinearities=tuple(one.nonlinearity for one in factored.prepared),
        totals=tuple(one.total for one in factored.prepared),
        observed=observed,
        weights=np.array(fitted.weights, dtype=np.float64),
        sums=np.concatenate([one.sums for one in factored.prepared]),
        means=np.concatenate(found.means),
        intercepts=np.concatenate(intercepts),
        projections=np.concatenate(found.projections).astype(np.float32),
        loadings=np.concatenate(loadings).astype(np.float32),
        correlations=found.correlations,
        explained=found.explained,
        together=found.explained_together,
        words=factored.words,
    )
    left = np.zeros((count, rank), dtype=np.float32)
    left[factored.fitted] = found.vectors
    # With weights a word may weigh nothing in all views that it has; it is placed too.
    rest = np.array(observed.any(axis=1))
    rest[factored.fitted[problem.observed > 0]] = False
    _place_rest(fitted, np.flatnonzero(rest), left)
    return left, maps


def _loading(
    fitted: Fitted, problem: Problem, number: int, blocks: Blocks
) -> tuple[NDArray[Any], Doubles]:
    """Return L and b, which predict the rows of a view from those of G.

    The ridge is the mean square of a dimension, times the dimensions for each word of the view:
    a view of few words is predicted cautiously, and of many words as by least squares.
    """
    view, vectors = problem.factors[number], fitted.found.vectors
    rank = vectors.shape[1]
    if not view.rank:
        return np.zeros((len(view.means), rank)), view.means
    own = vectors[view.rows]
    mean = own.mean(axis=0) if fitted.center else np.zeros(rank)
    own = (own - mean) * view.row_weights[:, None]
    gram = inner(blocks, own, own)
    ridge = float(np.trace(gram)) / len(view.rows)
    onto = inner(blocks, np.asarray(view.left.open(), dtype=np.float64), own)
    turned = np.linalg.solve(gram + max(ridge, 1e-300) * np.eye(rank), onto.T).T
    right = view.right.open()
    loading = right @ (view.values[:, None] * turned).astype(right.dtype)
    return loading, view.means - loading @ mean


def _place_rest(fitted: Fitted, rest: NDArray[np.int64], left: NDArray[np.float32]) -> None:
    """Fill the rows of words that were not fitted: the mean of what their views predict."""
    if not len(rest):
        return
    factored, found = fitted.factored, fitted.found
    total = np.zeros((len(factored.words), found.vectors.shape[1]))
    weight = np.zeros(len(factored.words))
    for number, one in enumerate(factored.prepared):
        if not len(one.places) or not factored.factors[number].rank:
            continue
        share = fitted.weights[number] ** 2
        projection, means = found.projections[number], found.means[number]
        rows: Any = one.matrix
        rows = rows.to_scipy() if isinstance(rows, Association) else rows
        total[one.places] += share * (rows @ projection - means @ projection)
        weight[one.places] += share
    settled = rest[weight[rest] > 0]
    left[settled] = total[settled] / weight[settled, None]
