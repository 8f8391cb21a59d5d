"""Reading a corpus once. Its distinct words go to one lexicon, its tokens to memory or disk."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.budget import Budget
from firth.counts.workspace import Workspace
from firth.progress import Event, Progress
from firth.resources import resident
from firth.text.parts import Part, Seen, ordered, tokenize
from firth.text.pieces import Piece

Ids = NDArray[np.uint32]


@dataclass
class _Held:
    """One part: its tokens and the corpus-wide ids of its types; None where it is on disk."""

    length: int
    seen: Seen
    ids: Ids | None = None
    types: Ids | None = None


class Reading:
    """The tokens of a corpus, part by part, and its lexicon.

    Parts stay in memory as long as the budget allows. Later ones go to the workspace, where an
    interrupted run can read them again.
    """

    def __init__(self, work: Workspace, budget: Budget, lower: bool, strict: bool) -> None:
        self.lexicon = _core.Lexicon()
        self.seen = Seen()
        self._held: list[_Held] = []
        self._lock = threading.Lock()
        self._work = work
        self._budget = budget
        self._lower = lower
        self._strict = strict
        self._spilling = any(work.parts.iterdir())

    @property
    def lengths(self) -> list[int]:
        """Positions of each part, before rare words are dropped."""
        return [held.length for held in self._held]

    @property
    def firsts(self) -> list[int]:
        """How many tokens precede each part."""
        return [0, *accumulate(held.seen.tokens for held in self._held)][:-1]

    def held(self, first: int = 0) -> int:
        """Return how many positions are held in memory, of the parts from `first` on."""
        return sum(held.length for held in self._held[first:] if held.ids is not None)

    def read(self, pieces: Iterable[Piece], size: int, progress: Progress) -> None:
        """Tokenise every piece; `size` is the number of bytes on disk, for progress."""
        base = resident()
        positions = 0
        for piece, held in ordered(self._tokenize, pieces, self._budget.threads):
            self.seen += held.seen
            self._held.append(held)
            positions += held.length
            used = base + 2 * self.lexicon.nbytes
            self._budget.hold(used, len(self.lexicon))
            self._spilling = self._spilling or positions > self._budget.reading(used)
            done = min(piece.bytes_on_disk, size) if size else self.seen.bytes_read
            progress(Event("reading", done, size, self.seen.tokens, "bytes"))

    def fetch(self, number: int) -> tuple[Ids, Ids]:
        """Return a part's tokens, and the corpus-wide id of each of its types."""
        held = self._held[number]
        if held.ids is not None and held.types is not None:
            return held.ids, held.types
        part = Part.load(self._work.part(number))
        return part.ids, self._types(part)

    def release(self, last: int) -> None:
        """Release the parts before `last`, which will not be fetched again."""
        for number in range(last):
            held = self._held[number]
            if held.ids is not None:
                self._held[number] = _Held(held.length, held.seen)

    def _tokenize(self, number: int, piece: Piece) -> _Held:
        path = self._work.part(number)
        part = None
        if self._spilling and path.exists():
            try:
                part = Part.load(path)
            except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
                path.unlink()  # cut short when the earlier run ended
        if part is None:
            part = tokenize(piece, self._lower, self._strict)
            if self._spilling:
                part.save(path)
        types = self._types(part, new=True)
        if path.exists():
            return _Held(len(part.ids), part.seen)
        return _Held(len(part.ids), part.seen, part.ids, types)

    def _types(self, part: Part, new: bool = False) -> Ids:
        """Find a part's types in the lexicon, and add their counts if the part is new."""
        counts = part.counts if new else np.zeros_like(part.counts)
        with self._lock:
            return self.lexicon.merge(part.text, part.ends, counts)
