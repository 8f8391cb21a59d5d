"""`firth.count` equals its slow twin, whatever the options, threads and chunks."""

import gzip
import math
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.chunking import CHUNKINGS, MANY_CHUNKS, MANY_PASSES, ON_DISK, chunking

import firth
from firth.errors import BudgetError, CorpusError, FirthError, StoreError
from firth.resources import Resources

# Few words, so that frequencies tie and vocabularies cut between them; one that is the placeholder.
WORDS = ["a", "b", "c", "d", "e", "rose", "<unk>", "Ωmega", "zz"]
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=8).filter(any)
ONE_LINE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=80).map(lambda line: [line])
TEXTS = st.one_of(LINES, ONE_LINE)
REASONS = ("below_min_count", "beyond_max_vocab", "not_in_vocabulary")
WINDOWS = st.fixed_dictionaries(
    {
        "window": st.integers(1, 6),
        "weighting": st.sampled_from(["flat", "harmonic", "linear"]),
        "context": st.sampled_from(["symmetric", "left", "right", "sides", "positional"]),
        "rare": st.sampled_from(["drop", "gap", "unk"]),
        "diagonal": st.booleans(),
    }
)
SELECTIONS = st.fixed_dictionaries(
    {"min_count": st.integers(0, 4)},
    optional={
        "subsample": st.sampled_from([1e-3, 0.03, 0.1, 0.3, 1]),
        "max_vocab": st.integers(1, 8),
        "vocab": st.lists(st.sampled_from([*WORDS, "absent"]), max_size=6, unique=True),
        "context_min_count": st.integers(0, 4),
        "max_contexts": st.integers(1, 8),
    },
).flatmap(
    lambda options: (
        st.just(options)
        if "vocab" not in options
        else st.integers(0, 5).flatmap(
            lambda n: st.sampled_from([options, {**options, "keep_above": n}])
        )
    )
)


def check(lines, windows, selection, **how):
    """Compare counts with the twin's: vocabularies, every cell, and the ledger."""
    frequency = Counter(token for line in lines for token in line)
    rare = windows["rare"]
    sampling = {name: selection[name] for name in ("subsample", "seed") if name in selection}
    selection = {name: value for name, value in selection.items() if name not in sampling}
    rows, contexts = oracles.choose(frequency, rare=rare, **selection)
    if not rows or not contexts:
        with pytest.raises(CorpusError, match="no word"):
            firth.count(**how, **windows, **selection, **sampling)
        return
    ledger = oracles.account(
        frequency, rows, contexts, selection["min_count"], selection.get("vocab") is not None
    )
    if rare == "unk":
        rows = oracles.with_unknown(rows, frequency)
        contexts = oracles.with_unknown(contexts, frequency)
    dropped = 0
    if sampling:
        how_often, seed = sampling["subsample"], sampling.get("seed", 0)
        lines, dropped = oracles.subsample(lines, rows, contexts, rare, how_often, seed)
    expected = oracles.count(lines, rows, contexts, **windows)
    counted = firth.count(**how, **windows, **selection, **sampling)
    assert [*zip(counted.words, counted.words.frequencies.tolist(), strict=True)] == rows
    assert [*zip(counted.contexts, counted.contexts.frequencies.tolist(), strict=True)] == contexts
    assert oracles.cells(counted) == expected
    assert counted.total == sum(expected.values()) * counted.denominator
    found = counted.ledger
    for entry in ("tokens", "types", "kept", "kept_types", *REASONS):
        assert getattr(found, entry) == ledger[entry], entry
    assert found.subsampled == dropped
    assert found.tokens == found.kept + sum(getattr(found, reason) for reason in REASONS)


@given(TEXTS, WINDOWS, SELECTIONS, st.sampled_from([1, 2, 3, 8]), st.sampled_from(CHUNKINGS))
@settings(max_examples=250)
@example([["a"]], {"window": 1, "weighting": "flat", "context": "symmetric", "rare": "unk",
                   "diagonal": True}, {"min_count": 0, "vocab": ["<unk>"]}, 1, {})  # fmt: skip
