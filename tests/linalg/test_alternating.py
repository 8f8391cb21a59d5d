"""The kernel of weighted least squares, and what alternates on it, against a dense oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.linalg.matrices import skewed
from tests.oracles_weighted import Pairs

from firth import _core
from firth.linalg.alternating import RELAXATION, Weighted, alternate, half_sweep, objective_of
from firth.linalg.frames import Frame, canonical, padded
from firth.linalg.products import one_blas_thread
from firth.resources import Resources

THREADS = (1, 2, 3, 8)


def cells_of(pairs, transposed=False):
    """The stored cells of a dense problem, by row or by column."""
    seen, targets, weights = pairs.seen, pairs.targets, pairs.weights
    if transposed:
        seen, targets, weights = seen.T, targets.T, weights.T
    starts = np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(np.int64)
    columns = np.nonzero(seen)[1].astype(np.int32)
    found = (values[seen].astype(np.float32) for values in (weights, targets))
    return _core.ValueCells(starts, columns, *found, seen.shape[1], 1)


def problem_of(pairs):
    return Weighted(
        cells_of(pairs), cells_of(pairs, True), pairs.z, pairs.y, pairs.ridge_row,
        pairs.ridge_column, pairs.unseen, pairs.floor,
    )  # fmt: skip


@st.composite
def problems(draw, most=12):
    """Pairs with rows that are empty, full, alike or of one cell, and factors to start from."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    seen = rng.random((rows, columns)) < rng.random((rows, 1)) * 1.4 - 0.2
    targets, weights = rng.standard_normal(seen.shape), rng.random(seen.shape)
    if rows > 1 and draw(st.booleans()):
        seen[0], targets[0], weights[0] = seen[-1], targets[-1], weights[-1]
    unseen = draw(st.booleans())
    z, y = (rng.random(n) + 0.1 if unseen else np.ones(n) for n in seen.shape)
    ridges = [draw(st.sampled_from([0.0, 0.3])) * rng.random(n) for n in seen.shape]
    floor = draw(st.sampled_from([0.0, -0.7]))
    dim = draw(st.integers(1, 6))
    factors = [rng.standard_normal((n, dim)) for n in seen.shape]
    return Pairs(targets, weights, seen, z, y, *ridges, unseen, floor), *factors


def solved(pairs, left, right, steps, threads=1, relaxation=1.0):
    with one_blas_thread(1) as blocks:
        return half_sweep(
            problem_of(pairs), padded(left), padded(right), steps, blocks, threads, None, relaxation
        )


# --- the objective and its minimum --------------------------------------------------------------


@given(problems())
def test_the_objective_is_the_sum_over_all_pairs(problem):
    pairs, left, right = problem
    size = np.sum(pairs.whole * (np.abs(left @ right.T) + np.abs(pairs.goal)) ** 2)
    found = objective_of(problem_of(pairs), left, right)
    assert found == pytest.approx(pairs.objective(left, right), rel=1e-4, abs=1e-5 * size)


@given(problems())
def test_the_first_step_goes_down_the_gradient(problem):
    """In the basis of the half sweep, and just as far as the objective falls."""
    pairs, left, right = problem
    start = solved(pairs, left, right, 0)
    done = solved(pairs, left, right, 1)
    u, v = (side.astype(np.float64) for side in (start.solved, start.fixed))
    expected = pairs.after_steps(u, v, 1)
    gradient = pairs.gradient(u, v)
    scale = np.abs(u).max() + np.abs(expected - u).max()
    np.testing.assert_allclose(done.solved, expected, atol=2e-3 * scale)
    moved = done.solved - u
    for step, slope in zip(moved, gradient, strict=True):
        if np.linalg.norm(step) > 1e-3 * scale:
            cosine = -step @ slope / np.linalg.norm(step) / np.linalg.norm(slope)
            assert cosine == pytest.approx(1, abs=1e-3)


