"""Singular values: accurate, with true residuals, and the same bits on any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array, diags_array, random_array
from scipy.sparse.linalg import svds

from firth.association import Association
from firth.errors import FirthError
from firth.linalg import svd
from firth.linalg.svd import DENSE
from firth.resources import Resources

BEYOND = DENSE + 200  # enough for the Lanczos path


def orthonormal(rows, columns, seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((rows, columns)))[0]


def with_spectrum(rows, columns, values):
    """Return a dense matrix with these singular values."""
    found = orthonormal(rows, len(values), 1) * values @ orthonormal(columns, len(values), 2).T
    return Association.from_scipy(found)


def assert_sound(matrix, found, tol=1e-4):
    """Check that residuals are small and as reported, and vectors are orthonormal or zero."""
    table = matrix.to_scipy().astype(np.float64)
    u, v = found.left.astype(np.float64), found.right.astype(np.float64)
    largest = max(found.values[0], 1e-300)
    symmetric = table.shape[0] == table.shape[1] and (table != table.T).nnz == 0
    back = np.linalg.norm(table.T @ u - v * found.values, axis=0) / largest
    forth = np.linalg.norm(table @ v - u * found.values, axis=0) / largest
    assert back.max() <= tol + 2e-6
    assert np.all(forth <= (back + 2e-6 if symmetric else 1e-5))
    np.testing.assert_allclose(back, found.residuals / largest, atol=2e-6)
    alive = found.values > 0
    for vectors in (u, v):
        np.testing.assert_allclose(
            vectors.T @ vectors, np.diag(alive.astype(float)), atol=1e-4, rtol=0
        )
    assert np.all(np.diff(found.values) <= 0)
    assert found.converged


def assert_values(matrix, found, tol=1e-5):
    exact = np.linalg.svd(matrix.to_dense(), compute_uv=False)
    exact = np.concatenate([exact, np.zeros(len(found.values))])[: len(found.values)]
    np.testing.assert_allclose(found.values, exact, atol=tol * exact[0], rtol=0)


# --- small and dense ----------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 15), st.integers(0, 99))
def test_small_matrices_equal_numpy(rows, columns, rank, seed):
    rng = np.random.default_rng(seed)
    matrix = Association.from_scipy(rng.integers(-2, 3, (rows, columns)) * (rng.random() < 0.9))
    found = svd(matrix, rank)
    assert found.left.shape == (rows, rank)
    assert found.right.shape == (columns, rank)
    assert_values(matrix, found)
    assert_sound(matrix, found)
    rebuilt = found.left * found.values @ found.right.T
    u, s, v = np.linalg.svd(matrix.to_dense())
    kept = min(rank, len(s))
    best = np.linalg.norm(matrix.to_dense() - u[:, :kept] * s[:kept] @ v[:kept])
    assert np.linalg.norm(matrix.to_dense() - rebuilt) <= best + 1e-5


# --- sparse and medium --------------------------------------------------------------------------


def decaying(rows, columns):
    """Return a matrix like an association: few frequent words and contexts, many rare ones."""
    rng = np.random.default_rng(0)
    table = random_array((rows, columns), density=0.01, rng=rng).tocsr()
    left, right = (diags_array(1 / np.sqrt(np.arange(1, n + 1))) for n in (rows, columns))
    return Association.from_scipy(left @ table @ right)


def flat(rows, columns):
    rng = np.random.default_rng(0)
    return Association.from_scipy(
        random_array((rows, columns), density=0.01, rng=rng, data_sampler=rng.standard_normal)
    )


@pytest.mark.parametrize("kind", [decaying, flat])
@pytest.mark.parametrize("shape", [(3000, 2000), (700, 2500), (2500, 700)])
def test_sparse_matrices_equal_scipy(kind, shape):
    matrix = kind(*shape)
    found = svd(matrix, 20)
    assert_sound(matrix, found)
    exact = svds(matrix.to_scipy().astype(np.float64), k=20, random_state=0)[1][::-1]
    np.testing.assert_allclose(found.values, exact, rtol=1e-5)


@pytest.mark.parametrize(
    "values",
    [
        10.0 ** -np.linspace(0, 9, 600),
        1 / np.arange(1, 601),
        np.concatenate([[1e4], 1 / np.arange(1, 600)]),
    ],
    ids=["steep", "harmonic", "one far above the rest"],
)
def test_spectra_of_any_slope(values):
    matrix = with_spectrum(700, 620, values)
    found = svd(matrix, 60)
    assert_sound(matrix, found)
    assert_values(matrix, found)


@pytest.mark.parametrize("rank", [1, 3, 40])
def test_a_rank_beyond_the_matrix_gives_zeros(rank):
    matrix = with_spectrum(700, 650, np.linspace(3, 1, rank))
    found = svd(matrix, rank + 20)
    assert_values(matrix, found)
    assert_sound(matrix, found)
    assert not found.values[rank:].any()
    assert not found.left[:, rank:].any()
    assert not found.right[:, rank:].any()


# --- odd matrices -------------------------------------------------------------------------------


def one_nonzero(n):
    return csr_array(([2.0], ([3], [5])), shape=(n, n - 10))


def with_empty_rows_and_columns(n):
    table = random_array((n, n), density=0.05, rng=np.random.default_rng(0)).tolil()
    table[::3] = 0
    table[:, 1::4] = 0
    return csr_array(table)


def repeated_block(n):
    return block_diag([np.random.default_rng(0).random((5, 4))] * (n // 4)).tocsr()


def varied_blocks(n):
    rng = np.random.default_rng(0)
    return block_diag([rng.random((5, 4)) for _ in range(n // 4)]).tocsr()


def permutation(n):
    values = np.where(np.arange(n) < n // 3, 3.0, 1.0)
    places = np.random.default_rng(0).permutation(n)
    return csr_array((values, (places, np.arange(n))), shape=(n, n))


ODD = [
    lambda n: csr_array((n, n)),
    lambda n: diags_array(np.ones(n)).tocsr(),
    lambda n: diags_array(np.where(np.arange(n) < 100, 2.0, 1.0)).tocsr(),
    lambda n: diags_array(np.concatenate([np.full(17, 2), np.linspace(1, 0, n - 17)])).tocsr(),
    lambda n: csr_array(np.ones((n, n))),
    one_nonzero,
    with_empty_rows_and_columns,
    repeated_block,
    varied_blocks,
    permutation,
]
NAMES = ["zero", "identity", "two values", "seventeen equal", "ones", "one nonzero",
         "empty rows and columns", "a repeated block", "blocks", "permutation"]  # fmt: skip


@pytest.mark.parametrize("make", ODD, ids=NAMES)
@pytest.mark.parametrize("size", [120, BEYOND], ids=["dense", "lanczos"])
@pytest.mark.parametrize("cut", [0, 10], ids=["whole", "narrower"])
def test_all_singular_values_of_odd_matrices_are_found(make, size, cut):
    """A Krylov space of sixteen vectors has a repeated value only sixteen times; all are found.

    Half of the square matrices are symmetric, and are factorised in another way than the narrower.
    """
    whole = make(size)
    matrix = Association.from_scipy(whole[:, : whole.shape[1] - cut])
    found = svd(matrix, 40)
    assert_values(matrix, found)
    assert_sound(matrix, found)
    table = matrix.to_dense()
    assert not found.left[~table.any(axis=1)].any()
    assert not found.right[~table.any(axis=0)].any()


def test_repeated_values_are_found_at_any_tolerance():
    matrix = Association.from_scipy(permutation(BEYOND))
    for tol in (1e-2, 1e-6):
        assert_values(matrix, svd(matrix, 60, tol=tol))


# A long tail of values close together, relative to the first, as logarithms of counts have.
LONG_TAIL = np.concatenate([[100.0, 30.0, 10.0], np.linspace(3.0, 0.5, 397)])


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_looser_tolerance_never_costs_more_products(symmetric):
    vectors = orthonormal(900, len(LONG_TAIL), 1)
    other = vectors if symmetric else orthonormal(850, len(LONG_TAIL), 2)
    whole = vectors * LONG_TAIL @ other.T
    matrix = Association.from_scipy((whole + whole.T) / 2 if symmetric else whole)
    found = [svd(matrix, 60, tol=tol) for tol in (1e-1, 3e-2, 1e-2, 1e-3, 1e-4, 1e-6)]
    products = [one.products for one in found]
    assert products == sorted(products)
    for one in found:
        assert one.converged


def test_repeated_values_that_a_small_basis_cannot_hold_are_reported():
    matrix = Association.from_scipy(permutation(BEYOND))
    assert not svd(matrix, 60, max_basis=96).converged


def test_a_basis_that_is_too_small_is_reported():
    matrix = flat(900, 800)
    found = svd(matrix, 30, max_basis=96)
    assert not found.converged
    table = matrix.to_dense()
    residuals = np.linalg.norm(table.T @ found.left - found.right * found.values, axis=0)
    assert residuals.max() > 1e-4 * found.values[0]
    np.testing.assert_allclose(residuals, found.residuals, atol=1e-4)


def test_a_tighter_tolerance_gives_smaller_residuals():
    matrix = flat(900, 800)
    assert_sound(matrix, svd(matrix, 10, tol=1e-6), tol=1e-6)


@pytest.mark.parametrize("rank", [0, -1])
def test_a_rank_below_one_is_refused(rank):
    with pytest.raises(FirthError, match="rank must be 1 or more"):
        svd(flat(10, 10), rank)


# --- reproducibility ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [300, 900, 5000])
def test_the_result_does_not_depend_on_threads_or_runs(size):
    """With 5000 rows, tall matrices have two blocks."""
    matrix = decaying(size, size)
    runs = [svd(matrix, 20, resources=Resources(threads=threads)) for threads in (1, 1, 2, 3, 8)]
    for run in runs[1:]:
        assert run.values.tobytes() == runs[0].values.tobytes()
        assert run.left.tobytes() == runs[0].left.tobytes()
        assert run.right.tobytes() == runs[0].right.tobytes()
        assert run.residuals.tobytes() == runs[0].residuals.tobytes()


@pytest.mark.parametrize("size", [300, 900])
def test_signs_do_not_depend_on_the_start(size):
    matrix = with_spectrum(size, size, 0.8 ** np.arange(30))
    one, other = svd(matrix, 10, seed=1, tol=1e-6), svd(matrix, 10, seed=2, tol=1e-6)
    np.testing.assert_allclose(one.left, other.left, atol=1e-4)
    np.testing.assert_allclose(one.right, other.right, atol=1e-4)
    places = np.abs(one.left).argmax(axis=0)
    assert np.all(one.left[places, np.arange(10)] > 0)


def test_a_symmetric_matrix_with_negative_eigenvalues_needs_no_transpose(monkeypatch):
    rng = np.random.default_rng(3)
    half = random_array((BEYOND, BEYOND), density=0.02, rng=rng, format="csr").toarray()
    # Bipartite: half of the large eigenvalues are negative.
    half[:200, 200:400] += rng.uniform(1, 2, (200, 200))
    matrix = Association.from_scipy(half + half.T)
    monkeypatch.setattr(Association, "transpose", None)  # would fail if it were called
    found = svd(matrix, 30)
    assert_sound(matrix, found)
    signs = np.sign(np.einsum("ij,ij->j", found.left, found.right))
    assert set(signs.tolist()) == {-1.0, 1.0}
    truth = np.linalg.svd(matrix.to_dense(), compute_uv=False)[:30]
    np.testing.assert_allclose(found.values, truth, rtol=1e-5)


def test_a_symmetric_matrix_gives_the_same_bits_on_any_number_of_threads():
    half = random_array((3 * BEYOND, 3 * BEYOND), density=0.01, rng=np.random.default_rng(5))
    matrix = Association.from_scipy(half + half.T)
    found = [svd(matrix, 20, resources=Resources(threads=threads)) for threads in (1, 2, 3, 8)]
    for name in ("left", "values", "right", "residuals"):
        assert len({getattr(one, name).tobytes() for one in found}) == 1


def test_symmetric_matrices_of_low_rank_and_with_a_small_basis():
    rng = np.random.default_rng(6)
    basis, signs = orthonormal(BEYOND, 7, 6), np.array([5, -4, 3, -3, 2, -1, 1])
    matrix = Association.from_scipy(((basis * signs) @ basis.T + basis @ (basis * signs).T) / 2)
    found = svd(matrix, 20)
    np.testing.assert_allclose(found.values[:7], np.sort(np.abs(signs))[::-1], rtol=1e-4)
    assert not found.values[7:].any()
    assert not found.left[:, 7:].any()
    noise = rng.standard_normal((BEYOND, BEYOND))
    assert not svd(Association.from_scipy(noise + noise.T), 30, max_basis=32).converged
