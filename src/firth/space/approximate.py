"""Approximate nearest neighbours, for spaces too large to search in full (needs usearch)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import need_extra
from firth.resources import Resources, accept_former_keywords
from firth.space.neighbours import Floats, Places, ranked
from firth.space.space import Space

CANDIDATES = 4  # for each word asked for; their cosines are then computed exactly


@dataclass(frozen=True, eq=False)
class ApproximateIndex:
    """A graph index that finds most of the nearest words and compares only a few.

    HNSW, by usearch (Y. Malkov and D. Yashunin, 2016, Efficient and robust approximate nearest
    neighbor search using hierarchical navigable small world graphs). The cosines that it returns
    are exact, but it may miss a word. A graph built on several threads differs from run to run.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)
    >>> from firth.text.vocabulary import Vocabulary
    >>> space = Space(Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> index = ApproximateIndex.build(space)
    >>> [word for word, similarity in space.most_similar("cat", indexer=index)]
    ['dog', 'sun']
    """

    vectors: Floats
    graph: Any

    @classmethod
    @accept_former_keywords
    def build(
        cls,
        space: Space,
        *,
        connectivity: int = 16,
        effort: int = 128,
        resources: Resources | None = None,
    ) -> ApproximateIndex:
        """Build the graph.

        Parameters
        ----------
        space
            The words to index.
        connectivity
            Links of each word in the graph.
        effort
            Words that are compared when a word is added; half as many when one is looked up.
        resources
            Threads; on one thread the graph is the same every time.
        """
        try:
            from usearch.index import Index
        except ImportError as error:
            raise need_extra("usearch", "ann") from error
        graph = Index(
            ndim=space.vector_size,
            metric="cos",
            dtype="f32",
            connectivity=connectivity,
            expansion_add=effort,
            expansion_search=max(1, effort // 2),
        )
        units = space.vectors / space.norms[:, None]
        graph.add(np.arange(len(space)), units, threads=(resources or Resources()).threads)
        return cls(space.vectors, graph)

    def nearest(
        self,
        unit: NDArray[np.float64],
        top: int,
        without: Collection[int] = (),
        end: int | None = None,
    ) -> tuple[Places, Floats]:
        """Return most of the `top` words nearest to a unit vector, best first.

        Parameters
        ----------
        unit
            The vector.
        top
            How many words.
        without, end
            Places to leave out, and where the search ends; they are dropped from what was found.
        """
        wanted = min(CANDIDATES * (max(top, 0) + len(without)), len(self.vectors))
        if top < 1 or not wanted:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        found = self.graph.search(unit.astype(np.float32), wanted)
        places = np.asarray(found.keys).astype(np.int64)
        kept = ~np.isin(places, [*without])
        if end is not None:
            kept &= places < end
        return ranked(self.vectors, places[kept], unit, top)
