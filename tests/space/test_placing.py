"""Words that are placed in a space: their row against the formulas written out over all pairs."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles_weighted import new_row

import firth
from firth.counts.blocks import SIDES
from firth.counts.matrix import Counts
from firth.counts.sampling import kept_share
from firth.errors import FirthError, StoreError
from firth.methods import PPMI, Weighted
from firth.resources import Resources
from firth.space.space import Space

STORES = Path(__file__).parent / "stores"
LINES = [" ".join(f"w{(i * j * j + i) % 17}" for j in range(1, 12)) for i in range(1, 40)]
KNOBS = {"seen": 0.5, "unseen": 0.4, "unseen_share": 1.5, "ridge": 0.01}


def counted(context="symmetric", **settings_):
    return firth.count(LINES, window=3, min_count=1, context=context, **settings_)


def fitted(context="symmetric", dim=4, **settings_):
    return Weighted(**{"dim": dim, **KNOBS, **settings_}).fit(counted(context))


def row_of(space, word, counts=None):
    """The counts of a word as a mapping that `place` takes, with the place of each context."""
    counts = counted(space.recipe["counts"]["context"]) if counts is None else counts
    contexts, offsets = counts.contexts.words, counts.offsets
    table = counts.to_scipy()[[counts.words[word]]].tocoo()
    found = {}
    for column, value in zip(table.col.tolist(), table.data.tolist(), strict=True):
        block, place = divmod(column, len(contexts))
        found[(contexts[place], offsets[block]) if offsets else contexts[place]] = value
    return found


@settings(max_examples=30)
@given(
    st.sampled_from(["symmetric", "sides", "left", "positional"]), st.integers(1, 6),
    st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from([0.0, 1.5]), st.sampled_from([0.001, 0.3]), st.integers(0, 3),
)  # fmt: skip
def test_a_row_is_the_minimiser_of_the_formulas(context, lines, p, g, share, ridge, seed):
    knobs = {"seen": p, "unseen": g, "unseen_share": share, "ridge": ridge}
    space = fitted(context, **knobs)
    rng = np.random.default_rng(seed)
    text = [" ".join(["new", *rng.choice([f"w{i}" for i in range(17)], 5)]) for _ in range(lines)]
    counts = space.contexts_in(text, ["new"])
    placed = space.place(counts)
    source = counted(context)
    table = source.to_scipy().toarray().astype(float)
    of_row, of_column = table.sum(axis=1), table.sum(axis=0)
    if source.offsets == SIDES:  # a context weighs the same on either side
        of_column = np.tile(of_row, 2)
    places = [counts.contexts[word] for word in source.contexts]
    blocks = np.split(counts.to_scipy().toarray()[0].astype(float), max(1, len(source.offsets)))
    row = np.concatenate([block[places] for block in blocks])
    if not row.any():
        assert not placed.vectors.any()
        return
    basis = space.factors.right.astype(float)
    expected, settled = new_row(
        table, row, (of_row, of_column), basis, alpha=0.4, shift=-1.0, **knobs
    )
    found = placed.left[0] * space.factors.values
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
    assert placed.settled[0] == pytest.approx(settled, rel=1e-4, abs=1e-6)
    assert 0 <= placed.leverage[0] <= 1
    assert placed.contexts[0] == np.count_nonzero(np.sum(np.split(row, len(blocks)), axis=0))


@pytest.mark.parametrize("context", ["symmetric", "sides"])
@pytest.mark.parametrize("combine", ["words", "sum", "concat"])
def test_a_word_with_its_own_counts_has_its_own_vector(context, combine):
    """Once the fit has converged, the vector of a word as a context as well."""
    space = fitted(context, combine=combine, weight=0.5, sweeps=400)
    placed = space.place({f"new {word}": row_of(space, word) for word in space.words})
    np.testing.assert_allclose(placed.vectors, space.vectors, atol=2e-4)


def test_of_few_sweeps_a_word_has_nearly_its_own_vector():
    space = fitted()
    placed = space.place(counted())
    assert placed.words.words == space.words.words
    assert np.sum(placed.vectors * space.vectors, axis=1).min() > 0.98


def test_counts_on_one_side_leave_the_part_of_the_context_out():
    space = fitted("left", combine="sum", weight=0.5)
    placed = space.place({"new": row_of(space, "w1", counted("left"))})
    alone = space.recombine(combine="words")
    np.testing.assert_allclose(placed["new"], alone.place({"new": row_of(space, "w1", counted(
        "left"))})["new"], atol=1e-6)  # fmt: skip
    assert not placed.others.any()


def test_a_context_that_is_no_word_keeps_its_vector_as_a_context():
    counts = counted()
    space = Weighted(dim=3, combine="sum").fit(counts.select(counts.words.words[:9]))
    word = counts.words.words[12]
    placed = space.place({word: {"w1": 2, "w2": 1}})
    np.testing.assert_allclose(placed.others[0], space.factors.right[space.contexts[word]])


def test_more_lines_settle_more():
    space = fitted()
    one, many = (space.place(space.contexts_in(["w1 w2 new w3 w4"] * n, ["new"])) for n in (1, 50))
    assert 0 < one.settled[0] < many.settled[0] < space.vector_size
    assert one.words.frequencies.tolist() == [1]
    assert many.contexts.tolist() == [4]


def test_contexts_are_counted_as_those_of_the_space():
    """As a count of the whole text with the word in the vocabulary has them."""
    lines = [line.replace("w3", "New").replace("w5", "rare") for line in LINES]
    known = [f"w{i}" for i in range(17) if i not in (3, 5)]
    for context in ("symmetric", "sides", "positional", "right"):
        counts = firth.count(LINES, window=4, weighting="linear", context=context, vocab=known)
        space = Weighted(dim=3).fit(counts)
        found = space.contexts_in(lines, ["New"])
        whole = firth.count(
            lines, window=4, weighting="linear", vocab=[*known, "new"], context=context
        )
        expected = [(name, value) for name, value in whole.row("new") if "new" not in name]
        assert sorted(found.row("new")) == sorted(expected)
    assert space.contexts_in(lines, ["new"], window=1, weighting="flat").row("new")


def test_frequent_contexts_weigh_as_after_subsampling():
    counts = firth.count(LINES, window=3, min_count=1, subsample=0.01)
    space = Weighted(dim=3).fit(counts)
    plain = Weighted(dim=3).fit(counts)
    plain.recipe["counts"].pop("subsample")
    kept = kept_share(counts.words.frequencies, int(counts.words.frequencies.sum()), 0.01)
    row = {"w1": 3.0, "w2": 1.0}
    thinned = {word: value * kept[counts.words[word]] for word, value in row.items()}
    assert kept.min() < 0.9
    np.testing.assert_array_equal(space.place({"a": row})["a"], plain.place({"a": thinned})["a"])


def test_the_same_bits_on_any_number_of_threads():
    space, rows = fitted(), counted()
    found = [space.place(rows, resources=Resources(threads=n)) for n in (1, 2, 3, 8)]
    assert len({one.vectors.tobytes() + one.settled.tobytes() for one in found}) == 1


# --- a space with more words --------------------------------------------------------------------


def test_a_space_takes_the_words_and_keeps_the_others(tmp_path):
    space = fitted()
    placed = space.place({"new": row_of(space, "w1"), "other": row_of(space, "w2")})
    larger = space.with_words(placed)
    np.testing.assert_array_equal(larger.vectors[: len(space)], space.vectors)
    np.testing.assert_array_equal(larger.vectors[len(space) :], placed.vectors)
    assert larger.index_to_key[-2:] == ["new", "other"]
    assert larger.most_similar("new", topn=1) == [(pytest.approx("w1"), pytest.approx(1, abs=0.05))]
    larger.save(tmp_path / "larger")
    loaded = Space.load(tmp_path / "larger")
    for one in (larger, loaded):
        again = one.recombine(beta=0.7, combine="concat")
        expected = space.recombine(beta=0.7, combine="concat")
        np.testing.assert_array_equal(again.vectors[: len(space)], expected.vectors)
        assert np.linalg.norm(again.get_vector("new")[space.vector_size :]) > 0.1
        np.testing.assert_allclose(again.get_vector("new"), expected.place(
            {"new": row_of(space, "w1")})["new"], atol=1e-6)  # fmt: skip
    with pytest.raises(FirthError, match="no association"):
        larger.why("w1", "w2")


def test_words_are_placed_in_a_larger_space_as_in_the_first(tmp_path):
    space = fitted()
    first, second = ({name: row_of(space, word)} for name, word in (("a", "w1"), ("b", "w2")))
    larger = space.with_words(space.place(first))
    np.testing.assert_array_equal(larger.place(second)["b"], space.place(second)["b"])
    both = larger.with_words(larger.place(second))
    at_once = space.with_words(space.place({**first, **second}))
    np.testing.assert_array_equal(both.vectors, at_once.vectors)
    both.save(tmp_path / "both")
    loaded = Space.load(tmp_path / "both")
    np.testing.assert_array_equal(loaded.place(second)["b"], space.place(second)["b"])
    assert loaded.recipe["placed"] == 2


def test_a_stored_space_places_words_as_it_did(tmp_path, store_bytes):
    space = Space.load(STORES / "fitted-v3")
    row = {"the": 3, "drinks": 2, "milk": 1}
    np.testing.assert_allclose(
        space.place({"pup": row})["pup"], space.get_vector("kitten"), atol=1e-5
    )
    space.save(tmp_path / "same")
    assert store_bytes(tmp_path / "same") == store_bytes(STORES / "fitted-v3")


@pytest.mark.parametrize(
    ("name", "value"), [("ridge", "x"), ("rows", 3), ("mirrored", 1), ("seen", float("inf"))]
)
def test_damaged_sums_are_refused(tmp_path, name, value):
    fitted().save(tmp_path / "space")
    meta = json.loads((tmp_path / "space" / "meta.json").read_text())
    meta["marginals"][name] = value
    (tmp_path / "space" / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(StoreError, match="damaged"):
        Space.load(tmp_path / "space")


def test_sums_that_are_not_finite_are_refused(tmp_path):
    fitted().save(tmp_path / "space")
    path = tmp_path / "space" / "marginals.npy"
    path.write_bytes(path.read_bytes()[:-8] + np.float64(np.nan).tobytes())
    with pytest.raises(StoreError, match="damaged"):
        Space.load(tmp_path / "space")


# --- odd words and counts -----------------------------------------------------------------------


def from_table(table, words=None):
    table = np.asarray(table)
    words = words or [f"w{i}" for i in range(len(table))]
    return Counts.from_scipy(table, words, words)


TABLES = {
    "33 words": np.eye(33, dtype=int)[::-1],
    "one nonzero": [[0, 0], [0, 5]],
    "a word without counts": [[3, 1, 0], [1, 3, 0], [0, 0, 0]],
    "large counts": [[10**12, 1], [1, 0]],
    "one word": [[1]],
}


@pytest.mark.parametrize("knobs", [{}, {"ridge": 0.0}, {"ridge": 0.0, "unseen_share": 0.0}])
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tiny_and_large_counts_have_finite_vectors(table, knobs):
    counts = from_table(table)
    space = Weighted(dim=50, **knobs).fit(counts)
    rows = {"one": {"w0": 1}, "much": {"w0": 10**18}, "none": {}, "zero": {"w0": 0},
            "elsewhere": {"unknown": 3}, "all": dict.fromkeys(counts.words, 7)}  # fmt: skip
    for contexts in (rows, counts):
        placed = space.place(contexts)
        assert np.isfinite(placed.vectors).all()
        assert ((placed.leverage >= -1e-9) & (placed.leverage <= 1 + 1e-9)).all()
        lengths = np.linalg.norm(placed.vectors, axis=1)
        assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))
    placed = space.place(rows)
    for word in ("none", "zero", "elsewhere"):
        assert not placed[word].any()
        assert placed.contexts[placed.words[word]] == placed.settled[placed.words[word]] == 0


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        ({"a": {"w1": -1}}, "must be a number from 0 to 2"),
        ({"a": {"w1": float("nan")}}, "must be a number from 0 to 2"),
        ({"a": {"w1": float("inf")}}, "must be a number from 0 to 2"),
        ({"a": {"w1": 1e300}}, "must be a number from 0 to 2"),
        ({"a": {"w1": "x"}}, "must be a number from 0 to 2"),
        ({"a": ["w1"]}, "must be a mapping from contexts to counts"),
        ({"": {"w1": 1}}, "is not a word"),
        ({1: {"w1": 1}}, "is not a word"),
        ({"a": {("w1", "above"): 1}}, "does not tell contexts apart by place: leave 'above' out"),
        ({}, "no word to place"),
        (["a"], "must be Counts, or a mapping"),
    ],
)
def test_what_are_no_contexts_is_refused(contexts, message):
    with pytest.raises(FirthError, match=message):
        fitted().place(contexts)


def test_contexts_need_the_places_that_the_space_tells_apart():
    with pytest.raises(FirthError, match="needs its place"):
        fitted("positional").place({"a": {"w1": 1}})
    with pytest.raises(FirthError, match="its place, one of 'left', 'right'"):
        fitted("sides").place({"a": {("w1", "above"): 1}})
    with pytest.raises(FirthError, match="leave 'left' out"):
        fitted("right").place({"a": {("w1", "left"): 1}})
    with pytest.raises(FirthError, match="count with the context"):
        fitted().place(counted("positional"))
    whole, half = ({"w1": 1}, {("w1", "left"): 0.5, ("w1", "right"): 0.5})
    found = fitted("sides").place({"whole": whole, "half": half})
    np.testing.assert_array_equal(found["whole"], found["half"])


def test_spaces_that_cannot_place_say_why():
    for space in (PPMI(dim=3).fit(counted()), Space.load(STORES / "fitted-v2")):
        with pytest.raises(FirthError, match="fit them with the method weighted"):
            space.place({"a": {"w1": 1}})
    bare = firth.Space(firth.Vocabulary(["a"], [1]), np.ones((1, 2), dtype=np.float32))
    with pytest.raises(FirthError, match="does not say how its text was counted"):
        bare.contexts_in(["a"], ["a"])
    with pytest.raises(FirthError, match="keeps no sums"):
        bare.place({"a": {"b": 1}})
    unknown = Weighted(dim=2).fit(from_table([[3, 1], [1, 2]], ["a", "b"]))
    with pytest.raises(FirthError, match="give window"):
        unknown.contexts_in(["a b c"], ["c"])
    assert unknown.contexts_in(["a b c"], ["c"], window=2, weighting="flat").row("c")


def test_words_that_cannot_be_counted_are_refused():
    space = fitted()
    with pytest.raises(FirthError, match="'nowhere': not in the text"):
        space.contexts_in(LINES, ["nowhere"])
    with pytest.raises(FirthError, match="must be a list of words"):
        space.contexts_in(LINES, "word")
    with pytest.raises(FirthError, match="no word to place"):
        space.contexts_in(LINES, [" "])
    own = Weighted(dim=2).fit(firth.count(LINES, tokenizer=str.split, min_count=1))
    with pytest.raises(FirthError, match=r"cut into tokens by builtins\.str\.split"):
        own.contexts_in(["w1 new"], ["new"])
    assert own.contexts_in([["w1", "new"]], ["new"]).row("new")


def test_words_that_are_there_are_not_added_again():
    space = fitted()
    with pytest.raises(FirthError, match="'w1' is in the space already"):
        space.with_words(space.place({"w1": {"w2": 1}}))
    with pytest.raises(FirthError, match="placed in another space"):
        space.with_words(fitted(dim=3).place({"a": {"w2": 1}}))
