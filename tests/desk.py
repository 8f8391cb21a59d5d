"""Run the command line in a folder; check its output and the files that it leaves."""

import json
import os
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

FIRTH = Path(sys.executable).with_name("firth")
TEXT = "the cat sat on the mat\nthe dog sat on the cat\n"


@dataclass(frozen=True)
class Ended:
    """The exit status and the output of a command."""

    code: int
    out: str
    err: str


class Desk:
    """A folder in which firth is run as a user would run it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.started: list[subprocess.Popen] = []
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "COLUMNS"},
            "TMPDIR": str(path / "temporary"),
            "PYTHONIOENCODING": "utf-8:strict",
            "TERM": "xterm-256color",
            "OPENBLAS_NUM_THREADS": "1",  # starts in a quarter of the time
        }

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def words(self, *parts: str | Path, first: str = "") -> list[str | Path]:
        """Return a command line; `first` is Python to run in the process before firth."""
        if not first:
            return [FIRTH, *parts]
        replace = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"
        return [sys.executable, "-c", f"{first}\n{replace}", FIRTH, *parts]

    def start(self, *parts: str | Path, first: str = "", **settings) -> subprocess.Popen:
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(
            self.words(*parts, first=first),
            **{"cwd": self.path, "env": self.environment, **streams, **settings},
        )
        self.started.append(process)
        return process

    def clear(self) -> None:
        """Kill the processes that a failed test left running."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def firth(self, *parts: str | Path, stdin: bytes = b"", **settings) -> Ended:
        """Run a command and wait until it ends."""
        with self.start(*parts, **settings) as process:
            out, err = process.communicate(stdin, timeout=120)
        return ended(process, out, err)

    def result(self, *parts: str | Path, **settings) -> dict:
        """Run a command that must succeed without messages; return its JSON output."""
        done = self.firth(*parts, "--quiet", "--json", **settings)
        assert (done.code, done.err) == (0, "")
        return json.loads(done.out)

    def refusal(self, *parts: str | Path, **settings) -> str:
        """Run a command that must fail and change no file; return its one-line message."""
        before = self.snapshot()
        done = self.firth(*parts, "--quiet", **settings)
        line = one_line(done)
        assert done.code == 1, line
        assert done.out == ""
        assert self.snapshot() == before
        return line

    def snapshot(self) -> dict[str, object]:
        """Return the content of every file in the folder."""
        return {os.fsdecode(path): _content(path) for path in sorted(_below(bytes(self.path)))}

    def leftovers(self) -> list[str]:
        """Return the names of temporary files that a run should have removed."""
        found = [*self.path.rglob("*.partial"), *self.path.rglob("*.writing")]
        return sorted(str(path) for path in [*found, *(self / "temporary").iterdir()])


def _below(folder: bytes):
    try:
        entries = list(os.scandir(folder))
    except PermissionError:
        return
    for entry in entries:
        yield entry.path
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)


def _content(path: bytes) -> object:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(path)  # noqa: PTH115 - bytes
    if not stat.S_ISREG(status.st_mode):
        return stat.S_IFMT(status.st_mode)
    try:
        content = Path(os.fsdecode(path)).read_bytes()
    except PermissionError:
        content = None
    return content, status.st_size, status.st_mtime_ns


def ended(process: subprocess.Popen, out: bytes, err: bytes) -> Ended:
    return Ended(process.returncode, out.decode(), err.decode())


def one_line(done: Ended) -> str:
    """Return the only line on standard error, without the name of the program."""
    assert "Traceback" not in done.err
    assert done.err.startswith("firth: "), done.err
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1, done.err
    return done.err.removeprefix("firth: ").rstrip("\n")


def wait_for(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)
