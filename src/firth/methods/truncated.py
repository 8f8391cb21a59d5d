"""Methods that take the leading vectors of one matrix.

The first dimensions do not depend on how many there are, so a smaller space derives from a larger
one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.counts.matrix import Counts
from firth.methods.method import CELL, Factorisation, Method
from firth.parameters import parameter
from firth.space.combining import Factors, combined, shares_words
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

BASIS = 5  # Lanczos vectors for each dimension, as seen on real counts


@dataclass(frozen=True, kw_only=True)
class Truncated(Method):
    """What the methods of singular vectors and of eigenvectors share."""

    derived: ClassVar[tuple[str, ...]] = ("dim",)

    def is_symmetric(self, source: Counts | Association) -> bool:
        """Return whether the matrix to factorise is known to be its own transpose."""
        del source
        return False

    def memory(self, source: Counts | Association) -> int:
        """Estimate the bytes of the matrix, of its transpose where it has one, and of the factors.

        For a matrix that is not symmetric, the solver has a basis for either side.
        """
        sides = 1 if self.is_symmetric(source) else 2
        rows = sum(source.shape) * sides // 2
        basis = min(BASIS * self.dim, *source.shape) + 64
        # A basis is copied when it grows by half.
        dense = 4 * rows * (basis * 3 // 2) + 8 * sum(source.shape) * self.dim
        own = 0 if isinstance(source, Association) else 1  # it is factorised as it is
        return CELL * (own + sides - 1) * source.nnz + dense

    def derive(self, fitted: Space) -> Space:
        """Make the space of this method from one that has at least its dimensions."""
        factors = fitted.factors
        assert factors is not None
        dim = min(self.dim, len(factors.values))
        right = None if factors.right is None else factors.right[:, :dim]
        columns = 0 if right is None else len(right)
        settings = self.combining(fitted.words, fitted.contexts, columns)
        cut = Factors(
            factors.left[:, :dim], factors.values[:dim], right, biases=factors.biases, **settings
        )
        vectors = combined(cut, fitted.words, fitted.contexts)
        recipe = {**fitted.recipe, "method": self.settings(), "combining": cut.settings()}
        return replace(fitted, vectors=vectors, factors=cut, recipe=recipe)


def tolerance() -> Any:
    """Make the field of the tolerance of a solver."""
    return parameter(
        1e-4,
        "Largest residual of a factor, relative to the largest singular value or eigenvalue.",
        above=0,
    )


def combining(
    method: Any, words: Vocabulary, contexts: Vocabulary | None, columns: int, blocks: int = 1
) -> dict[str, Any]:
    """Return the settings of `Factors` of a method with `beta`, `combine` and `weight`.

    By default contexts are added only if they have no more than so many `blocks` of columns.
    """
    combine = method.combine
    if combine == "auto":
        known = contexts is not None and columns <= blocks * len(contexts)
        combine = "sum" if known and shares_words(words, contexts, columns) else "words"
    return {"beta": method.beta, "combine": combine, "weight": method.weight}


def factorisation(
    left: NDArray[np.float32], right: NDArray[np.float32] | None, found: Any
) -> Factorisation:
    """Convert the result of a solver, with its residuals."""
    largest = max(float(np.abs(found.values).max()), 1e-300)
    diagnostics = {
        "largest_residual": float(found.residuals.max() / largest),
        "converged": bool(found.converged),
    }
    return Factorisation(left, found.values, right, diagnostics)
