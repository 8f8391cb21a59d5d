"""Measure time and peak memory of whole processes, and find the corpora."""

from __future__ import annotations

import compileall
import lzma
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WORK = Path("build/bench")


@dataclass(frozen=True)
class Run:
    """One run of a command."""

    seconds: float
    peak: int  # bytes of resident memory


@dataclass(frozen=True)
class Measured:
    """Several runs of one command."""

    runs: tuple[Run, ...]

    @property
    def seconds(self) -> float:
        """The median time."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def peak(self) -> int:
        """The peak memory of all runs."""
        return max(run.peak for run in self.runs)

    @property
    def spread(self) -> str:
        """The range of times."""
        times = [run.seconds for run in self.runs]
        return f"{min(times):.2f} to {max(times):.2f}"


def run(command: Sequence[str], out: Path | None = None, **environment: str) -> Run:
    """Remove the output of a command and run it; exit if the command fails."""
    if out is not None:
        shutil.rmtree(out, ignore_errors=True)
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}")
    return Run(seconds, usage.ru_maxrss * 1024)


def alternate(commands: dict[str, Sequence[str]], repeats: int, out: Path) -> dict[str, Measured]:
    """Run commands in turn, `repeats` times, so that noise affects all of them alike."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            runs[name].append(run(command, out, LC_ALL="C"))
    return {name: Measured(tuple(found)) for name, found in runs.items()}


def together(commands: dict[Path, Sequence[str]], repeats: int) -> float:
    """Run commands at the same time; return the median seconds until all have ended."""
    times = []
    for _ in range(repeats):
        for out in commands:
            shutil.rmtree(out, ignore_errors=True)
        begun = time.perf_counter()
        quiet = subprocess.DEVNULL
        running = [subprocess.Popen(command, stdout=quiet) for command in commands.values()]
        if max(process.wait() for process in running):
            raise SystemExit(f"{', '.join(map(str, commands))}: one of the runs failed")
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def firth(*arguments: str) -> list[str]:
    """Return a command line of firth, after compiling its byte code as pip does."""
    compileall.compile_dir("src/firth", quiet=2)
    return [str(Path(sys.executable).with_name("firth")), *arguments]


def data_folder() -> Path:
    """Return the folder of the corpora: FIRTH_DATA, or ../shared/data."""
    folder = Path(os.environ.get("FIRTH_DATA", "../shared/data"))
    if not folder.is_dir():
        raise SystemExit(f"{folder}: no such folder: set FIRTH_DATA to the folder of the corpora")
    return folder


def corpus(name: str = "wiki17m") -> Path:
    """Return the path of a corpus; decompress it once."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{name}.txt"
    if not path.exists():
        source = data_folder() / "corpus" / f"{name}.txt.xz"
        with lzma.open(source) as packed, open(path.with_suffix(".part"), "wb") as out:
            shutil.copyfileobj(packed, out)
        path.with_suffix(".part").rename(path)
    return path


def repeated(times: int) -> Path:
    """Return the path of several copies of the corpus, each with its lines in another order."""
    source = corpus()
    if times == 1:
        return source
    path = WORK / f"wiki17m-x{times}.txt"
    if not path.exists():
        lines = source.read_bytes().splitlines(keepends=True)
        with open(path.with_suffix(".part"), "wb") as out:
            for seed in range(times):
                random.Random(seed).shuffle(lines)
                out.writelines(lines)
        path.with_suffix(".part").rename(path)
    return path


def warm(path: Path) -> Path:
    """Read a file once, so that the system caches it, and return its path."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass
    return path


def machine() -> str:
    """Describe the machine in one line."""
    model = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    python = platform.python_version()
    return f"{model}, {cores} cores, {memory:.0f} GiB, {platform.system()}, Python {python}"
