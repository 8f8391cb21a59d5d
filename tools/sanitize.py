"""Run the tests with the core built under AddressSanitizer and UndefinedBehaviorSanitizer.

The sanitized core lives in an environment of its own, ``build/sanitize``, which borrows all other
packages from the one that runs this. Arguments are handed to pytest. A report of a sanitizer
fails the run, also where it came from a process that a test started.
"""

from __future__ import annotations

import os
import subprocess
import sys

from separate import ROOT, install, python_of

HOME = ROOT / "build" / "sanitize"
PYTHON = python_of(HOME)
SANITIZERS = "address,undefined"
# Assertions stay on: nanobind then checks that the interpreter lock is held where it must be.
# Undefined behaviour traps, so that AddressSanitizer reports it: beside it, gcc's own runtime for
# undefined behaviour writes to stderr whatever it is told, which a test may well swallow.
FLAGS = "-O1 -g -D_GLIBCXX_ASSERTIONS -fsanitize-undefined-trap-on-error"


def build() -> None:
    """Install the package, sanitized, into an environment that borrows the rest from this one."""
    install(
        HOME,
        "cmake.build-type=None",
        f"cmake.define.FIRTH_SANITIZE={SANITIZERS}",
        f"cmake.define.CMAKE_CXX_FLAGS={FLAGS}",
    )


def library(name: str) -> str:
    """Return where the compiler keeps a library."""
    compiler = os.environ.get("CXX", "g++")
    return subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()


def test(arguments: list[str]) -> int:
    """Run the tests; return pytest's status, or 1 if a sanitizer had something to say."""
    for old in HOME.glob("report.*"):
        old.unlink()
    # The interpreter keeps memory to its end by design, and tests hold it to budgets of memory.
    options = "detect_leaks=0", "quarantine_size_mb=16", "handle_abort=1", "handle_sigill=1"
    environment = os.environ | {
        # The interpreter is not sanitized, so the runtime comes first; it needs the C++ library.
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
        "ASAN_OPTIONS": ":".join((*options, f"log_path={HOME / 'report'}")),
        "PATH": f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}",
    }
    status = subprocess.run(
        # In one process: a worker of pytest-xdist does not always come up or end under a sanitizer.
        [PYTHON, "-m", "pytest", "-p", "no:xdist", "-m", "not slow and not memory", *arguments],
        cwd=ROOT,
        env=environment,
        check=False,
    ).returncode
    reports = sorted(HOME.glob("report.*"))
    for path in reports:
        print(path.read_text(errors="replace"))
    print(f"{len(reports)} reports of sanitizers")
    return status or (1 if reports else 0)


if __name__ == "__main__":
    build()
    sys.exit(test(sys.argv[1:]))
