"""Texts with words of two topics, and limits for the tests of senses."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import firth


@pytest.fixture(autouse=True)
def one_blas_thread():
    """Limit BLAS to one thread, so that reference results do not slow down other tests."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


def planted(topics=2, words=40, lines=1500, seed=0, length=9):
    """Lines of words of one topic each, with ``bank`` in a third of them."""
    generator = np.random.default_rng(seed)
    out = []
    for number in range(lines):
        topic = int(generator.integers(topics))
        own = [f"{'abcdef'[topic]}{generator.integers(words)}" for _ in range(length)]
        line = own
        if number % 3 == 0:
            line.append("bank")
        out.append(" ".join(generator.permutation(line)))
    return out


@pytest.fixture(scope="session")
def lines():
    return planted()


@pytest.fixture(scope="session")
def counts(lines):
    return firth.count(lines, window=5, weighting="flat", min_count=1)
