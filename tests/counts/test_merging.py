"""Sums of counts: what counting the joined corpus gives, exactly, or a note that they are not."""

import resource
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import firth
from firth.counts import merging
from firth.counts.arrays import LIMIT
from firth.counts.merging import DIFFERENT_VOCABULARIES, add, merge
from firth.errors import FirthError, StoreError
from firth.resources import Resources

LINES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), min_size=1, max_size=5)
TEXTS = LINES.filter(any)
OPTIONS = st.fixed_dictionaries(
    {
        "window": st.integers(1, 4),
        "weighting": st.sampled_from(["flat", "harmonic", "linear"]),
        "context": st.sampled_from(["symmetric", "left", "right", "sides", "positional"]),
        "rare": st.sampled_from(["drop", "gap"]),
        "diagonal": st.booleans(),
    }
)


@given(TEXTS, TEXTS, TEXTS, OPTIONS)
@settings(max_examples=30)
def test_under_one_vocabulary_a_sum_is_the_count_of_the_joined_corpus(a, b, c, options):
    def count(lines):
        return firth.count(
            lines, vocab=["c", "a", "f", "b", "absent"], resources=Resources(threads=1), **options
        )

    joined = count([*a, *b, *c])
    for total in (count(a) + count(b) + count(c), count(c) + (count(b) + count(a)),
                  add([count(b), count(a), count(c)], resources=Resources(threads=3))):  # fmt: skip
        assert total.equals(joined)
        assert DIFFERENT_VOCABULARIES not in total.ledger.notes
        for entry in ("lines", "tokens", "kept", "not_in_vocabulary", "below_min_count"):
            assert getattr(total.ledger, entry) == getattr(joined.ledger, entry)


@given(TEXTS, TEXTS, TEXTS, OPTIONS)
@settings(max_examples=40)
def test_over_different_vocabularies_a_sum_adds_cell_by_cell_and_says_so(a, b, c, options):
    x, y, z = (firth.count(lines, min_count=1, **options) for lines in (a, b, c))
    total = x + y
    expected = oracles.cells(x)
    for cell, value in oracles.cells(y).items():
        expected[cell] = expected.get(cell, 0) + value
    assert oracles.cells(total) == expected
    frequencies = {word: x.words.frequency(word) for word in x.words}
    for word in y.words:
        frequencies[word] = frequencies.get(word, 0) + y.words.frequency(word)
    assert [*zip(total.words, total.words.frequencies.tolist(), strict=True)] == oracles.sort(
        frequencies
    )
    different = set(x.words) != set(y.words)
    assert (DIFFERENT_VOCABULARIES in total.ledger.notes) == different
    assert (y + x).equals(total)
    assert ((x + y) + z).equals(x + (y + z))


def test_words_and_contexts_that_only_together_look_alike_are_told_apart():
    one = firth.Counts.from_scipy(np.array([[1, 1]]), ["a"], ["b", "c"])
    two = firth.Counts.from_scipy(np.array([[1], [1]]), ["a", "b"], ["c"])
    assert DIFFERENT_VOCABULARIES in (one + two).ledger.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 2}, "different window"),
        ({"weighting": "linear"}, "different weighting"),
        ({"context": "left"}, "different context"),
        ({"context": "positional"}, "different context"),
        ({"rare": "gap"}, "different rare"),
        ({"diagonal": False}, "different diagonal"),
    ],
)
def test_counts_of_another_kind_are_not_added(options, message):
    one = firth.count(["a b c"], min_count=1)
    other = firth.count(["a b c"], min_count=1, **options)
    with pytest.raises(FirthError, match=message):
        one + other


def test_counts_of_another_scale_are_not_added():
    one = firth.Counts.from_scipy(np.array([[1]]), ["a"], denominator=2)
    other = firth.Counts.from_scipy(np.array([[1]]), ["a"], denominator=3)
    with pytest.raises(FirthError, match="different denominators"):
        one + other
    with pytest.raises(FirthError, match="two or more"):
        add([one])
    with pytest.raises(TypeError):
        one + 1


def test_a_recipe_of_a_sum_says_that_it_is_one():
    one = firth.count(["a b c"], min_count=1)
    total = one + firth.count(["a b c d"], min_count=1)
    assert total.recipe == replace(one.recipe, source="sum")


def test_a_matrix_is_added_to_counts_if_its_recipe_is_known():
    counted = firth.count(["a b", "b a"], window=1, min_count=1)
    with pytest.raises(FirthError, match="different window"):
        counted + firth.Counts.from_scipy(np.array([[0, 3], [3, 0]]), ["a", "b"])
    recipe = replace(counted.recipe, source="matrix")
    known = firth.Counts.from_scipy(np.array([[0, 3], [3, 0]]), ["a", "b"], recipe=recipe)
    assert oracles.cells(counted + known) == {("a", "b"): 5, ("b", "a"): 5}


# --- 64 bits ------------------------------------------------------------------------------------


def single(value):
    return firth.Counts.from_scipy(np.array([[value, 1], [0, 2]]), ["a", "b"], frequencies=[2, 1])


def test_a_sum_that_passes_32_bits_is_held_in_64(tmp_path):
    one = single(2**32 - 1)
    assert one.values.dtype == np.uint32
    one.save(tmp_path / "one")
    merged = firth.merge([tmp_path / "one", tmp_path / "one"], tmp_path / "sum")
    for total in (one + one, merged):
        assert total.values.dtype == np.uint64
        assert oracles.cells(total) == {("a", "a"): 2**33 - 2, ("a", "b"): 2, ("b", "b"): 4}


