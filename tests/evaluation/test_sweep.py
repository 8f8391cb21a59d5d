"""Sweeps: every point of a grid, with as few factorisations as there need be, and resumed."""

import json

import numpy as np
import pytest

import firth
from firth.errors import FirthError, StoreError
from firth.evaluation import sweep as module
from firth.evaluation.api import evaluate
from firth.evaluation.figures import draw_sweep
from firth.evaluation.protocol import EvaluationRules
from firth.evaluation.report import Row
from firth.evaluation.similarity import Similarity
from firth.evaluation.sweep import (
    cells,
    name_of,
    parse_axis,
    plan_of,
    sweep,
    to_csv,
)
from firth.evaluation.sweep_folder import SweepFolder
from firth.methods import METHODS

RULES = EvaluationRules(resamples=20)


@pytest.fixture(scope="module")
def counts():
    generator = np.random.default_rng(0)
    lines = [" ".join(f"w{i}" for i in generator.zipf(1.3, size=12) % 120) for _ in range(1500)]
    return firth.count(lines, window=4, min_count=1)


@pytest.fixture(scope="module")
def tasks(counts):
    generator = np.random.default_rng(1)
    words = counts.words.words[:60]
    places = generator.integers(0, 60, size=(80, 2))
    pairs = tuple((words[a], words[b], float(a + b)) for a, b in places)
    return [Similarity("one", pairs[:50]), Similarity("two", pairs[40:])]


@pytest.fixture
def fits(monkeypatch):
    """Count the fits."""
    made = []
    learn = module.Method.learn

    def counted(self, *arguments, **settings):
        made.append(self)
        return learn(self, *arguments, **settings)

    monkeypatch.setattr(module.Method, "learn", counted)
    return made


def test_points_that_share_a_factorisation_are_fitted_once(counts, tasks, fits):
    axes = {"alpha": (0.5, 0.75), "dim": (3, 8), "beta": (0.0, 0.5), "combine": ("words", "sum")}
    points = sweep(counts, "ppmi", axes, tasks, RULES)
    assert len(points) == 16
    assert [(method.alpha, method.dim) for method in fits] == [(0.5, 8), (0.75, 8)]
    assert len({json.dumps(dict(p.settings)) for p in points}) == 16


@pytest.mark.parametrize(
    ("method", "axes"),
    [
        ("ppmi", {"dim": (4, 10), "beta": (0.0, 0.5), "combine": ("words", "sum", "concat")}),
        ("default", {"dim": (4, 10), "combine": ("auto", "words"), "weight": (0.1, 1.0)}),
        ("eigenword", {"threshold": (-3.0, -1.0), "dim": (4, 10)}),
        ("svdns", {"dim": (10, 4)}),
    ],
)
def test_a_point_scores_as_a_fit_of_its_own(counts, tasks, method, axes):
    for point in sweep(counts, method, axes, tasks, RULES):
        alone = METHODS[method](**point.settings).fit(counts)
        expected = evaluate({"alone": alone}, tasks, RULES).rows
        for row, other in zip(point.rows, expected, strict=True):
            assert row.score == pytest.approx(other.score, abs=1e-3)
            assert row.coverage == other.coverage


def test_the_leading_part_of_a_factorisation_is_a_smaller_one(counts):
    large = METHODS["cca"](dim=12).fit(counts)
    small = METHODS["cca"](dim=5)
    found, alone = small.derive(large), small.fit(counts)
    assert found.vectors.shape == alone.vectors.shape
    assert np.abs(np.abs(found.vectors) - np.abs(alone.vectors)).max() < 1e-2
    assert found.recipe["method"] == small.settings()


