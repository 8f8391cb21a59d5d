"""The forms in which a question names words and vectors: one, a list, or pairs with weights."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError

Floats = NDArray[np.float32]
# A word, its place, or a vector; with a weight where several are added.
Key = str | int | Floats
Weighted = Key | tuple[Key, float]
Keys = Key | Sequence[Weighted] | None


class EmptyQuestion(FirthError, ValueError, ZeroDivisionError):  # noqa: N818
    """A question that names no words; gensim raises a ValueError or a ZeroDivisionError."""


def weighted(keys: Any, weight: float) -> list[tuple[Key, float]]:
    """List keys with their weights; `weight` is for keys that come without one.

    Examples
    --------
    >>> weighted("rose", 1.0), weighted(["rose", ("tulip", 0.5)], -1.0), weighted(None, 1.0)
    ([('rose', 1.0)], [('rose', -1.0), ('tulip', 0.5)], [])
    """
    if keys is None:
        return []
    if is_name(keys) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
        keys = [keys]
    return [(key[0], _weight(key[1])) if is_pair(key) else (key, weight) for key in keys]


def is_name(key: object) -> TypeGuard[str | int]:
    """Whether a key is a word or the place of one, and not a vector."""
    return isinstance(key, str | int | np.integer)


def is_pair(key: Any) -> bool:
    """Whether this is a key with a weight.

    Examples
    --------
    >>> is_pair(("rose", 0.5)), is_pair(["rose", 2]), is_pair("ab"), is_pair(np.ones(2))
    (True, True, False, False)
    """
    return (
        isinstance(key, tuple | list)
        and len(key) == 2
        and (isinstance(key, tuple) or is_name(key[0]) or isinstance(key[0], np.ndarray))
    )


def _weight(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise FirthError(f"{value!r:.40} is not a weight: give a number") from None


def most(topn: Any) -> int | None:
    """Return how many words are asked for; None asks for the similarities of all words.

    Examples
    --------
    >>> most(10), most(-1), most(False), most(None)
    (10, 0, 0, None)
    """
    if topn is None:
        return None
    try:
        return max(0, index(topn))
    except TypeError:
        raise FirthError(f"`topn` must be a whole number or None, not {topn!r:.40}") from None


def as_vector(values: Any, dimensions: int) -> Floats:
    """Return a vector as float32, or raise if it does not fit a space of these dimensions."""
    try:
        vector = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError):
        raise FirthError(f"{values!r:.60} is not a word, a place or a vector") from None
    if vector.shape != (dimensions,):
        raise FirthError(f"a vector here has {dimensions} numbers, not {vector.shape}")
    if not np.all(np.isfinite(vector)):
        raise FirthError("the vector has a number that is not finite")
    return vector
