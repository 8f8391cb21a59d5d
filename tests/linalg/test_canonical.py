"""One basis for equal values, and one sign: the order of the rows decides."""

import numpy as np
import pytest
from scipy.sparse import block_diag, random_array

from firth.association import Association
from firth.linalg import eigh, left_vectors, svd
from firth.linalg.canonical import fix_bases, fix_signs

NOISES = range(8)


def copies(size, times, seed=0, symmetric=False):
    """A block and its copies along the diagonal: every value comes as often."""
    block = random_array((size, size), density=0.2, rng=np.random.default_rng(seed))
    if symmetric:
        block = block + block.T
    return block_diag([block] * times).tocsr()


def noisy(matrix, seed):
    """Change the last bits, and keep a symmetric matrix as it is."""
    noise = np.random.default_rng(seed).uniform(-1e-7, 1e-7, matrix.shape)
    dense = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    if (dense == dense.T).all():
        noise += noise.T
    return Association.from_scipy((dense + noise * (dense != 0)).astype(np.float32))


def exact(matrix):
    return Association.from_scipy(matrix.astype(np.float32))


@pytest.mark.parametrize("seed", NOISES)
@pytest.mark.parametrize("rank", [4, 5, 6])
def test_a_small_svd_has_one_basis(seed, rank):
    """Also where the rank cuts through the vectors of a value."""
    matrix = copies(30, 3)
    one, other = svd(exact(matrix), rank), svd(noisy(matrix, seed), rank)
    np.testing.assert_allclose(one.left, other.left, atol=1e-4)
    np.testing.assert_allclose(one.right, other.right, atol=1e-4)


@pytest.mark.parametrize("which", ["algebraic", "magnitude"])
@pytest.mark.parametrize("seed", NOISES)
def test_a_small_eigh_has_one_basis(seed, which):
    matrix = copies(30, 3, symmetric=True)
    for rank in (4, 6):
        one = eigh(exact(matrix), rank, which=which)
        other = eigh(noisy(matrix, seed), rank, which=which)
        np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-4)


@pytest.mark.parametrize("seed", NOISES)
def test_of_opposite_eigenvalues_the_positive_comes_first(seed):
    """Words that only meet words of the other kind: every value comes with both signs."""
    half = np.abs(np.random.default_rng(0).normal(size=(20, 20)))
    zeros = np.zeros((20, 20))
    matrix = np.block([[zeros, half], [half.T, zeros]])
    found = eigh(noisy(matrix, seed), 7, which="magnitude")
    assert (np.sign(found.values) == [1, -1, 1, -1, 1, -1, 1]).all()


@pytest.mark.parametrize("solve", ["svd", "left", "eigh"])
def test_a_large_matrix_has_one_basis_whatever_it_starts_from(solve):
    matrix = copies(300, 2, symmetric=solve == "eigh")
    found = []
    for seed in (0, 1):
        if solve == "svd":
            found.append(svd(exact(matrix), 6, seed=seed, tol=1e-6).left)
        elif solve == "left":
            found.append(left_vectors(exact(matrix), 6, seed=seed, tol=1e-6).vectors)
        else:
            found.append(eigh(exact(matrix), 6, seed=seed, tol=1e-6).vectors)
    np.testing.assert_allclose(found[0], found[1], atol=1e-3)


@pytest.mark.parametrize("symmetric", [False, True])
def test_rotated_vectors_are_singular_vectors(symmetric):
    matrix = copies(300, 2, symmetric=symmetric).astype(np.float32)
    found = svd(Association.from_scipy(matrix), 6, tol=1e-6)
    back = np.linalg.norm(matrix.T @ found.left - found.right * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, back, atol=1e-5 * found.values[0])
    assert back.max() <= 1e-4 * found.values[0]
    np.testing.assert_allclose(found.left.T @ found.left, np.eye(6), atol=1e-5)
    np.testing.assert_allclose(found.right.T @ found.right, np.eye(6), atol=1e-5)


def test_values_that_differ_keep_their_vectors():
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.normal(size=(50, 5)))[0].astype(np.float32)
    fix_signs(vectors)
    kept = vectors.copy()
    assert fix_bases(np.array([3, 2, 1, 0.5, 0.4999]), vectors) == []
    np.testing.assert_array_equal(vectors, kept)


@pytest.mark.parametrize("seed", NOISES)
def test_any_rotation_of_equal_columns_comes_to_the_same(seed):
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.normal(size=(50, 4)))[0]
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    one = vectors.astype(np.float32)
    other = np.column_stack([vectors[:, :3] @ turn, vectors[:, 3]]).astype(np.float32)
    for columns in (one, other):
        fix_bases(np.array([2, 2, 2, 1.0]), columns, columns.copy())
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("seed", NOISES)
def test_of_entries_of_one_size_the_first_is_positive(seed):
    noise = np.random.default_rng(seed).uniform(-1e-7, 1e-7, (4, 2))
    vectors = (np.array([[-1, 1], [2, 2], [-2, -2], [2, -2]]) + noise).astype(np.float32)
    fix_signs(vectors)
    assert (np.sign(vectors) == [[-1, 1], [1, 1], [-1, -1], [1, -1]]).all()