@given(problems(), st.integers(1, 3))
def test_steps_are_those_of_conjugate_gradients(problem, steps):
    pairs, left, right = problem
    done = solved(pairs, left, right, steps)
    start = solved(pairs, left, right, 0)
    v = start.fixed.astype(np.float64)
    expected = pairs.objective(pairs.after_steps(start.solved, v, steps), v)
    fall = start.before - expected
    assert done.after == pytest.approx(expected, abs=0.01 * fall + 1e-4 * abs(start.before) + 1e-5)
    reached = pairs.objective(done.solved.astype(float), done.fixed.astype(float))
    assert done.after == pytest.approx(reached, rel=1e-4, abs=1e-5 * (1 + start.before))


@given(problems())
def test_many_steps_end_at_the_rows_that_minimise_the_objective(problem):
    pairs, left, right = problem
    done = solved(pairs, left, right, 60)
    best = pairs.best_rows(right)
    least = pairs.objective(best, right)
    assert done.after == pytest.approx(least, rel=1e-4, abs=1e-4 * (1 + done.before - least))
    model = done.solved.astype(float) @ done.fixed.astype(float).T
    # Where only a few pairs are seen, others are free: the objective says nothing of them.
    if pairs.unseen:
        np.testing.assert_allclose(model, best @ right.T, atol=0.02)


@given(problems(), st.integers(1, 3), st.sampled_from([0.3, 1.5, 1.9]))
def test_relaxed_steps_go_on_along_the_same_line(problem, steps, relaxation):
    pairs, left, right = problem
    start = solved(pairs, left, right, 0)
    done = solved(pairs, left, right, steps, relaxation=relaxation)
    plain = solved(pairs, left, right, steps)
    u, v = (side.astype(np.float64) for side in (start.solved, start.fixed))
    expected = u + relaxation * (plain.solved - u)
    np.testing.assert_allclose(done.solved, expected, atol=1e-3 * (1 + np.abs(expected).max()))
    reached = pairs.objective(done.solved.astype(float), v)
    assert done.after == pytest.approx(reached, rel=1e-4, abs=1e-4 * (1 + start.before))
    assert done.after <= done.before
    # A parabola along the line: as far from its lowest point on the other side, it is as high.
    left_over = (1 - relaxation) ** 2 * (start.before - plain.after)
    assert done.after - plain.after == pytest.approx(left_over, abs=1e-3 * (1 + start.before))


@settings(max_examples=60)
@given(problems(most=30), st.integers(1, 3), st.sampled_from([1.0, RELAXATION, 1.95]))
def test_the_objective_falls_with_every_half_sweep(problem, steps, relaxation):
    pairs, left, right = problem
    problem_, start = problem_of(pairs), pairs.objective(left, right)
    u, v, objective = alternate(
        problem_, left, right, sweeps=4, steps=steps, relaxation=relaxation, resources=Resources()
    )
    assert len(objective) == 9
    assert np.all(np.diff(objective) <= 1e-5 * (1 + start))
    assert objective[-1] == pytest.approx(
        pairs.objective(u.astype(float), v.astype(float)), rel=1e-4, abs=1e-5 * (1 + start)
    )


def test_relaxed_sweeps_reach_what_plain_ones_need_more_of_them_for():
    """Of a matrix whose factors lie at small angles, as those of words do."""
    rng = np.random.default_rng(2)
    words, contexts = (np.abs(rng.standard_normal((n, 8))) for n in (150, 120))
    targets = words @ contexts.T + 0.3 * rng.standard_normal((150, 120))
    seen = rng.random(targets.shape) < 0.3
    ones = np.ones(150), np.ones(120)
    pairs = Pairs(targets, rng.random(seen.shape), seen, 0.1 * ones[0], 0.1 * ones[1],
                  0.01 * ones[0], 0.01 * ones[1])  # fmt: skip
    start = [rng.standard_normal((n, 10)) for n in seen.shape]

    def last(sweeps, relaxation):
        return alternate(
            problem_of(pairs), *start, sweeps=sweeps, steps=2, relaxation=relaxation,
            resources=Resources(1),
        )[2][-1]  # fmt: skip

    assert last(8, RELAXATION) < last(8, 1.0)
    assert last(8, RELAXATION) < last(10, 1.0)


