"""The store of a tree: nothing is lost, the same bytes every time, damaged ones are refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.clusters_drawn import trees

import firth
from firth.clusters.paths import from_text, to_text
from firth.errors import FirthError, StoreError
from firth.stores.arrays import write_array

STORES = Path(__file__).parent / "stores"
FILES = ("meta.json", "words.tsv", "merges.npy", "costs.npy")


def same(a, b):
    """All that a tree can be asked is the same, not only what the store holds."""
    assert a.words == b.words
    assert np.array_equal(a.merges, b.merges)
    assert np.array_equal(a.costs, b.costs)
    assert (a.clusters, a.recipe, a.given) == (b.clusters, b.recipe, b.given)
    assert a.paths() == b.paths()
    for clusters in range(1, len(a) + 1):
        assert np.array_equal(a.cut(clusters), b.cut(clusters))
    for costs in (False, True):
        assert np.array_equal(a.to_linkage(costs), b.to_linkage(costs))


@given(trees(), st.booleans())
@settings(max_examples=60)
def test_any_tree_comes_back(tmp_path_factory, tree, as_paths):
    if as_paths:
        tree = from_text(to_text(tree), "paths")
    folder = tmp_path_factory.mktemp("trees")
    tree.save(folder / "tree")
    loaded = firth.Hierarchy.load(folder / "tree")
    same(loaded, tree)
    loaded.save(folder / "again")
    for file in (folder / "tree").iterdir():
        assert (folder / "again" / file.name).read_bytes() == file.read_bytes()


def methods():
    counts = firth.count(
        [" ".join(f"w{(i * j) % 23}" for j in range(1, 12)) for i in range(1, 60)],
        window=2, context="positional", weighting="flat", min_count=1,
    )  # fmt: skip
    flat = firth.count(["a b c a", "c d a e"] * 3, window=2, min_count=1)
    return {
        "spectral": firth.clusters.SpectralClusters(clusters=6).fit(counts),
        "brown": firth.clusters.BrownClusters(clusters=6).fit(counts),
        "ward": firth.Hierarchy.from_space(firth.methods.PPMI(dim=3).fit(flat), 3),
    }


@pytest.mark.parametrize("method", ["spectral", "brown", "ward"])
def test_the_tree_of_each_method_comes_back(tmp_path, store_bytes, method):
    tree = methods()[method]
    assert tree.recipe["method"]["name"] == method
    tree.save(tmp_path / "tree")
    loaded = firth.Hierarchy.load(tmp_path / "tree")
    same(loaded, tree)
    loaded.save(tmp_path / "tree", force=True)  # over the files that it is mapped from
    again = firth.Hierarchy.load(tmp_path / "tree")
    same(again, tree)
    tree.save(tmp_path / "other")
    assert store_bytes(tmp_path / "other") == store_bytes(tmp_path / "tree")


def test_a_paths_file_forgets_what_a_store_keeps(tmp_path):
    """The reason for the store: a cut above the clusters depends on the order of the merges."""
    tree = methods()["brown"]
    tree.save(tmp_path / "tree")
    tree.write_paths(tmp_path / "paths")
    store, file = (firth.Hierarchy.load(tmp_path / name) for name in ("tree", "paths"))
    assert not np.array_equal(file.costs, tree.costs)
    assert any(not np.array_equal(file.cut(k), tree.cut(k)) for k in range(1, len(tree)))
    same(store, tree)


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "a\rb", "\\n", "🌹"])
def test_a_store_takes_words_that_a_paths_file_cannot(tmp_path, word):
    tree = firth.Hierarchy(firth.Vocabulary([word, "x"], [2, 1]), np.array([[0, 1]]),
                           np.zeros(1), 2)  # fmt: skip
    tree.save(tmp_path / "tree")
    same(firth.Hierarchy.load(tmp_path / "tree"), tree)


@pytest.mark.parametrize(
    ("costs", "recipe", "word", "message"),
    [
        (np.nan, {}, "a", "the cost of merge 0 is not finite: nothing was written"),
        (1.0, {"gamma": float("nan")}, "a", "the recipe cannot be written as JSON"),
        (1.0, {"gamma": {1, 2}}, "a", "the recipe cannot be written as JSON"),
        (1.0, {}, "a\udc80", "half a character"),
    ],
)
def test_what_cannot_be_written(tmp_path, costs, recipe, word, message):
    words = firth.Vocabulary([word, "b"], [2, 1])
    tree = firth.Hierarchy(words, np.array([[0, 1]]), np.array([costs]), 1, recipe)
    with pytest.raises(FirthError, match=message):
        tree.save(tmp_path / "tree")
    assert not list(tmp_path.iterdir())


def test_what_stands_in_the_way_stays(tmp_path):
    tree = methods()["brown"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "paths").write_text("0\ta\t1\n")
    firth.count(["a b"], min_count=1).save(tmp_path / "counts")
    for name in ("folder", "paths", "counts"):
        with pytest.raises(StoreError, match="exists and is not a store of clusters"):
            tree.save(tmp_path / name, force=True)
    tree.save(tmp_path / "tree")
    with pytest.raises(StoreError, match="exists: choose another name, or replace it with force="):
        tree.save(tmp_path / "tree")
    (tmp_path / "tree" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="holds more than"):
        tree.save(tmp_path / "tree", force=True)
    with pytest.raises(StoreError, match="no such folder"):
        tree.save(tmp_path / "nowhere" / "tree")
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "paths", "counts", "tree"}


# --- stores of this version -----------------------------------------------------------------------


def test_a_store_of_version_1_loads_for_ever(tmp_path, store_bytes):
    tree = firth.load(STORES / "v1")
    assert tree.words.words == ("rose", "a", "is", "naïve\tword", "𐐷")
    assert tree.words.frequencies.tolist() == [4, 3, 3, 1, 1]
    assert tree.merges.tolist() == [[1, 2], [3, 4], [0, 6], [5, 7]]
    assert tree.costs.tolist() == [0.125, -1e-17, 0.75, 2.5]
    assert (tree.clusters, tree.given) == (3, None)
    assert tree.recipe == {
        "method": {"name": "brown", "clusters": 3, "note": "naïve"},
        "gamma": 1.5, "largest_residual": None, "converged": True,
    }  # fmt: skip
    assert tree.paths() == {"rose": "10", "a": "0", "is": "0", "naïve\tword": "11", "𐐷": "11"}
    assert tree.cut(2).tolist() == [0, 1, 1, 0, 0]
    assert tree.to_linkage(costs=True)[:, 2].tolist() == [0.125, 0.125, 0.75, 2.5]
    tree.save(tmp_path / "tree")  # of this version, as long as there is no later one
    assert store_bytes(tmp_path / "tree") == store_bytes(STORES / "v1")


def test_a_store_of_given_paths_of_version_1_loads_for_ever(tmp_path, store_bytes):
    tree = firth.load(STORES / "v1-paths")
    assert tree.given == ("000", "10", "10", "001")
    assert tree.words.words == ("rose", "a", "is", "thorn")
    assert tree.merges.tolist() == [[1, 2], [0, 3], [5, 4]]
    assert (tree.clusters, tree.recipe) == (3, {"method": {"name": "paths"}})
    assert tree.cut(2).tolist() == [0, 1, 1, 0]
    assert to_text(tree) == "000\trose\t4\n001\tthorn\t1\n10\ta\t3\n10\tis\t3\n"
    tree.save(tmp_path / "tree")
    assert store_bytes(tmp_path / "tree") == store_bytes(STORES / "v1-paths")


# --- damaged and hostile stores -------------------------------------------------------------------


@pytest.fixture(params=["v1", "v1-paths"])
def store(request, tmp_path):
    shutil.copytree(STORES / request.param, tmp_path / "tree")
    return tmp_path / "tree"


def use(path):
    tree = firth.Hierarchy.load(path)
    repr(tree)
    for clusters in range(1, len(tree) + 1):
        tree.cut(clusters)
    tree.to_linkage(costs=True)
    _ = tree.members
    to_text(tree) if not any("\t" in word for word in tree.words) else None
    json.dumps(tree.recipe, allow_nan=False)
    return tree


def refused(path):
    with pytest.raises(StoreError) as caught:
        use(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("name", FILES)
def test_torn_and_missing_files(store, name):
    whole = (store / name).read_bytes()
    for content in (b"", whole[:-2], whole[: len(whole) // 2], whole + b"x", bytes(len(whole))):
        (store / name).write_bytes(content)
        refused(store)
    (store / name).unlink()
    refused(store)
    (store / name).mkdir()
    refused(store)


@pytest.mark.parametrize(
    "merges",
    [
        [[1, 2], [3, 4], [0, 6], [5, 8]],  # a node that is its own child
        [[1, 2], [3, 4], [0, 8], [5, 7]],  # a cycle of two
        [[1, 2], [3, 4], [0, 6], [5, 5]],
        [[1, 2], [3, 4], [0, -1], [5, 7]],
        [[1, 2], [3, 4], [0, 2**62], [5, 7]],
        [[-(2**63), 2], [3, 4], [0, 6], [5, 7]],
    ],
)
def test_merges_that_are_no_tree(tmp_path, merges):
    shutil.copytree(STORES / "v1", tmp_path / "tree")
    write_array(tmp_path / "tree" / "merges.npy", np.array(merges, dtype="<i8"))
    refused(tmp_path / "tree")


@pytest.mark.parametrize("shape", [(4,), (2, 4), (3, 2), (5, 2), (4, 2, 1)])
def test_arrays_of_another_shape_or_type(tmp_path, shape):
    path = tmp_path / "tree"
    shutil.copytree(STORES / "v1", path)
    write_array(path / "merges.npy", np.zeros(shape, dtype="<i8"))
    refused(path)
    write_array(path / "merges.npy", np.load(STORES / "v1" / "merges.npy").astype("<i4"))
    refused(path)


@pytest.mark.parametrize("cost", [np.nan, np.inf, -np.inf])
def test_costs_that_are_not_finite(store, cost):
    costs = np.load(store / "costs.npy")
    costs[1] = cost
    write_array(store / "costs.npy", costs)
    with pytest.raises(StoreError, match="not all costs are finite: the store is damaged"):
        use(store)


WRONG = ["", "x", -1, 0, 10**30, 1.5, [], {}, [1], None, True, float("nan"), {"method": 1}]


@pytest.mark.parametrize("entry", ["format", "version", "words", "clusters", "given", "recipe"])
@pytest.mark.parametrize("value", [*WRONG, "absent"], ids=repr)
def test_descriptions_with_a_wrong_entry(store, entry, value):
    meta = json.loads((store / "meta.json").read_text())
    has_paths = meta["given"]
    if value == "absent":
        del meta[entry]
    else:
        meta[entry] = value
    (store / "meta.json").write_text(json.dumps(meta))
    if (entry, value) == ("recipe", {}) or (entry == "given" and value is has_paths):
        use(store)
    else:
        refused(store)


@pytest.mark.parametrize(
    ("version", "message"),
    [(2, "version 2 of the format; this firth reads 1"), ("1", "version '1'")],
)
def test_other_versions_are_refused_by_name(store, version, message):
    meta = json.loads((store / "meta.json").read_text())
    (store / "meta.json").write_text(json.dumps({**meta, "version": version}))
    with pytest.raises(StoreError, match=message):
        use(store)


@pytest.mark.parametrize(
    "lines",
    ["", "000\n10\n10\n", "000\n10\n10\n001", "000\n10\n10\n00\n", "000\n10\n10\n0x1\n",
     "000\n10\n11\n001\n", "000\n10\n10\n000\n", "000\n001\n10\n10\n", "000\n10\n10\n001\n\n"],
)  # fmt: skip
def test_given_paths_that_do_not_fit(tmp_path, lines):
    shutil.copytree(STORES / "v1-paths", tmp_path / "tree")
    (tmp_path / "tree" / "paths.txt").write_text(lines)
    refused(tmp_path / "tree")


def test_a_description_that_is_too_large_is_not_read(tmp_path):
    shutil.copytree(STORES / "v1", tmp_path / "tree")
    with open(tmp_path / "tree" / "meta.json", "r+b") as file:
        file.truncate(1 << 40)  # a hole: it takes no room
    for read in (firth.Hierarchy.load, firth.load):
        with pytest.raises(StoreError, match="too large to be a description"):
            read(tmp_path / "tree")


@given(data=st.data())
@settings(max_examples=150)
def test_damaged_bytes_are_refused_or_harmless(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damaged") / "tree"
    shutil.copytree(STORES / data.draw(st.sampled_from(["v1", "v1-paths"])), path)
    name = data.draw(st.sampled_from(sorted(file.name for file in path.iterdir())))
    content = bytearray((path / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (path / name).write_bytes(content)
    try:
        use(path)
    except StoreError as error:
        assert str(error).startswith(str(path))
