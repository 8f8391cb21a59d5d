"""Families of distributions: slopes, weights and deviances against finite differences."""

import numpy as np
import pytest

from firth.methods.families import (
    FAMILIES,
    Binomial,
    Clipped,
    Gaussian,
    Multinomial,
    NegativeBinomial,
    Poisson,
    Tweedie,
)

PLAIN = [Gaussian(), Poisson(), Multinomial(), Tweedie(1.25), Tweedie(1.9), NegativeBinomial(0.3),
         NegativeBinomial(4.0), Binomial()]  # fmt: skip
ALL = [*PLAIN, Clipped(Tweedie(1.25), 2.0), Clipped(Poisson(), 2.0),
       Clipped(NegativeBinomial(0.5), 2.0)]  # fmt: skip
PREDICTORS = np.linspace(-2.5, 2.5, 23)
NEAR = 1e-5


def observed(family):
    """What may be observed; of the binomial, shares of trials."""
    whole = np.array([0.0, 0.3, 1.0, 2.0, 7.5])
    return whole / 7.5 if family.name == "binomial" else whole


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_the_mean_is_the_inverse_of_the_link(family):
    mean = family.mean(PREDICTORS)
    np.testing.assert_allclose(family.link(mean), PREDICTORS, atol=1e-9)


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_the_slope_is_that_of_the_link(family):
    mean = family.mean(PREDICTORS)
    step = NEAR * np.minimum(1, np.abs(mean * (1 - mean)) + NEAR)
    measured = (family.link(mean + step) - family.link(mean - step)) / (2 * step)
    np.testing.assert_allclose(family.slope(mean), measured, rtol=1e-4)


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_the_weight_is_that_of_equation_8(family):
    mean = family.mean(PREDICTORS)
    expected = 1 / (family.slope(mean) ** 2 * family.variance(mean))
    np.testing.assert_allclose(family.weight(mean), expected, rtol=1e-9)


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_the_slope_of_the_deviance_is_minus_two_weights_times_the_response(family):
    for y in observed(family):
        at = np.full_like(PREDICTORS, y)
        above, below = (family.deviance(at, family.mean(PREDICTORS + s)) for s in (NEAR, -NEAR))
        mean = family.mean(PREDICTORS)
        expected = -2 * family.weight(mean) * family.response(at, mean)
        np.testing.assert_allclose((above - below) / (2 * NEAR), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_the_deviance_is_zero_where_the_mean_is_the_count_and_positive_elsewhere(family):
    y = observed(family)[1:-1]
    np.testing.assert_allclose(family.deviance(y, y), 0, atol=1e-9)
    for factor in (0.5, 1.2):
        assert np.all(family.deviance(y, y * factor) > 0)
    assert np.isfinite(family.deviance(np.zeros(1), family.mean(np.array([-3.0])))).all()


@pytest.mark.parametrize("family", PLAIN, ids=repr)
def test_a_second_derivative_at_the_count_is_twice_the_weight(family):
    """So that one step from μ = y is the best quadratic form of the deviance."""
    y = observed(family)[1:-1]
    at, near = family.link(y), 1e-4
    curve = family.deviance(y, family.mean(at + near)) + family.deviance(y, family.mean(at - near))
    np.testing.assert_allclose(curve / near**2, 2 * family.weight(y), rtol=1e-3)


def test_clipping_changes_nothing_below():
    y, mean = np.array([0.0, 0.5, 1.5]), np.array([0.1, 1.0, 1.9])
    clipped = Clipped(Tweedie(1.25), 2.0)
    np.testing.assert_allclose(clipped.deviance(y, mean), Tweedie(1.25).deviance(y, mean))
    np.testing.assert_array_equal(clipped.weight(np.array([2.0, 50.0])), 2.0**0.75)


def test_the_families_of_the_paper_are_there():
    names = {"gaussian", "poisson", "tweedie", "negative_binomial", "multinomial", "binomial"}
    assert set(FAMILIES) == names
    assert {name for name, family in FAMILIES.items() if family.needs_zeros} == {
        "multinomial", "binomial",
    }  # fmt: skip
