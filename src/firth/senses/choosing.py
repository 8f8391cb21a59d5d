"""Group the contexts of a word, and choose how many groups there are.

A context is a point: its row of V Σ, over the leading singular vectors of the associations of the
word's contexts with each other, scaled to length one. Points weigh as the word's associations with
them, and are grouped by k-means on the sphere (I. Dhillon and D. Modha, 2001, Concept
decompositions for large sparse text data using clustering). The first centre is the heaviest point,
each other the point that is far from all centres and heavy; so nothing is drawn.

The rule of ``k="auto"``: a word has two senses at least, and one more as long as no two centres
agree, that is, have a cosine of `AGREE` or more, and there are `CONTEXTS` contexts for each. The
first constant is settled on pseudo-words, which docs/senses.md describes; the second only matters
for words of few contexts, which lie far from each other for that reason alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.senses.factorising import Leading

Doubles = NDArray[np.float64]
Points = NDArray[np.floating]

AGREE = 0.66
CONTEXTS = 10
DIMENSIONS = 10  # leading singular vectors
ROUNDS = 40  # of k-means at most


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of contexts.

    Attributes
    ----------
    labels
        The group of each context.
    agreement
        The largest cosine of two centres; -1 if there is one group.
    """

    labels: NDArray[np.int64]
    agreement: float

    def memberships(self, points: Points, parts: int) -> Doubles:
        """Return a row for each group; a context whose point is zero is shared equally."""
        out = np.eye(parts)[self.labels].T
        out[:, ~points.any(axis=1)] = 1 / parts
        return out


def points_of(found: Leading) -> Doubles:
    """Return the points of contexts: rows of V Σ of length one, or zero.

    Examples
    --------
    >>> points_of(Leading(np.eye(2), np.array([2.0, 1.0]), np.array([[1.0, 0], [0, 0]])))
    array([[1., 0.],
           [0., 0.]])
    """
    rows = found.right[:, :DIMENSIONS] * found.values[:DIMENSIONS]
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    out: Doubles = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
    return out


def grouped(points: Points, weights: Doubles, parts: int) -> Groups:
    """Group points of length one by k-means on the sphere.

    Parameters
    ----------
    points
        A row for each context.
    weights
        Of the contexts.
    parts
        How many groups.

    Examples
    --------
    >>> points = np.array([[1.0, 0], [0.8, 0.6], [0, 1]])
    >>> grouped(points, np.ones(3), 2).labels.tolist()
    [0, 0, 1]
    """
    centres = _first(points, weights, parts)
    labels = np.argmax(points @ centres.T, axis=1)
    kind = points.dtype  # single precision where there are many words and dimensions
    weighted = points * weights[:, None].astype(kind)
    one_of = np.eye(parts, dtype=kind)
    for _ in range(ROUNDS):
        sums = one_of[labels].T @ weighted
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
        centres = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), centres)
        moved = np.argmax(points @ centres.T, axis=1)
        if np.array_equal(moved, labels):
            break
        labels = moved
    cosines = centres @ centres.T
    cosines[~centres.any(axis=1)] = 1.0  # nothing is known that would tell these groups apart
    np.fill_diagonal(cosines, val=-1.0)
    return Groups(labels, float(cosines.max()))


def _first(points: Points, weights: Doubles, parts: int) -> Points:
    """Return the centres to start from; a point that is zero is none of them."""
    weights = np.where(points.any(axis=1), weights, 0.0)
    chosen = [int(np.argmax(weights))]
    far = 1 - points @ points[chosen[0]]
    for _ in range(parts - 1):
        gains = far * weights
        chosen.append(int(np.argmax(gains)) if gains.max() > 0 else chosen[0])
        far = np.minimum(far, 1 - points @ points[chosen[-1]])
    return points[chosen]


def number_of(points: Points, weights: Doubles, most: int, agree: float = AGREE) -> int:
    """Choose how many groups there are, by the rule of ``k="auto"``.

    Parameters
    ----------
    points, weights
        As for `grouped`.
    most
        The most groups.
    agree
        The cosine at which two centres agree.

    Examples
    --------
    >>> points = np.repeat(np.eye(3), 10, axis=0)
    >>> number_of(points, np.ones(30), 10)
    3
    """
    parts = min(2, most)
    most = min(most, len(points) // CONTEXTS)
    while parts < most and grouped(points, weights, parts + 1).agreement < agree:
        parts += 1
    return parts
