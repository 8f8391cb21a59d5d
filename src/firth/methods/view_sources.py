"""Views by name, their words, and the matrices that are factorised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firth.association import Association, Weighing, associate
from firth.counts.blocks import Block, block_name
from firth.counts.matrix import Counts
from firth.counts.store import is_store, load_checked
from firth.counts.views import narrow
from firth.errors import FirthError, StoreError
from firth.resources import Resources
from firth.space.space import Space
from firth.space.view_maps import nonlinear
from firth.stores.kinds import META
from firth.text.vocabulary import Vocabulary

Doubles = NDArray[np.float64]
_CELLS = 1 << 22  # of counts that are looked at at a time
SEPARATOR = "/"  # between the name of a group and that of a view in it


class BlockIndex:
    """Where each block of each row of counts begins, so that a block is read without the others.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b"], min_count=1, window=1, context="positional")
    >>> BlockIndex(counts).block(1).equals(counts.block(+1))
    True
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        starts, columns, _ = counts.csr()
        blocks, width = len(counts.offsets), len(counts.contexts)
        rows = len(starts) - 1
        self.lengths = np.zeros((rows, blocks), dtype=np.int64)
        step = max(1, rows // max(1, len(columns) // _CELLS))
        for begin in range(0, rows, step):
            end = min(begin + step, rows)
            some = columns[starts[begin] : starts[end]] // np.int32(max(width, 1))
            own = np.repeat(np.arange(end - begin), np.diff(starts[begin : end + 1]))
            found = np.bincount(own * blocks + some, minlength=(end - begin) * blocks)
            self.lengths[begin:end] = found.reshape(-1, blocks)

    def block(self, number: int) -> Counts:
        """Return the counts of one block."""
        counts = self._counts
        starts, columns, values = counts.csr()
        lengths = self.lengths[:, number]
        begins = starts[:-1] + self.lengths[:, :number].sum(axis=1)
        new = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(begins - new[:-1], lengths) + np.arange(int(new[-1]))
        return replace(
            counts,
            starts=new,
            columns=columns[places] - np.int32(number * len(counts.contexts)),
            values=narrow(values[places]),
            offsets=(),
            symmetric=None,
            half=False,
            recipe=counts.recipe.of_block(counts.offsets[number]),
        )


@dataclass(frozen=True, eq=False)
class NamedView:
    """A view and its name; of counts with offsets or sides, one block is a view.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b c"], min_count=1, window=1, context="positional")
    >>> [view.name for view in named_views({"near": counts})]
    ['near/+1', 'near/-1']
    """

    name: str
    source: Counts | Association | Space
    block: Block | None = None
    index: BlockIndex | None = None

    def counts(self) -> Counts:
        """Return the counts of the view, or of its block."""
        assert isinstance(self.source, Counts)
        if self.index is None or self.block is None:
            return self.source
        return self.index.block(self.source.offsets.index(self.block))

    def observed(self) -> NDArray[np.int64]:
        """Return which rows have something in them."""
        source = self.source
        if isinstance(source, Space):
            return np.flatnonzero(source.vectors.any(axis=1))
        if self.index is not None and self.block is not None:
            assert isinstance(source, Counts)
            return np.flatnonzero(self.index.lengths[:, source.offsets.index(self.block)])
        starts = source.csr()[0] if isinstance(source, Counts) else source.starts
        return np.flatnonzero(np.diff(starts) > 0)

    @property
    def group(self) -> str:
        """The name of the group, or of the view if it is in none."""
        return self.name.partition(SEPARATOR)[0]

    @property
    def words(self) -> Vocabulary:
        """The words of the rows."""
        words = self.source.words
        if words is None:
            raise FirthError(
                f"the rows of the view {self.name} have no names: give them, as in "
                "Association.from_scipy(matrix, words)"
            )
        return words

    def origin(self) -> dict[str, Any]:
        """Describe the view for a recipe."""
        source = self.source
        if isinstance(source, Counts):
            recipe = source.recipe
            if self.block is not None:
                recipe = recipe.of_block(self.block)
            return {"view": self.name, "counts": recipe.to_json()}
        if isinstance(source, Association):
            shape = {"shape": list(source.shape), "nonzeros": source.nnz}
            return {"view": self.name, "association": shape}
        return {"view": self.name, "space": source.recipe}

    @property
    def cells(self) -> int:
        """How many numbers the view holds, at most."""
        if isinstance(self.source, Space):
            return int(self.source.vectors.size)
        blocks = len(self.source.offsets) if self.block is not None else 1
        return self.source.nnz * 2 // (blocks + 1)

    @property
    def width(self) -> int:
        """How many columns it has."""
        if isinstance(self.source, Space):
            return int(self.source.vectors.shape[1])
        blocks = len(self.source.offsets) if self.block is not None else 1
        return self.source.shape[1] // max(1, blocks)


@dataclass(frozen=True, eq=False)
class PreparedView:
    """The matrix of a view: rows that it has, columns that were kept.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b c", "a b"], min_count=1, window=1)
    >>> view = prepared(named_views({"near": counts})[0], "log", 2, Resources(threads=1))
    >>> view.matrix.shape, view.contexts.words
    ((3, 2), ('a', 'b'))
    """

    matrix: Association | NDArray[Any]
    places: NDArray[np.int64]  # of the rows among the words of the view
    contexts: Vocabulary
    nonlinearity: str
    row_sums: Doubles
    sums: Doubles
    total: float


def named_views(source: Any) -> list[NamedView]:
    """List views by name, in the order of their names.

    Parameters
    ----------
    source
        A mapping from names to views, a sequence of views, or one. A view is `Counts`, of which
        each offset or side is a view of its own; an `Association`; a `Space`; or a pair of a matrix
        and its words.
    """
    given: list[tuple[str, Any]]
    if isinstance(source, Mapping):
        given = [(str(name), view) for name, view in source.items()]
    elif isinstance(source, Sequence) and not isinstance(source, str) and not _is_pair(source):
        digits = len(str(len(source)))
        given = [(f"view-{number:0{digits}}", view) for number, view in enumerate(source, 1)]
    else:
        given = [("view", source)]
    found = [part for name, view in given for part in _parts(name, view)]
    found.sort(key=lambda view: view.name)
    for one, other in pairwise(found):
        if one.name == other.name:
            raise FirthError(f"two views are named {one.name}: give one of them another name")
    return found


def _is_pair(view: Any) -> bool:
    """Whether something is a matrix and its words."""
    if not isinstance(view, tuple) or len(view) != 2 or not hasattr(view[0], "shape"):
        return False
    return not isinstance(view[0], Counts | Association)  # these have words: they are two views


def _parts(name: str, view: Any) -> Iterator[NamedView]:
    if _is_pair(view):
        view = Association.from_scipy(*view)
    if isinstance(view, Counts) and view.offsets:
        index = BlockIndex(view)
        for offset in view.offsets:
            yield NamedView(f"{name}{SEPARATOR}{block_name(offset)}", view, offset, index)
    else:
        yield NamedView(name, view)


def prepared(
    view: NamedView, nonlinearity: str, truncate: int, resources: Resources
) -> PreparedView:
    """Make the matrix of a view: its frequent columns, after the nonlinearity."""
    source = view.source
    if isinstance(source, Space):
        places = np.flatnonzero(source.vectors.any(axis=1))
        dense = source.vectors[places].astype(np.float64)
        return _signed(dense, places, _numbers(dense.shape[1]))
    if isinstance(source, Association):
        places = np.flatnonzero(np.diff(source.starts) > 0)
        contexts = source.contexts
        if contexts is None or len(contexts) != source.shape[1]:
            contexts = _numbers(source.shape[1])
        matrix = Association.from_scipy(source.to_scipy()[places])
        return _signed(matrix, places, contexts)
    return _of_counts(view.counts(), nonlinearity, truncate, resources.threads)


def _signed(matrix: Any, places: NDArray[np.int64], contexts: Vocabulary) -> PreparedView:
    zeros = np.zeros(len(contexts))
    return PreparedView(matrix, places, contexts, "none", np.ones(len(places)), zeros, 0.0)


def _numbers(width: int) -> Vocabulary:
    return Vocabulary.unchecked([str(column) for column in range(width)], [0] * width)


def _of_counts(counts: Counts, kind: str, truncate: int, threads: int) -> PreparedView:
    starts, columns, values = counts.csr()
    width = counts.shape[1]
    units = values / counts.denominator
    places = np.flatnonzero(np.diff(starts) > 0)
    sums: Doubles = np.bincount(columns, units, minlength=width).astype(np.float64)
    row_sums = np.add.reduceat(units, starts[places]) if len(places) else np.zeros(0)
    # The most frequent columns; of equal ones, the first.
    kept = np.sort(np.argsort(-sums, kind="stable")[: min(truncate, np.count_nonzero(sums))])
    if kind == "ppmi":
        weighed = associate(counts, Weighing(), threads)
        table = weighed.to_scipy()
    else:
        from scipy.sparse import csr_array

        data = nonlinear(kind, units).astype(np.float32)
        table = csr_array((data, columns, starts), shape=counts.shape)
    some = Association.from_scipy(table[places][:, kept])
    names = [counts.column_name(column) for column in kept.tolist()]
    contexts = Vocabulary.unchecked(names, np.floor(sums[kept]).astype(np.int64))
    return PreparedView(some, places, contexts, kind, row_sums, sums[kept], float(sums.sum()))


def union(views: Sequence[NamedView]) -> Vocabulary:
    """Return every word of some views, with the largest of its frequencies.

    Of words as frequent as each other, the one comes first that does so in some view.

    Examples
    --------
    >>> one = Association.from_scipy([[1.0]], Vocabulary(["a"], [3]))
    >>> other = Association.from_scipy([[1.0], [2.0]], Vocabulary(["b", "a"], [5, 2]))
    >>> union(named_views([one, other])).words
    ('b', 'a')
    """
    if len({id(view.words) for view in views}) == 1:
        return views[0].words  # one vocabulary in its own order
    largest: dict[str, int] = {}
    first: dict[str, int] = {}  # files of vectors without frequencies have an order at least
    for view in views:
        frequencies = view.words.frequencies.tolist()
        for place, (word, count) in enumerate(zip(view.words.words, frequencies, strict=True)):
            largest[word] = max(count, largest.get(word, 0))
            first[word] = min(place, first.get(word, place))
    ordered = sorted(largest, key=lambda word: (-largest[word], first[word], word))
    return Vocabulary.unchecked(ordered, [largest[word] for word in ordered])


def open_views(paths: Sequence[Path]) -> dict[str, Counts | Space]:
    """Open stores of counts, folders of such stores, stored spaces and files of vectors.

    Views are named by their files and folders; those of a folder of stores ``folder/store``.
    """
    found: dict[str, Counts | Space] = {}
    for path in paths:
        for name, view in _opened(path):
            if name in found:
                raise StoreError(f"{path}: two views are named {name}: rename the file or folder")
            found[name] = view
    return found


def _opened(path: Path) -> Iterator[tuple[str, Counts | Space]]:
    from firth.space.opening import open_space  # the formats of vectors are loaded for it

    name = path.absolute().name
    if is_store(path):
        yield name, load_checked(path)
    elif path.is_dir() and not (path / META).exists() and any(map(is_store, path.iterdir())):
        for store in sorted(path.iterdir()):
            if not is_store(store):
                raise StoreError(
                    f"{store}: not a store of counts, as the others in {path}: move it"
                )
            yield f"{name}{SEPARATOR}{store.name}", load_checked(store)
    else:
        yield path.absolute().stem, open_space(path)
