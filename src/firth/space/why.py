"""Why two words are close: the contexts that stand out in both, and what each adds to the cosine.

Every word's row of the association matrix is scaled to length one; the cosine of two words is then
the sum over contexts c of a_c b_c. The usual strength u_c of a context is its mean over the words
that are as frequent as the word (see `firth.space.background`). With u and v for the usual
strengths of either word,

    a_c b_c = (a_c - u_c) (b_c - v_c)  +  (a_c v_c + u_c b_c - u_c v_c).

The first term is the part of the context: it is large where both words are much stronger than usual
in it, and near zero where either is as usual, as nearly every word is in the contexts "the" and
"of". The second, summed over all contexts, is the usual part: what each word shares with the mean
word of the other's frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.blocks import column_name
from firth.errors import FirthError, StoreError
from firth.space.why_table import table, weighing
from firth.ties import TIE, ranking

if TYPE_CHECKING:
    from firth.space.space import Space

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class SharedContext:
    """A context, and how strong it is in each of the words.

    Attributes
    ----------
    context
        The context; with its offset or side, as in ``rose+1`` or ``rose (left)``, where these were
        counted apart.
    part
        What it adds to the cosine, or to the difference of two cosines, beyond what is usual.
    strengths
        Its association with each word.
    usual
        Its mean association with words as frequent as each word.
    """

    context: str
    part: float
    strengths: tuple[float, ...]
    usual: tuple[float, ...]


@dataclass(frozen=True)
class Explanation:
    """Why two words are close.

    `explicit` is the sum of `usual`, the parts of `own` and `contexts`, `more` and `rest`.

    Attributes
    ----------
    a, b
        The words.
    similarity
        The cosine of their vectors.
    explicit
        The cosine of their rows of the association matrix.
    usual
        The part of it that is usual for words of their frequencies.
    own
        First order: the two words themselves as contexts, so how strong each is near the other.
    contexts
        Second order: other contexts that are stronger than usual in both words, by falling part.
    more
        The sum of the parts of such contexts that are not listed.
    rest
        The sum of the parts of all other contexts.
    distinctive
        How many contexts are stronger than usual in both words.
    shared
        How many contexts both words have.
    seen
        Where the fit weighed pairs: which share of the weight of each word's row is on contexts
        that were seen with the word. On all others the vectors are drawn to zero. Else None.
    """

    a: str
    b: str
    similarity: float
    explicit: float
    usual: float
    own: list[SharedContext]
    contexts: list[SharedContext]
    more: float
    rest: float
    distinctive: int
    shared: int
    seen: tuple[float, ...] | None = None

    def __str__(self) -> str:
        listed = sum(each.part for each in self.contexts)
        lines = [
            f"{self.a} and {self.b}: cosine of the vectors {self.similarity:z.3f}, "
            f"of the association rows {self.explicit:z.3f}",
            *weighing((self.a, self.b), self.seen),
            f"{self.usual:z8.3f}  usual for words as frequent as these",
            f"{_total(self.own):z8.3f}  the words as contexts of each other",
            f"{listed + self.more:z8.3f}  {_contexts(self.distinctive)} stronger than usual in "
            "both",
            f"{self.rest:z8.3f}  the other contexts",
        ]
        unlisted = self.distinctive - len(self.contexts)
        more = f"{_contexts(unlisted)} more, {self.more:.4f} together" if unlisted else ""
        groups = [
            ("near each other:", self.own, ""),
            ("stronger than usual in both:", self.contexts, more),
        ]
        return "\n".join([*lines, *table((self.a, self.b), groups)])


@dataclass(frozen=True)
class Contrast:
    """Why a word is closer to one word than to another.

    The difference of the two values of `explicit` is the sum of `usual`, the parts of `own`,
    `closer` and `farther`, and `rest`.

    Attributes
    ----------
    a, b, other
        The word, and the two that it is compared with.
    similarity
        The cosines of the vectors of `a` and `b`, and of `a` and `other`.
    explicit
        The same of their rows of the association matrix.
    usual
        The part of the difference that is usual for words of their frequencies.
    own
        The three words themselves as contexts.
    closer
        Contexts stronger than usual in `a` and `b`, by falling part: they speak for `b`.
    farther
        Contexts stronger than usual in `a` and `other`, by rising part: they speak for `other`.
    rest
        The sum of the parts of all other contexts.
    seen
        As in `Explanation`.
    """

    a: str
    b: str
    other: str
    similarity: tuple[float, float]
    explicit: tuple[float, float]
    usual: float
    own: list[SharedContext]
    closer: list[SharedContext]
    farther: list[SharedContext]
    rest: float
    seen: tuple[float, ...] | None = None

    def __str__(self) -> str:
        difference = self.explicit[0] - self.explicit[1]
        lines = [
            f"{self.a} with {self.b} rather than {self.other}: cosine of the vectors "
            f"{self.similarity[0]:z.3f} against {self.similarity[1]:z.3f}, of the association rows "
            f"{self.explicit[0]:z.3f} against {self.explicit[1]:z.3f}",
            *weighing((self.a, self.b, self.other), self.seen),
            f"{difference:+z8.3f}  the difference of the rows' cosines, of which",
            f"{self.usual:+z8.3f}  usual for words as frequent as these",
            f"{_total(self.own):+z8.3f}  the words as contexts of each other",
            f"{_total(self.closer):+z8.3f}  contexts listed for {self.b}",
            f"{_total(self.farther):+z8.3f}  contexts listed for {self.other}",
            f"{self.rest:+z8.3f}  the other contexts",
        ]
        groups = [
            ("near each other:", self.own, ""),
            (f"for {self.b}:", self.closer, ""),
            (f"for {self.other}:", self.farther, ""),
        ]
        return "\n".join([*lines, *table((self.a, self.b, self.other), groups)])


@dataclass(frozen=True, eq=False)
class _Row:
    """A word's row of the association matrix, and what is usual for its frequency."""

    columns: NDArray[np.int32]
    values: Doubles  # of length one
    usual: Doubles  # of every column
    length: float

    def full(self) -> Doubles:
        """Return the value of every column."""
        out = np.zeros(len(self.usual))
        out[self.columns] = self.values
        return out


