"""similar, analogy, odd, why, export, import and info on spaces."""

import json
import shutil
import subprocess
from dataclasses import asdict

import numpy as np
import pytest
from tests.desk import FIRTH

from firth.methods import METHODS
from firth.space.formats import FORMATS, read_vectors
from firth.space.space import Space


@pytest.fixture(scope="session")
def ready_space(tmp_path_factory, ready_store):
    path = tmp_path_factory.mktemp("fitted") / "space"
    words = [FIRTH, "fit", ready_store, "-o", path, "--dim", "4", "-q"]
    subprocess.run(words, check=True, capture_output=True)
    return path


@pytest.fixture
def asked(desk, ready_space):
    shutil.copytree(ready_space, desk / "space")
    return desk


def test_similar(asked):
    space = Space.load(asked / "space")
    found = asked.result("similar", "space", "cat")
    assert found == {"words": ["cat"], "found": [[w, s] for w, s in space.most_similar("cat")]}
    found = asked.result("similar", "space", "cat", "sat", "--top", "2", "--restrict", "5")
    expected = space.most_similar(["cat", "sat"], topn=2, restrict_vocab=5)
    assert found["found"] == [[word, score] for word, score in expected]
    done = asked.firth("similar", "space", "cat", "--top", "2")
    lines = [f"{score:.4f}  {word}" for word, score in space.most_similar("cat", topn=2)]
    assert (done.code, done.out.splitlines(), done.err) == (0, lines, "")


@pytest.mark.parametrize("method", ["add", "cosmul"])
def test_analogy(asked, method):
    space = Space.load(asked / "space")
    answer = space.most_similar if method == "add" else space.most_similar_cosmul
    expected = [[word, score] for word, score in answer(["dog", "mat"], ["cat"], 2)]
    words = ["analogy", "space", "cat", "dog", "mat", "--top", "2", "--method", method]
    assert asked.result(*words) == {
        "a": "cat", "b": "dog", "c": "mat", "method": method, "found": expected,
    }  # fmt: skip
    done = asked.firth(*words)
    assert len(done.out.splitlines()) == 2
    rule = {
        "add": "the largest cosine with b - a + c",
        "cosmul": "the largest cos(b) cos(c) / cos(a)",
    }
    assert done.err.startswith(f"cat is to dog as mat is to … ({rule[method]}")


def test_odd(asked):
    expected = Space.load(asked / "space").doesnt_match(["cat", "dog", "on"])
    assert asked.result("odd", "space", "cat", "dog", "on")["odd"] == expected
    assert asked.firth("odd", "space", "cat", "dog", "on").out == f"{expected}\n"


def test_why(asked):
    space = Space.load(asked / "space")
    for expected, more in (
        (space.why("cat", "dog", 2), ()),
        (space.why("cat", "dog", 2, contrast="mat"), ("--contrast", "mat")),
    ):
        words = ["why", "space", "cat", "dog", "--top", "2", *more]
        assert asked.result(*words) == json.loads(json.dumps(asdict(expected)))
        assert asked.firth(*words).out == f"{expected}\n"
    line = asked.refusal("why", "space", "cat", "dog", "--contrast", "cat")
    assert line == "--contrast must be a third word, not 'cat'"


def test_files_of_vectors_are_asked_directly(asked):
    asked.result("export", "space", "-o", "vectors.txt")
    asked.result("export", "space", "-o", "vectors.safetensors", "--format", "safetensors")
    for words in (
        ["similar", "{}", "cat", "--top", "3"], ["analogy", "{}", "cat", "dog", "mat"],
        ["odd", "{}", "cat", "dog", "on"],
    ):  # fmt: skip
        expected = asked.firth(*(word.format("space") for word in words)).out
        for path in ("vectors.txt", "vectors.safetensors"):
            assert asked.firth(*(word.format(path) for word in words)).out == expected
    line = asked.refusal("why", "vectors.txt", "cat", "dog")
    assert line == (
        "vectors.txt: has vectors only, and firth why needs the association matrix: give a space "
        "of firth fit"
    )
    asked.write("broken", "no vectors\n")
    assert "broken" in asked.refusal("similar", "broken", "cat")


def test_a_word_below_the_minimum_count_is_named_with_its_frequency(asked):
    asked.write("more.txt", "cat dog cat dog bird\n" * 3 + "a rare bird\n")
    asked.result(
        "count", "more.txt", "-o", "narrow", "--min-count", "4", "--context-min-count", "1"
    )
    asked.result("fit", "narrow", "-o", "small", "--dim", "2")
    line = asked.refusal("similar", "small", "rare")
    assert (
        line == "'rare' is not a word of this space: it occurs 1 time, below the minimum count of 4"
    )


def test_info_says_what_a_space_takes_and_why(asked):
    found = asked.result("info", "space")
    assert sum(found["parts"].values()) == found["bytes"]
    shown = asked.firth("info", "space").out
    assert "for firth why; firth fit --no-association leaves it out" in shown
    asked.result("fit", "kept", "-o", "without", "--dim", "4", "--no-association")
    assert "association" not in asked.result("info", "without")["parts"]


