"""Half sweeps with biases and plain ridges, and stochastic gradients, against dense oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles_glrm import Model, adagrad_epoch

from firth import _core
from firth.errors import FirthError
from firth.linalg.adagrad import Cells, Drawn, adagrad
from firth.linalg.alternating import Weighted, alternate, half_sweep, objective_of
from firth.linalg.frames import padded
from firth.linalg.products import one_blas_thread
from firth.resources import Resources

BIASES = [(True, True), (True, False), (False, True), (False, False)]


def sparse(seen, *tables):
    starts = np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(np.int64)
    return (
        starts,
        np.nonzero(seen)[1].astype(np.int32),
        *(t[seen].astype(np.float32) for t in tables),
    )


@st.composite
def problems(draw, most=10):
    """A model, the same as a problem, and a point: vectors and biases."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    seen = rng.random((rows, columns)) < 0.7
    seen[0, 0] = True
    biases = draw(st.sampled_from(BIASES))
    unseen, floor = draw(st.booleans()), draw(st.sampled_from([0.0, -1.3]))
    z, y = rng.random(rows) + 0.1, rng.random(columns) + 0.1
    weights, responses = rng.random(seen.shape) + 0.05, 3 * rng.standard_normal(seen.shape)
    ridges = [draw(st.sampled_from([0.0, 0.001, 0.5])) + np.zeros(n) for n in seen.shape]
    beyond = weights - np.outer(z, y) if unseen else weights
    whole = np.where(seen, weights, np.outer(z, y) if unseen else 0.0)
    model = Model(whole, np.where(seen, responses, floor), *ridges, biases)
    dim = draw(st.integers(1, 4))
    starts, places, light, targets = sparse(seen, beyond, responses)
    turned = sparse(seen.T, beyond.T, responses.T)
    problem = Weighted(
        _core.ValueCells(starts, places, light, targets, columns, 1),
        _core.ValueCells(*turned, rows, 1),
        z, y, *ridges, unseen=unseen, floor=floor if unseen else 0.0,
        plain=True, bias=dim, biases=biases,
    )  # fmt: skip
    sides = []
    for size, has in zip(seen.shape, biases, strict=True):
        side = rng.standard_normal((size, dim + 1))
        side[:, dim] *= has
        sides.append(side)
    return model, problem, *sides


def parts_of(left, right):
    """Vectors and biases."""
    return left[:, :-1], right[:, :-1], left[:, -1], right[:, -1]


def narrow(side, problem):
    return side[:, : problem.bias + 1].astype(np.float64)


@given(problems())
def test_the_objective_is_the_sum_over_all_pairs(drawn):
    model, problem, left, right = drawn
    expected = model.objective(*parts_of(left, right))
    size = np.sum(np.abs(model.weights) * (np.abs(model.responses) + 20) ** 2)
    found = objective_of(problem, padded(left), padded(right))
    slack = 1e-4 * expected + 1e-5 * size
    assert found <= expected + slack
    if min(model.weights.shape) > problem.bias + 1 or not model.ridges[0].any():
        assert found >= expected - slack  # else a row may be as good with shorter vectors


@given(problems())
def test_many_steps_end_at_the_vectors_and_biases_that_minimise_the_objective(drawn):
    model, problem, left, right = drawn
    with one_blas_thread(1) as blocks:
        done = half_sweep(problem, padded(left), padded(right), 80, blocks)
    rows, own = model.best_rows(right[:, :-1], right[:, -1])
    least = model.objective(rows, right[:, :-1], own, right[:, -1])
    start = model.objective(*parts_of(left, right))
    slack = 1e-3 * (1 + start - least) + 1e-4 * least
    assert done.after == pytest.approx(least, abs=slack)
    found = narrow(done.solved, problem)
    assert model.objective(*parts_of(found, right)) == pytest.approx(least, abs=slack)
    np.testing.assert_array_equal(narrow(done.fixed, problem), right.astype(np.float32))


@given(problems())
def test_no_half_sweep_raises_the_objective(drawn):
    model, problem, left, right = drawn
    *_, objective = alternate(problem, left, right, sweeps=6, steps=2, resources=Resources(1))
    start = model.objective(*parts_of(left, right))
    assert np.all(np.diff(objective) <= 1e-4 * (1 + start))


