"""The weighted factorisation of counts, against formulas written out over all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles_weighted import Pairs

import firth
from firth.association import Weighing, associate
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.alternating import objective_of
from firth.methods.weighted import factorise_weighted, weighted_problem
from firth.resources import Resources

LINES = ["the cat sat on the mat", "the dog sat on the log and the cat", "a log is no mat"] * 3
KNOBS = {"seen_power": 0.5, "unseen_power": 0.4, "unseen_share": 1.5, "ridge": 0.1}


def counts_of(context="symmetric", **settings_):
    return firth.count(LINES, window=3, context=context, min_count=1, **settings_)


def pairs_of(counts, alpha=0.4, shift=-1.0, seen_power=0.5, unseen_power=0.4, unseen_share=1.5,
             ridge=0.1):  # fmt: skip
    """The problem of METHODS, pair by pair."""
    x = counts.to_scipy().toarray().astype(float)
    of_row, of_column = x.sum(axis=1), x.sum(axis=0)

    def raised(f, power):
        return np.where(f > 0, np.where(f > 0, f, 1.0) ** power, 0.0)

    whole = raised(of_row, alpha).sum() * raised(of_column, alpha).sum() / x.sum()
    below = np.outer(raised(of_row, alpha), raised(of_column, alpha))
    ratio = np.divide(x * whole, below, out=np.zeros_like(x), where=below > 0)
    seen = x > 0
    weights = np.where(seen, x**seen_power, 0.0)
    z, y = raised(of_row, unseen_power), raised(of_column, unseen_power)
    total = unseen_share * weights.sum()
    if unseen_share:
        z *= np.sqrt(total) / z.sum()
        y *= np.sqrt(total) / y.sum()
    else:
        z, y = np.ones_like(z), np.ones_like(y)
    pairs = weights + (np.outer(z, y) if unseen_share else 0)
    ridges = ridge * pairs.sum(axis=1) / y.sum(), ridge * pairs.sum(axis=0) / z.sum()
    return Pairs(
        np.log1p(np.exp(-shift) * ratio), weights, seen, z, y, *ridges, unseen=unseen_share > 0
    )


@settings(max_examples=40)
@given(
    st.sampled_from(["symmetric", "left", "right", "positional"]),
    st.sampled_from(["flat", "harmonic"]), st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]),
    st.sampled_from([0.0, 0.4, 1.0]), st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from([-1.0, 0.0, 2.0]), st.sampled_from([0.0, 1.5]),
)  # fmt: skip
def test_the_objective_is_that_of_the_formulas(context, weighting, p, g, alpha, shift, share):
    counts = counts_of(context, weighting=weighting)
    knobs = {**KNOBS, "seen_power": p, "unseen_power": g, "unseen_share": share}
    pairs = pairs_of(counts, alpha, shift, **knobs)
    weighing = Weighing(scale="log1p", alpha=alpha, word_alpha=alpha, shift=shift)
    problem = weighted_problem(counts, weighing, **knobs)
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((n, 3)) for n in counts.shape)
    left[~pairs.seen.any(axis=1)] = 0
    right[~pairs.seen.any(axis=0)] = 0
    expected = pairs.objective(left, right)
    assert objective_of(problem, left, right) == pytest.approx(expected, rel=1e-4)
    assert objective_of(problem.transposed(), right, left) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("context", ["symmetric", "left", "positional"])
@pytest.mark.parametrize("start", ["svd", "random"])
def test_what_is_found_has_the_objective_it_says_and_no_pair_can_lower_it(context, start):
    counts = counts_of(context)
    pairs = pairs_of(counts)
    found = factorise_weighted(counts, dim=3, ridge=0.1, sweeps=100, start=start)
    roots = np.sqrt(found.values)
    left, right = found.left * roots, found.right * roots
    assert found.objective[-1] == pytest.approx(pairs.objective(left, right), rel=1e-4)
    assert np.all(np.diff(found.objective) <= 1e-5 * found.objective[0])
    best = pairs.best_rows(right)
    assert pairs.objective(left, right) <= pairs.objective(best, right) * (1 + 1e-4)


def test_targets_are_the_association_of_the_default():
    """With all pairs of one weight, and no other, it is the SVD of the log1p association."""
    counts = counts_of()
    target = associate(counts, Weighing(scale="log1p", alpha=0.4, word_alpha=0.4, shift=-1.0))
    found = factorise_weighted(
        counts, dim=3, unseen_power=0, unseen_share=1e7, ridge=0, sweeps=300
    )  # fmt: skip
    expected = np.linalg.svd(target.to_dense(), compute_uv=False)[:3]
    np.testing.assert_allclose(found.values, expected, rtol=1e-3)


@pytest.mark.parametrize("context", ["symmetric", "right"])
def test_the_same_bits_on_any_number_of_threads(context):
    counts = firth.count([" ".join(f"w{(7 * i * i + i) % 611}" for i in range(40_000))], window=5,
                         context=context, min_count=1)  # fmt: skip
    found = [
        factorise_weighted(counts, dim=20, sweeps=2, resources=Resources(n)) for n in (1, 2, 3, 8)
    ]
    assert len({result.left.tobytes() + result.right.tobytes() for result in found}) == 1


def test_symmetric_counts_are_not_transposed():
    counts = counts_of()
    weighing = Weighing(scale="log1p")
    problem = weighted_problem(counts, weighing, **KNOBS)
    assert problem.rows is problem.columns
    sided = weighted_problem(counts_of("left"), weighing, **KNOBS)
    assert sided.rows is not sided.columns


# --- odd counts ---------------------------------------------------------------------------------


def from_table(table):
    table = np.asarray(table)
    words = [f"w{i}" for i in range(len(table))]
    contexts = [f"c{i}" for i in range(table.shape[1])]
    return Counts.from_scipy(table, words, contexts)


@pytest.mark.parametrize(
    "table",
    [
        [[1]],
        [[0, 0], [0, 5]],
        [[10**12, 1], [1, 0]],
        [[10**12] * 3] * 3,
        np.zeros((3, 4), dtype=int),
        [[3, 0, 1], [3, 0, 1], [0, 0, 0]],
        np.eye(33, dtype=int),
    ],
)
@pytest.mark.parametrize("start", ["svd", "random"])
@pytest.mark.parametrize("dim", [1, 100])
def test_odd_counts_have_finite_factors(table, start, dim):
    counts = from_table(table)
    found = factorise_weighted(counts, dim=dim, start=start)
    for part in (found.left, found.values, found.right, np.array(found.objective)):
        assert np.all(np.isfinite(part))
    held = counts.to_scipy().toarray()
    assert not found.left[~held.any(axis=1)].any()
    assert not found.right[~held.any(axis=0)].any()
    assert np.all(np.diff(found.objective) <= 1e-5 * (1 + found.objective[0]))


def test_what_has_no_meaning_is_refused():
    for words, settings_ in {
        "start must be svd or random": {"start": "glove"},
        "dim must be 1 or more": {"dim": 0},
        "sweeps must be 1 or more": {"sweeps": 0},
        "seen_power must lie between 0 and 1": {"seen_power": 1.5},
        "unseen_power must lie between 0 and 1": {"unseen_power": -0.5},
        "unseen_share must be": {"unseen_share": -1.0},
        "ridge must be": {"ridge": -1.0},
        "alpha must lie": {"alpha": 2.0},
    }.items():
        with pytest.raises(FirthError, match=words):
            factorise_weighted(counts_of(), **settings_)
