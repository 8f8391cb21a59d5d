"""Spellings: which words a misspelt one is near to, and how soon."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.space.spelling import near_spellings, unknown_word
from firth.text.vocabulary import Vocabulary

WORDS = [
    "the", "receive", "accommodation", "beginning", "naïve", "physics", "government", "café",
    "language", "definitely", "cat", "believe", "cast", "Résumé", "London", "ελληνικά", "москва",
]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "meant"),
    [("recieve", "receive"), ("acommodation", "accommodation"), ("accomodation", "accommodation"),
     ("begining", "beginning"), ("naive", "naïve"), ("Physics", "physics"), ("cafe", "café"),
     ("goverment", "government"), ("langauge", "language"), ("definately", "definitely"),
     ("catt", "cat"), ("beleive", "believe"), ("resume", "Résumé"), ("LONDON", "London"),
     ("ΕΛΛΗΝΙΚΑ", "ελληνικά"), ("Мoсква", "москва"), ("teh", "the"), ("hte", "the")],
)  # fmt: skip
def test_usual_misspellings_are_understood(written, meant):
    assert near_spellings(written, WORDS)[0] == meant


def test_what_is_near_to_nothing():
    for word in ("", "zzqqx", "x" * 1000, "dog", "\udcff", "𐐷𐐷"):
        assert near_spellings(word, WORDS) == []
    assert near_spellings("cat", []) == []
    assert near_spellings("cat", [""]) == []
    assert near_spellings("catt", ["a\nb", "cat", "\n"]) == ["cat"]


def alignment(a, b):
    """Optimal string alignment, cell by cell."""
    rows = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            rows[i][j] = min(
                rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


SPELT = st.text("abc", min_size=1, max_size=7)


@given(SPELT, st.lists(SPELT, unique=True, max_size=12))
def test_the_nearest_are_found(word, words):
    found = near_spellings(word, words)
    most = 1 if len(word) <= 4 else 2
    near = sorted(alignment(word, other) for other in words)
    assert [alignment(word, each) for each in found] == [n for n in near if n <= most][:3]


def test_300_000_words_are_looked_at_in_no_time():
    letters = np.random.default_rng(0).integers(
        ord("a"), ord("z") + 1, (300_000, 9), dtype=np.uint8
    )
    words = [row.tobytes().decode() for row in letters]
    words[250_000] = "wonderful"
    took = []
    for _ in range(5):
        begun = time.process_time()
        assert near_spellings("wodnerful", words) == ["wonderful"]
        took.append(time.process_time() - begun)
    assert min(took) < 0.1  # a quarter of that on an idle machine


def test_the_error_says_what_is_known():
    recipe = {"counts": {"min_count": 5}}
    contexts = Vocabulary(["rose", "is", "lily"], [7, 3, 0])
    for word, expected in (
        ("is", "'is' is not a word of this space: it occurs 3 times, below the minimum count of 5"),
        ("rose", "'rose' is not a word of this space: it occurs 7 times, but as a context only"),
        ("lily", "'lily' is not a word of this space: it was counted as a context only"),
        ("tulip", "'tulip' is not a word of this space"),
    ):
        assert str(unknown_word(word, ["a"], contexts=contexts, recipe=recipe)) == expected
    assert str(unknown_word("ros", ["rose"], "tree")) == (
        "'ros' is not a word of this tree; near it: rose"
    )