def test_counts_of_token_lists_equal_the_twin(lines, windows, selection, threads, chunks):
    with chunking(**chunks):
        check(
            lines,
            windows,
            selection,
            corpus=lines,
            tokenizer="whitespace",
            resources=Resources(threads),
        )


@given(TEXTS, WINDOWS, SELECTIONS, st.sampled_from([1, 3]), st.sampled_from(CHUNKINGS), st.data())
@settings(max_examples=250)
def test_counts_of_a_file_equal_the_twin(
    tmp_path_factory, lines, windows, selection, threads, chunks, data
):
    """A file's lines may be cut between words: the windows reach over the cut."""
    folder = tmp_path_factory.mktemp("text")
    ends = st.sampled_from(["\n", "\n\n", " \n", "\r\n"])
    text = "".join(" ".join(line) + data.draw(ends) for line in lines)
    path = folder / "text.txt"
    path.write_text(text.rstrip("\n") if data.draw(st.booleans()) else text, newline="")
    out = data.draw(st.sampled_from([None, folder / "counts"]))
    with chunking(**chunks):
        how = {"corpus": path, "tokenizer": "whitespace", "out": out}
        how["resources"] = Resources(threads)
        check(lines, windows, selection, **how)


@pytest.mark.parametrize("chunks", CHUNKINGS)
@pytest.mark.parametrize("context", ["symmetric", "positional"])
def test_one_long_line_is_counted_whole_however_it_is_cut(write, chunks, context):
    rng = np.random.default_rng(5)
    line = rng.choice(list("abcdefgh"), size=1500).tolist()
    windows = {"window": 7, "weighting": "harmonic", "context": context, "rare": "drop",
               "diagonal": True}  # fmt: skip
    with chunking(**chunks):
        check([line], windows, {"min_count": 150}, corpus=write(" ".join(line)))


def test_a_window_reaches_over_parts_that_hold_nothing_but_rare_words(write):
    """Parts may shrink to nothing when their words are dropped; their neighbours still meet."""
    rare, more = (" ".join(f"{word}{i}" for i in range(40)) for word in ("rare", "more"))
    line = f"near {rare} far near {more} far"
    for chunks in (MANY_CHUNKS, ON_DISK, MANY_PASSES):
        with chunking(**chunks):
            counted = firth.count(write(line), window=2, weighting="flat", min_count=2)
        assert counted.row("near") == [("far", 3), ("near", 2)]


def test_the_weights_of_a_window_by_hand():
    def row(weighting, context="right"):
        counted = firth.count(["x a b c"], window=3, weighting=weighting, context=context,
                              min_count=1)  # fmt: skip
        return dict(counted.row("x"))

    assert row("flat") == {"a": 1, "b": 1, "c": 1}
    assert row("harmonic") == {"a": 1.0, "b": 1 / 2, "c": 1 / 3}
    assert row("linear") == {"a": 1.0, "b": 2 / 3, "c": 1 / 3}
    assert row("flat", "left") == {}
    assert row("flat", "positional") == {"a+1": 1, "b+2": 1, "c+3": 1}


def test_rare_rules_by_hand():
    lines = ["a x b"] * 2 + ["a y b"]

    def pair(rare):
        return dict(firth.count(lines, window=1, min_count=3, rare=rare).row("a"))

    assert pair("drop") == {"b": 3}
    assert pair("gap") == {}
    assert pair("unk") == {"<unk>": 3}


@given(TEXTS, WINDOWS.filter(lambda w: w["context"] == "symmetric"))
@settings(max_examples=40)
def test_symmetric_counts_are_symmetric(lines, windows):
    try:
        matrix = firth.count(lines, min_count=2, **windows).to_scipy(units=True)
    except CorpusError:
        return
    assert (matrix != matrix.T).nnz == 0


