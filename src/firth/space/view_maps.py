"""What a space of many views keeps of them: maps from rows of a view to vectors, and back.

A view's row x, prepared as in the fit and centred, predicts the row of G as (x - μ) U. In the other
direction, a ridge regression on the words that the view has predicts x from a row g of G as
b + g L, so that a view that a word lacks follows from those that it has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.space.combining import vectors_of
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from firth.space.placing import Placed
    from firth.space.space import Space

Doubles = NDArray[np.float64]

NONLINEARITIES = ("fourth-root", "log", "ppmi", "none")


def nonlinear(kind: str, values: Doubles) -> Doubles:
    """Apply what depends on a count alone.

    Examples
    --------
    >>> nonlinear("fourth-root", np.array([16.0])), nonlinear("log", np.array([0.0]))
    (array([2.]), array([0.]))
    """
    if kind == "fourth-root":
        return np.sqrt(np.sqrt(values))
    return np.log1p(values) if kind == "log" else values


@dataclass(frozen=True, eq=False)
class ViewMaps:
    """The views of a space.

    Attributes
    ----------
    names
        Of the views.
    contexts
        The columns of each view; dimensions of a space have numbers.
    nonlinearities
        What is applied to the counts of each view.
    totals
        The sum of all counts of each view, which PPMI needs.
    observed
        Which words, in rows, have which views.
    weights
        Of the views.
    sums, means, intercepts
        Of the columns of all views, one after the other: sums of counts, μ and b.
    projections, loadings
        U and L, with a row for each column of all views.
    correlations, explained
        Of G and its prediction by each view, and the share of each view's squares that a dimension
        explains.
    together
        The share of each view's squares that all dimensions explain.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b c d", "b c a d"] * 2, min_count=1, window=1)
    >>> space = firth.methods.MultiView(dim=2).fit({"near": counts, "again": counts})
    >>> space.views.names, space.views.of("a")
    (('again', 'near'), ('again', 'near'))
    """

    names: tuple[str, ...]
    contexts: tuple[Vocabulary, ...]
    nonlinearities: tuple[str, ...]
    totals: tuple[float, ...]
    observed: NDArray[np.bool_]
    weights: Doubles
    sums: Doubles
    means: Doubles
    intercepts: Doubles
    projections: NDArray[np.float32]
    loadings: NDArray[np.float32]
    correlations: Doubles
    explained: Doubles
    together: Doubles
    words: Vocabulary

    @cached_property
    def _spans(self) -> list[slice]:
        ends = np.cumsum([0, *(len(columns) for columns in self.contexts)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    def number(self, view: str) -> int:
        """Return the place of a view."""
        if view not in self.names:
            raise FirthError(f"`view` must be one of {', '.join(self.names)}, not {view!r:.60}")
        return self.names.index(view)

    def span(self, view: str) -> slice:
        """Return which rows of `projections` and `loadings` are those of a view."""
        return self._spans[self.number(view)]

    def of(self, word: str) -> tuple[str, ...]:
        """Return the views that have a word."""
        if word not in self.words:
            raise FirthError(f"{word!r} is not a word of the views of this space")
        seen = np.flatnonzero(self.observed[self.words[word]])
        return tuple(self.names[number] for number in seen.tolist())

    def row(self, view: str, given: Any) -> Doubles:
        """Return the row of a view that a mapping of counts, or an array, stands for.

        Parameters
        ----------
        view
            The name of the view.
        given
            A mapping from contexts to counts, of which those that the view does not have are left
            out; or a number for each column of the view.
        """
        number = self.number(view)
        columns, kind = self.contexts[number], self.nonlinearities[number]
        row = np.zeros(len(columns))
        total = 0.0
        if isinstance(given, Mapping):
            for context, count in given.items():
                value = _number(count)
                if not np.isfinite(value) or (value < 0 and kind != "none"):
                    raise FirthError(f"the count of {context!r} is {count!r}: give 0 or more")
                total += value
                if context in columns:
                    row[columns[context]] += value
        else:
            try:
                row = np.asarray(given, dtype=np.float64)
            except (TypeError, ValueError, OverflowError):
                row = np.full(len(columns), np.nan)
            if row.shape != (len(columns),) or not np.isfinite(row).all():
                raise FirthError(
                    f"a row of the view {view} has {len(columns):,} finite numbers, or is a "
                    "mapping from contexts to counts"
                )
            if kind != "none" and (row < 0).any():
                raise FirthError(f"a count of the view {view} is {row.min():g}: give 0 or more")
            total = float(row.sum())
        if kind == "ppmi":
            expected = self.sums[self._spans[number]] * total / max(self.totals[number], 1e-300)
            ratio = np.divide(row, expected, out=np.zeros_like(row), where=expected > 0)
            return np.log(np.maximum(ratio, 1.0))
        return nonlinear(kind, row)

    def placed(self, view: str, given: Any) -> Doubles:
        """Return the row of G that a row of a view predicts; without counts it is zero."""
        row, span = self.row(view, given), self.span(view)
        if not row.any():
            return np.zeros(self.projections.shape[1])
        return (row - self.means[span]) @ self.projections[span].astype(np.float64)

    def predicted(self, view: str, vector: NDArray[Any]) -> Doubles:
        """Return the prepared row of a view that a row of G predicts."""
        span = self.span(view)
        wide = vector.astype(np.float64)
        return self.intercepts[span] + self.loadings[span].astype(np.float64) @ wide

    def cut(self, dim: int) -> ViewMaps:
        """Return the maps of the first dimensions."""
        return replace(
            self,
            projections=np.ascontiguousarray(self.projections[:, :dim]),
            loadings=np.ascontiguousarray(self.loadings[:, :dim]),
            correlations=np.ascontiguousarray(self.correlations[:, :dim]),
            explained=np.ascontiguousarray(self.explained[:, :dim]),
        )


def _number(count: Any) -> float:
    try:
        return float(count)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def place_by_view(space: Space, contexts: Any, view: str) -> Placed:
    """Find vectors of words from their rows of one view; see `Space.place`."""
    from firth.linalg.products import one_blas_thread
    from firth.space.placing import Placed

    maps = views_of(space)
    assert space.factors is not None
    rows = _rows(contexts)
    with one_blas_thread(1):
        placed = [maps.placed(view, row) for _, row in rows]
    left = np.array(placed).reshape(len(rows), maps.projections.shape[1])
    single = left.astype(np.float32)
    named = Vocabulary([word for word, _ in rows], [0] * len(rows))
    settled = float(np.sum(maps.correlations[maps.number(view)] ** 2))
    distinct = [np.count_nonzero(maps.row(view, row)) for _, row in rows]
    return Placed(
        named,
        vectors_of(space.factors, single, single),
        np.array(distinct, dtype=np.int64),
        np.where(np.array(distinct) > 0, settled, 0.0),
        single,
        np.zeros_like(single),
    )


def _rows(contexts: Any) -> Sequence[tuple[str, Any]]:
    if isinstance(contexts, Counts):
        return [(word, dict(contexts.row(word))) for word in contexts.words]
    if not isinstance(contexts, Mapping) or not contexts:
        raise FirthError(
            "`contexts` must be a mapping from words to their contexts and counts, or Counts"
        )
    return list(contexts.items())


def predict(space: Space, view: str, word: str, topn: int | None) -> list[tuple[str, float]]:
    """Predict the row of a word in a view; see `Space.predict`."""
    from firth.linalg.products import one_blas_thread  # it takes time to load

    maps = views_of(space)
    if word not in space:
        raise FirthError(f"{word!r} is not in the space")
    assert space.factors is not None
    with one_blas_thread(1):
        row = maps.predicted(view, space.factors.left[space.get_index(word)])
    columns = maps.contexts[maps.number(view)].words
    order = np.arange(len(row)) if topn is None else np.argsort(-row, kind="stable")[:topn]
    return [(columns[place], float(row[place])) for place in order.tolist()]


def views_of(space: Space) -> ViewMaps:
    """Return the views of a space, which must have them."""
    if space.views is None:
        raise FirthError(
            "this space has no views: fit several views with the method multiview, or fuse spaces"
        )
    return space.views
