"""A recipe states what is known of counts, and symmetry is a property of the matrix."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import firth
from firth import UNKNOWN, Mixed, Recipe
from firth.clusters.contexts import neighbours
from firth.counts.merging import add
from firth.counts.stated import together
from firth.errors import FirthError, StoreError

PLAIN = {
    "window": st.integers(1, 20),
    "weighting": st.sampled_from(["flat", "harmonic", "linear"]),
    "context": st.sampled_from(["symmetric", "left", "right", "positional"]),
    "diagonal": st.booleans(),
    "rare": st.sampled_from(["drop", "gap", "unk"]),
    "min_count": st.integers(0, 9),
    "max_vocab": st.one_of(st.none(), st.integers(1, 9)),
    "context_min_count": st.one_of(st.none(), st.integers(0, 9)),
    "max_contexts": st.one_of(st.none(), st.integers(1, 9)),
    "vocab": st.just("a hash"),
    "keep_above": st.one_of(st.none(), st.integers(0, 9)),
    "tokenizer": st.sampled_from(["words", "whitespace", "tokens"]),
    "lower": st.booleans(),
    "cleaners": st.sampled_from([(), ("tweets",), ("tweets", "wikipedia")]),
    "encoding_errors": st.sampled_from(["replace", "strict"]),
    "source": st.sampled_from(["text", "matrix", "sum", "offset +1", "part of text"]),
}


def stated(values):
    """Values of a setting as a recipe can state them."""
    return st.one_of(
        values, st.just(UNKNOWN), st.lists(values | st.just(UNKNOWN), min_size=1).map(together)
    )


RECIPES = st.fixed_dictionaries({}, optional={name: stated(v) for name, v in PLAIN.items()}).map(
    lambda settings: Recipe(**settings)
)
# Of parts that can be added: what must agree agrees.
PARTS = st.fixed_dictionaries(
    {name: stated(PLAIN[name]) for name in ("min_count", "max_vocab", "tokenizer", "cleaners")}
)


@given(RECIPES)
@example(Recipe())
@example(Recipe(cleaners=Mixed((("tweets",), UNKNOWN, ()))))
def test_any_recipe_goes_into_json_and_back(recipe):
    assert Recipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe


@given(st.lists(PARTS, min_size=3, max_size=3))
@settings(max_examples=40)
def test_a_sum_of_sums_states_what_one_sum_of_all_states(parts):
    counts = firth.count(["a b"], window=2, min_count=1)
    x, y, z = (replace(counts, recipe=replace(counts.recipe, **part)) for part in parts)
    at_once = add([x, y, z])
    assert ((x + y) + z).recipe == (x + (y + z)).recipe == at_once.recipe
    for name in parts[0]:
        had = together(part[name] for part in parts)
        assert getattr(at_once.recipe, name) == had


def test_a_sum_states_what_its_parts_had(tmp_path):
    one = firth.count(["a b", "b c"], window=2, min_count=1, tokenizer="whitespace")
    two = firth.count(["a b", "b c", "a a"], window=2, min_count=2, max_vocab=2)
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    merged = firth.merge([tmp_path / "one", tmp_path / "two"], tmp_path / "sum")
    for total in (one + two, merged, firth.Counts.load(tmp_path / "sum")):
        assert total.recipe.min_count == Mixed((1, 2))
        assert total.recipe.tokenizer == Mixed(("whitespace", "words"))
        assert total.recipe.lower == Mixed((False, True))
        assert total.recipe.max_vocab == Mixed((None, 2))
        assert (total.recipe.window, total.recipe.source) == (2, "sum")
        assert str(total.recipe.min_count) == "1 and 2"
    assert (two + one).recipe.min_count == Mixed((2, 1))


def test_nothing_is_known_of_a_matrix_but_what_is_stated(tmp_path):
    counts = firth.Counts.from_scipy(np.array([[0, 2], [1, 0]]), ["a", "b"])
    assert counts.recipe == Recipe(source="matrix")
    assert {*counts.recipe.to_json().values()} == {"unknown", "matrix"}
    assert repr(counts) == "Counts(2 words × 2 contexts, 2 nonzeros; from a matrix)"
    with pytest.raises(FirthError, match="the window of these counts is not known: it is unknown"):
        _ = counts.recipe.denominator
    told = Recipe(window=3, weighting="flat")
    known = firth.Counts.from_scipy(np.eye(2, dtype=int), ["a", "b"], recipe=told)
    assert known.recipe == replace(told, source="matrix")
    assert repr(known).endswith("; from a matrix, flat window of 3)")
    assert known.recipe.min_count is UNKNOWN
    counts.save(tmp_path / "counts")
    loaded = firth.Counts.load(tmp_path / "counts")
    assert loaded.recipe == counts.recipe
    assert not loaded.is_symmetric


def test_records_of_glove_do_not_say_how_they_were_counted(tmp_path):
    counted = firth.count(["a b a"], window=2, min_count=1)
    firth.write_glove(counted, tmp_path / "records", tmp_path / "vocab")
    found = firth.read_glove(tmp_path / "records", tmp_path / "vocab", denominator=2)
    assert found.recipe == Recipe(source="matrix")
    assert found.is_symmetric


def test_what_is_unknown_is_not_taken_for_the_same():
    counted = firth.count(["a b", "b a"], window=1, weighting="flat", min_count=1)
    matrix = firth.Counts.from_scipy(np.array([[0, 3], [3, 0]]), ["a", "b"])
    with pytest.raises(FirthError, match=r"different window .* has 1, another unknown"):
        counted + matrix
    assert (matrix + matrix).recipe == Recipe(source="sum")


def test_a_block_and_a_selection_say_what_they_are():
    counts = firth.count(["a b c a"], window=2, weighting="flat", context="positional", min_count=1)
    block = counts.block(2)
    assert (block.recipe.source, block.recipe.offset, block.recipe.context) == (
        "offset +2",
        2,
        "right",
    )
    assert repr(block).endswith("; offset +2 of a flat window of 2)")
    part = block.top(2)
    assert (part.recipe.source, part.recipe.offset) == ("part of offset +2", 2)
    assert part.top(1).recipe == part.recipe
    assert (part + part).recipe.source == "offset +2"
    whole = firth.count(["a b c a"], min_count=1)
    assert whole.top(2).recipe == replace(whole.recipe, source="part of text")


def test_a_part_is_not_taken_for_the_whole_by_resume(tmp_path):
    (tmp_path / "text").write_text("a b c a b\n")
    out = tmp_path / "counts"
    options = {"min_count": 1, "out": out, "resume": True}
    assert len(firth.count(tmp_path / "text", **options).words) == 3
    assert len(firth.count(tmp_path / "text", **options).words) == 3  # complete already
    firth.count(tmp_path / "text", min_count=1).top(2, 2).save(out, force=True)
    with pytest.raises(StoreError, match="exists"):
        firth.count(tmp_path / "text", **options)


def test_a_mixed_setting_has_two_or_more_values():
    for values in ((), (1,), (1, 1)):
        with pytest.raises(FirthError, match="two or more different values"):
            Mixed(values)
    with pytest.raises(FirthError, match="window must be a whole number"):
        Recipe(window=Mixed((1, 0)))


# --- symmetry -----------------------------------------------------------------------------------

MATRICES = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 2**32, 2**40 + 1]), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)


def of_matrix(dense):
    names = [f"w{i}" for i in range(len(dense))]
    return firth.Counts.from_scipy(
        np.array(dense), names, frequencies=range(len(dense), 0, -1),
        context_frequencies=range(len(dense), 0, -1),
    )  # fmt: skip


@given(MATRICES, st.booleans())
def test_symmetry_is_found_by_looking_at_the_matrix(dense, mirror):
    table = np.array(dense)
    if mirror:
        table = np.maximum(table, table.T)
    counts = of_matrix(table)
    assert counts.symmetric is None
    assert counts.is_symmetric == np.array_equal(table, table.T)
    assert counts.is_symmetric == np.array_equal(table, table.T)  # as it was kept


@given(MATRICES, MATRICES, st.booleans())
def test_a_sum_is_symmetric_if_its_matrix_is(a, b, mirror):
    size = min(len(a), len(b))
    one, other = np.array(a)[:size, :size], np.array(b)[:size, :size]
    if mirror:
        other = one.T
    total = of_matrix(one) + of_matrix(other)
    table = one + other
    assert total.is_symmetric == np.array_equal(table, table.T)


def test_the_sum_of_two_matrices_that_are_not_symmetric():
    one = of_matrix([[0, 3], [1, 0]])
    assert not (one + one).is_symmetric
    for method in (firth.methods.EigenWord(dim=1), firth.methods.SVDNS(dim=1)):
        with pytest.raises(FirthError, match="symmetric counts"):
            method.fit(one + one)


LINES = st.lists(st.lists(st.sampled_from("abcde"), max_size=8), min_size=1, max_size=4).filter(any)


@given(LINES, st.sampled_from(["symmetric", "left", "right", "positional"]), st.booleans(),
       st.sampled_from(["drop", "gap", "unk"]))  # fmt: skip
@settings(max_examples=60)
def test_counting_states_symmetry_only_where_it_holds(lines, context, diagonal, rare):
    counts = firth.count(
        lines, window=2, context=context, diagonal=diagonal, rare=rare, min_count=1
    )
    assert counts.symmetric is (True if context == "symmetric" else None)
    if context != "positional":
        dense = counts.to_scipy(units=True).toarray()
        assert counts.is_symmetric == np.array_equal(dense, dense.T)
    else:
        assert not counts.is_symmetric


def test_sums_and_selections_of_symmetric_counts_stay_symmetric(tmp_path):
    one = firth.count(["a b c", "b c d"], min_count=1)
    two = firth.count(["a e b", "b"], min_count=1)
    assert (one + two).symmetric
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    assert firth.merge([tmp_path / "one", tmp_path / "two"], tmp_path / "sum").symmetric
    assert firth.Counts.load(tmp_path / "sum").symmetric
    assert one.top(2, 2).symmetric
    few = one.select(["a", "b"], ["b", "c"])
    assert few.symmetric is None
    assert not few.is_symmetric
    assert not firth.count(["a b c"], min_count=1, max_contexts=2).is_symmetric
    assert (
        one + firth.count(["a b"], min_count=1, context="symmetric", max_contexts=1)
    ).symmetric is None


def test_a_counted_text_is_stored_as_before_and_other_counts_in_version_2(tmp_path):
    counts = firth.count(["a b c"], min_count=1)
    matrix = firth.Counts.from_scipy(counts.to_scipy(), counts.words.words, denominator=2520,
                                     recipe=counts.recipe)  # fmt: skip
    metas = []
    for number, kept in enumerate([counts, counts.top(2, 2), counts + counts, matrix]):
        kept.save(tmp_path / str(number))
        metas.append(json.loads((tmp_path / str(number) / "meta.json").read_text()))
        loaded = firth.Counts.load(tmp_path / str(number))
        assert (loaded.recipe, loaded.symmetric) == (kept.recipe, kept.symmetric)
    assert [meta["version"] for meta in metas] == [1, 2, 2, 2]
    assert [meta.get("symmetric", "absent") for meta in metas] == ["absent", True, True, None]


# --- whoever reads recipes ----------------------------------------------------------------------


def test_counts_of_which_nothing_is_known_are_fitted_stored_and_told_from_others(tmp_path):
    table = np.array([[2, 3, 0], [3, 0, 1], [0, 1, 4]])
    counts = firth.Counts.from_scipy(table, ["a", "b", "c"])
    space = firth.methods.PPMI(dim=2).fit(counts)
    assert space.recipe["counts"]["window"] == "unknown"
    space.save(tmp_path / "space")
    assert firth.Space.load(tmp_path / "space").recipe == space.recipe
    assert firth.methods.EigenWord(dim=2).fit(counts).vectors.shape == (3, 2)
    with pytest.raises(FirthError, match="these counts do not say at which offset"):
        neighbours(counts, (1,))


def test_the_next_word_is_found_in_a_block_and_in_a_part_of_one():
    counts = firth.count(["a b a c"], window=2, context="positional", min_count=1)
    block = counts.block(1)
    assert neighbours(block, (1,)).row("a") == [("b+1", 1), ("c+1", 1)]
    assert neighbours(block.top(2), (1,)).words.words == ("a", "b")
    with pytest.raises(FirthError, match="do not say at which offset a word stands"):
        neighbours(counts.block(2), (1,))


# --- former names -------------------------------------------------------------------------------


def test_former_names_work_with_a_warning(tmp_path):
    counts = firth.count(["a b c"], window=3, min_count=1)
    for former, present, text in (
        (lambda: counts.scale, counts.denominator, "use Counts.denominator"),
        (lambda: counts.recipe.scale, counts.recipe.denominator, "use Recipe.denominator"),
        (counts.rows, counts.csr(), r"use Counts.csr\(\)"),
        (counts.ledger.rows, counts.ledger.entries(), r"use Ledger.entries\(\)"),
    ):
        with pytest.warns(DeprecationWarning, match=text):
            assert former() == present
    with pytest.warns(DeprecationWarning, match="use denominator") as caught:
        found = firth.Counts.from_scipy(np.array([[0.5]]), ["a"], scale=2)
    assert caught[0].filename == __file__
    assert found.denominator == 2
    firth.write_glove(counts, tmp_path / "records", tmp_path / "vocab")
    with pytest.warns(DeprecationWarning, match="use denominator") as caught:
        assert firth.read_glove(tmp_path / "records", tmp_path / "vocab", scale=6).equals(counts)
    assert caught[0].filename == __file__
    with warnings.catch_warnings(), pytest.raises(FirthError, match="denominator is needed"):
        firth.read_glove(tmp_path / "records", tmp_path / "vocab")
