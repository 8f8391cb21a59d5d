"""Vector files as they come: rules of reading, and refusals that say where and why."""

import re
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth import _core
from firth.errors import FirthError, StoreError
from firth.resources import Resources
from firth.space.formats import VectorTable, read_vectors, sniff, write_vectors
from firth.space.formats import streams as streams_module


def table(words=("rose", "is", "thorn"), dimension=3, frequencies=None):
    vectors = np.random.default_rng(7).standard_normal((len(words), dimension), np.float32)
    return VectorTable(tuple(words), vectors, frequencies)


def same(left, right):
    return left.words == right.words and left.vectors.tobytes() == right.vectors.tobytes()


def read(write, content, kind=None):
    return read_vectors(write(content, "vectors"), kind)


def refusal(write, content, kind=None):
    with pytest.raises(FirthError) as caught:
        read(write, content, kind)
    assert "\n" not in str(caught.value)
    return re.sub(r"^\S*vectors\S*: ", "", str(caught.value))


# --- numbers --------------------------------------------------------------------------------------


def nearest(text):
    """The float32 nearest to a decimal number, exactly; None beyond the largest."""
    exact, largest = Fraction(text), np.finfo(np.float32).max
    guess = np.float32(min(max(float(exact), -float(largest)), float(largest)))
    with np.errstate(over="ignore"):
        around = [guess, *(np.nextafter(guess, np.float32(end)) for end in (-np.inf, np.inf))]
    finite = [x for x in around if np.isfinite(x)]
    best = min(finite, key=lambda x: (abs(Fraction(float(x)) - exact), x.view(np.uint32) & 1))
    half_a_step = Fraction(2) ** 103
    return None if abs(exact) >= Fraction(float(largest)) + half_a_step else best


decimals = st.from_regex(
    r"[-+]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][-+]?[0-9]{1,2})?", fullmatch=True
)


@given(decimals)
def test_numbers_are_rounded_to_the_nearest(text):
    reader = _core.VectorText(1, True, 1)
    fine = reader.add(f"word {text}\n".encode(), 1)
    expected = nearest(text)
    assert fine == (expected is not None)
    if fine:
        value = reader.take()[1][0]
        assert abs(value) == abs(expected)
        assert np.signbit(value) == text.startswith("-")


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_written_in_the_fewest_digits(values):
    array = np.array(values, np.float32)
    text = _core.format_vectors(array, len(array), None, " ", 1).tobytes().decode()
    fields = text.removesuffix("\n").split(" ")
    assert [nearest(field) for field in fields] == array.tolist()
    for field, value in zip(fields, array, strict=True):
        assert len(field.removesuffix(".0")) <= len(np.format_float_scientific(value, unique=True))
        assert not re.fullmatch("-?[0-9]+", field)  # never like a number of a header


@given(st.text(alphabet="0123456789.eE+-_xnaif ()", max_size=12))
def test_what_python_does_not_read_is_no_number(text):
    field = text.replace(" ", "")
    run = _core.number_runs(f"a {field} 1\n".encode(), 1, True).tolist()
    try:
        float(field)
        expected = "_" not in field
    except ValueError:
        expected = bool(re.fullmatch(r"-?nan\([a-z0-9_]*\)", field.lstrip("+"), re.ASCII)) and field
    if not re.match(r"[-+]*nan\(", field):  # C's own way to write one
        assert run == [2 if expected else 1]


@pytest.mark.parametrize(
    ("field", "value"),
    [("1e-46", 0.0), ("-1e-400", -0.0), ("1e-45", 1e-45), ("0e999999999999999999999", 0.0),
     ("0." + "0" * 60 + "1e61", 1.0), ("1" + "0" * 60 + "e-60", 1.0),
     ("3.4028235e38", 3.4028235e38), ("16777217", 16777216.0),
     ("1.00000017881393432617187499", 1 + 2**-23), ("1.00000017881393432617187500", 1 + 2**-22)],
)  # fmt: skip
def test_numbers_at_the_edge(write, field, value):
    found = read(write, f"a {field} 1\n").vectors[0, 0]
    assert found == np.float32(value)
    assert np.signbit(found) == np.signbit(value)


@pytest.mark.parametrize(
    "field",
    [
        "nan",
        "-NaN",
        "inf",
        "-Infinity",
        "1e39",
        "3.4028236e38",
        "9" * 40,
        "1e9999999999999999999999",
    ],
)
def test_what_is_not_finite_is_named(write, field):
    message = refusal(write, f"b 0 1\nrose 0 {field}\n")
    assert message == f"line 2: 'rose' has '{field}', not a finite float32: fix or delete it"


