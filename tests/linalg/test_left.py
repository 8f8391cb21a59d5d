"""Left singular vectors, compared with LAPACK and with `svd`."""

import numpy as np
import pytest
from scipy.sparse import random_array

from firth.association import Association
from firth.errors import FirthError
from firth.linalg import left_vectors, svd
from firth.resources import Resources


def sparse(rows=900, columns=2600, seed=0):
    """Return a matrix too large for the dense SVD, with an empty row and a falling spectrum."""
    rng = np.random.default_rng(seed)
    table = random_array((rows, columns), density=0.02, rng=rng, data_sampler=rng.random).toarray()
    table *= (1.0 / np.arange(1, rows + 1) ** 0.7)[:, None]
    table[5] = 0
    return Association.from_scipy(table), table


def test_vectors_and_values_equal_lapack():
    matrix, table = sparse()
    found = left_vectors(matrix, 12, tol=1e-6)
    u, s, _ = np.linalg.svd(table.astype(np.float32).astype(np.float64), full_matrices=False)
    assert found.converged
    assert found.residual <= 1e-6
    np.testing.assert_allclose(found.values, s[:12], rtol=1e-4)
    cosines = np.abs(np.einsum("ij,ij->j", found.vectors, u[:, :12]))
    np.testing.assert_allclose(cosines, 1, atol=1e-3)
    assert not found.vectors[5].any()


def test_small_matrices_have_the_vectors_of_svd():
    matrix, _ = sparse(50, 120)
    ours, theirs = left_vectors(matrix, 60), svd(matrix, 60)
    assert ours.vectors.tobytes() == theirs.left.tobytes()
    assert ours.values[-1] == 0
    assert not ours.vectors[:, -1].any()


def test_the_same_bits_on_any_number_of_threads():
    matrix, _ = sparse()
    found = [
        left_vectors(matrix, 10, resources=Resources(threads=threads)).vectors
        for threads in (1, 2, 3, 8)
    ]
    assert len({vectors.tobytes() for vectors in found}) == 1


def test_a_rank_of_zero_is_refused():
    with pytest.raises(FirthError, match="rank must be 1 or more"):
        left_vectors(sparse(9, 9)[0], 0)
