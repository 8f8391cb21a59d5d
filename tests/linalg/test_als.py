"""Weighted factorisations of any matrix: where the answer is known, and what is odd."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from tests.linalg.matrices import skewed

from firth.errors import FirthError
from firth.linalg import als
from firth.resources import Resources

THREADS = (1, 2, 3, 8)


# --- where the answer is known ------------------------------------------------------------------


def falling(rows, columns, density, rng):
    """A sparse matrix whose singular values lie apart: alternating converges as their ratios."""
    table = random_array(
        (rows, columns), density=density, rng=rng, data_sampler=rng.standard_normal
    )
    return csr_array(table.multiply(0.8 ** np.arange(columns)))


def low_rank_error(table, rank):
    """What the best matrix of a rank lacks."""
    return float(np.sum(np.linalg.svd(table, compute_uv=False)[rank:] ** 2))


@pytest.mark.parametrize("start", ["svd", "random"])
def test_pairs_that_weigh_alike_give_the_singular_value_decomposition(start):
    rng = np.random.default_rng(0)
    table = falling(60, 45, 0.3, rng)
    found = als(table, weights=0, dim=5, unseen=2.0, sweeps=60, start=start)
    dense = table.toarray()
    values = np.linalg.svd(dense, compute_uv=False)
    np.testing.assert_allclose(found.values, values[:5], rtol=2e-3)
    assert found.objective[-1] == pytest.approx(2 * low_rank_error(dense, 5), rel=1e-4)
    for side in (found.left, found.right):
        np.testing.assert_allclose(side.T @ side, np.eye(5), atol=1e-5)


def test_weights_that_are_products_give_the_decomposition_of_scaled_targets():
    """W_ij = z_i z_j: the minimiser is the SVD of √z_i t_ij √z_j, scaled back."""
    rng = np.random.default_rng(1)
    table = falling(50, 40, 0.4, rng)
    z, y = rng.random(50) + 0.2, rng.random(40) + 0.2
    found = als(table, weights=0, dim=4, unseen=(z, y), sweeps=80)
    scaled = np.sqrt(z)[:, None] * table.toarray() * np.sqrt(y)
    u, s, v = np.linalg.svd(scaled, full_matrices=False)
    assert found.objective[-1] == pytest.approx(low_rank_error(scaled, 4), rel=1e-4)
    expected = (u[:, :4] / np.sqrt(z)[:, None] * s[:4]) @ (v[:4] / np.sqrt(y))
    np.testing.assert_allclose((found.left * found.values) @ found.right.T, expected, atol=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_a_matrix_of_low_rank_is_recovered_from_some_of_its_cells(seed):
    rng = np.random.default_rng(seed)
    whole = rng.standard_normal((80, 3)) @ rng.standard_normal((3, 70))
    cells = csr_array(np.where(rng.random(whole.shape) < 0.5, whole, 0))
    found = als(cells, dim=3, sweeps=60, start="random", seed=seed)
    np.testing.assert_allclose((found.left * found.values) @ found.right.T, whole, atol=0.02)


def test_the_floor_is_what_unseen_pairs_should_be():
    cells = csr_array(([5.0, 5.0], ([0, 1], [1, 0])), shape=(6, 7))
    found = als(cells, dim=1, unseen=1.0, floor=-2.0, weights=0, sweeps=40)
    dense = np.full((6, 7), -2.0)
    dense[[0, 1], [1, 0]] = 5
    assert found.objective[-1] == pytest.approx(low_rank_error(dense, 1), rel=1e-4)


def test_a_ridge_draws_to_zero():
    """With one weight W for all pairs, each is shrunk as Σ W (m - t)² + 2 ρ W m² wants it."""
    found = als(np.diag([3.0, 2.0, 1.0]), weights=0, dim=3, unseen=4.0, ridge=0.25, sweeps=40)
    np.testing.assert_allclose(found.values, np.array([3, 2, 1]) / 1.5, rtol=1e-4)


# --- odd inputs ---------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.integers(1, 8), st.integers(1, 8), st.integers(1, 12), st.integers(0, 999), st.booleans(),
    st.sampled_from(["svd", "random"]),
)  # fmt: skip
def test_small_matrices_of_any_shape_have_factors(rows, columns, dim, seed, unseen, start):
    """More dimensions than words, empty rows, one cell or none: finite, and never worse."""
    rng = np.random.default_rng(seed)
    table = csr_array(rng.integers(0, 2, (rows, columns)) * rng.integers(0, 3, (rows, columns)))
    found = als(table, dim=dim, unseen=1.0 if unseen else None, ridge=0.01, start=start)
    assert found.left.shape == (rows, dim)
    assert found.right.shape == (columns, dim)
    for part in (found.left, found.values, found.right):
        assert np.all(np.isfinite(part))
    assert np.all(np.diff(found.values) <= 0)
    assert np.all(np.diff(found.objective) <= 1e-5 * (1 + found.objective[0]))
    for side, lengths in (
        (found.left, np.diff(table.indptr)),
        (found.right, np.bincount(table.indices, minlength=columns)),
    ):
        assert not side[lengths == 0].any()
        alive = found.values > 0
        np.testing.assert_allclose(side.T @ side, np.diag(alive.astype(float)), atol=1e-4)


def test_rows_that_are_alike_have_like_vectors():
    rng = np.random.default_rng(2)
    table = rng.integers(0, 3, (30, 20)).astype(float)
    table[7] = table[3]
    found = als(table, dim=4, unseen=0.5, start="random", sweeps=3)
    np.testing.assert_allclose(found.left[7], found.left[3], atol=1e-6)


@pytest.mark.parametrize("size", [1e-30, 1e12, 1e30])
def test_the_unit_of_targets_and_weights_does_not_matter(size):
    table = np.random.default_rng(3).integers(0, 4, (20, 15)).astype(float)
    plain = als(table, dim=3, unseen=1.0)
    found = als(table * size, dim=3, weights=size, unseen=size)
    np.testing.assert_allclose(found.values / size, plain.values, rtol=1e-3)
    np.testing.assert_allclose(found.objective[-1] / size**3, plain.objective[-1], rtol=1e-3)


def test_what_has_no_meaning_is_refused():
    table = csr_array(np.eye(3))
    for words, settings_ in {
        "dim must be 1 or more": {"dim": 0},
        "steps must be 1": {"steps": 0},
        "ridge must be": {"ridge": -1.0},
        "floor must be finite": {"floor": np.inf},
        "start must be one of svd, random": {"start": "zeros"},
        "left factor to start from must be 3 × 2": {"start": (np.ones((2, 2)), np.ones((3, 2)))},
        "right factor to start from is not finite": {
            "start": (np.ones((3, 2)), np.full((3, 2), np.nan))
        },
        "2 weights for 3 cells": {"weights": [1.0, 2.0]},
        "the cells of the matrix": {"weights": csr_array(np.ones((3, 3)))},
        "weights must be numbers of 0": {"weights": [1.0, -2.0, 1.0]},
        "unseen weights must be": {"unseen": -1.0},
        "not all of them 0": {"unseen": 0.0},
        "unseen needs a weight for each column: 3, not 2": {"unseen": (np.ones(3), np.ones(2))},
    }.items():
        with pytest.raises(FirthError, match=words):
            als(table, **{"dim": 2, **settings_})
    with pytest.raises(FirthError, match="no factors"):
        als(csr_array((0, 4)), dim=1)


def test_weights_may_come_as_a_matrix():
    rng = np.random.default_rng(4)
    table = random_array((20, 30), density=0.3, rng=rng, data_sampler=rng.standard_normal).tocsr()
    weights = table.copy()
    weights.data = rng.random(table.nnz)
    ours = als(table, weights, dim=3, unseen=0.1)
    assert ours.left.tobytes() == als(table, weights.data, dim=3, unseen=0.1).left.tobytes()
    plain = als(table, dim=3, unseen=0.1)
    assert ours.left.tobytes() != plain.left.tobytes()


# --- threads and Ctrl-C -------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [10, 140])
def test_the_same_bits_on_any_number_of_threads(dim):
    table = skewed()
    found = [
        als(
            table,
            dim=dim,
            unseen=0.01,
            ridge=0.1,
            sweeps=2,
            start="random",
            resources=Resources(threads),
        )
        for threads in THREADS
    ]
    assert len({result.left.tobytes() + result.right.tobytes() for result in found}) == 1
    assert len({result.objective for result in found}) == 1


def test_a_row_of_a_million_cells():
    rng = np.random.default_rng(6)
    values = rng.random(10**6)
    table = csr_array((values, (np.zeros(10**6, dtype=int), np.arange(10**6))), shape=(3, 10**6))
    found = als(table, dim=2, weights=0, unseen=1.0, sweeps=3)
    assert found.values[0] == pytest.approx(np.linalg.norm(values), rel=1e-5)
    assert found.objective[-1] == pytest.approx(0, abs=1e-3)


def test_ctrl_c_ends_a_half_sweep():
    table = skewed(20_000, 20_000, 6_000_000)

    def interrupt(event):
        if event.stage == "sweeping" and not sent:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    sent = []
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        als(
            table,
            dim=300,
            unseen=0.1,
            sweeps=50,
            steps=9,
            start="random",
            resources=Resources(progress=interrupt),
        )
    assert time.monotonic() - sent[0] < 5
