"""gensim's `KeyedVectors`: objects to and from firth; gensim's own file is only written.

gensim saves pickles, which firth never loads. In gensim, ``save_word2vec_format`` writes a file
that firth reads.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError, need_extra
from firth.space.formats.table import VectorTable, check


def to_gensim(table: VectorTable) -> Any:
    """Return a `gensim.models.KeyedVectors` of a table; frequencies become its ``count``."""
    try:
        from gensim.models import KeyedVectors
    except ImportError as error:
        raise need_extra("gensim", "gensim") from error
    check(table)
    keyed = KeyedVectors(vector_size=table.vectors.shape[1], dtype=np.float32)
    keyed.add_vectors(list(table.words), table.vectors.copy())
    if table.frequencies is not None:
        for word, count in zip(table.words, table.frequencies.tolist(), strict=True):
            keyed.set_vecattr(word, "count", count)
    return keyed


def from_gensim(keyed: Any) -> VectorTable:
    """Return the words and vectors of a `gensim.models.KeyedVectors`, or of a model's ``wv``.

    They are copied: the table does not change with the object.
    """
    if not hasattr(keyed, "index_to_key") and hasattr(keyed, "wv"):
        keyed = keyed.wv
    try:
        words = tuple(keyed.index_to_key)
        stored = np.asarray(keyed.vectors)
    except (AttributeError, TypeError, ValueError) as error:
        raise FirthError(f"a {type(keyed).__name__} is not gensim's KeyedVectors") from error
    if stored.dtype.kind not in "fiu":
        raise FirthError(
            f"vectors of {stored.dtype} are not numbers: convert them to float32 first"
        )
    with np.errstate(over="ignore"):  # what becomes infinite is refused by `check`
        vectors = np.array(stored, np.float32)
    return check(VectorTable(words, vectors, _counts(keyed, len(words))))


def _counts(keyed: Any, size: int) -> NDArray[np.int64] | None:
    """Return the counts if every word has one.

    If some words have no count, gensim has 0 for them, or an array of other objects.
    """
    attributes = getattr(keyed, "expandos", None)
    counts = attributes.get("count") if isinstance(attributes, dict) else None
    try:
        found = np.asarray(counts)
    except ValueError:  # rows of unequal length
        return None
    return found.astype(np.int64) if found.dtype.kind in "iu" and found.shape == (size,) else None


def write_gensim(table: VectorTable, file: IO[bytes]) -> None:
    """Write gensim's own file; always a single one, so that it appears whole."""
    to_gensim(table).save(file)