def test_sweeps_end_where_little_changes():
    rng = np.random.default_rng(1)
    seen = rng.random((30, 20)) < 0.5
    starts, places, weights, targets = sparse(seen, np.ones(seen.shape), rng.random(seen.shape))
    turned = sparse(seen.T, np.ones(seen.T.shape), rng.random(seen.T.shape))
    problem = Weighted(
        _core.ValueCells(starts, places, weights, targets, 20, 1),
        _core.ValueCells(*turned[:3], targets, 30, 1),
        np.ones(30), np.ones(20), np.full(30, 0.1), np.full(20, 0.1), unseen=False, plain=True,
    )  # fmt: skip
    start = rng.standard_normal((30, 2)), rng.standard_normal((20, 2))
    few = alternate(problem, *start, sweeps=50, steps=2, tol=0.1, resources=Resources(1))[2]
    all_ = alternate(problem, *start, sweeps=50, steps=2, resources=Resources(1))[2]
    assert len(few) < 20 < len(all_)
    assert few == all_[: len(few)]


# --- stochastic gradients -----------------------------------------------------------------------


def cells_of(rng, shape):
    seen = rng.random(shape) < 0.6
    starts, places, weights, targets = sparse(seen, rng.random(shape), rng.standard_normal(shape))
    return Cells(starts, places, weights, targets, shape)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 512]), st.sampled_from(BIASES))
def test_an_epoch_is_that_of_the_formulas(seed, batch, biases):
    rng = np.random.default_rng(seed)
    shape, dim = (int(rng.integers(1, 20)), int(rng.integers(1, 20))), 3
    cells = cells_of(rng, shape)
    drawn = Drawn.of(cells, 0)
    sides = [padded(rng.standard_normal((n, dim + 2))) for n in shape]
    squares = [padded(np.ones((n, 16))) for n in shape]
    moves = [np.zeros(16, dtype=np.float32) for _ in shape]
    for side, has in enumerate(biases):
        moves[side][:dim], moves[side][dim + side] = 1, has
    penalised = (np.arange(16) < dim).astype(np.float32)
    penalties = [rng.random(n).astype(np.float32) for n in shape]
    slow = [side.astype(np.float64) for side in sides]
    slow_squares = [square.astype(np.float64) for square in squares]
    expected = adagrad_epoch(
        drawn, *slow, slow_squares, moves, penalties, penalised, batch, 0.1, _core.PARTS
    )
    found = _core.adagrad_epoch(
        drawn.begins, drawn.rows, drawn.columns, drawn.weights, drawn.targets,
        sides[0], squares[0], moves[0], penalties[0], sides[1], squares[1], moves[1], penalties[1],
        penalised, batch, 0.1, 2, None,
    )  # fmt: skip
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)
    for fast, right in zip(sides + squares, slow + slow_squares, strict=True):
        np.testing.assert_allclose(fast, right, rtol=1e-3, atol=1e-4)


def test_every_cell_is_drawn_once_and_parts_share_no_rows():
    cells = cells_of(np.random.default_rng(0), (50, 40))
    drawn = Drawn.of(cells, 3)
    places = drawn.rows.astype(np.int64) * 40 + drawn.columns
    rows = np.repeat(np.arange(50), np.diff(cells.starts))
    np.testing.assert_array_equal(np.sort(places), rows * 40 + cells.columns)
    block = drawn.rows % _core.PARTS * _core.PARTS + drawn.columns % _core.PARTS
    assert np.all(np.diff(block) >= 0)
    assert np.any(np.diff(places[: drawn.begins[1]]) < 0)


def test_epochs_are_the_same_on_any_number_of_threads():
    cells = cells_of(np.random.default_rng(0), (300, 200))
    given_ = {"biases": (True, True), "ridges": (np.ones(300), np.ones(200)), "epochs": 3}
    found = [
        adagrad(cells, 5, **given_, rate=0.1, batch=64, seed=0, resources=Resources(threads))
        for threads in (1, 2, 3, 8)
    ]
    assert len({left.tobytes() + right.tobytes() for left, right, _ in found}) == 1
    assert found[0][2][2] < found[0][2][0]


def test_gradients_that_diverge_are_an_error():
    cells = cells_of(np.random.default_rng(0), (20, 20))
    with pytest.raises(FirthError, match=r"epoch \d+ of adagrad diverged: lower rate"):
        adagrad(cells, 5, biases=(True, True), ridges=(np.ones(20), np.ones(20)), epochs=5,
                rate=1e30, batch=8, seed=0, resources=Resources(1))  # fmt: skip
