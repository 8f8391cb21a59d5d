"""Counts from and for scipy and GloVe: exact, or with the rounding in the ledger."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_matrix, csr_array, lil_array
from tests import oracles

import firth
from firth.counts.arrays import LIMIT
from firth.counts.interchange import RECORD
from firth.errors import FirthError, StoreError

WORDS = ["a", "b", "c", "d"]
CELLS = st.dictionaries(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)),
    st.one_of(st.integers(0, 9), st.integers(0, 2**58)),
    max_size=16,
)


def matrix(cells, words=WORDS, contexts=WORDS, dtype=np.int64):
    out = np.zeros((len(words), len(contexts)), dtype=dtype)
    for (word, context), value in cells.items():
        out[words.index(word), contexts.index(context)] += value
    return out


@given(CELLS, st.sampled_from([np.asarray, csr_array, coo_array, csc_matrix, lil_array]))
def test_a_matrix_of_whole_numbers_is_taken_exactly_and_given_back(cells, kind):
    counts = firth.Counts.from_scipy(kind(matrix(cells)), WORDS)
    assert oracles.cells(counts) == {cell: value for cell, value in cells.items() if value}
    assert counts.values.dtype == (np.uint64 if max([*cells.values(), 0]) >= 2**32 else np.uint32)
    back = counts.to_scipy()
    assert back.dtype == np.int64
    assert back.has_canonical_format
    again = firth.Counts.from_scipy(back, counts.words.words,
                                    frequencies=counts.words.frequencies)  # fmt: skip
    assert again.equals(counts)


def test_rows_and_columns_take_the_order_of_vocabularies():
    given_ = np.array([[0, 1], [5, 0], [2, 2]])
    counts = firth.Counts.from_scipy(given_, ["x", "y", "z"], ["p", "q"])
    assert counts.words.words == ("y", "z", "x")
    assert counts.words.frequencies.tolist() == [5, 4, 1]
    assert counts.contexts.words == ("p", "q")
    assert counts.contexts.frequencies.tolist() == [7, 3]
    named = firth.Counts.from_scipy(given_, ["x", "y", "z"], ["p", "q"], frequencies=[9, 8, 9],
                                    context_frequencies=[1, 2])  # fmt: skip
    assert named.words.words == ("x", "z", "y")
    assert named.contexts.words == ("q", "p")
    assert oracles.cells(named) == oracles.cells(counts)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, bool])
def test_duplicates_are_added_without_wrapping_round(dtype):
    top = 1 if dtype is bool else np.iinfo(dtype).max
    top = min(int(top), 2**61)
    given_ = coo_array((np.array([top, top], dtype), ([0, 0], [1, 1])), shape=(2, 2))
    counts = firth.Counts.from_scipy(given_, ["a", "b"])
    assert oracles.cells(counts) == {("a", "b"): 2 * top}


def test_a_matrix_of_more_nonzeros_than_32_bits_number_has_indices_of_64(monkeypatch):
    counted = firth.count(["a b c", "c a"], min_count=1)
    narrow = counted.to_scipy()
    monkeypatch.setattr("firth.counts.matrix.WIDE", counted.nnz)
    wide = counted.to_scipy()
    assert (narrow.indices.dtype, narrow.indptr.dtype) == (np.int32, np.int32)
    assert (wide.indices.dtype, wide.indptr.dtype) == (np.int64, np.int64)
    assert (narrow != wide).nnz == 0


def test_a_denominator_may_be_a_number_of_numpy():
    given = np.array([[0, 0.5], [0.5, 0]])
    assert firth.Counts.from_scipy(given, ["a", "b"], denominator=np.int64(2)).denominator == 2


def test_the_matrix_given_is_left_as_it_was():
    given_ = csr_array((np.array([3, 1, 2, 0]), np.array([1, 0, 0, 1]), np.array([0, 3, 4])))
    before = [array.copy() for array in (given_.data, given_.indices, given_.indptr)]
    firth.Counts.from_scipy(given_, ["a", "b"])
    after = (given_.data, given_.indices, given_.indptr)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@given(st.lists(st.floats(0, 1e6), min_size=4, max_size=4), st.sampled_from([1, 60, 2520]))
def test_fractions_are_rounded_to_units_and_the_largest_error_is_in_the_ledger(values, scale):
    counts = firth.Counts.from_scipy(np.reshape(values, (2, 2)), ["a", "b"], denominator=scale)
    cells = oracles.cells(counts)
    pairs = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    errors = [
        abs(cells.get(pair, 0) - Fraction(value)) for pair, value in zip(pairs, values, strict=True)
    ]
    # Half a unit, and what the product with the scale cannot hold of a double.
    assert max(errors) <= Fraction(1, 2 * scale) + Fraction(max(values)) / 2**52
    assert counts.ledger.largest_rounding == pytest.approx(float(max(errors)), abs=1e-9)


def test_a_harmonic_window_survives_doubles():
    counted = firth.count(["a b c d a c"], window=10, weighting="harmonic", min_count=1)
    back = firth.Counts.from_scipy(counted.to_scipy(), counted.words.words, denominator=2520,
                                   frequencies=counted.words.frequencies)  # fmt: skip
    assert back.equals(counted)
    assert back.ledger.largest_rounding < 1e-15


@pytest.mark.parametrize(
    ("given_", "options", "message"),
    [
        ([[1.5]], {}, "floats: give the unit to which they are rounded"),
        ([[-1]], {}, "negative: -1"),
        ([[-0.5]], {"denominator": 2}, "negative"),
        ([[math.nan]], {"denominator": 1}, "not finite"),
        ([[math.inf]], {"denominator": 1}, "not finite"),
        ([[1e300]], {"denominator": 1}, "2\\^63"),
        ([[1e18]], {"denominator": 100}, "2\\^63"),
        ([[2**62]], {"denominator": 4}, "2\\^63"),
        (np.array([[2**63]], np.uint64), {}, "2\\^63"),
        ([[1j]], {}, "must be numbers"),
        ([[1]], {"denominator": 0}, "denominator must be"),
        ([[1]], {"denominator": 1.5}, "denominator must be"),
        ([[1, 2]], {}, "1 × 2 needs as many words"),
        ([1], {}, "needs as many words"),
        ("words", {}, "not a matrix"),
        (None, {}, "not a matrix"),
        ([[1]], {"frequencies": [1, 2]}, "1 words have 2 frequencies"),
        (
            [[1]],
            {"frequencies": [-1]},
            "frequencies must be whole numbers from 0 to 2\\^63 - 1, not -1",
        ),
        ([[1]], {"frequencies": [2**63]}, "frequencies must be"),
    ],
)
def test_what_is_no_matrix_of_counts_is_refused(given_, options, message):
    with pytest.raises(FirthError, match=message):
        firth.Counts.from_scipy(np.array(given_), ["a"], **options)


@pytest.mark.parametrize("words", [["a", "a"], ["a", ""], ["a", 5], ["a", None], ["a", "\ud800"]])
def test_what_is_no_word_is_refused(words):
    with pytest.raises(FirthError, match=r"word"):
        firth.Counts.from_scipy(np.eye(2, dtype=int), words)


@pytest.mark.parametrize(
    "given_",
    [
        np.full((1, 2), 2**62),
        np.full((2, 1), 2**62),
        coo_array((np.full(8, 2**61), (np.zeros(8, int), np.zeros(8, int))), shape=(1, 1)),
    ],
)
def test_sums_beyond_63_bits_are_refused_not_wrapped(given_):
    names = [[f"w{i}" for i in range(n)] for n in given_.shape]
    with pytest.raises(FirthError, match="passes 2\\^63"):
        firth.Counts.from_scipy(given_, *names)


def test_values_up_to_63_bits_are_held():
    large = 2**62 + 2**61 + 12345
    counts = firth.Counts.from_scipy(np.array([[0, large], [1, 0]]), ["a", "b"])
    assert oracles.cells(counts) == {("a", "b"): large, ("b", "a"): 1}
    assert counts.total == large + 1


# --- GloVe --------------------------------------------------------------------------------------


def test_glove_records_are_two_numbers_and_a_double(tmp_path):
    counts = firth.count(["b a b", "c"], window=2, weighting="harmonic", min_count=1)
    firth.write_glove(counts, tmp_path / "cooccurrence.bin", tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_text() == "b 2\na 1\nc 1\n"
    records = [*struct.iter_unpack("<iid", (tmp_path / "cooccurrence.bin").read_bytes())]
    assert records == [(1, 1, 1.0), (1, 2, 2.0), (2, 1, 2.0)]


@given(st.lists(st.lists(st.sampled_from("abcdé"), max_size=8), max_size=6), st.integers(1, 12))
@settings(max_examples=40)
def test_glove_and_back_is_exact(tmp_path_factory, lines, window):
    folder = tmp_path_factory.mktemp("glove")
    counts = firth.count([["a"], *lines], window=window, weighting="harmonic", min_count=1)
    records, vocabulary = folder / "records", folder / "vocab"
    firth.write_glove(counts, records, vocabulary)
    assert firth.read_glove(records, vocabulary, denominator=counts.denominator).equals(counts)


def test_pairs_in_several_records_are_added(tmp_path):
    (tmp_path / "vocab").write_text("a 3\nb 2\n")
    (tmp_path / "records").write_bytes(struct.pack("<iidiid", 1, 2, 0.5, 1, 2, 1.5))
    counts = firth.read_glove(tmp_path / "records", tmp_path / "vocab", denominator=2)
    assert oracles.cells(counts) == {("a", "b"): 2}
    assert counts.words.frequencies.tolist() == [3, 2]


@pytest.mark.parametrize(
    ("records", "vocabulary", "message"),
    [
        (b"\0" * 15, "a 1\n", "15 bytes are not a whole number"),
        (struct.pack("<iid", 0, 1, 1.0), "a 1\n", "record 1 names a word outside"),
        (struct.pack("<iid", 1, 2, 1.0), "a 1\n", "record 1 names a word outside"),
        (struct.pack("<iid", -5, 1, 1.0), "a 1\n", "record 1"),
        (struct.pack("<iid", 1, 1, math.nan), "a 1\n", "record 1 holds nan"),
        (struct.pack("<iid", 1, 1, math.inf), "a 1\n", "record 1 holds inf"),
        (struct.pack("<iid", 1, 1, -1.0), "a 1\n", "record 1 holds -1"),
        (struct.pack("<iid", 1, 1, 1e300), "a 1\n", "2\\^63"),
        (b"", "a\n", "line 1"),
        (b"", "a b\n", "line 1"),
        (b"", "a -1\n", "line 1"),
        (b"", "a 1\na 1\n", "twice"),
        (b"", b"\xff 1\n", "not UTF-8"),
        (b"", None, "cannot be read"),
        (None, "a 1\n", "cannot be read"),
    ],
)
def test_hostile_records_are_refused_with_their_place(tmp_path, records, vocabulary, message):
    for name, content in (("records", records), ("vocab", vocabulary)):
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            (tmp_path / name).write_bytes(data)
    with pytest.raises(FirthError, match=message):
        firth.read_glove(tmp_path / "records", tmp_path / "vocab", denominator=1)


def test_no_records_are_a_matrix_of_zeros(tmp_path):
    (tmp_path / "records").write_bytes(b"")
    (tmp_path / "vocab").write_text("".join(f"w{i} 1\n" for i in range(5000)))
    counts = firth.read_glove(tmp_path / "records", tmp_path / "vocab", denominator=1)
    assert (counts.nnz, counts.shape) == (0, (5000, 5000))


def test_a_few_records_of_very_many_words(tmp_path):
    """48 records and half a million words: GloVe's issue 181."""
    words, records = 500_000, np.zeros(48, RECORD)
    records["word"], records["context"] = np.arange(1, 49), words - np.arange(48)
    records["count"] = 1
    records.tofile(tmp_path / "records")
    (tmp_path / "vocab").write_text("".join(f"w{i} 1\n" for i in range(words)))
    counts = firth.read_glove(tmp_path / "records", tmp_path / "vocab", denominator=1)
    assert (counts.nnz, counts.shape) == (48, (words, words))
    space = firth.methods.PPMI(dim=5).fit(counts)
    assert space.vectors.shape == (words, 5)
    assert np.isfinite(space.vectors).all()
    assert 0 < np.count_nonzero(space.vectors.any(axis=1)) <= 48


