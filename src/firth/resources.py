"""Resources: the threads, memory and device that a run may use, and where it reports progress.

One small object is passed from the caller to every step of a run. Nothing here is global, and
nothing here changes a result.
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from operator import index
from typing import Any, ParamSpec, TypeVar

import numpy as np

from firth.errors import BudgetError, FirthError
from firth.progress import Event, Progress, silent

UNKNOWN_MEMORY = 4 << 30  # assumed to be free where the system does not say

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, init=False)
class Resources:
    """What a run may use, and where it reports progress.

    Attributes
    ----------
    threads
        How many threads to use; all cores if None. No result depends on it.
    memory
        The most memory to use, in bytes or as ``"2G"``; four fifths of what is free if None. Work
        that can go in parts is cut to fit; other work that needs more is refused before it begins.
    device
        Where dense linear algebra runs.
    progress
        Called with an `Event` now and then.

    Examples
    --------
    >>> Resources(threads=2, memory="2G").limit
    2147483648
    """

    threads: int
    memory: int | None
    device: str
    progress: Progress

    def __init__(
        self,
        threads: int | None = None,
        memory: int | str | None = None,
        device: str = "cpu",
        progress: Progress = silent,
    ) -> None:
        if device != "cpu":
            raise FirthError(f"`device` must be 'cpu', not {device!r}")
        object.__setattr__(self, "threads", _whole_threads(threads))
        object.__setattr__(self, "memory", None if memory is None else parse_memory(memory))
        object.__setattr__(self, "device", device)
        object.__setattr__(self, "progress", progress)

    @property
    def limit(self) -> int:
        """The most bytes that a run may hold: `memory`, or four fifths of what is free."""
        return four_fifths_free() if self.memory is None else self.memory

    def report(self, stage: str, text: str) -> None:
        """Report a line of text."""
        self.progress(Event(stage, text=text))

    def require(self, more: int, size: str, lower: str) -> None:
        """Report how much memory a run needs, or raise if that is above the limit.

        Parameters
        ----------
        more
            Bytes needed beyond what the process holds already.
        size
            What needs them, in words.
        lower
            The parameter that would lower the need.
        """
        need, limit = more + resident(), self.limit
        if need > limit:
            raise BudgetError(
                f"{format_bytes(limit)} of memory is too little: {size} need about "
                f"{advise(need)}; raise `memory`, or lower `{lower}`"
            )
        self.report("memory", f"about {format_bytes(need)} of memory will be needed")


def accept_former_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function that takes `resources` also take ``threads``, ``memory`` and ``progress``.

    These were keywords of their own before `Resources`; they work for one more version, with a
    warning.
    """

    @wraps(function)
    def with_former(*args: P.args, **kwargs: P.kwargs) -> R:
        given = {name: kwargs.pop(name) for name in _FORMER if name in kwargs}
        if given:
            named = ", ".join(f"{name}=…" for name in given)
            warnings.warn(
                f"{function.__name__}({named}) is deprecated: "
                f"use resources=firth.Resources({named})",
                DeprecationWarning,
                stacklevel=2,
            )
            kept: Any = kwargs.get("resources") or Resources()
            values = {name: getattr(kept, name) for name in ("threads", "memory", "progress")}
            made: Any = Resources(**{**values, **given})
            kwargs["resources"] = made
        return function(*args, **kwargs)

    return with_former


_FORMER = ("threads", "memory", "progress")


def _whole_threads(threads: Any) -> int:
    if threads is None:
        return default_threads()
    try:
        number = index(threads)
    except TypeError:
        number = 0
    if number < 1:
        raise FirthError(f"`threads` must be 1 or more, not {threads!r}")
    return number


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
    """Name an amount of memory that suffices: a tenth more, in steps of 16 MiB.

    The same run needs a few megabytes more or less from one time to the next.

    Examples
    --------
    >>> advise(100 << 20)
    '112M'
    """
    return f"{math.ceil(need * 1.1 / (16 << 20)) * 16}M"


def four_fifths_free() -> int:
    """Return four fifths of the memory that is free; of 4 GiB where the system does not say."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    free = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        free = UNKNOWN_MEMORY
    return free * 4 // 5


def resident() -> int:
    """Return the bytes of memory that this process holds now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def mapped(*arrays: Any) -> int:
    """Return the bytes of arrays that are mapped files and have not been read into memory yet."""
    files = [array for array in arrays if isinstance(array.base, np.memmap)]
    if not files:
        return 0
    regions = list(_regions())
    return sum(max(0, array.nbytes - _read(array, regions)) for array in files)


def _read(array: Any, regions: list[tuple[int, int, int]]) -> int:
    """Return how much of a mapped array is in memory."""
    first = array.ctypes.data
    last = first + array.nbytes
    return sum(held for begin, end, held in regions if begin < last and first < end)


def _regions() -> Iterator[tuple[int, int, int]]:
    """Yield the regions of this process's addresses, and how much of each is in memory."""
    begin = end = 0
    try:
        with open("/proc/self/smaps", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("Rss:"):
                    yield begin, end, int(line.split()[1]) * 1024
                elif match := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
                    begin, end = int(match[1], 16), int(match[2], 16)
    except OSError:  # not on this system: nothing is known to be in memory
        return


def default_threads() -> int:
    """Return as many threads as there are cores for this process."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
