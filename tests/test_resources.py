"""Resources: threads, memory, device and progress, checked when they are given."""

import pytest

import firth
from firth.errors import BudgetError, FirthError
from firth.resources import Resources

LINES = ["a b c", "c b a"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threads": 0}, "threads must be 1 or more"),
        ({"threads": 1.5}, "threads must be 1 or more"),
        ({"memory": "much"}, "write 512M or 4G"),
        ({"memory": 0}, "write 512M or 4G"),
        ({"device": "abacus"}, "device must be"),
    ],
)
def test_invalid_values_are_refused(given, message):
    with pytest.raises(FirthError, match=message):
        Resources(**given)


def test_a_run_that_needs_more_than_the_limit_is_refused():
    with pytest.raises(BudgetError, match=r"it need about \d+M; raise memory, or lower dim"):
        Resources(memory="1M").require(1 << 30, "it", "dim")


def test_a_run_that_fits_reports_its_need():
    messages = []
    Resources(progress=lambda event: messages.append(event.text)).require(1 << 20, "it", "dim")
    assert messages[0].endswith("of memory will be needed")


def test_former_keywords_work_with_a_warning():
    events = []
    with pytest.warns(DeprecationWarning, match="Resources"):
        counts = firth.count(LINES, min_count=1, threads=1, memory="1G", progress=events.append)
    assert counts.equals(firth.count(LINES, min_count=1))
    assert events


def test_former_keywords_change_only_what_they_name():
    events = []
    resources = Resources(progress=events.append)
    with pytest.warns(DeprecationWarning, match="threads"):
        firth.count(LINES, min_count=1, resources=resources, threads=1)
    assert events
