"""Build and run the fuzz programs: seeded random inputs, checked against simple oracles.

The programs of the kernels (``fuzz/*.cpp``) are built with sanitizers in ``build/fuzz-NAME``. The
programs of the readers (``fuzz/*.py``) use the installed package, one for each reader. Programs
run in parallel, and each prints how many inputs it ran and how many failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
# Programs in groups, and the share of the inputs that each program gets. Kernels that read text get
# the most, and the programs keep two cores busy for about the same time.
GROUPS = {
    "kernels": {"tokenize": 50, "count": 15, "merge": 15, "vectors": 100, "slice": 10},
    "threads": {"brown": 1, "ward": 2, "products": 5, "weighted": 2},
    "counts": {"store": 10, "hierarchy": 4, "glove-counts": 3, "vocabulary": 3},  # fuzz/store.py
    "formats": {  # fuzz/formats.py
        **{"word2vec": 3, "word2vec-binary": 3, "glove": 3, "fasttext": 3, "gensim": 3},
        **{"projector": 3, "safetensors": 3, "sniff": 3},
    },
}
SHARES = {name: share for group in GROUPS.values() for name, share in group.items()}
SCRIPTS = dict.fromkeys(GROUPS["counts"], "store") | dict.fromkeys(GROUPS["formats"], "formats")
FLAGS = "-O1 -D_GLIBCXX_ASSERTIONS"  # the standard library checks its bounds too


def build(sanitize: str) -> Path:
    """Build the programs of the kernels and return their folder."""
    folder = ROOT / "build" / f"fuzz-{sanitize.replace(',', '-')}"
    configure: list[str | Path] = [
        *(BIN / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DFIRTH_FUZZERS=ON"),
        *(f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}", f"-DFIRTH_SANITIZE={sanitize}"),
        *("-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_FLAGS={FLAGS}"),
    ]
    compile_: list[str | Path] = [BIN / "cmake", "--build", folder]
    for command in (configure, compile_):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
    return folder


def fixed_addresses() -> list[str]:
    """Return a command prefix that switches off address space randomisation.

    ThreadSanitizer does not support the wide random layouts of newer Linux kernels.
    """
    setarch = shutil.which("setarch")
    if setarch and subprocess.run([setarch, "-R", "true"], check=False).returncode == 0:
        return [setarch, "-R"]
    return []


def run(name: str, command: list[str | Path]) -> bool:
    """Run a program and print its summary, or all of its output if it failed."""
    begin = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode:
        print(done.stdout + done.stderr, end="")
        print(f"{name}: failed with status {done.returncode} after {seconds:.0f} s", flush=True)
        return False
    print(f"{name}: {done.stdout.strip()} ({seconds:.0f} s)", flush=True)
    return True


def selected(names: list[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return the programs with these names or in groups with these names; all without names."""
    programs: list[str] = []
    for name in names or SHARES:
        if name not in SHARES and name not in GROUPS:
            parser.error(f"there is no program or group named {name}")
        programs += [name] if name in SHARES else GROUPS[name]
    return programs


def main() -> int:
    """Parse the command line and run the programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "programs",
        nargs="*",
        help=f"{', '.join(SHARES)}, or the groups {', '.join(GROUPS)} (default: all)",
    )
    parser.add_argument("--inputs", type=int, default=2_320_000, help="total number of inputs")
    parser.add_argument("--each", type=int, help="inputs of each program, instead of shares")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--sanitize", default="address,undefined", help="sanitizers for the kernels"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="number of parallel programs"
    )
    options = parser.parse_args()
    programs = selected(options.programs, parser)
    folder = build(options.sanitize) if set(programs) - set(SCRIPTS) else ROOT
    prefix = fixed_addresses() if "thread" in options.sanitize else []
    whole = sum(SHARES[name] for name in programs)
    jobs = []
    for name in programs:
        inputs = options.each or -(-options.inputs * SHARES[name] // whole)
        program: list[str | Path] = [*prefix, folder / f"fuzz_{name}"]
        if name in SCRIPTS:
            program = [sys.executable, ROOT / "fuzz" / f"{SCRIPTS[name]}.py", name]
        jobs.append((name, [*program, str(inputs), str(options.seed)]))
    with ThreadPoolExecutor(options.jobs) as pool:
        fine = list(pool.map(lambda job: run(*job), jobs))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
