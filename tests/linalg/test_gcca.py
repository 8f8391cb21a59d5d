"""Generalised canonical correlation analysis against the dense matrix that it stands for."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from tests.oracles_views import angle, centred, consensus, leading, planted

from firth.errors import FirthError
from firth.linalg import gcca, gcca_problem, view_factors
from firth.resources import Resources

ONE = Resources(threads=1)
RANK = 5


def masks(rows, views, share, seed=1):
    rng = np.random.default_rng(seed)
    missing = rng.random((rows, views)) < share
    missing[:, 0] &= ~missing.all(axis=1)  # every row is in some view
    return missing


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("regularisation", [1e-8, 10.0])
@pytest.mark.parametrize("weighted", ["no", "views", "rows"])
@pytest.mark.parametrize("center", [True, False])
def test_it_is_the_leading_subspace_of_the_dense_matrix(share, regularisation, weighted, center):
    views = planted()
    missing = masks(len(views[0]), len(views), share)
    rng = np.random.default_rng(3)
    weights = {
        "no": None,
        "views": [1.0, 0.5, 2.0, 1.5],
        "rows": [rng.uniform(0.2, 1, len(views[0])) for _ in views],
    }[weighted]
    found = gcca(
        views, RANK, missing=missing if share else None, weights=weights,
        regularisation=regularisation, center=center, resources=ONE,
    )  # fmt: skip
    whole = consensus(
        views, ~missing.T, regularisation=regularisation, weights=weights, center=center
    )
    values, vectors = leading(whole, RANK)
    assert angle(vectors, found.vectors) < 1e-6
    assert found.values == pytest.approx(values, rel=1e-9)
    assert found.converged
    assert found.residual < 1e-9
    assert found.vectors.T @ found.vectors == pytest.approx(np.eye(RANK), abs=1e-9)


def test_two_views_give_one_plus_the_canonical_correlations():
    x, y = planted(views=2)
    q, p = (np.linalg.qr(view - view.mean(axis=0))[0] for view in (x, y))
    correlations = np.linalg.svd(q.T @ p, compute_uv=False)
    assert gcca([x, y], 8).values == pytest.approx(1 + correlations[:8], abs=1e-9)


def test_the_truncated_views_are_those_of_the_dense_matrix():
    views = planted()
    observed = np.ones((4, len(views[0])), dtype=bool)
    values, vectors = leading(consensus(views, observed, rank=6), 4)
    found = gcca(views, 4, view_rank=6)
    assert found.values == pytest.approx(values, rel=1e-8)
    assert angle(vectors, found.vectors) < 1e-6


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_projections_solve_the_least_squares_of_each_view(share):
    views = planted()
    missing = masks(len(views[0]), 4, share)
    found = gcca(views, 3, missing=missing)
    for number, view in enumerate(views):
        has = ~missing[:, number]
        x = centred(view, has)[has]
        expected = np.linalg.solve(x.T @ x + 1e-8 * np.eye(12), x.T @ found.vectors[has])
        assert found.projections[number] == pytest.approx(expected, abs=1e-8)
        predicted = x @ expected
        for column in range(3):
            together = np.corrcoef(predicted[:, column], found.vectors[has, column])[0, 1]
            assert found.correlations[number, column] == pytest.approx(together, abs=1e-7)
        own = found.vectors[has] - found.vectors[has].mean(axis=0)
        fitted = own @ np.linalg.lstsq(own, x, rcond=None)[0]
        assert found.explained_together[number] == pytest.approx(
            (fitted**2).sum() / (x**2).sum(), rel=1e-9
        )
        alone = own[:, :1] @ np.linalg.lstsq(own[:, :1], x, rcond=None)[0]
        assert found.explained[number, 0] == pytest.approx((alone**2).sum() / (x**2).sum())


def large(monkeypatch, limit=0):
    """Make small problems take the way of large ones: Krylov, and files for the factors."""
    monkeypatch.setattr(gcca_problem, "DENSE", limit)
    monkeypatch.setattr(view_factors.Held.__init__, "__defaults__", (0,))


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_the_krylov_solver_equals_the_dense_one_and_reads_files(monkeypatch, share):
    views = planted(rows=900, views=6, width=60, shared=20)
    missing = masks(900, 6, share)
    dense = gcca(views, 20, missing=missing, resources=ONE)
    large(monkeypatch)
    found = gcca(views, 20, missing=missing, resources=ONE)
    assert found.passes > 1
    assert found.converged
    assert angle(dense.vectors, found.vectors) < 1e-5
    assert found.values == pytest.approx(dense.values, rel=1e-8)


def test_a_few_vectors_of_a_dense_problem_are_those_of_all_of_it(monkeypatch):
    views = planted(rows=1400, views=5, width=120, shared=15)
    found = gcca(views, 6, resources=ONE)
    monkeypatch.setattr(gcca_problem, "FEW", 10**6)
    whole = gcca(views, 6, resources=ONE)
    assert angle(whole.vectors, found.vectors) < 1e-8
    assert found.values == pytest.approx(whole.values, rel=1e-12)


def test_a_basis_that_restarts_finds_the_same(monkeypatch):
    from firth.linalg import krylov

    monkeypatch.setattr(krylov, "WIDTH", 8)
    views = planted(rows=1500, views=8, width=150, shared=30, noise=3.0)
    dense = gcca(views, 10, resources=ONE)
    large(monkeypatch)
    found = gcca(views, 10, resources=ONE)
    assert found.passes * 8 > krylov.basis_size(1500, 10)  # it had to
    assert angle(dense.vectors, found.vectors) < 1e-5


@pytest.mark.parametrize("views", [1, 3])
def test_an_eigenvalue_of_more_vectors_than_a_panel_has_columns_is_found_whole(monkeypatch, views):
    large(monkeypatch)
    view = np.random.default_rng(0).standard_normal((700, 300))
    found = gcca([view] * views, 200, resources=ONE)
    assert found.converged
    assert found.values == pytest.approx(np.full(200, float(views)), abs=1e-6)


@pytest.mark.parametrize("limit", [0, 1500])
def test_bits_depend_on_neither_threads_nor_the_order_of_views(monkeypatch, limit):
    monkeypatch.setattr("firth.linalg.products.BLOCK", 128)
    if not limit:
        large(monkeypatch)
    views = planted(rows=700, views=4, width=40)
    views.append(csr_array(np.maximum(views[0], 0)))
    missing = masks(700, 5, 0.3)
    first = gcca(views, 6, missing=missing, resources=ONE)
    for threads in (2, 3, 8):
        again = gcca(views, 6, missing=missing, resources=Resources(threads=threads))
        assert again.vectors.tobytes() == first.vectors.tobytes()
        assert again.projections[2].tobytes() == first.projections[2].tobytes()
    for order in itertools.islice(itertools.permutations(range(5)), 1, 120, 31):
        again = gcca([views[i] for i in order], 6, missing=missing[:, order], resources=ONE)
        assert again.vectors.tobytes() == first.vectors.tobytes()
        assert again.correlations[order.index(2)].tobytes() == first.correlations[2].tobytes()


def sparse_views(rows=3000, width=1400, views=3):
    rng = np.random.default_rng(7)
    topics = rng.standard_normal((rows, 6))
    found = []
    for _ in range(views):
        table = random_array((rows, width), density=0.02, rng=rng).tocoo()
        lean = np.exp(0.5 * topics[table.row, table.col % 6])
        found.append(csr_array((table.data * lean, (table.row, table.col)), shape=(rows, width)))
    return found


@pytest.mark.parametrize("center", [True, False])
def test_sparse_views_are_centred_and_truncated_without_making_them_dense(center):
    views = sparse_views()
    some = np.arange(0, 3000, 7)
    weights = np.linspace(0.1, 1, 3000)
    found = gcca(views, 4, view_rank=20, center=center, weights=[weights] * 3, resources=ONE)
    dense = gcca(
        [view.toarray() for view in views], 4, view_rank=20, center=center,
        weights=[weights] * 3, resources=ONE,
    )  # fmt: skip
    assert np.allclose(found.values, dense.values, rtol=2e-3)
    assert angle(dense.vectors[some], found.vectors[some]) < 0.05
    assert found.explained_together == pytest.approx(dense.explained_together, rel=0.02)
    assert found.means[0] == pytest.approx(views[0].mean(axis=0) * center, abs=1e-7)


def test_the_incremental_solver_is_one_pass_and_says_how_far_it_is_off(monkeypatch):
    large(monkeypatch)
    views = planted(rows=900, views=6, width=60, shared=20, noise=8.0)
    exact, once = (gcca(views, 20, solver=solver) for solver in ("krylov", "incremental"))
    assert once.passes == 1
    assert not once.converged
    assert once.residual > 100 * exact.residual
    assert angle(exact.vectors, once.vectors) > 0.1
    assert once.values.sum() < exact.values.sum()
    strong = planted(rows=900, views=6, width=60, shared=20, noise=0.01)
    exact, once = (gcca(strong, 20, solver=solver) for solver in ("krylov", "incremental"))
    assert angle(exact.vectors, once.vectors) < 0.05


def test_rows_of_no_view_are_zero_and_ranks_below_the_wanted_are_filled_with_zeros():
    views = [np.arange(8.0)[:, None], np.arange(8.0)[::-1, None] ** 2]
    missing = np.zeros((8, 2), dtype=bool)
    missing[5] = True
    found = gcca(views, 4, missing=missing)
    assert not found.vectors[5].any()
    assert np.count_nonzero(found.values) == 2
    assert not found.vectors[:, 2:].any()
    assert np.isfinite(found.vectors).all()


def test_a_view_without_rows_or_without_differences_has_no_say():
    views = planted(views=3)
    rows = len(views[0])
    missing = np.zeros((rows, 5), dtype=bool)
    missing[:, 3] = True
    constant = np.full((rows, 2), 7.3)
    found = gcca([*views, views[0], constant], 3, missing=missing)
    assert not found.projections[3].any()
    assert not found.projections[4].any()
    assert not found.correlations[3:].any()
    assert angle(gcca(views, 3).vectors, found.vectors) < 1e-6
    with pytest.raises(FirthError, match="no view has a row that differs from its mean"):
        gcca([constant], 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matrices": []}, "`matrices` is empty"),
        ({"matrices": [np.ones((3, 2)), np.ones((4, 2))]}, "matrix 2 has 4 rows, and the first"),
        ({"matrices": [np.ones(3)]}, "matrix 1 has 1 dimensions"),
        ({"matrices": [[["a"]]]}, "matrix 1 is not a matrix of numbers"),
        ({"matrices": [np.array([[1.0], [np.nan]])], "rank": 1}, "row 1 of matrix 1 is not finite"),
        ({"rank": 0}, "`rank` must be from 1 to the 240 rows, not 0"),
        ({"rank": 241}, "`rank` must be from 1 to the 240 rows"),
        ({"missing": np.zeros((3, 4), dtype=bool)}, "the mask 1 of `missing` must be 240 booleans"),
        ({"missing": [None]}, "`missing` must have a mask for each of the 4"),
        ({"weights": [1.0]}, "`weights` must have one for each of the 4"),
        ({"weights": [1.0, -1.0, 1.0, 1.0]}, "the weight 2 of `weights` must be a number"),
        ({"view_rank": 0}, "`view_rank` must be 1 or more, not 0"),
        ({"regularisation": -1.0}, "`regularisation` must be a number of 0 or more, not -1.0"),
        ({"regularisation": np.nan}, "`regularisation` must be a number of 0 or more, not nan"),
        ({"tol": 0.0}, "`tol` must be above 0"),
        ({"solver": "power"}, "`solver` must be krylov or incremental"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_its_place(changes, message):
    with pytest.raises(FirthError, match=message.replace("`", "")):
        gcca(**{"matrices": planted(), "rank": 2, **changes})


def test_what_is_missing_is_not_read():
    views = planted()
    missing = masks(len(views[0]), 4, 0.3)
    spoilt = [np.where(missing[:, [i]], np.nan, view) for i, view in enumerate(views)]
    found, expected = (gcca(given, 3, missing=missing) for given in (spoilt, views))
    assert found.vectors.tobytes() == expected.vectors.tobytes()