def test_a_sweep_that_broke_off_goes_on(counts, tasks, fits, tmp_path, monkeypatch):
    axes = {"alpha": (0.25, 0.5, 0.75), "dim": (6, 3)}
    plan = plan_of(counts, "ppmi", axes, tasks, RULES)
    whole = sweep(counts, "ppmi", axes, tasks, RULES)
    fits.clear()
    folder = SweepFolder(tmp_path / "out", plan)
    folder.open(force=False)
    real, seen = module.report_on, []

    def breaking(*arguments, **settings):
        if len(seen) == 3:
            raise KeyboardInterrupt
        seen.append(1)
        return real(*arguments, **settings)

    monkeypatch.setattr(module, "report_on", breaking)
    with pytest.raises(KeyboardInterrupt):
        sweep(counts, "ppmi", axes, tasks, RULES, folder=folder)
    assert len(list((tmp_path / "out").glob("point-*.json"))) == 3
    assert not (tmp_path / "out" / "table.csv").exists()
    monkeypatch.setattr(module, "report_on", real)
    fits.clear()
    with pytest.raises(StoreError, match="another run is writing this output"):
        SweepFolder(tmp_path / "out", plan).open(force=True)
    folder.close()
    again = SweepFolder(tmp_path / "out", plan)
    again.open(force=False)
    points = sweep(counts, "ppmi", axes, tasks, RULES, folder=again)
    assert [method.alpha for method in fits] == [0.5, 0.75]
    assert [method.dim for method in fits] == [6, 6]
    assert points == whole  # to the bit
    assert (tmp_path / "out" / "table.csv").read_text() == to_csv(points)
    fits.clear()
    assert sweep(counts, "ppmi", axes, tasks, RULES, folder=again) == points
    assert fits == []


def test_a_sweep_without_a_point_gives_way(counts, tasks, tmp_path):
    one, other = (plan_of(counts, "ppmi", {"dim": (d,)}, tasks, RULES) for d in (3, 4))
    SweepFolder(tmp_path / "out", one).open(force=False)  # and is killed
    (tmp_path / "out" / "point-0000.json.writing").write_text("{")
    begun = SweepFolder(tmp_path / "out", other)
    begun.open(force=False)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"lock", "sweep.json"}
    begun.leave()
    assert list((tmp_path / "out").iterdir()) == []  # another made the folder
    fresh = SweepFolder(tmp_path / "new", one)
    fresh.open(force=False)
    fresh.leave()
    assert not (tmp_path / "new").exists()
    fresh.open(force=False)
    (tmp_path / "new" / "point-0000.json").write_text('{"rows": []}')
    fresh.leave()
    assert len(list((tmp_path / "new").iterdir())) == 2
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "sweep.json").write_text('{"name": "of another program"}')
    with pytest.raises(StoreError, match="holds another sweep"):
        SweepFolder(tmp_path / "theirs", one).open(force=False)


def test_a_folder_of_another_sweep_or_of_somebody_is_left_alone(counts, tasks, tmp_path):
    one = plan_of(counts, "ppmi", {"dim": (3,)}, tasks, RULES)
    SweepFolder(tmp_path / "out", one).open(force=False)
    (tmp_path / "out" / "point-0000.json").write_text('{"rows": []}')
    for other in (
        plan_of(counts, "ppmi", {"dim": (4,)}, tasks, RULES),
        plan_of(counts, "ppmi", {"dim": (3,)}, tasks[:1], RULES),
        plan_of(counts, "ppmi", {"dim": (3,)}, tasks, EvaluationRules(oov="zero")),
        plan_of(counts.top(50) if hasattr(counts, "top") else counts, "cca", {"dim": (3,)}, tasks,
                RULES),
    ):  # fmt: skip
        with pytest.raises(StoreError, match="holds another sweep: choose another name, or repl"):
            SweepFolder(tmp_path / "out", other).open(force=False)
    SweepFolder(tmp_path / "out", other).open(force=True)
    assert not (tmp_path / "out" / "point-0000.json").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(StoreError, match="exists and is not a sweep"):
        SweepFolder(tmp_path / "mine", one).open(force=True)
    (tmp_path / "out" / "sweep.json").write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match="holds another sweep"):
        SweepFolder(tmp_path / "out", other).open(force=False)
    damaged = SweepFolder(tmp_path / "out", other)
    (tmp_path / "out" / "point-0000.json").write_text("{")
    with pytest.raises(StoreError, match=r"point-0000\.json: .* damaged: remove it"):
        damaged.load(0, {"dim": 3})
    (tmp_path / "out" / "point-0000.json").write_text('{"settings": {"dim": 4}, "rows": []}')
    assert damaged.load(0, {"dim": 4}) == []
    with pytest.raises(StoreError, match="of another point"):
        damaged.load(0, {"dim": 3})


