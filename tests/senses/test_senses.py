"""Senses of planted words: exact sums, the right number, the same bits, clear errors."""

import numpy as np
import pytest
from tests.senses.conftest import planted

import firth
from firth.errors import BudgetError, FirthError, UnknownWord
from firth.senses import Senses, read_sense_table
from firth.senses.choosing import grouped, number_of, points_of
from firth.senses.factorising import Leading
from firth.senses.learning import Splitting, memory, ppmi

KINDS = [("spectral", False), ("spectral", True), ("nndsvd", False), ("nmf", False)]


def rows(counts, word, alpha=0.75):
    """The row of positive PMI, by its formula."""
    dense = counts.to_scipy().toarray().astype(float)
    own, context = dense.sum(axis=1), dense.sum(axis=0) ** alpha
    with np.errstate(divide="ignore"):
        pmi = np.log(dense * context.sum() / np.outer(own, context))
    return np.maximum(pmi, 0)[counts.words[word]]


@pytest.mark.parametrize(("clustering", "pool"), KINDS)
@pytest.mark.parametrize("k", [1, 2, 3, 7, "auto"])
def test_senses_add_up_to_the_row_of_ppmi_bit_for_bit(counts, clustering, pool, k):
    words = ["bank", "a1", "b2"]
    senses = Senses.learn(counts, words, k=k, clustering=clustering, pool=pool)
    matrix = ppmi(counts, 0.75, firth.Resources())
    for word in words:
        columns, strengths = matrix.row(counts.words[word])
        total = np.zeros(len(counts.words))
        for row in senses.rows_of(word):
            where, values = senses.vector(row)
            assert (values > 0).all()
            total[where] += values
        assert total[columns].astype(np.float32).tobytes() == strengths.tobytes()
        assert np.count_nonzero(total) == len(columns)
        assert total == pytest.approx(rows(counts, word), rel=1e-5)
        assert senses.shares(word).sum() == pytest.approx(1)
        assert (np.diff(senses.shares(word)) <= 0).all()


@pytest.mark.parametrize(("clustering", "pool"), KINDS)
def test_planted_senses_are_found(counts, clustering, pool):
    """Nearly all contexts of a topic belong to one sense."""
    senses = Senses.learn(counts, ["bank"], k=2, clustering=clustering, pool=pool)
    tops = [{word[0] for word, _ in sense.contexts} for sense in senses.of("bank", top=12)]
    assert sorted(map(sorted, tops)) == [["a"], ["b"]]


@pytest.mark.parametrize("topics", [2, 3, 4])
def test_auto_finds_as_many_senses_as_there_are_topics(topics):
    counts = firth.count(planted(topics), window=5, weighting="flat", min_count=1)
    assert len(Senses.learn(counts, ["bank"])) == topics


@pytest.mark.parametrize("how", [{}, {"k": 4, "clustering": "nndsvd"}, {"pool": True}])
def test_bytes_do_not_depend_on_threads(counts, tmp_path, store_bytes, how):
    table = dict.fromkeys(counts.words, 2)
    stores = []
    for threads in (1, 2, 3, 8):
        senses = Senses.learn(
            counts, "ambiguous", table=table, resources=firth.Resources(threads), **how
        )
        senses.save(tmp_path / str(threads))
        stores.append(store_bytes(tmp_path / str(threads)))
    assert stores[0] == stores[1] == stores[2] == stores[3]


def test_numbers_of_senses_from_a_table(counts):
    table = {"bank": 3, "a1": 1, "a2": 99, "a3": 0}
    senses = Senses.learn(
        counts, ["bank", "a1", "a2", "a3", "a4"], k="wordnet", table=table, max_senses=5
    )
    found = [len(senses.rows_of(word)) for word in ("bank", "a1", "a2", "a3", "a4")]
    assert found == [3, 1, 5, 1, 1]
    ambiguous = Senses.learn(counts, k="wordnet", table=table)
    assert {senses.words.words[place] for place in ambiguous.places} == {"bank", "a2"}
    assert "bank" in ambiguous
    assert "a1" not in ambiguous


