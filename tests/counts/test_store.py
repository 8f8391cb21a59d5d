"""The store: what is saved comes back; what is damaged or hostile is refused, never run."""

import json
import os
import pickle
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import firth
from firth import UNKNOWN, Mixed
from firth.counts.arrays import npy_header
from firth.errors import FirthError, StoreError

STORES = Path(__file__).parent / "stores"
FILES = ("meta.json", "words.tsv", "contexts.tsv", "starts.npy", "columns.npy", "values.npy")


# --- there and back -----------------------------------------------------------------------------

ODD = ["a\tb", "a\\tb", "\nx", "x\r\n", "\\", "new york", "x\u00a0y", "𐐷", "\u2028x", "é",
       "e\u0301"]  # fmt: skip
WORD = st.text(min_size=1).filter(str.strip)


@given(st.lists(st.one_of(WORD, st.sampled_from(ODD)), min_size=1, unique=True))
@settings(max_examples=40)
def test_any_words_are_saved_and_loaded(tmp_path_factory, words):
    matrix = np.arange(len(words) ** 2).reshape(len(words), len(words))
    counts = firth.Counts.from_scipy(matrix, words)
    path = tmp_path_factory.mktemp("store") / "counts"
    counts.save(path)
    loaded = firth.Counts.load(path)
    assert loaded.equals(counts)
    assert (loaded.recipe, loaded.ledger) == (counts.recipe, counts.ledger)
    assert set(loaded.words) == set(words)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"context": "positional", "weighting": "linear"},
        {"weighting": "harmonic", "window": 20},
        {"max_contexts": 2, "rare": "unk"},
        {"max_vocab": 1, "max_contexts": 3},
        {"vocab": ["b", "zebra"], "keep_above": 2},
        {"context": "sides"},
        {"context": "sides", "max_contexts": 2},
        {"subsample": 0.2, "seed": 3},
    ],
)
def test_counts_their_recipe_and_ledger_are_saved_and_loaded(tmp_path, options):
    counts = firth.count(["a b c a", "b a d"], min_count=1, **options)
    counts.save(tmp_path / "counts")
    loaded = firth.Counts.load(tmp_path / "counts")
    assert loaded.equals(counts)
    assert loaded.recipe == counts.recipe
    assert loaded.ledger == counts.ledger
    assert loaded.values.dtype == counts.values.dtype
    assert (loaded.symmetric, loaded.half) == (counts.symmetric, counts.half)


def test_a_matrix_without_counts_is_saved_and_loaded(tmp_path):
    counts = firth.count(["a", "b"], min_count=1)
    counts.save(tmp_path / "counts")
    assert firth.Counts.load(tmp_path / "counts").equals(counts)


def test_the_arrays_are_npy_files_that_numpy_reads(tmp_path):
    counts = firth.count(["a b c a"], min_count=1)
    counts.save(tmp_path / "counts")
    for name in ("starts", "columns", "values"):
        array = np.load(tmp_path / "counts" / f"{name}.npy", allow_pickle=False)
        assert np.array_equal(array, getattr(counts, name))


