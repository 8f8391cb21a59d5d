"""EigenWord and SVD-NS: thresholds, signs of eigenvalues, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracles

import firth
from firth.association import Association, Weighing, associate
from firth.errors import FirthError
from firth.methods.eigenword import MOST_NEGATIVES, dominant, lowest_threshold

BOTH = [firth.methods.EigenWord, firth.methods.SVDNS]


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    draws = (rng.pareto(0.7, (600, 15)) * 3).astype(np.int64) % 300
    lines = [" ".join(f"w{n}" for n in line) for line in draws.tolist()]
    return firth.count(lines, window=4, min_count=1)


def bits(counts, threshold):
    return associate(counts, Weighing(bits=True, threshold=threshold))


def test_defaults_are_those_of_the_thesis():
    assert firth.methods.EigenWord().settings()["threshold"] == -3
    assert firth.methods.SVDNS().settings()["threshold"] == -2.5


@pytest.mark.parametrize(
    ("method", "threshold"), [(firth.methods.EigenWord, -3), (firth.methods.SVDNS, -2.5)]
)
def test_the_spectrum_is_that_of_thresholded_pmi_in_bits(method, threshold, counts):
    space = method(dim=20).fit(counts)
    table = bits(counts, threshold).to_dense()
    np.testing.assert_allclose(table, table.T, atol=1e-6)
    values, vectors = np.linalg.eigh(table)
    key = values if method is firth.methods.EigenWord else np.abs(values)
    order = np.argsort(-key)[:20]
    np.testing.assert_allclose(space.spectrum, values[order], atol=1e-4)
    chosen = vectors[:, order]
    unit = chosen / np.maximum(np.linalg.norm(chosen, axis=1, keepdims=True), 1e-12)
    np.testing.assert_allclose(space.vectors @ space.vectors.T, unit @ unit.T, atol=0.02)
    if method is firth.methods.EigenWord:
        assert np.all(space.spectrum > 0)
    else:
        assert np.any(space.spectrum < 0)


@given(st.lists(st.one_of(st.integers(-4, 4), st.floats(-9, 9, width=32)), max_size=25))
def test_the_automatic_threshold_equals_brute_force(values):
    table = np.array(values, dtype=np.float32)
    found = lowest_threshold(table)
    exact = oracles.lowest_threshold(table.tolist(), MOST_NEGATIVES)
    assert np.count_nonzero((table < 0) & (table > found)) == np.count_nonzero(
        (table < 0) & (table > exact)
    )


def test_two_thirds_are_two_thirds():
    """As many negatives as allowed are kept, to the last one."""
    for positives in range(1, 200):
        table = np.concatenate([np.ones(positives), -np.arange(1, 200)]).astype(np.float32)
        found = lowest_threshold(table)
        assert np.count_nonzero((table < 0) & (table > found)) == positives * 2 // 3


@pytest.mark.parametrize("method", BOTH)
def test_an_automatic_threshold_leaves_two_thirds_of_negatives(method, counts):
    space = method(dim=5, threshold="auto").fit(counts)
    values = space.association.values
    positive, negative = np.count_nonzero(values > 0), np.count_nonzero(values < 0)
    assert negative <= positive * 2 / 3
    whole = bits(counts, -np.inf).values
    limit = space.recipe["threshold"]
    lower = np.sort(whole[whole <= limit])
    if len(lower):  # the next lower threshold would keep too many
        assert np.count_nonzero((whole < 0) & (whole >= lower[-1])) > positive * 2 / 3


def test_other_words_for_a_threshold_are_refused():
    with pytest.raises(FirthError, match="threshold must be a number or 'auto'"):
        firth.methods.EigenWord(threshold="low")


@pytest.mark.parametrize("method", BOTH)
def test_a_dominant_diagonal_leaves_no_negative_eigenvalue(method, counts):
    table = dominant(bits(counts, -3)).to_dense()
    values = np.linalg.eigvalsh(table)
    assert values.min() >= -1e-6 * values.max()
    off = ~np.eye(len(table), dtype=bool)
    np.testing.assert_array_equal(table[off], bits(counts, -3).to_dense()[off])
    space = method(dim=20, psd=True).fit(counts)
    assert np.all(space.spectrum >= 0)


@given(st.integers(1, 8), st.integers(0, 99))
def test_a_dominant_diagonal_only_raises(size, seed):
    half = np.random.default_rng(seed).integers(-3, 4, (size, size)).astype(float)
    table = half + half.T
    found = dominant(Association.from_scipy(table)).to_dense()
    others = np.abs(table).sum(axis=1) - np.abs(np.diag(table))
    np.testing.assert_allclose(np.diag(found), np.maximum(np.diag(table), others))


UNSYMMETRIC = [
    {"context": "left"},
    {"context": "right"},
    {"context": "positional"},
    {"max_contexts": 2},
]


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("options", UNSYMMETRIC, ids=str)
def test_counts_that_are_not_symmetric_are_refused(method, options):
    counts = firth.count(["a b c", "b d a"], window=1, min_count=1, **options)
    with pytest.raises(FirthError, match="needs symmetric counts"):
        method(dim=2).fit(counts)


@pytest.mark.parametrize("method", BOTH)
def test_a_matrix_that_is_not_symmetric_is_refused(method):
    """Its recipe does not say how it was counted, so the numbers must."""
    with pytest.raises(FirthError, match="needs symmetric counts"):
        method(dim=2).fit(firth.Counts.from_scipy(np.array([[1, 2], [3, 4]]), ["a", "b"]))
    space = method(dim=2).fit(firth.Counts.from_scipy(np.array([[1, 2], [2, 4]]), ["a", "b"]))
    assert np.all(np.isfinite(space.vectors))
