"""The store of senses, and the spaces that have them."""

import json
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.errors import FirthError, StoreError
from firth.senses import Senses
from firth.senses.embedding import association
from firth.senses.learning import ppmi
from firth.senses.store import FILES, load_checked
from firth.stores import registry
from firth.stores.arrays import write_array


@pytest.fixture(scope="module")
def senses(counts):
    return Senses.learn(counts, ["bank", "a1"], k=2)


def same(a, b):
    assert a.words == b.words
    assert a.recipe == b.recipe
    for name in ("places", "first", "starts", "columns", "values"):
        assert np.array_equal(getattr(a, name), getattr(b, name))


def test_senses_come_back(senses, tmp_path, store_bytes):
    senses.save(tmp_path / "senses")
    loaded = Senses.load(tmp_path / "senses")
    same(loaded, senses)
    same(firth.load(tmp_path / "senses"), senses)
    loaded.save(tmp_path / "again")
    assert store_bytes(tmp_path / "again") == store_bytes(tmp_path / "senses")
    assert {path.name for path in (tmp_path / "senses").iterdir()} == FILES
    sentence = "a1 a2 b3"
    assert loaded.induce("bank", sentence) == senses.induce("bank", sentence)


def test_a_stored_version_can_be_read_and_written_again(tmp_path, store_bytes):
    stored = Path(__file__).parent / "stores" / "learnt-v1"
    senses = load_checked(stored)
    assert [sense.name for sense in senses.of("bank")] == ["bank_1", "bank_2"]
    assert senses.induce("bank", "they swim in the river by the bank").best == "bank_1"
    senses.save(tmp_path / "same")
    assert store_bytes(tmp_path / "same") == store_bytes(stored)


def test_a_store_is_described(senses, tmp_path):
    senses.save(tmp_path / "senses")
    found = registry.describe(tmp_path / "senses")
    assert (found.content["kind"], found.content["senses"]) == ("senses", 4)
    assert found.title == "Senses(2 words × 2.0 senses; spectral)"


def test_an_earlier_store_is_replaced_only_if_asked_for(senses, tmp_path, counts):
    senses.save(tmp_path / "senses")
    with pytest.raises(StoreError, match="exists"):
        senses.save(tmp_path / "senses")
    senses.save(tmp_path / "senses", force=True)
    counts.save(tmp_path / "counts")
    with pytest.raises(StoreError, match="not a store of senses"):
        senses.save(tmp_path / "counts", force=True)


