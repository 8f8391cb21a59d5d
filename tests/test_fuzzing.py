"""The fuzz programs of the readers run with the present package."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FUZZ = runpy.run_path(str(ROOT / "tools" / "fuzz.py"))


@pytest.mark.parametrize(("reader", "script"), FUZZ["SCRIPTS"].items())
def test_a_reader_runs_the_given_number_of_inputs(reader, script):
    done = subprocess.run(
        [sys.executable, ROOT / "fuzz" / f"{script}.py", reader, "30", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary = r"30 inputs, 0 failures; [1-9]\d* accepted, peak \d+ MiB, slowest "
    assert re.match(summary, done.stdout)


def test_every_format_has_a_fuzz_program():
    from firth.space.formats import FORMATS

    assert set(FUZZ["GROUPS"]["formats"]) == {*FORMATS, "sniff"}


def test_every_fuzz_program_of_a_kernel_is_built():
    built = re.search(r"foreach\(target ([a-z ]+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert set(built[1].split()) == {*FUZZ["GROUPS"]["kernels"], *FUZZ["GROUPS"]["threads"]}
