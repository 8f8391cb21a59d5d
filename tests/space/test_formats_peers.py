"""What firth writes is read by gensim and spaCy, and what gensim writes is read by firth."""

import importlib.util
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from firth.errors import FirthError, StoreError
from firth.space.formats import VectorTable, from_gensim, read_vectors, to_gensim, write_vectors

WORDS = (
    "the",
    "rose",
    "été",
    "日本",
    "5",
    "1e5",
    "nan",
    "\u00a0",
    "a\u00a0b",
    "🌹",
    "a\tb",
    "x" * 3000,
)


def table(words=WORDS, dimension=7, frequencies=True):
    numbers = np.random.default_rng(3)
    vectors = numbers.standard_normal((len(words), dimension), np.float32)
    vectors[0, :3] = 1.0, -0.0, 1e-42
    counts = np.arange(len(words), 0, -1) * 10**9 if frequencies else None
    return VectorTable(words, vectors, counts)


def same_as_gensim(keyed, expected):
    return (
        tuple(keyed.index_to_key) == expected.words
        and keyed.vectors.dtype == np.float32
        and keyed.vectors.tobytes() == expected.vectors.tobytes()
    )


@pytest.fixture(scope="module")
def keyed_vectors():
    if importlib.util.find_spec("gensim") is None:
        pytest.skip("gensim is not installed")
    from gensim.models import KeyedVectors

    return KeyedVectors


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("word2vec", {}),
        ("fasttext", {}),
        ("glove", {"no_header": True}),
        ("word2vec-binary", {"binary": True}),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # without a header gensim leaves one open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_gensim_reads_what_firth_writes(tmp_path, keyed_vectors, kind, options):
    assert write_vectors(table(), tmp_path / "out", kind) == ()
    found = keyed_vectors.load_word2vec_format(str(tmp_path / "out"), **options)
    assert same_as_gensim(found, table())


@pytest.mark.parametrize("binary", [False, True])
def test_firth_reads_what_gensim_writes(tmp_path, keyed_vectors, binary):
    path = tmp_path / "gensim"
    to_gensim(table()).save_word2vec_format(str(path), binary=binary)
    found = read_vectors(path)
    assert found.words == WORDS
    assert found.vectors.tobytes() == table().vectors.tobytes()
    assert found.notes == ()


@pytest.mark.parametrize("frequencies", [False, True])
def test_gensim_loads_its_own_file(tmp_path, keyed_vectors, frequencies):
    words = (*WORDS, "new york", " ", "two\nlines", "route 66")
    write_vectors(table(words, frequencies=frequencies), tmp_path / "out.kv", "gensim")
    assert [file.name for file in tmp_path.iterdir()] == ["out.kv"]
    found = keyed_vectors.load(str(tmp_path / "out.kv"))
    assert same_as_gensim(found, table(words))
    if frequencies:
        assert found.get_vecattr("rose", "count") == (len(words) - 1) * 10**9
    with pytest.raises(StoreError, match="a pickle, which firth never loads"):
        read_vectors(tmp_path / "out.kv")


def test_a_large_gensim_file_is_one_file(tmp_path, keyed_vectors):
    # gensim itself would put arrays of more than 10 MiB into files of their own.
    big = VectorTable(tuple(map(str, range(30_000))), np.ones((30_000, 100)))
    write_vectors(big, tmp_path / "out.kv", "gensim")
    assert [file.name for file in tmp_path.iterdir()] == ["out.kv"]
    assert same_as_gensim(keyed_vectors.load(str(tmp_path / "out.kv")), big)


def test_objects_both_ways(keyed_vectors):
    for frequencies in (False, True):
        given = table(frequencies=frequencies)
        found = from_gensim(to_gensim(given))
        assert found.words == given.words
        assert found.vectors.tobytes() == given.vectors.tobytes()
        if frequencies:
            assert found.frequencies.tolist() == given.frequencies.tolist()
        else:
            assert found.frequencies is None


def test_neither_object_changes_with_the_other(keyed_vectors):
    given = table()
    keyed = to_gensim(given)
    keyed.vectors[:] = 0
    assert given.vectors.tobytes() == table().vectors.tobytes()
    found = from_gensim(keyed)
    keyed.vectors[:] = 1
    assert not found.vectors.any()


def test_the_vectors_of_a_model(keyed_vectors):
    from gensim.models import Word2Vec

    model = Word2Vec([["a", "rose", "is", "a", "rose"]] * 9, vector_size=5, min_count=1, workers=1)
    found = from_gensim(model)
    assert found.words == tuple(model.wv.index_to_key)
    assert found.frequencies.tolist() == [18, 18, 9]
    assert same_as_gensim(model.wv, found)


def test_what_is_not_gensims(keyed_vectors):
    with pytest.raises(FirthError, match="a dict is not gensim's KeyedVectors"):
        from_gensim({})
    keyed = to_gensim(table())
    keyed.vectors[2, 1] = np.nan
    with pytest.raises(FirthError, match="'été': its vector has nan at place 2"):
        from_gensim(keyed)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((2, 1), complex), "vectors of complex128 are not numbers"),
        (np.ones((2, 1), object), "vectors of object are not numbers"),
        ([[10**400], [1]], "vectors of object are not numbers"),
        (np.array([[1e308], [1]]), "'a': its vector has inf at place 1"),
    ],
)
def test_vectors_that_are_none_are_refused(vectors, message):
    with pytest.raises(FirthError, match=message):
        from_gensim(SimpleNamespace(index_to_key=["a", "b"], vectors=vectors))


@pytest.mark.parametrize(
    "attributes", ["abc", None, {"count": 3}, {"count": [[1], [2, 3]]}, {"count": [[1], [2]]}]
)
def test_counts_that_are_none_are_left_out(attributes):
    keyed = SimpleNamespace(index_to_key=["a", "b"], vectors=np.ones((2, 1)), expandos=attributes)
    assert from_gensim(keyed).frequencies is None


def test_without_gensim_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(FirthError, match=r"this needs gensim: pip install 'firth\[gensim\]'"):
        to_gensim(table())


LOOK = """
import json, sys, warnings
warnings.simplefilter("ignore")
import spacy
vocab = spacy.load(sys.argv[1]).vocab
vectors = [vocab[word].vector.tolist() for word in json.loads(sys.argv[2])]
print(json.dumps([vocab.vectors.shape, vectors]))
"""


@pytest.mark.parametrize("kind", ["word2vec", "fasttext"])
def test_spacy_reads_what_firth_writes(tmp_path, kind):
    if importlib.util.find_spec("spacy") is None:
        pytest.skip("spaCy is not installed")
    words = (*WORDS, "new york", ". . .")
    write_vectors(table(words), tmp_path / "out", kind)
    command = [sys.executable, "-W", "ignore", "-m", "spacy", "init", "vectors", "en"]
    made = subprocess.run(
        [*command, tmp_path / "out", tmp_path / "model"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    look = [sys.executable, "-c", LOOK, tmp_path / "model", json.dumps(words)]
    shape, vectors = json.loads(subprocess.check_output(look, text=True))
    assert shape == [len(words), 7]
    assert np.array(vectors, np.float32).tobytes() == table(words).vectors.tobytes()