def test_saving_never_replaces_unasked_and_leaves_nothing_beside(tmp_path):
    one, other = firth.count(["a b"], min_count=1), firth.count(["a c"], min_count=1)
    one.save(tmp_path / "counts")
    with pytest.raises(StoreError, match="replace it with force=True"):
        other.save(tmp_path / "counts")
    other.save(tmp_path / "counts", force=True)
    assert firth.Counts.load(tmp_path / "counts").equals(other)
    (tmp_path / "thesis").write_text("years of work")
    with pytest.raises(StoreError, match="not a store of counts"):
        one.save(tmp_path / "thesis", force=True)
    (tmp_path / "link").symlink_to(tmp_path / "counts")
    with pytest.raises(StoreError, match="not a store of counts"):
        one.save(tmp_path / "link", force=True)
    assert {path.name for path in tmp_path.iterdir()} == {"counts", "thesis", "link"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_an_error(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(StoreError, match="may write to"):
            firth.count(["a b"], min_count=1).save(tmp_path / "counts")
    finally:
        tmp_path.chmod(stat.S_IRWXU)


# --- stores of old versions ---------------------------------------------------------------------


def test_a_store_of_version_1_loads_for_ever():
    counts = firth.Counts.load(STORES / "v1")
    assert counts.words.words == ("rose", "a", "is", "naïve\tword", "𐐷")
    assert counts.words.frequencies.tolist() == [4, 3, 3, 1, 1]
    assert counts.contexts.words == ("rose", "a", "is")
    assert (counts.denominator, counts.offsets) == (6, (-3, -2, -1, 1, 2, 3))
    assert counts.row("a") == [
        ("a-3", 2 / 3), ("rose-2", 1.0), ("is-1", 2.0), ("rose+1", 3.0), ("is+2", 1.0),
        ("a+3", 2 / 3),
    ]  # fmt: skip
    assert counts.total == 162
    assert counts.recipe.weighting == "harmonic"
    assert (counts.ledger.tokens, counts.ledger.kept, counts.ledger.lines) == (12, 12, 2)


def test_a_store_of_version_2_loads_for_ever():
    counts = firth.Counts.load(STORES / "v2")
    assert counts.words.words == ("a", "rose", "is")
    assert counts.words.frequencies.tolist() == [11, 11, 8]
    assert counts.row("rose") == [("a", 14.0), ("is", 11.0)]
    assert (counts.denominator, counts.total) == (2, 140)
    recipe = counts.recipe
    assert (recipe.window, recipe.context, recipe.source) == (2, "symmetric", "sum")
    assert recipe.min_count == Mixed((1, 2, UNKNOWN))
    assert recipe.max_vocab == Mixed((None, 3, UNKNOWN))
    assert recipe.cleaners == Mixed((("wikipedia",), (), UNKNOWN))
    assert counts.symmetric is None
    assert counts.is_symmetric


def test_a_store_of_version_3_loads_for_ever():
    counts = firth.Counts.load(STORES / "v3")
    assert counts.words.words == ("a", "rose", "is")
    assert counts.row("rose") == [("rose (left)", 1.0), ("rose (right)", 1.0), ("is (right)", 1.5)]
    assert (counts.half, len(counts.columns), counts.nnz) == (True, 5, 10)
    recipe, ledger = counts.recipe, counts.ledger
    assert (recipe.context, recipe.subsample, recipe.sampling_seed) == ("sides", 0.05, 5)
    assert (ledger.tokens, ledger.kept, ledger.subsampled) == (17, 17, 11)


@pytest.mark.parametrize(
    ("entry", "value"),
    [("half", None), ("half", 1), ("half", "left"), ("same_contexts", False),
     ("offsets", []), ("offsets", ["left"]), ("offsets", ["right", "left"]),
     ("offsets", ["left", 1]), ("offsets", [-1, 1])],
)  # fmt: skip
def test_sides_that_do_not_fit_their_arrays_are_refused(tmp_path, entry, value):
    path = tmp_path / "counts"
    shutil.copytree(STORES / "v3", path)
    shutil.copy(path / "words.tsv", path / "contexts.tsv")
    edit(path, entry, value=value)
    with pytest.raises(StoreError, match="damaged"):
        firth.Counts.load(path).csr()


def test_symmetry_in_version_1_follows_from_a_counted_text_alone(tmp_path):
    firth.count(["a b c"], min_count=1).save(tmp_path / "one")
    assert firth.Counts.load(tmp_path / "one").symmetric
    edit(tmp_path / "one", "recipe", "source", value="sum")
    assert firth.Counts.load(tmp_path / "one").symmetric is None
    assert firth.Counts.load(STORES / "v1").symmetric is None


@pytest.mark.parametrize("value", ["absent", 0, 1, "true", [], {}])
def test_a_store_of_version_2_says_whether_it_is_symmetric(tmp_path, value):
    path = tmp_path / "counts"
    shutil.copytree(STORES / "v2", path)
    edit(path, "symmetric", value=None if value == "absent" else value)
    with pytest.raises(StoreError, match=r"meta\.json: .*damaged"):
        firth.Counts.load(path)


# --- hostile stores -----------------------------------------------------------------------------


class Bomb:
    """Something that must never be unpickled."""

    def __reduce__(self):
        return (pytest.exit, ("a store was unpickled",))


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "counts"
    shutil.copytree(STORES / "v1", path)
    return path


def use(path):
    """Load a store and look at everything in it."""
    counts = firth.Counts.load(path)
    counts.csr()
    repr(counts)
    counts.ledger.entries()
    for word in counts.words:
        counts.row(word)
    counts.to_scipy()
    counts + counts
    return counts


def refused(path):
    with pytest.raises(FirthError) as caught:
        use(path)
    assert str(caught.value)


def test_the_fixture_is_sound_before_it_is_damaged(store):
    assert set(FILES) == {path.name for path in store.iterdir()}
    assert use(store).nnz > 0


@pytest.mark.parametrize("name", FILES)
def test_missing_files_are_refused(store, name):
    (store / name).unlink()
    refused(store)


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_folders_are_refused(store, name):
    (store / name).unlink()
    (store / name).mkdir()
    refused(store)


@pytest.mark.parametrize("name", FILES)
def test_files_cut_anywhere_are_refused(store, name):
    content = (store / name).read_bytes()
    for size in {0, 1, 5, 60, 127, 128, len(content) // 2, len(content) - 2, len(content) - 1}:
        if size < len(content) - (name == "meta.json"):  # its last line end is no loss
            (store / name).write_bytes(content[:size])
            refused(store)


@pytest.mark.parametrize("name", ["starts.npy", "columns.npy", "values.npy"])
def test_arrays_with_something_after_them_are_refused(store, name):
    with open(store / name, "ab") as file:
        file.write(b"\0" * 8)
    refused(store)


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@settings(max_examples=60)
def test_damaged_bytes_are_refused_or_harmless_but_never_a_crash(tmp_path_factory, name, data):
    path = tmp_path_factory.mktemp("store") / "counts"
    shutil.copytree(STORES / "v1", path)
    content = bytearray((path / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (path / name).write_bytes(content)
    try:
        use(path)
    except FirthError as error:
        assert str(error)


@pytest.mark.parametrize("name", FILES)
@given(content=st.binary(max_size=300))
@settings(max_examples=20)
def test_random_files_are_refused(tmp_path_factory, name, content):
    path = tmp_path_factory.mktemp("store") / "counts"
    shutil.copytree(STORES / "v1", path)
    (path / name).write_bytes(content)
    refused(path)


def header(entry):
    body = entry.encode("latin1").ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body


@pytest.mark.parametrize("name", ["starts.npy", "columns.npy", "values.npy"])
@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04" + b"\0" * 300,  # to numpy, a broken zip
        pickle.dumps(Bomb()),
        b"\x93NUMPY\x01\x00\xff\xff",
        b"\x93NUMPY\x09\x00" + b" " * 200,
        header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + pickle.dumps([Bomb()]),
        header("{'descr': '<i8', 'fortran_order': False, 'shape': (10**18,), }"),
        header("{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
        header("{'descr': '<i8', 'fortran_order': False, 'shape': (-1,), }"),
        header("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }"),
        header("{'descr': '<i8', 'fortran_order': False, 'shape': ("),
        header("{1: 2, 'a': 3}"),
        header("{[]: 2}"),
        header("__import__('os').abort()"),
        header("(" * 110),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }") + b"\0" * 48,
    ],
)
def test_headers_that_lie_are_refused_and_nothing_is_unpickled(store, name, content):
    (store / name).write_bytes(content)
    refused(store)


@pytest.mark.parametrize("name", ["starts", "columns", "values"])
def test_arrays_of_objects_and_of_other_types_are_refused(store, name):
    path = store / f"{name}.npy"
    array = np.load(path)
    np.save(path, np.array([Bomb()] * len(array), dtype=object), allow_pickle=True)
    refused(store)
    for kind in ("<i2", ">i8", ">u4", "<f8", "<U1", "<M8[s]", [("x", "<i8")]):
        np.save(path, np.zeros(len(array), dtype=kind))
        refused(store)
    np.save(path, array[:, None])
    refused(store)


def write_array(path, kind, values):
    array = np.array(values, dtype=kind)
    path.write_bytes(npy_header(kind, len(array)) + array.tobytes())


@pytest.mark.parametrize(
    "change",
    [
        lambda starts: starts[::-1],
        lambda starts: [0, starts[-1] + 5, *starts[2:]],
        lambda starts: [0, -3, *starts[2:]],
        lambda starts: [0, 2**62, *starts[2:]],
        lambda starts: [1, *starts[1:]],
        lambda starts: [*starts[:-1], starts[-1] + 1],
        lambda starts: [*starts[:-1], starts[-1] - 1],
        lambda starts: [*starts, starts[-1]],
    ],
)
def test_row_starts_that_do_not_rise_to_the_end_are_refused(store, change):
    starts = np.load(store / "starts.npy").tolist()
    write_array(store / "starts.npy", "<i8", change(starts))
    refused(store)


@pytest.mark.parametrize("column", [-1, -(2**31), 18, 2**31 - 1])
@pytest.mark.parametrize("place", [0, 5, -1])
def test_columns_out_of_range_are_refused(store, place, column):
    columns = np.load(store / "columns.npy")
    columns[place] = column
    write_array(store / "columns.npy", "<i4", columns)
    refused(store)


def test_columns_out_of_order_or_twice_are_refused(store):
    columns = np.load(store / "columns.npy")
    for pair in ([3, 3], [5, 1]):
        columns[:2] = pair
        write_array(store / "columns.npy", "<i4", columns)
        refused(store)


def test_values_beyond_63_bits_are_refused(store):
    values = np.load(store / "values.npy").astype(np.uint64)
    values[2] = 2**63
    write_array(store / "values.npy", "<u8", values)
    refused(store)


def edit(store, *path, value=None):
    """Change one entry of meta.json, or remove it."""
    meta = json.loads((store / "meta.json").read_text())
    *outer, last = path
    inner = meta
    for key in outer:
        inner = inner[key]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    (store / "meta.json").write_text(json.dumps(meta))


@pytest.mark.parametrize("version", [0, 4, "1", 1.5, True, [], 10**30])
def test_other_versions_are_refused_by_name(store, version):
    edit(store, "version", value=version)
    with pytest.raises(StoreError, match="version"):
        firth.Counts.load(store)


META = ("format", "version", "shape", "nonzeros", "scale", "offsets", "same_contexts", "recipe",
        "ledger")  # fmt: skip
WRONG = ["", "x", -1, 10**30, 10**400, 1.5, [], {}, [1], [None, None], [[]], {"a": 1}, float("inf"),
         float("nan"), ["1", "2"], [1e400, 1], [-1, 0, 1]]  # fmt: skip


@pytest.mark.parametrize("entry", META)
def test_descriptions_that_lack_an_entry_are_refused(store, entry):
    edit(store, entry)
    refused(store)


@pytest.mark.parametrize("entry", [entry for entry in META if entry != "same_contexts"])
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_descriptions_with_a_wrong_entry_are_refused(store, entry, value):
    edit(store, entry, value=value)
    if value == {} and entry in ("recipe", "ledger"):
        use(store)  # an older store may know fewer options
    else:
        refused(store)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("recipe", "window"), 0),
        (("recipe", "window"), "5"),
        (("recipe", "window"), 10**9),
        (("recipe", "window"), [1]),
        (("recipe", "window"), [1, [2, 3]]),
        (("recipe", "window"), [1, 0]),
        (("recipe", "cleaners"), [["tweets"], 5]),
        (("recipe", "diagonal"), 1),
        (("recipe", "weighting"), "cubic"),
        (("recipe", "weighting"), []),
        (("recipe", "rare"), {}),
        (("recipe", "cleaners"), 5),
        (("recipe", "from the future"), 1),
        (("ledger", "tokens"), "many"),
        (("ledger", "tokens"), []),
        (("ledger", "notes"), 5),
        (("ledger", "notes"), "note"),
        (("ledger", "largest_rounding"), "x"),
        (("ledger", "from the future"), 1),
        (("same_contexts",), True),
        (("shape",), [5, 3]),
        (("shape",), [6, 18]),
        (("nonzeros",), 1),
        (("offsets",), [1, 2]),
    ],
)
def test_recipes_and_ledgers_that_cannot_be_are_refused(store, path, value):
    edit(store, *path, value=value)
    refused(store)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"format": "firth-counts", "version": ' + b"9" * 10_000 + b"}",
        b"null",
        b"[]",
        b'"firth-counts"',
        b"\xff\xfe{}",
        b"\0" * 100,
        b'{"format": "firth-counts"}',
        b'{"format": "firth-space", "version": 1}',
        b'{"format": ["firth-counts"], "version": 1}',
    ],
)
def test_descriptions_that_are_none_are_refused(store, content):
    (store / "meta.json").write_bytes(content)
    refused(store)
    with pytest.raises(FirthError):  # and nothing is taken for a store that may be replaced
        firth.count(["a b"], min_count=1).save(store)


