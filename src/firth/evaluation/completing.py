"""Complete many analogies at once, in blocks of matrix products.

The questions have few distinct words, so the cosines of these with a block of the vocabulary are
one matrix product; the scores of a question are sums, or products, of three of its rows. Of each
block only scores within the largest possible error of the best are kept, and computed again in
double precision at the end. So answers are exact, ties go to the more frequent word, and nothing
depends on the number of threads.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.linalg.products import one_blas_thread
from firth.space.neighbours import PRODUCT_TIE, SHIFT, refine, rounding, shifted, unit_vector
from firth.ties import TIE, first_of_best

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Places = NDArray[np.int64]

RULES = {"add": "3CosAdd", "cosmul": "3CosMul"}
FORMER_RULES = {"mul": "cosmul"}
WORDS = 1024  # of the vocabulary, in a block
QUESTIONS = 128  # scored at a time: with WORDS of them, half a megabyte
GROUP = 20_000  # questions that share a table of cosines
CROWD = 1024  # so many alike, and a question is answered by itself


def check_rule(rule: str, parameter: str = "rule", known: Sequence[str] = (*RULES,)) -> str:
    """Return the name of a rule; a former name is replaced, with a warning.

    Examples
    --------
    >>> check_rule("cosmul")
    'cosmul'
    """
    if rule in FORMER_RULES:
        now = FORMER_RULES[rule]
        warnings.warn(f"the rule {rule!r} is now called {now!r}", DeprecationWarning, 3)
        return now
    if rule not in known:
        raise FirthError(f"`{parameter}` must be one of {', '.join(known)}, not {rule!r:.40}")
    return rule


@dataclass(frozen=True, eq=False)
class _Group:
    """Questions that share a table of cosines."""

    vectors: Floats
    norms: Floats
    units: Doubles  # of the distinct words
    rows: Places  # questions × 3, into `units`
    excluded: Places  # pairs of question and place, by place
    rule: str

    @property
    def slack(self) -> float:
        """How far a score may be from the exact one, twice over."""
        # 3CosMul is computed in double precision, whose errors SHIFT may enlarge a millionfold.
        exact = 8 * rounding(self.vectors.shape[1]) if self.rule == "add" else 1e-6
        return exact + 4 * TIE  # b - a + c is three long at most


def complete(
    vectors: Floats,
    norms: Floats,
    units: Doubles,
    rows: Places,
    excluded: Places,
    rule: str = "add",
    threads: int = 1,
) -> Places:
    """Return the place of the best answer to each question, -1 where every word is excluded.

    Parameters
    ----------
    vectors, norms
        Of the words that may be answers, and their lengths.
    units
        The vectors of the questions' distinct words, at length one.
    rows
        For each question the rows of a, b and c in `units`.
    excluded
        Pairs of question and place that may not be its answer.
    rule
        ``add`` or ``cosmul``.
    threads
        How many threads to use; the answers do not depend on it.

    Examples
    --------
    >>> vectors = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=np.float32)
    >>> norms = np.linalg.norm(vectors, axis=1).astype(np.float32)
    >>> units = vectors / norms[:, None].astype(np.float64)
    >>> excluded = np.array([[0, 0], [0, 1], [0, 2]])
    >>> complete(vectors, norms, units, np.array([[0, 1, 2]]), excluded).tolist()
    [3]
    """
    found = np.full(len(rows), -1, dtype=np.int64)
    for begin in range(0, len(rows), GROUP):
        span = slice(begin, min(begin + GROUP, len(rows)))
        inside = (excluded[:, 0] >= span.start) & (excluded[:, 0] < span.stop)
        own = excluded[inside] - np.array([begin, 0])
        used, mapped = np.unique(rows[span], return_inverse=True)
        group = _Group(
            vectors, norms, units[used], mapped.reshape(-1, 3).astype(np.int64),
            own[np.argsort(own[:, 1], kind="stable")], rule,
        )  # fmt: skip
        found[span] = _complete_group(group, threads)
    return found


def _complete_group(group: _Group, threads: int) -> Places:
    begins = range(0, len(group.vectors), WORDS)
    shares = [begins[number::threads] for number in range(min(threads, len(begins)) or 1)]
    with one_blas_thread(1), ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda share: _scan(group, share), shares))
    questions = np.concatenate([part.questions for part in parts])
    places = np.concatenate([part.places for part in parts])
    crowded = np.any([part.crowded for part in parts], axis=0)
    order = np.lexsort((places, questions))
    questions, places = questions[order], places[order]
    starts = np.searchsorted(questions, np.arange(len(group.rows) + 1))
    found = np.full(len(group.rows), -1, dtype=np.int64)
    for number in range(len(group.rows)):
        likely = places[starts[number] : starts[number + 1]]
        if crowded[number]:
            likely = np.arange(len(group.vectors))
            out = group.excluded[group.excluded[:, 0] == number, 1]
            likely = likely[~np.isin(likely, out)]
        if len(likely):
            slack = TIE if group.rule == "add" else PRODUCT_TIE
            found[number] = likely[first_of_best(_exact(group, number, likely), slack)]
    return found


class _Likely:
    """What may be the best answer to each question, as blocks of scores come in."""

    def __init__(self, questions: int, slack: float) -> None:
        self._slack = slack
        self.floors = np.full(questions, -np.inf)
        self.crowded = np.zeros(questions, dtype=bool)
        self._kept: list[tuple[Places, Places]] = []
        self._counts = np.zeros(questions, dtype=np.int64)

    def add(self, first: int, begin: int, scores: NDArray[np.floating]) -> None:
        """Take scores of questions from `first` on for words from `begin` on."""
        best = scores.max(axis=1).astype(np.float64)
        span = slice(first, first + len(scores))
        floors = self.floors[span]
        rising = np.flatnonzero((best >= floors) & (best > -np.inf))
        if not len(rising):
            return
        floor = best[rising] - self._slack * np.maximum(np.abs(best[rising]), 1.0)
        floors[rising] = np.maximum(floors[rising], floor)
        rows, columns = np.nonzero(scores[rising] >= floors[rising, None])
        numbers = rising[rows] + first
        self._counts += np.bincount(numbers, minlength=len(self._counts))
        self.crowded |= self._counts > CROWD
        kept = ~self.crowded[numbers]
        self._kept.append((numbers[kept], columns[kept] + begin))

    @property
    def questions(self) -> Places:
        """The questions of what was kept."""
        none = [np.empty(0, dtype=np.int64)]
        return np.concatenate(none + [questions for questions, _ in self._kept])

    @property
    def places(self) -> Places:
        """The places of what was kept."""
        none = [np.empty(0, dtype=np.int64)]
        return np.concatenate(none + [places for _, places in self._kept])


def _scan(group: _Group, begins: range) -> _Likely:
    """Go through some blocks of the vocabulary."""
    likely = _Likely(len(group.rows), group.slack)
    for begin in begins:
        end = min(begin + WORDS, len(group.vectors))
        table, inverse = _table(group, begin, end)
        first, last = np.searchsorted(group.excluded[:, 1], [begin, end])
        out = group.excluded[first:last]
        out = out[np.argsort(out[:, 0], kind="stable")]
        for at in range(0, len(group.rows), QUESTIONS):
            a, b, c = group.rows[at : at + QUESTIONS].T
            block = table[b]
            if group.rule == "add":
                block -= table[a]
                block += table[c]
            else:
                block *= table[c]
                block *= inverse[a]
            low, high = np.searchsorted(out[:, 0], [at, at + len(a)])
            block[out[low:high, 0] - at, out[low:high, 1] - begin] = -np.inf
            likely.add(at, begin, block)
    return likely


def _table(
    group: _Group, begin: int, end: int
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return the cosines of the distinct words with a block; for 3CosMul shifted, and inverted."""
    if group.rule == "add":
        cosines = group.units.astype(np.float32) @ group.vectors[begin:end].T
        cosines /= group.norms[begin:end]
        return cosines, cosines
    between = shifted(group.units @ _wide_units(group.vectors[begin:end]).T)
    return between, 1 / (between + SHIFT)


def _wide_units(vectors: Floats) -> Doubles:
    rows = vectors.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def _exact(group: _Group, number: int, places: Places) -> NDArray[np.floating]:
    """Compute the scores of some words again, as exact as they can be; of 3CosMul the logarithm."""
    a, b, c = group.units[group.rows[number]]
    if group.rule == "add":
        return refine(group.vectors, places, unit_vector(b - a + c))
    with_a, with_b, with_c = (_cosines(group.vectors, places, unit) for unit in (a, b, c))
    scores = shifted(with_b) * shifted(with_c) / (shifted(with_a) + SHIFT)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(scores))


def _cosines(vectors: Floats, places: Places, unit: Doubles) -> Doubles:
    """Cosines in double precision, in sums along rows, which do not depend on other rows."""
    out = np.empty(len(places))
    for begin in range(0, len(places), 4096):
        rows = _wide_units(vectors[places[begin : begin + 4096]])
        out[begin : begin + 4096] = (rows * unit).sum(axis=1)
    return out
