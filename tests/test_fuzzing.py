"""The fuzz programs of the readers run: no change of the package leaves them behind."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FUZZ = runpy.run_path(str(ROOT / "tools" / "fuzz.py"))


@pytest.mark.parametrize(("reader", "script"), FUZZ["SCRIPTS"].items())
def test_a_reader_sees_as_many_inputs_as_were_asked_for(reader, script):
    done = subprocess.run(
        [sys.executable, ROOT / "fuzz" / f"{script}.py", reader, "30", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.match(r"30 inputs, 0 failures; [1-9]\d* taken, peak \d+ MiB, slowest ", done.stdout)


def test_every_format_has_a_program():
    from firth.space.formats import FORMATS

    assert set(FUZZ["GROUPS"]["formats"]) == {*FORMATS, "sniff"}


def test_every_program_of_a_kernel_is_built():
    built = re.search(r"foreach\(target ([a-z ]+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert set(built[1].split()) == {*FUZZ["GROUPS"]["kernels"], *FUZZ["GROUPS"]["threads"]}
