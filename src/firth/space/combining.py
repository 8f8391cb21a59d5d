"""Make vectors from factors: the exponent of the spectrum, and the vectors of contexts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.text.vocabulary import Vocabulary

Floats = NDArray[np.float32]

COMBINE = ("words", "sum", "mean", "concat")


@dataclass(frozen=True, eq=False)
class Factors:
    """U, Σ and V of a factorisation, and how vectors are made from them.

    A word's vector is its row of U Σ^beta, of length one; `combine` may add or append `weight`
    times the row of V Σ^beta of the same word as a context, likewise of length one. With ``mean``
    both rows keep their lengths until they are added.

    Attributes
    ----------
    left, values, right
        U, the diagonal of Σ, and V, with a row for each column of the matrix.
    beta, combine, weight
        See above.
    placed
        For the last words, which were placed in the space after the fit, their rows as contexts;
        None if there are no such words.
    biases
        What rows and columns add to the model, where a method has such biases.
    """

    left: Floats
    values: NDArray[np.float64]
    right: Floats | None
    beta: float = 0.0
    combine: str = "words"
    weight: float = 1.0
    placed: Floats | None = None
    biases: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def __post_init__(self) -> None:
        """Check `combine`, and that `beta` and `weight` are finite."""
        if self.combine not in COMBINE:
            raise FirthError(
                f"`combine` must be one of {', '.join(COMBINE)}, not {self.combine!r:.40}"
            )
        for name, value in (("beta", self.beta), ("weight", self.weight)):
            if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(value):
                raise FirthError(f"`{name}` must be a finite number, not {value!r:.40}")

    def having(
        self, beta: float | None = None, combine: str | None = None, weight: float | None = None
    ) -> Factors:
        """Return the same factors with other settings, where they are given."""
        given = {"beta": beta, "combine": combine, "weight": weight}
        changed: dict[str, Any] = {name: v for name, v in given.items() if v is not None}
        return replace(self, **changed)

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return {"beta": self.beta, "combine": self.combine, "weight": self.weight}


def shares_words(words: Collection[str], contexts: Vocabulary | None, columns: int) -> bool:
    """Return True if every word is also a context, in one block of columns or in two sides."""
    return (
        contexts is not None
        and columns in (len(contexts), 2 * len(contexts))
        and (contexts is words or all(word in contexts for word in words))
    )


def combined(factors: Factors, words: Vocabulary, contexts: Vocabulary | None) -> Floats:
    """Make the vectors that the factors' settings ask for, each of length one."""
    if factors.combine == "words":
        return vectors_of(factors, factors.left, factors.left)
    right, placed = factors.right, factors.placed
    fitted = words if placed is None else words.words[: len(words) - len(placed)]
    if right is None or contexts is None or not shares_words(fitted, contexts, len(right)):
        raise FirthError(
            f"`combine={factors.combine!r}` needs every word as a context too: count with the same "
            "vocabulary for both, or use `combine='words'`"
        )
    places = np.array([contexts[word] for word in fitted], dtype=np.int64)
    blocks = range(0, len(right), len(contexts))
    # The vectors of a context on either side of a word are added up.
    both = sum((right[places + first] for first in blocks[1:]), right[places + blocks[0]])
    if placed is not None:
        both = np.concatenate([both, placed])
    return vectors_of(factors, factors.left, both)


def vectors_of(factors: Factors, left: Floats, others: Floats) -> Floats:
    """Make vectors of rows of U, and of the rows of V of the same words, as `Factors` says."""
    powers = np.where(factors.values > 0, factors.values, 1.0) ** factors.beta
    if factors.combine == "mean":
        both = left + np.float32(factors.weight) * others
        return unit_rows(both * powers.astype(np.float32))
    own = unit_rows(left * powers.astype(np.float32))
    if factors.combine == "words":
        return own
    other = unit_rows(others * powers.astype(np.float32))
    other *= np.float32(factors.weight)
    if factors.combine == "sum":
        return unit_rows(own + other)
    return unit_rows(np.concatenate([own, other], axis=1))


def unit_rows(vectors: Floats) -> Floats:
    """Scale every row to length one; zero rows stay zero.

    Examples
    --------
    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
    return np.ascontiguousarray(vectors / lengths[:, None].astype(np.float32))
