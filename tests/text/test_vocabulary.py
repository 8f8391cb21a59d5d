"""Vocabularies: their order, and their text form, which holds any word."""

import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firth.errors import CorpusError, FirthError, StoreError
from firth.text.vocabulary import Vocabulary, escape, read_word_list, unescape, word_list

WORDS = st.one_of(
    st.text(min_size=1), st.text(alphabet="\\tnr\t\n\r \u00a0\u2028x", min_size=1)
).filter(str.strip)
FREQUENCIES = st.integers(0, 2**63 - 1)


@given(st.dictionaries(WORDS, FREQUENCIES))
def test_order_is_falling_frequency_then_code_point(frequencies):
    vocabulary = Vocabulary.sort(frequencies)
    pairs = [*zip(vocabulary.words, vocabulary.frequencies.tolist(), strict=True)]
    assert dict(pairs) == frequencies
    assert pairs == sorted(pairs, key=lambda pair: (-pair[1], [ord(c) for c in pair[0]]))
    assert [vocabulary[word] for word, _ in pairs] == [*range(len(pairs))]
    assert all(vocabulary.frequency(word) == n for word, n in frequencies.items())


@given(st.dictionaries(WORDS, FREQUENCIES))
@example({"a\tb": 1, "a\\tb": 1, "\\": 2, "\\\\n": 3, "\nx": 4, "x\u0085": 5, "𐐷": 2**63 - 1})
def test_text_and_back(frequencies):
    vocabulary = Vocabulary.sort(frequencies)
    text = vocabulary.to_text()
    assert text.count("\n") == text.count("\t") == len(frequencies)
    assert Vocabulary.from_text(text, "words.tsv") == vocabulary


@given(st.text())
def test_escape_and_back(word):
    escaped = escape(word)
    assert not set(escaped) & set("\t\n\r")
    assert unescape(escaped) == word


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\t1\nb 1\n", "line 2 is not a word"),
        ("a\n", "line 1 is not a word"),
        ("\n", "line 1 is not a word"),
        ("\t5\n", "line 1 is not a word"),
        ("a\t\n", "line 1"),
        ("a\t-1\n", "line 1"),
        ("a\t1.5\n", "line 1"),
        ("a\t1e3\n", "line 1"),
        ("a\t٣\n", "line 1"),
        ("a\t1\t2\n", "line 1"),
        ("a\t9223372036854775808\n", "line 1"),
        ("a\t" + "9" * 5000 + "\n", "line 1"),
        ("a\t1", "cut short"),
        ("a\t2\nb\t1\na\t1\n", "twice"),
        ("a\\tb\t1\na\\tb\t1\n", "twice"),
    ],
)
def test_mangled_text_is_refused_with_its_line(text, message):
    with pytest.raises(StoreError, match=message):
        Vocabulary.from_text(text, "words.tsv")


@given(st.text())
def test_any_text_is_a_vocabulary_or_refused(text):
    try:
        vocabulary = Vocabulary.from_text(text, "words.tsv")
    except StoreError:
        return
    assert Vocabulary.from_text(vocabulary.to_text(), "words.tsv") == vocabulary


