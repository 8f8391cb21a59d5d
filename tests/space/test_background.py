"""What is usual: means over bands of frequency, the same on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import random_array
from tests import oracles

from firth import _core
from firth.association import Association
from firth.space.background import BANDS, background_of, bands

THREADS = (1, 2, 3, 8)


def sparse(rows, columns, density, seed):
    rng = np.random.default_rng(seed)
    return Association.from_scipy(
        random_array((rows, columns), density=density, rng=rng, data_sampler=rng.standard_normal)
    )


@given(st.lists(st.integers(0, 5), max_size=700))
def test_bands_are_those_of_the_oracle(frequencies):
    found = bands(np.array(frequencies, dtype=np.int64))
    for number, group in enumerate(oracles.bands(frequencies)):
        assert {*found[group].tolist()} == {number}


def test_the_last_band_has_all_the_rest():
    found = bands(np.arange(3_000_000, 0, -1))
    assert found.max() == BANDS - 1
    assert np.count_nonzero(found < BANDS - 1) == 64 << (BANDS - 2)


@given(
    st.integers(0, 200), st.integers(1, 30), st.floats(0, 1), st.integers(0, 99),
    st.sampled_from(THREADS),
)  # fmt: skip
def test_means_are_those_of_the_oracle(rows, columns, density, seed, threads):
    matrix = sparse(rows, columns, density, seed)
    frequencies = np.random.default_rng(seed).integers(0, 50, rows)
    found = background_of(matrix, frequencies, threads)
    groups = oracles.bands(frequencies.tolist())
    assert found.means.shape == (len(groups), columns)
    if groups:
        expected = oracles.unit_means(matrix.to_dense(), groups)
        np.testing.assert_allclose(found.means, expected, atol=1e-6)
    assert found.means.tobytes() == background_of(matrix, frequencies, 1).means.tobytes()


def whole(*numbers):
    return np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize(
    ("order", "groups", "shape"),
    [(whole(0, 3), whole(0, 2), (1, 4)), (whole(0, -1), whole(0, 2), (1, 4)),
     (whole(0, 1), whole(0, 3), (1, 4)), (whole(0, 1), whole(1, 2), (1, 4)),
     (whole(0, 1), whole(0, 3, 1, 2), (3, 4)), (whole(0, 1), whole(0, 2), (2, 4)),
     (whole(0, 1), whole(0, 2), (1, 3))],
)  # fmt: skip
def test_groups_that_do_not_fit_are_refused(order, groups, shape):
    kernel = sparse(3, 4, 0.5, 0).sparse()
    assert isinstance(kernel, _core.Sparse)
    with pytest.raises(ValueError, match=r"group|row|column"):
        kernel.unit_means(np.ones(3), order, groups, np.zeros(shape, np.float32), 1)


def test_lengths_that_do_not_fit_are_refused():
    kernel = sparse(3, 4, 0.5, 0).sparse()
    with pytest.raises(ValueError, match="a length for each row"):
        kernel.unit_means(np.ones(2), whole(0), whole(0, 1), np.zeros((1, 4), np.float32), 1)


@given(st.integers(0, 600), st.integers(1, 9), st.integers(0, 99), st.sampled_from(THREADS))
def test_row_lengths_are_those_of_numpy(rows, columns, seed, threads):
    matrix = sparse(rows, columns, 0.4, seed)
    found = matrix.sparse().row_lengths(threads)
    np.testing.assert_allclose(found, np.linalg.norm(matrix.to_dense(), axis=1), rtol=1e-12)
