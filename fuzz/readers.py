"""The loop that fuzzes a reader, and ways to damage any file.

Usage of the programs: ``PROGRAM READER INPUTS SEED [FIRST]``. Input i of a seed does not depend on
what ran before it, so that a failure can be run again alone. It is a failure if the process takes
more than `ROOM` bytes beyond what it had before the first input, or an input takes more than
`LONGEST` seconds.
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

LONGEST = 20  # seconds for one input; more counts as a hang
ROOM = 1 << 30  # bytes of memory for the readers
# A signal cannot interrupt a kernel that hangs, so inputs are also timed in batches.
BATCH = 1000  # inputs
LONGEST_BATCH = 120  # seconds
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
    """Cut, repeat, move or insert ranges of bytes."""
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
    """Outcomes of the inputs."""

    failures: int = 0
    accepted: int = 0  # read without an error
    slowest: float = 0.0  # seconds
    shown: set[str] = field(default_factory=set)

    def show(self, error: BaseException, where: str) -> None:
        """Print a failure, once for each place that raises it."""
        self.failures += 1
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} {place.filename}:{place.lineno}"
        if kind not in self.shown:
            self.shown.add(kind)
            traceback.print_exception(error)
            print(f"{where}\n", file=sys.stderr)


class Hang(BaseException):
    """A reader took too long. Not an `Exception`, so that no reader catches it."""


def too_long(_signal: int, _frame: FrameType | None) -> None:
    """Stop a reader that hangs."""
    raise Hang(f"a reader took more than {LONGEST} s")


def out_of_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is a failed allocation."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


def bound_memory() -> None:
    """Limit the memory of the readers to `ROOM`, where the system supports it."""
    held = Path("/proc/self/statm")
    if held.exists():
        most = int(held.read_text().split()[0]) * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def fuzz(one: One, inputs: int, seed: int, first: int) -> Tally:
    """Run inputs through a reader, which may accept each or refuse it with one line."""
    tally = Tally()
    for number in range(first, first + inputs):
        if (number - first) % BATCH == 0:
            faulthandler.dump_traceback_later(LONGEST_BATCH, exit=True)
        draw = random.Random(f"{seed} {number}")
        begin = time.perf_counter()
        signal.alarm(LONGEST)
        try:
            one(draw)
            tally.accepted += 1
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
    """Parse the command line of a program and run one of its readers."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("reader", choices=names)
    parser.add_argument("inputs", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("first", type=int, nargs="?", default=0)
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("error")  # a damaged file must be refused, not warned about
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
        f"{options.inputs} inputs, {tally.failures} failures; {tally.accepted} accepted, "
        f"peak {peak} MiB, slowest {tally.slowest:.2f} s"
    )
    return 1 if tally.failures else 0
