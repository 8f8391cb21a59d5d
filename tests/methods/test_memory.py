"""The memory that a weighted fit says it needs, beside what it takes."""

import re
import subprocess
import sys

import numpy as np
import pytest

import firth
from firth.counts.matrix import Counts
from firth.resources import mapped

RUN = """
import sys
from firth.cli import main
sys.argv = ["firth", *sys.argv[1:]]
try:
    main()
finally:
    with open("/proc/self/status") as lines:
        print(next(line for line in lines if line.startswith("VmHWM")), file=sys.stderr)
"""
UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}


@pytest.fixture(scope="module", params=["symmetric", "left"])
def stored(request, tmp_path_factory):
    """Counts of a text of 400,000 tokens, drawn by Zipf's law, whose words lean to topics."""
    rng = np.random.default_rng(0)
    words = rng.zipf(1.2, 3_000_000) - 1
    tokens = words[words < 6000][:400_000].reshape(-1, 500)
    tokens = (tokens + 37 * (np.arange(len(tokens)) % 20)[:, None]) % 6000
    lines = [" ".join(f"w{word}" for word in line) for line in tokens.tolist()]
    path = tmp_path_factory.mktemp("memory") / request.param
    return path, firth.count(lines, context=request.param, min_count=1, out=path)


def measured(path, *options):
    """Return the bytes that a fit says it needs, and those that it takes at most."""
    command = [sys.executable, "-c", RUN, "fit", path, "-o", path.parent / "space", "--force"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    number, unit = re.search(r"about ([\d.]+) (\wiB) of memory", done.stderr).groups()
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", done.stderr)[1]) * 1024
    return float(number) * UNITS[unit], peak


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell peaks as Linux does")
@pytest.mark.parametrize("dim", ["50", "200"])
def test_a_fit_takes_the_memory_that_it_says(stored, dim):
    path, _ = stored
    told, peak = measured(path, "--dim", dim, "--sweeps", "1")
    assert told == pytest.approx(peak, rel=0.15)


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell peaks as Linux does")
def test_it_takes_eight_bytes_a_nonzero_more_than_singular_vectors_at_most(stored):
    path, counts = stored
    _, plain = measured(path, "--dim", "100", "--method", "log-ratio")
    _, weighted = measured(path, "--dim", "100", "--sweeps", "1")
    assert weighted <= plain + 8 * counts.nnz


def test_what_is_in_memory_is_not_counted_again(tmp_path):
    size = 1 << 20
    counts = Counts.from_scipy(np.ones((1024, 1024), dtype=int), [f"w{i}" for i in range(1024)])
    counts.save(tmp_path / "counts")
    columns = firth.load(tmp_path / "counts").columns
    assert columns.nbytes == 4 * size
    if sys.platform == "linux":
        assert mapped(columns) >= 4 * size - (256 << 10)  # all but some pages that came along
        columns.sum()
        assert mapped(columns) <= 256 << 10
    assert mapped(np.array(columns)) == 0
