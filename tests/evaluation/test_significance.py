"""Correlations, intervals and tests, against scipy, simulation and published tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from firth.errors import FirthError
from firth.evaluation.mrds import accuracy_mrds, correlation_mrds
from firth.evaluation.significance import (
    _correlations,
    _Ranks,
    correlation,
    correlation_difference,
    correlation_interval,
    holm,
    mcnemar,
    mean_interval,
    not_better,
    steiger,
    williams,
)

few = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=40
)


@given(few)
def test_correlation_is_scipys_with_ties(rows):
    x, y, _ = np.array(rows, dtype=np.float64).T
    found = correlation(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@given(few)
def test_a_resample_is_the_items_written_out(rows):
    x, y, times = np.array(rows, dtype=np.float64).T
    times = times.astype(np.int64)
    found = _correlations(_Ranks(x), _Ranks(y), times[None])[0]
    many = correlation(np.repeat(x, times), np.repeat(y, times)) if times.sum() else None
    assert np.isnan(found) if many is None else found == pytest.approx(many, abs=1e-12)


def test_degenerate_correlations():
    nothing = np.empty(0)
    assert correlation(nothing, nothing) is None
    assert correlation(np.array([1.0]), np.array([2.0])) is None
    assert correlation_interval(np.ones(5), np.arange(5.0)) is None
    assert correlation(np.arange(3.0), -np.arange(3.0)) == -1.0


def test_the_interval_covers_what_it_should():
    generator = np.random.default_rng(1)
    rho, inside = 0.6, 0
    truth = 6 / np.pi * np.arcsin(rho / 2)  # Spearman's of a normal pair
    for seed in range(200):
        x = generator.standard_normal(150)
        y = rho * x + np.sqrt(1 - rho**2) * generator.standard_normal(150)
        low, high = correlation_interval(x, y, 200, 0.9, seed)
        inside += low <= truth <= high
    assert 0.83 <= inside / 200 <= 0.96


def test_the_interval_is_scipys_bootstrap_but_for_chance():
    generator = np.random.default_rng(2)
    x = generator.standard_normal(200)
    y = x + generator.standard_normal(200)
    theirs = stats.bootstrap(
        (x, y), lambda a, b: stats.spearmanr(a, b).statistic, paired=True, vectorized=False,
        n_resamples=2000, method="percentile", rng=3,
    ).confidence_interval  # fmt: skip
    assert correlation_interval(x, y, 2000) == pytest.approx(theirs, abs=0.02)


def test_intervals_are_the_same_every_time_and_depend_on_the_seed():
    x, y = np.random.default_rng(0).standard_normal((2, 50))
    assert correlation_interval(x, y, 100, seed=4) == correlation_interval(x, y, 100, seed=4)
    assert correlation_interval(x, y, 100, seed=4) != correlation_interval(x, y, 100, seed=5)


def test_a_mean_has_the_interval_of_a_binomial():
    low, high = mean_interval(np.repeat([0.0, 1.0], [700, 300]), 20_000)
    assert (low, high) == pytest.approx(stats.binom.ppf([0.025, 0.975], 1000, 0.3) / 1000, abs=1e-3)
    assert mean_interval(np.ones(9)) == (1.0, 1.0)
    assert mean_interval(np.empty(0)) is None


def test_a_paired_difference_of_like_scores_is_nothing():
    x, y = np.random.default_rng(0).standard_normal((2, 50))
    assert correlation_difference(x, 2 * x, y) == (0.0, 0.0)
    low, high = correlation_difference(-y, y, y)
    assert (low, high) == (2.0, 2.0)


def test_steigers_test_is_fair_where_nothing_differs():
    generator = np.random.default_rng(3)
    p = []
    for _ in range(400):
        gold = generator.standard_normal(100)
        x, y = gold + generator.standard_normal((2, 100))
        r = np.corrcoef([x, y, gold])
        p.append(steiger(r[0, 2], r[1, 2], r[0, 1], 100))
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_williams_by_hand_and_at_the_edge():
    # Written out from Steiger 1980, equation 7.
    r1, r2, r, n = 0.6, 0.4, 0.5, 53
    below = 2 * (52 / 50) * (1 - 0.36 - 0.16 - 0.25 + 2 * 0.12) + 0.25 * 0.125
    assert williams(r1, r2, r, n) == pytest.approx(0.2 * np.sqrt(52 * 1.5 / below))
    assert williams(0.5, 0.5, 1.0, 10) == 0.0
    assert williams(0.5, 0.4, 1.0, 10) == np.inf or williams(0.5, 0.4, 1.0, 10) > 0
    assert steiger(0.5, 0.4, 0.5, 3) is None
    assert steiger(0.4, 0.4, 0.5, 30) == 1.0


@given(st.floats(-0.99, 0.99), st.integers(4, 500), st.floats(-1e-15, 1e-15))
def test_spaces_that_are_each_others_opposite_are_tested_by_one_correlation(r, items, rounding):
    t = r * np.sqrt((items - 3) / (1 - r * r))
    assert williams(r, -r + rounding, -1.0, items) == pytest.approx(t, abs=1e-9)
    near = 1e-7 - 1
    assert williams(r, near * r, near, items) == pytest.approx(t, rel=1e-3, abs=1e-6)
    assert steiger(r, r + rounding, 1.0, items) == 1.0
    assert steiger(1.0, -1.0, -1.0, items) == 0.0


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(first, second):
    if first + second:
        expected = stats.binomtest(first, first + second).pvalue
        assert mcnemar(first, second) == pytest.approx(expected, abs=1e-12)
    else:
        assert mcnemar(first, second) == 1.0


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_the_posterior_is_the_integral(items_a, items_b, data):
    a, b = data.draw(st.integers(0, items_a)), data.draw(st.integers(0, items_b))
    x = np.linspace(0, 1, 4001)
    density = stats.beta.pdf(x, a + 1, items_a - a + 1)
    expected = np.trapezoid(density * stats.beta.cdf(x, b + 1, items_b - b + 1), x)
    assert not_better(a, items_a, b, items_b) == pytest.approx(expected, abs=1e-4)
    other = not_better(b, items_b, a, items_a)
    assert not_better(a, items_a, b, items_b) + other == pytest.approx(1)


def test_another_prior():
    # The paper's footnote 4: with Beta(.5, .5) TOEFL asks for 6.38 points instead of 6.63.
    assert not_better(70, 80, 75, 80, prior=0.5) < not_better(70, 80, 75, 80)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_bonferroni_of_what_is_left(p):
    found = holm(p)
    for i, value in enumerate(p):
        smaller = sorted([q for q in p if q <= value])
        expected = max(min(1.0, q * (len(p) - sorted(p).index(q))) for q in smaller)
        assert found[i] == pytest.approx(expected)


TABLE = {  # table 2 of the paper: items; at .01 for agreement .5, .7, .9; at .05 likewise
    "MEN": (3000, 4.2, 3.2, 1.8, 3.0, 2.3, 1.3),
    "RW": (2034, 5.1, 3.9, 2.3, 3.6, 2.8, 1.6),
    "SCWS": (2003, 5.1, 4.0, 2.3, 3.6, 2.8, 1.6),
    "SIMLEX": (999, 7.3, 5.7, 3.2, 5.2, 4.0, 2.3),
    "WS": (353, 12.3, 9.5, 5.5, 8.7, 6.7, 3.9),
    "MTURK": (287, 13.7, 10.6, 6.1, 9.7, 7.5, 4.3),
    "WS-REL": (252, 14.6, 11.3, 6.5, 10.3, 8.0, 4.6),
    "WS-SEM": (203, 16.2, 12.6, 7.3, 11.5, 8.9, 5.1),
    "RG": (65, 28.6, 22.3, 12.9, 20.6, 16.0, 9.2),
    "MC": (30, 41.7, 32.7, 19.0, 30.6, 23.9, 13.8),
}


@pytest.mark.parametrize("name", TABLE)
def test_mrds_of_correlations_is_the_papers(name):
    items, *printed = TABLE[name]
    settings = [(agreement, p) for p in (0.01, 0.05) for agreement in (0.5, 0.7, 0.9)]
    for (agreement, p), value in zip(settings, printed, strict=True):
        # The paper's program goes down in tenths of a point until the test fails.
        assert math.floor(1000 * correlation_mrds(items, agreement, p)) / 10 == value


def test_mrds_has_the_exact_values_near_the_papers():
    found = [round(100 * correlation_mrds(n), 2) for n in (3000, 2034, 999, 353)]
    assert found == [1.34, 1.63, 2.33, 3.93]


@pytest.mark.parametrize(
    ("items", "p", "points"),
    [
        (80, 0.05, 6.63),  # TOEFL
        (80, 0.01, 8.13),
        (10675, 0.05, 0.68),  # AN-SYN
        (10675, 0.01, 0.95),
        (8869, 0.05, 0.74),  # AN-SEM
        (8869, 0.01, 1.03),
    ],
)
def test_mrds_of_accuracies_is_the_papers(items, p, points):
    assert round(100 * accuracy_mrds(items, p), 2) == pytest.approx(points, abs=0.0101)


def test_mrds_of_very_few_items():
    assert correlation_mrds(4, 0.5) == 1.0 or correlation_mrds(4, 0.5) > 0.8
    assert accuracy_mrds(1) == 1.0
    with pytest.raises(FirthError, match="at least four items, not 3"):
        correlation_mrds(3)
    with pytest.raises(FirthError, match="at least one item"):
        accuracy_mrds(0)
    with pytest.raises(FirthError, match="agreement must be"):
        correlation_mrds(10, 1.0)
