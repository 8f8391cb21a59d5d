"""Run clang-tidy over ``core`` and ``fuzz``, with one process per processor core.

The checks are listed in ``.clang-tidy``. The compile commands come from a configuration of the
build in ``build/tidy``; nothing is compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "tidy"
BIN = Path(sys.executable).parent  # cmake, ninja and clang-tidy are packages of the environment


def configure() -> None:
    """Write the compile commands of the build."""
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True)
    command: list[str | Path] = [
        *(BIN / "cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dnanobind_DIR={nanobind.strip()}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def tidy(source: Path) -> str:
    """Return what clang-tidy finds in a file.

    The programs in ``fuzz`` have no compile command in this build; clang-tidy uses that of the
    kernel of the same name, which differs only in the include path of the ``fuzz`` folder.
    """
    done = subprocess.run(
        [BIN / "clang-tidy", "--quiet", "-p", BUILD, source],
        capture_output=True,
        text=True,
        check=False,
    )
    # Without findings, stderr only counts the warnings in system headers.
    return done.stdout + done.stderr if done.returncode else ""


def main() -> int:
    """Check all sources; return 1 if there are findings."""
    configure()
    sources = sorted([*ROOT.glob("core/*.cpp"), *ROOT.glob("fuzz/*.cpp")])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [found for found in pool.map(tidy, sources) if found]
    print("".join(findings), end="")
    print(f"clang-tidy: {len(sources)} files, {len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
