"""docs/methods.md is generated from the methods."""

from tools.methods_page import PAGE, page

from firth.clusters import METHODS as CLUSTERS
from firth.methods import METHODS
from firth.parameters import parameters_of


def test_the_page_is_up_to_date():
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "run: python tools/methods_page.py"


def test_the_page_has_a_row_for_every_parameter():
    sections = dict(part.split("\n", 1) for part in page().split("\n### ")[1:])
    for methods in (METHODS, CLUSTERS):
        for method in methods.values():
            for known in parameters_of(method):
                assert f"| `{known.name}` | {known.type} | " in page()
    assert {*METHODS} <= {*sections}
