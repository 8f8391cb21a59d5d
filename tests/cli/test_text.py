"""What text may look like: byte order marks, line ends, odd bytes, great lengths, many files."""

import gzip
import json
import os

import pytest
from tests.desk import TEXT, wait_for

import firth

COUNT = ["--min-count", "1"]


@pytest.fixture
def plain(desk):
    """The counts of the text as it is."""
    return firth.Counts.load(desk / "kept")


def same_rows(desk, store, plain):
    counts = firth.Counts.load(desk / store)
    assert counts.words == plain.words
    assert all(counts.row(word) == plain.row(word) for word in plain.words)
    return counts


@pytest.mark.parametrize(
    "content",
    [
        TEXT.rstrip("\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\n\n \n").encode(),
        TEXT.replace(" ", " \t\u00a0").encode(),
        TEXT.replace("cat ", "cat\x00").encode(),
    ],
    ids=["no-final-newline", "byte-order-mark", "crlf", "blank-lines", "spaces", "nul"],
)
def test_texts_that_hold_the_same_words(desk, plain, content):
    desk.write("other.txt", content)
    desk.write("other.txt.gz", gzip.compress(content))
    ledger = desk.result("count", "other.txt", "-o", "other", *COUNT)["ledger"]
    same_rows(desk, "other", plain)
    assert ledger["nul"] == content.count(b"\x00")
    assert desk.result("count", "other.txt.gz", "-o", "packed", *COUNT)["ledger"] == ledger
    same_rows(desk, "packed", plain)


def test_malformed_utf8_is_replaced_and_entered(desk):
    desk.write("bad.txt", b"a \xff b\xc3 c\xe2\x82\n" + "gr\u00fc\u00df".encode())
    found = desk.result("count", "bad.txt", "-o", "new", *COUNT)
    assert found["ledger"]["invalid"] == 3
    assert "gr\u00fcss" in firth.Counts.load(desk / "new").words


def test_one_word_is_counted_if_asked_for(desk):
    desk.write("one.txt", "hello")
    found = desk.result("count", "one.txt", "-o", "new", "--min-count", "1")
    assert (found["words"], found["nonzeros"]) == (1, 0)
    assert found["ledger"]["notes"] == ["no two words share a window: no counts"]
    assert desk.result("info", "new")["total"] == 0


def test_a_word_of_a_megabyte(desk):
    word = "ab" * (1 << 19)
    desk.write("long.txt", f"before {word} after\n" * 2)
    found = desk.result("count", "long.txt", "-o", "new", *COUNT)
    counts = firth.Counts.load(desk / "new")
    assert found["words"] == 3
    assert counts.words.frequency(word) == 2
    assert counts.row(word) == [("after", 2.0), ("before", 2.0)]
    shown = desk.firth("info", "new")
    assert shown.code == 0
    assert len(shown.out) < 5000


MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def test_one_line_of_ten_million_tokens_in_little_memory(desk):
    repeats = 2_500_000
    desk.write("long.txt", b"a b c d " * repeats)
    done = desk.firth(
        "count", "long.txt", "-o", "new", "--window", "1", "--context", "right", "--json",
        "--quiet", "--memory", "160M", "--threads", "1", first=MEASURE,
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["ledger"]["tokens"], found["ledger"]["lines"]) == (4 * repeats, 1)
    counts = firth.Counts.load(desk / "new")
    # The line runs on over every place at which it was cut to be read.
    assert [counts.row(word) for word in "abcd"] == [
        [("b", repeats)], [("c", repeats)], [("d", repeats)], [("a", repeats - 1)],
    ]  # fmt: skip
    assert int(done.err) < 160 << 10


def test_hidden_files_and_what_is_no_file_are_passed_over(desk, plain):
    desk.write("folder/text.txt", TEXT)
    desk.write("folder/.hidden.txt", "hidden")
    desk.write("folder/.hidden/text.txt", "hidden")
    (desk / "folder/loop").symlink_to(".")
    (desk / "folder/up").symlink_to("..")
    os.mkfifo(desk / "folder/pipe")
    found = desk.result("count", "folder", "-o", "new", *COUNT)
    assert found["ledger"]["files"] == 1
    same_rows(desk, "new", plain)


def test_files_are_read_in_the_order_of_their_names(desk):
    # Bytes of a store depend on neither the order of a listing nor that of creation.
    for folder, names in (("one", ["b", "a/z", "c"]), ("two", ["c", "a/z", "b"])):
        for name in names:
            desk.write(f"{folder}/{name}.txt", f"in {name} the cat sat on {name}\n")
        desk.result("count", folder, "-o", f"{folder}-counts", *COUNT)
    desk.result("count", "one/**/*.txt", "-o", "pattern", *COUNT)
    stores = [
        {path.name: path.read_bytes() for path in (desk / name).iterdir()}
        for name in ("one-counts", "two-counts", "pattern")
    ]
    assert stores[0] == stores[1] == stores[2]


def test_the_same_file_twice_counts_twice(desk, plain):
    found = desk.result("count", "text.txt", "./text.txt", "-o", "new", *COUNT)
    counts = firth.Counts.load(desk / "new")
    assert found["ledger"]["files"] == 2
    for word in plain.words:
        assert counts.row(word) == [(other, 2 * count) for other, count in plain.row(word)]


@pytest.mark.parametrize(
    "name", ["with space", "with\nline", "[ab]", "é", os.fsdecode(b"\xff\xfe"), "-dash"]
)
def test_odd_names(desk, plain, name):
    desk.write(f"in/{name}.txt", TEXT)
    found = desk.result("count", f"in/{name}.txt", "-o", f"out/{name}", *COUNT)
    assert os.fsencode(found["store"]) == os.fsencode(f"out/{name}")
    same_rows(desk, f"out/{name}", plain)
    assert desk.firth("info", f"out/{name}").code == 0
    assert desk.leftovers() == []


def test_standard_input(desk, plain):
    found = desk.result("count", "-", "-o", "new", *COUNT, stdin=TEXT.encode())
    assert found["ledger"]["tokens"] == 12
    same_rows(desk, "new", plain)


def test_standard_input_among_files(desk, plain):
    first, second = TEXT.splitlines(keepends=True)
    desk.write("first.txt", first)
    desk.result("count", "first.txt", "-", "-o", "new", *COUNT, stdin=second.encode())
    same_rows(desk, "new", plain)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-"], "standard input is empty: there is nothing to count"),
        (["-", "-"], "standard input (-) can be given only once"),
        (["-", "--resume"], "standard input cannot be read again: --resume needs files"),
    ],
)
def test_standard_input_refused(desk, options, message):
    assert desk.refusal("count", *options, "-o", "new", *COUNT) == message


def test_binary_standard_input(desk):
    line = desk.refusal("count", "-", "-o", "new", stdin=b"\x89PNG\r\n\x1a\n")
    assert line == "standard input: this looks like a picture, not text: pipe text into it"
    line = desk.refusal("count", "-", "-o", "new", stdin=gzip.compress(b"a b"))
    assert line == "standard input: this looks like gzip data: pipe text into it"


def test_a_named_pipe(desk, plain):
    os.mkfifo(desk / "pipe")
    process = desk.start("count", "pipe", "-o", "new", *COUNT, "--quiet")
    with open(desk / "pipe", "wb") as pipe:
        wait_for((desk / "new.partial").exists)
        pipe.write(TEXT.encode())
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, b"")
    assert b"new: Counts(6 words" in out
    same_rows(desk, "new", plain)
    assert "needs files" in desk.refusal("count", "pipe", "-o", "other", "--resume")