def test_axes_are_read_by_the_parameters_of_the_method():
    assert parse_axis("eigenword", "psd=true,False") == ("psd", (True, False))
    assert parse_axis("ppmi", "combine=words,sum,words") == ("combine", ("words", "sum"))
    for method, text, message in [
        (
            "ppmi",
            "threshold=1",
            "not a parameter of ppmi and its values, as in dim=100,300: it has",
        ),
        ("ppmi", "dim", "not a parameter of ppmi"),
        ("ppmi", "dim=ten", "dim must be a whole number, 1 or more, not 'ten'"),
        ("ppmi", "dim=1.5", "dim must be a whole number"),
        ("ppmi", "alpha=nan", "alpha must be from 0 to 1, not nan"),
        ("ppmi", "alpha=1,,2", "alpha must be from 0 to 1, not ''"),
        ("ppmi", "combine=", "combine must be one of words, sum, mean, concat, auto, not ''"),
        ("eigenword", "psd=maybe", "psd must be true or false, not 'maybe'"),
    ]:
        with pytest.raises(FirthError, match=message):
            parse_axis(method, text)


def test_a_point_out_of_range_is_refused_before_anything_is_fitted(counts, tasks, fits):
    with pytest.raises(FirthError, match="dim must be 1 or more"):
        sweep(counts, "ppmi", {"dim": (5, 0)}, tasks, RULES)
    assert fits == []


def test_table_and_figure(counts, tasks, tmp_path):
    points = sweep(counts, "eigenword", {"threshold": (-3.0, -1.0), "dim": (3, 6)}, tasks, RULES)
    header, lines = cells(points)
    assert header[:2] == ["threshold", "dim"]
    assert [line[:2] for line in lines] == [["-3", "3"], ["-3", "6"], ["-1", "3"], ["-1", "6"]]
    assert lines[0][2] == points[0].rows[0].shown()
    path = tmp_path / "sweep.svg"
    draw_sweep([(point.settings, point.rows) for point in points], path, name_of)
    text = path.read_text()
    for label in ("dim=3", "dim=6", "threshold", "one", "two", "-3", "-1"):
        assert f"<!-- {label} -->" in text
    assert "<!-- -2 -->" not in text  # a value that was not tried


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ((10, 100, 30), ("10", "30", "100")),
        ((True, False), ("True", "False")),
        (("auto", -3.0), ("auto", "-3.0")),
        ((5,), ("5",)),
        (tuple(range(12)), ("0", "11")),
    ],
)
def test_a_figure_marks_the_values_that_were_tried(tmp_path, values, marks):
    def rows(score):
        mean = Row("", "mean of 2 similarity sets", "average", "Spearman", score)
        return [Row("", "one", "similarity", "Spearman", score, score - 0.1, score + 0.1), mean]

    points = [
        ({"x": value, "dim": dim}, rows(0.1 + 0.01 * number))
        for dim in (1, 2, 3, 4)
        for number, value in enumerate(values)
    ]
    draw_sweep(points, tmp_path / "sweep.svg", name_of)
    text = (tmp_path / "sweep.svg").read_text()
    for mark in (*marks, "dim=4", "mean of 2 similarity sets"):
        assert f"<!-- {mark} -->" in text