@pytest.mark.parametrize(
    "words",
    [["similar", "space", "catt"], ["analogy", "space", "cat", "dog", "catt"],
     ["odd", "space", "cat", "catt"], ["why", "space", "cat", "catt"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_unknown_words(asked, words):
    assert asked.refusal(*words) == "'catt' is not a word of this space; near it: cat"


@pytest.mark.parametrize("command", ["similar", "odd"])
def test_what_is_no_space(asked, command):
    assert "nowhere: no such store" in asked.refusal(command, "nowhere", "cat")
    line = asked.refusal(command, "kept", "cat")
    assert line == "kept: not a store of vectors: make one with firth fit"
    assert asked.firth(command, "space").code == 2


@pytest.mark.parametrize("kind", FORMATS)
def test_vectors_go_out_and_come_back(asked, kind):
    out = {"fasttext": "out.vec"}.get(kind, "out")
    if kind == "gensim":
        pytest.importorskip("gensim", reason="gensim is not installed")
    found = asked.result("export", "space", "-o", out, "--format", kind)
    assert found == {"format": kind, "words": 6, "dimensions": 4, "notes": []}
    if kind == "gensim":
        assert "ickle" in asked.refusal("import", out, "-o", "back")
        return
    space = Space.load(asked / "space")
    assert np.array_equal(read_vectors(asked / out).vectors, space.vectors)
    found = asked.result("import", out, "-o", "back")
    assert (found["format"], found["words"], found["dimensions"]) == (kind, 6, 4)
    back = Space.load(asked / "back")
    assert back.words.words == space.words.words
    assert np.array_equal(back.vectors, space.vectors)
    assert f"6 words × 4 dimensions; {kind}\n" in asked.firth("info", out).out
    assert asked.leftovers() == []


def test_what_exists_is_replaced_only_by_force(asked):
    asked.write("out", "mine")
    asked.write("folder/file", "mine")
    export = ["export", "space", "-o", "out"]
    assert asked.refusal(*export) == "out: exists: choose another name, or replace it with --force"
    assert "holds more than" in asked.refusal(
        "export", "space", "-o", "folder", "--format", "safetensors", "--force"
    )
    assert asked.result(*export, "--force")["format"] == "word2vec"
    shown = asked.result("info", "out")
    assert (shown["kind"], shown["format"], shown["words"]) == ("vectors", "word2vec", 6)
    line = asked.refusal("import", "out", "-o", "space")
    assert line == "space: exists: choose another name, or replace it with --force"
    asked.result("import", "out", "-o", "space", "--force")
    assert asked.result("info", "space")["recipe"] == {
        "method": {"name": "imported"}, "format": "word2vec",
    }  # fmt: skip


def test_counts_have_no_vectors_and_vectors_no_counts(asked):
    line = asked.refusal("export", "kept", "-o", "new", "--format", "word2vec")
    assert line == "kept: is a store of counts, without vectors: make them with firth fit"
    line = asked.refusal(
        "export", "space", "-o", "new", "--format", "glove-records", "--vocab-file", "new.txt"
    )
    assert line == "space: not a store of counts: make one with firth count"
    for words in (
        ["export", "space", "-o", "new", "--vocab-file", "new.txt"],
        ["export", "kept", "-o", "new"],
        ["import", "text.txt", "-o", "new", "--format", "glove", "--vocab-file", "text.txt"],
        ["import", "text.txt", "-o", "new", "--format", "gensim"],
    ):
        assert asked.firth(*words).code == 2


def test_what_is_no_vectors(asked):
    assert "text.txt: line 1 is not a word and numbers" in asked.refusal(
        "import", "text.txt", "-o", "new"
    )
    assert "nowhere: " in asked.refusal("import", "nowhere", "-o", "new")
    line = asked.refusal("info", "text.txt")
    assert line.startswith("text.txt: not a firth store (a folder with a meta.json), ")
    assert "a file of vectors: line 1 is not a word and numbers" in line
    asked.result("export", "kept", "-o", "records.bin", "--vocab-file", "vocab.txt")
    assert asked.refusal("import", "records.bin", "-o", "new") == (
        "records.bin: looks like GloVe's co-occurrence records: give their vocabulary as "
        "--vocab-file"
    )
    asked.write("good.txt", "cat 1 2\ndog 3 4\n")
    line = asked.refusal("import", "good.txt", "-o", "kept", "--force")
    assert line == "kept: exists and is not a store of vectors: choose another name"


def test_info_of_a_space(asked):
    shown = asked.result("info", "space")
    assert shown.keys() == {
        "store", "kind", "words", "dimensions", "contexts", "association", "spectrum", "bytes",
        "parts", "recipe", "most_frequent",
    }  # fmt: skip
    assert (shown["kind"], shown["words"], shown["dimensions"]) == ("space", 6, 4)
    assert shown["recipe"]["method"] == METHODS["default"](dim=4).settings()
    assert shown["association"] == 29
    done = asked.firth("info", "space")
    assert done.out.startswith("Space(6 words × 4 dimensions; weighted)\n")
    assert "most frequent: the 4, cat 2" in done.out
    meta = json.loads((asked / "space/meta.json").read_text())
    meta["association"]["columns"] = 7
    asked.write("space/meta.json", json.dumps(meta))
    assert "the association does not fit the contexts" in asked.refusal("info", "space")


def test_info_checks_the_whole_of_a_space(asked):
    content = bytearray((asked / "space/vectors.npy").read_bytes())
    content[-4:] = np.float32("nan").tobytes()
    asked.write("space/vectors.npy", bytes(content))
    assert "space: the vector of 'mat' is not finite" in asked.refusal("info", "space")