# --- text, as it comes ----------------------------------------------------------------------------

A, B = [1.0, 2.0], [3.0, 4.0]


@pytest.mark.parametrize(
    "content",
    [
        b"a 1 2\nb 3 4\n", b"a 1 2\nb 3 4", b"a 1 2 \nb 3 4  \n", b"a\t1\t2\nb\t3\t4\n",
        b"a 1 2\r\nb 3 4\r\n", b"\na 1 2\n\n\nb 3 4\n\n", b"\xef\xbb\xbfa 1 2\nb 3 4\n",
        b"a 1  2\nb 3 \t 4\n", b"a +1 2.\nb 3e0 0.4E+1\n", b"2 2\na 1 2\nb 3 4\n",
        b"2 2 \r\na 1 2\r\nb 3 4", b"\n \n2\t2\na 1 2\nb 3 4\n", b"\xef\xbb\xbf2 2\na 1 2\nb 3 4\n",
    ],
)  # fmt: skip
def test_text_is_read_however_it_is_laid_out(write, content):
    found = read(write, content)
    assert (found.words, found.vectors.tolist(), found.notes) == (("a", "b"), [A, B], ())
    assert found.vectors.dtype == np.float32
    assert found.vectors.flags.c_contiguous


@pytest.mark.parametrize(
    ("line", "word"),
    [(b"new york 1 2", "new york"), (b". . . 1 2", ". . ."), (b"  1 2", " "), (b"    1 2", "   "),
     ("\u00a0 1 2".encode(), "\u00a0"), ("a\u00a0b 1 2".encode(), "a\u00a0b"),
     (b"a\tb 1 2", "a\tb"), (b"5 1 2", "5"), (b"nan 1 2", "nan"), (b"1e5 1 2", "1e5"),
     (b"a  1 2", "a "), (b" a 1 2", " a"),
     (b"at name@example.com 1 2", "at name@example.com"), (b"66 route 1 2", "66 route"),
     ("\u2028 1 2".encode(), "\u2028"), (b"a\0b 1 2", "a\0b"), (b"\r 1 2", "\r")],
)  # fmt: skip
def test_a_word_is_what_stands_before_the_numbers(write, line, word):
    found = read(write, b"x 3 4\n" + line + b"\ny 3 4\n")
    assert found.words == ("x", word, "y")
    assert found.vectors.tolist() == [B, A, B]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no vectors"),
        (b" \n\r\n", "holds no vectors"),
        (b"\xef\xbb\xbf", "holds no vectors"),
        (b"a b c\n", "line 1 is not a word and numbers"),
        (b"word\n", "line 1 is not a word and numbers"),
        (b"a 1 2\nb 1\nc 1 2\n", "line 2 ends in 1 numbers where 2 were expected"),
        (b"a 1 2\nb\nc 1 2\n", "line 2 ends in 0 numbers where 2 were expected"),
        (b"a 1 2\n\nb 1 2 3\nc 1 2\n", "line 3 ends in 3 numbers where 2 were expected"),
        (b"a 1 2\nroute 66 1 2\nc 1 2\n", "line 2 ends in 3 numbers where 2 were expected"),
        (b"a 1 2\nb 1 x\n", "line 2 ends in 0 numbers where 2 were expected ('x' is not"),
        (b"a 1 2\nb 0x1 2\n", "line 2 ends in 1 numbers where 2 were expected ('0x1' is"),
        (b"a 1 2\nb 1,5 2\n", "line 2 ends in 1 numbers where 2 were expected ('1,5' is"),
        (b"a 1 2\n 1 2\n", "line 2 has no word before its numbers"),
        (b"\xe9t\xe9 1 2\nb 1 2\n", "line 1: the word '\ufffdt\ufffd' is not UTF-8 at its byte 1"),
        (b"a 1 2\nab\xff 1 2\n", "line 2: the word 'ab\ufffd' is not UTF-8 at its byte 3"),
        (b"a 1 2\nb 1 2\n\na 1 2\n", "'a' occurs in line 1 and in line 4"),
        (b"2 2\na 1 2\na 1 2\n", "'a' occurs in line 2 and in line 3"),
    ],
)  # fmt: skip
def test_text_is_refused_with_the_line(write, content, message):
    assert refusal(write, content).startswith(message)


