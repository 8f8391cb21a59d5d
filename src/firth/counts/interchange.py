"""Counts in the formats of other programs: scipy matrices and GloVe's co-occurrence records."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from firth.counts.ledger import Ledger
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe
from firth.counts.stated import UNKNOWN
from firth.counts.views import narrow
from firth.errors import FirthError, StoreError
from firth.stores.writing import check_free, write_files
from firth.text.vocabulary import Vocabulary, is_frequency

# GloVe's record: two 1-based word numbers and a weight.
RECORD = np.dtype([("word", "<i4"), ("context", "<i4"), ("count", "<f8")])
_RECORDS = 1 << 20  # written or read at a time


def from_scipy(
    matrix: Any,
    words: Sequence[str],
    contexts: Sequence[str] | None = None,
    *,
    denominator: int | None = None,
    frequencies: Iterable[int] | None = None,
    context_frequencies: Iterable[int] | None = None,
    recipe: Recipe | None = None,
    scale: int | None = None,
) -> Counts:
    """Make counts from a matrix and its words.

    Parameters
    ----------
    matrix
        Anything that `scipy.sparse.coo_array` takes. Duplicate entries are added.
    words, contexts
        The words of the rows and of the columns; without `contexts`, columns are the same words.
        Rows and columns are sorted into the order of vocabularies.
    denominator
        Values are rounded to units of 1/denominator, and the ledger records the largest error.
        Whole numbers need none; for fractions it must be given.
    frequencies, context_frequencies
        How often the words occur in the text; by default the sums of rows or columns.
    recipe
        What is known of how the matrix was made. Every other setting is unknown.
    scale
        The former name of `denominator`.
    """
    denominator = former_scale(denominator, scale)
    from scipy.sparse import coo_array, csr_array

    try:
        given = coo_array(matrix)
    except (TypeError, ValueError) as error:
        raise FirthError(
            f"`matrix` is not a matrix ({error}): pass one of scipy's, or an array"
        ) from None
    _check_recipe(recipe)
    words = _listed("words", words)
    columns = words if contexts is None else _listed("contexts", contexts)
    if given.shape != (len(words), len(columns)):
        size = " × ".join(f"{n:,}" for n in given.shape)
        raise FirthError(
            f"a matrix of {size} needs as many words; there are {len(words):,} and {len(columns):,}"
        )
    _check(given.data, denominator)
    units_of_one = 1 if denominator is None else int(denominator)
    for axis in (given.row, given.col):
        sums = np.bincount(axis, weights=given.data.astype(np.float64))
        if len(sums) and sums.max() * units_of_one >= 2.0**63:
            raise FirthError("the sum of a row or column passes 2^63 units: lower `denominator`")
    # In 64 bits: sums of duplicates may not fit the type of the matrix.
    wide = given.data.astype(np.float64 if given.data.dtype.kind == "f" else np.int64)
    table = csr_array((wide, (given.row, given.col)), shape=given.shape)
    values, largest = _units(table.data, units_of_one)
    unit = csr_array((values, table.indices, table.indptr), shape=table.shape)
    unit.eliminate_zeros()
    row_vocabulary, rows = _ordered(words, frequencies, _sums(unit, 1, units_of_one))
    if contexts is None and context_frequencies is None:
        context_vocabulary, places = row_vocabulary, rows
    else:
        context_vocabulary, places = _ordered(
            columns, context_frequencies, _sums(unit, 0, units_of_one)
        )
    unit = csr_array(unit[rows][:, places])
    unit.sort_indices()
    return Counts(
        row_vocabulary,
        context_vocabulary,
        units_of_one,
        (),
        _of_matrix(recipe),
        Ledger(kept_types=len(words), largest_rounding=largest),
        unit.indptr.astype(np.int64),
        unit.indices.astype(np.int32),
        narrow(unit.data),
    )


def former_scale(denominator: int | None, scale: int | None) -> int | None:
    """Return `denominator`; warn if it was given under its former name."""
    if scale is None:
        return denominator
    warnings.warn("scale=… is deprecated: use denominator=…", DeprecationWarning, stacklevel=3)
    return scale


def _of_matrix(recipe: Recipe | None) -> Recipe:
    """Return the recipe of a matrix: what is stated, and that it is a matrix."""
    stated = recipe or Recipe()
    return replace(stated, source="matrix") if stated.source is UNKNOWN else stated


def _check_recipe(recipe: Any) -> None:
    if recipe is not None and not isinstance(recipe, Recipe):
        raise FirthError(f"`recipe` must be a firth.Recipe, not {recipe!r:.60}")


def _listed(name: str, words: Any) -> list[str]:
    """Return a list of words; `name` is the parameter's, for messages."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise FirthError(f"`{name}` must be a list of words, not {words!r:.60}")
    return list(words)


