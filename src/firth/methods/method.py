"""What a method is: a frozen dataclass of parameters with one verb, `fit`.

    fit = check source and memory · prepare · decide · associate · factorise · assemble

Each step is a method that a family may replace:

    prepared    the source in the form that the method uses
    decide      numbers in the place of parameters that a rule decides from the source
    associate   the source to the matrix that is factorised
    factorise   the matrix to factors, and what was learnt about the run
    assemble    factors to a space

A family that computes its weights and targets from counts on the way returns the counts themselves
from `associate`. One that takes several views sets `several`, and gets a sequence of sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.parameters import Named, parameter
from firth.resources import Resources, accept_former_keywords, mapped
from firth.sided import SidedAssociation
from firth.space.combining import Factors, combined
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

CELL = 8  # bytes of a cell of a sparse matrix: its column and its value
_KINDS = {Counts: "counts", Association: "an association", Space: "a space"}


@dataclass(frozen=True, eq=False)
class Factorisation:
    """What a factorisation found.

    Attributes
    ----------
    left, values, right
        A row per word, a value per dimension, and a row per column of the matrix where there is
        one.
    diagnostics
        Plain data about the run, such as residuals or the objective by sweep; it becomes
        ``recipe["diagnostics"]`` of the space.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.ones((3, 2), dtype=np.float32)
    >>> Factorisation(rows, np.ones(2), None, {"sweeps": 4}).diagnostics
    {'sweeps': 4}
    """

    left: NDArray[np.float32]
    values: NDArray[np.float64]
    right: NDArray[np.float32] | None = None
    diagnostics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Method(Named):
    """What every method has.

    A method declares what it is by class variables:

    name
        In the registry and in recipes.
    paper
        A key of `firth.papers.PAPERS`.
    takes
        What it learns from: `Counts`, `Association` (which may come from no counts; its rows need
        names) or `Space`.
    several
        Whether `fit` takes a sequence of these, one for each view.
    warm
        Whether `fit` takes ``start=``, another space to start from.
    derived
        Parameters that can change without another factorisation; see `derive`.

    Examples
    --------
    >>> from firth.methods import METHODS
    >>> method = METHODS["ppmi"](dim=50)
    >>> isinstance(method, Method), method.dim, method.derived
    (True, 50, ('dim', 'beta', 'combine', 'weight'))
    """

    takes: ClassVar[tuple[type, ...]] = (Counts,)
    several: ClassVar[bool] = False
    warm: ClassVar[bool] = False
    derived: ClassVar[tuple[str, ...]] = ()

    dim: int = parameter(100, "Dimensions of the vectors.", least=1)

    @accept_former_keywords
    def fit(
        self,
        source: Any,
        *,
        association: bool = True,
        start: Space | None = None,
        resources: Resources | None = None,
    ) -> Space:
        """Learn a space from counts, or from another source that the method takes.

        Parameters
        ----------
        source
            Counts from `firth.count`, or any matrix through `Counts.from_scipy`; a named
            `Association` where the method takes one.
        association
            Whether to keep the association matrix, which `Space.why` needs.
        start
            A space to start from, where the method takes one.
        resources
            Threads, memory and progress. The vectors do not depend on them; a fit that needs more
            memory than there is raises `BudgetError` before it begins.
        """
        used = resources or Resources()
        self.check(source, start)
        self.require_memory(source, used)
        return self.learn(source, association=association, start=start, resources=used)

    def learn(
        self,
        source: Any,
        *,
        association: bool = True,
        start: Space | None = None,
        resources: Resources,
    ) -> Space:
        """Fit without the checks of `fit`, for callers that have made them."""
        source = self.prepared(source)
        decided = self.decide(source, resources)
        matrix = decided.associate(source, resources)
        found = decided.factorise(matrix, resources, start)
        space = decided.assemble(source, matrix, found, association)
        if decided == self:
            return space
        given, used = self.settings(), decided.settings()
        chosen = {name: value for name, value in used.items() if given[name] != value}
        return replace(space, recipe={**space.recipe, "method": given, "chosen": chosen})

    def check(self, source: Any, start: Space | None = None) -> None:
        """Raise if the source is not one that this method learns from."""
        views = source if self.several and isinstance(source, Sequence) else [source]
        for view in views:
            if not isinstance(view, self.takes):
                kinds = " or ".join(_KINDS.get(kind, kind.__name__) for kind in self.takes)
                raise FirthError(f"{self.name} learns from {kinds}, not from {type(view).__name__}")
            if isinstance(view, Counts) and not view.nnz:
                raise FirthError("there are no counts to learn from: no two words share a window")
            if isinstance(view, Association) and not view.nnz:
                raise FirthError("every entry of the association is zero: there is nothing to fit")
            _words_of(view)
        if start is not None and not self.warm:
            raise FirthError(f"{self.name} does not take a space to `start` from")

    def memory(self, source: Any) -> int:
        """Estimate the bytes that `fit` needs at most beyond the source, its result included."""
        raise NotImplementedError

    def require_memory(self, source: Any, resources: Resources) -> None:
        """Report the memory that `fit` needs, or raise if there is less."""
        views = source if self.several and isinstance(source, Sequence) else [source]
        nonzeros = sum(getattr(view, "nnz", 0) for view in views)
        size = f"{nonzeros:,} nonzeros and {self.dim:,} dimensions"
        need = self.memory(source)  # which may read some of it
        # What a store holds is read into memory on the way.
        need += sum(_mapped(view) + self.unfolding(view) for view in views)
        resources.require(need, size, "dim")

    def unfolding(self, view: Any) -> int:
        """Return the bytes of the whole matrix, if only one side of the counts is stored."""
        if isinstance(view, Counts) and view.half:
            return CELL * (view.nnz + view.nnz // 2)  # and of the other side on the way
        return 0

    def prepared(self, source: Any) -> Any:
        """Return the source in the form that the method uses."""
        return source

    def decide(self, source: Any, resources: Resources) -> Self:
        """Return the method with numbers in the place of parameters that a rule decides."""
        del source, resources
        return self

    def associate(self, source: Any, resources: Resources) -> Any:
        """Return the matrix to factorise: an `Association`, or the counts themselves."""
        raise NotImplementedError

    def factorise(
        self, association: Any, resources: Resources, start: Space | None = None
    ) -> Factorisation:
        """Find the factors."""
        raise NotImplementedError

    def combining(
        self, words: Vocabulary, contexts: Vocabulary | None, columns: int
    ) -> dict[str, Any]:
        """Return how vectors are made of the factors: the settings of `Factors`."""
        del words, contexts, columns
        return {}

    def assemble(self, source: Any, association: Any, found: Factorisation, keep: bool) -> Space:
        """Make the space of what a factorisation found."""
        view = source[0] if self.several and isinstance(source, Sequence) else source
        words, contexts = _words_of(view), getattr(view, "contexts", None)
        columns = 0 if found.right is None else len(found.right)
        factors = Factors(
            found.left, found.values, found.right, **self.combining(words, contexts, columns)
        )
        vectors = combined(factors, words, contexts)
        kept = keep and contexts is not None
        kept = kept and isinstance(association, Association | SidedAssociation)
        recipe = {
            "method": self.settings(),
            "combining": factors.settings(),
            **_origin(source),
            "offsets": list(getattr(view, "offsets", ())),
            "diagnostics": found.diagnostics,
        }
        return Space(words, vectors, contexts, factors, association if kept else None, recipe)

    @classmethod
    def widest(cls, methods: Sequence[Self]) -> Self:
        """Choose which of some methods to fit, of whose space the others are then derived.

        They differ in the parameters of `derived` alone.
        """
        return max(methods, key=lambda method: method.dim)

    def fixed(self) -> tuple[tuple[str, Any], ...]:
        """Return the parameters that cannot change without another factorisation."""
        given = asdict(self).items()
        return tuple((name, value) for name, value in given if name not in self.derived)

    def derive(self, fitted: Space) -> Space:
        """Make the space of this method from that of another, alike but for `derived`."""
        raise NotImplementedError


def _words_of(view: Any) -> Vocabulary:
    words: Vocabulary | None = view.words
    if words is None:
        raise FirthError(
            "the rows of the association have no names: give them, as in "
            "Association.from_scipy(matrix, words)"
        )
    return words


def _origin(source: Any) -> dict[str, Any]:
    """Describe a source, or each of several, for a recipe."""
    if isinstance(source, Counts):
        return {"counts": source.recipe.to_json()}
    if isinstance(source, Association):
        return {"association": {"shape": list(source.shape), "nonzeros": source.nnz}}
    if isinstance(source, Space):
        return {"space": source.recipe}
    return {"views": [_origin(view) for view in source]}


def _mapped(view: Any) -> int:
    if isinstance(view, Space):
        return mapped(view.vectors)
    return mapped(view.columns, view.values)
