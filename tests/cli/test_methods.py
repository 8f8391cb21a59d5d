"""Options that come from methods: help, defaults, and a toy method that is found everywhere."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from tools.methods_page import page

import firth
from firth.cli import group
from firth.clusters import METHODS as CLUSTERS
from firth.methods import METHODS, Factorisation, Method, register
from firth.papers import paper_of
from firth.parameters import parameter, parameters_of

KINDS = [("fit", METHODS), ("cluster", CLUSTERS)]
EVERY = [(command, methods, name) for command, methods in KINDS for name in methods]


def shown(*words):
    """What a command prints in this process, where the toy is."""
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


@pytest.mark.parametrize(("command", "methods", "name"), EVERY)
def test_the_help_of_a_method_shows_its_options_and_its_paper_only(command, methods, name):
    text, method = shown(command, "--method", name, "--help"), methods[name]
    assert method.summary in text
    assert not method.paper or paper_of(method.paper).citation in text
    own = {known.option for known in parameters_of(method)}
    others = {known.option for other in methods.values() for known in parameters_of(other)} - own
    assert all(f" {option} " in text for option in own)
    assert not [option for option in others if f" {option} " in text]
    assert "--threads" not in text
    for known in parameters_of(method):
        assert f"{known.meaning} [default: {known.shown_default}" in text


@pytest.mark.parametrize(
    ("command", "methods", "default"),
    [("fit", METHODS, "default"), ("sweep", METHODS, "default"), ("cluster", CLUSTERS, "spectral")],
)
def test_help_lists_the_methods_and_the_options_of_the_default(command, methods, default):
    text = shown(command, "--help")
    assert "--threads" in text
    for name, method in methods.items():
        assert f"{name} {method.summary.rstrip('.')}" in text
    own = {known.name for known in parameters_of(methods[default])}
    listed = text.partition(f"of --method {default}")[2]
    for known in parameters_of(methods[default]):
        assert f"{known.name if command == 'sweep' else known.option} " in listed
    others = {k.name: k for m in methods.values() for k in parameters_of(m) if k.name not in own}
    assert not [known.option for known in others.values() if f"{known.option} " in text]


@dataclass(frozen=True, kw_only=True)
class Toy(Method):
    """Random vectors, which know nothing."""

    name: ClassVar[str] = "toy"
    paper: ClassVar[str] = "A. Author, 2030, On knowing nothing"
    derived: ClassVar[tuple[str, ...]] = ()

    spread: float = parameter(1.0, "How far vectors spread.", above=0)

    def memory(self, source):
        return 1 << 33 if self.spread > 100 else 8 * len(source.words) * self.dim

    def associate(self, source, _resources):
        return source

    def factorise(self, association, _resources, _start=None):
        drawn = np.random.default_rng(0).standard_normal((len(association.words), self.dim))
        return Factorisation((self.spread * drawn).astype(np.float32), np.ones(self.dim))


@pytest.fixture
def toy(monkeypatch):
    """Register the toy for one test."""
    monkeypatch.setattr(METHODS, "_methods", dict(METHODS._methods))
    return register(Toy)


def test_a_toy_method_of_one_file_is_found_everywhere(toy, desk, monkeypatch, data):
    assert "toy Random vectors, which know nothing (A. Author" in shown("fit", "--help")
    assert "toy Random vectors" in shown("sweep", "--help")
    text = shown("fit", "--method", "toy", "--help")
    assert "--spread FLOAT How far vectors spread. [default: 1; above 0]" in text
    assert "--alpha" not in text
    assert "spread How far vectors spread." in shown("sweep", "--method", "toy", "--help")

    monkeypatch.chdir(desk.path)
    fit = ["fit", "kept", "-o", "new", "--method", "toy", "--dim", "2"]
    done = CliRunner().invoke(group, [*fit, "--spread", "3", "--json"])
    assert done.exit_code == 0
    assert done.stderr.count("will be needed") == 1
    space = firth.Space.load(desk / "new")
    assert space.recipe["method"] == {"name": "toy", "dim": 2, "spread": 3.0}

    done = CliRunner().invoke(group, [*fit, "--force", "--alpha", "1"])
    assert done.exit_code == 2
    assert "--alpha is not an option of --method toy, which has --dim, --spread." in done.stderr
    done = CliRunner().invoke(group, [*fit, "--force", "--spread", "0"])
    assert "'--spread': must be above 0, not 0.0." in done.stderr
    # The preflight asks the method itself.
    done = CliRunner().invoke(group, [*fit, "--force", "--spread", "101", "--memory", "1G"])
    assert "29 nonzeros and 2 dimensions need about 9" in str(done.exception)

    sweep = ["sweep", "kept", "--method", "toy", "--grid", "spread=1,2", "--suite", "rg65"]
    done = CliRunner().invoke(group, [*sweep, "--data", str(data), "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert done.stderr.count("will be needed") == 1
    assert done.stdout.startswith("spread,test,")

    section = page().partition("### toy")[2]
    assert "A. Author, 2030, On knowing nothing" in section
    assert "| `spread` | number | 1 | above 0 | How far vectors spread. |" in section


@pytest.fixture
def data(desk):
    """A folder with one small test."""
    desk.write("tests/wordsim/EN-RG-65.txt", "cat dog 3\nmat dog 1\n")
    return desk / "tests"


def test_without_the_toy_nothing_knows_it():
    assert "toy" not in METHODS
    assert "toy" not in shown("fit", "--help")
    assert "### toy" not in page()