@given(TEXTS)
@settings(max_examples=40)
def test_left_is_right_turned_round_and_both_make_symmetric(lines):
    def matrix(context):
        counted = firth.count(lines, window=3, min_count=1, context=context)
        return counted.to_scipy(units=True).toarray()

    assert np.array_equal(matrix("left"), matrix("right").T)
    assert np.array_equal(matrix("left") + matrix("right"), matrix("symmetric"))


# --- exactness ----------------------------------------------------------------------------------


def test_a_harmonic_window_of_20_is_exact():
    line = [f"w{i:02d}" for i in range(21)]
    counted = firth.count([line], window=20, weighting="harmonic", context="right", min_count=1)
    assert counted.denominator == math.lcm(*range(1, 21)) == 232_792_560
    cells = oracles.cells(counted)
    assert all(cells["w00", f"w{d:02d}"] == Fraction(1, d) for d in range(1, 21))


def test_a_harmonic_window_of_21_is_refused_with_a_remedy():
    with pytest.raises(FirthError, match="20 or less; or use weighting='linear'"):
        firth.count(["a b"], window=21, weighting="harmonic", min_count=1)


def test_a_harmonic_count_may_pass_32_bits():
    """Ten cells of lcm(1..20) already do, so harmonic windows of 20 use 64 bits in earnest."""
    counted = firth.count(["a b"] * 100, window=20, weighting="harmonic", min_count=1)
    assert counted.values.dtype == np.uint64
    assert counted.to_scipy(units=True).toarray().tolist() == [
        [0, 100 * 232_792_560],
        [100 * 232_792_560, 0],
    ]


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window must be a whole number of 1 or more"),
        ({"window": 1001}, "window must be 1,000 or less, not 1,001"),
        ({"window": 2.5}, "window"),
        ({"min_count": -1}, "min_count"),
        ({"max_vocab": 0}, "max_vocab"),
        ({"max_contexts": 0}, "max_contexts"),
        ({"keep_above": 3}, "keep_above adds to"),
        ({"weighting": "cubic"}, "flat, harmonic, linear"),
        ({"context": "both"}, "symmetric, left, right, sides, positional"),
        ({"rare": "keep"}, "drop, gap, unk"),
        ({"tokenizer": "letters"}, "'words' or 'whitespace' or a function"),
        ({"encoding_errors": "ignore"}, "replace, strict"),
        ({"diagonal": 1}, "diagonal must be True or False, not 1"),
        ({"lower": "yes"}, "lower must be True, False or None, not 'yes'"),
        ({"window": True}, "window must be a whole number"),
        ({"cleaners": 5}, "cleaners must be names or functions"),
        ({"cleaners": [5]}, "unknown cleaner 5"),
        ({"vocab": 5}, "vocab must be a file or a list of words, not 5"),
        ({"resume": True}, "resume=True needs the folder of a store: give one as out"),
        ({"force": True}, "force=True needs the folder of a store: give one as out"),
    ],
)
def test_values_that_a_parameter_cannot_have_are_refused_by_its_name(options, message):
    with pytest.raises(FirthError, match=message):
        firth.count(["a b"], **options)


def test_a_vocabulary_that_min_count_empties_says_what_to_lower():
    with pytest.raises(CorpusError, match="'a', occurs 2; lower min_count"):
        firth.count(["a a b"], min_count=3)


def test_a_text_without_words_is_refused():
    with pytest.raises(CorpusError, match="holds no words"):
        firth.count(["... !!!"])
    with pytest.raises(CorpusError, match="is empty"):
        firth.count([])


def test_words_without_company_give_an_empty_matrix_and_a_note():
    counted = firth.count(["a", "b", ""], min_count=1)
    assert counted.nnz == 0
    assert counted.total == 0
    assert counted.ledger.notes == ("no two words share a window: no counts",)


def test_a_budget_that_holds_no_chunk_is_refused_before_counting():
    with pytest.raises(BudgetError, match="raise memory"):
        firth.count(["a b"], min_count=1, resources=Resources(memory="1M"))