def explain(
    space: Space, a: str, b: str, top: int, contrast: str | None = None
) -> Explanation | Contrast:
    """Explain why a word is close to another, or closer than to a third.

    Parameters
    ----------
    space
        Words, vectors and association.
    a, b
        The words.
    top
        How many contexts to list.
    contrast
        The third word.
    """
    if contrast is None:
        return _explanation(space, a, b, top)
    if contrast in (a, b):
        raise FirthError(f"`contrast` must be a third word, not {contrast!r}")
    return _contrast(space, (a, b, contrast), top)


def _explanation(space: Space, a: str, b: str, top: int) -> Explanation:
    """Break the cosine of two association rows into the parts of their contexts."""
    rows = _rows(space, (a, b))
    full = [row.full() for row in rows]
    parts, both = _parts(rows, full)
    own = _own_columns(space, (a, b))
    explicit = float(full[0] @ full[1])
    usual = explicit - float(parts.sum())
    both[own] = False
    found = np.flatnonzero(both)
    order = found[_ranked(parts[found])]
    listed = order[: max(top, 0)]
    return Explanation(
        a,
        b,
        space.similarity(a, b),
        explicit,
        usual,
        _shared(space, rows, full, own[parts[own] != 0], parts),
        _shared(space, rows, full, listed, parts),
        float(parts[order[len(listed) :]].sum()),
        float(parts[~both].sum() - parts[own].sum()),
        len(found),
        int(np.count_nonzero((full[0] != 0) & (full[1] != 0))),
        _seen(space, (a, b), rows),
    )


def _contrast(space: Space, words: tuple[str, str, str], top: int) -> Contrast:
    """Break the difference of two cosines into the parts of their contexts."""
    a, b, other = words
    rows = _rows(space, words)
    full = [row.full() for row in rows]
    with_b, for_b = _parts(rows[:2], full[:2])
    with_other, for_other = _parts(rows[::2], full[::2])
    parts = with_b - with_other
    own = _own_columns(space, words)
    explicit = float(full[0] @ full[1]), float(full[0] @ full[2])
    closer, farther = for_b & (parts > 0), for_other & (parts < 0)
    closer[own] = farther[own] = False
    listed = []
    for chosen, key in ((closer, parts), (farther, -parts)):
        found = np.flatnonzero(chosen)
        listed.append(found[_ranked(key[found])][: max(top, 0)])
    elsewhere = np.ones(len(parts), dtype=bool)
    for places in (own, *listed):
        elsewhere[places] = False
    return Contrast(
        a,
        b,
        other,
        (space.similarity(a, b), space.similarity(a, other)),
        explicit,
        explicit[0] - explicit[1] - float(parts.sum()),
        _shared(space, rows, full, own[parts[own] != 0], parts),
        _shared(space, rows, full, listed[0], parts),
        _shared(space, rows, full, listed[1], parts),
        float(parts[elsewhere].sum()),
        _seen(space, words, rows),
    )


