"""Word categorisation: compare clusters of the vectors with classes that people made.

Words are put into as many clusters as there are classes. The score is purity: the share of words
that belong to the most common class of their cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from firth.clusters.hierarchy import Hierarchy
from firth.clusters.ward import ward
from firth.errors import FirthError
from firth.evaluation.protocol import Outcome, Subject, Task, every_second
from firth.linalg.products import one_blas_thread
from firth.text.vocabulary import Vocabulary
from firth.ties import TIE

Doubles = NDArray[np.float64]
Places = NDArray[np.int64]

WAYS = {"k-means": "k-means", "ward": "Ward's hierarchy"}
STARTS = 10  # runs of k-means, of which the tightest is kept
MOST_ROUNDS = 100


@dataclass(frozen=True)
class Categorization(Task):
    """Words and their classes.

    Attributes
    ----------
    name
        The name of the test.
    members
        Words and their classes.
    by
        How to cluster: ``k-means`` or ``ward``.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Categorization
    >>> vectors = np.array([[1, 0], [9, 1], [0, 1], [1, 9]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["cat", "dog", "sun", "moon"], [4, 3, 2, 1]), vectors)
    >>> members = (("cat", "pet"), ("dog", "pet"), ("sun", "sky"), ("moon", "sky"))
    >>> Categorization("things", members).run(space).score
    1.0
    """

    kind: ClassVar[str] = "categorization"

    members: tuple[tuple[str, str], ...] = ()
    by: str = "k-means"

    def __post_init__(self) -> None:
        """Check `by`."""
        if self.by not in WAYS:
            raise FirthError(f"`by` must be one of {', '.join(WAYS)}, not {self.by!r:.40}")

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.members)

    def score(self, subject: Subject) -> Outcome:
        """Cluster the words, and find which belong to the most common class of their cluster."""
        places = subject.places(word for word, _ in self.members)
        covered = places >= 0
        scored = covered if subject.rules.oov == "skip" else np.ones_like(covered)
        clustered = scored if subject.rules.oov == "mean" else covered  # the others are wrong
        names = [name for _, name in self.members]
        labels = {name: number for number, name in enumerate(sorted(set(names)))}
        classes = np.array([labels[name] for name in names], dtype=np.int64)[clustered]
        values = np.zeros(len(self.members))
        wanted = len(np.unique(classes))
        # If all words are of one class, every clustering is pure.
        undefined = "one covered class" if wanted == 1 and subject.rules.oov == "skip" else ""
        if clustered.any():
            units = subject.units(places[clustered])
            clusters = cluster(units, wanted, self.by, subject.rules.seed)
            values[clustered] = in_commonest(clusters, classes)
        measure = f"purity, {WAYS[self.by]}"
        return Outcome(self.name, self.kind, measure, values, covered, scored, undefined=undefined)

    def half(self, which: str) -> Categorization:
        """Return every second word."""
        return replace(self, members=every_second(self.members, which))


def in_commonest(clusters: Places, classes: Places) -> Doubles:
    """Return 1 for each word that belongs to the most common class of its cluster, else 0.

    Examples
    --------
    >>> in_commonest(np.array([0, 0, 0, 1]), np.array([1, 1, 0, 0])).tolist()
    [1.0, 1.0, 0.0, 1.0]
    """
    table = np.zeros((clusters.max() + 1, classes.max() + 1), dtype=np.int64)
    np.add.at(table, (clusters, classes), 1)
    return np.asarray(table.argmax(axis=1)[clusters] == classes, dtype=np.float64)


def cluster(units: Doubles, count: int, by: str = "k-means", seed: int = 0) -> Places:
    """Cluster vectors of length one, by k-means or by Ward's hierarchy."""
    with one_blas_thread(1):
        return _ward(units, count, seed) if by == "ward" else k_means(units, count, seed)


def _ward(units: Doubles, count: int, seed: int) -> Places:
    """Cluster by `firth.clusters.ward`, with every word active from the beginning.

    Of equal distances the first is merged first, and files list words class by class. So the words
    are shuffled; otherwise equal vectors would seem to separate the classes.
    """
    size = len(units)
    if size < 2:
        return np.zeros(size, dtype=np.int64)
    order = np.random.Generator(np.random.Philox(key=[seed, 0])).permutation(size)
    numbers = Vocabulary([str(number) for number in range(size)], [0] * size)
    tree = Hierarchy.of_merges(numbers, ward(units[order].astype(np.float32), size), size, {})
    found = np.empty(size, dtype=np.int64)
    found[order] = tree.cut(min(count, size))
    return found


def k_means(points: Doubles, count: int, seed: int = 0) -> Places:
    """Return the cluster of each point: the tightest of several runs from k-means++ starts.

    Random numbers come from a generator keyed by the seed and the number of the start.

    Examples
    --------
    >>> found = k_means(np.array([[0.0], [0.1], [5.0], [5.1]]), 2)
    >>> bool(found[0] == found[1]), bool(found[2] == found[3]), bool(found[0] == found[2])
    (True, True, False)
    """
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    slack = _slack(points)
    for start in range(STARTS):
        generator = np.random.Generator(np.random.Philox(key=[seed, start]))
        centres = _spread(points, min(count, len(points)), generator)
        found = np.full(len(points), -1, dtype=np.int64)
        for _ in range(MOST_ROUNDS):
            distances = _squared(points, centres)
            near = distances <= distances.min(axis=1, keepdims=True) + slack
            nearest = near.argmax(axis=1)  # the first of those that tie
            if (nearest == found).all():
                break
            found = nearest
            for number in range(len(centres)):  # an empty cluster keeps its centre
                if (found == number).any():
                    centres[number] = points[found == number].mean(axis=0)
        spread = float(((points - centres[found]) ** 2).sum())
        if spread < least - slack * len(points):
            best, least = found, spread
    return best


def _spread(points: Doubles, count: int, generator: np.random.Generator) -> Doubles:
    """Choose initial centres far apart (D. Arthur and S. Vassilvitskii, 2007, k-means++)."""
    slack = _slack(points)
    chosen = [int(generator.integers(len(points)))]
    nearest = _squared(points, points[chosen])[:, 0]
    while len(chosen) < count:
        reached = np.cumsum(np.where(nearest > slack, nearest, 0.0))  # nothing near is drawn again
        if reached[-1] > 0:
            place = int(np.searchsorted(reached, generator.random() * reached[-1], side="right"))
            chosen.append(min(place, len(points) - 1))
        else:  # all points are equal
            chosen.append(int(generator.integers(len(points))))
        nearest = np.minimum(nearest, _squared(points, points[chosen[-1:]])[:, 0])
    return points[chosen].copy()


def _slack(points: Doubles) -> float:
    """Return how far squared distances may be from each other and still be equal."""
    return TIE * float((points * points).sum(axis=1).max(initial=0.0))


def _squared(points: Doubles, centres: Doubles) -> Doubles:
    lengths = (points * points).sum(axis=1)[:, None] + (centres * centres).sum(axis=1)
    return np.asarray(np.maximum(lengths - 2 * points @ centres.T, 0.0))
