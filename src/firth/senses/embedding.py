"""Dense vectors of senses: rows of senses beside those of words, factorised together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from firth.association import Association
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.methods import SVD
from firth.methods.method import Method
from firth.resources import Resources
from firth.senses.learning import ppmi
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from firth.senses.senses import Senses


def association(
    senses: Senses, counts: Counts, *, keep_words: bool = True, resources: Resources | None = None
) -> Association:
    """Return the association of words and senses with contexts, to be factorised.

    The words come first, as they are in the counts, then the senses, whose frequency is their share
    of their word's.

    Parameters
    ----------
    senses
        The senses.
    counts
        Those from which they were learnt.
    keep_words
        Whether the rows of divided words stay beside those of their senses.
    resources
        Threads.
    """
    used = resources or Resources()
    matrix = ppmi(counts, float(senses.recipe["method"]["alpha"]), used)
    if matrix.words != senses.words:
        raise FirthError("the senses were learnt from other counts: give those")
    known = senses.words
    taken = next((name for name in senses.names if name in known), None)
    if taken is not None:
        raise FirthError(f"{taken!r} is a word of the counts already: count without it")
    kept = np.ones(len(known), dtype=np.bool_)
    if not keep_words:
        kept[senses.places] = False
    lengths = np.where(kept, np.diff(matrix.starts), 0)
    cells = np.repeat(kept, np.diff(matrix.starts))
    own = [known.words[place] for place in np.flatnonzero(kept).tolist()]
    words = Vocabulary.unchecked(
        (*own, *senses.names), np.concatenate([known.frequencies[kept], _frequencies(senses)])
    )
    counted = np.concatenate([lengths[kept], np.diff(senses.starts)])
    return Association(
        np.concatenate([[0], np.cumsum(counted)]),
        np.concatenate([matrix.columns[cells], senses.columns]),
        np.concatenate([matrix.values[cells], senses.values]),
        (len(words), len(known)),
        words,
        known,
    )


def _frequencies(senses: Senses) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the share of each sense in the frequency of its word."""
    sums = senses.sums
    counts = np.diff(senses.first)
    totals = np.add.reduceat(sums, senses.first[:-1])
    whole = np.repeat(senses.words.frequencies[senses.places], counts)
    shares = sums / np.repeat(totals, counts)
    out: np.ndarray[tuple[int], np.dtype[np.int64]] = np.rint(whole * shares).astype(np.int64)
    return out


def check_method(method: Method) -> None:
    """Raise if a method cannot factorise an association."""
    if Association not in method.takes:
        raise FirthError(
            f"{method.name} does not take an association: use a method that does, as `method='svd'`"
        )


def embed(
    senses: Senses,
    counts: Counts,
    method: Method | None,
    *,
    keep_words: bool,
    resources: Resources | None,
) -> Space:
    """Learn a space of words and senses; see `Senses.embed`."""
    chosen = SVD() if method is None else method
    check_method(chosen)
    used = resources or Resources()
    matrix = association(senses, counts, keep_words=keep_words, resources=used)
    space = chosen.fit(matrix, resources=used)
    space.recipe["senses"] = senses.recipe["method"]
    return space