def test_the_first_fault_is_told_whatever_the_threads(write):
    lines = [f"w{i} 1 2" for i in range(60_000)]
    lines[25_000] = "x 1"
    lines[40_000] = "y nan 2"
    path = write("\n".join(lines))
    for threads in (1, 2, 3, 8):
        with pytest.raises(StoreError, match="line 25,001 ends in 1 numbers"):
            read_vectors(path, resources=Resources(threads=threads))


def test_large_text_is_read_in_stretches(write, monkeypatch):
    big = table(tuple(f"w{i}" for i in range(5000)), 20)
    path = write(b"", "vectors")
    write_vectors(big, path, "word2vec", force=True)
    expected = path.read_bytes()
    monkeypatch.setattr(streams_module, "CHUNK", 1 << 14)
    for threads in (1, 2, 3, 8):
        assert same(read_vectors(path, resources=Resources(threads=threads)), big)
        write_vectors(big, path, "word2vec", force=True, resources=Resources(threads=threads))
        assert path.read_bytes() == expected
    path.write_bytes(expected[:-1] + b"x\n")
    with pytest.raises(StoreError, match="line 5,001 ends in 0 numbers"):
        read_vectors(path)


# --- headers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "kind", "words", "notes"),
    [
        (b"5 2\na 1 2\nb 1 2\n", "word2vec", ("a", "b"), ("rows: 2, where the header declares 5",)),
        (b"1 2\na 1 2\nb 1 2", "word2vec", ("a", "b"), ("rows: 2, where the header declares 1",)),
        (b"2 1\na 1\nb 2\n", "word2vec", ("a", "b"), ()),  # as many as declared
        (b"5 1\na 1\nb 2\n", "glove", ("5", "a", "b"), ()),  # not as many: a row
        (b"1 2\na 1\nb 2\n", "glove", ("1", "a", "b"), ()),  # 1-dimensional: a row
        (b"a 1 2\n", "glove", ("a",), ()),
        (b"2 2 2\na 1 2\n", "glove", ("2", "a"), ()),
    ],
)
def test_what_a_header_is(write, content, kind, words, notes):
    path = write(content, "vectors")
    assert sniff(path) == kind
    found = read_vectors(path)
    assert (found.words, found.notes) == (words, notes)


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"2 3\na 1 2\nb 1 2\n", None, "line 1 declares vectors of 3 numbers, but the rows"),
        (b"\n400000 300\na 1 2\n", None, "line 2 declares vectors of 300 numbers, but the rows"),
        (b"3 2\na 1 2\nb 1 2", None, "cut short in row 2 of 3"),
        (b"2 2\n", None, "line 1 is a header, but no rows follow it"),
        (b"1152921504606846976 2\na 1 2\n", None, "line 1 declares 1152921504606846976 rows of 2"),
        (b"2 1152921504606846976\na 1 2\n", None, "line 1 declares 2 rows of 1152921504606846976"),
        (b"9" * 5000 + b" 2\na 1 2\n", None, f"line 1 declares {'9' * 40} rows of 2 numbers"),
        (b"2 2\na 1 2\nb 1 2\n", "glove", "line 1 looks like a header, which GloVe's"),
    ],
)  # fmt: skip
def test_wrong_headers_are_refused(write, content, kind, message):
    assert refusal(write, content, kind).startswith(message)


def test_a_missing_header_is_noted(write):
    assert read(write, b"a 1 2\n", "word2vec").notes == ("there is no header; rows: 1",)


def test_odd_words_are_noted(write):
    notes = read(write, b"a  1 2\nb 1 2\n").notes
    assert notes == ("words that begin or end with a space, kept as they are: 1",)


# --- binary ---------------------------------------------------------------------------------------


def binary(*rows, header=None, end=b"\n"):
    dimension = len(rows[0][1]) if rows else 2
    head = header if header is not None else f"{len(rows)} {dimension}\n".encode()
    return head + b"".join(
        word + b" " + struct.pack(f"<{len(row)}f", *row) + end for word, row in rows
    )


@pytest.mark.parametrize("end", [b"\n", b"", b"\n\n"])
def test_binary_rows_with_and_without_newlines(write, end):
    found = read(write, binary((b"a", A), ("été".encode(), B), end=end))
    assert (found.words, found.vectors.tolist(), found.notes) == (("a", "été"), [A, B], ())


