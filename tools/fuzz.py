"""Build and run the fuzz programs: seeded random inputs, checked against slow and obvious oracles.

The kernels' programs (``fuzz/*.cpp``) are built under sanitizers into ``build/fuzz-NAME``; the
readers' programs (``fuzz/*.py``) run on the installed package, one for each reader. Programs run
beside each other, and each prints how many inputs it ran and how many failed.
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
# Programs in groups, and the shares of the inputs that each of them gets: in such proportion that
# the kernels that read text see most, and two cores are done at about the same time.
GROUPS = {
    "kernels": {"tokenize": 50, "count": 15, "merge": 15, "vectors": 100},
    "threads": {"brown": 1, "ward": 2, "products": 5, "weighted": 2},
    "counts": {"store": 12, "glove-counts": 4, "vocabulary": 4},  # fuzz/store.py
    "formats": {  # fuzz/formats.py
        **{"word2vec": 3, "word2vec-binary": 3, "glove": 3, "fasttext": 3, "gensim": 3},
        **{"projector": 3, "safetensors": 3, "sniff": 3},
    },
}
SHARES = {name: share for group in GROUPS.values() for name, share in group.items()}
SCRIPTS = dict.fromkeys(GROUPS["counts"], "store") | dict.fromkeys(GROUPS["formats"], "formats")
FLAGS = "-O1 -D_GLIBCXX_ASSERTIONS"  # the standard library checks its bounds too


def build(sanitize: str) -> Path:
    """Build the kernels' programs; return the folder that they are in."""
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
    """Return a prefix that lays out memory alike on each run.

    ThreadSanitizer's shadow has no room for the wide random layouts of newer kernels.
    """
    setarch = shutil.which("setarch")
    if setarch and subprocess.run([setarch, "-R", "true"], check=False).returncode == 0:
        return [setarch, "-R"]
    return []


def run(name: str, command: list[str | Path]) -> bool:
    """Run a program to its end and print its last line; all it said, if it failed."""
    begin = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode:
        print(done.stdout + done.stderr, end="")
        print(f"{name}: failed with status {done.returncode} after {seconds:.0f} s", flush=True)
        return False
    print(f"{name}: {done.stdout.strip()} ({seconds:.0f} s)", flush=True)
    return True


def named(names: list[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return the programs of names, which may be those of groups; all if there are none."""
    programs: list[str] = []
    for name in names or SHARES:
        if name not in SHARES and name not in GROUPS:
            parser.error(f"no program or group of the name {name}")
        programs += [name] if name in SHARES else GROUPS[name]
    return programs


def main() -> int:
    """Read the command line and run the programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "programs",
        nargs="*",
        help=f"of {', '.join(SHARES)}, or the groups {', '.join(GROUPS)}; all if none is named",
    )
    parser.add_argument("--inputs", type=int, default=2_320_000, help="over all programs")
    parser.add_argument("--each", type=int, help="inputs for each program, whatever its share")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sanitize", default="address,undefined", help="sanitizers of the kernels")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    options = parser.parse_args()
    programs = named(options.programs, parser)
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
