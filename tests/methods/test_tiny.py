"""The weighted factorisation of very small and of extreme counts: finite, or a one-line error."""

import numpy as np
import pytest

import firth
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.methods import Weighted

TEXTS = {
    "33 words": [" ".join(f"w{(7 * i) % 33}" for i in range(40))],
    "one pair": ["a b"],
    "one word": ["a a"],
    "a word alone on its line": ["a b a b", "c"],
    "two words, often": ["a b"] * 5000,
}


@pytest.mark.parametrize("context", ["symmetric", "left", "positional"])
@pytest.mark.parametrize("dim", [1, 100])
@pytest.mark.parametrize("lines", TEXTS.values(), ids=TEXTS)
def test_a_tiny_text_has_finite_vectors(lines, dim, context):
    counts = firth.count(lines, window=3, min_count=1, context=context)
    space = Weighted(dim=dim).fit(counts)
    assert np.isfinite(space.vectors).all()
    met = counts.to_scipy().sum(axis=1) > 0
    assert not space.vectors[~met].any() or space.factors.combine == "sum"
    lengths = np.linalg.norm(space.vectors, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@pytest.mark.parametrize(
    "knobs", [{}, {"unseen_share": 0.0, "ridge": 0.0}, {"start": "random"}, {"seen": 1.0}]
)
@pytest.mark.parametrize("size", [10**6, 10**12, 2**53])
def test_large_counts_have_finite_vectors(size, knobs):
    table = np.array([[size, 1, 0], [1, 0, size], [0, size, 2]])
    counts = Counts.from_scipy(table, ["a", "b", "c"])
    space = Weighted(dim=2, **knobs).fit(counts)
    assert np.isfinite(space.vectors).all()
    assert np.isfinite(space.recipe["diagnostics"]["objective"]).all()


def test_a_text_without_pairs_is_refused():
    with pytest.raises(FirthError, match="no two words share a window"):
        Weighted().fit(firth.count(["a", "b"], min_count=1))
