"""Reports, comparisons and figures."""

import csv
import io
import json

import numpy as np
import pytest
from tests.evaluation.conftest import space_of

from firth.errors import FirthError
from firth.evaluation.analogy import Analogy, Question
from firth.evaluation.api import evaluate
from firth.evaluation.compare import compare_outcomes
from firth.evaluation.figures import draw_scores
from firth.evaluation.protocol import EvaluationRules, Outcome
from firth.evaluation.report import Report, average, information_row, row_of
from firth.evaluation.running import outcomes
from firth.evaluation.significance import correlation, mcnemar, not_better, steiger
from firth.evaluation.similarity import Similarity
from firth.resources import Resources
from firth.space.opening import open_space

WORDS = [f"w{i}" for i in range(60)]


def pairs_of(seed=0, count=150):
    generator = np.random.default_rng(seed)
    places = generator.integers(0, 60, size=(count, 2))
    return tuple((WORDS[a], WORDS[b], float(a * b % 11)) for a, b in places if a != b)


def outcome(values, gold=None, covered=None, name="set"):
    values = np.asarray(values, dtype=np.float64)
    known = np.ones(len(values), bool) if covered is None else np.asarray(covered, bool)
    gold = None if gold is None else np.asarray(gold, dtype=np.float64)
    return Outcome(name, "task", "measure", values, known, known, gold)


def test_a_space_that_lacks_half_the_words_shows_it_in_every_row(random_space):
    whole = random_space(WORDS)
    half = space_of(WORDS[:30], whole.vectors[:30])
    questions = tuple(Question(*WORDS[i : i + 3], (WORDS[i + 3],), f"s{i % 2}") for i in range(50))
    tasks = [
        Similarity("one", pairs_of(1)),
        Similarity("two", pairs_of(2)),
        Analogy("q", questions),
    ]
    report = evaluate({"whole": whole, "half": half}, tasks, sections=True)
    for row in report.rows:
        if row.space == "half":
            assert 0 < row.covered < row.total
        else:
            assert row.covered == row.total
    assert "measure | whole | half |" in report.markdown()
    for line in report.markdown().splitlines()[2:]:
        assert line.count("/") == 2, line
    common = evaluate({"whole": whole, "half": half}, tasks, EvaluationRules(common=True))
    for first, second in zip(common.rows[:3], common.rows[3:6], strict=True):
        assert (first.score, first.covered) == (second.score, second.covered)
    assert "| test | measure | covered | whole | half |" in common.markdown()


def test_an_empty_overlap_is_said_and_never_nan(random_space):
    tasks = [Similarity("one", pairs_of(1)), Similarity("two", pairs_of(2)),
             Analogy("q", (Question("w1", "w2", "w3", ("w4",)),))]  # fmt: skip
    report = evaluate({"other": random_space(["x", "y"])}, tasks)
    assert [row.reason for row in report.rows[:3]] == ["no covered items"] * 3
    assert report.rows[3].reason == "one: no covered items"
    text = report.markdown() + report.csv() + json.dumps(report.to_json(), allow_nan=False)
    assert "nan" not in text.lower()
    assert "no covered items" in report.markdown()


def test_a_report_in_every_form(random_space):
    report = evaluate({"a": random_space(WORDS)}, [Similarity("one", pairs_of()),
                                                   Similarity("two", pairs_of(3))])  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(report.csv())))
    assert [float(row["score"]) for row in rows] == [row.score for row in report.rows]
    assert rows[2]["test"] == "mean of 2 similarity sets"
    assert report.rows[2].score == pytest.approx(np.mean([r.score for r in report.rows[:2]]))
    assert (report.rows[2].covered, rows[2]["low"]) == (sum(r.covered for r in report.rows[:2]), "")
    found = report.to_json()
    assert [row["test"] for row in found["rows"]] == ["one", "two", "mean of 2 similarity sets"]
    assert found["rules"]["oov"] == "skip"
    for row in report.rows[:2]:
        assert row.low < row.score < row.high
        assert row.shown() in report.markdown()


@pytest.mark.parametrize("oov", ["skip", "zero", "mean"])
def test_a_comparison_shows_what_is_covered_by_any_rule(random_space, oov):
    spaces = {"one": random_space(WORDS[:40]), "two": random_space(WORDS[:50], seed=1)}
    pairs = pairs_of()
    known = sum({a, b} <= {*WORDS[:40]} for a, b, _ in pairs)
    rules = EvaluationRules(oov=oov, resamples=10)
    (first,), (second,) = outcomes(spaces, [Similarity("set", pairs)], rules).values()
    found = compare_outcomes("one", "two", [(first, second)], rules)
    (row,) = found.to_json()["differences"]
    items = known if oov == "skip" else len(pairs)
    assert (row["covered"], row["items"], row["total"]) == (known, items, len(pairs))
    assert found.cells()[1][0][1] == f"{known}/{len(pairs)}"
    assert f",{items},{known},{len(pairs)}," in found.csv()


def test_rows_of_another_measure_are_shown_as_they_are():
    row = information_row("brown", 1.5412, 90, 100)
    assert row.shown() == "1.541"
    assert (
        "| mutual information | nats | 90/100 | 1.541 |"
        in Report([row], EvaluationRules()).markdown()
    )
    assert average("brown", [row]) is None


