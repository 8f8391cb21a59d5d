"""Multi-view LSA: one space from many views of words, by generalised canonical correlations.

P. Rastogi, B. Van Durme and R. Arora (2015, Multiview LSA). Views are counts of any kind, matrices
with words, or spaces. Rows are aligned on the union of the vocabularies; a word that a view does
not have is missing there, not zero. Each view is truncated to its frequent columns, goes through a
nonlinearity, is centred over the rows that it has, and is cut to its leading singular vectors. The
vectors of words are the rows of G, which linear maps of all views approach together (see
`firth.linalg.gcca`). Words that too few views have are left out of the fit, and placed afterwards:
at the mean of what their views predict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.gcca_problem import SOLVERS, TOLERANCE, Problem
from firth.linalg.krylov import WIDTH, basis_size
from firth.linalg.products import one_blas_thread
from firth.linalg.view_factors import BASIS, ViewFactors, factor_view
from firth.methods.method import CELL, Method
from firth.methods.view_fitting import Fitted, maps_of
from firth.methods.view_sources import NamedView, PreparedView, named_views, prepared, union
from firth.methods.view_weights import fixed_weights, learned_weights, weights_text
from firth.parameters import parameter, redefault, seed_parameter
from firth.progress import Event
from firth.resources import Resources, mapped
from firth.space.combining import Factors, combined
from firth.space.space import Space
from firth.space.view_maps import NONLINEARITIES
from firth.text.vocabulary import Vocabulary

SHARE = 3  # by default a word must be in one of so many views to be fitted


@dataclass(frozen=True, eq=False)
class FactoredViews:
    """Views that were factorised, to be fitted with any weights, or without some of them.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b c d", "b c a d"] * 2, min_count=1, window=1)
    >>> method = MultiView(dim=2, min_views=1)
    >>> views = method.factored({"near": counts, "same": counts}, Resources(threads=1))
    >>> views.names, method.solved(views, Resources(threads=1)).vectors.shape
    (('near', 'same'), (4, 2))
    """

    views: tuple[NamedView, ...]
    prepared: tuple[PreparedView, ...]  # with the rows of the words that are not fitted
    factors: tuple[ViewFactors, ...]
    places: tuple[NDArray[np.int64], ...]  # of the rows of each view among the words
    words: Vocabulary
    fitted: NDArray[np.int64]  # the places of the words that are fitted
    left_out: frozenset[str] = frozenset()  # names that may have weights, though nothing has them

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the views."""
        return tuple(view.name for view in self.views)

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of their groups."""
        return tuple(dict.fromkeys(view.group for view in self.views))

    def without(self, left_out: Sequence[str]) -> FactoredViews:
        """Return the same views but for some, or for all of some groups.

        The words that are fitted stay the same, but for those that no other view has.
        """
        for name in left_out:
            if name not in self.names and name not in self.groups:
                known = ", ".join((*self.names, *(g for g in self.groups if g not in self.names)))
                raise FirthError(f"`leave_out` names no view or group {name!r:.60}: it is {known}")
        kept = [i for i, v in enumerate(self.views) if not {v.name, v.group} & {*left_out}]
        if not kept:
            raise FirthError("`leave_out` leaves no view: leave out fewer")
        return replace(
            self,
            views=tuple(self.views[i] for i in kept),
            prepared=tuple(self.prepared[i] for i in kept),
            factors=tuple(self.factors[i] for i in kept),
            places=tuple(self.places[i] for i in kept),
            left_out=self.left_out | {*self.names, *self.groups},
        )


@dataclass(frozen=True, kw_only=True)
class MultiView(Method):
    """One space from many views, by generalised canonical correlation analysis.

    Attributes
    ----------
    view_rank, truncate, nonlinearity
        What is kept of each view: singular vectors, columns, and what is applied to counts.
    regularisation
        Added to the squares of singular values.
    min_views
        Words in fewer views are placed after the fit.
    weights
        ``glove``: words weigh (count / heaviest)^0.75 in each view (expression 12); ``learned``,
        from pairs of words that `fit` takes as `dev`; or weights of views and groups, as a mapping
        or as ``NAME=WEIGHT,…``.
    solver
        ``krylov``, exact to `tol`, or the paper's one pass, ``incremental``.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat on the mat", "the dog sat on the log"] * 3
    >>> near = firth.count(lines, min_count=1, context="positional", window=2)
    >>> MultiView(dim=3).fit(near)
    Space(7 words × 3 dimensions; multiview)
    """

    name: ClassVar[str] = "multiview"
    paper: ClassVar[str] = "D"
    takes: ClassVar[tuple[type, ...]] = (Counts, Association, Space)
    several: ClassVar[bool] = True
    derived: ClassVar[tuple[str, ...]] = ("dim",)

    dim: int = redefault(Method, "dim", 300)
    view_rank: int = parameter(500, "Singular vectors that are kept of each view.", least=1)
    truncate: int = parameter(12500, "Most frequent columns that are kept of counts.", least=1)
    nonlinearity: str = parameter(
        "fourth-root", "Function that is applied to all counts.", choices=NONLINEARITIES
    )
    regularisation: float = parameter(
        1e-8, "Added to the squares of the singular values of each view.", least=0
    )
    center: bool = parameter(True, "Subtract the means of columns over the words of a view.")
    min_views: int | None = parameter(
        None,
        "Views that must have a word; others are placed after the fit.",
        least=1,
        rule="a third of the views",
    )
    weights: str | None = parameter(
        None,
        "Weights of views: glove, learned, or NAME=WEIGHT,… of views and groups.",
        rule="all 1",
    )
    heaviest: float = parameter(100.0, "For glove weights: the count that weighs 1.", above=0)
    solver: str = parameter("krylov", "How G is found.", choices=SOLVERS)
    tol: float = parameter(
        TOLERANCE, "Largest residual of G, relative to the largest eigenvalue.", above=0
    )
    seed: int = seed_parameter()

    def __post_init__(self) -> None:
        """Check every parameter; write a mapping of weights as text."""
        if isinstance(self.weights, Mapping):
            object.__setattr__(self, "weights", weights_text(self.weights))
        super().__post_init__()
        if self.weights not in (None, "glove", "learned"):
            fixed_weights(str(self.weights), None)

    def fit(
        self,
        source: Any,
        *,
        association: bool = True,
        start: Space | None = None,
        dev: Sequence[tuple[str, str, float]] | None = None,
        resources: Resources | None = None,
    ) -> Space:
        """Learn a space from several views.

        Parameters
        ----------
        source
            A mapping from names to views, or a sequence of views: `Counts`, of which each offset or
            side is a view; `Association` or pairs of a matrix and its words; `Space`.
        association, start
            As for other methods; there is no one association to keep.
        dev
            For ``weights="learned"``: pairs of words and their similarity as people judge it. They
            must not be pairs on which the space is tested.
        resources
            Threads, memory and progress.
        """
        del association
        used = resources or Resources()
        self.check(source, start)
        if (self.weights == "learned") != (dev is not None):
            raise FirthError(
                "`weights='learned'` needs `dev`, pairs of words, and nothing else does"
            )
        self.require_memory(source, used)
        factored = self.factored(source, used)
        if dev is None:
            return self.solved(factored, used)
        weights = learned_weights(
            factored.groups, lambda some: self._having(some).solved(factored, used), dev, used
        )
        space = self._having(weights).solved(factored, used)
        recipe = {**space.recipe, "method": self.settings(), "chosen": {"weights": weights}}
        return replace(space, recipe=recipe)

    def _having(self, weights: str) -> Self:
        return replace(self, weights=weights or None)

    def learn(
        self,
        source: Any,
        *,
        association: bool = True,
        start: Space | None = None,
        resources: Resources,
    ) -> Space:
        """Fit without the checks of `fit`."""
        del association, start
        if self.weights == "learned":
            raise FirthError(
                "`weights='learned'` needs `dev`, pairs of words, and nothing else does"
            )
        return self.solved(self.factored(source, resources), resources)

    def check(self, source: Any, start: Space | None = None) -> None:
        """Raise if a view is not one that this method learns from."""
        views = named_views(source)
        if not views:
            raise FirthError("there are no views to learn from: give one or more")
        for view in views:
            super().check([view.source], start)
            _ = view.words
        if self.weights not in (None, "glove", "learned"):
            fixed_weights(str(self.weights), views)

    def memory(self, source: Any) -> int:
        """Estimate the bytes of the largest of three steps.

        Views are factorised one by one, and their factors kept on disk; G has a basis, beside which
        one view is read at a time; and the maps of all views are made at the end.
        """
        views = named_views(source)
        rows = len(union(views))
        dim = min(self.dim, rows)
        factorising = max(self._of_view(view) for view in views)
        left = 4 * rows * min(self.view_rank, max(view.width for view in views))
        solving = 8 * rows * (basis_size(rows, dim) + 6 * WIDTH) + left
        columns = sum(min(view.width, self.truncate) for view in views)
        mapping = 4 * 4 * dim * columns + 8 * 4 * rows * dim
        result = 300 * rows * (2 if len(views) > 1 else 1) + 4 * 2 * rows * self.dim
        return result + max(factorising, solving, mapping)

    def _of_view(self, view: NamedView) -> int:
        height, width = len(view.words), min(view.width, self.truncate)
        rank = min(self.view_rank, height, width)
        side = min(height, width, BASIS * rank + 600)
        if isinstance(view.source, Space):
            return 8 * 4 * view.cells
        sparse = (3 * CELL + 12) * view.cells
        return sparse + 4 * min(height, width) * side * 3 // 2 + 8 * side**2 + 4 * 3 * height * rank

    def require_memory(self, source: Any, resources: Resources) -> None:
        """Report the memory that a fit needs, or raise if there is less."""
        views = named_views(source)
        cells = sum(view.cells for view in views)
        size = f"{len(views):,} views of {cells:,} numbers and {self.dim:,} dimensions"
        need = self.memory(source)
        for held in {id(view.source): view.source for view in views}.values():
            if isinstance(held, Space):
                need += mapped(held.vectors)
            else:
                need += mapped(held.columns, held.values) + self.unfolding(held)
        resources.require(need, size, "dim")

    def factored(self, source: Any, resources: Resources) -> FactoredViews:
        """Factorise each view; the result can be solved with any weights of views."""
        views = named_views(source)
        words = union(views)
        made: list[PreparedView] = []
        places: list[NDArray[np.int64]] = []
        seen = np.zeros(len(words), dtype=np.int64)
        own = []
        for view in views:
            own.append(_places(view, words))
            seen[own[-1][view.observed()]] += 1
        least = self.min_views or math.ceil(len(views) / SHARE)
        fitted = np.flatnonzero(seen >= min(least, len(views)))
        if not len(fitted):
            raise FirthError(
                f"no word is in `min_views` = {least} of the {len(views):,} views: lower it"
            )
        number = np.full(len(words), -1, dtype=np.int64)
        number[fitted] = np.arange(len(fitted))
        factors = []
        with one_blas_thread(resources.threads) as blocks:
            for done, (view, at) in enumerate(zip(views, own, strict=True), 1):
                one = prepared(view, self.nonlinearity, self.truncate, resources)
                rows = at[one.places]
                inside = np.flatnonzero(number[rows] >= 0)
                inside = inside[np.argsort(number[rows[inside]], kind="stable")]
                factors.append(
                    factor_view(
                        _rows(one.matrix, inside),
                        number[rows[inside]],
                        blocks=blocks,
                        threads=resources.threads,
                        rank=self.view_rank,
                        regularisation=self.regularisation,
                        center=self.center,
                        weights=self._row_weights(one.row_sums[inside]),
                        seed=self.seed,
                    )
                )
                outside = np.flatnonzero(number[rows] < 0)  # to be placed after the fit
                kept = _rows(one.matrix, outside)
                made.append(replace(one, matrix=kept, places=rows[outside]))
                places.append(rows)
                text = f"{view.name}: {len(inside):,} words, rank {factors[-1].rank}"
                resources.progress(Event("factorising", done, len(views), 0, "views", text))
        return FactoredViews(
            tuple(views), tuple(made), tuple(factors), tuple(places), words, fitted
        )

    def _row_weights(self, sums: NDArray[np.float64]) -> NDArray[np.float64] | None:
        if self.weights != "glove":
            return None
        return np.asarray(np.minimum(sums / self.heaviest, 1.0) ** 0.75)

    def solved(self, factored: FactoredViews, resources: Resources) -> Space:
        """Find the space of factorised views."""
        weights = fixed_weights(self.weights, factored.views, factored.left_out)
        problem = Problem(factored.factors, weights, len(factored.fitted))
        rank = min(self.dim, len(factored.fitted))
        with one_blas_thread(resources.threads) as blocks:
            found = problem.solve(
                rank, blocks, resources,
                solver=self.solver, tol=self.tol, seed=self.seed, center=self.center,
            )  # fmt: skip
            fitted = Fitted(factored, found, weights, self.center)
            left, maps = maps_of(fitted, problem, blocks)
        factors = Factors(left, found.values, None)
        vectors = combined(factors, factored.words, None)
        recipe = {
            "method": self.settings(),
            "combining": factors.settings(),
            "views": fitted.summary(),
            "offsets": [],
            "diagnostics": {
                "largest_residual": found.residual,
                "converged": found.converged or self.solver == "incremental",
                "passes": found.passes,
                "words_fitted": len(factored.fitted),
                "bytes_on_disk": sum(view.left.on_disk for view in factored.factors),
            },
        }
        space = Space(factored.words, vectors, None, factors, None, recipe, None, maps)
        if self.min_views is None:
            least = min(math.ceil(len(factored.views) / SHARE), len(factored.views))
            space.recipe["chosen"] = {"min_views": least}
        return space

    def derive(self, fitted: Space) -> Space:
        """Make the space of this method from one that has at least its dimensions."""
        factors, maps = fitted.factors, fitted.views
        assert factors is not None
        assert maps is not None
        dim = min(self.dim, len(factors.values))
        cut = Factors(np.ascontiguousarray(factors.left[:, :dim]), factors.values[:dim], None)
        vectors = combined(cut, fitted.words, None)
        recipe = {**fitted.recipe, "method": self.settings()}
        return replace(fitted, vectors=vectors, factors=cut, recipe=recipe, views=maps.cut(dim))


def _places(view: NamedView, words: Vocabulary) -> NDArray[np.int64]:
    """Return where the words of a view stand among all."""
    if view.words is words:
        return np.arange(len(words))
    index = words.index
    return np.array([index[word] for word in view.words], dtype=np.int64)


def _rows(matrix: Association | NDArray[Any], rows: NDArray[np.int64]) -> Any:
    if isinstance(matrix, Association):
        return Association.from_scipy(matrix.to_scipy()[rows])
    return matrix[rows]
