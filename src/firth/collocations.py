"""Pairs of words that occur together far more often than by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firth.counts.matrix import Counts
from firth.ties import ROUNDING, ranking


def normalized_pmi(counts: Counts) -> NDArray[np.float64]:
    """Score every nonzero cell by its normalised pointwise mutual information.

    npmi(w, c) = log(p(w, c) / (p(w) p(c))) / -log p(w, c), which is 1 for words that never occur
    without each other, 0 for independent ones (G. Bouma, 2009, Normalized (pointwise) mutual
    information in collocation extraction). Returned in the order of the cells.

    Examples
    --------
    >>> import firth
    >>> pairs = firth.count(["ice cream", "ice cream", "hot tea"], window=1, context="right",
    ...                     min_count=1)
    >>> normalized_pmi(pairs).round(3).tolist()
    [1.0, 1.0]
    """
    starts, columns, values = counts.csr()
    joint = values.astype(np.float64)
    rows = np.repeat(np.arange(len(counts.words)), np.diff(starts))
    total = joint.sum()
    of_rows = np.bincount(rows, joint, minlength=counts.shape[0])
    of_columns = np.bincount(columns, joint, minlength=counts.shape[1])
    ratio = np.log(joint * total) - np.log(of_rows[rows] * of_columns[columns])
    surprise = np.log(total) - np.log(joint)
    # If there is one pair only, its probability is 1, and its score is 1 by continuity.
    scores: NDArray[np.float64] = np.ones_like(ratio)
    np.divide(ratio, surprise, out=scores, where=surprise > 0)
    return scores


def collocations(counts: Counts, top: int = 20, least: float = 20) -> list[tuple[str, str, float]]:
    """List the pairs of word and context with the highest normalised PMI.

    Parameters
    ----------
    counts
        Any counts; with ``window=1, context="right"`` the pairs are neighbours in the text.
    top
        How many pairs.
    least
        The least count of a pair: rare pairs score high by chance.

    Returns
    -------
    list of (word, context, score)
        By falling normalised PMI, then in the order of the vocabulary.
    """
    starts, columns, values = counts.csr()
    scores = np.where(values >= least * counts.denominator, normalized_pmi(counts), -np.inf)
    best = ranking(scores, slack=ROUNDING)[:top]
    rows = np.searchsorted(starts, best, side="right") - 1
    return [
        (counts.words.words[row], counts.column_name(column), score)
        for row, column, score in zip(
            rows.tolist(), columns[best].tolist(), scores[best].tolist(), strict=True
        )
        if np.isfinite(score)
    ]
