"""Learn the senses of words from counts, one word at a time on several threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.association import Association, Weighing, associate
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.products import PANEL, one_blas_thread
from firth.parameters import Checked, parameter, seed_parameter
from firth.progress import Event
from firth.resources import Resources
from firth.senses.choosing import grouped, number_of, points_of
from firth.senses.factorising import SPARE, leading, memberships, nmf, nndsvd, shares
from firth.senses.inventory import SenseTable, check_table, read_sense_table
from firth.space.spelling import unknown_word
from firth.text.parts import ordered

CLUSTERINGS = ("spectral", "nndsvd", "nmf")
NUMBERS = ("auto", "wordnet")
MOST_SENSES = PANEL - SPARE
CELL = 8  # bytes of a cell of a matrix: its column and its value
EVERY = 64  # words between two events of progress
WORKING = 3  # copies of a slice at a time: the slice, its transpose, and it before it is cut

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Splitting(Checked):
    """How words are divided into senses.

    Attributes
    ----------
    k
        How many senses a word has: a number, ``"auto"`` by the rule of `firth.senses.choosing`,
        or ``"wordnet"``, what the table of senses says.
    clustering
        ``"spectral"`` puts each context in one sense, by `firth.senses.choosing`. ``"nndsvd"``
        divides contexts among senses, and ``"nmf"`` refines that.
    max_senses
        The most senses of a word.
    min_support
        Words with fewer contexts than this are not divided.
    alpha
        Exponent that smooths the frequencies of contexts in the PPMI matrix.
    seed
        Of the random start vectors.

    Examples
    --------
    >>> Splitting(k=3).k
    3
    """

    k: int | str = parameter("auto", "Senses of a word.", least=1, choices=NUMBERS)
    clustering: str = parameter("spectral", "How contexts are grouped.", choices=CLUSTERINGS)
    max_senses: int = parameter(10, "Most senses of a word.", least=1, most=MOST_SENSES)
    min_support: int = parameter(20, "Fewest contexts of a word that is divided.", least=2)
    alpha: float = parameter(
        0.75, "Exponent that smooths the frequencies of contexts.", least=0, most=1
    )
    seed: int = seed_parameter()

    def __post_init__(self) -> None:
        """Check every parameter, and that so many senses may be asked for."""
        super().__post_init__()
        if isinstance(self.k, int) and self.k > self.max_senses:
            raise FirthError(f"`k` must be at most `max_senses`, {self.max_senses}, not {self.k}")


@dataclass(frozen=True, eq=False)
class Divided:
    """The senses of one word.

    Attributes
    ----------
    columns
        Its contexts.
    parts
        A row of strengths for each sense, the one with the largest sum first.
    """

    columns: NDArray[np.int32]
    parts: Floats


def ppmi(counts: Counts, alpha: float, resources: Resources) -> Association:
    """Return the positive PMI of counts whose rows and columns are the same words."""
    together = counts.together()
    if together.offsets or together.words != together.contexts:
        raise FirthError(
            "senses need counts with the same words in rows and columns: make them with "
            "`count(context='symmetric')`, without limits on contexts alone"
        )
    if not together.nnz:
        raise FirthError("there are no counts to learn from: no two words share a window")
    resources.report("weighing", f"weighing {together.nnz:,} counts")
    return associate(together, Weighing(scale="pmi", alpha=alpha), resources.threads)


def table_of(table: SenseTable | str | Path | None) -> SenseTable | None:
    """Take a table of senses, or read it from a file or folder."""
    if isinstance(table, str | Path):
        return read_sense_table(table)
    return None if table is None else check_table(table)


def words_to_divide(
    counts: Counts, words: str | Sequence[str], table: SenseTable | None
) -> NDArray[np.int64]:
    """Return the places of the words that are to be divided, in the order of the vocabulary."""
    if isinstance(words, str):
        if words != "ambiguous":
            raise FirthError(
                f"`words` must be a list of words or 'ambiguous', not {words!r:.60}: write "
                f"[{words!r:.60}] for one word"
            )
        if table is None:
            raise FirthError(
                "which words are ambiguous is read from a `table` of senses: give WordNet's folder "
                "of dict files, or list the `words`"
            )
        found = [n for n, word in enumerate(counts.words) if table.get(word.lower(), 0) > 1]
        if not found:
            raise FirthError("no word of the counts has several senses in the `table`: check it")
        return np.array(found, dtype=np.int64)
    known = counts.words
    for word in words:
        if word not in known:
            raise unknown_word(word, known.words, "vocabulary")
    if not len(words):
        raise FirthError("there is no word to divide: give one in `words`")
    return np.unique(np.array([known[word] for word in words], dtype=np.int64))


def divide(
    matrix: Association,
    places: NDArray[np.int64],
    how: Splitting,
    table: SenseTable | None,
    resources: Resources,
) -> Iterator[tuple[int, Divided]]:
    """Yield the senses of each word, in order; words with too few contexts are left out."""
    done = 0
    # Each word is computed by one thread, so that the result does not depend on how many there are.
    with one_blas_thread(1):
        for place, found in ordered(
            lambda _, place: divided(matrix, place, how, table), places.tolist(), resources.threads
        ):
            done += 1
            if done % EVERY == 0 or done == len(places):
                resources.progress(Event("senses", done, len(places)))
            if found is not None:
                yield place, found


def asked_for(word: str, how: Splitting, table: SenseTable | None) -> int | None:
    """Return how many senses a word is to have; None where the rule decides."""
    if how.k == "auto":
        return None
    if how.k == "wordnet":
        return min(max((table or {}).get(word.lower(), 1), 1), how.max_senses)
    return int(how.k)


def divided(
    matrix: Association, place: int, how: Splitting, table: SenseTable | None
) -> Divided | None:
    """Return the senses of a word, or None if it has too few contexts."""
    columns, strengths = matrix.row(place)
    if len(columns) < how.min_support:
        return None
    assert matrix.words is not None
    asked = asked_for(matrix.words.words[place], how, table)
    if asked == 1:
        return Divided(columns, strengths[None, :].copy())
    near = contexts_of(matrix, columns)
    found = leading(near, min(MOST_SENSES, len(columns)), how.seed)
    points, weights = points_of(found), strengths.astype(np.float64)
    parts = number_of(points, weights, how.max_senses) if asked is None else asked
    parts = min(parts, len(found.values))
    if how.clustering == "spectral":
        members = grouped(points, weights, parts).memberships(points, parts)
    else:
        w, h = nndsvd(found.cut(parts))
        members = memberships(nmf(near, w, h) if how.clustering == "nmf" else h)
    return by_members(columns, strengths, members)


def by_members(columns: NDArray[np.int32], strengths: Floats, members: Doubles) -> Divided:
    """Divide a word by the memberships of its contexts.

    Parameters
    ----------
    columns, strengths
        The contexts of the word.
    members
        A row for each sense.
    """
    split = shares(strengths, members)
    # The largest first; the order of the parts decides ties.
    order = np.argsort(-split.sum(axis=1, dtype=np.float64), kind="stable")
    return Divided(columns, split[[n for n in order.tolist() if split[n].any()]])


def contexts_of(matrix: Association, columns: NDArray[np.int32]) -> Association:
    """Return the associations of some contexts with each other."""
    kept = np.ascontiguousarray(columns, dtype=np.int32)
    arrays = _core.within(matrix.starts, matrix.columns, matrix.values, matrix.shape[1], kept)
    return Association(*arrays, (len(kept), len(kept)))


def memory(counts: Counts, places: NDArray[np.int64], threads: int, how: Splitting) -> int:
    """Estimate the bytes that learning needs beyond the counts."""
    every = np.diff(counts.stored()[0])
    lengths = np.sort(every)[::-1][:threads]
    # Each context belongs to one sense by points, and may belong to all by factors. The senses are
    # held twice while they are put together.
    parts = 1 if how.clustering == "spectral" else how.max_senses
    senses = 2 * CELL * parts * int(every[places].sum())
    # The slice of a word has a cell for each pair of its contexts at most, and those of its rows.
    slices = sum(min(int(n) ** 2, counts.nnz) for n in lengths.tolist())
    panels = sum(int(n) for n in lengths.tolist()) * (8 * 4 * PANEL + 16 * how.max_senses)
    return CELL * counts.nnz + WORKING * CELL * slices + panels + senses


def settings(how: Splitting, words: str | Sequence[str]) -> dict[str, Any]:
    """Return how senses were learnt, as plain data."""
    plain = {name: getattr(how, name) for name in how.__dataclass_fields__}
    return {"name": "senses", "words": words if isinstance(words, str) else "given", **plain}