def _ranked(parts: Doubles) -> NDArray[np.intp]:
    """Order parts by falling size; equal ones by the order of their contexts."""
    return ranking(parts, slack=TIE * float(parts.max(initial=0.0)))


def _rows(space: Space, words: Sequence[str]) -> list[_Row]:
    """Return the rows of words, which come from a file, after checking them."""
    association = space.association
    if association is None or space.contexts is None:
        remedy = "fit it again and keep the association"
        if "counts" not in space.recipe:  # vectors from elsewhere
            remedy = "only one that was fitted to counts has it"
        raise FirthError(f"this space has no association matrix to explain with: {remedy}")
    places = [space.get_index(word) for word in words]
    background = space.background
    rows = []
    for word, place in zip(words, places, strict=True):
        columns, values = association.row(place)
        rising = bool((np.diff(columns) > 0).all())
        if len(columns) and not (rising and columns[0] >= 0 and columns[-1] < association.shape[1]):
            raise StoreError(f"the association of {word!r} is damaged: fit the space again")
        usual = background.usual(place)
        if not (np.isfinite(values).all() and np.isfinite(usual).all()):
            raise StoreError(f"the association of {word!r} is not finite: fit the space again")
        wide = values.astype(np.float64)
        length = float(np.linalg.norm(wide)) or 1.0
        rows.append(_Row(columns, wide / length, usual, length))
    return rows


def _parts(rows: Sequence[_Row], full: Sequence[Doubles]) -> tuple[Doubles, NDArray[np.bool_]]:
    """Return the part of every context, and which of them are stronger than usual in both words.

    A context that is usually repelled, as PMI below zero says, must also attract both words.
    """
    excess = [values - row.usual for row, values in zip(rows, full, strict=True)]
    stands_out = [(over > 0) & (values > 0) for over, values in zip(excess, full, strict=True)]
    return excess[0] * excess[1], stands_out[0] & stands_out[1]


def _own_columns(space: Space, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the columns of words that are contexts, at every offset."""
    contexts: Any = space.contexts
    blocks = max(1, len(space.recipe.get("offsets") or []))
    found = [contexts[word] for word in dict.fromkeys(words) if word in contexts]
    return np.array(
        [block * len(contexts) + place for place in found for block in range(blocks)],
        dtype=np.int64,
    )


def _shared(
    space: Space,
    rows: Sequence[_Row],
    full: Sequence[Doubles],
    columns: NDArray[np.int64],
    parts: Doubles,
) -> list[SharedContext]:
    """Describe contexts."""
    return [
        SharedContext(
            _context_name(space, column),
            float(parts[column]),
            tuple(float(v[column] * row.length) for row, v in zip(rows, full, strict=True)),
            tuple(float(row.usual[column] * row.length) for row in rows),
        )
        for column in columns.tolist()
    ]


def _context_name(space: Space, column: int) -> str:
    contexts: Any = space.contexts
    return column_name(contexts.words, tuple(space.recipe.get("offsets") or ()), column)


def _seen(space: Space, words: Sequence[str], rows: Sequence[_Row]) -> tuple[float, ...] | None:
    """Return which share of what each row weighs in the fit is on contexts that were seen."""
    if space.marginals is None:
        return None
    places = [space.get_index(word) for word in words]
    return space.marginals.seen_shares(places, [row.columns for row in rows])


def _total(contexts: Sequence[SharedContext]) -> float:
    return sum((each.part for each in contexts), 0.0)


def _contexts(number: int) -> str:
    return f"{number:,} context{'' if number == 1 else 's'}"