@pytest.mark.parametrize("relaxation", [0.0, 2.0, -1.0, float("nan")])
def test_relaxations_that_may_not_fall_are_refused(relaxation):
    pairs = Pairs(*(np.ones((2, 2)) for _ in range(2)), np.ones((2, 2), dtype=bool),
                  *(np.ones(2) for _ in range(4)))  # fmt: skip
    with pytest.raises(ValueError, match="relaxation must lie between 0 and 2"):
        solved(pairs, np.ones((2, 1)), np.ones((2, 1)), 1, relaxation=relaxation)


def test_a_row_does_not_depend_on_those_beside_it():
    """Long rows are solved in groups; a row's bits are those that it has alone."""
    table = skewed(600, 9000, 900_000)
    longest = int(np.argmax(np.diff(table.indptr)))
    dim = 100
    rng = np.random.default_rng(5)
    right = rng.standard_normal((9000, dim))
    found = []
    for rows in (slice(None), [longest]):
        part = csr_array(table[rows])
        starts = part.indptr.astype(np.int64)
        values = part.data.astype(np.float32)
        cells = _core.ValueCells(starts, part.indices.astype(np.int32), None, values, 9000, 2)
        count = len(starts) - 1
        vectors, fixed = padded(np.zeros((count, dim))), padded(right)
        width = vectors.shape[1]
        cells.solve(
            fixed, vectors, None, np.ones(count), np.ones(9000, dtype=np.float32), np.ones(width),
            np.zeros(width), 0.0, 0.0, np.ones(count), np.ones(width), 2, 2, None,
        )  # fmt: skip
        found.append(vectors[longest if count > 1 else 0].tobytes())
    assert found[0] == found[1]


# --- bases --------------------------------------------------------------------------------------


@given(st.integers(1, 8), st.integers(0, 99), st.integers(0, 3))
def test_a_frame_makes_both_matrices_diagonal(size, seed, lost):
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((2, size, 20))
    roots[0, : min(lost, size - 1)] = 0
    gram, second = (root @ root.T for root in roots)
    frame = Frame.of(gram, second)
    live = size - min(lost, size - 1)
    kept = frame.fixed[:, :live]
    np.testing.assert_allclose(kept.T @ gram @ kept, np.eye(live), atol=1e-8)
    np.testing.assert_allclose(
        kept.T @ second @ kept, np.diag(frame.diagonal[:live]), atol=1e-8 * frame.diagonal.max()
    )
    assert not frame.fixed[:, live:].any()
    np.testing.assert_allclose(
        frame.fixed.T @ frame.solved, np.diag(np.arange(size) < live), atol=1e-8
    )


def test_canonical_factors_of_a_product():
    rng = np.random.default_rng(7)
    left, right = rng.standard_normal((40, 5)), rng.standard_normal((30, 5))
    left[:, 4] = left[:, 0]
    right[:, 3] = 0
    with one_blas_thread(1) as blocks:
        u, values, v = canonical(blocks, padded(left), padded(right), 5)
    expected = np.linalg.svd(left @ right.T, compute_uv=False)[:5]
    np.testing.assert_allclose(values, expected, atol=1e-4)
    np.testing.assert_allclose((u * values) @ v.T, left @ right.T, atol=1e-4)
    assert not u[:, 3:].any() and not v[:, 3:].any()
    assert np.all(u[np.abs(u).argmax(axis=0), range(5)][:3] > 0)


# --- biases, as generalised models have them ----------------------------------------------------