PIECES = ["a", "é", "\t", "\n", "\t1\n", "\t07\n", "7", "\\", "\\t", "٣", "²", " ",
          f"\t{2**63 - 1}\n", f"\t{2**63}\n", "\t9999999999999999999\n"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_all_lines_at_once_are_what_they_are_one_by_one(text):
    lines = [line.partition("\t") for line in text.split("\n")]
    sound = lines.pop() == ("", "", "") and all(
        word and count.isascii() and count.isdigit() and int(count) < 2**63
        for word, _, count in lines
    )
    words = [unescape(word) for word, _, _ in lines]
    if not sound or len({*words}) < len(words):
        with pytest.raises(StoreError):
            Vocabulary.from_text(text, "name")
        return
    found = Vocabulary.from_text(text, "name")
    assert found == Vocabulary.unchecked(words, [int(count) for _, _, count in lines])


def test_words_and_frequencies_must_be_as_many():
    with pytest.raises(FirthError, match="2 words have 1 frequencies"):
        Vocabulary(["a", "b"], [1])


@pytest.mark.parametrize(
    ("words", "frequencies", "message"),
    [
        (["a", "b", "a"], [3, 2, 1], "the word 'a' is given twice"),
        (["a", ""], [1, 1], "'' in words is blank"),
        (["a", " \t"], [1, 1], "in words is blank"),
        (["a", 5], [1, 1], "5 in words is not a word"),
        (["a", ["b"]], [1, 1], "in words is not a word"),
        (["a", "b"], [1], "2 words have 1 frequencies"),
        (["a", "b"], [[1, 2], [3]], "frequencies"),
        (["a"], [-1], "frequencies must be whole numbers from 0 to 2\\^63 - 1, not -1"),
        (["a", "b"], [2, 2.5], "not 2.5"),
        (["a"], ["7"], "not '7'"),
        (["a"], [True], "not True"),
        (["a"], [2**63], "not 9223372036854775808"),
        (["a"], [2**64], "not 18446744073709551616"),
    ],
)
def test_what_is_no_vocabulary_is_refused(words, frequencies, message):
    with pytest.raises(FirthError, match=message):
        Vocabulary(words, frequencies)


def test_frequencies_may_be_left_out_and_are_not_shared():
    assert Vocabulary(["a", "b"]).frequencies.tolist() == [0, 0]
    given = np.array([2, 1])
    vocabulary = Vocabulary(["a", "b"], given)
    given[0] = 5
    assert vocabulary.frequency("a") == 2


@pytest.mark.slow
def test_checking_a_large_vocabulary_costs_little():
    """Less than reading its words from a file does."""
    words = [f"word{i}" for i in range(300_000)]
    text = Vocabulary.unchecked(words, range(300_000)).to_text()

    def seconds(call):
        taken = []
        for _ in range(7):
            begun = time.perf_counter()
            call()
            taken.append(time.perf_counter() - begun)
        return sorted(taken)[3]

    frequencies = np.arange(300_000)
    checking = seconds(lambda: Vocabulary(words, frequencies))
    assert checking < seconds(lambda: Vocabulary.from_text(text, "words.tsv"))


def test_frequencies_cannot_be_written_to():
    vocabulary = Vocabulary(["a"], np.array([1]))
    with pytest.raises(ValueError, match="read-only"):
        vocabulary.frequencies[0] = 2


def test_equal_words_with_other_frequencies_are_another_vocabulary():
    assert Vocabulary(["a"], [1]) == Vocabulary(["a"], [1])
    assert Vocabulary(["a"], [1]) != Vocabulary(["a"], [2])
    assert Vocabulary(["a"], [1]) != Vocabulary(["b"], [1])
    assert Vocabulary(["a"], [1]) != ["a"]


def test_a_word_list_passes_over_blank_lines_repeats_and_what_follows_a_tab(write):
    path = write("\ufeffrose\t12\r\n\n \nnew york\nrose\n")
    assert read_word_list(path) == ["rose", "new york"]
    assert word_list(path) == word_list(str(path)) == read_word_list(path)
    assert word_list(["b", "a", "b"]) == ["b", "a"]


def test_a_stores_vocabulary_can_be_given_as_a_word_list(write):
    vocabulary = Vocabulary.sort({"a\tb": 2, "\\n": 1, "é": 3})
    assert read_word_list(write(vocabulary.to_text())) == [*vocabulary]


def test_a_backslash_in_a_list_of_words_is_a_backslash(write):
    """Only a store writes escapes, and a tab after every word."""
    assert read_word_list(write("\\name\na\\\\b\n")) == ["\\name", "a\\\\b"]
    assert read_word_list(write("\\name\t3\n")) == ["\name"]


@pytest.mark.parametrize("wrong", [5, None, b"a", ["a"]])
def test_a_list_of_words_that_are_none_is_refused(wrong):
    with pytest.raises(CorpusError, match="in vocab is not a word"):
        word_list(["a", wrong])


def test_a_word_list_that_is_none_is_refused(write, tmp_path):
    with pytest.raises(CorpusError, match="holds no words"):
        read_word_list(write("\n \n"))
    with pytest.raises(CorpusError, match="not UTF-8 at byte 2"):
        read_word_list(write(b"a\n\xff"))
    with pytest.raises(CorpusError, match="cannot be read"):
        read_word_list(tmp_path / "absent")
