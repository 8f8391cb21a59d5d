"""What a cluster method is: a frozen dataclass of parameters with one verb, `fit`, to a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from firth.clusters.hierarchy import Hierarchy
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.parameters import Named, parameter
from firth.resources import Resources, accept_former_keywords, mapped


@dataclass(frozen=True, kw_only=True)
class ClusterMethod(Named):
    """The base class of cluster methods.

    Attributes
    ----------
    takes
        The sources whose words it clusters: `Counts` or `Space`.
    clusters
        The number of clusters.

    Examples
    --------
    >>> import firth
    >>> from firth.clusters import METHODS
    >>> METHODS["ward"](clusters=5).clusters, METHODS["ward"].takes == (firth.Space,)
    (5, True)
    """

    takes: ClassVar[tuple[type, ...]] = (Counts,)

    clusters: int = parameter(1000, "How many clusters.", least=1)

    @accept_former_keywords
    def fit(self, source: Any, *, resources: Resources | None = None) -> Hierarchy:
        """Cluster the words of counts or of a space.

        Parameters
        ----------
        source
            Positional counts from `firth.count`, or a `Space`, as the method takes.
        resources
            Threads, memory and progress. The tree does not depend on them; a fit that needs more
            memory than there is raises `BudgetError` before it begins.
        """
        used = resources or Resources()
        if not isinstance(source, self.takes):
            kind = "counts" if Counts in self.takes else "a space"
            raise FirthError(f"{self.name} clusters {kind}, not {type(source).__name__}")
        self._require_memory(source, used)
        return self.learn(source, used)

    def _require_memory(self, source: Any, resources: Resources) -> None:
        """Report the memory that `fit` needs, or raise if there is less."""
        size = f"{len(source.words):,} words"
        if isinstance(source, Counts):
            held = mapped(source.columns, source.values)
            size += f", {source.nnz:,} nonzeros"
        else:
            held = mapped(source.vectors)
        size += f" and {self.clusters:,} clusters"
        resources.require(self.memory(source) + held, size, "clusters")

    def learn(self, source: Any, resources: Resources) -> Hierarchy:
        """Cluster without the checks of `fit`."""
        raise NotImplementedError

    def memory(self, source: Any) -> int:
        """Estimate the bytes that `fit` needs at most beyond the source.

        For counts, `Hierarchy.information` of the tree is included.
        """
        raise NotImplementedError
