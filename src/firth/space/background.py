"""What is usual: how strong each context is, on average, in words of like frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.sided import SidedAssociation

FIRST = 64  # words in the most frequent band; each further band ends at twice the rank
BANDS = 16  # at most: the last one has all the rest

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Background:
    """The usual strength of every context, for words of every band of frequency.

    Attributes
    ----------
    band
        The band of each word. Band 0 holds the 64 most frequent words, band 1 the next 64, band 2
        the next 128, and so on, each as many words as all bands before it.
    means
        A row per band and a column per context: the mean over the words of the band of the
        context's association, every word's row being scaled to length one.
    """

    band: NDArray[np.int64]
    means: Floats

    def usual(self, place: int) -> Doubles:
        """Return the usual strength of each context in words as frequent as one.

        Parameters
        ----------
        place
            The place of the word.
        """
        usual: Doubles = self.means[self.band[place]].astype(np.float64)
        return usual


def bands(frequencies: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the band of each word, by rank of frequency.

    Parameters
    ----------
    frequencies
        How often each word occurs; words that occur equally often keep their order.

    Examples
    --------
    >>> bands(np.arange(300, 0, -1))[[0, 63, 64, 127, 128, 255, 256]].tolist()
    [0, 0, 1, 1, 2, 2, 3]
    """
    rank = np.empty(len(frequencies), dtype=np.int64)
    rank[np.argsort(-frequencies, kind="stable")] = np.arange(len(frequencies))
    # Whole numbers below 2^53 have exact exponents.
    found = np.frexp((rank // FIRST).astype(np.float64))[1].astype(np.int64)
    return np.minimum(found, BANDS - 1)


def background_of(
    association: Association | SidedAssociation, frequencies: NDArray[np.int64], threads: int
) -> Background:
    """Compute what is usual in one pass over an association matrix.

    Parameters
    ----------
    association
        The matrix.
    frequencies
        How often the word of each row occurs.
    threads
        Threads, on which the result does not depend.
    """
    band = bands(frequencies)
    used = int(band.max()) + 1 if len(band) else 0
    groups = np.zeros(used + 1, dtype=np.int64)
    np.cumsum(np.bincount(band, minlength=used), out=groups[1:])
    order = np.argsort(band, kind="stable")
    parts = [part.sparse(threads) for part in association.parts]
    lengths = np.sqrt(sum(part.row_lengths(threads) ** 2 for part in parts))
    found = []
    for part, matrix in zip(parts, association.parts, strict=True):
        means = np.empty((used, matrix.shape[1]), dtype=np.float32)
        part.unit_means(lengths, order, groups, means, threads)
        found.append(means)
    return Background(band, found[0] if len(found) == 1 else np.concatenate(found, axis=1))
