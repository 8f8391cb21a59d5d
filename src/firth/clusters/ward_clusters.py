"""Ward clusters: the words of any space, by Ward's algorithm on vectors of length one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firth.clusters.hierarchy import Hierarchy
from firth.clusters.method import ClusterMethod
from firth.clusters.ward import ward
from firth.resources import Resources
from firth.space.combining import unit_rows
from firth.space.space import Space

WAITING = 64  # clusters that may be active beyond those asked for


@dataclass(frozen=True, kw_only=True)
class WardClusters(ClusterMethod):
    """Ward's algorithm on the vectors of a space.

    Words enter in the order of the space, which is by falling frequency.

    Examples
    --------
    >>> import firth
    >>> import numpy as np
    >>> vectors = np.array([[1, 0], [0, 1], [0.9, 0.1]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["cat", "sun", "dog"], [3, 2, 1]), vectors)
    >>> WardClusters(clusters=2).fit(space).words_of("dog")
    ['cat', 'dog']
    """

    name: ClassVar[str] = "ward"
    paper: ClassVar[str] = "B"
    takes: ClassVar[tuple[type, ...]] = (Space,)

    def memory(self, source: Space) -> int:
        """Estimate the bytes of vectors of length one, of the active clusters and of the tree."""
        words, width = len(source), source.vector_size
        active = min(self.clusters, words) + WAITING
        return 3 * 4 * words * width + 8 * active * (active + width + 256) + 64 * words

    def learn(self, source: Space, resources: Resources) -> Hierarchy:
        """Cluster without the checks of `fit`."""
        merges = ward(unit_rows(source.vectors), self.clusters, resources=resources)
        recipe = {
            "method": self.settings(),
            "space": source.recipe.get("method", {}),
            "diagnostics": {"gamma": merges.gamma},
        }
        return Hierarchy.of_merges(source.words, merges, self.clusters, recipe)
