"""The loop that every program over a reader runs, and the damage that any file can take.

``PROGRAM READER INPUTS SEED [FIRST]``: input i of a seed is the same whatever ran before it, so
that a failure can be run again alone. The process may take a gibibyte more than it had before its
first input, and an input `LONGEST` seconds; what takes more is a failure.
"""

from __future__ import annotations

import argparse
import errno
import faulthandler
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import firth

LONGEST = 20  # seconds for one input: past it, a reader hangs
ROOM = 1 << 30  # bytes of memory for the readers
STRETCH = 1000  # inputs, over which a kernel that hangs is noticed: no signal reaches Python there
STUCK = 120  # seconds for a stretch
MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\x80\x04", b"\x93NUMPY\x02\x00", b"\x93NUMPY\x03\x00", b"")

Files = dict[str, bytes]
One = Callable[[random.Random], None]


def flip(draw: random.Random, data: bytes) -> bytes:
    """Change bits, bytes and whole numbers."""
    out = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        if not out:
            break
        at = draw.randrange(len(out))
        kind = draw.randrange(4)
        if kind == 0:
            out[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            out[at] = draw.randrange(256)
        else:
            width = 4 * draw.randint(1, 2)
            at -= at % width
            number = draw.choice((-1, 0, 1, 2, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), at))
            out[at : at + width] = (number % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(out)


def splice(draw: random.Random, data: bytes) -> bytes:
    """Cut, repeat, move and insert stretches."""
    begin, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    kind = draw.randrange(6)
    if kind == 0:
        return data[:begin]
    if kind == 1:
        return data[:begin] + data[end:]
    if kind == 2:
        return data[:end] + data[begin:]
    if kind == 3:
        return data + draw.randbytes(draw.randint(1, 20))
    if kind == 4:
        return (
            data[:begin]
            + draw.choice((b"\n", b"\t", b" ", b"\xff", b"\0", b"9", b"\\"))
            + data[begin:]
        )
    return draw.choice(MAGIC) + data[draw.choice((0, begin)) :]


@dataclass
class Tally:
    """What became of the inputs."""

    failures: int = 0
    taken: int = 0  # without an error
    slowest: float = 0.0  # seconds
    shown: set[str] = field(default_factory=set)

    def show(self, error: BaseException, where: str) -> None:
        """Print a failure, once for each place that it comes from."""
        self.failures += 1
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} {place.filename}:{place.lineno}"
        if kind not in self.shown:
            self.shown.add(kind)
            traceback.print_exception(error)
            print(f"{where}\n", file=sys.stderr)


class Hang(BaseException):
    """A reader took too long; no reader catches this and calls it a damaged file."""


def too_long(_signal: int, _frame: FrameType | None) -> None:
    """Stop a reader that hangs."""
    raise Hang(f"a reader took more than {LONGEST} s")


def out_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, is that memory was refused."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


def bound_memory() -> None:
    """Let no reader take more than `ROOM`, where the system can see to that."""
    held = Path("/proc/self/statm")
    if held.exists():
        most = int(held.read_text().split()[0]) * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def fuzz(one: One, inputs: int, seed: int, first: int) -> Tally:
    """Run inputs through a reader, which may take or refuse each, in one line."""
    tally = Tally()
    for number in range(first, first + inputs):
        if (number - first) % STRETCH == 0:
            faulthandler.dump_traceback_later(STUCK, exit=True)
        draw = random.Random(f"{seed} {number}")
        begin = time.perf_counter()
        signal.alarm(LONGEST)
        try:
            one(draw)
            tally.taken += 1
        except firth.FirthError as error:
            if not str(error) or "\n" in str(error):
                tally.show(error, f"not one line: input {number} of seed {seed}")
            elif out_of_memory(error):
                tally.show(error, f"more than {ROOM:,} bytes: input {number} of seed {seed}")
        except (Exception, Hang) as error:
            tally.show(error, f"input {number} of seed {seed}")
        tally.slowest = max(tally.slowest, time.perf_counter() - begin)
    signal.alarm(0)
    faulthandler.cancel_dump_traceback_later()
    return tally


def run(names: tuple[str, ...], make: Callable[[Path, str], One], about: str | None) -> int:
    """Read the command line of a program, and run one of its readers."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("reader", choices=names)
    parser.add_argument("inputs", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("first", type=int, nargs="?", default=0)
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("error")  # a damaged file is refused, not wondered at
    signal.signal(signal.SIGALRM, too_long)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="firth-fuzz-", dir=memory if memory.is_dir() else None
    ) as folder:
        one = make(Path(folder), options.reader)
        bound_memory()
        tally = fuzz(one, options.inputs, options.seed, options.first)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{options.inputs} inputs, {tally.failures} failures; {tally.taken} taken, peak {peak} "
        f"MiB, slowest {tally.slowest:.2f} s"
    )
    return 1 if tally.failures else 0
