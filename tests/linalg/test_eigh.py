"""Eigenvalues by value or by magnitude, among negative ones of large magnitude."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array, diags_array, random_array

from firth.association import Association
from firth.errors import FirthError
from firth.linalg import eigh
from firth.resources import Resources

SIZES = [200, 1000]  # dense, and by Lanczos
WHICH = ["algebraic", "magnitude"]


def with_eigenvalues(values, seed=0):
    n = len(values)
    q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    table = q * values @ q.T
    return Association.from_scipy((table + table.T) / 2)


def sparse_symmetric(n, seed=0):
    rng = np.random.default_rng(seed)
    half = random_array((n, n), density=0.02, rng=rng, data_sampler=rng.standard_normal)
    return Association.from_scipy(half + half.T)


def expected(matrix, which, rank):
    values = np.linalg.eigvalsh(matrix.to_dense())
    key = -values if which == "algebraic" else -np.abs(values)
    return values[np.argsort(key, kind="stable")][:rank]


def assert_sound(matrix, found, which, tol=1e-4):
    table = matrix.to_dense()
    largest = max(np.abs(np.linalg.eigvalsh(table)).max(), 1e-300)
    values = expected(matrix, which, len(found.values))
    if which == "magnitude":  # λ and -λ may come in either order
        np.testing.assert_allclose(np.abs(found.values), np.abs(values), atol=1e-5 * largest)
    else:
        np.testing.assert_allclose(found.values, values, atol=1e-5 * largest)
    u = found.vectors.astype(np.float64)
    residuals = np.linalg.norm(table @ u - u * found.values, axis=0)
    assert residuals.max() <= (tol + 2e-6) * largest
    np.testing.assert_allclose(residuals, found.residuals, atol=2e-6 * largest)
    np.testing.assert_allclose(u.T @ u, np.eye(len(found.values)), atol=1e-4)
    assert found.converged


@settings(max_examples=50)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99), st.sampled_from(WHICH))
def test_small_matrices_equal_numpy(size, rank, seed, which):
    half = np.random.default_rng(seed).integers(-2, 3, (size, size))
    matrix = Association.from_scipy(half + half.T)
    assert_sound(matrix, eigh(matrix, min(rank, size), which=which), which)


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("size", SIZES)
def test_negative_eigenvalues_of_large_magnitude(size, which):
    """Power iteration would find the ten from -8 to -5 first."""
    values = np.concatenate([np.linspace(-8, -5, 10), np.linspace(-1, 4, size - 10)])
    matrix = with_eigenvalues(values)
    found = eigh(matrix, 20, which=which)
    assert_sound(matrix, found, which)
    assert np.count_nonzero(found.values < 0) == (10 if which == "magnitude" else 0)


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("size", SIZES)
def test_sparse_matrices(size, which):
    matrix = sparse_symmetric(size)
    assert_sound(matrix, eigh(matrix, 20, which=which), which)


def equal_blocks(n):
    half = np.random.default_rng(0).standard_normal((4, 4))
    return block_diag([half + half.T] * (n // 4)).tocsr()


ODD = [
    lambda n: csr_array((n, n)),
    lambda n: diags_array(np.ones(n)).tocsr(),
    lambda n: diags_array(-np.ones(n)).tocsr(),
    lambda n: diags_array(np.where(np.arange(n) < 100, 2.0, -1.0)).tocsr(),
    lambda n: diags_array(np.where(np.arange(n) < 5, 2.0, -1.0)).tocsr(),
    lambda n: csr_array(np.ones((n, n))),
    lambda n: csr_array(([3.0], ([4], [4])), shape=(n, n)),
    lambda n: csr_array(([3.0, 3.0], ([4, 7], [7, 4])), shape=(n, n)),
    equal_blocks,
]
NAMES = ["zero", "identity", "minus identity", "two values", "five and the rest negative", "ones",
         "one nonzero", "one pair", "equal blocks"]  # fmt: skip


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("make", ODD, ids=NAMES)
@pytest.mark.parametrize("size", SIZES, ids=["dense", "lanczos"])
def test_repeated_eigenvalues_are_all_found(make, size, which):
    matrix = Association.from_scipy(make(size))
    assert_sound(matrix, eigh(matrix, 40, which=which), which)


def test_a_basis_that_is_too_small_is_reported():
    matrix = sparse_symmetric(1000)
    found = eigh(matrix, 30, max_basis=96)
    assert not found.converged
    table = matrix.to_dense()
    residuals = np.linalg.norm(table @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(residuals, found.residuals, atol=1e-4)


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("size", SIZES)
def test_the_result_does_not_depend_on_threads_or_runs(size, which):
    matrix = sparse_symmetric(size)
    runs = [
        eigh(matrix, 10, which=which, resources=Resources(threads=threads))
        for threads in (1, 1, 2, 3, 8)
    ]
    for run in runs[1:]:
        assert run.values.tobytes() == runs[0].values.tobytes()
        assert run.vectors.tobytes() == runs[0].vectors.tobytes()
    places = np.abs(runs[0].vectors).argmax(axis=0)
    assert np.all(runs[0].vectors[places, np.arange(10)] > 0)


def test_shapes_and_ranks_without_eigenvalues_are_refused():
    with pytest.raises(FirthError, match="matrix must be square, not 2 × 3"):
        eigh(Association.from_scipy(np.ones((2, 3))), 1)
    for rank in (0, 4):
        with pytest.raises(FirthError, match="rank must be from 1 to 3"):
            eigh(Association.from_scipy(np.ones((3, 3))), rank)


@pytest.mark.parametrize("size", SIZES)
def test_a_matrix_that_is_not_symmetric_is_refused(size):
    table = np.eye(size)
    table[0, 1] = 1
    with pytest.raises(FirthError, match="matrix must be symmetric"):
        eigh(Association.from_scipy(table), 2)


def test_the_sum_of_a_matrix_and_its_transpose_need_not_be_computed():
    rng = np.random.default_rng(11)
    for size, rank in ((12, 3), (700, 5)):
        half = random_array((size, size), density=0.05, rng=rng, data_sampler=rng.standard_normal)
        parts = [Association.from_scipy(half), Association.from_scipy(half.T)]
        whole = (half + half.T).toarray()
        found = eigh(parts, rank, which="magnitude", tol=1e-6)
        values = np.linalg.eigvalsh(whole)
        expected = values[np.argsort(-np.abs(values))][:rank]
        np.testing.assert_allclose(np.abs(found.values), np.abs(expected), rtol=1e-4)
        residual = whole @ found.vectors - found.vectors * found.values
        assert np.abs(residual).max() < 1e-3 * np.abs(expected[0])


def test_parts_that_are_not_symmetric_together_are_refused():
    rng = np.random.default_rng(11)
    one, other = (
        Association.from_scipy(random_array((40, 40), density=0.2, rng=rng)) for _ in range(2)
    )
    with pytest.raises(FirthError, match="must be symmetric"):
        eigh([one, other], 2)
    with pytest.raises(FirthError, match="must be square, not 40 × 30"):
        eigh([one, Association.from_scipy(random_array((40, 30), density=0.2, rng=rng))], 2)
