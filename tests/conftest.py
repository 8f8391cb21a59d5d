"""Settings for every test."""

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "firth",
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.load_profile("firth")

# A shell starts background jobs with Ctrl-C ignored, and their child processes inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a text file and returns its path."""

    def write_file(text, name="text.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


@pytest.fixture
def store_bytes():
    """Return a function that reads every file of a store."""

    def read(folder: Path):
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    return read
