"""Spaces and tests to try the evaluation on, and where the real tests lie."""

import os
from pathlib import Path

import numpy as np
import pytest

from firth.space.space import Space
from firth.text.vocabulary import Vocabulary


def space_of(words, vectors):
    vectors = np.asarray(vectors, dtype=np.float32)
    return Space(Vocabulary(words, range(len(words), 0, -1)), vectors)


@pytest.fixture(scope="session")
def data():
    """The folder of the real tests."""
    folder = Path(os.environ.get("FIRTH_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not (folder / "wordsim").is_dir():
        pytest.skip(f"{folder}: no tests of word similarity there; set FIRTH_DATA")
    return folder


@pytest.fixture
def random_space():
    """Make a space of random vectors."""

    def make(words, dimensions=5, seed=0):
        generator = np.random.default_rng(seed)
        return space_of(words, generator.standard_normal((len(words), dimensions)))

    return make