def test_a_comparison_uses_the_items_both_know_and_the_right_tests():
    generator = np.random.default_rng(0)
    gold = generator.standard_normal(80)
    x, y = gold + generator.standard_normal((2, 80)) * [[2.0], [0.3]]
    known = np.arange(80) < 70
    a, b = outcome(x, gold), outcome(y, gold, known)
    right = [(generator.random(200) < p).astype(float) for p in (0.4, 0.7)]
    c, d = outcome(right[0], name="q"), outcome(right[1], name="q")
    found = compare_outcomes("A", "B", [(a, b), (c, d)], EvaluationRules())
    first, second = found.differences
    r = [correlation(u[:70], v[:70]) for u, v in ((x, gold), (y, gold), (x, y))]
    assert (first.items, first.total) == (70, 80)
    assert (first.first, first.second, first.agreement) == tuple(r)
    assert first.p == steiger(*r, 70)
    alone = [int((p > q).sum()) for p, q in (right, right[::-1])]
    assert second.p == mcnemar(*alone)
    assert second.posterior == not_better(int(right[0].sum()), 200, int(right[1].sum()), 200)
    assert second.agreement == np.mean(right[0] == right[1])
    assert sorted(d.corrected for d in found.differences) == sorted(
        [min(first.p, second.p) * 2, max(first.p, second.p, 2 * min(first.p, second.p))]
    )
    assert first.low < first.difference < first.high
    words = found.sentences()
    assert words[0].startswith("set: B is better: ")
    assert words[1].startswith("q: B is better: ")
    assert words[2] == ("Of 2 tests, B is better on 2 and A on 0, at 0.05 after Holm's correction.")
    assert words[3] == f"Their similarities correlate with each other at {100 * r[2]:.1f} (set)."
    json.dumps(found.to_json(), allow_nan=False)


def test_many_comparisons_make_a_chance_difference_no_real_one():
    generator = np.random.default_rng(3)
    pairs = []
    for _ in range(40):
        gold = generator.standard_normal(60)
        x, y = gold + generator.standard_normal((2, 60))
        pairs.append((outcome(x, gold), outcome(y, gold)))
    found = compare_outcomes("A", "B", pairs, EvaluationRules(resamples=10))
    assert any(d.p < 0.05 for d in found.differences)
    assert not any(d.is_real(0.05) for d in found.differences)
    assert all("no real difference" in line for line in found.sentences()[:40])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (outcome([1, 2], [1, 2], [True, False]), outcome([1, 2], [1, 2], [False, True]),
         "set: cannot be compared: no covered items."),
        (outcome([1, 1, 1], [1, 2, 3]), outcome([1, 2, 3], [1, 2, 3]),
         "set: cannot be compared: all similarities equal."),
        (outcome([1, 2, 3], [1, 2, 3]), outcome([1, 3, 2], [1, 2, 3]),
         "set: 100.0 and 50.0, difference -50.0"),
        (outcome([1, 2, 4, 3, 5], [1, 2, 3, 4, 5]), outcome([1, 2, 4, 3, 5], [1, 2, 3, 4, 5]),
         "set: no real difference: 90.0 and 90.0, difference +0.0 [+0.0, +0.0]; p = 1 by Steiger"),
        (outcome([1, 0]), outcome([1, 0]), "set: no real difference: 50.0 and 50.0"),
    ],
)  # fmt: skip
def test_comparisons_of_little(a, b, words):
    found = compare_outcomes("A", "B", [(a, b)], EvaluationRules())
    assert found.sentences()[0].startswith(words)
    json.dumps(found.to_json(), allow_nan=False)
    assert len(found.cells()[1][0]) == len(found.cells()[0])


def test_nothing_depends_on_threads(random_space):
    space = random_space(WORDS)
    questions = tuple(Question(*WORDS[i : i + 3], (WORDS[i + 3],)) for i in range(50))
    tasks = [
        Similarity("one", pairs_of(1)),
        Analogy("q", questions),
        Analogy("q", questions, "cosmul"),
    ]
    one, three = (
        outcomes({"s": space}, tasks, EvaluationRules(), resources=Resources(threads=n))["s"]
        for n in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        assert a.values.tobytes() == b.values.tobytes()
        assert row_of("s", a, EvaluationRules()) == row_of("s", b, EvaluationRules())


def test_spaces_and_vector_files_are_opened_alike(random_space, tmp_path):
    space = random_space(WORDS)
    space.save(tmp_path / "space")
    lines = [
        f"{w} {' '.join(str(float(x)) for x in v)}"
        for w, v in zip(WORDS, space.vectors, strict=True)
    ]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
    task = Similarity("one", pairs_of())
    scores = {task.run(open_space(tmp_path / name)).score for name in ("space", "vectors.txt")}
    assert scores == {task.run(space).score}
    with pytest.raises(FirthError):
        evaluate({}, [task])


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_figure_is_drawn_whole_and_the_same_each_time(random_space, tmp_path, suffix):
    spaces = {"one": random_space(WORDS), "two": random_space(WORDS, seed=1)}
    report = evaluate(spaces, [Similarity("first", pairs_of()), Similarity("second", pairs_of(2))])
    path = tmp_path / f"scores{suffix}"
    draw_scores(report, path)
    content = path.read_bytes()
    assert content.startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix])
    draw_scores(report, path)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    if suffix == ".svg":
        assert content.count(b"<!-- first (Spearman) -->") == 1
    with pytest.raises(FirthError, match="a figure's name ends in"):
        draw_scores(report, tmp_path / "scores.doc")
