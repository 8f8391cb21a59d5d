"""Non-negative factors against scikit-learn and dense linear algebra; divisions are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import non_negative_factorization
from sklearn.decomposition._nmf import _initialize_nmf
from tests.oracles_senses import within

from firth import _core
from firth.association import Association
from firth.senses.factorising import Leading, leading, memberships, nmf, nndsvd, shares


def drawn(rows, columns, seed=0, density=0.3):
    """A matrix of blocks, so that its leading vectors are clear, and noise."""
    generator = np.random.default_rng(seed)
    groups = np.arange(rows)[:, None] * 4 // rows == np.arange(columns)[None, :] * 4 // columns
    noise = generator.random((rows, columns)) * (generator.random((rows, columns)) < density)
    return (noise + groups * (1 + np.arange(rows)[:, None] * 4 // rows)).astype(np.float32)


def same_to_sign(found, expected, tolerance):
    for a, b in zip(found.T, expected.T, strict=True):
        assert min(np.abs(a - b).max(), np.abs(a + b).max()) < tolerance


@pytest.mark.parametrize("size", [5, 40, 64, 65, 300])
def test_leading_vectors_are_those_of_a_dense_decomposition(size):
    dense = drawn(size, size)
    found = leading(Association.from_scipy(dense), 4)
    left, values, right = np.linalg.svd(dense.astype(np.float64))
    assert found.values == pytest.approx(values[:4], rel=1e-5)
    same_to_sign(found.left, left[:, :4], 2e-3)
    same_to_sign(found.right, right[:4].T, 2e-3)


def test_a_matrix_of_low_rank_has_zero_vectors_beyond_it():
    found = leading(Association.from_scipy(np.ones((100, 100))), 3)
    assert found.values == pytest.approx([100, 0, 0], abs=1e-3)
    assert np.isfinite(found.left).all()
    assert np.isfinite(found.right).all()


@pytest.mark.parametrize("parts", [2, 3, 4])
def test_nndsvd_is_the_initialisation_of_scikit_learn(parts):
    dense = drawn(30, 30).astype(np.float64)
    w, h = nndsvd(leading(Association.from_scipy(dense), parts))
    expected_w, expected_h = _initialize_nmf(dense, parts, init="nndsvd", random_state=0)
    assert np.abs(w - expected_w).max() < 1e-5
    assert np.abs(h - expected_h).max() < 1e-5


def test_nmf_descends_to_where_scikit_learn_does():
    dense = drawn(80, 80, seed=3)
    matrix = Association.from_scipy(dense)
    w, h = nndsvd(leading(matrix, 4))
    refined = nmf(matrix, w, h, sweeps=1000)
    _, expected_h, _ = non_negative_factorization(
        dense, n_components=4, init="custom", W=w.astype(np.float32), H=h.astype(np.float32),
        max_iter=2000, tol=1e-5,
    )  # fmt: skip

    def error(h):
        """Of the best W for an H."""
        best = np.linalg.lstsq(h.T, dense.T, rcond=None)[0].T
        return np.linalg.norm(dense - best @ h)

    assert error(refined) == pytest.approx(error(expected_h), rel=1e-3)
    assert error(refined) < error(h)


def test_memberships_sum_to_one():
    h = np.array([[0.0, 2, 1], [0, 0, 3]])
    assert memberships(h).tolist() == [[0.5, 1, 0.25], [0.5, 0, 0.75]]


strengths = st.lists(
    st.floats(2.0**-100, 2.0**100, width=32), min_size=1, max_size=30
).map(np.float32)  # fmt: skip


@given(strengths, st.integers(1, 6), st.integers(0, 1000))
def test_shares_add_up_exactly_in_any_order_and_precision(own, senses, seed):
    generator = np.random.default_rng(seed)
    members = memberships(
        generator.random((senses, len(own))) * generator.integers(0, 2, senses)[:, None]
    )
    found = shares(own, members)
    assert found.dtype == np.float32
    assert (found >= 0).all()
    order = generator.permutation(senses)
    for one in (found, found[order]):
        assert np.float32(one.astype(np.float64).sum(axis=0)).tobytes() == own.tobytes()
        total = np.zeros_like(own)
        for row in one:
            total += row  # in single precision
        assert total.tobytes() == own.tobytes()
    assert np.abs(found / own - members).max() <= senses * 2.0**-22


@given(st.integers(1, 30), st.integers(0, 1000), st.data())
def test_the_slice_of_a_matrix(size, seed, data):
    generator = np.random.default_rng(seed)
    dense = generator.random((size, size)) * (generator.random((size, size)) < 0.4)
    matrix = Association.from_scipy(dense)
    kept = sorted(data.draw(st.sets(st.integers(0, size - 1))))
    found = _core.within(
        matrix.starts, matrix.columns, matrix.values, size, np.array(kept, dtype=np.int32)
    )
    expected = within(dense.astype(np.float32), kept)
    got = Association(*found, (len(kept), len(kept)))
    assert np.array_equal(got.to_dense(), expected)
    assert got.nnz == np.count_nonzero(expected)


@pytest.mark.parametrize(
    ("kept", "what"), [([1, 0], "rise"), ([0, 0], "rise"), ([-1], "rise"), ([2], "rise")]
)
def test_rows_that_are_not_there_are_refused(kept, what):
    matrix = Association.from_scipy([[1, 2], [0, 3]])
    with pytest.raises(ValueError, match=what):
        _core.within(matrix.starts, matrix.columns, matrix.values, 2, np.array(kept, np.int32))


def test_damaged_arrays_are_refused():
    starts, columns = np.array([0, 2, 3]), np.array([0, 7, 1], dtype=np.int32)
    values, kept = np.ones(3, dtype=np.float32), np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="out of order"):
        _core.within(starts, columns, values, 2, kept)
    with pytest.raises(ValueError, match="out of order"):
        _core.within(np.array([0, 9, 3]), columns, values, 2, kept)


def test_leading_vectors_can_be_cut():
    found = Leading(np.eye(3), np.array([3.0, 2, 1]), np.eye(3)).cut(2)
    assert found.left.shape == (3, 2)
    assert found.values.tolist() == [3, 2]
