"""Vectors of words that a space has not seen, from a few counts of their contexts.

A weighted factorisation minimises, for each row of counts, a weighted sum of squares that depends
on no other row once the vectors of contexts are known. A new word's row u is the minimiser with the
contexts V fixed, by the targets and weights of the fit (`firth.methods.Weighted`):

    Σ_seen x^p (u · v_j - t_j)²  +  Σ_seen z y_j (u · v_j - t_j)²  +  Σ_unseen z y_j (u · v_j)²
        +  Σ_all (λ y_j + z μ_j) (u · v_j)²

where t_j is log(1 + the ratio of x to what frequencies lead one to expect). With H the Gram matrix
of the seen contexts by x^p and A that of all terms, the trace of A⁻¹H tells how many of the
dimensions the word's own contexts settle; the unseen pairs and the ridge settle the rest
(D. MacKay, 1992, Bayesian interpolation, calls it the number of well-determined parameters).

Where the window is symmetric, a word is a context of others as often as they are contexts of it, so
the same counts give its vector as a context, with the words U fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.linalg.frames import grams
from firth.linalg.products import Blocks, one_blas_thread
from firth.resources import Resources
from firth.space.combining import vectors_of
from firth.space.marginals import Marginals, raised_to, total
from firth.space.new_rows import NewRow, new_rows
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from firth.counts.matrix import Counts
    from firth.space.space import Space

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

# Below this share of the seen pairs' weight, the other terms do not settle the other dimensions.
_SLIGHT = 1e-9
_TOGETHER = 4096  # contexts that are taken at a time
_LOST = 1e-12  # of the largest eigenvalue: directions that nothing settles


@dataclass(frozen=True, eq=False)
class Placed:
    """Words that were placed in a space, and how sure their vectors are.

    Attributes
    ----------
    words
        The words; the frequencies are those of the counts, 0 where they are unknown.
    vectors
        A float32 row for each word, made as the vectors of the space are.
    contexts
        How many contexts each word was placed by.
    settled
        How many of the dimensions these contexts settle, from 0 up to the dimensions of the space.
    left, others
        The words' rows of the factors, as words and as contexts; see `firth.space.combining`.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat drinks milk", "the dog drinks water", "the sun warms the stone"]
    >>> space = firth.methods.Weighted(dim=3).fit(firth.count(lines, window=3, min_count=1))
    >>> placed = space.place({"kitten": {"drinks": 1, "milk": 0.5}, "pup": {"unknown": 1}})
    >>> placed.words.words, placed.contexts.tolist(), placed.vectors.shape
    (('kitten', 'pup'), [2, 0], (2, 3))
    >>> (placed.leverage > 0).tolist()
    [True, False]
    """

    words: Vocabulary
    vectors: Floats
    contexts: NDArray[np.int64]
    settled: Doubles
    left: Floats
    others: Floats

    def __repr__(self) -> str:
        return f"Placed({len(self.words):,} words × {self.vectors.shape[1]} dimensions)"

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, word: str) -> Floats:
        """Return the vector of a word."""
        vector: Floats = self.vectors[self.words[word]]
        return vector

    @property
    def leverage(self) -> Doubles:
        """Which share of the dimensions the contexts of each word settle, from 0 to 1."""
        share: Doubles = self.settled / self.left.shape[1]
        return share


@dataclass(frozen=True, eq=False)
class _Side:
    """What the least squares of a new row need of the columns, or of a new column of the rows.

    A row whose counts sum to f has the factor `factor` / f^alpha, and weighs `weight` · f^unseen.
    """

    fixed: Floats
    gram: Doubles  # of the fixed side, by the weights of unseen pairs
    ridge: Doubles  # the same by the ridges
    factors: Doubles
    weights: Doubles
    factor: float
    weight: float
    known: Marginals

    @classmethod
    def of(cls, known: Marginals, fixed: Floats, blocks: Blocks, turned: bool = False) -> _Side:
        """Lay out what new rows need, or new columns, `fixed` being the factor of the others."""
        sides = known.sides()
        own, other = sides[::-1] if turned else sides
        one = int(np.argmax(own.frequencies))  # what is left is the same for every row
        often = own.frequencies[one : one + 1]
        gram, ridge = grams(blocks, fixed, other.weights, other.ridges)
        return cls(
            fixed,
            gram,
            ridge,
            other.factors,
            other.weights,
            float(own.factors[one] * raised_to(often, known.alpha)[0]),
            float(own.weights[one] / (raised_to(often, known.unseen)[0] or 1.0)),
            known,
        )

    def solve(
        self, columns: NDArray[np.int64], counts: Doubles, frequency: float
    ) -> tuple[Doubles, float]:
        """Return a new row in the coordinates of the fixed side, and how much of it is settled."""
        known = self.known
        z = self.weight * frequency**known.unseen if known.unseen_share else 1.0
        spread = z if known.unseen_share else 0.0  # what unseen pairs weigh, but for y
        own = self.factor / frequency**known.alpha
        width = self.fixed.shape[1]
        heavy, goal, weight = np.zeros((width, width)), np.zeros(width), 0.0
        for begin in range(0, len(columns), _TOGETHER):
            some = columns[begin : begin + _TOGETHER]
            x, rows = counts[begin : begin + _TOGETHER], self.fixed[some].astype(np.float64)
            seen = x**known.seen
            targets = np.log1p(x * own * self.factors[some])
            heavy += (rows.T * seen) @ rows
            goal += rows.T @ ((seen + spread * self.weights[some]) * targets)
            weight += float(seen.sum())
        every = float(self.weights.sum())
        drawn = known.ridge * (weight + spread * every) / total(self.weights)
        return _solved(heavy, (spread + drawn) * self.gram + z * self.ridge, goal)


def _solved(heavy: Doubles, rest: Doubles, goal: Doubles) -> tuple[Doubles, float]:
    """Solve (heavy + rest) x = goal; also return the trace of (heavy + rest)⁻¹ heavy."""
    out = np.zeros(len(goal))
    # Dimensions beyond the rank of the space have no vectors.
    live = np.flatnonzero(np.diagonal(rest) + np.diagonal(heavy) > 0)
    heavy, rest, goal = heavy[np.ix_(live, live)], rest[np.ix_(live, live)], goal[live]
    if not len(live):
        return out, 0.0
    both = heavy + rest
    if np.diagonal(rest).min() > _SLIGHT * np.diagonal(both).max():
        found = np.linalg.solve(both, np.column_stack([goal, heavy]))
        out[live] = found[:, 0]
        return out, float(np.trace(found[:, 1:]))
    inverse = np.linalg.pinv(both, rcond=_LOST, hermitian=True)  # the shortest of the minimisers
    out[live] = inverse @ goal
    return out, float(np.sum(inverse * heavy))


def place(
    space: Space, contexts: Counts | Mapping[str, Any], resources: Resources | None = None
) -> Placed:
    """Find vectors of new words; see `Space.place`."""
    factors, known = space.factors, space.marginals
    if space.views is not None:
        raise FirthError(
            f"this space has several views: say by `view` which of them has the words: "
            f"{', '.join(space.views.names)}"
        )
    if factors is None or factors.right is None or known is None or space.contexts is None:
        raise FirthError(
            "this space cannot place new words, because it keeps no sums of its counts: fit them "
            "with the method weighted, the default"
        )
    used = resources or Resources()
    rows = new_rows(space, contexts)
    scale = np.where(factors.values > 0, factors.values, np.inf)
    left = np.zeros((len(rows), len(scale)), dtype=np.float32)
    others = np.zeros_like(left)
    settled = np.zeros(len(rows))
    with one_blas_thread(used.threads) as blocks:
        words = _Side.of(known, factors.right, blocks)
        solve = _as_context(space, blocks)
        with ThreadPoolExecutor(used.threads) as pool:
            solved = pool.map(lambda row: (_as_word(words, row), solve(row)), rows)
            for place_, ((own, sure), other) in enumerate(solved):
                left[place_], others[place_] = own / scale, other / scale
                settled[place_] = sure
    finite = np.isfinite(left).all(axis=1) & np.isfinite(others).all(axis=1)
    if not finite.all():
        word = rows[int(np.argmin(finite))].word
        raise FirthError(f"the vector of {word!r} is not finite: its counts are too large")
    named = Vocabulary([row.word for row in rows], [row.occurrences for row in rows])
    distinct = np.array([row.distinct for row in rows], dtype=np.int64)
    return Placed(named, vectors_of(factors, left, others), distinct, settled, left, others)


def _as_word(side: _Side, row: NewRow) -> tuple[Doubles, float]:
    """Solve for a new row; without counts it is zero, as in a fit."""
    if not row.frequency:
        return np.zeros(side.fixed.shape[1]), 0.0
    return side.solve(row.columns, row.counts, row.frequency)


def _as_context(space: Space, blocks: Blocks) -> Callable[[NewRow], Doubles]:
    """Return what solves for a new word as a context, the sum over all blocks of columns."""
    factors, known, contexts = space.factors, space.marginals, space.contexts
    assert factors is not None
    assert factors.right is not None
    assert known is not None
    assert contexts is not None
    width, right = len(contexts), factors.right
    side = None
    if known.mirrored:
        fitted = factors.left[: len(known.row_frequencies)]
        side = _Side.of(known, fitted, blocks, turned=True)
    nothing = np.zeros(right.shape[1])

    def solve(row: NewRow) -> Doubles:
        place = contexts.index.get(row.word)
        if place is not None:  # it is a context already
            return np.asarray(right[place::width].sum(axis=0, dtype=np.float64) * factors.values)
        if side is None or not row.frequency:
            return nothing
        found = (side.solve(at, counts, row.frequency)[0] for at, counts in _mirrored(row, width))
        return np.asarray(sum(found, nothing))

    return solve


def _mirrored(row: NewRow, width: int) -> Iterator[tuple[NDArray[np.int64], Doubles]]:
    """Yield the rows and counts of the new word's column of each block."""
    for block in np.unique(row.columns // width):
        inside = row.columns // width == block
        yield row.columns[inside] % width, row.counts[inside]
