"""Where the tests of the tagger find sentences."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def wnut():
    """The folder of WNUT 17, which is not a part of the project."""
    folder = Path(os.environ.get("FIRTH_DATA", ROOT.parent / "shared" / "data")) / "ner" / "wnut17"
    if not folder.is_dir():
        pytest.skip(f"{folder}: no such folder: set FIRTH_DATA to the folder of the corpora")
    return folder
