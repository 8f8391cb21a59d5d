"""What people write short in a question, spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError

Floats = NDArray[np.float32]
# What gensim calls a key, or a vector in its place; with a weight where several are mixed.
Key = str | int | Floats
Weighted = Key | tuple[Key, float]
Keys = Key | Sequence[Weighted] | None


def weighted(keys: Any, weight: float) -> list[tuple[Key, float]]:
    """List keys with their weights; `weight` is for those that come without one.

    Examples
    --------
    >>> weighted("rose", 1.0), weighted(["rose", ("tulip", 0.5)], -1.0), weighted(None, 1.0)
    ([('rose', 1.0)], [('rose', -1.0), ('tulip', 0.5)], [])
    """
    if keys is None:
        return []
    if is_name(keys) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
        keys = [keys]
    return [(key[0], float(key[1])) if isinstance(key, tuple) else (key, weight) for key in keys]


def is_name(key: object) -> TypeGuard[str | int]:
    """Whether a key is a word or the place of one, and not a vector."""
    return isinstance(key, str | int | np.integer)


def as_vector(values: Any, dimensions: int) -> Floats:
    """Take a vector of somebody's, or say why it is none of this space."""
    vector = np.asarray(values, dtype=np.float32)
    if vector.shape != (dimensions,):
        raise FirthError(f"a vector here has {dimensions} numbers, not {vector.shape}")
    if not np.all(np.isfinite(vector)):
        raise FirthError("a number of the vector is not finite")
    return vector