def test_what_glove_cannot_read_is_not_written(tmp_path):
    target = tmp_path / "records", tmp_path / "vocab"
    odd = firth.count([["new york", "b"]], min_count=1)
    with pytest.raises(FirthError, match="'new york' holds white space"):
        firth.write_glove(odd, *target)
    with pytest.raises(FirthError, match="same words in rows and columns"):
        firth.write_glove(firth.count(["a b"], min_count=1, context="positional"), *target)
    with pytest.raises(FirthError, match="same words in rows and columns"):
        firth.write_glove(firth.count(["a b"], min_count=1, max_contexts=1), *target)
    good = firth.count(["a b"], min_count=1)
    with pytest.raises(StoreError, match="cannot be written"):
        firth.write_glove(good, tmp_path / "no" / "records", tmp_path / "vocab")
    assert [*tmp_path.iterdir()] == []


def test_writing_for_glove_replaces_only_if_told_and_both_files_or_none(tmp_path):
    counts = firth.count(["a b"], min_count=1)
    records, vocabulary = tmp_path / "records", tmp_path / "vocab"
    for there in (records, vocabulary):
        there.write_text("precious")
        with pytest.raises(StoreError, match=f"{there.name}: exists"):
            firth.write_glove(counts, records, vocabulary)
        assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]
        there.unlink()
    with pytest.raises(FirthError, match="the same file for records and vocabulary"):
        firth.write_glove(counts, records, records, force=True)
    vocabulary.mkdir()
    with pytest.raises(StoreError, match="is a folder"):
        firth.write_glove(counts, records, vocabulary, force=True)
    assert [*tmp_path.iterdir()] == [vocabulary]
    vocabulary.rmdir()
    records.write_text("old")
    firth.write_glove(counts, records, vocabulary, force=True)
    assert firth.read_glove(records, vocabulary, denominator=2520).equals(counts)
    assert {*tmp_path.iterdir()} == {records, vocabulary}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": "ab"}, "words must be a list of words, not 'ab'"),
        ({"words": 5}, "words must be a list of words"),
        ({"contexts": "ab"}, "contexts must be a list of words"),
        ({"recipe": {"window": 5}}, "recipe must be a firth.Recipe"),
        ({"denominator": True}, "denominator must be a whole number"),
    ],
)
def test_parameters_of_a_matrix_are_checked_by_name(options, message):
    with pytest.raises(FirthError, match=message):
        firth.Counts.from_scipy(np.eye(2, dtype=int), **{"words": ["a", "b"], **options})


def test_frequencies_of_63_bits_go_and_come_back(tmp_path):
    counts = firth.Counts.from_scipy(np.array([[1]]), ["a"], frequencies=[LIMIT])
    firth.write_glove(counts, tmp_path / "records", tmp_path / "vocab")
    back = firth.read_glove(tmp_path / "records", tmp_path / "vocab", denominator=1)
    counts.save(tmp_path / "store")
    assert back.equals(counts)
    assert firth.Counts.load(tmp_path / "store").equals(counts)
