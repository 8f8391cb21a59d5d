"""Counts of two sides: the left and the right counts side by side, of which the left is stored."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import firth
from firth.counts.arrays import LIMIT
from firth.counts.matrix import Counts
from firth.errors import FirthError, StoreError

LINES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=9), max_size=6).map(
    lambda lines: [["a", "b", "c"], *lines]
)
HOW = st.fixed_dictionaries(
    {
        "window": st.integers(1, 4),
        "weighting": st.sampled_from(["flat", "harmonic", "linear"]),
        "diagonal": st.booleans(),
        "rare": st.sampled_from(["drop", "gap", "unk"]),
        "min_count": st.integers(1, 2),
        "max_contexts": st.sampled_from([None, 2, 5]),
    }
)
LINE = ["a rose is a rose is a rose", "a b c a b"]


def dense(counts):
    return counts.to_scipy(units=True).toarray()


def sides(**options):
    return firth.count(LINE, context="sides", **{"window": 2, "min_count": 1, **options})


@given(LINES, HOW)
@settings(max_examples=60)
def test_sides_are_left_and_right_counts_side_by_side(lines, how):
    try:
        both, left, right, window = (
            firth.count(lines, context=context, **how)
            for context in ("sides", "left", "right", "symmetric")
        )
    except FirthError as error:
        assert "no word" in str(error)  # a vocabulary may be empty
        return
    assert np.array_equal(dense(both), np.hstack([dense(left), dense(right)]))
    assert both.shape == (len(both.words), 2 * len(both.contexts))
    assert both.nnz == left.nnz + right.nnz
    assert both.total == left.total + right.total == window.total
    together = both.together()
    assert together.equals(window)
    assert together.recipe == window.recipe
    assert together.is_symmetric == window.is_symmetric


def test_only_the_left_side_is_stored_where_it_settles_the_right():
    assert sides().half
    assert len(sides().columns) == sides().nnz // 2
    limited = sides(max_contexts=2)
    assert not limited.half
    assert len(limited.columns) == limited.nnz


def test_the_whole_is_made_once_and_only_when_needed():
    counts = sides()
    assert counts.csr() is counts.csr()
    starts, columns, values = counts.csr()
    assert len(columns) == len(values) == int(starts[-1]) == counts.nnz
    assert len(counts.stored()[1]) == counts.nnz // 2


def test_other_counts_are_their_own_sum_of_sides():
    for context in ("symmetric", "left", "positional"):
        counts = firth.count(LINE, context=context, min_count=1)
        assert counts.together() is counts


def test_what_a_person_reads():
    counts = sides(window=1)
    assert repr(counts) == (
        "Counts(5 words × 5 contexts × 2 sides, 12 nonzeros; sides harmonic window of 1)"
    )
    assert counts.row("rose") == [("a (left)", 3.0), ("is (right)", 2.0)]
    assert counts.column_name(0) == "a (left)"
    assert counts.column_name(5) == "a (right)"


@given(LINES, LINES)
@settings(max_examples=30)
def test_a_sum_of_sides_holds_the_left_side_alone(one, other):
    first, second = (firth.count(x, context="sides", min_count=1) for x in (one, other))
    total = first + second
    assert total.half
    expected = oracles.cells(first)
    for cell, value in oracles.cells(second).items():
        expected[cell] = expected.get(cell, 0) + value
    assert oracles.cells(total) == expected
    assert total.together().equals(first.together() + second.together())


def test_a_half_and_a_whole_are_added_and_compared():
    half = sides()
    starts, columns, values = half.csr()
    unfolded = Counts(
        half.words, half.contexts, half.denominator, half.offsets, half.recipe, half.ledger,
        starts, columns, values,
    )  # fmt: skip
    assert unfolded.equals(half)
    assert half.equals(unfolded)
    assert (half + unfolded).equals(half + half)
    assert not (half + unfolded).half
    assert unfolded.together().equals(half.together())
    assert unfolded.block("right").equals(half.block("right"))


def test_sums_of_stores(tmp_path, store_bytes):
    sides().save(tmp_path / "one")
    sides(window=2, min_count=2).save(tmp_path / "two")
    total = firth.merge([tmp_path / "one", tmp_path / "two"], tmp_path / "sum")
    assert total.half
    assert total.equals(sides() + sides(min_count=2))
    total.save(tmp_path / "again")
    assert store_bytes(tmp_path / "again") == store_bytes(tmp_path / "sum")


def test_sides_and_other_counts_are_not_added():
    with pytest.raises(FirthError, match="counts of different context cannot be added"):
        sides() + sides().together()


def test_parts_of_sides():
    counts = sides()
    same = counts.select(["a", "rose"], ["a", "rose"])
    assert same.half
    other = counts.select(["a", "rose"], ["a", "is"])
    assert not other.half
    whole = dense(counts)
    rows = [counts.words["a"], counts.words["rose"]]
    for part in (same, other):
        columns = [counts.contexts[word] for word in part.contexts]
        places = [*columns, *(place + len(counts.contexts) for place in columns)]
        assert np.array_equal(dense(part), whole[np.ix_(rows, places)])
        assert part.offsets == ("left", "right")
    assert counts.top(2, 2).half
    assert counts.top(2).shape == (2, 10)


def test_damage_is_found_in_the_side_that_is_stored():
    counts = sides()
    columns = counts.columns.copy()
    columns[0] = len(counts.contexts)  # a column of the right side, which is not stored
    with pytest.raises(StoreError, match="damaged"):
        replace(counts, columns=columns).csr()
    with pytest.raises(StoreError, match="do not fit"):
        replace(counts, offsets=())


def test_a_sum_beyond_64_bits_is_refused():
    counts = sides(weighting="flat")
    heavy = replace(counts, values=np.full(len(counts.values), LIMIT, dtype=np.uint64))
    with pytest.raises(FirthError, match="passes 2\\^63"):
        heavy.together()


def test_a_matrix_of_scipy_has_every_cell():
    counts = sides(weighting="flat")
    matrix = counts.to_scipy()
    names = [counts.column_name(column) for column in range(counts.shape[1])]
    again = Counts.from_scipy(matrix, counts.words.words, names)
    for word in counts.words:
        assert dict(again.row(word)) == dict(counts.row(word))
