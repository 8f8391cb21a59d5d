"""evaluate, compare and sweep as called from Python: every form of spaces, suites and rules."""

import gzip
import json

import numpy as np
import pytest

import firth
from firth.errors import FirthError
from firth.evaluation import Analogy, Question, Similarity
from firth.space.formats import VectorTable

WORDS = [f"w{number}" for number in range(40)]
GENERATOR = np.random.default_rng(3)
VECTORS = GENERATOR.standard_normal((40, 6)).astype(np.float32)
OTHERS = (VECTORS + GENERATOR.standard_normal((40, 6))).astype(np.float32)
PAIRS = [(WORDS[i], WORDS[-1 - i], float(i % 7)) for i in range(18)] + [("w1", "unknown", 3.0)]


@pytest.fixture(scope="module")
def space():
    return firth.Space(firth.Vocabulary(WORDS, range(40, 0, -1)), VECTORS)


@pytest.fixture(scope="module")
def other():
    recipe = {"method": {"name": "ppmi"}}
    return firth.Space(firth.Vocabulary(WORDS, range(40, 0, -1)), OTHERS, recipe=recipe)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with a similarity set that firth knows, and one with analogies."""
    for variable in ("FIRTH_DATA", "FIRTH_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path / "nowhere"))
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "rg65.tsv").write_text("".join(f"{a}\t{b}\t{s}\n" for a, b, s in PAIRS))
    (folder / "questions-words.txt").write_text(": family\nw1 w2 w3 w4\nw5 w6 w7 w8\n")
    return folder


def scores(report):
    return {(row.space, row.test, row.measure): row.score for row in report.rows}


@pytest.mark.parametrize("kind", ["word2vec", "word2vec-binary", "glove", "fasttext", "projector",
                                  "safetensors", "stored", "compressed"])  # fmt: skip
@pytest.mark.parametrize("as_text", [True, False])
def test_a_path_of_any_format_is_a_space(space, data, tmp_path, kind, as_text):
    path = tmp_path / "vectors.vec"
    if kind == "stored":
        space.save(path)
    elif kind == "compressed":
        firth.write_vectors(space, tmp_path / "plain.txt", "glove")
        path = tmp_path / "vectors.txt.gz"
        path.write_bytes(gzip.compress((tmp_path / "plain.txt").read_bytes()))
    else:
        firth.write_vectors(space, path, kind)
    expected = firth.evaluate({path.name: space}, "similarity", data=data)
    found = firth.evaluate(str(path) if as_text else path, "similarity", data=[str(data)])
    assert found == expected
    assert found.rows[0].coverage == "18/19"


def test_spaces_alone_in_lists_and_under_names(space, other, data, tmp_path):
    path = tmp_path / "third"
    other.save(path)
    alone = firth.evaluate(space, "rg65", data=data)
    assert alone.spaces == ["vectors"]
    mixed = firth.evaluate([space, path, other, other, space], "rg65", data=data)
    assert mixed.spaces == ["vectors", "third", "ppmi", "ppmi 2", "vectors 2"]
    named = firth.evaluate({"one": space, "two": str(path)}, "rg65", data=data)
    assert named.spaces == ["one", "two"]
    values = [row.score for row in (*alone.rows, *mixed.rows, *named.rows)]
    first, second = alone.rows[0].score, mixed.rows[1].score
    assert values == [first, first, second, second, second, first, first, second]
    assert first != second


def test_tables_and_objects_of_gensim_are_spaces_too(space, data):
    expected = firth.evaluate({"a": space}, "rg65", data=data).rows
    assert firth.evaluate({"a": VectorTable(tuple(WORDS), VECTORS)}, "rg65", data=data).rows == (
        expected
    )
    models = pytest.importorskip("gensim.models")
    keyed = models.KeyedVectors(6)
    keyed.add_vectors(WORDS, VECTORS)
    assert firth.evaluate({"a": keyed}, "rg65", data=data).rows == expected


def test_suites_as_text_tasks_and_both(space, data, tmp_path):
    task = Similarity("mine", tuple(PAIRS))
    own = tmp_path / "own.tsv"
    own.write_text((data / "rg65.tsv").read_text())
    assert [r.test for r in firth.evaluate(space, "all", data=data).rows] == ["rg65", "google"]
    assert [r.test for r in firth.evaluate(space, data=data).rows] == ["rg65", "google"]
    found = firth.evaluate(space, ["google, rg65", task, f"similarity:{own}"], data=data)
    assert [r.test for r in found.rows][:4] == ["google", "rg65", "own", "mine"]
    assert len({row.score for row in found.rows[1:4]}) == 1
    assert firth.evaluate(space, task).rows[0].score == found.rows[1].score  # no folder needed
    assert firth.evaluate(space, f"similarity:{own}").rows[0].score == found.rows[1].score


@pytest.mark.parametrize(("analogy", "measures"), [
    ("add", ["3CosAdd"]), ("cosmul", ["3CosMul"]), ("both", ["3CosAdd", "3CosMul"]),
])  # fmt: skip
def test_one_name_of_a_rule_everywhere(space, data, analogy, measures):
    rows = firth.evaluate(space, "analogy", data=data, analogy=analogy).rows
    assert [row.measure for row in rows] == [f"accuracy, {name}" for name in measures]


def test_the_former_name_of_a_rule(space, data):
    question = (Question("w1", "w2", "w3", ("w4",)),)
    with pytest.warns(DeprecationWarning, match="'mul' is now called 'cosmul'"):
        assert Analogy("q", question, "mul") == Analogy("q", question, "cosmul")
    with pytest.warns(DeprecationWarning, match="cosmul"):
        rows = firth.evaluate(space, "google", data=data, analogy="mul").rows
    assert rows[0].measure == "accuracy, 3CosMul"


def test_rules_as_an_object_and_as_keywords(space, data):
    rules = firth.EvaluationRules(oov="zero", resamples=20)
    by_object = firth.evaluate(space, "rg65", rules, data=data)
    assert firth.evaluate(space, "rg65", oov="zero", resamples=20, data=data) == by_object
    more = firth.evaluate(space, "rg65", rules, seed=5, data=data)
    assert more.rules == firth.EvaluationRules(oov="zero", resamples=20, seed=5)
    assert by_object.rows[0].score != firth.evaluate(space, "rg65", data=data).rows[0].score


def test_the_former_call_goes_on(space):
    task = Similarity("mine", tuple(PAIRS))
    rules = firth.EvaluationRules(resamples=10)
    report = firth.evaluate({"a": space}, [task], rules)
    with pytest.warns(DeprecationWarning, match="use suite"):
        assert firth.evaluate({"a": space}, tasks=[task], rules=rules) == report
    with pytest.warns(DeprecationWarning, match="use resources"):
        assert firth.evaluate({"a": space}, [task], rules, threads=2) == report


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, "rg65"), "a int is not a space: give a Space, the path of"),
        (([], "rg65"), "nothing to test: give at least one space"),
        (("nowhere.txt", "rg65"), "nowhere.txt: no such"),
        (("SPACE", ""), "suite names nothing to test with"),
        (("SPACE", []), "suite names nothing to test with"),
        (("SPACE", [7]), "suite takes names of tests and tasks, not 7"),
        (("SPACE", "wordsim"), "'wordsim' is not a known set"),
        (("SPACE", "ner"), "needs more than a space: use firth.evaluation.ner.run"),
        (("SPACE", "rg65", {"case": "x"}), "rules must be EvaluationRules"),
    ],
    ids=str,
)
def test_what_is_refused(space, data, arguments, message):
    given = [space if argument == "SPACE" else argument for argument in arguments]
    with pytest.raises(FirthError, match=message):
        firth.evaluate(*given, data=data)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"case": "upper"}, "case must be one of fold, lower, exact"),
        ({"oov": None}, "oov must be one of"),
        ({"restrict": 0}, "restrict must be 1 or more, not 0"),
        ({"restrict": 2.5}, "restrict must be a whole number, 1 or more"),
        ({"half": "first"}, "half must be one of"),
        ({"common": "yes"}, "common must be"),
        ({"resamples": True}, "resamples must be 1 or more"),
        ({"level": 1}, "level must be above 0 and below 1"),
        ({"level": float("nan")}, "level must be above 0"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"analogy": "sub"}, "analogy must be one of add, cosmul, both"),
    ],
    ids=str,
)
def test_every_choice_is_checked_where_it_is_given(space, data, settings, message):
    with pytest.raises(FirthError, match=message):
        firth.evaluate(space, "rg65", data=data, **settings)


def test_a_rule_that_does_not_exist(space, data):
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected keyword argument 'oof'"):
        firth.evaluate(space, "rg65", data=data, oof="zero")


def test_comparisons(space, other, data, tmp_path):
    other.save(tmp_path / "stored")
    firth.write_vectors(space, tmp_path / "vectors.txt")
    found = firth.compare(tmp_path / "vectors.txt", str(tmp_path / "stored"), "rg65", data=data)
    assert (found.first, found.second) == ("vectors.txt", "stored")
    assert found.rules.common  # as the command does
    again = firth.compare({"vectors.txt": space}, {"stored": other}, "rg65", data=data)
    assert again == found
    assert not firth.compare(space, other, "rg65", firth.EvaluationRules(), data=data).rules.common
    assert not firth.compare(space, other, "rg65", common=False, data=data).rules.common
    twins = firth.compare(space, space, "rg65", data=data)
    assert (twins.first, twins.second) == ("vectors", "vectors 2")
    strict = firth.compare(space, other, "rg65", data=data, significance=0.01)
    assert strict.to_json()["significance"] == 0.01
    assert "at 0.01 after Holm" in strict.sentences()[-2]
    for wrong in (0, 0.5, -1, True):
        with pytest.raises(FirthError, match="significance must be above 0 and below"):
            firth.compare(space, other, "rg65", data=data, significance=wrong)
    with pytest.raises(FirthError, match="two spaces, each with a name of its own"):
        firth.compare({"a": space}, {"a": other}, "rg65", data=data)


def test_commands_and_functions_say_the_same(space, other, data, tmp_path):
    from click.testing import CliRunner

    from firth.cli.compare_command import command as compare
    from firth.cli.evaluate_command import command as evaluate

    space.save(tmp_path / "one")
    firth.write_vectors(other, tmp_path / "two.txt")
    paths = [str(tmp_path / "one"), str(tmp_path / "two.txt")]
    shared = ["--data", str(data), "--suite", "rg65,google", "--analogy", "cosmul", "--json", "-q"]
    asked = {"suite": "rg65,google", "data": data, "analogy": "cosmul"}
    done = CliRunner().invoke(evaluate, [*paths, *shared])
    assert json.loads(done.output) == json.loads(
        json.dumps(firth.evaluate(paths, **asked).to_json())
    )
    done = CliRunner().invoke(compare, [*paths, *shared, "--significance", "0.1"])
    assert json.loads(done.output) == json.loads(
        json.dumps(firth.compare(*paths, significance=0.1, **asked).to_json())
    )


def test_sweeps(tmp_path):
    lines = [" ".join(f"w{(i * j) % 23}" for j in range(1, 9)) for i in range(1, 60)]
    counts = firth.count(lines, min_count=1)
    counts.save(tmp_path / "counts")
    task = Similarity("pairs", tuple((f"w{i}", f"w{i + 3}", float(i)) for i in range(12)))
    points = firth.sweep(counts, "ppmi", {"dim": [3, 5], "alpha": 1.0}, task, resamples=10)
    assert [dict(point.settings) for point in points] == [
        {"dim": 3, "alpha": 1.0}, {"dim": 5, "alpha": 1.0},
    ]  # fmt: skip
    alone = firth.methods.PPMI(dim=5, alpha=1.0).fit(counts)
    row = firth.evaluate(alone, task, resamples=10).rows[0]
    assert points[1].rows[0].score == pytest.approx(row.score, abs=1e-6)
    out = tmp_path / "out"
    for _ in range(2):  # the second time the points that are done are read
        stored = firth.sweep(tmp_path / "counts", "ppmi", {"dim": [3, 5], "alpha": 1.0}, task,
                             output=out, resamples=10)  # fmt: skip
        assert stored == points
    assert len(list(out.glob("point-*.json"))) == 2
    with pytest.raises(FirthError, match="grid has no value for 'dim'"):
        firth.sweep(counts, "ppmi", {"dim": []}, task)


def test_vectors_are_read_and_written_as_spaces(space, tmp_path):
    path = tmp_path / "vectors.txt"
    assert firth.write_vectors(space, path) == ()
    with pytest.raises(FirthError, match="exists"):
        firth.write_vectors(space, path)
    again = firth.read_vectors(path)
    assert again.index_to_key == WORDS
    assert np.array_equal(again.vectors, VECTORS)
    assert again.most_similar("w1") == space.most_similar("w1")
    folder = tmp_path / "tensors"
    firth.write_vectors(space, folder, "safetensors")
    assert firth.read_vectors(folder).words == space.words  # frequencies too
    told = []
    path.write_text("3 2\nw1 0.5 1\nw2 1.5 1\nw3 2 1\nw4 1 1\n")
    firth.read_vectors(path, "word2vec", resources=firth.Resources(progress=told.append))
    assert [event.text for event in told] == ["rows: 4, where the header declares 3"]
    with pytest.raises(FirthError, match="'npz' is not a format"):
        firth.read_vectors(path, "npz")
    with pytest.raises(FirthError, match="space must be a Space, not list"):
        firth.write_vectors([1], path)