@pytest.mark.parametrize(
    "content",
    [
        "rose\t4\n" * 5,
        "rose\t4\n\n",
        "\t4\n" * 5,
        "rose 4\na 3\nis 3\nb 1\nc 1\n",
        "rose\t4\na\t3\nis\t3\nb\t1\nc\tx\n",
        "rose\t4\na\t3\nis\t3\nb\t1\n",
        "rose\t4\na\t3\nis\t3\nb\t1\nc\t1\nd\t1\n",
        "rose\t4\na\t3\nis\t3\nb\t1\nc\t" + "1" * 30 + "\n",
        b"\xff\xff\t4\n",
    ],
)
@pytest.mark.parametrize("name", ["words.tsv", "contexts.tsv"])
def test_vocabularies_that_are_mangled_are_refused(store, name, content):
    (store / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(store)


@pytest.mark.parametrize("path", ["absent", "file", "folder"])
def test_what_is_no_store_is_refused(tmp_path, path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    refused(tmp_path / path)


def test_equal_stores_have_equal_cells(store):
    """So that the twin reads what the fixture holds, and both agree with a fresh count."""
    lines = [["a", "rose", "is", "a", "rose", "is", "a", "rose"],
             ["rose", "naïve\tword", "𐐷", "is"]]  # fmt: skip
    counts = firth.count(lines, window=3, weighting="harmonic", context="positional", min_count=1,
                         max_contexts=3, tokenizer="whitespace")  # fmt: skip
    assert oracles.cells(use(store)) == oracles.cells(counts)
