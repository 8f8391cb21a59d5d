"""Parameters: values are checked when a method is made, and when they are parsed from text."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth import clusters, methods
from firth.errors import FirthError
from firth.parameters import Checked, Parameter, parameter, parameters_of

BOTH = [*methods.METHODS.values(), *clusters.METHODS.values()]
EVERY = [(method, known) for method in BOTH for known in parameters_of(method)]
NAMES = [f"{method.name}.{known.name}" for method, known in EVERY]


def wrong(known):
    """Return values that a parameter must refuse."""
    values = [float("nan"), float("inf"), "no such word", object(), [1]]
    if not known.optional:
        values.append(None)
    if known.kind in (int, float):
        values += [True, "1"]
        values += [known.least - 1] if known.least is not None else []
        values += [known.most + 1] if known.most is not None else []
        values += [known.above] if known.above is not None else []
    if known.kind is int:
        values.append(2.5)
    if known.kind is bool:
        values += [0, 1, "true"]
    return values


@pytest.mark.parametrize(("method", "known"), EVERY, ids=NAMES)
def test_a_wrong_value_is_refused_at_construction_by_name(method, known):
    for value in wrong(known):
        with pytest.raises(FirthError, match=rf"^{known.name} must be "):
            method(**{known.name: value})


@pytest.mark.parametrize(("method", "known"), EVERY, ids=NAMES)
def test_the_default_and_the_bounds_are_accepted(method, known):
    assert getattr(method(), known.name) == known.default
    for value in (known.least, known.most, *known.choices):
        if value is not None:
            assert getattr(method(**{known.name: value}), known.name) == value


@pytest.mark.parametrize(("method", "known"), EVERY, ids=NAMES)
def test_a_parameter_is_read_from_text(method, known):
    for value in (known.default, known.least, known.most, *known.choices):
        if value is not None:
            text = str(value).lower() if known.kind is bool else str(value)
            assert known.parse(f" {text} ") == value
    assert known.meaning.endswith(".")
    assert len(known.meaning) < 120
    assert known.default is not None or known.rule


def test_wrong_values_are_refused_before_fitting():
    """Earlier versions accepted these values, and failed after loading the counts."""
    for method, settings in [
        (methods.CCA, {"alpha": 3}),
        (methods.CCA, {"transform": "foo"}),
        (methods.PPMI, {"tol": float("nan")}),
        (methods.PPMI, {"seed": -1}),
        (methods.PPMI, {"beta": "x"}),
        (methods.EigenWord, {"psd": "yes"}),
    ]:
        (name,) = settings
        with pytest.raises(FirthError, match=f"^{name} must be "):
            method(**settings)


def test_numbers_of_numpy_become_numbers_of_python():
    made = methods.PPMI(dim=np.int64(3), alpha=np.float32(0.5), kappa=2)
    assert made == methods.PPMI(dim=3, alpha=0.5, kappa=2.0)
    assert [type(value) for value in (made.dim, made.alpha, made.kappa)] == [int, float, float]
    assert methods.EigenWord(psd=np.True_).psd is True


@given(st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans()))
def test_any_value_is_in_range_or_refused(value):
    known = Parameter("x", float, 1.0, "A number.", above=0, most=5, choices=("auto",))
    try:
        kept = known.check(value)
    except FirthError as error:
        assert str(error).startswith("x must be above 0, 5 at most, or 'auto', not ")
    else:
        assert kept == "auto" or 0 < kept <= 5
        assert type(value) is not bool


def test_none_and_free_text():
    @dataclass(frozen=True, kw_only=True)
    class Made(Checked):
        clip: float | str | None = parameter(None, "A bound.", least=1, choices=("weights",))
        label: str = parameter("", "Any text.")

    clip, label = parameters_of(Made)
    assert (clip.parse("none"), clip.parse("weights"), clip.parse("2")) == (None, "weights", 2.0)
    assert (clip.range, clip.shown_default) == ("1 or more, or 'weights'", "none")
    assert label.parse("any thing") == "any thing"
    with pytest.raises(FirthError, match="label must be text, not 3"):
        Made(label=3)
