"""Parts of a matrix are the cells they should be, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import firth
from firth.errors import FirthError

LINES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=9), max_size=6).map(
    lambda lines: [["a", "b", "c"], *lines]
)
SOME = st.lists(st.sampled_from("abc"), unique=True)


@given(LINES, SOME, SOME, st.sampled_from(["symmetric", "sides", "positional"]))
@settings(max_examples=60)
def test_select_keeps_the_rows_and_columns_asked_for(lines, words, contexts, context):
    counts = firth.count(lines, window=2, min_count=1, context=context)
    part = counts.select(words, contexts)
    assert part.words.words == tuple(word for word in counts.words if word in words)
    assert part.contexts.words == tuple(word for word in counts.contexts if word in contexts)
    assert all(part.words.frequency(word) == counts.words.frequency(word) for word in words)

    def inside(word, column):
        name = column if context == "symmetric" else column[1]
        return word in words and name in contexts

    expected = {cell: n for cell, n in oracles.cells(counts).items() if inside(*cell)}
    assert (oracles.cells(part) if words and contexts else {}) == expected
    assert part.nnz == len(expected)


def test_select_keeps_the_order_of_the_matrix_and_takes_a_word_once():
    counts = firth.count(["a b c b a b"], min_count=1)
    part = counts.select(["a", "b", "a"])
    assert part.words.words == ("b", "a")
    assert part.contexts == counts.contexts
    assert counts.select() is counts
    with pytest.raises(FirthError, match="'zebra' of words is not in the vocabulary"):
        counts.select(["zebra"])


@given(LINES, st.integers(0, 7), st.integers(0, 7))
@settings(max_examples=30)
def test_top_keeps_the_most_frequent(lines, words, contexts):
    counts = firth.count(lines, min_count=1)
    part = counts.top(words, contexts)
    assert np.array_equal(part.to_scipy().toarray(), counts.to_scipy().toarray()[:words, :contexts])


@given(LINES, st.integers(1, 3), st.sampled_from(["flat", "harmonic", "linear"]))
@settings(max_examples=30)
def test_blocks_are_the_offsets_and_add_up_to_the_window(lines, window, weighting):
    how = {"window": window, "weighting": weighting, "min_count": 1}
    positional = firth.count(lines, context="positional", **how)
    total = 0
    for offset in positional.offsets:
        block = positional.block(offset)
        cells = oracles.cells(positional)
        assert oracles.cells(block) == {
            (word, column[1]): n for (word, column), n in cells.items() if column[0] == offset
        }
        total = total + block.to_scipy(units=True).toarray()
    symmetric = firth.count(lines, context="symmetric", **how)
    assert np.array_equal(total, symmetric.to_scipy(units=True).toarray())


@given(LINES, st.integers(1, 3), st.sampled_from(["flat", "harmonic"]), st.integers(1, 6))
@settings(max_examples=30)
def test_blocks_of_sides_are_the_counts_of_one_side(lines, window, weighting, most):
    how = {"window": window, "weighting": weighting, "min_count": 1}
    for limit in (None, most):  # without a limit one vocabulary serves for both
        sides = firth.count(lines, context="sides", max_contexts=limit, **how)
        assert sides.half == (sides.words == sides.contexts)
        for side in ("left", "right"):
            alone = firth.count(lines, context=side, max_contexts=limit, **how)
            block = sides.block(side)
            assert block.equals(alone)
            assert block.recipe.context == side


def test_a_block_that_is_not_there_is_refused_with_those_that_are():
    positional = firth.count(["a b"], window=1, context="positional", min_count=1)
    with pytest.raises(FirthError, match=r"no block at offset 2: choose one of -1, \+1"):
        positional.block(2)
    for block in (1, "left"):
        with pytest.raises(FirthError, match="count with context='positional' or context='sides'"):
            firth.count(["a b"], min_count=1).block(block)
    sides = firth.count(["a b"], window=1, context="sides", min_count=1)
    with pytest.raises(FirthError, match="no block at offset 1: choose one of left, right"):
        sides.block(1)


def test_fewer_than_no_words_cannot_be_kept():
    counted = firth.count(["a b c"], min_count=1)
    assert len(counted.top(words=0).words) == 0
    for name in ("words", "contexts"):
        for wrong in (-1, 1.5, "3", True):
            with pytest.raises(FirthError, match=f"{name} must be a whole number of 0 or more"):
                counted.top(**{name: wrong})
        with pytest.raises(FirthError, match=f"{name} must be a list of words, not the text"):
            counted.select(**{name: "abc"})


def test_a_part_is_narrow_if_its_own_values_are():
    counts = firth.Counts.from_scipy(np.array([[2**40, 1], [0, 2]]), ["a", "b"])
    assert counts.values.dtype == np.uint64
    assert counts.select(["b"]).values.dtype == np.uint32


def test_parts_say_in_their_ledger_that_they_are_parts():
    counts = firth.count(["a b c"], min_count=1, context="positional", window=1)
    assert counts.top(2).ledger.notes == ("2 words × 3 contexts of a larger matrix",)
    assert counts.block(1).recipe.source == "offset +1"


def test_rows_by_name():
    counts = firth.count(["a b a"], window=2, weighting="harmonic", min_count=1)
    assert counts.row("a") == [("a", 1.0), ("b", 2.0)]
    with pytest.raises(FirthError, match="'zebra' is not a word"):
        counts.row("zebra")