def test_a_small_binary_file_may_look_like_text(write):
    content = binary((b"0", [struct.unpack("<f", b"33s?")[0]]))
    assert content == b"1 1\n0 33s?\n"
    assert sniff(write(content, "vectors")) == "word2vec-binary"


def test_more_binary_rows_than_declared_are_noted(write):
    found = read(write, binary((b"a", A), (b"b", B), header=b"1 2\n"))
    assert (found.words, found.notes) == (("a", "b"), ("rows: 2, where the header declares 1",))


ROWS = ((b"a", A), (b"b", B))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (binary((b"longer", A), (b"b", B))[:-3], "row 2: 'b' is cut short"),
        (binary(*ROWS) + b"c", "row 3: 'c' is cut short"),
        (binary(*ROWS, header=b"3 2\n"), "line 1 declares 3 vectors of 2 numbers, for"),
        (binary((b"a" * 15, A), (b"b", B), header=b"3 2\n"), "2 rows where 3 were declared"),
        (binary(*ROWS, header=b"1152921504606846976 2\n"), "does not begin with a line of two"),
        (binary(*ROWS, header=b"999999999999999999 2\n"), "line 1 declares 999,999,999,999,999"),
        (binary(*ROWS, header=b"2 999999999999999999\n"), "line 1 declares 2 vectors of 999,999"),
        (binary(*ROWS, header=b"0 2\n"), "line 1 declares no vectors"),
        (binary(*ROWS, header=b""), "does not begin with a line of two whole numbers"),
        (b"", "does not begin with a line of two whole numbers"),
        (binary((b"a", A), (b"a", B)), "'a' occurs in row 1 and in row 2"),
        (binary((b"a", A), (b"", B)), "row 2 has no word"),
        (binary((b"a\xff", A)), "row 1: the word 'a\ufffd' is not UTF-8 at its byte 2"),
        (binary((b"a", A), (b"b", [1.0, float("nan")])), "row 2: 'b' has 'nan', not a finite"),
        (binary((b"a", [float("-inf"), 0.0])), "row 1: 'a' has '-inf', not a finite float32"),
        (binary((b"a", A), (b"w" * 70_000, B)), "row 2: a word of more than 64 KiB"),
    ],
)  # fmt: skip
def test_binary_is_refused_with_the_row(write, content, message):
    assert refusal(write, content, "word2vec-binary").startswith(message)


def test_a_binary_file_without_spaces_is_not_read_to_its_end(write, monkeypatch):
    taken = []
    blocks = streams_module.read_blocks

    def counted(file):
        for block in blocks(file):
            taken.append(len(block))
            yield block

    monkeypatch.setattr("firth.space.formats.binary.read_blocks", counted)
    monkeypatch.setattr("firth.space.formats.binary.CHUNK", 1 << 20)
    message = refusal(write, b"5 2\n" + b"w" * (8 << 20), "word2vec-binary")
    assert message.startswith("row 1: a word of more than 64 KiB")
    assert sum(taken) <= 2 << 20


def test_binary_is_read_in_stretches(write, monkeypatch):
    big = table(tuple(f"w{i}" for i in range(3000)), 30)
    path = write(b"", "vectors")
    write_vectors(big, path, "word2vec-binary", force=True)
    monkeypatch.setattr("firth.text.sources.BLOCK", 1000)
    for chunk in (1, 100, 5000):  # a row is longer than the first two
        monkeypatch.setattr("firth.space.formats.binary.CHUNK", chunk)
        assert same(read_vectors(path), big)


# --- folders --------------------------------------------------------------------------------------


def folder(tmp_path, kind="projector", **frequencies):
    path = tmp_path / "folder"
    write_vectors(table(**frequencies), path, kind)
    return path


def test_projector_files_are_what_tensorboard_reads(tmp_path):
    path = folder(tmp_path, frequencies=np.array([3, 2, 1]))
    assert (path / "metadata.tsv").read_text() == "word\tfrequency\nrose\t3\nis\t2\nthorn\t1\n"
    assert np.loadtxt(path / "vectors.tsv", delimiter="\t").shape == (3, 3)
    other = tmp_path / "other"
    write_vectors(table(), other, "projector")
    assert (other / "metadata.tsv").read_text() == "rose\nis\nthorn\n"


