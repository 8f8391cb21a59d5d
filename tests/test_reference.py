"""Public names: each has a docstring with an example that runs, and is in the reference."""

import doctest
import importlib
import inspect
import io

import numpy as np
import pytest
from tools.reference import FOLDER, MODULES, Docstring, pages, public_names

import firth

NAMES = {
    f"{module}.{name}": value
    for module in MODULES
    for name, value in public_names(importlib.import_module(module))
}


def test_the_reference_is_up_to_date():
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert found == pages(), "run python tools/reference.py"


def test_public_names_are_found():
    assert {"firth.Space", "firth.evaluate", "firth.methods.PPMI", "firth.linalg.svd"} <= {*NAMES}
    for module in MODULES:
        for name in getattr(importlib.import_module(module), "__all__", ()):
            value = getattr(importlib.import_module(module), name)
            data = not (inspect.isclass(value) or inspect.isfunction(value))
            assert data or f"{module}.{name}" in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example_that_runs_as_it_stands(name):
    """The examples use the names that the pages of the reference import."""
    doc = Docstring.of(NAMES[name])
    assert doc.text, f"{name} has no docstring"
    assert ">>> " in doc.sections.get("Examples", ""), f"{name} has no example"
    home = importlib.import_module(name.rpartition(".")[0])
    assumed = {"firth": firth, "np": np, **dict(public_names(home))}
    test = doctest.DocTestParser().get_doctest(doc.sections["Examples"], assumed, name, None, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    output = io.StringIO()
    assert doctest.DocTestRunner(optionflags=flags).run(test, out=output.write).failed == 0, (
        output.getvalue()
    )


def test_every_name_of_all_exists():
    assert set(firth.__all__) <= set(dir(firth))
    for name in firth.__all__:
        assert getattr(firth, name) is not None


FORMER = {
    **{
        name: f"firth.methods.{name}"
        for name in ("CCA", "PPMI", "SPPMI", "SVD", "SVDNS", "EigenWord", "Regression", "Spectral")
    },
    **{name: f"firth.clusters.{name}" for name in ("BrownClusters", "SpectralClusters")},
    "Default": "firth.methods.LogRatio",
    "Log": "firth.methods.LogCounts",
    "Sqrt": "firth.methods.SqrtCounts",
    "Event": "firth.progress.Event",
}


@pytest.mark.parametrize("name", FORMER)
def test_former_names_work_with_a_warning(name):
    with pytest.warns(DeprecationWarning, match=rf"firth\.{name} is deprecated: use firth\."):
        found = getattr(firth, name)
    home, _, now = FORMER[name].rpartition(".")
    assert found is getattr(importlib.import_module(home), now)
    assert name not in firth.__all__


def test_the_former_name_of_the_rules_works_with_a_warning():
    import firth.evaluation.protocol as protocol

    for module in (firth, firth.evaluation, protocol):
        with pytest.warns(DeprecationWarning, match="EvaluationRules"):
            assert module.Rules is firth.EvaluationRules


def test_unknown_names_are_attribute_errors():
    for module in (firth, firth.evaluation):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            module.nothing  # noqa: B018
