"""Fixtures for the command line."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.desk import FIRTH, TEXT, Desk


@pytest.fixture(scope="session")
def ready_store(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ready")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    words = [FIRTH, "count", "text.txt", "-o", "store", "--min-count", "1", "-q"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / "store"


@pytest.fixture
def desk(tmp_path, ready_store):
    """A folder with a text, a store `kept`, and a file that has nothing to do with either."""
    made = Desk(tmp_path)
    (tmp_path / "temporary").mkdir()
    shutil.copytree(ready_store, tmp_path / "kept")
    made.write("unrelated.bin", bytes(range(256)))
    made.write("text.txt", TEXT)
    yield made
    made.clear()