@pytest.mark.parametrize(
    ("vectors", "metadata", "message"),
    [
        (b"1\t2\n3\t4\n", b"a\n", "1 words for the 2 rows of vectors.tsv"),
        (b"1\t2\n3\t4\n", b"a\nb\nc\n", "3 words for the 2 rows of vectors.tsv"),
        (b"1\t2\n3\n", b"a\nb\n", "line 2 ends in 1 numbers where 2 were expected"),
        (b"1\t2\n3\t4\t5\n", b"a\nb\n", "line 2 ends in 3 numbers where 2 were expected"),
        (b"1\t2\n3\tnan\n", b"a\nb\n", "line 2: '' has 'nan', not a finite float32"),
        (b"x\t2\n", b"a\n", "its first line is not numbers between tabs"),
        (b"", b"", "its first line is not numbers between tabs"),
        (b"1\t2\n3\t4\n", b"a\na\n", "'a' occurs in line 1 and in line 2"),
        (b"1\t2\n3\t4\n", b"a\n\n", "line 2 has no word"),
        (b"1\t2\n3\t4\n", b"a\n\xff\n", "line 2 is not UTF-8 at its byte 1"),
        (b"1\t2\n3\t4\n", b"word\tcount\na\t5\nb\tx\n", "line 3 has no frequency"),
    ],
)
def test_a_damaged_projector_folder_is_refused(tmp_path, vectors, metadata, message):
    path = folder(tmp_path)
    (path / "vectors.tsv").write_bytes(vectors)
    (path / "metadata.tsv").write_bytes(metadata)
    with pytest.raises(StoreError, match=re.escape(message)):
        read_vectors(path)


def test_projector_columns_of_others(tmp_path):
    path = folder(tmp_path)
    (path / "metadata.tsv").write_bytes(
        b"Label\tColour\tCount\r\na\tx\t7\r\nb\ty\t0\r\nc\tz\t1\r\n"
    )
    found = read_vectors(path)
    assert found.words == ("a", "b", "c")
    assert found.frequencies.tolist() == [7, 0, 1]


def tensors(arrays, metadata=None):
    from safetensors.numpy import save

    return save(arrays, metadata)


ZEROS = np.zeros((3, 2), np.float32)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not valid safetensors"),
        (b"\xff" * 8 + b"{}", "the header is too large"),
        ((1 << 40).to_bytes(8, "little") + b"{}", "the header is too large"),
        (tensors({"x": ZEROS}), "no tensor is called vectors"),
        (tensors({"vectors": np.zeros((3, 2), np.int32)}), "vectors is not a table of floats"),
        (tensors({"vectors": np.zeros(3, np.float32)}), "vectors is not a table of floats"),
        (tensors({"vectors": np.zeros((2, 2), np.float32)}), "3 words for the 2 rows"),
        (tensors({"vectors": np.full((3, 2), np.nan, np.float32)}), "row 1: 'rose' has nan"),
        (tensors({"vectors": np.full((3, 2), 1e300)}), "row 1: 'rose' has inf"),
        (tensors({"vectors": ZEROS}, {"firth": '{"version": 2}'}), "version 2"),
        (tensors({"vectors": ZEROS}, {"firth": "{"}), "its description is"),
        (tensors({"vectors": ZEROS})[:-4], "not valid safetensors"),
        (tensors({"vectors": ZEROS, "frequencies": np.zeros(2, np.int64)}),
         "the frequencies do not fit the words"),
        (tensors({"vectors": ZEROS, "frequencies": np.zeros(3, np.int8)}),
         "the frequencies are not int64"),
    ],
)  # fmt: skip
def test_a_damaged_safetensors_folder_is_refused(tmp_path, content, message):
    path = folder(tmp_path, "safetensors")
    (path / "vectors.safetensors").write_bytes(content)
    with pytest.raises(StoreError, match=re.escape(message)):
        read_vectors(path)


def test_other_floats_are_turned_into_float32(tmp_path):
    path = folder(tmp_path, "safetensors")
    (path / "vectors.safetensors").write_bytes(tensors({"vectors": np.ones((3, 2), np.float16)}))
    found = read_vectors(path)
    assert found.vectors.tolist() == [[1.0, 1.0]] * 3
    assert found.notes == ("vectors of F16 were converted to F32",)


def test_missing_files_are_named(tmp_path):
    for kind, name in (("projector", "metadata.tsv"), ("safetensors", "words.txt")):
        path = tmp_path / kind
        write_vectors(table(), path, kind)
        (path / name).unlink()
        with pytest.raises(StoreError, match=f"{name}: no such file"):
            read_vectors(path)
