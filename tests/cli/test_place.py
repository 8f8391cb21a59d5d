"""firth place: what it prints and writes, and what it refuses."""

import subprocess

import numpy as np
import pytest
from tests.desk import FIRTH

from firth.space.space import Space

MORE = "the kitten sat on the mat\nthe kitten sat\nmy pup\n"


@pytest.fixture(scope="session")
def placing_space(tmp_path_factory, ready_store):
    path = tmp_path_factory.mktemp("placing") / "space"
    words = [FIRTH, "fit", ready_store, "-o", path, "--dim", "3", "-q"]
    subprocess.run(words, check=True, capture_output=True)
    return path


@pytest.fixture
def placing(desk, placing_space):
    (desk / "space").symlink_to(placing_space)
    desk.write("more.txt", MORE)
    return desk


def expected(placing):
    space = Space.load(placing / "space")
    return space, space.place(space.contexts_in(MORE.splitlines(), ["kitten"]))


def test_it_prints_what_the_library_finds(placing):
    space, placed = expected(placing)
    found = placing.result("place", "space", "more.txt", "--words", "Kitten", "--top", "2")
    assert found == {"placed": [{
        "word": "kitten", "occurrences": 2, "contexts": 4, "in_space": False,
        "settled": placed.settled[0], "leverage": placed.leverage[0],
        "found": [[word, cosine] for word, cosine in space.similar_by_vector(placed["kitten"], 2)],
    }]}  # fmt: skip
    done = placing.firth("place", "space", "more.txt", "--words", "kitten", "--top", "1")
    first, second = done.out.splitlines()
    settled = f"{placed.settled[0]:.1f}"
    assert first == f"kitten: 4 contexts in 2 occurrences settle {settled} of 3 dimensions"
    word, cosine = space.similar_by_vector(placed["kitten"], 1)[0]
    assert second == f"{cosine:.4f}  {word}"
    assert (done.code, done.err) == (0, "")


def test_it_writes_a_space_with_the_new_words(placing):
    placing.write("words.txt", "kitten\n")
    space, placed = expected(placing)
    done = placing.firth("place", "space", "more.txt", "--words-file", "words.txt", "-o", "larger")
    assert done.out.splitlines()[-1] == f"larger: {len(space)} words, and 1 new word"
    larger = Space.load(placing / "larger")
    np.testing.assert_array_equal(larger.vectors[:-1], space.vectors)
    np.testing.assert_array_equal(larger.vectors[-1], placed["kitten"])
    assert placing.firth("similar", "larger", "kitten").code == 0
    assert "exists" in placing.refusal("place", "space", "more.txt", "--words", "kitten", "-o",
                                       "larger")  # fmt: skip
    assert not placing.leftovers()


def test_standard_input_and_words_that_are_not_there(placing):
    done = placing.firth("place", "space", "-", "--words", "kitten,zebra", stdin=MORE.encode())
    assert done.code == 0
    assert done.out.startswith("kitten: ")
    assert done.err == "firth: warning: 1 of 2 words are not in the text, and were not placed\n"


def test_a_word_of_the_space_is_not_its_own_neighbour(placing):
    found = placing.result("place", "space", "text.txt", "--words", "cat")["placed"][0]
    assert found["in_space"]
    assert found["found"]
    assert "cat" not in dict(found["found"])


def test_a_word_without_known_contexts_has_no_neighbours(placing):
    found = placing.result("place", "space", "more.txt", "--words", "pup")["placed"][0]
    assert (found["contexts"], found["settled"], found["found"]) == (0, 0, [])


def test_another_window(placing):
    narrow = placing.result("place", "space", "more.txt", "--words", "kitten", "--window", "1",
                            "--weighting", "flat")  # fmt: skip
    assert narrow["placed"][0]["contexts"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["more.txt"], "no word to place: give --words or --words-file"),
        (["more.txt", "--words", " ,"], "no word to place: give --words or --words-file"),
        (["more.txt", "--words", "zebra"], "'zebra': not in the text"),
        (["absent.txt", "--words", "kitten"], "absent.txt: no such file"),
        (["unrelated.bin", "--words", "kitten"], "unrelated.bin: "),
        (["", "--words", "kitten"], "the name of a file is empty"),
        (["more.txt", "--words-file", "absent.txt"], "absent.txt: cannot be read"),
        (["text.txt", "--words", "cat", "-o", "new"], "'cat' is in the space already"),
        (["more.txt", "--words", "kitten", "-o", "kept"], "is not a store of vectors"),
        (["more.txt", "--words", "kitten", "--window", "99"], "--window must be 20 or less"),
    ],
)
def test_what_cannot_be_placed_is_refused(placing, words, message):
    assert message in placing.refusal("place", "space", *words)


def test_a_space_of_another_method_says_what_to_do(placing):
    fit = ["fit", "kept", "-o", "ppmi", "--method", "ppmi", "--dim", "2"]
    assert placing.firth(*fit).code == 0
    message = placing.refusal("place", "ppmi", "more.txt", "--words", "kitten")
    assert "fit them with the method weighted, the default" in message


def test_files_of_vectors_say_what_they_lack(placing):
    placing.result("export", "space", "-o", "vectors.txt")
    assert placing.refusal("place", "vectors.txt", "more.txt", "--words", "kitten") == (
        "vectors.txt: has vectors only, and firth place needs the sums of counts: give a space of "
        "firth fit"
    )
