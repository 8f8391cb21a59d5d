"""Bad input: one line that names what and where, exit 1, and what existed is left as it was."""

import bz2
import gzip
import lzma
import os
import random
import shutil
import subprocess
import sys

import pytest
from tests.desk import FIRTH

# Into a new folder, and in the place of a store, which must survive.
OUTPUTS = [["-o", "new"], ["-o", "kept", "--force"]]
CHATTER = bytes(random.Random(1).choices(b"abc def\n", k=50_000))
SOME_TEXT = b"some words that keep company\n" * 40

NO_TEXT = {
    "empty": (b"", "bad.txt is empty: there is nothing to count"),
    "mark-only": (b"\xef\xbb\xbf", "bad.txt is empty: there is nothing to count"),
    "blank-lines": (b"\n \n\t\n\r\n\n", "bad.txt holds no words: there is nothing to count"),
    "punctuation": (b"-- ... !!\n?\n", "bad.txt holds no words: there is nothing to count"),
    "one-word": (b"hello", "'hello', occurs 1; lower --min-count"),
    "rare-words": (b"a b b c c c c\n", "no word occurs 5 times: the most frequent, 'c', occurs 4;"),
}
BINARY = {
    "gzip": (gzip.compress(SOME_TEXT), "gzip data: give it a name ending in .gz"),
    "bzip2": (bz2.compress(SOME_TEXT), "bzip2 data: give it a name ending in .bz2"),
    "xz": (lzma.compress(SOME_TEXT), "xz data: give it a name ending in .xz"),
    "zstandard": (b"\x28\xb5\x2f\xfd\x24\x00", "Zstandard data: give it a name ending in .zst"),
    "zip": (b"PK\x03\x04\x14\x00\x00\x00", "a zip archive: unpack it first"),
    "utf-16": ("some words".encode("utf-16"), "UTF-16: convert it with iconv"),
    "utf-16-no-mark": ("some words here".encode("utf-16-le"), "convert it to UTF-8 text"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(30), "a picture, not text: leave it out"),
    "elf": (b"\x7fELF\x02\x01\x01" + bytes(50), "a program, not text: leave it out"),
    "npy": (b"\x93NUMPY\x01\x00v\x00{'descr'", "a NumPy array, not text: leave it out"),
    "pdf": (b"%PDF-1.7\n1 0 obj\n", "a PDF document: convert it to text first"),
    "random": (random.Random(0).randbytes(5000), "a binary file"),
    "many-nul": (b"ab\x00cd\x00" * 50, "a binary file"),
}


@pytest.mark.parametrize("case", NO_TEXT)
def test_a_file_with_nothing_to_count(desk, case):
    content, message = NO_TEXT[case]
    desk.write("bad.txt", content)
    assert message in desk.refusal("count", "bad.txt", "-o", "kept", "--force")


@pytest.mark.parametrize("case", BINARY)
def test_a_file_that_is_not_text(desk, case):
    content, message = BINARY[case]
    desk.write("bad.txt", content)
    line = desk.refusal("count", "text.txt", "bad.txt", "-o", "kept", "--force")
    assert line.startswith("bad.txt: this looks like ")
    assert message in line


@pytest.mark.parametrize("output", OUTPUTS, ids=["new", "replacing"])
def test_a_missing_file(desk, output):
    line = desk.refusal("count", "text.txt", "nowhere/no.txt", *output)
    assert line == "nowhere/no.txt: no such file or folder: check the name"


def test_a_pattern_that_matches_nothing(desk):
    line = desk.refusal("count", "*.tex", "-o", "kept", "--force")
    assert line.startswith("*.tex: no file matches this pattern: ")


def test_an_empty_name(desk):
    line = desk.refusal("count", "text.txt", "", "-o", "new")
    assert line.startswith("the name of a file is empty")


@pytest.mark.parametrize("output", OUTPUTS, ids=["new", "replacing"])
def test_a_folder_without_files(desk, output):
    desk.write("folder/.hidden", SOME_TEXT)
    desk.write("folder/.git/text.txt", SOME_TEXT)
    (desk / "folder/below").mkdir()
    line = desk.refusal("count", "folder", *output)
    assert line.startswith("folder: the folder holds no files: ")


@pytest.mark.parametrize("target", ["nowhere.txt", "loop.txt"])
def test_a_link_to_nowhere_in_a_folder(desk, target):
    desk.write("folder/a.txt", SOME_TEXT)
    (desk / "folder/loop.txt").symlink_to(target)
    line = desk.refusal("count", "folder", "-o", "new")
    assert line.startswith("folder/loop.txt: cannot be read: ")
    assert line.endswith("make it readable, or leave it out")


def _zstd(content):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(content)


COMPRESSORS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": _zstd}


def _flip(data):
    middle = len(data) // 2
    return (
        data[:middle]
        + bytes(byte ^ 0x55 for byte in data[middle : middle + 8])
        + data[middle + 8 :]
    )