def test_a_bias_is_a_coordinate_that_no_ridge_holds():
    """Rows [u, ψ] against [v, 1] with the columns' ω as offsets, and a ridge on u alone."""
    rng = np.random.default_rng(8)
    rows, columns, dim, ridge = 25, 40, 3, 0.2
    seen = rng.random((rows, columns)) < 0.7
    targets, weights = rng.standard_normal(seen.shape), rng.random(seen.shape) + 0.1
    right, offsets = rng.standard_normal((columns, dim)), rng.standard_normal(columns)
    none = np.zeros(rows), np.zeros(columns)
    cells = cells_of(Pairs(targets, weights, seen, *none, *none))
    fixed = padded(np.column_stack([right, np.ones(columns)]))
    solved_ = padded(np.zeros((rows, dim + 1)))
    mask = np.zeros(fixed.shape[1])
    mask[:dim] = 1
    nothing = np.zeros(fixed.shape[1])
    _, after = cells.solve(
        fixed, solved_, offsets.astype(np.float32), np.zeros(rows), None, nothing, nothing, 0.0,
        0.0, np.full(rows, ridge), mask, 30, 2, None,
    )  # fmt: skip
    for i in range(rows):
        wide = np.column_stack([right, np.ones(columns)])[seen[i]]
        goal = (targets[i] - offsets)[seen[i]]
        normal = (wide.T * weights[i, seen[i]]) @ wide + ridge * np.diag(mask[: dim + 1])
        best = np.linalg.solve(normal, wide.T @ (weights[i, seen[i]] * goal))
        np.testing.assert_allclose(solved_[i, : dim + 1], best, atol=1e-4)
        loss = weights[i, seen[i]] @ (goal - wide @ best) ** 2 + ridge * best[:dim] @ best[:dim]
        assert after[i] == pytest.approx(loss, rel=1e-4)


# --- the binding --------------------------------------------------------------------------------


def test_arrays_that_do_not_fit_are_refused():
    starts, columns = np.array([0, 1, 2]), np.array([0, 2], dtype=np.int32)
    ones = np.ones(2, dtype=np.float32)
    cells = _core.ValueCells(starts, columns, ones, ones, 3, 1)
    fine = {
        "other": padded(np.ones((3, 2))), "rows": padded(np.ones((2, 2))), "offsets": None,
        "unseen_rows": np.ones(2), "unseen_columns": None, "unseen_diagonal": np.ones(16),
        "pull": np.ones(16), "constant": 0.0, "target": 0.0, "ridge_rows": np.ones(2),
        "ridge_diagonal": np.ones(16), "steps": 1, "threads": 1, "progress": None,
    }  # fmt: skip
    cells.solve(**fine)
    for name, wrong in {
        "other": padded(np.ones((2, 2))),
        "rows": padded(np.ones((3, 2))),
        "offsets": np.ones(2, dtype=np.float32),
        "unseen_rows": np.ones(3),
        "unseen_columns": np.ones(2, dtype=np.float32),
        "unseen_diagonal": np.ones(15),
        "pull": np.ones(17),
        "ridge_rows": np.ones(1),
        "ridge_diagonal": np.ones(2),
    }.items():
        with pytest.raises(ValueError, match=r"per (row|column|coordinate)|do not fit"):
            cells.solve(**{**fine, name: wrong})
    narrow = np.ones((3, 8), dtype=np.float32)
    with pytest.raises(ValueError, match="multiples of 16"):
        cells.solve(**{**fine, "other": narrow, "rows": narrow[:2].copy()})
    for bad in (np.array([2, 0], dtype=np.int32), np.array([0, 3], dtype=np.int32)):
        with pytest.raises(ValueError, match="out of order"):
            _core.ValueCells(starts, bad, ones, ones, 2, 1)
    with pytest.raises(ValueError, match="as many weights"):
        _core.ValueCells(starts, columns, np.ones(3, dtype=np.float32), ones, 3, 1)
    with pytest.raises(ValueError, match="uint32 or uint64"):
        _core.CountCells(
            starts, columns, ones, np.ones(2), np.ones(3, dtype=np.float32), 1.0, 0.5, 1
        )


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 99), st.sampled_from(THREADS))
def test_tables_are_transposed_together(rows, columns, seed, threads):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 3, (rows, columns)).astype(np.uint64) << np.uint64(40)
    table = csr_array(dense)
    starts, places, found = _core.transpose_tables(
        table.indptr.astype(np.int64), table.indices.astype(np.int32),
        [table.data, table.data.astype(np.float32), np.arange(table.nnz, dtype=np.uint32)],
        columns, threads,
    )  # fmt: skip
    turned = csr_array(table.T)
    turned.sort_indices()
    np.testing.assert_array_equal(starts, turned.indptr)
    np.testing.assert_array_equal(places, turned.indices)
    np.testing.assert_array_equal(found[0], turned.data)
    np.testing.assert_array_equal(found[1], turned.data.astype(np.float32))
    order = np.argsort(table.indices, kind="stable")
    np.testing.assert_array_equal(found[2], order)