def test_the_files_of_wordnet(tmp_path, write):
    licence = "  1 This software and database is being provided\n"
    (tmp_path / "dict").mkdir()
    (tmp_path / "dict" / "index.noun").write_text(
        licence + "bank n 10 4 @ ~ #p + 10 5 0842 0800\n'hood n 1 2 @ ; 1 0 0864\n"
    )
    (tmp_path / "dict" / "index.verb").write_text(licence + "bank v 8 3 @ ~ + 8 2 0220\n")
    assert read_sense_table(tmp_path / "dict") == {"bank": 18, "'hood": 1}
    assert read_sense_table(write("Bank\tn\t10\nbank\tv\t8\n")) == {"bank": 18}
    assert read_sense_table(write("bank\t2\n")) == {"bank": 2}
    with pytest.raises(FirthError, match=r"line 2: no lemma"):
        read_sense_table(write("bank\t2\nriver\tmany\n"))
    with pytest.raises(FirthError, match=r"index\.noun"):
        read_sense_table(tmp_path)
    with pytest.raises(FirthError, match=r"line 1: no lemma"):
        read_sense_table(write("bank\t" + "9" * 5000 + "\n"))
    with pytest.raises(FirthError, match="cannot be read"):
        read_sense_table(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"words": ["bnak"]}, "'bnak' is not a word of this vocabulary; near it: bank"),
        ({"words": []}, "there is no word to divide"),
        ({"words": "bank"}, r"words must be a list of words or 'ambiguous', not 'bank'"),
        ({}, "is read from a table"),
        ({"table": {"zebra": 2}}, "no word of the counts has several senses"),
        ({"table": {"bank": "two"}}, "the senses of 'bank' must be a whole number"),
        ({"words": ["bank"], "k": "wordnet"}, "needs a table"),
        ({"words": ["bank"], "k": 0}, "k must be 1 or more"),
        ({"words": ["bank"], "k": 11}, "k must be at most max_senses, 10, not 11"),
        ({"words": ["bank"], "k": "many"}, "k must be"),
        ({"words": ["bank"], "clustering": "lda"}, "clustering must be one of spectral"),
        ({"words": ["bank"], "max_senses": 11}, "max_senses must be"),
        ({"words": ["bank"], "min_support": 1000}, r"'bank' has \d+ contexts, fewer than"),
        ({"words": ["bank"], "clustering": "nmf", "pool": True}, "pool groups points"),
    ],
)
def test_what_cannot_be_learnt_is_refused(counts, asked, what):
    with pytest.raises(FirthError, match=what):
        Senses.learn(counts, **asked)


def test_counts_of_another_kind_are_refused(lines):
    pairs = firth.count(lines, window=2, context="positional", min_count=1)
    with pytest.raises(FirthError, match="the same words in rows and columns"):
        Senses.learn(pairs, ["bank"])
    with pytest.raises(FirthError, match="learnt from counts"):
        Senses.learn(firth.methods.PPMI(dim=2).fit(firth.count(lines)), ["bank"])
    with pytest.raises(FirthError, match="learnt from counts, not from list"):
        Senses.learn(lines, ["bank"])


def test_counts_of_two_sides_have_the_same_senses(lines, counts):
    sides = firth.count(lines, window=5, weighting="flat", min_count=1, context="sides")
    one, two = (Senses.learn(each, ["bank"]) for each in (counts, sides))
    assert np.array_equal(one.values, two.values)


def test_memory_is_asked_for_before_it_is_used(counts):
    with pytest.raises(BudgetError, match="lower threads"):
        Senses.learn(counts, ["bank"], resources=firth.Resources(memory="16M"))


def test_the_estimate_of_memory_has_room_for_the_senses(counts):
    one, every = np.array([0]), np.arange(len(counts.words))
    how = Splitting(clustering="nndsvd", k=4)
    senses = Senses.learn(counts, counts.words.words, clustering="nndsvd", k=4, min_support=2)
    more = memory(counts, every, 1, how) - memory(counts, one, 1, how)
    assert more >= senses.values.nbytes + senses.columns.nbytes


def test_a_word_that_was_not_divided(counts):
    senses = Senses.learn(counts, ["bank"])
    with pytest.raises(UnknownWord, match="'a1' was not divided"):
        senses.rows_of("a1")
    with pytest.raises(UnknownWord, match="'bnak' is not a word"):
        senses.induce("bnak", "a1")
    assert "a1" not in senses


def test_points_that_are_alike_are_grouped():
    generator = np.random.default_rng(0)
    centres = np.eye(4)[:3]
    labels = np.repeat(np.arange(3), 20)
    points = centres[labels] + 0.1 * generator.standard_normal((60, 4))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    weights = generator.random(60) + 0.5
    found = grouped(points, weights, 3)
    pairs = {*zip(labels.tolist(), found.labels.tolist(), strict=True)}
    assert len(pairs) == 3
    assert found.agreement < 0.3
    assert number_of(points, weights, 10) == 3
    assert number_of(points, weights, 2) == 2


def test_a_context_without_a_point_is_shared_equally():
    points = points_of(Leading(np.eye(3), np.ones(2), np.array([[1.0, 0], [0, 1], [0, 0]])))
    found = grouped(points, np.ones(3), 2).memberships(points, 2)
    assert found[:, 2].tolist() == [0.5, 0.5]
    assert found.sum(axis=0).tolist() == [1, 1, 1]


def test_contexts_without_a_point_make_no_group():
    """Heavy contexts of which nothing is known do not become senses, nor raise their number."""
    points = np.zeros((80, 3))
    points[:30, 0] = points[30:60, 1] = 1
    weights = np.where(points.any(axis=1), 1.0, 5.0)
    assert number_of(points, weights, 8) == 2
    found = grouped(points, weights, 2)
    assert {*found.labels[:30].tolist()}.isdisjoint(found.labels[30:60].tolist())
    assert number_of(np.zeros((80, 3)), np.ones(80), 8) == 2


@pytest.mark.parametrize("clustering", ["spectral", "nndsvd", "nmf"])
@pytest.mark.parametrize("contexts", [30, 150])
def test_contexts_that_never_meet_tell_nothing_apart(clustering, contexts):
    counts = firth.count([f"hub x{n}" for n in range(contexts)], min_count=1)
    senses = Senses.learn(counts, ["hub"], clustering=clustering)
    assert senses.shares("hub").tolist() == pytest.approx([0.5, 0.5], abs=1e-6)