def _sums(units: Any, axis: int, units_of_one: int) -> NDArray[np.int64]:
    """Sum rows or columns, in whole counts."""
    sums: NDArray[np.int64] = np.asarray(units.sum(axis=axis), dtype=np.int64)
    return sums // units_of_one


def _check(data: NDArray[Any], denominator: int | None) -> None:
    """Raise if values are not counts, or pass 2^63 units."""
    if data.dtype.kind not in "iufb":
        raise FirthError(f"counts must be numbers, not {data.dtype}")
    if denominator is not None and not _is_denominator(denominator):
        raise FirthError(
            f"`denominator` must be a whole number of 1 or more, not {denominator!r:.60}"
        )
    if data.dtype.kind == "f":
        if not np.all(np.isfinite(data)):
            raise FirthError("a count is not finite")
        if denominator is None and len(data):
            raise FirthError(
                "these counts are floats: give the unit to which they are rounded, as "
                "`denominator=1` for whole numbers, or `denominator=2520` for a harmonic window "
                "of 10"
            )
    if len(data) and data.min() < 0:
        raise FirthError(f"a count is negative: {data.min()}")
    if len(data) and float(data.max()) * (denominator or 1) >= 2.0**63:
        raise FirthError("a count passes 2^63 units: lower `denominator`")


def _is_denominator(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) >= 1


def _units(data: NDArray[Any], units_of_one: int) -> tuple[NDArray[np.int64], float]:
    """Turn values into whole units, with the largest rounding error in counts."""
    if data.dtype.kind != "f":
        return data * units_of_one, 0.0
    units = np.rint(data * units_of_one)
    largest = float(np.abs(units / units_of_one - data).max()) if len(data) else 0.0
    return units.astype(np.int64), largest


def _ordered(
    words: Sequence[str], frequencies: Iterable[int] | None, sums: NDArray[Any]
) -> tuple[Vocabulary, NDArray[np.int64]]:
    """Sort words into the order of a vocabulary; return it, and where each word stood."""
    found = Vocabulary(words, sums if frequencies is None else frequencies)
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        raise FirthError(
            f"{error.object[error.start]!r} in a word is not text: use words that UTF-8 can encode"
        ) from None
    counts = found.frequencies.tolist()
    order = sorted(range(len(words)), key=lambda i: (-counts[i], words[i]))
    places = np.array(order, dtype=np.int64)
    return Vocabulary.unchecked([words[i] for i in order], found.frequencies[places]), places


def write_glove(
    counts: Counts, records: str | Path, vocabulary: str | Path, *, force: bool = False
) -> None:
    """Write GloVe's binary co-occurrence records and the vocabulary file that belongs to them.

    Both files are written, or neither. Weights are counts as doubles; a count of more than 2^53
    units is rounded to the nearest.

    Parameters
    ----------
    counts
        Counts whose rows and columns are the same words.
    records, vocabulary
        The files to write: what GloVe calls cooccurrence.bin and vocab.txt.
    force
        Replace earlier files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import firth
    >>> folder = Path(tempfile.mkdtemp())
    >>> counts = firth.count(["a rose is a rose"], min_count=1)
    >>> firth.write_glove(counts, folder / "records.bin", folder / "vocab.txt")
    >>> (folder / "vocab.txt").read_text().splitlines()
    ['a 2', 'rose 2', 'is 1']
    """
    targets = Path(records), Path(vocabulary)
    check_glove_targets(*targets, force=force)
    if counts.offsets or counts.words != counts.contexts:
        raise FirthError(
            "GloVe's records need the same words in rows and columns: count with "
            "`context='symmetric'` and without limits on contexts alone"
        )
    starts, columns, values = counts.csr()
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
            out["count"] = values[span] / counts.denominator
            file.write(out.tobytes())

    lines = zip(counts.words.words, counts.words.frequencies.tolist(), strict=True)
    text = "".join(f"{word} {count}\n" for word, count in lines).encode()
    write_files((targets[0], write_records), (targets[1], lambda file: file.write(text)))


