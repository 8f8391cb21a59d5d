"""Run the tests with each level of the instruction set alone, and on kinds of BLAS kernels.

``python tools/variants.py avx2 Haswell 2 tests/clusters`` builds the core for AVX2, and runs the
tests with OpenBLAS's kernels for Haswell on two threads; arguments after these are for pytest.
Without arguments all that this machine can run follow each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from separate import ROOT, install

# A level of the core, and a kind and a number of threads of BLAS: each of either comes once.
RUNS: tuple[tuple[str, str, str], ...] = (
    ("baseline", "Nehalem", "1"),
    ("avx2", "Haswell", "2"),
    ("avx2", "Zen", "1"),
    ("avx512f", "SkylakeX", "2"),
)


def runs_here(level: str) -> bool:
    """Whether this machine has a level of the instruction set."""
    information = Path("/proc/cpuinfo")
    flags = information.read_text().split() if information.exists() else []
    return level == "baseline" or level in flags


def test(level: str, kernels: str, threads: str, arguments: list[str]) -> int:
    """Build the core for a level and run the tests; return pytest's status."""
    python = install(ROOT / "build" / f"core-{level}", f"cmake.define.FIRTH_VARIANT={level}")
    environment = os.environ | {
        "OPENBLAS_CORETYPE": kernels,
        "OPENBLAS_NUM_THREADS": threads,
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
    }
    print(f"core {level}, BLAS {kernels}, {threads} threads", flush=True)
    command: list[str | Path] = [
        python,
        "-m",
        "pytest",
        "-q",
        "-n",
        "auto",
        "-m",
        "not slow",
        *arguments,
    ]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    given = sys.argv[1:]
    chosen = RUNS
    if given and given[0] in {level for level, _, _ in RUNS}:
        chosen, given = ((given[0], given[1], given[2]),), given[3:]
    failed = False
    for run in chosen:
        if not runs_here(run[0]):
            print(f"core {run[0]}: this machine cannot run it")
            continue
        failed = bool(test(*run, given)) or failed
    sys.exit(failed)
