"""`Hierarchy`: a binary tree over words, made for a number of clusters.

A tree over n words is n - 1 merges in the order in which they were made. The last m - 1 of them
join m clusters to a root; the earlier ones made the clusters. Every node has a path from the root,
0 to the older and 1 to the younger child. The prefixes of a word's path are clusters around the
word, each coarser than the next longer one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.clusters.checking import check_given, check_merges
from firth.clusters.ward import Merges, check_whole
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.resources import Resources, accept_former_keywords
from firth.space.space import Space
from firth.space.spelling import unknown_word
from firth.text.vocabulary import Vocabulary

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A binary tree of words.

    Attributes
    ----------
    words
        The leaves, with their frequencies.
    merges
        Two nodes for each merge; word i is node i, merge k makes node n + k.
    costs
        The cost of each merge, in the units of the method.
    clusters
        How many clusters the tree was made for: the level at which paths end.
    recipe
        How the tree was made.
    given
        The path of each word as a paths file gave it; None for a tree that was not read from one.

    Examples
    --------
    >>> import firth
    >>> words = firth.Vocabulary(["cat", "run", "dog", "walk"], [4, 3, 2, 1])
    >>> tree = Hierarchy(words, np.array([[0, 2], [1, 3], [4, 5]]), np.array([1, 1, 3.0]), 2)
    >>> tree
    Hierarchy(4 words, 2 clusters)
    >>> tree.paths()
    {'cat': '0', 'run': '1', 'dog': '0', 'walk': '1'}
    >>> tree.prefix("1"), tree.words_of("dog")
    (['run', 'walk'], ['cat', 'dog'])
    """

    words: Vocabulary
    merges: NDArray[np.int64]
    costs: NDArray[np.float64]
    clusters: int
    recipe: dict[str, Any] = field(default_factory=dict)
    given: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check that the merges are a tree over the words, and that given paths fit it."""
        check_merges(self.merges, self.costs, len(self.words), self.clusters)
        if self.given is not None:
            check_given(self.given, self.cut(), self.clusters)

    @classmethod
    def of_merges(
        cls, words: Vocabulary, merges: Merges, clusters: int, recipe: dict[str, Any]
    ) -> Hierarchy:
        """Make a tree from merges; of fewer words than clusters, each word is a cluster."""
        return cls(words, merges.children, merges.costs, min(clusters, len(words)), recipe)

    @classmethod
    @accept_former_keywords
    def from_space(
        cls,
        space: Space,
        clusters: int = 1000,
        *,
        resources: Resources | None = None,
    ) -> Hierarchy:
        """Cluster the words of any space; see `WardClusters`.

        Examples
        --------
        >>> vectors = np.array([[1, 0], [0, 1], [0.9, 0.1]], dtype=np.float32)
        >>> space = Space(Vocabulary(["cat", "sun", "dog"], [3, 2, 1]), vectors)
        >>> Hierarchy.from_space(space, 2).words_of("dog")
        ['cat', 'dog']
        """
        from firth.clusters.ward_clusters import WardClusters

        return WardClusters(clusters=clusters).fit(space, resources=resources)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __repr__(self) -> str:
        words = f"{len(self):,} word{'s' * (len(self) != 1)}"
        return f"Hierarchy({words}, {self.clusters:,} cluster{'s' * (self.clusters != 1)})"

    def _place(self, word: str) -> int:
        if word not in self.words:
            raise unknown_word(word, self.words.words, "tree")
        return self.words[word]

    def cut(self, clusters: int | None = None) -> Labels:
        """Return the cluster of each word when so many clusters are left.

        Parameters
        ----------
        clusters
            How many, from 1 to the number of words; by default what the tree was made for.

        Returns
        -------
        array of int64
            A number for each word; clusters are numbered in the order of their first words.

        Examples
        --------
        >>> words = Vocabulary(["cat", "run", "dog", "walk"], [4, 3, 2, 1])
        >>> merges = np.array([[0, 2], [1, 3], [4, 5]])
        >>> Hierarchy(words, merges, np.zeros(3), 2).cut(3).tolist()
        [0, 1, 0, 2]
        """
        wanted = self.clusters if clusters is None else check_whole(clusters, "clusters")
        if wanted > len(self):
            raise FirthError(
                f"{len(self):,} words cannot be cut into {wanted} clusters: `clusters` must be "
                f"{len(self):,} or less"
            )
        top = self._tops(wanted)
        _, first, labels = np.unique(top, return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        return order[labels]

    def _tops(self, clusters: int) -> Labels:
        """Return the node that each word is in while so many clusters are left."""
        size = len(self)
        kept = size - clusters
        above = np.arange(2 * size - 1)
        above[self.merges[:kept, 0]] = above[self.merges[:kept, 1]] = size + np.arange(kept)
        while True:  # the depth halves each time
            further = above[above]
            if np.array_equal(further, above):
                return above[:size]
            above = further

    @cached_property
    def nodes(self) -> dict[int, str]:
        """The paths of the nodes above and at the clusters, from the root down."""
        size = len(self)
        paths = {2 * size - 2: ""}
        for number in range(size - 2, size - self.clusters - 1, -1):
            path = paths[size + number]
            older, younger = self.merges[number].tolist()
            paths[older], paths[younger] = path + "0", path + "1"
        return paths

    @cached_property
    def bits(self) -> tuple[str, ...]:
        """The path of each word to its cluster."""
        if self.given is not None:
            return self.given
        paths = self.nodes
        return tuple(paths[top] for top in self._tops(self.clusters).tolist())

    def path(self, word: str) -> str:
        """Return the path to a word's cluster."""
        return self.bits[self._place(word)]

    def paths(self) -> dict[str, str]:
        """Return the path of every word to its cluster."""
        return dict(zip(self.words.words, self.bits, strict=True))

    def prefix(self, bits: str) -> list[str]:
        """List the words below a node of the tree, by frequency.

        Parameters
        ----------
        bits
            A path, or the beginning of one.
        """
        if {*bits} - {"0", "1"}:
            raise FirthError(f"{bits!r:.40} is not a path: `bits` must be zeros and ones")
        found = [w for w, path in zip(self.words, self.bits, strict=True) if path.startswith(bits)]
        if not found:
            raise FirthError(f"no word has a path that begins with {bits:.40}: give other `bits`")
        return found

    def words_of(self, word: str) -> list[str]:
        """List the words of a word's cluster, by frequency."""
        return self.members[self.path(word)]

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """The words of every cluster by frequency, clusters in the order of their paths."""
        found: dict[str, list[str]] = {path: [] for path in sorted({*self.bits})}
        for word, path in zip(self.words, self.bits, strict=True):
            found[path].append(word)
        return found

    def to_linkage(self, costs: bool = False) -> NDArray[np.float64]:
        """Return the tree as a linkage matrix of scipy's hierarchical clustering.

        Parameters
        ----------
        costs
            Use the largest cost of a merge so far as the height of a merge. By default it is the
            number of the merge, so that ``fcluster(…, k, "maxclust")`` is `cut(k)`.

        Examples
        --------
        >>> words = Vocabulary(["cat", "run", "dog"], [4, 3, 2])
        >>> Hierarchy(words, np.array([[0, 2], [1, 3]]), np.zeros(2), 2).to_linkage().tolist()
        [[0.0, 2.0, 1.0, 2.0], [1.0, 3.0, 2.0, 3.0]]
        """
        size = len(self)
        sizes = np.ones(2 * size - 1)
        for number, (a, b) in enumerate(self.merges.tolist()):
            sizes[size + number] = sizes[a] + sizes[b]
        heights = np.maximum.accumulate(self.costs) if costs else np.arange(1.0, size)
        pairs = np.sort(self.merges, axis=1)
        return np.column_stack([pairs, heights, sizes[size:]]).astype(np.float64)

    def information(self, counts: Counts, clusters: int | None = None) -> float:
        """Compute the mutual information of adjacent clusters in a text (equation 3), in nats.

        Parameters
        ----------
        counts
            Positional counts of the text; words that are not in the tree are left out of the sum.
        clusters
            How many clusters to cut the tree into; by default what it was made for.
        """
        from firth.clusters.information import mutual_information

        return mutual_information(self._labels(counts, clusters), counts)

    def levels(self, counts: Counts) -> NDArray[np.float64]:
        """Compute the mutual information with 1, 2, … clusters; entry k - 1 is that of `cut(k)`."""
        from firth.clusters.information import by_level

        kept = len(self) - self.clusters
        tops = np.unique(self._tops(self.clusters))
        number = {int(node): place for place, node in enumerate(tops)}
        for k in range(self.clusters - 1):
            number[len(self) + kept + k] = self.clusters + k
        merges = [[number[a], number[b]] for a, b in self.merges[kept:].tolist()]
        labels = np.searchsorted(tops, self._tops(self.clusters))
        renamed = self._spread(counts, labels)
        pairs = np.array(merges, dtype=np.int64).reshape(-1, 2)
        return by_level(renamed, pairs, counts)[::-1]

    def _labels(self, counts: Counts, clusters: int | None = None) -> Labels:
        return self._spread(counts, self.cut(clusters))

    def _spread(self, counts: Counts, labels: Labels) -> Labels:
        """Give each word of some counts the label of the same word of the tree, -1 if absent."""
        if counts.words is self.words or counts.words.words == self.words.words:
            return labels
        index = self.words.index
        places = np.array([index.get(word, -1) for word in counts.words], dtype=np.int64)
        return np.where(places >= 0, labels[places], -1)

    def assign(self, counts: Counts, words: Iterable[str] | None = None) -> dict[str, str]:
        """Find clusters for words that the tree does not have.

        Parameters
        ----------
        counts
            Positional counts of a text with words of the tree and new ones.
        words
            The new words, each of which must occur beside a word of the tree. By default all such
            words of `counts` that the tree does not have.

        Returns
        -------
        dict
            The path of the cluster in which each word, on its own, loses least of the mutual
            information of the text, as when a word enters in Brown's algorithm.
        """
        from firth.clusters.assigning import assign

        return assign(self, counts, words)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the tree to a folder, whole or not at all.

        Nothing is lost: a loaded tree has the same merges, costs, paths and recipe.

        Parameters
        ----------
        path
            The folder to write.
        force
            Replace an earlier tree.

        Examples
        --------
        >>> import tempfile
        >>> words = Vocabulary(["cat", "run", "dog"], [4, 3, 2])
        >>> tree = Hierarchy(words, np.array([[0, 2], [1, 3]]), np.array([0.5, 2]), 2)
        >>> path = Path(tempfile.mkdtemp()) / "tree"
        >>> tree.save(path)
        >>> Hierarchy.load(path).costs.tolist()
        [0.5, 2.0]
        """
        from firth.clusters.store import save

        save(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Hierarchy:
        """Load a folder that `save` wrote, or read a paths file of firth or another program."""
        from firth.clusters import store

        path = Path(path)
        if path.exists() and not path.is_dir():
            return cls.read_paths(path)
        return store.load(path)

    def write_paths(self, path: str | Path, *, force: bool = False) -> None:
        r"""Write a paths file, which every reader of Brown clusters knows.

        A paths file has a line ``bits<TAB>word<TAB>count`` for each word. It has neither the order
        and costs of the merges nor the recipe; see `save` for all of it.

        Parameters
        ----------
        path
            The file to write.
        force
            Replace an earlier file.

        Examples
        --------
        >>> import tempfile
        >>> words = Vocabulary(["cat", "run", "dog"], [4, 3, 2])
        >>> tree = Hierarchy(words, np.array([[0, 2], [1, 3]]), np.zeros(2), 2)
        >>> path = Path(tempfile.mkdtemp()) / "paths"
        >>> tree.write_paths(path)
        >>> path.read_text()
        '0\trun\t3\n1\tcat\t4\n1\tdog\t2\n'
        """
        from firth.clusters.paths import save

        save(self, Path(path), force=force)

    @classmethod
    def read_paths(cls, path: str | Path) -> Hierarchy:
        """Read a paths file, of firth or another program.

        The merges of the tree are made up, since the file does not hold them: the words of a
        cluster are merged by frequency, then the clusters, the deepest first.
        """
        from firth.clusters.paths import load

        return load(Path(path))