DAMAGES = {
    "cut-short": lambda data: data[: len(data) // 2],
    "last-byte-missing": lambda data: data[:-1],
    "flipped": _flip,
    "text": lambda _: SOME_TEXT,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_damaged_compressed_files(desk, suffix, damage):
    name = f"bad.txt{suffix}"
    desk.write(name, DAMAGES[damage](COMPRESSORS[suffix](CHATTER)))
    line = desk.refusal("count", "text.txt", name, "-o", "kept", "--force")
    assert line.startswith(f"{name}: the compressed data is damaged or cut short (")
    assert line.endswith("): fetch it again")


def test_malformed_utf8_when_it_must_not_be(desk):
    desk.write("bad.txt", b"some text \xff\xfe here\n")
    line = desk.refusal(
        "count", "text.txt", "bad.txt", "-o", "kept", "--force", "--encoding-errors", "strict"
    )
    assert line.startswith("bad.txt: not UTF-8 at byte 10: convert it with iconv, or ")
    assert "--encoding-errors replace" in line


def test_a_vocabulary_emptied_by_min_count_names_the_largest_count(desk):
    line = desk.refusal("count", "text.txt", "-o", "kept", "--force", "--min-count", "5")
    assert line == "no word occurs 5 times: the most frequent, 'the', occurs 4; lower --min-count"


def test_contexts_emptied(desk):
    line = desk.refusal(
        "count", "text.txt", "-o", "new", "--min-count", "1", "--context-min-count", "9"
    )
    assert line.endswith("lower --context-min-count")


def test_a_long_word_does_not_make_a_long_message(desk):
    desk.write("bad.txt", "ab" * 100_000)
    assert len(desk.refusal("count", "bad.txt", "-o", "new")) < 200


@pytest.mark.parametrize(
    "name",
    ["with space.txt", "with\nline.txt", "with\x1b[31m.txt", "é.txt", os.fsdecode(b"\xff.txt")],
)
def test_odd_names_in_messages(desk, name):
    desk.write(name, b"")
    line = desk.refusal("count", name, "-o", "new")
    assert line.endswith(" is empty: there is nothing to count")


def test_a_name_that_is_too_long(desk):
    name = "a" * 300
    line = desk.refusal("count", name, "-o", "new")
    assert "File name too long" in line
    assert len(line) < 200


# Root may read everything; these are the capabilities that let it.
DROP = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
if os.geteuid() == 0:
    for capability in (1, 2):
        if libc.prctl(24, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
"""


@pytest.fixture(scope="module")
def obeying(tmp_path_factory):
    """What makes a process obey permissions, or a skip where nothing does."""
    locked = tmp_path_factory.mktemp("locked") / "locked"
    locked.touch()
    locked.chmod(0)
    look = f"import os, sys; os.execvp('cat', ['cat', {str(locked)!r}])"
    tried = subprocess.run(
        [sys.executable, "-c", DROP + look], capture_output=True, check=False, text=True
    )
    if tried.returncode == 0 or "Permission denied" not in tried.stderr:
        pytest.skip("this system reads files whatever their permissions")
    return DROP


@pytest.mark.parametrize("output", OUTPUTS, ids=["new", "replacing"])
def test_a_file_without_permission(desk, obeying, output):
    desk.write("bad.txt", SOME_TEXT).chmod(0)
    line = desk.refusal("count", "text.txt", "bad.txt", *output, first=obeying)
    assert line == "bad.txt: cannot be read: Permission denied: make it readable, or leave it out"


def test_a_compressed_file_without_permission(desk, obeying):
    desk.write("bad.txt.gz", gzip.compress(SOME_TEXT)).chmod(0)
    line = desk.refusal("count", "bad.txt.gz", "-o", "new", first=obeying)
    assert line.startswith("bad.txt.gz: cannot be read: Permission denied")


@pytest.mark.parametrize("given", ["folder", "folder/a.txt", "above"])
def test_a_folder_without_permission(desk, obeying, given):
    desk.write("folder/a.txt", SOME_TEXT)
    (desk / "above").mkdir()
    shutil.move(desk / "folder", desk / "above/folder")
    (desk / "folder").symlink_to("above/folder")
    (desk / "above/folder").chmod(0)
    try:
        line = desk.refusal("count", given, "-o", "new", first=obeying)
    finally:
        (desk / "above/folder").chmod(0o755)
    assert "cannot be read: Permission denied" in line


@pytest.mark.parametrize("output", ["locked/new", "locked/below/new", "locked/kept"])
def test_an_output_without_permission(desk, obeying, output):
    (desk / "locked").mkdir()
    shutil.copytree(desk / "kept", desk / "locked/kept")
    (desk / "locked").chmod(0o555)
    try:
        line = desk.refusal(
            "count", "text.txt", "-o", output, "--force", "--min-count", "1", first=obeying
        )
    finally:
        (desk / "locked").chmod(0o755)
    assert "cannot be written: Permission denied: choose a folder that you may write to" in line


def test_an_output_in_a_folder_that_cannot_be_entered(desk, obeying):
    (desk / "locked").mkdir()
    (desk / "locked").chmod(0)
    try:
        line = desk.refusal("count", "text.txt", "-o", "locked/new", first=obeying)
    finally:
        (desk / "locked").chmod(0o755)
    assert line.startswith("locked/new: ")
    assert "Permission denied" in line


def test_a_vocabulary_without_permission(desk, obeying):
    desk.write("words.txt", "the\ncat\n").chmod(0)
    line = desk.refusal("count", "text.txt", "-o", "new", "--vocab", "words.txt", first=obeying)
    assert line.startswith("words.txt: cannot be read: Permission denied")


def test_debug_shows_where_an_error_comes_from(desk):
    done = desk.firth("count", "no.txt", "-o", "new", "--debug")
    assert done.code == 1
    assert done.err.startswith("Traceback")
    assert "CorpusError" in done.err


def test_the_command_is_installed():
    assert FIRTH.is_file()
