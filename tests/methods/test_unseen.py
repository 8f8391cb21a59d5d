"""Negative context of pairs that were never seen, against dense matrices."""

import numpy as np
import pytest

import firth
from firth.association import Weighing, associate
from firth.errors import FirthError
from firth.methods import SVDNS, EigenWord
from firth.methods.unseen import with_all, with_random
from firth.resources import Resources


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    draws = (rng.pareto(0.7, (300, 12)) * 3).astype(np.int64) % 500
    return firth.count([" ".join(f"w{n}" for n in line) for line in draws.tolist()], min_count=1)


def dense(counts, threshold, value):
    """PMI in bits above the threshold, and a value where nothing was seen."""
    y = counts.to_scipy().toarray()
    sums = y.sum(axis=1)
    with np.errstate(divide="ignore"):
        pmi = np.log2(y * y.sum() / np.outer(sums, sums))
    kept = np.where((y > 0) & (pmi > threshold), pmi, 0.0)
    return np.where(y > 0, kept, value)


@pytest.mark.parametrize("method", [EigenWord, SVDNS])
def test_all_unseen_pairs_have_one_value(method, counts):
    fitted = method(dim=6, threshold=-0.5, unseen="all", unseen_value=-0.3, tol=1e-6)
    space = fitted.fit(counts)
    values = np.linalg.eigvalsh(dense(counts, -0.5, -0.3))
    by = -values if method is EigenWord else -np.abs(values)
    np.testing.assert_allclose(
        space.factors.values, values[np.argsort(by)][:6], rtol=1e-4, atol=1e-4
    )
    whole = dense(counts, -0.5, -0.3)
    u = space.factors.left.astype(float)
    np.testing.assert_allclose(
        whole @ u, u * space.factors.values, atol=1e-3 * np.abs(values).max()
    )


def test_the_sparse_matrix_and_the_one_of_rank_one_are_that_matrix(counts):
    seen = associate(counts, Weighing(scale="pmi", bits=True, threshold=-0.5))
    sparse, constant = with_all(counts, seen, -0.7).parts
    found = sparse.to_dense() + constant.to_dense()
    np.testing.assert_allclose(found, dense(counts, -0.5, -0.7), atol=1e-5)
    assert sparse.nnz == counts.nnz
    x = np.random.default_rng(0).standard_normal((len(found), 3)).astype(np.float32)
    np.testing.assert_allclose(constant.apply(x), constant.to_dense() @ x, atol=1e-3)


def test_random_values_are_of_unseen_pairs_alone_and_symmetric(counts):
    seen = associate(counts, Weighing(scale="pmi", bits=True, threshold=0))
    (extended,) = with_random(counts, seen, -2.0, 2 / 3, seed=3).parts
    y, before, after = counts.to_scipy().toarray(), seen.to_dense(), extended.to_dense()
    drawn = after - before
    assert not drawn[y > 0].any()
    np.testing.assert_array_equal(drawn, drawn.T)
    assert not np.diag(drawn).any()
    fresh = drawn[drawn != 0]
    assert fresh.min() >= -2
    assert fresh.max() < 0
    assert fresh.mean() == pytest.approx(-1, abs=0.1)
    most = 2 / 3 * np.count_nonzero(before > 0)
    assert 0.8 * most * (y == 0).mean() < len(fresh) <= most
    again = with_random(counts, seen, -2.0, 2 / 3, seed=3).parts[0]
    np.testing.assert_array_equal(again.values, extended.values)
    other = with_random(counts, seen, -2.0, 2 / 3, seed=4).parts[0]
    assert not np.array_equal(other.to_dense(), after)


@pytest.mark.parametrize("unseen", ["all", "random"])
def test_the_same_bits_on_any_number_of_threads(unseen, counts):
    found = {
        SVDNS(dim=5, unseen=unseen).fit(counts, resources=Resources(n)).vectors.tobytes()
        for n in (1, 2, 3, 8)
    }
    assert len(found) == 1


def test_a_dominant_diagonal_needs_a_sparse_matrix(counts):
    with pytest.raises(FirthError, match="psd needs a sparse matrix"):
        EigenWord(psd=True, unseen="all").fit(counts)
    assert np.isfinite(EigenWord(dim=3, psd=True, unseen="random").fit(counts).vectors).all()


def test_what_why_explains_is_what_was_seen(counts):
    space, plain = (SVDNS(dim=5, unseen=unseen).fit(counts) for unseen in ("all", "none"))
    word, other = counts.words.words[:2]
    assert space.why(word, other).explicit == plain.why(word, other).explicit