DAMAGE = {
    "places.npy": lambda a: a[::-1].copy(),
    "first.npy": lambda a: a - 1,
    "starts.npy": lambda a: np.concatenate([a[:1], a[:-1]]),
    "columns.npy": lambda a: a + 10_000,
    "values.npy": lambda a: a * np.float32("nan"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_arrays_are_refused(senses, tmp_path, name):
    senses.save(tmp_path / "senses")
    array = np.load(tmp_path / "senses" / name)
    write_array(tmp_path / "senses" / name, DAMAGE[name](array))
    with pytest.raises(StoreError, match="the store is damaged"):
        load_checked(tmp_path / "senses")


def test_contexts_out_of_order_are_refused(senses, tmp_path):
    senses.save(tmp_path / "senses")
    columns = np.load(tmp_path / "senses" / "columns.npy")
    columns[[0, 1]] = columns[[1, 0]]
    write_array(tmp_path / "senses" / "columns.npy", columns)
    with pytest.raises(StoreError, match="out of order"):
        load_checked(tmp_path / "senses")


@pytest.mark.parametrize(
    "change",
    [
        *({"words": 1}, {"senses": -1}, {"recipe": 3}, {"recipe": {}}, {"recipe": {"method": {}}}),
        {"recipe": {"method": {"alpha": 0.75}, "counts": "words"}},
    ],
)
def test_damaged_descriptions_are_refused(senses, tmp_path, change):
    senses.save(tmp_path / "senses")
    path = tmp_path / "senses" / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(StoreError, match="damaged"):
        Senses.load(tmp_path / "senses")


def test_a_store_without_senses_is_refused(senses, tmp_path):
    """Nothing is divided in it; `firth info` had no smallest number to show."""
    senses.save(tmp_path / "senses")
    path = tmp_path / "senses" / "meta.json"
    sizes = {"divided": 0, "senses": 0, "nonzeros": 0}
    path.write_text(json.dumps({**json.loads(path.read_text()), **sizes}))
    for name, size in (("places", 0), ("first", 1), ("starts", 1)):
        write_array(tmp_path / "senses" / f"{name}.npy", np.zeros(size, dtype="<i8"))
    write_array(tmp_path / "senses" / "columns.npy", np.zeros(0, dtype="<i4"))
    write_array(tmp_path / "senses" / "values.npy", np.zeros(0, dtype="<f4"))
    with pytest.raises(StoreError, match="the store is damaged"):
        registry.describe(tmp_path / "senses")


def test_missing_files_are_named(senses, tmp_path):
    senses.save(tmp_path / "senses")
    (tmp_path / "senses" / "values.npy").unlink()
    with pytest.raises(StoreError, match=r"values\.npy: missing"):
        Senses.load(tmp_path / "senses")


@pytest.mark.parametrize("keep", [True, False])
def test_rows_of_senses_add_up_to_the_rows_of_their_words(senses, counts, keep):
    matrix = association(senses, counts, keep_words=keep)
    dense, whole = matrix.to_dense(), ppmi(counts, 0.75, firth.Resources()).to_dense()
    names = matrix.words
    assert matrix.contexts == counts.words
    for word in ("bank", "a1"):
        total = dense[names[f"{word}_1"]] + dense[names[f"{word}_2"]]
        assert np.array_equal(
            total.astype(np.float32), whole[counts.words[word]].astype(np.float32)
        )
        assert (word in names) == keep
        assert abs(names.frequency(f"{word}_1") + names.frequency(f"{word}_2")
                   - counts.words.frequency(word)) <= 1  # fmt: skip
    assert np.array_equal(dense[names["b1"]], whole[counts.words["b1"]])


def test_vectors_of_senses_are_near_their_topics(senses, counts, tmp_path):
    space = senses.embed(counts, firth.methods.SVD(dim=4, beta=0.5))
    for sense in senses.of("bank"):
        topic = sense.contexts[0][0][0]
        near = [word for word, _ in space.most_similar(sense.name, topn=20)]
        assert all(word[0] == topic or word.startswith("bank") for word in near)
    space.save(tmp_path / "space")
    assert "bank_2" in firth.Space.load(tmp_path / "space")
    path = tmp_path / "vectors.txt"
    firth.write_vectors(space, path, "word2vec")
    again = firth.load(path)
    assert again["bank_1"] == pytest.approx(space["bank_1"], abs=1e-5)


def test_a_space_needs_a_method_that_takes_an_association(senses, counts):
    with pytest.raises(FirthError, match="does not take an association"):
        senses.embed(counts, firth.methods.EigenWord(dim=2))


def test_a_space_needs_the_counts_of_the_senses(senses, lines):
    other = firth.count(lines[:100], window=5, weighting="flat", min_count=1)
    with pytest.raises(FirthError, match="learnt from other counts"):
        senses.embed(other)
    with pytest.raises(FirthError, match="learnt from other counts"):
        senses.read("bank", counts=other)


def test_names_that_are_taken_are_refused():
    counts = firth.count(
        ["bank bank_1 money river", "bank loan bank_1"] * 5, min_count=1, tokenizer="whitespace"
    )
    senses = Senses.learn(counts, ["bank"], k=2, min_support=2)
    with pytest.raises(FirthError, match="'bank_1' is a word of the counts already"):
        senses.embed(counts)