def test_malformed_bytes_are_counted_in_the_ledger_or_refused_at_their_byte(write):
    path = write(b"a b\nc \xff\xff d a\n")
    assert firth.count(path, min_count=1).ledger.invalid == 2
    with pytest.raises(CorpusError, match="not UTF-8 at byte 6"):
        firth.count(path, min_count=1, encoding_errors="strict")


@pytest.mark.parametrize("piece", [1, 8, 64])
def test_strict_names_the_byte_of_the_file_wherever_its_pieces_end(write, piece):
    text = b"one two three four five six\nseven eight \xe2\x82 nine\n"
    path = write(text)
    with chunking(piece=piece, block=4), pytest.raises(CorpusError, match="at byte 40"):
        firth.count(path, min_count=1, encoding_errors="strict", resources=Resources(threads=1))
    assert text[40] == 0xE2


@pytest.mark.parametrize("options", [{}, {"tokenizer": str.split}, {"cleaners": iter}])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_strict_counts_bytes_from_the_byte_order_mark(tmp_path, options, suffix):
    text = b"\xef\xbb\xbfone\ntwo \xff\n"
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(gzip.compress(text) if suffix else text)
    with pytest.raises(CorpusError, match=r"text\.txt.*not UTF-8 at byte 11:"):
        firth.count(path, min_count=1, encoding_errors="strict", **options)
    assert text[11] == 0xFF


def test_blank_tokens_and_nul_bytes_are_in_the_ledger(write):
    assert firth.count([["a", "", " ", "\u00a0", "b"]], min_count=1).ledger.blank == 3
    counted = firth.count(write(b"a\0b\0"), min_count=1)
    assert counted.ledger.nul == 2
    assert counted.row("a") == [("b", 1)]


def test_tokens_may_hold_anything_but_nothing():
    odd = ["new york", "a\tb", "a\nb", "\\", "x\u00a0y", "𐐷", "\0", "\ufdd0"]
    counted = firth.count([odd], window=1, min_count=1)
    assert set(counted.words) == set(odd)
    assert counted.to_scipy().sum() == 2 * (len(odd) - 1)


def test_lone_surrogates_are_replaced_and_in_the_ledger():
    counted = firth.count([["a\ud800", "b"]], min_count=1)
    assert set(counted.words) == {"a\ufffd", "b"}
    assert counted.ledger.invalid == 1


def test_words_equal_after_normalisation_are_one_word():
    counted = firth.count(["Straße STRASSE strasse", "cafe\u0301 CAFÉ"], window=1, min_count=1)
    assert dict(zip(counted.words, counted.words.frequencies.tolist(), strict=True)) == {
        "strasse": 3,
        "café": 2,
    }


def test_a_fixed_vocabulary_is_normalised_as_the_text_is(write):
    listed = write("Straße\nCAFE\u0301\nco\u00adop\n\nstrasse\n", "vocab.txt")
    counted = firth.count(["STRASSE café coop other"], vocab=listed, min_count=1)
    assert set(counted.words) == {"strasse", "café", "coop"}


def test_blank_entries_of_a_fixed_vocabulary_are_no_words():
    counted = firth.count(["a b"], vocab=["", " ", "\u00ad", "a"])
    assert counted.words.words == ("a",)


def test_lines_of_many_thousand_words_and_words_of_many_letters_are_kept():
    long = "x" * 10_000
    counted = firth.count([" ".join(["a", "b"] * 20_000), f"{long} {long}"], window=1, min_count=1)
    assert counted.ledger.tokens == 40_002
    assert dict(counted.row("a")) == {"b": 39_999}
    assert dict(counted.row(long)) == {long: 2}


class Shout:
    def __call__(self, lines):
        return (line.upper() for line in lines)


