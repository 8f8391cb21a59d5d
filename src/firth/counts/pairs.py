"""Counts of pairs that come one by one: of aligned words, of words and their governors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from firth.counts.interchange import from_scipy
from firth.counts.matrix import Counts
from firth.errors import FirthError

_TOGETHER = 1 << 20  # pairs that are held before they are added up


class NoPairsError(FirthError):
    """No pair is frequent enough."""


class PairCounts:
    """Adds up how often each word has each context.

    Examples
    --------
    >>> pairs = PairCounts()
    >>> for word, context in [("cat", "chat"), ("dog", "chien"), ("cat", "chat")]:
    ...     pairs.add(word, context)
    >>> pairs.counts().row("cat")
    [('chat', 2)]
    """

    def __init__(self) -> None:
        self.total = 0
        self._words: dict[str, int] = {}
        self._contexts: dict[str, int] = {}
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._sums: Any = None

    def add(self, word: str, context: str) -> None:
        """Count a pair once."""
        self._rows.append(self._words.setdefault(word, len(self._words)))
        self._columns.append(self._contexts.setdefault(context, len(self._contexts)))
        self.total += 1
        if len(self._rows) >= _TOGETHER:
            self._add_up()

    def _add_up(self) -> None:
        from scipy.sparse import coo_array, csr_array

        ones = np.ones(len(self._rows), dtype=np.int64)
        shape = (len(self._words), len(self._contexts))
        new = csr_array(coo_array((ones, (self._rows, self._columns)), shape=shape))
        if self._sums is not None:
            self._sums.resize(shape)
            new = new + self._sums
        self._sums, self._rows, self._columns = new, [], []

    def counts(self, min_count: int = 1, most_once: bool = False) -> Counts:
        """Return the counts of words and contexts that are frequent enough.

        Parameters
        ----------
        min_count
            Rarer words and rarer contexts are left out.
        most_once
            Whether a pair counts once at most: whether it is there.
        """
        if self._rows or self._sums is None:
            self._add_up()
        table = self._sums.tocsr()
        if most_once:
            table.data = np.minimum(table.data, 1)
        rows, columns = (_frequent(table.sum(axis=axis), min_count) for axis in (1, 0))
        table = table[rows][:, columns]
        words, contexts = _named(self._words, rows), _named(self._contexts, columns)
        if not table.nnz:
            raise NoPairsError(
                f"no pair of words and contexts is left of {self.total:,}: lower `min_count`, or "
                "check the files"
            )
        return from_scipy(table, words, contexts)


def _frequent(sums: Any, least: int) -> Any:
    return np.flatnonzero(np.asarray(sums).ravel() >= least)


def _named(places: dict[str, int], kept: Iterable[int]) -> list[str]:
    names = list(places)
    return [names[place] for place in kept]
