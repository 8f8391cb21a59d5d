"""The association matrix of a stored space, in few bytes, read a row at a time.

Values are float32. Of a symmetric matrix only the cells on and above the diagonal are stored; of a
matrix and its transpose side by side, only the first. Columns are stored in 16 bits: a row is cut
where the upper part of the column's number changes, and ``association_starts.npy`` has a start for
every piece. ``background.npy`` has the usual strength of each context (see
`firth.space.background`).

Spaces of version 1 have all cells, and columns of 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.counts.blocks import Blocks
from firth.errors import FirthError, StoreError
from firth.resources import default_threads
from firth.sided import SidedAssociation
from firth.space.background import BANDS, Background, background_of, bands
from firth.stores.arrays import load_array
from firth.stores.kinds import size_of
from firth.text.vocabulary import Vocabulary

STARTS, COLUMNS = "association_starts.npy", "association_columns.npy"
VALUES, BACKGROUND = "association_values.npy", "background.npy"
FILES = {STARTS, COLUMNS, VALUES, BACKGROUND}

WIDE = 1 << 16  # columns in a piece of a row

Places = NDArray[np.int64]
Row = tuple[NDArray[np.int32], NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class StoredAssociation:
    """An association matrix as it is stored.

    Attributes
    ----------
    starts
        Where each piece of a row begins; the pieces of a row follow one another.
    columns
        The column of each cell, counted from the first of its piece.
    values
        The value of each cell.
    shape
        Rows and columns of the whole matrix.
    nnz
        Nonzero cells of the whole matrix.
    triangle
        Whether the matrix is symmetric and the cells below the diagonal are left out.
    sided
        Whether the matrix consists of a square one, whose cells are stored, and its transpose.
    means
        The rows of the `Background`; None in spaces of version 1.
    words, contexts, offsets
        The names of rows and columns, as an `Association` has them.
    """

    starts: Places
    columns: NDArray[Any]
    values: NDArray[np.float32]
    shape: tuple[int, int]
    nnz: int
    triangle: bool
    means: NDArray[np.float32] | None
    words: Vocabulary | None = None
    contexts: Vocabulary | None = None
    offsets: Blocks = ()
    sided: bool = False

    @property
    def pieces(self) -> int:
        """How many pieces a row is cut into."""
        stored = self.shape[0] if self.sided else self.shape[1]
        return pieces_of(stored) if self.columns.dtype.itemsize == 2 else 1

    def row(self, place: int) -> Row:
        """Return the columns and values of one row.

        Parameters
        ----------
        place
            The number of the row.
        """
        pieces = self.pieces
        edges = self.starts[place * pieces : (place + 1) * pieces + 1]
        span = slice(int(edges[0]), int(edges[-1]))
        columns = self.columns[span].astype(np.int32)
        if pieces > 1:
            columns += np.repeat(np.arange(pieces, dtype=np.int32) * WIDE, np.diff(edges))
        values = self.values[span]
        if self.triangle and place > 0:
            # The cells to the left of the diagonal are those above it in the column of this number.
            above, others = self._column(place, place)
            return np.concatenate([above, columns]), np.concatenate([others, values])
        if self.sided:
            rows, others = self._column(place, self.shape[0])
            after = rows + np.int32(self.shape[0])
            return np.concatenate([columns, after]), np.concatenate([values, others])
        return columns, values

    def _column(self, place: int, rows: int) -> Row:
        """Return the cells of a column in the first rows, by row."""
        pieces = self.pieces
        piece, column = divmod(place, WIDE) if pieces > 1 else (0, place)
        ends = self.starts[piece : (rows - 1) * pieces + piece + 2]
        begin, end = ends[::pieces][:rows], ends[1::pieces][:rows]
        found = first_at_least(self.columns, begin, end, np.full(rows, column))
        held = np.flatnonzero(found < end)
        held = held[self.columns[found[held]] == column]
        return held.astype(np.int32), self.values[found[held]]

    def to_association(self) -> Association:
        """Return the whole matrix, in memory."""
        stored = self._unpacked()
        if self.sided:
            whole = SidedAssociation(stored, stored.transpose()).to_association()
        else:
            whole = _mirrored(stored) if self.triangle else stored
        return whole.named(self.words, self.contexts, self.offsets)

    def to_dense(self) -> NDArray[np.float64]:
        """Return the whole matrix in double precision; for small ones."""
        return self.to_association().to_dense()

    def to_scipy(self) -> Any:
        """Return the whole matrix as a `scipy.sparse.csr_array`."""
        return self.to_association().to_scipy()

    def check(self) -> None:
        """Raise if a cell is out of its place or not finite, or the cells are not `nnz`."""
        upper = self._unpacked()
        upper.sparse()  # columns in range, and rising in each row
        if not np.isfinite(upper.values).all():
            raise StoreError("a value of the association is not finite")
        if self.means is not None and not np.isfinite(self.means).all():
            raise StoreError(f"a value of {BACKGROUND} is not finite")
        if self.sided and 2 * upper.nnz != self.nnz:
            raise StoreError("the association has another number of cells than it should")
        if not self.triangle:
            return
        full = np.flatnonzero(np.diff(upper.starts))
        first = upper.columns[upper.starts[:-1][full]]
        if (first < full).any():
            raise StoreError("a cell of the association lies below the diagonal")
        if 2 * upper.nnz - int((first == full).sum()) != self.nnz:
            raise StoreError("the association has another number of cells than it should")

    def _unpacked(self) -> Association:
        """Return the cells that are stored, as a matrix of their own."""
        pieces, rows = self.pieces, self.shape[0]
        columns = self.columns.astype(np.int32, copy=False)
        if pieces > 1:
            offsets = np.tile(np.arange(pieces, dtype=np.int32) * WIDE, rows)
            columns += np.repeat(offsets, np.diff(self.starts))
        shape = (rows, rows) if self.sided else self.shape
        return Association(self.starts[::pieces], columns, self.values, shape)


def background(
    association: Association | SidedAssociation | StoredAssociation | None,
    frequencies: NDArray[np.int64],
) -> Background:
    """Return what is usual in an association matrix: as stored, or else computed.

    Parameters
    ----------
    association
        The matrix of a space.
    frequencies
        How often the word of each row occurs.
    """
    if association is None:
        raise FirthError("this space has no association matrix: fit it again and keep it")
    if isinstance(association, StoredAssociation):
        if association.means is not None:
            band = bands(frequencies)
            if len(band) and band.max() >= len(association.means):
                raise StoreError(f"{BACKGROUND} does not fit the words: the store is damaged")
            return Background(band, association.means)
        association = association.to_association()
    return background_of(association, frequencies, default_threads())


def first_at_least(columns: NDArray[Any], begin: Places, end: Places, least: Places) -> Places:
    """Find in each of many stretches the first place whose column is not below a number.

    Parameters
    ----------
    columns
        Rising within every stretch.
    begin, end
        Where the stretches begin and end.
    least
        The number for each stretch.

    Examples
    --------
    >>> columns = np.array([1, 4, 9, 0, 2])
    >>> first_at_least(columns, np.array([0, 3]), np.array([3, 5]), np.array([4, 7])).tolist()
    [1, 5]
    """
    low, high = begin.copy(), end.copy()
    searching = np.flatnonzero(low < high)
    while len(searching):
        middle = (low[searching] + high[searching]) >> 1
        below = columns[middle] < least[searching]
        low[searching[below]] = middle[below] + 1
        high[searching[~below]] = middle[~below]
        searching = searching[low[searching] < high[searching]]
    return low


def load_association(path: Path, meta: Any, rows: int) -> StoredAssociation | None:
    """Map the association matrix of a stored space.

    Parameters
    ----------
    path
        The folder of the space.
    meta
        What `write_association` returned, or the description of a space of version 1.
    rows
        Words of the space.
    """
    if meta is None:
        return None
    width, nnz = size_of(meta["columns"]), size_of(meta["nonzeros"])
    sided, triangle = meta.get("sided", False), meta.get("triangle", False)
    for flag, fits in ((triangle, rows == width), (sided, not triangle and width == 2 * rows)):
        if not isinstance(flag, bool) or (flag and not fits):
            raise ValueError("the association does not fit the contexts")
    if "triangle" not in meta:  # version 1
        cells, pieces, kind, means = nnz, 1, "<i4", None
    else:
        cells, kind = size_of(meta["cells"]), "<u2"
        pieces = pieces_of(rows if sided else width)
        used = size_of(meta["bands"])
        if used > BANDS:
            raise ValueError(f"{used} bands are too many")
        means = load_array(path / BACKGROUND, ("<f4",), used, width)
    starts = load_array(path / STARTS, ("<i8",), rows * pieces + 1)
    rising = bool((np.diff(starts) >= 0).all())
    if not rising or int(starts[0]) != 0 or int(starts[-1]) != cells:
        raise StoreError(f"{path / STARTS}: does not fit the other arrays: the store is damaged")
    return StoredAssociation(
        starts,
        load_array(path / COLUMNS, (kind,), cells),
        load_array(path / VALUES, ("<f4",), cells),
        (rows, width),
        nnz,
        triangle,
        means,
        sided=sided,
    )


def pieces_of(width: int) -> int:
    """Return how many pieces a row of so many columns is cut into."""
    return max(1, -(-width // WIDE))


def _mirrored(upper: Association) -> Association:
    """Make a symmetric matrix whole from its cells on and above the diagonal."""
    lower = upper.transpose()
    # A row of the transpose is the column above the diagonal, and the diagonal itself at its end.
    ends = lower.starts[1:].copy()
    full = np.flatnonzero(np.diff(lower.starts))
    ends[full] -= lower.columns[ends[full] - 1] == full
    sides = (
        (lower, lower.starts[:-1], ends),
        (upper, upper.starts[:-1], upper.starts[1:]),
    )
    lengths = [end - begin for _, begin, end in sides]
    starts = np.zeros(len(ends) + 1, dtype=np.int64)
    np.cumsum(lengths[0] + lengths[1], out=starts[1:])
    columns = np.empty(int(starts[-1]), dtype=np.int32)
    values = np.empty(len(columns), dtype=np.float32)
    at = starts[:-1].copy()
    for (side, begin, _), length in zip(sides, lengths, strict=True):
        within = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        place = within + np.repeat(at, length)
        taken = within + np.repeat(begin, length)
        columns[place], values[place] = side.columns[taken], side.values[taken]
        at += length
    return Association(starts, columns, values, upper.shape)