def check_glove_targets(records: Path, vocabulary: Path, *, force: bool) -> None:
    """Raise if the files of `write_glove` would replace others, unless `force`."""
    if records.absolute() == vocabulary.absolute():
        raise FirthError(f"{records}: the same file for records and vocabulary: give two names")
    for path in (records, vocabulary):
        check_free(path, force)


def read_glove(
    records: str | Path,
    vocabulary: str | Path,
    *,
    denominator: int | None = None,
    recipe: Recipe | None = None,
    scale: int | None = None,
) -> Counts:
    """Read GloVe's binary co-occurrence records and the vocabulary file that belongs to them.

    Parameters
    ----------
    records, vocabulary
        The files, which GloVe calls cooccurrence.bin and vocab.txt. Several records of one pair are
        added up.
    denominator
        Weights are rounded to units of 1/denominator. The least common multiple of 1 to L keeps a
        harmonic window of L words exact: 2520 for 10.
    recipe
        What is known of how the records were made. Every other setting is unknown.
    scale
        The former name of `denominator`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import firth
    >>> folder = Path(tempfile.mkdtemp())
    >>> counts = firth.count(["a rose is a rose"], window=2, min_count=1)
    >>> firth.write_glove(counts, folder / "records.bin", folder / "vocab.txt")
    >>> read = firth.read_glove(folder / "records.bin", folder / "vocab.txt", denominator=2)
    >>> read.row("rose") == counts.row("rose")
    True
    """
    denominator = former_scale(denominator, scale)
    if denominator is None:
        raise FirthError(
            "`denominator` is needed: the least common multiple of 1 to L keeps a harmonic window "
            "of L words exact, 2520 for 10"
        )
    words, frequencies = _read_glove_vocabulary(Path(vocabulary))
    path = Path(records)
    try:
        size = path.stat().st_size
        if size % RECORD.itemsize:
            raise StoreError(
                f"{path}: {size:,} bytes are not a whole number of {RECORD.itemsize}-byte "
                "records: it is cut short, or not such a file"
            )
        table = np.fromfile(path, RECORD)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}: check the name") from error
    n = len(words)
    rows, columns = table["word"].astype(np.int64) - 1, table["context"].astype(np.int64) - 1
    bad = np.flatnonzero((rows < 0) | (rows >= n) | (columns < 0) | (columns >= n))
    if len(bad):
        raise StoreError(
            f"{path}: record {int(bad[0]) + 1:,} names a word outside the vocabulary: give the "
            "vocabulary that the records were made with"
        )
    data = table["count"]
    bad = np.flatnonzero(~np.isfinite(data) | (data < 0))
    if len(bad):
        raise StoreError(
            f"{path}: record {int(bad[0]) + 1:,} holds {data[bad[0]]}, not a count: make them again"
        )
    from scipy.sparse import coo_array

    matrix = coo_array((data, (rows, columns)), shape=(n, n))
    return from_scipy(
        matrix, words, denominator=denominator, frequencies=frequencies, recipe=recipe
    )


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
                f"{path}: line {number:,} is not a word, a space and a frequency: fix it"
            )
        words.append(word)
        frequencies.append(int(count))
    if not words:
        raise StoreError(f"{path}: the vocabulary file holds no words: give GloVe's vocab.txt")
    return words, frequencies
