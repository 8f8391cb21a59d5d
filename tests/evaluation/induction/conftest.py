"""Where the files of the tasks lie."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def semeval():
    """The folder of SemEval-2013 task 13."""
    root = Path(os.environ.get("FIRTH_DATA", Path(__file__).parents[4] / "shared" / "data"))
    folder = root / "wsi" / "semeval2013-task13"
    if not folder.is_dir():
        pytest.skip(f"{folder}: not there; set FIRTH_DATA")
    return folder
