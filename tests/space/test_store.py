"""The store of a space: what was saved comes back, the same bytes every time, hostile ones not."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.errors import FirthError, StoreError
from firth.resources import Resources
from firth.space.association_store import StoredAssociation
from firth.space.space import Space
from firth.space.store import load_checked
from firth.text.vocabulary import Vocabulary

STORES = Path(__file__).parent / "stores"
LINES = [" ".join(f"w{(i * j) % 13}" for j in range(1, 9)) for i in range(1, 40)]


def fitted(context="symmetric", **settings_):
    counts = firth.count(
        LINES, min_count=1, window=2, context=context, resources=Resources(threads=1)
    )
    return firth.methods.PPMI(dim=4).fit(counts, resources=Resources(threads=1), **settings_)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("spaces") / "space"
    fitted().save(path)
    return path


def same(a, b):
    assert a.words == b.words
    assert a.contexts == b.contexts
    assert a.recipe == b.recipe
    assert np.array_equal(a.vectors, b.vectors)
    for part in ("factors", "association"):
        ours, theirs = getattr(a, part), getattr(b, part)
        assert (ours is None) == (theirs is None)
        if ours is not None and part == "association":
            ours, theirs = (
                side.to_association() if isinstance(side, StoredAssociation) else side
                for side in (ours, theirs)
            )
        for name, value in vars(ours).items() if ours is not None else ():
            other = getattr(theirs, name)
            equal = (
                np.array_equal(value, other) if isinstance(value, np.ndarray) else value == other
            )
            assert equal, name


@pytest.mark.parametrize("context", ["symmetric", "right", "positional"])
@pytest.mark.parametrize("association", [True, False])
def test_what_was_saved_comes_back(tmp_path, context, association):
    space = fitted(context, association=association)
    space.save(tmp_path / "space")
    back = load_checked(tmp_path / "space")
    same(back, space)
    assert back.most_similar("w3") == space.most_similar("w3")
    if association:
        assert back.why("w3", "w5") == space.why("w3", "w5")
        assert str(back.why("w1", "w2")) == str(space.why("w1", "w2"))


def test_a_store_keeps_biases(tmp_path, store_bytes):
    space = load_checked(STORES / "fitted-v4-biases")
    model = (space.factors.left * space.factors.values) @ space.factors.right.T
    own, other = space.factors.biases
    assert (len(own), len(other)) == model.shape
    counted = np.exp(model + own[:, None] + other)[space.words["the"], space.words["cat"]]
    assert counted == pytest.approx(6, abs=0.01)  # the model fits the few counts
    space.save(tmp_path / "same")
    assert store_bytes(tmp_path / "same") == store_bytes(STORES / "fitted-v4-biases")
    damaged = (tmp_path / "same" / "biases.npy").read_bytes()
    (tmp_path / "same" / "biases.npy").write_bytes(damaged[:-8] + np.float64(np.nan).tobytes())
    with pytest.raises(StoreError, match="a bias is not a number: the store is damaged"):
        Space.load(tmp_path / "same")


def test_odd_words_and_a_space_without_a_method_come_back(tmp_path):
    words = ["a\tb", "\\n", "new\nline", "naïve", "\u2028", " ", "🌹"]
    vectors = np.arange(14, dtype=np.float32).reshape(7, 2)
    space = Space(Vocabulary.unchecked(words, [0] * 7), vectors)
    space.save(tmp_path / "space")
    same(Space.load(tmp_path / "space"), space)
    assert sorted(file.name for file in (tmp_path / "space").iterdir()) == [
        "meta.json", "vectors.npy", "words.tsv",
    ]  # fmt: skip


def test_stores_of_every_version_load_for_ever(tmp_path, store_bytes):
    versions = [load_checked(STORES / name) for name in ("fitted-v1", "fitted-v2")]
    for space in versions:
        assert space.words.words[:4] == ("the", "cat", "dog", "a")
        assert space.words.frequencies[:4].tolist() == [6, 3, 3, 2]
        assert space.recipe["method"]["name"] == "default"
        assert space.association.nnz == 65
        same(space, versions[0])
        assert space.why("cat", "dog") == versions[0].why("cat", "dog")
    versions[1].save(tmp_path / "same")
    assert store_bytes(tmp_path / "same") == store_bytes(STORES / "fitted-v2")
    versions[0].save(tmp_path / "again")
    assert Space.load(tmp_path / "again").why("cat", "dog") == versions[0].why("cat", "dog")


def test_arrays_are_mapped(saved):
    space = Space.load(saved)
    assert not space.vectors.flags.writeable
    assert isinstance(space.vectors.base, np.memmap)
    assert isinstance(space.association.values.base, np.memmap)


def test_the_same_space_gives_the_same_bytes(tmp_path, saved, store_bytes):
    fitted().save(tmp_path / "again")
    assert store_bytes(tmp_path / "again") == store_bytes(saved)
    Space.load(saved).save(tmp_path / "copy")
    assert store_bytes(tmp_path / "copy") == store_bytes(saved)


def test_what_stands_in_the_way_stays(tmp_path, saved, store_bytes):
    space = Space.load(saved)
    counts = tmp_path / "counts"
    firth.count(LINES, min_count=1).save(counts)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(saved)
    for name in ("counts", "folder", "file", "link"):
        for force in (False, True):
            with pytest.raises(StoreError, match="exists and is not a store of vectors"):
                space.save(tmp_path / name, force=force)
    space.save(tmp_path / "space")
    (tmp_path / "space" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="holds more than"):
        space.save(tmp_path / "space", force=True)
    (tmp_path / "space" / "notes.txt").unlink()
    with pytest.raises(StoreError, match="replace it with force=True"):
        space.save(tmp_path / "space")
    space.recombine(beta=1.0).save(tmp_path / "space", force=True)
    assert Space.load(tmp_path / "space").factors.beta == 1.0
    with pytest.raises(StoreError, match="cannot be written"):
        space.save(tmp_path / "nowhere" / "space")
    assert not list(tmp_path.glob("*.writing"))
    firth.Counts.load(counts)


def test_nothing_that_is_not_finite_is_written(tmp_path):
    vectors = np.array([[1, 0], [np.inf, 0]], dtype=np.float32)
    space = Space(Vocabulary(["a", "b"], [2, 1]), vectors)
    with pytest.raises(FirthError, match="the vector of 'b' is not finite: nothing was written"):
        space.save(tmp_path / "space")
    assert not (tmp_path / "space").exists()


def damage(saved, tmp_path):
    path = tmp_path / "damaged"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(saved, path)
    return path


def ask(path):
    """Everything that can be asked of a store; all it may do is raise a FirthError."""
    try:
        space = Space.load(path)
        repr(space)
        space.most_similar(0)
        space.most_similar_batch([0, 1])
        space.why(space.index_to_key[0], space.index_to_key[1])
        space.recombine(beta=0.5, combine="sum")
        load_checked(path)
    except FirthError:
        return False
    return True


def test_an_undamaged_store_answers(saved):
    assert ask(saved)


@pytest.mark.parametrize("name", [
    "meta.json", "words.tsv", "vectors.npy", "left.npy", "right.npy", "spectrum.npy",
    "association_starts.npy", "association_columns.npy", "association_values.npy",
    "background.npy",
])  # fmt: skip
def test_a_store_that_is_torn_or_incomplete(saved, tmp_path, name):
    path = damage(saved, tmp_path)
    whole = (path / name).read_bytes()
    for content in (b"", whole[:-2], whole[: len(whole) // 2], whole + b"x", bytes(len(whole))):
        (path / name).write_bytes(content)
        with pytest.raises(StoreError):
            Space.load(path)
    (path / name).unlink()
    with pytest.raises(StoreError):
        Space.load(path)
    (path / name).mkdir()
    with pytest.raises(StoreError):
        Space.load(path)


def test_a_store_of_version_1_loads_for_ever(tmp_path):
    """Every array has its numbers and every entry of the recipe; all are exact in float32."""
    space = firth.load(STORES / "v1")
    assert space.words.words == ("rose", "a", "is", "naïve\tword", "𐐷")
    assert space.words.frequencies.tolist() == [4, 3, 3, 1, 1]
    assert space.contexts.words == ("rose", "a", "is")
    assert space.vectors.tolist() == [
        [0.5, -1], [0.25, 0], [float(np.float32(1e-30)), 3], [0, 0], [-2, 0.125]
    ]  # fmt: skip
    assert space.vectors.dtype == np.float32
    assert space.factors.left.tolist() == (np.arange(10).reshape(5, 2) / 8 - 0.5).tolist()
    assert space.factors.values.tolist() == [2.5, 0.625]
    assert space.factors.right.tolist() == [[0.5, -0.25], [1, 0], [-0.125, 2]]
    assert space.factors.settings() == {"beta": 0.5, "combine": "words", "weight": 1.0}
    assert space.association.to_scipy().toarray().tolist() == [
        [1.5, 0, 0.25], [0, 2, 0], [0.125, 3, 0], [0, 0, 0], [0, 0, 0.5]
    ]  # fmt: skip
    assert space.recipe == {
        "method": {"name": "ppmi", "dim": 2},
        "combining": space.factors.settings(),
        "counts": {"window": 2},
    }
    found = dict(space.most_similar("rose"))
    cosine = -(1 + 0.125) / np.sqrt(1.25 * (4 + 1 / 64))
    assert found == pytest.approx(
        {"a": np.sqrt(0.2), "is": -np.sqrt(0.8), "naïve\tword": 0, "𐐷": cosine}, abs=1e-7
    )
    space.save(tmp_path / "space")  # in the version that is written now
    same(firth.load(tmp_path / "space"), space)


# -1, 0, infinity, NaN, the largest int, 1
CELLS = "ffffffff 00000000 0000807f 0000c07f ffffff7f 01000000"


@given(st.data())
@settings(max_examples=200)
def test_damaged_arrays_give_an_answer_or_an_error_of_ours(saved, tmp_path, data):
    path = damage(saved, tmp_path)
    name = data.draw(st.sampled_from(sorted(file.name for file in saved.glob("*.npy"))))
    content = bytearray((path / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) // 4 - 1)) * 4
        content[place : place + 4] = bytes.fromhex(data.draw(st.sampled_from(CELLS.split())))
    (path / name).write_bytes(content)
    with np.errstate(all="ignore"):
        ask(path)


PLAIN = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.sampled_from([0, 4, 13, -1, 10**400]),
        st.floats(), st.text(max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)  # fmt: skip


@given(st.data())
@settings(max_examples=200)
def test_a_damaged_description_gives_an_answer_or_an_error_of_ours(saved, tmp_path, data):
    path = damage(saved, tmp_path)
    meta = json.loads((saved / "meta.json").read_text())
    inside = data.draw(st.sampled_from([meta, meta["factors"], meta["association"],
                                        meta["recipe"]]))  # fmt: skip
    key = data.draw(st.sampled_from(sorted(inside)))
    if data.draw(st.booleans()):
        inside[key] = data.draw(PLAIN)
    else:
        del inside[key]
    (path / "meta.json").write_text(json.dumps(meta))
    with np.errstate(all="ignore"):
        ask(path)


def test_a_store_of_another_kind_says_so(tmp_path, saved):
    firth.count(LINES, min_count=1).save(tmp_path / "counts")
    with pytest.raises(StoreError, match="not a store of vectors: make one with firth fit"):
        Space.load(tmp_path / "counts")
    with pytest.raises(StoreError, match="not a store of counts: make one with firth count"):
        firth.Counts.load(saved)
    with pytest.raises(StoreError, match="no such store: make it with firth fit"):
        Space.load(tmp_path / "nowhere")


def test_a_checked_store_has_no_bad_cell(saved, tmp_path):
    path = damage(saved, tmp_path)
    content = bytearray((path / "association_columns.npy").read_bytes())
    content[-4:] = b"\xff\xff\xff\x7f"
    (path / "association_columns.npy").write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        load_checked(path)