@pytest.mark.parametrize(
    ("cleaner", "name"),
    [(Shout(), ".Shout"), (partial(map, str.upper), "functools.partial"), (iter, "builtins.iter")],
)
def test_whatever_can_be_called_is_a_cleaner_with_a_name(cleaner, name):
    counted = firth.count(["a b"], min_count=1, lower=False, cleaners=cleaner)
    assert counted.recipe.cleaners[0].startswith("python:")
    assert counted.recipe.cleaners[0].endswith(name)
    assert counted.words.words == (("a", "b") if cleaner is iter else ("A", "B"))


def test_cleaners_of_what_is_tokenised_are_refused():
    with pytest.raises(CorpusError, match="cleaners take lines"):
        firth.count([["a", "b"]], min_count=1, cleaners="tweets")


def test_numbers_of_numpy_are_numbers(tmp_path):
    settings = {"window": 2, "min_count": 1, "max_vocab": 9, "context_min_count": 0}
    numbers = {name: np.int32(value) for name, value in settings.items()}
    counted = firth.count(
        ["a b c"], **numbers, resources=Resources(threads=np.int64(2)), out=tmp_path / "counts"
    )
    assert counted.equals(firth.count(["a b c"], **settings))
    assert counted.recipe == firth.count(["a b c"], **settings).recipe


def test_words_of_a_fixed_vocabulary_that_do_not_occur_are_told():
    said = []
    firth.count(
        ["a b c"],
        vocab=["a", "the 12", "z"],
        resources=Resources(progress=lambda event: said.append(event.text)),
    )
    absent = "2 of the 3 words of the vocabulary are not in the text, as 'the 12'"
    assert absent in said
    said.clear()
    firth.count(
        ["a b c"],
        vocab=["a", "c"],
        resources=Resources(progress=lambda event: said.append(event.text)),
    )
    assert not any("not in the text" in text for text in said)


def test_an_error_in_a_tokenizer_or_progress_callback_comes_through():
    def fails(line):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        firth.count(["a b"], tokenizer=fails)
    with pytest.raises(ZeroDivisionError):
        firth.count(["a b"], min_count=1, resources=Resources(progress=fails))


def test_an_existing_output_is_never_replaced_unasked(write, tmp_path, store_bytes):
    text = write("a b a b")
    out = tmp_path / "counts"
    firth.count(text, min_count=1, out=out)
    before = store_bytes(out)
    with pytest.raises(StoreError, match="replace it with force=True"):
        firth.count(text, min_count=1, window=1, out=out)
    assert store_bytes(out) == before
    assert firth.count(text, min_count=1, window=1, out=out, force=True).recipe.window == 1
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    for force in (False, True):
        with pytest.raises(StoreError, match="not a store of counts"):
            firth.count(text, min_count=1, out=mine, force=force)
    assert (mine / "thesis.txt").read_text() == "years of work"
    assert not list(tmp_path.glob("*.partial"))


def test_lists_of_tokens_stay_as_they_are_unless_told_otherwise():
    tokens = [["Ab", "c d", "Ab"]]
    assert set(firth.count(tokens, min_count=1).words) == {"Ab", "c d"}
    assert set(firth.count(tokens, min_count=1, lower=True).words) == {"ab", "c d"}
    assert firth.count(tokens, min_count=1).recipe.tokenizer == "tokens"


@pytest.mark.parametrize("size", [2**16 - 2, 2**16 - 1, 2**16])
def test_as_many_words_as_streams_of_16_bits_tell_apart_and_more(size):
    """The last id but one stands for a gap, and the last for the end of a line."""
    words = [f"w{i:06d}" for i in range(size)]
    text = [words, words, ["w000000", "rare", "w000001"]]
    counts = firth.count(text, window=1, weighting="flat", rare="gap", min_count=2)
    assert list(counts.words)[2:] == words[2:]
    pairs = np.full(size - 1, 2.0)
    expected = scipy.sparse.diags([pairs, pairs], [-1, 1], format="csr")
    assert abs(counts.to_scipy() - expected).nnz == 0
