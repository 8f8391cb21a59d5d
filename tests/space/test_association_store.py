"""The stored association: every row comes back bit for bit, from fewer bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from firth.association import Association
from firth.counts.arrays import write_array
from firth.errors import StoreError
from firth.space.association_store import (
    COLUMNS,
    STARTS,
    VALUES,
    StoredAssociation,
    load_association,
)
from firth.space.association_writing import write_association


def sparse(rows, columns, density, seed, symmetric=False):
    rng = np.random.default_rng(seed)
    table = random_array(
        (rows, columns), density=density, rng=rng, data_sampler=rng.standard_normal
    ).astype(np.float32)
    if symmetric:
        table = table + table.T
    return Association.from_scipy(table)


def stored(folder, matrix):
    folder.mkdir(exist_ok=True)
    meta = write_association(folder, matrix, np.arange(matrix.shape[0], 0, -1))
    return load_association(folder, meta, matrix.shape[0]), meta


def assert_same(found, matrix):
    assert (found.shape, found.nnz) == (matrix.shape, matrix.nnz)
    for place in range(matrix.shape[0]):
        for ours, theirs in zip(found.row(place), matrix.row(place), strict=True):
            assert ours.dtype == theirs.dtype
            assert ours.tobytes() == theirs.tobytes()
    whole = found.to_association()
    for name in ("starts", "columns", "values"):
        assert getattr(whole, name).tobytes() == getattr(matrix, name).tobytes()
    found.check()


@given(st.integers(0, 40), st.integers(1, 40), st.floats(0, 1), st.booleans(), st.integers(0, 99))
def test_every_row_comes_back_bit_for_bit(tmp_path, rows, columns, density, symmetric, seed):
    size = max(rows, 1)
    matrix = sparse(size, size, density, seed, True) if symmetric else sparse(
        rows, columns, density, seed
    )  # fmt: skip
    found, meta = stored(tmp_path / "matrix", matrix)
    assert_same(found, matrix)
    if symmetric:
        assert meta["triangle"]
        assert 2 * len(found.values) - np.count_nonzero(matrix.to_dense().diagonal()) == matrix.nnz


@pytest.mark.parametrize("width", [1 << 16, (1 << 16) + 1, 200_000])
def test_columns_past_16_bits(tmp_path, width):
    matrix = sparse(5, width, 0.01, 1)
    found, _ = stored(tmp_path / "matrix", matrix)
    assert_same(found, matrix)
    assert found.columns.dtype == np.uint16


def test_a_symmetric_matrix_past_16_bits(tmp_path):
    size = 70_000
    rng = np.random.default_rng(0)
    places = rng.choice(size, (2, 3000))
    places[:, :500] = rng.integers(65_500, 65_600, (2, 500))  # around the end of the first piece
    half = csr_array((rng.standard_normal(3000).astype(np.float32), places), shape=(size, size))
    matrix = Association.from_scipy(half + half.T)
    found, meta = stored(tmp_path / "matrix", matrix)
    assert meta["triangle"]
    for place in np.unique(places).tolist():
        for ours, theirs in zip(found.row(place), matrix.row(place), strict=True):
            assert ours.tobytes() == theirs.tobytes()
    found.check()


def test_one_bit_makes_a_matrix_asymmetric(tmp_path):
    matrix = sparse(30, 30, 0.3, 0, symmetric=True)
    row = int(np.flatnonzero(np.diff(matrix.starts))[0])
    cell = int(matrix.starts[row]) + int(matrix.columns[matrix.starts[row]] == row)
    matrix.values[cell] = np.nextafter(matrix.values[cell], np.float32(9))
    found, meta = stored(tmp_path / "matrix", matrix)
    assert not meta["triangle"]
    assert_same(found, matrix)


def test_a_symmetric_matrix_takes_less_than_two_fifths(tmp_path):
    matrix = sparse(2000, 2000, 0.1, 0, symmetric=True)
    stored(tmp_path / "matrix", matrix)
    new = sum(path.stat().st_size for path in (tmp_path / "matrix").glob("association_*"))
    assert new < 0.4 * (matrix.starts.nbytes + matrix.columns.nbytes + matrix.values.nbytes)


def test_the_layout_of_version_1_is_read(tmp_path):
    matrix = sparse(20, 30, 0.3, 0)
    write_array(tmp_path / STARTS, matrix.starts)
    write_array(tmp_path / COLUMNS, matrix.columns)
    write_array(tmp_path / VALUES, matrix.values)
    found = load_association(tmp_path, {"columns": 30, "nonzeros": matrix.nnz}, 20)
    assert isinstance(found, StoredAssociation)
    assert found.means is None
    assert_same(found, matrix)


def test_a_cell_out_of_its_place_is_found(tmp_path):
    matrix = sparse(20, 20, 0.5, 0, symmetric=True)
    found, meta = stored(tmp_path / "matrix", matrix)
    found.check()
    sound = np.array(found.columns)
    columns = sound.copy()
    first = int(found.starts[7])
    for wrong in (0, int(columns[first + 1]), 300):  # left of the diagonal, twice, past the end
        columns[first] = wrong
        write_array(tmp_path / "matrix" / COLUMNS, columns)
        damaged = load_association(tmp_path / "matrix", meta, 20)
        with pytest.raises((StoreError, ValueError)):
            damaged.check()
    write_array(tmp_path / "matrix" / COLUMNS, sound)
    wrong_size = load_association(tmp_path / "matrix", {**meta, "nonzeros": matrix.nnz + 1}, 20)
    with pytest.raises(StoreError, match="another number of cells"):
        wrong_size.check()
