"""Vector files, both ways: what is written is read again bit for bit, or is not written."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import re
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import FirthError, StoreError
from firth.space.formats import FORMATS, VectorTable, read_vectors, sniff, write_vectors
from firth.space.formats import streams as streams_module

FILES = ("word2vec", "word2vec-binary", "glove", "fasttext")
READ = (*FILES, "projector", "safetensors")


def table(words=("rose", "is", "thorn"), dimension=3, frequencies=None):
    vectors = np.random.default_rng(7).standard_normal((len(words), dimension), np.float32)
    return VectorTable(tuple(words), vectors, frequencies)


def same(left, right):
    return left.words == right.words and left.vectors.tobytes() == right.vectors.tobytes()


# --- both ways ------------------------------------------------------------------------------------

words = st.lists(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
    | st.sampled_from([" ", "a b", "route 66", "1", "1 2", "nan", "a inf", "\u00a0", "\ufeff"]),
    min_size=1, max_size=12, unique=True,
)  # fmt: skip
values = st.floats(width=32, allow_nan=False, allow_infinity=False)


def fits(kind, word):
    """Whether a format can hold a word, in the words of its documentation."""
    if kind == "word2vec-binary":
        return " " not in word and "\n" not in word
    if kind == "projector":
        return not set(word) & set("\t\n\r")
    if kind == "safetensors":
        return True
    parts = re.split("[ \t]", word.rstrip(" \t"))
    if "\n" in word:
        return False
    if len(parts) < 2:
        return True
    if re.fullmatch(r"[-+]?nan\(\w*\)", parts[-1], re.ASCII | re.IGNORECASE):
        return False
    try:
        float(parts[-1])
    except ValueError:
        return True
    return "_" in parts[-1] or not parts[-1].isascii()


@pytest.mark.parametrize("kind", READ)
@given(words=words, dimension=st.integers(1, 5), data=st.data())
def test_what_is_written_is_read_again_bit_for_bit(tmp_path_factory, kind, words, dimension, data):
    size = len(words) * dimension
    numbers = np.array(data.draw(st.lists(values, min_size=size, max_size=size)), np.float32)
    counts = data.draw(
        st.none() | st.lists(st.integers(0, 2**63 - 1), min_size=len(words), max_size=len(words))
    )
    given_table = VectorTable(tuple(words), numbers.reshape(-1, dimension), counts)
    path = tmp_path_factory.mktemp("vectors") / "vectors"
    fine = all(fits(kind, word) for word in words)
    if not fine or (kind == "glove" and words[0].startswith("\ufeff")):
        with pytest.raises(FirthError):
            write_vectors(given_table, path, kind)
        assert not path.exists()
        return
    write_vectors(given_table, path, kind)
    assert same(read_vectors(path, kind), given_table)
    assert sniff(path) == ("word2vec" if kind == "fasttext" else kind)
    found = read_vectors(path)
    assert same(found, given_table)
    if kind in ("projector", "safetensors"):
        assert (found.frequencies is None) == (counts is None)
        assert counts is None or found.frequencies.tolist() == counts


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files_are_read(tmp_path, kind, suffix, compress):
    plain = tmp_path / "plain.vec"
    write_vectors(table(), plain, kind)
    packed = tmp_path / f"plain.vec{suffix}"
    packed.write_bytes(compress(plain.read_bytes()))
    assert same(read_vectors(packed), table())
    assert sniff(packed) == sniff(plain)


def test_zstandard_files_are_read(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    write_vectors(table(), tmp_path / "plain", "word2vec")
    packed = tmp_path / "packed.zst"
    packed.write_bytes(zstandard.compress((tmp_path / "plain").read_bytes()))
    assert same(read_vectors(packed), table())


def test_what_unpacks_without_end_is_refused(tmp_path):
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb", compresslevel=9) as file:
        for _ in range(100):
            file.write(b"a 0\n" * (1 << 18))
    path = tmp_path / "bomb.gz"
    path.write_bytes(bomb.getvalue())
    with pytest.raises(StoreError, match="unpacks to more than 200 times its size"):
        read_vectors(path, "word2vec")


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(streams_module, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "vectors"
    path.write_bytes(b"a " * (2 << 20))
    with pytest.raises(StoreError, match="a line of more than 1 MiB"):
        read_vectors(path, "glove")


# --- what is foreign ------------------------------------------------------------------------------


class Trap:
    def __reduce__(self):
        return os.mkdir, ("sprung",)


@pytest.mark.parametrize("kind", [None, *FORMATS])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_nothing_is_unpickled(tmp_path, monkeypatch, kind, protocol):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.kv"
    path.write_bytes(pickle.dumps(Trap(), protocol))
    with pytest.raises(StoreError) as caught:
        read_vectors(path, kind)
    assert not (tmp_path / "sprung").exists()
    if kind not in ("projector", "safetensors"):
        assert "save_word2vec_format('vectors.bin', binary=True)" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"PK\x03\x04abc", "a zip archive"), (b"\x93NUMPY\x01\0", "a NumPy array"),
     (struct.pack("<ii", 793712314, 12), "a fastText model, not its vectors"),
     (b"\x89HDF\r\n\x1a\n", "an HDF5 file"), (gzip.compress(b"a 1\n", mtime=0), "gzip data"),
     ("a 1 2\n".encode("utf-16"), "UTF-16")],
)  # fmt: skip
def test_foreign_files_are_refused_with_a_remedy(write, content, message):
    for kind in (None, *FILES):
        with pytest.raises(StoreError, match=f"vectors: {message}"):
            read_vectors(write(content, "vectors"), kind)


def test_what_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="no such file"):
        read_vectors(tmp_path / "nothing")
    with pytest.raises(StoreError, match=r"a folder without vectors\.safetensors"):
        read_vectors(tmp_path)
    with pytest.raises(StoreError, match="not a file of vectors"):
        read_vectors(tmp_path, "glove")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="not a file of vectors"):
        read_vectors(tmp_path / "pipe")
    (tmp_path / "a.safetensors").write_bytes(b"")
    with pytest.raises(StoreError, match="give the folder"):
        read_vectors(tmp_path / "a.safetensors")
    with pytest.raises(FirthError, match="'numpy' is not a format: choose one of word2vec,"):
        read_vectors(tmp_path, "numpy")
    with pytest.raises(StoreError):
        read_vectors("a\0b")


# --- writing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (VectorTable(("a", "b"), np.array([[1, 2], [3, np.nan]])), "'b': its vector has nan at"),
        (VectorTable(("a",), np.array([[-1e300, 1]])), "'a': its vector has -inf at place 1"),
        (VectorTable(("a", "b", "a"), np.zeros((3, 2))), "'a' occurs twice"),
        (VectorTable(("a", ""), np.zeros((2, 2))), "'' is not a word"),
        (VectorTable(("a", "\ud800"), np.zeros((2, 2))), "half of a character"),
        (VectorTable((), np.zeros((0, 2))), "there are no vectors"),
        (VectorTable(("a",), np.zeros((1, 0))), "there are no vectors"),
        (VectorTable(("a",), np.zeros((1, 2)), np.array([-1])), "-1 is not a frequency"),
    ],
)  # fmt: skip
def test_what_is_not_sound_is_not_written(tmp_path, kind, bad, message):
    with pytest.raises(FirthError, match=re.escape(message)):
        write_vectors(bad, tmp_path / "out", kind)
    assert list(tmp_path.iterdir()) == []


def test_a_table_needs_as_many_vectors_as_words():
    with pytest.raises(FirthError, match="2 words need as many vectors, not an array of 3 × 1"):
        VectorTable(("a", "b"), np.zeros((3, 1)))
    with pytest.raises(FirthError, match="1 words need as many frequencies"):
        VectorTable(("a",), np.zeros((1, 1)), np.zeros(2))


@pytest.mark.parametrize("kind", READ)
def test_an_output_is_replaced_only_by_force(tmp_path, kind):
    path = tmp_path / "out"
    write_vectors(table(), path, kind)
    other = table(("tulip", "is"))
    with pytest.raises(StoreError, match="exists: choose another name, or replace it with force="):
        write_vectors(other, path, kind)
    assert same(read_vectors(path, kind), table())
    write_vectors(other, path, kind, force=True)
    assert same(read_vectors(path, kind), other)
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("kind", ["projector", "safetensors"])
def test_a_folder_of_someone_else_is_never_removed(tmp_path, kind):
    path = tmp_path / "out"
    write_vectors(table(), path, kind)
    (path / "thesis.txt").write_text("mine")
    with pytest.raises(StoreError, match="holds more than"):
        write_vectors(table(), path, kind, force=True)
    assert (path / "thesis.txt").read_text() == "mine"
    target = tmp_path / "file"
    target.write_text("mine")
    with pytest.raises(StoreError, match="choose another name"):
        write_vectors(table(), target, kind, force=True)
    assert target.read_text() == "mine"


@pytest.mark.parametrize("kind", FILES)
def test_a_file_does_not_take_the_place_of_a_folder(tmp_path, kind):
    with pytest.raises(StoreError, match="is a folder"):
        write_vectors(table(), tmp_path, kind, force=True)


@pytest.mark.parametrize("kind", READ)
def test_a_failure_leaves_the_earlier_output_and_nothing_else(tmp_path, monkeypatch, kind):
    path = tmp_path / "out"
    write_vectors(table(), path, kind)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device: free some space"):
        write_vectors(table(("tulip",)), path, kind, force=True)
    assert same(read_vectors(path, kind), table())
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_a_compressed_name_is_refused(tmp_path):
    with pytest.raises(FirthError, match=r"choose a name without \.gz"):
        write_vectors(table(), tmp_path / "out.gz", "glove")


def test_words_that_others_do_not_read_are_noted(tmp_path):
    notes = write_vectors(table(("new york", "is")), tmp_path / "out", "word2vec")
    assert notes == ("words with a space, which firth and spaCy read but gensim does not: 1",)


def test_safetensors_bytes_are_the_same_on_every_run(tmp_path):
    for name in ("one", "two"):
        write_vectors(table(frequencies=np.array([3, 2, 1])), tmp_path / name, "safetensors")
    one, two = ((tmp_path / name / "vectors.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two
    header = json.loads(one[8 : 8 + int.from_bytes(one[:8], "little")])
    assert json.loads(header["__metadata__"]["firth"]) == {"format": "firth-vectors", "version": 1}
