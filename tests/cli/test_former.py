"""Former spellings of options go on working, with a warning; vector files stand in for spaces."""

import numpy as np
import pytest

import firth

WORDS = [f"w{number}" for number in range(30)]
PAIRS = "".join(f"w{i}\tw{29 - i}\t{i % 7}\n" for i in range(14))


@pytest.fixture
def spaces(desk):
    for seed, name in enumerate(("one.txt", "two.bin")):
        vectors = np.random.default_rng(seed).standard_normal((30, 5)).astype(np.float32)
        space = firth.Space(firth.Vocabulary(WORDS, range(30, 0, -1)), vectors)
        kind = "word2vec" if name.endswith("txt") else "word2vec-binary"
        firth.write_vectors(space, desk / name, kind)
        space.save(desk / name.partition(".")[0])
    desk.write("tests/rg65.tsv", PAIRS)
    desk.write("tests/questions-words.txt", ": a\nw1 w2 w3 w4\nw5 w6 w7 w8\n")
    return desk


def test_the_level_of_significance(spaces):
    asked = ["compare", "one.txt", "two.bin", "--suite", "rg65", "--data", "tests", "-q", "--json"]
    now = spaces.firth(*asked, "--significance", "0.2")
    former = spaces.firth(*asked, "--alpha", "0.2")
    assert (now.code, former.code, now.err) == (0, 0, "")
    assert former.out == now.out
    assert '"significance": 0.2' in now.out
    assert former.err == "firth: warning: --alpha is now --significance\n"
    assert "--alpha" not in spaces.firth("compare", "--help").out


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["evaluate", "one.txt", "--suite", "google", "--data", "tests", "-q"], "--analogy"),
        (["analogy", "one", "w1", "w2", "w3", "-q"], "--method"),
    ],
)
def test_the_name_of_3cosmul(spaces, words, option):
    now = spaces.firth(*words, option, "cosmul")
    former = spaces.firth(*words, option, "mul")
    assert (now.code, former.code, now.err) == (0, 0, "")
    assert former.out == now.out
    assert former.err == f"firth: warning: {option} mul is now {option} cosmul\n"
    shown = spaces.firth(words[0], "--help").out
    assert "cosmul" in shown
    assert "|mul" not in shown


def test_a_file_of_vectors_stands_in_for_a_space(spaces):
    asked = ["--format", "glove"]
    spaces.result("export", "two.bin", "-o", "from_file", *asked)
    spaces.result("export", "two", "-o", "from_space", *asked)
    assert (spaces / "from_file").read_bytes() == (spaces / "from_space").read_bytes()
    for name, out in (("two.bin", "paths"), ("two", "others")):
        spaces.result("cluster", name, "-o", out, "--method", "ward", "--clusters", "5")
    paths, others = (firth.Hierarchy.load(spaces / out).paths() for out in ("paths", "others"))
    assert paths == others
