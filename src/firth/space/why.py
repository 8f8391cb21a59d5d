"""Why two words are close: the contexts that they share, each with its share of the similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError, StoreError
from firth.ties import TIE, ranking

if TYPE_CHECKING:
    from firth.space.space import Space


@dataclass(frozen=True)
class Explanation:
    """What two words have in common.

    With a and b the association rows of the words, context c contributes a_c b_c / (‖a‖ ‖b‖); the
    contributions of all contexts add up to `explicit`, the cosine of the rows, which stands beside
    `similarity`, the cosine of the vectors.
    """

    a: str
    b: str
    similarity: float
    explicit: float
    shared: int  # contexts that both have
    contexts: list[tuple[str, float]]  # by falling contribution

    def __str__(self) -> str:
        lines = [
            f"{self.a} and {self.b}: cosine of the vectors {self.similarity:.3f}, of the rows "
            f"{self.explicit:.3f}, over {self.shared:,} shared contexts"
        ]
        width = max((len(context) for context, _ in self.contexts), default=0)
        lines += [f"  {context:<{width}}  {part:.4f}" for context, part in self.contexts]
        return "\n".join(lines)


def explain(space: Space, a: str, b: str, top: int) -> Explanation:
    """Break the cosine of two association rows into the contributions of their contexts."""
    if space.association is None or space.contexts is None:
        remedy = "fit it again without --no-association"
        if "counts" not in space.recipe:  # vectors from elsewhere
            remedy = "only one that firth fit made of counts does"
        raise FirthError(f"this space keeps no association to explain with: {remedy}")
    rows = [_row(space.association, space.get_index(word)) for word in (a, b)]
    lengths = [float(np.linalg.norm(values)) for _, values in rows]
    shared, in_a, in_b = np.intersect1d(
        rows[0][0], rows[1][0], assume_unique=True, return_indices=True
    )
    scale = (lengths[0] * lengths[1]) or 1.0
    parts = rows[0][1][in_a] * rows[1][1][in_b] / scale
    order = ranking(parts, slack=TIE * float(parts.max(initial=0.0)))[: max(top, 0)]
    names = [_context_name(space, int(shared[place])) for place in order]
    return Explanation(
        a,
        b,
        space.similarity(a, b),
        float(parts.sum()),
        len(shared),
        list(zip(names, parts[order].tolist(), strict=True)),
    )


def _row(matrix: Association, place: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return a row, which comes from a file, after seeing that it is one."""
    columns, values = matrix.row(place)
    rising = bool((np.diff(columns) > 0).all())
    if len(columns) and not (rising and columns[0] >= 0 and columns[-1] < matrix.shape[1]):
        raise StoreError(f"row {place:,} of the association is damaged: fit the space again")
    if not np.isfinite(values).all():
        raise StoreError(f"row {place:,} of the association is not finite: fit the space again")
    return columns, values.astype(np.float64)


def _context_name(space: Space, column: int) -> str:
    if space.contexts is None:
        raise FirthError("this space keeps no contexts")
    block, context = divmod(column, len(space.contexts))
    offsets = space.recipe.get("offsets") or []
    word = space.contexts.words[context]
    return f"{word}{offsets[block]:+d}" if offsets else word
