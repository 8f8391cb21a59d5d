"""firth evaluate --suite ner: taggers of names, plain and with clusters and vectors."""

import numpy as np
import pytest

import firth

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abcdefghijklmnopqrstuvwxyz"), 5)).title() for _ in range(240)]
CITIES, TREES = WORDS[:120], WORDS[120:]


def sentences(part):
    """Which capitalised words are names, no letter of theirs tells."""
    lines = [f"see O\n{city} B-place\n\nsee O\n{tree} O\n\n"
             for city, tree in zip(CITIES[part], TREES[part], strict=True)]  # fmt: skip
    return "".join(lines)


@pytest.fixture
def texts(desk):
    desk.write("train.conll", sentences(slice(0, 100)))
    desk.write("test.conll", sentences(slice(100, 120)))
    words = [word.lower() for word in WORDS]
    bits = ["01"] * 120 + ["10"] * 120
    desk.write("paths", "".join(f"{b}\t{w}\t1\n" for b, w in zip(bits, words, strict=True)))
    vectors = np.array([[1, 0.5], [-1, 0.5]], dtype=np.float32).repeat(120, axis=0)
    firth.Space(firth.Vocabulary(words, [1] * 240), vectors).save(desk / "space")
    return desk


def test_clusters_and_vectors_tell_names_that_training_did_not_see(texts):
    asked = ["evaluate", "space", "--suite", "ner", "--clusters", "paths", "--epochs", "20"]
    found = texts.result(*asked, "--train", "train.conll", "--test", "test.conll")
    scores = {(row["space"], row["measure"]): row for row in found["rows"]}
    assert list(scores) == [
        ("plain", "F1"), ("paths", "F1"), ("paths", "F1 above plain"), ("space", "F1"),
        ("space", "F1 above plain"),
    ]  # fmt: skip
    assert scores["plain", "F1"]["score"] < 0.9
    assert scores["paths", "F1"]["score"] == 1
    assert scores["space", "F1"]["score"] > scores["plain", "F1"]["score"] + 0.1
    # "see" has neither cluster nor vector: half of the tokens are covered.
    assert (scores["space", "F1"]["covered"], scores["space", "F1"]["total"]) == (40, 80)
    gained = 1 - scores["plain", "F1"]["score"]
    assert scores["paths", "F1 above plain"]["score"] == pytest.approx(gained)


def test_a_table_of_clusters_alone(texts):
    done = texts.firth("evaluate", "--suite", "ner", "--clusters", "paths", "--train",
                       "train.conll", "--test", "test.conll", "--dev", "train.conll")  # fmt: skip
    assert done.code == 0
    assert done.out.splitlines()[0].split() == ["test", "measure", "plain", "paths"]
    assert "words as written, else in lower case; at most 10 epochs, by --dev" in done.err


def test_the_mutual_information_of_clusters(desk):
    """By hand: a is always followed by b and b by a; the tree that parts them knows all of it."""
    desk.write("ab.txt", "a b a b a b a b a b\n" * 50)
    desk.result("count", "ab.txt", "-o", "pairs", "--context", "positional", "--window", "1")
    desk.write("apart", "0\ta\t250\n1\tb\t250\n")
    desk.write("half", "0\ta\t250\n")
    asked = ["evaluate", "--suite", "information", "--counts", "pairs"]
    found = desk.result(*asked, "--clusters", "apart", "--clusters", "half")
    apart, half = found["rows"]
    # 250 pairs of a and b, 200 of b and a, among 500 tokens.
    expected = 0.5 * np.log(250 * 500 / 250**2) + 0.4 * np.log(200 * 500 / 250**2)
    assert apart["score"] == pytest.approx(expected)
    assert (apart["measure"], apart["covered"], apart["total"]) == ("nats", 2, 2)
    assert (half["score"], half["covered"]) == (0, 1)


def test_files_of_one_name_and_rows_of_the_suites_own(texts):
    """Two files called paths, and one called plain, each keep a column of their own."""
    for folder in ("one", "two"):
        texts.write(f"{folder}/paths", (texts / "paths").read_bytes())
    texts.write("plain", (texts / "paths").read_bytes())
    found = texts.result("evaluate", "--suite", "ner", "--clusters", "one/paths", "--clusters",
                         "two/paths", "--clusters", "plain", "--train", "train.conll", "--test",
                         "test.conll")  # fmt: skip
    names = [row["space"] for row in found["rows"] if row["measure"] == "F1"]
    assert names[:3] == ["plain", "one/paths", "two/paths"]
    assert names[3] == str((texts / "plain").resolve())


def test_rules_are_said_of_the_tests_that_they_are_of(texts):
    done = texts.firth("evaluate", "--suite", "ner", "--train", "train.conll", "--test",
                       "test.conll")  # fmt: skip
    assert "letter case" not in done.err
    assert "scores × 100" in done.err
    assert "1,000 bootstrap samples of the sentences" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["space", "--suite", "ner", "--test", "test.conll"], "needs --train FILE and --test FILE"),
        (["space", "--suite", "rg65", "--train", "train.conll"], "--train needs --suite ner"),
        (["--suite", "rg65"], "Missing argument 'SPACE...'"),
        (["--suite", "information", "--clusters", "paths"], "needs --counts COUNTS and --clusters"),
        (
            ["space", "--suite", "ner", "--counts", "kept"],
            "--counts needs --suite information",
        ),
    ],
)
def test_what_does_not_go_together(texts, options, message):
    done = texts.firth("evaluate", *options)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere", None, "nowhere: cannot be read: No such file"),
        ("empty", "", "empty: "),
        ("binary", b"\xff\xfe\x00", "binary: not UTF-8"),
    ],
)
def test_files_that_hold_no_sentences(texts, name, content, message):
    if content is not None:
        texts.write(name, content)
    line = texts.refusal(
        "evaluate", "space", "--suite", "ner", "--train", name, "--test", "test.conll"
    )
    assert message in line
