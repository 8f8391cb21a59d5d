"""What every method does: checks, steps, memory, diagnostics, sources and starts."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import firth
from firth import methods
from firth.association import Association, Weighing, associate
from firth.errors import BudgetError, FirthError
from firth.methods import METHODS, Factorisation, Method
from firth.resources import Resources

FROM_COUNTS = list(METHODS)


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    draws = (rng.pareto(0.7, (900, 12)) * 3).astype(np.int64) % 700
    return firth.count([" ".join(f"w{n}" for n in line) for line in draws.tolist()], min_count=1)


class Said:
    """Resources that remember what was reported."""

    def __init__(self, **settings):
        self.texts = []
        self.resources = Resources(
            progress=lambda event: self.texts.append(event.text), threads=1, **settings
        )


# --- steps --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Means(Method):
    """A method that needs no association: two-dimensional positions of words on a circle."""

    name: ClassVar[str] = "means"
    warm: ClassVar[bool] = True

    def memory(self, source):
        return 64 * len(source.words)

    def associate(self, source, resources):
        resources.report("weighing", "nothing to weigh")
        return source  # weights and targets are computed from the counts on the way

    def factorise(self, association, _resources, _start=None):
        assert isinstance(association, firth.Counts)
        size = len(association.words)
        angles = np.linspace(0, 1, size) if _start is None else _start.vectors[:, 0]
        left = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
        return Factorisation(left, np.ones(2), None, {"objective": [3.0, 2.0], "sweeps": 2})


def test_a_method_may_learn_from_counts_without_an_association(counts):
    space = Means().fit(counts)
    assert space.vectors.shape == (len(counts.words), 2)
    assert space.association is None
    assert space.recipe["diagnostics"] == {"objective": [3.0, 2.0], "sweeps": 2}
    assert space.recipe["counts"] == counts.recipe.to_json()


def test_a_method_may_start_from_another_space(counts, tmp_path):
    start = Means().fit(counts)
    again = Means().fit(counts, start=start)
    assert not np.array_equal(again.vectors, start.vectors)
    with pytest.raises(FirthError, match="ppmi does not take a space to start from"):
        methods.PPMI().fit(counts, start=start)
    again.save(tmp_path / "space")
    assert firth.Space.load(tmp_path / "space").recipe == again.recipe


@dataclass(frozen=True, kw_only=True)
class Views(Method):
    """A method of several views: their association rows side by side."""

    name: ClassVar[str] = "views"
    takes: ClassVar[tuple[type, ...]] = (firth.Counts, Association)
    several: ClassVar[bool] = True

    def memory(self, source):
        return sum(8 * view.nnz for view in source)

    def associate(self, source, _resources):
        return np.hstack(
            [
                view.to_dense() if isinstance(view, Association) else view.to_scipy().toarray()
                for view in source
            ]
        )

    def factorise(self, association, _resources, _start=None):
        left, values, _ = np.linalg.svd(association, full_matrices=False)
        found = left[:, : self.dim].astype(np.float32)
        return Factorisation(found, values[: self.dim], None, {"views": [1, 2]})


def test_a_method_may_take_several_views():
    one = firth.Counts.from_scipy(np.array([[1, 2], [3, 5]]), ["a", "b"])
    other = Association.from_scipy(np.array([[0.5], [-1.0]]), one.words)
    space = Views(dim=2).fit([one, other])
    assert space.words == one.words
    assert space.recipe["diagnostics"] == {"views": [1, 2]}
    assert [list(view) for view in space.recipe["views"]] == [["counts"], ["association"]]
    with pytest.raises(FirthError, match="views learns from counts or an association, not from in"):
        Views().fit([one, 3])


# --- sources ------------------------------------------------------------------------------------


def test_an_association_of_no_counts_is_factorised_as_it_is(counts, tmp_path):
    weighed = associate(counts, Weighing(alpha=0.75))
    matrix = Association.from_scipy(weighed.to_scipy(), counts.words, counts.contexts)
    fitted = methods.SVD(dim=5, tol=1e-4).fit(matrix)
    assert fitted.recipe["association"] == {"shape": [*matrix.shape], "nonzeros": matrix.nnz}
    assert "counts" not in fitted.recipe
    same = methods.PPMI(dim=5, beta=0).fit(counts)
    assert fitted.vectors.tobytes() == same.vectors.tobytes()
    word = counts.words.words[0]
    assert fitted.why(word, word).contexts
    fitted.save(tmp_path / "named")
    assert firth.Space.load(tmp_path / "named").association.words == counts.words
    # Columns without names cannot explain anything, so they are not kept.
    unnamed = methods.SVD(dim=5).fit(matrix.named(counts.words, None))
    assert unnamed.association is None
    unnamed.save(tmp_path / "unnamed")
    assert firth.Space.load(tmp_path / "unnamed").vectors.tobytes() == unnamed.vectors.tobytes()


def test_sources_that_a_method_does_not_take(counts):
    matrix = Association.from_scipy(np.eye(3))
    with pytest.raises(FirthError, match=r"rows of the association have no names: give them"):
        methods.SVD().fit(matrix)
    named = matrix.named(firth.Vocabulary(list("abc"), [0] * 3), None)
    with pytest.raises(FirthError, match=r"ppmi does not take it: use firth\.methods\.SVD"):
        methods.PPMI().fit(named)
    with pytest.raises(FirthError, match="eigenword learns from counts, not from Association"):
        methods.EigenWord().fit(named)
    with pytest.raises(FirthError, match="svd learns from counts or an association, not from str"):
        methods.SVD().fit("a text")
    with pytest.raises(FirthError, match="every entry of the association is zero"):
        methods.SVD().fit(Association.from_scipy(np.zeros((2, 2)), ["a", "b"]))


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FROM_COUNTS)
def test_python_honours_a_limit_of_memory_and_reports_the_need_once(name, counts):
    method = METHODS[name](dim=4)
    with pytest.raises(BudgetError, match=r"4 dimensions need about \d+M; raise memory, or lower"):
        method.fit(counts, resources=Resources(memory="1M"))
    said = Said()
    method.fit(counts, resources=said.resources)
    assert sum("will be needed" in text for text in said.texts) == 1


def test_memory_grows_with_what_is_kept(counts):
    for name in FROM_COUNTS:
        assert METHODS[name](dim=40).memory(counts) > METHODS[name](dim=4).memory(counts)
    wider = methods.EigenWord(dim=4, psd=True).memory(counts)
    assert wider >= methods.EigenWord(dim=4).memory(counts) + 8 * counts.nnz


def test_counts_of_a_store_are_part_of_the_need(counts, tmp_path):
    counts.save(tmp_path / "counts")
    needs = []
    for source in (counts, firth.Counts.load(tmp_path / "counts")):
        said = Said()
        mapped = replace(said.resources)
        methods.SVD(dim=2).require_memory(source, mapped)
        needs.append(float(said.texts[0].split()[1]))
    assert needs[1] - needs[0] == pytest.approx(8 * counts.nnz / 2**20, abs=1.5)


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("former", "present"),
    [("Default", "LogRatio"), ("Log", "LogCounts"), ("Sqrt", "SqrtCounts")],
)
def test_former_names_work_with_a_warning(former, present):
    with pytest.warns(DeprecationWarning, match=f"use firth.methods.{present}"):
        assert getattr(methods, former) is getattr(methods, present)


def test_the_default_is_an_alias():
    assert METHODS["default"] is methods.Weighted
    assert "default" not in list(METHODS)
    assert METHODS.names[0] == "default"


@pytest.mark.parametrize("name", FROM_COUNTS)
def test_every_method_says_what_it_is(name):
    method = METHODS[name]
    assert method.summary.endswith(".")
    assert len(method.summary) < 90
    assert method().settings()["name"] == name


def test_a_name_is_registered_once():
    with pytest.raises(FirthError, match="the name 'ppmi' is taken by PPMI"):
        methods.register(type("Other", (Means,), {"name": "ppmi"}))
    for name in ("", "default"):
        with pytest.raises(FirthError, match="needs a name of its own"):
            methods.register(type("Other", (Means,), {"name": name}))
    with pytest.raises(FirthError, match=r"method must be one of default, cca, .*, not 'word2vec'"):
        METHODS["word2vec"]
