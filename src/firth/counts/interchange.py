"""Counts from and for other programs: scipy matrices, and GloVe's co-occurrence records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.arrays import LIMIT
from firth.counts.matrix import Counts
from firth.counts.recipe import Ledger, Recipe
from firth.counts.views import narrow
from firth.errors import FirthError, StoreError
from firth.stores.writing import write_files
from firth.text.vocabulary import Vocabulary, is_frequency

# GloVe's record: two 1-based word numbers and a weight.
RECORD = np.dtype([("word", "<i4"), ("context", "<i4"), ("count", "<f8")])
_RECORDS = 1 << 20  # written or read at a time


def from_scipy(
    matrix: Any,
    words: Sequence[str],
    contexts: Sequence[str] | None = None,
    *,
    scale: int | None = None,
    frequencies: Iterable[int] | None = None,
    context_frequencies: Iterable[int] | None = None,
    recipe: Recipe | None = None,
) -> Counts:
    """Take counts from a matrix and its word list.

    Parameters
    ----------
    matrix
        Anything that `scipy.sparse.csr_array` takes. Duplicates are added.
    words, contexts
        The words of rows and columns; without `contexts`, columns are the same words. Rows and
        columns are put in the order that vocabularies have.
    scale
        Units per count of one. Whole numbers need none; for fractions it must be given: values
        are rounded to units, and the ledger gives the largest error.
    frequencies, context_frequencies
        How often the words occur in the text; the sums of rows or columns if left out.
    recipe
        What made the matrix, if it is known; needed to add it to other counts.
    """
    from scipy.sparse import coo_array, csr_array

    try:
        given = coo_array(matrix)
    except (TypeError, ValueError) as error:
        raise FirthError(f"not a matrix ({error}): pass one of scipy's, or an array") from None
    columns = words if contexts is None else contexts
    if given.shape != (len(words), len(columns)):
        size = " × ".join(f"{n:,}" for n in given.shape)
        raise FirthError(
            f"a matrix of {size} needs as many words; there are {len(words):,} and {len(columns):,}"
        )
    _check(given.data, scale)
    scale = None if scale is None else int(scale)
    for axis in (given.row, given.col):
        sums = np.bincount(axis, weights=given.data.astype(np.float64))
        if len(sums) and sums.max() * (scale or 1) > LIMIT:
            raise FirthError("the sum of a row or column passes 2^63 units: lower the scale")
    # In 64 bits, for smaller numbers would wrap round when duplicates are added.
    wide = given.data.astype(np.float64 if given.data.dtype.kind == "f" else np.int64)
    table = csr_array((wide, (given.row, given.col)), shape=given.shape)
    values, largest = _units(table.data, scale)
    unit = csr_array((values, table.indices, table.indptr), shape=table.shape)
    unit.eliminate_zeros()
    row_vocabulary, rows = _ordered(words, frequencies, _sums(unit, 1, scale))
    if contexts is None and context_frequencies is None:
        context_vocabulary, places = row_vocabulary, rows
    else:
        context_vocabulary, places = _ordered(columns, context_frequencies, _sums(unit, 0, scale))
    unit = csr_array(unit[rows][:, places])
    unit.sort_indices()
    return Counts(
        row_vocabulary,
        context_vocabulary,
        scale or 1,
        (),
        recipe or Recipe(source="matrix", min_count=0),
        Ledger(kept_types=len(words), largest_rounding=largest),
        unit.indptr.astype(np.int64),
        unit.indices.astype(np.int32),
        narrow(unit.data),
    )


def _sums(units: Any, axis: int, scale: int | None) -> NDArray[np.int64]:
    """Sum rows or columns, in whole counts."""
    sums: NDArray[np.int64] = np.asarray(units.sum(axis=axis), dtype=np.int64)
    return sums // (scale or 1)


def _check(data: NDArray[Any], scale: int | None) -> None:
    """Refuse values that are no counts."""
    if data.dtype.kind not in "iufb":
        raise FirthError(f"counts must be numbers, not {data.dtype}")
    if scale is not None and (not isinstance(scale, int | np.integer) or scale < 1):
        raise FirthError(f"scale must be a whole number of 1 or more, not {scale!r}")
    if data.dtype.kind == "f":
        if not np.all(np.isfinite(data)):
            raise FirthError("a count is not finite")
        if scale is None and len(data):
            raise FirthError(
                "these counts are floats: say into how many units to round them, as scale=1 for "
                "whole numbers or scale=2520 for a harmonic window of 10"
            )
    if len(data) and data.min() < 0:
        raise FirthError(f"a count is negative: {data.min()}")
    if len(data) and float(data.max()) * (scale or 1) >= 2.0**63:
        raise FirthError("a count passes 2^63 units: lower the scale")


def _units(data: NDArray[Any], scale: int | None) -> tuple[NDArray[np.int64], float]:
    """Turn values into whole units, with the largest rounding error in counts."""
    if data.dtype.kind != "f":
        return data * (scale or 1), 0.0
    units = np.rint(data * (scale or 1))
    largest = float(np.abs(units / (scale or 1) - data).max()) if len(data) else 0.0
    return units.astype(np.int64), largest


def _ordered(
    words: Sequence[str], frequencies: Iterable[int] | None, sums: NDArray[Any]
) -> tuple[Vocabulary, NDArray[np.int64]]:
    """Put words in the order of a vocabulary; return it and where each came from."""
    for word in words:
        if not isinstance(word, str) or not word:
            raise FirthError(f"{word!r} is not a word: a text of one character or more")
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        raise FirthError(f"{error.object[error.start]!r} in a word is no text") from None
    if len(set(words)) < len(words):
        double, _ = Counter(words).most_common(1)[0]
        raise FirthError(f"the word {double!r} is given twice")
    counts = sums.astype(np.int64).tolist() if frequencies is None else list(frequencies)
    if len(counts) != len(words):
        raise FirthError(f"{len(words):,} words have {len(counts):,} frequencies")
    if any(not 0 <= count <= LIMIT for count in counts):
        raise FirthError("a frequency is negative or passes 2^63")
    order = sorted(range(len(words)), key=lambda i: (-counts[i], words[i]))
    vocabulary = Vocabulary([words[i] for i in order], [int(counts[i]) for i in order])
    return vocabulary, np.array(order, dtype=np.int64)


def write_glove(counts: Counts, records: str | Path, vocabulary: str | Path) -> None:
    """Write GloVe's binary co-occurrence records and the vocabulary file they go with.

    Weights are counts as doubles; a count of more than 2^53 units is rounded to the nearest.

    Parameters
    ----------
    counts
        Counts whose rows and columns are the same words.
    records, vocabulary
        The files to write: what GloVe calls cooccurrence.bin and vocab.txt.
    """
    if counts.offsets or counts.words != counts.contexts:
        raise FirthError("GloVe's records need the same words in rows and columns")
    starts, columns, values = counts.rows()
    unfit = next((w for w in counts.words if len(w.split()) != 1), None)
    if unfit is not None:
        raise FirthError(f"the word {unfit!r} holds white space, which GloVe cannot read")
    rows = np.repeat(np.arange(len(counts.words), dtype=np.int32), np.diff(starts))

    def write_records(file: IO[bytes]) -> None:
        for begin in range(0, counts.nnz, _RECORDS):
            span = slice(begin, begin + _RECORDS)
            out = np.empty(len(columns[span]), RECORD)
            out["word"] = rows[span] + 1
            out["context"] = columns[span] + 1
            out["count"] = values[span] / counts.scale
            file.write(out.tobytes())

    lines = zip(counts.words.words, counts.words.frequencies.tolist(), strict=True)
    text = "".join(f"{word} {count}\n" for word, count in lines).encode()
    write_files((Path(records), write_records), (Path(vocabulary), lambda file: file.write(text)))


def read_glove(
    records: str | Path,
    vocabulary: str | Path,
    *,
    scale: int,
    recipe: Recipe | None = None,
) -> Counts:
    """Read GloVe's binary co-occurrence records and the vocabulary file they go with.

    Weights are rounded to units of 1/scale; ``lcm(1..L)`` keeps a harmonic window of L exact, 2520
    for 10. A pair that stands in several records is added up.
    """
    words, frequencies = _read_glove_vocabulary(Path(vocabulary))
    path = Path(records)
    try:
        size = path.stat().st_size
        if size % RECORD.itemsize:
            raise StoreError(
                f"{path}: {size:,} bytes are not a whole number of {RECORD.itemsize}-byte "
                "records: it is cut short, or holds none"
            )
        table = np.fromfile(path, RECORD)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}: check the name") from error
    n = len(words)
    rows, columns = table["word"].astype(np.int64) - 1, table["context"].astype(np.int64) - 1
    bad = np.flatnonzero((rows < 0) | (rows >= n) | (columns < 0) | (columns >= n))
    if len(bad):
        raise StoreError(
            f"{path}: record {int(bad[0]) + 1:,} names a word outside the vocabulary: give the one "
            "it was made with"
        )
    data = table["count"]
    bad = np.flatnonzero(~np.isfinite(data) | (data < 0))
    if len(bad):
        raise StoreError(f"{path}: record {int(bad[0]) + 1:,} holds {data[bad[0]]}, not a count")
    from scipy.sparse import coo_array

    matrix = coo_array((data, (rows, columns)), shape=(n, n))
    return from_scipy(matrix, words, scale=scale, frequencies=frequencies, recipe=recipe)


def _read_glove_vocabulary(path: Path) -> tuple[list[str], list[int]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}: check the name") from error
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path}: not UTF-8 at byte {error.start:,}: give GloVe's vocab.txt, in UTF-8"
        ) from None
    words, frequencies = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        word, _, count = line.rpartition(" ")
        if not word or not is_frequency(count):
            raise StoreError(
                f"{path}: line {number:,} is not a word, a space and a frequency: mend it"
            )
        words.append(word)
        frequencies.append(int(count))
    if not words:
        raise StoreError(f"{path}: the vocabulary file holds no words: give GloVe's vocab.txt")
    return words, frequencies
