"""Sparse products and transposes: equal to scipy's, and the same on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from firth import _core
from firth.association import Association
from firth.errors import FirthError
from firth.linalg import Operator
from firth.linalg.canonical import fix_signs
from firth.linalg.products import PANEL, Blocks, multiply

THREADS = (1, 2, 3, 8)


def sparse(rows, columns, density=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return Association.from_scipy(
        random_array((rows, columns), density=density, rng=rng, data_sampler=rng.standard_normal)
    )


def panel(rows, columns, seed=1):
    return np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)


SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 40))


@given(SHAPES, st.integers(0, 40), st.floats(0, 1), st.sampled_from(THREADS), st.booleans())
def test_products_equal_scipy(shape, columns, density, threads, transposed):
    matrix = sparse(*shape, density)
    dense = panel(shape[0] if transposed else shape[1], columns)
    expected = matrix.to_scipy().astype(np.float64)
    expected = (expected.T if transposed else expected) @ dense.astype(np.float64)
    found = multiply(matrix, dense, transposed=transposed, threads=threads)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-4)
    operator = Operator(matrix, threads)
    found = operator.apply_transposed(dense) if transposed else operator.apply(dense)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert operator.products == columns


@given(SHAPES, st.floats(0, 1), st.sampled_from(THREADS))
def test_transposes_equal_scipy(shape, density, threads):
    matrix = sparse(*shape, density)
    expected = csr_array(matrix.to_scipy().T)
    expected.sort_indices()
    starts, columns, values = matrix.sparse(threads).transpose(threads)
    assert starts.tolist() == expected.indptr.tolist()
    assert columns.tolist() == expected.indices.tolist()
    assert values.tolist() == expected.data.tolist()
    back = matrix.transpose(threads).transpose(threads)
    np.testing.assert_array_equal(back.to_dense(), matrix.to_dense())
    assert back.shape == matrix.shape


@given(st.integers(1, 40), st.floats(0, 1), st.booleans(), st.sampled_from(THREADS))
def test_a_transpose_with_nonzeros_in_the_same_places(size, density, broken, threads):
    """Its pattern is shared, unless one cell has no counterpart."""
    table = sparse(size, size, density).to_dense()
    table = np.where((table != 0) | (table.T != 0), table + 0.5 * table.T + 9, 0)
    if broken:
        table[0, -1] = 0
    matrix = Association.from_scipy(table)
    transposed = matrix.transpose(threads)
    np.testing.assert_array_equal(transposed.to_dense(), matrix.to_dense().T)
    if not broken:
        assert np.shares_memory(transposed.columns, matrix.columns) or not matrix.nnz


def test_products_do_not_depend_on_threads():
    """With nonzeros for several pieces of work, and rows of very different length."""
    rng = np.random.default_rng(0)
    rows = np.sort((rng.random(500_000) ** 3 * 4000).astype(np.int64))
    table = csr_array((rng.standard_normal(500_000), (rows, rng.integers(0, 3000, 500_000))),
                      shape=(4000, 3000))  # fmt: skip
    matrix = Association.from_scipy(table)
    right, left = panel(3000, 20), panel(4000, 20)
    for work in (
        lambda threads: multiply(matrix, right, threads=threads),
        lambda threads: multiply(matrix, left, transposed=True, threads=threads),
        lambda threads: Operator(matrix, threads).apply_transposed(left),
        lambda threads: matrix.transpose(threads).values,
        lambda threads: matrix.transpose(threads).columns,
    ):
        first, *others = [work(threads).tobytes() for threads in THREADS]
        assert all(other == first for other in others)


def test_a_symmetric_operator_is_its_own_transpose():
    half = sparse(30, 30).to_dense()
    matrix = Association.from_scipy(half + half.T)
    operator = Operator(matrix, 1)
    assert operator.symmetric
    dense = panel(30, 3)
    np.testing.assert_array_equal(operator.apply(dense), operator.apply_transposed(dense))


@given(st.integers(1, 9), st.data(), st.sampled_from(THREADS))
def test_symmetry_is_checked_to_the_last_bit(size, data, threads):
    cells = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.1, 2.5])
    values = data.draw(st.lists(cells, min_size=size * size, max_size=size * size))
    table = np.array(values, dtype=np.float32).reshape(size, size)
    if data.draw(st.booleans()):
        table = np.maximum(table, table.T)
    if data.draw(st.booleans()):
        row, column = (data.draw(st.integers(0, size - 1)) for _ in range(2))
        table[row, column] = np.nextafter(table[row, column], np.float32(9))
    operator = Operator(Association.from_scipy(table), threads)
    assert operator.symmetric == np.array_equal(table, table.T)


@pytest.mark.parametrize(
    ("row", "column", "there", "mirrored"), [(202718, 266626, 2.0, 0.0), (119661, 303079, 1, -1)]
)
def test_round_numbers_do_not_look_symmetric(row, column, there, mirrored):
    """With the keys of these rows, the checksum of plain bits would be zero."""
    places = [row, column], [column, row]
    table = csr_array(([there, mirrored], places), shape=(303080, 303080))
    table.eliminate_zeros()
    assert not Operator(Association.from_scipy(table), 1).symmetric


def test_a_matrix_that_is_not_square_is_not_symmetric():
    assert not Operator(sparse(5, 7), 1).symmetric
    assert not Operator(Association.from_scipy(np.zeros((2, 3))), 1).symmetric


def test_shapes_that_do_not_fit_are_refused():
    matrix = sparse(5, 7)
    with pytest.raises(FirthError, match="dense must have 7 rows, not 5"):
        multiply(matrix, panel(5, 2))
    with pytest.raises(FirthError, match="dense must have 5 rows, not 7"):
        multiply(matrix, panel(7, 2), transposed=True)
    with pytest.raises(FirthError, match="dense must have 5 rows"):
        Operator(matrix, 1).apply_transposed(panel(7, 2))
    kernel = matrix.sparse()
    with pytest.raises(ValueError, match="16 columns"):
        kernel.multiply(panel(7, 15), panel(5, 16), False, 1)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.multiply(panel(6, 16), panel(5, 16), False, 1)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.multiply(panel(7, 16), panel(5, 16), True, 1)


@pytest.mark.parametrize(
    ("starts", "columns", "values"),
    [
        ([0, 1], [3], [1]),
        ([0, 1], [-1], [1]),
        ([0, 2], [0], [1]),
        ([0, 2, 1], [0], [1]),
        ([1, 1], [0], [1]),
        ([], [], []),
        ([0, 1], [0], [1, 2]),
        ([0, 2], [1, 0], [1, 1]),
    ],
)
def test_invalid_arrays_are_refused(starts, columns, values):
    with pytest.raises(ValueError, match=r"."):
        _core.Sparse(np.array(starts, np.int64), np.array(columns, np.int32),
                     np.array(values, np.float32), 3, 1)  # fmt: skip


# --- tall matrices ------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", THREADS)
def test_block_products_equal_numpy_and_do_not_depend_on_threads(threads):
    a, b, c = panel(9000, 16), panel(9000, 5, 2), np.random.default_rng(3).random((5, 16))
    blocks, one = Blocks(threads), Blocks(1)
    wide = a.astype(np.float64)
    np.testing.assert_allclose(blocks.gram(a), wide.T @ wide, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(blocks.inner(b, a), b.T.astype(float) @ wide, atol=0.02)
    np.testing.assert_allclose(blocks.times(b, c), b @ c, atol=1e-5)
    less, expected = a.copy(), a - b @ c
    blocks.subtract(less, b, c)
    np.testing.assert_allclose(less, expected, atol=1e-5)
    assert blocks.inner(b, a).tobytes() == one.inner(b, a).tobytes()
    assert blocks.gram(a).tobytes() == one.gram(a).tobytes()
    blocks.close()


def test_orthonormal_columns_are_zero_for_missing_directions():
    """Three directions in sixteen columns, one of them shorter than the floor."""
    q = np.linalg.qr(panel(500, 3).astype(np.float64))[0]
    mix = np.linalg.qr(panel(PANEL, 3).astype(np.float64))[0].T
    a = (q * [1, 1e-3, 1e-6] @ mix).astype(np.float32)
    blocks = Blocks(1)
    once, first = blocks.orthonormalize(a, 1e-4)
    found, second = blocks.orthonormalize(once, 0.5)
    r = second @ first
    kept = found.any(axis=0)
    assert np.count_nonzero(kept) == 2
    np.testing.assert_allclose(found.T @ found, np.diag(kept.astype(float)), atol=1e-6)
    np.testing.assert_allclose(found @ r, a, atol=2e-6)


def test_signs_are_set_by_the_largest_entry():
    left = np.array([[0.1, 0.9, 0], [-0.5, -0.2, 0]], dtype=np.float32)
    right = np.array([[1, 2, 3]], dtype=np.float32)
    fix_signs(left, right)
    np.testing.assert_array_equal(left, np.array([[-0.1, 0.9, 0], [0.5, -0.2, 0]], np.float32))
    assert right.tolist() == [[-1, 2, 3]]
