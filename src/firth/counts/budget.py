"""Memory: how much may be used, and how many positions of text fit in it."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass

from firth.errors import BudgetError, FirthError

DEFAULT = 4 << 30
# Beyond this many positions at a time nothing gets faster, and an interrupted run loses more.
MOST_POSITIONS = 1 << 27
BYTES_PER_POSITION = 8  # its id in the stream, and its place in the postings
# A thread holds a piece of text, its ids and its types: three to four times the text.
BYTES_PER_PIECE = 16 << 20
PENDING = 24 << 20  # finished rows that wait for their turn, as in core/rows.hpp
SLACK = 16 << 20  # the interpreter's comings and goings
SHARE = 0.95  # of the budget that is planned with

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_memory(text: str | int) -> int:
    """Read an amount of memory.

    Examples
    --------
    >>> parse_memory("2G"), parse_memory("512M"), parse_memory("1.5 GiB")
    (2147483648, 536870912, 1610612736)
    """
    if isinstance(text, int):
        amount = text
    else:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", str(text), re.IGNORECASE)
        if match is None:
            raise FirthError(f"{text!r} is not an amount of memory: write 512M or 4G")
        amount = int(float(match[1]) * _UNITS[match[2].upper()])
    if amount <= 0:
        raise FirthError(f"{text!r} is not an amount of memory: write 512M or 4G")
    return amount


def format_bytes(amount: float) -> str:
    """Write a number of bytes for a person.

    Examples
    --------
    >>> format_bytes(512), format_bytes(3 << 20), format_bytes(5 << 30)
    ('512 B', '3.0 MiB', '5.0 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"


def advise(need: float) -> str:
    """Name an amount that will do, as --memory takes it: a tenth more, in steps of 16 MiB.

    What a process holds differs by some megabytes with what is on disk.

    Examples
    --------
    >>> advise(100 << 20)
    '112M'
    """
    return f"{math.ceil(need * 1.1 / (16 << 20)) * 16}M"


def default_budget() -> int:
    """4 GiB, or four fifths of what is free if that is less: for work that goes by parts."""
    return min(DEFAULT, four_fifths_free())


def four_fifths_free() -> int:
    """Return what work that cannot go by parts may take; 4 GiB where nobody tells."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    free = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return DEFAULT
    return free * 4 // 5


def resident() -> int:
    """Bytes of memory this process holds now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def default_threads() -> int:
    """As many threads as there are cores for this process."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Budget:
    """A promise about memory: what may be used in all, and by how many threads."""

    total: int
    threads: int

    def _positions(self, used: int, fixed: int) -> int:
        free = int(self.total * SHARE) - used - fixed - SLACK
        return min(free // BYTES_PER_POSITION, MOST_POSITIONS)

    def hold(self, used: int, words: int) -> None:
        """Raise if the distinct words of a text alone take more than there is."""
        if used > self.total:
            need = advise((used + self._dense(words, words) + SLACK) / SHARE)
            raise BudgetError(
                f"{format_bytes(self.total)} of memory is too little: the {words:,} distinct words "
                f"read so far need {need}; raise --memory"
            )

    def reading(self, used: int) -> int:
        """Positions that may be held while reading, given the memory `used` without them."""
        pieces = (self.threads + 2) * BYTES_PER_PIECE
        return self._positions(used, max(pieces, PENDING))

    def counting(self, used: int, held: int, rows: int, universe: int) -> int:
        """Positions that may be counted at a time.

        `used` is the memory without the `held` positions that wait in memory, at half the price.
        """
        most = self._positions(used, self._dense(rows, universe))
        return most if held <= most else 2 * most - held

    def _dense(self, rows: int, universe: int) -> int:
        # A dense row of 32 bits and one of 64, each with the list of what it touched, a histogram
        # of the postings and a block of finished rows under way, per thread.
        per_thread = universe * (4 + 4 + 8 + 4) + universe // 4 + rows * 4 + universe * 16
        return self.threads * per_thread + 4 * 8 * rows + PENDING

    def batch(self, used: int, columns: int, runs: int) -> int:
        """Bytes of each run to read at a time when merging."""
        dense = self.threads * min(columns, 1 << 20) * 13
        free = int(self.total * SHARE) - used - dense - PENDING - SLACK
        return max(1 << 12, min(1 << 18, free // (self.threads * max(runs, 1))))

    def merging_threads(self, used: int, columns: int) -> int:
        """How many threads may hold a dense row of all columns each, when columns are renamed."""
        free = int(self.total * SHARE) - used - PENDING - SLACK
        fit = free // (columns * 13 + 1)
        if fit < 1:
            need = advise((used + PENDING + SLACK + columns * 13) / SHARE)
            raise BudgetError(
                f"{format_bytes(self.total)} of memory is too little to merge {columns:,} columns: "
                f"about {need} are needed; raise --memory"
            )
        return min(self.threads, fit)

    def refuse(self, used: int, rows: int, universe: int, positions: int, words: int) -> None:
        """Raise the error for a budget that does not hold the smallest chunk."""
        need = used + self._dense(rows, universe) + SLACK + positions * BYTES_PER_POSITION
        threads = f"{self.threads} thread{'s' * (self.threads > 1)}"
        raise BudgetError(
            f"{format_bytes(self.total)} of memory is too little: {words:,} distinct words and "
            f"{threads} need about {advise(need / SHARE)}; raise --memory"
            + (" or lower --threads" if self.threads > 1 else "")
        )
