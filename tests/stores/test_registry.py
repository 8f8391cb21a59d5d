"""One `firth.load` and one `firth info` for every kind of store and file."""

import sys
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

import firth
from firth.cli import group
from firth.errors import StoreError
from firth.space.formats import FORMATS, VectorTable, write_vectors
from firth.stores import registry
from firth.stores.describing import Description, recipe_line
from firth.stores.kinds import META, Kind, read_text
from firth.stores.workspace import write_folder
from firth.stores.writing import write_whole

WORDS = ("rose", "is", "a")
VECTORS = np.array([[1, 0.5], [-2, 3], [0, 1]], dtype=np.float32)


def counts():
    return firth.count(["a rose is a rose"], min_count=1, window=2)


def test_a_store_is_what_its_folder_says(tmp_path):
    counted = counts()
    counted.save(tmp_path / "counts")
    space = firth.methods.PPMI(dim=2).fit(counted)
    space.save(tmp_path / "space")
    tree = firth.Hierarchy.from_space(space, 2)
    tree.save(tmp_path / "tree")
    tree.write_paths(tmp_path / "paths")
    found = {path.name: firth.load(path) for path in tmp_path.iterdir()}
    assert found["counts"].equals(counted)
    assert np.array_equal(found["space"].vectors, space.vectors)
    assert np.array_equal(found["tree"].merges, tree.merges)
    assert found["paths"].paths() == tree.paths()
    assert firth.load(str(tmp_path / "counts")).equals(counted)
    kinds = {path.name: registry.describe(path).content["kind"] for path in tmp_path.iterdir()}
    assert kinds == {"counts": "counts", "space": "space", "tree": "clusters", "paths": "clusters"}


@pytest.mark.parametrize("kind", [name for name in FORMATS if name != "gensim"])
def test_vectors_of_every_format_are_a_space(tmp_path, kind):
    path = tmp_path / ("vectors.vec" if kind == "fasttext" else "vectors")
    write_vectors(VectorTable(WORDS, VECTORS), path, kind)
    space = firth.load(path)
    assert isinstance(space, firth.Space)
    assert space.words.words == WORDS
    assert space.vectors.tolist() == VECTORS.tolist()
    assert space.recipe == {"method": {"name": "imported"}, "format": kind}
    assert registry.describe(path).content["format"] == kind


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere", None, "no such store or file: check the name"),
        ("empty", {}, "not a firth store (a folder with a meta.json), a paths file of clusters or "
         "a file of vectors: a folder without vectors.safetensors or "),
        ("text", "the cat sat\n", "a file of vectors: line 1 is not a word and numbers"),
        ("pickle", b"\x80\x04K\x01.", "a file of vectors: a pickle, which firth never loads"),
        ("other", {META: '{"format": "theirs"}'}, "names the format 'theirs' where firth-counts, "
         "firth-space, firth-hierarchy or firth-senses was expected: install a newer firth, or "
         "make one with firth count, firth fit, firth cluster or firth senses"),
        ("long", {META: '{"format": "' + "x" * 999 + '"}'}, "'" + "x" * 39 + " where firth-counts"),
        ("nameless", {META: '{"version": 1}'}, "its meta.json names no format where"),
        ("list", {META: "[]"}, "its meta.json names no format where"),
        ("json", {META: "{"}, "meta.json: not JSON"),
        ("deep", {META: "[" * 100_000}, "meta.json: not JSON"),
        ("bytes", {META: b"\xff"}, "meta.json: not JSON"),
        ("later", {META: '{"format": "firth-hierarchy", "version": 2}'},
         "version 2 of the format; this firth reads 1: install a newer firth, or run firth "),
    ],
)  # fmt: skip
def test_anything_else_is_one_line_that_says_what_was_found(tmp_path, name, content, message):
    path = tmp_path / name
    files = content if isinstance(content, dict) else {}
    if isinstance(content, dict):
        path.mkdir()
    elif content is not None:
        files = {"": content}
    for file, text in files.items():
        place = path / file if file else path
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    for ask in (firth.load, registry.describe):
        with pytest.raises(StoreError) as caught:
            ask(path)
        assert str(caught.value).startswith(str(path))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_kind_is_added_by_one_line(tmp_path, monkeypatch):
    """A module with a kind, load and describe; load and info then know it."""
    toy = ModuleType("toy_store")
    toy.KIND = Kind("firth-toy", "toys", "firth toy", frozenset({META, "toy.txt"}))

    def save(text, path, *, force=False):
        toy.KIND.check_output(path, force)
        with write_folder(path, toy.KIND.files, force=force) as folder:
            write_whole(folder / "toy.txt", text)
            toy.KIND.write_meta(folder, {"length": len(text)})

    def load(path):
        assert toy.KIND.read_meta(path)["length"]
        return read_text(path / "toy.txt")

    toy.load = load
    toy.describe = lambda path: Description(
        "Toy", [("letters", str(len(load(path))))], [recipe_line("recipe", {"name": "x"})],
        {"kind": "toy"},
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "toy_store", toy)
    monkeypatch.setitem(registry.FOLDERS, "firth-toy", "toy_store")

    save("bear", tmp_path / "toy")
    assert firth.load(tmp_path / "toy") == "bear"
    shown = CliRunner().invoke(group, ["info", str(tmp_path / "toy")])
    assert shown.output == "Toy\nletters  4\nrecipe: name=x\n"
    save("doll", tmp_path / "toy", force=True)
    assert firth.load(tmp_path / "toy") == "doll"
    with pytest.raises(StoreError, match="not a store of toys: make one with firth toy"):
        counts().save(tmp_path / "counts")
        load(tmp_path / "counts")
    with pytest.raises(StoreError, match="exists and is not a store of counts"):
        counts().save(tmp_path / "toy", force=True)


def test_info_imports_only_what_it_needs(tmp_path):
    """The registry is below what it loads: it names modules, and imports none of them."""
    import subprocess

    counts().save(tmp_path / "counts")
    script = (
        "import sys; import firth; firth.load(sys.argv[1]); "
        "print([m for m in sys.modules if m.startswith(('firth.space', 'firth.clusters'))])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "counts")], check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout == "[]\n"
