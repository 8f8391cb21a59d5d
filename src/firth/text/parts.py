"""Tokenised pieces of text, made on several threads and returned in the order of the text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.text.pieces import Piece, not_utf8

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Seen:
    """Figures of the text that was read."""

    bytes_read: int = 0
    lines: int = 0
    tokens: int = 0
    invalid: int = 0  # malformed UTF-8 sequences, replaced by U+FFFD
    nul: int = 0  # NUL bytes, read as spaces
    blank: int = 0  # tokens without a visible character, left out

    def __add__(self, other: Seen) -> Seen:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Seen(*(a + b for a, b in pairs))


@dataclass(frozen=True)
class Part:
    """A tokenised piece: its types, and its tokens as numbers of types; 0 ends a line."""

    ids: NDArray[np.uint32]
    text: NDArray[np.uint8]
    ends: NDArray[np.uint64]
    counts: NDArray[np.int64]
    seen: Seen

    def save(self, path: Path) -> None:
        """Write the part to a temporary file, in the smallest integer types, and rename it.

        The file is not forced to disk: its checksums show damage, and making it again is cheap.
        """
        aside = path.with_suffix(".writing")
        with open(aside, "wb") as file:
            np.savez(
                file,
                ids=_narrow(self.ids, len(self.ends)),
                text=self.text,
                lengths=_narrow(np.diff(self.ends, prepend=np.uint64(0))),
                counts=_narrow(self.counts),
                seen=np.array([getattr(self.seen, f.name) for f in fields(Seen)], np.int64),
            )
        aside.rename(path)

    @classmethod
    def load(cls, path: Path) -> Part:
        """Read a saved part, and verify its checksums."""
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            return cls(
                arrays["ids"].astype(np.uint32, copy=False),
                arrays["text"],
                np.cumsum(arrays["lengths"], dtype=np.uint64),
                arrays["counts"].astype(np.int64, copy=False),
                Seen(*(int(value) for value in arrays["seen"])),
            )


def _narrow(array: NDArray[Any], most: int | None = None) -> NDArray[Any]:
    """Return an array of numbers from 0 to `most` in the smallest type that holds them."""
    largest = int(array.max(initial=0)) if most is None else most
    return array.astype(np.min_scalar_type(largest), copy=False)


def tokenize(piece: Piece, lower: bool, strict: bool) -> Part:
    """Tokenise one piece in the core."""
    ids, text, ends, counts, seen = _core.tokenize(piece.read(), piece.mode, lower, False)
    if strict and seen["first_invalid"] >= 0:
        raise not_utf8(*piece.place(seen["first_invalid"]))
    return Part(
        ids,
        text,
        ends,
        counts,
        Seen(
            piece.bytes_read,
            seen["lines"],
            seen["tokens"],
            seen["invalid"] + piece.invalid,
            seen["nul"],
            piece.blank,
        ),
    )


def ordered(
    work: Callable[[int, Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Result]]:
    """Apply `work` to numbered items on several threads, and yield items with results in order.

    At most two more items than threads are in progress at a time, which bounds memory.
    """
    if threads == 1:
        for number, item in enumerate(items):
            yield item, work(number, item)
        return
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="firth") as pool:
        try:
            for number, item in enumerate(items):
                waiting.append((item, pool.submit(work, number, item)))
                if len(waiting) > threads + 1:
                    done, future = waiting.popleft()
                    yield done, future.result()
            while waiting:
                done, future = waiting.popleft()
                yield done, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