def test_a_sum_at_63_bits_is_exact_and_beyond_it_an_error(tmp_path):
    half = single(2**62)
    below = single(2**62 - 2)
    assert oracles.cells(half + below)["a", "a"] == LIMIT - 1
    half.save(tmp_path / "half")
    with pytest.raises(FirthError, match="passes 2\\^63"):
        half + half
    with pytest.raises(FirthError, match="passes 2\\^63"):
        firth.merge([tmp_path / "half"] * 2, tmp_path / "sum")
    assert not (tmp_path / "sum").exists()
    assert not (tmp_path / "sum.partial").exists()


def test_a_frequency_beyond_63_bits_is_an_error():
    one = firth.Counts.from_scipy(np.array([[1]]), ["a"], frequencies=[2**62])
    with pytest.raises(FirthError, match="frequency passes 2\\^63"):
        one + one


# --- stores -------------------------------------------------------------------------------------


def test_merging_stores_gives_the_sum_whatever_the_threads(tmp_path, store_bytes):
    texts = ["a b c d e a", "b c x y", "c d z a b"]
    parts = [firth.count([text], min_count=1, window=3, weighting="harmonic") for text in texts]
    for number, part in enumerate(parts):
        part.save(tmp_path / str(number))
    total = parts[0] + parts[1] + parts[2]
    stores = []
    for threads in (1, 2, 3, 8):
        out = tmp_path / f"sum{threads}"
        merged = firth.merge(
            [tmp_path / "0", tmp_path / "1", tmp_path / "2"],
            out,
            resources=Resources(threads=threads),
        )
        assert merged.equals(total)
        stores.append(store_bytes(out))
    assert all(store == stores[0] for store in stores)


@pytest.mark.parametrize("stores", [5, 6, 7, 11])
def test_any_number_of_stores_are_merged_a_few_at_a_time(tmp_path, monkeypatch, stores):
    """Each holds three files open while it is added: a year of days would pass the usual limit."""
    texts = [[f"a b c{i} {'a ' * i}", f"c{i} b"] for i in range(stores)]
    paths = [tmp_path / str(i) for i in range(stores)]
    for text, path in zip(texts, paths, strict=True):
        firth.count(text, min_count=1, window=2, out=path)
    whole = merge(paths, tmp_path / "whole")
    monkeypatch.setattr(merging, "MOST_RUNS", 3)
    parts = merge(paths, tmp_path / "parts")
    assert parts.equals(whole)
    assert parts.recipe == whole.recipe
    assert parts.ledger == whole.ledger
    assert not list(tmp_path.glob("*.partial"))


def test_more_stores_are_merged_than_files_may_be_open(tmp_path):
    one = firth.count(["a b"], min_count=1, out=tmp_path / "0")
    paths = [tmp_path / str(i) for i in range(300)]
    for path in paths[1:]:
        shutil.copytree(paths[0], path)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256 + _open_files(), limits[1]))
    try:
        total = merge(paths, tmp_path / "sum")
        resource.setrlimit(resource.RLIMIT_NOFILE, (_open_files() + 4, limits[1]))
        with pytest.raises(StoreError, match="Too many open files: raise the limit"):
            merge(paths, tmp_path / "other")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert total.total == 300 * one.total
    assert not (tmp_path / "other").exists()


def _open_files():
    return len(list(Path("/dev/fd").iterdir()))


def test_many_tiny_updates_are_one_count():
    lines = [f"a b {'c ' * (i % 5)}d" for i in range(40)]
    sums = firth.count(lines[:1], vocab=["a", "b", "c", "d"])
    for line in lines[1:]:
        sums += firth.count([line], vocab=["a", "b", "c", "d"])
    assert sums.equals(firth.count(lines, vocab=["a", "b", "c", "d"]))
    assert sums.ledger.tokens == sum(len(line.split()) for line in lines)


def test_a_sum_does_not_say_how_many_words_there_were():
    """Those that were left out of both may be the same, or not."""
    one = firth.count(["a a b"], min_count=2)
    assert (one.ledger.types, (one + one).ledger.types) == (2, 0)
    assert (one + one).ledger.tokens == 6
    assert "distinct words" not in dict((one + one).ledger.entries())


def test_merging_never_replaces_unasked(tmp_path):
    counts = firth.count(["a b"], min_count=1)
    counts.save(tmp_path / "one")
    counts.save(tmp_path / "out")
    with pytest.raises(StoreError, match="force=True"):
        firth.merge([tmp_path / "one"] * 2, tmp_path / "out")
    assert firth.Counts.load(tmp_path / "out").equals(counts)
    merged = firth.merge([tmp_path / "one", tmp_path / "out"], tmp_path / "out", force=True)
    assert merged.row("a") == [("b", 2)]


def test_one_store_is_no_list_of_stores(tmp_path):
    for paths, message in (
        ("stores", "paths must be a list of two or more stores, not 'stores'"),
        ([tmp_path / "one"], "two or more counts"),
    ):
        with pytest.raises(FirthError, match=message):
            firth.merge(paths, tmp_path / "sum")
    assert [*tmp_path.iterdir()] == []


def test_blocks_of_different_offsets_do_not_add():
    counts = firth.count(["a b c d a b"], min_count=1, context="positional", window=2)
    with pytest.raises(firth.FirthError, match="same offset"):
        counts.block(1) + counts.block(2)
    right = firth.count(["a b c d a b"], min_count=1, context="right", window=2)
    with pytest.raises(firth.FirthError, match="same offset"):
        counts.block(1) + right
    assert (counts.block(1) + counts.block(1)).recipe.source == "offset +1"


def test_the_placeholder_does_not_make_vocabularies_differ():
    options = {"vocab": ["a", "b"], "rare": "unk", "window": 1}
    total = firth.count(["a b"], **options) + firth.count(["a x b"], **options)
    assert total.ledger.notes == ()
    assert total.equals(firth.count(["a b", "a x b"], **options))
