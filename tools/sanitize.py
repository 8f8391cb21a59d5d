"""Run the tests with the core built under AddressSanitizer and UndefinedBehaviorSanitizer.

The sanitized core is installed in a separate environment, ``build/sanitize``, which uses all other
packages of the current one. Arguments are passed to pytest. A report of a sanitizer fails the
run, even if it comes from a process that a test started.
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
# Undefined behaviour traps, so that AddressSanitizer reports it. Used together with it, gcc's own
# runtime for undefined behaviour always writes to stderr, which a test may capture.
FLAGS = "-O1 -g -D_GLIBCXX_ASSERTIONS -fsanitize-undefined-trap-on-error"


def build() -> None:
    """Install the sanitized package in an environment that uses the other packages of this one."""
    install(
        HOME,
        "cmake.build-type=None",
        f"cmake.define.FIRTH_SANITIZE={SANITIZERS}",
        f"cmake.define.CMAKE_CXX_FLAGS={FLAGS}",
    )


def library(name: str) -> str:
    """Return the path of a library of the compiler."""
    compiler = os.environ.get("CXX", "g++")
    return subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()


def test(arguments: list[str]) -> int:
    """Run the tests; return the status of pytest, or 1 if a sanitizer reported an error."""
    for old in HOME.glob("report.*"):
        old.unlink()
    # The interpreter does not free all memory at exit, so leaks are not reported; the quarantine is
    # small because tests check memory budgets.
    options = "detect_leaks=0", "quarantine_size_mb=16", "handle_abort=1", "handle_sigill=1"
    environment = os.environ | {
        # The interpreter is not sanitized, so the runtime comes first; it needs the C++ library.
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
        "ASAN_OPTIONS": ":".join((*options, f"log_path={HOME / 'report'}")),
        "PATH": f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}",
    }
    status = subprocess.run(
        # In one process: workers of pytest-xdist do not always start or end under a sanitizer.
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
