"""Commands on stores: info, merge, export and import, and what is none."""

import json
import shutil

import numpy as np
import pytest

import firth

SHOWN = {
    "store", "words", "contexts", "offsets", "nonzeros", "scale", "seconds", "recipe", "ledger",
}  # fmt: skip
RECORD = np.dtype([("word", "<i4"), ("context", "<i4"), ("count", "<f8")])


def test_what_json_holds(desk):
    counted = desk.result("count", "text.txt", "-o", "new", "--min-count", "1")
    assert counted.keys() == SHOWN
    assert counted["ledger"]["tokens"] == 12
    shown = desk.result("info", "new")
    assert shown.keys() == SHOWN - {"seconds"} | {"kind", "total", "bytes", "most_frequent"}
    assert {name: shown[name] for name in SHOWN - {"seconds"}} == {
        name: counted[name] for name in SHOWN - {"seconds"}
    }
    assert shown["most_frequent"][:2] == [["the", 4], ["cat", 2]]
    assert shown["total"] == 2520 * 2 * 2 * sum((6 - d) / d for d in range(1, 6))
    assert shown["bytes"] == sum(file.stat().st_size for file in (desk / "new").iterdir())
    merged = desk.result("merge", "new", "kept", "-o", "sum")
    assert merged.keys() == SHOWN
    exported = desk.result("export", "kept", "-o", "records.bin", "--vocab-file", "vocab.txt")
    assert exported == {"records": 29, "words": 6}
    imported = desk.result("import", "records.bin", "--vocab-file", "vocab.txt", "-o", "back")
    assert imported.keys() == SHOWN


def test_what_a_person_is_shown(desk):
    done = desk.firth("info", "kept")
    assert (done.code, done.err) == (0, "")
    assert "6 words × 6 contexts, 29 nonzeros" in done.out
    assert "most frequent: the 4, cat 2, on 2, sat 2, dog 1, mat 1" in done.out
    assert "tokens read" in done.out


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        ("info", "nowhere", "nowhere: no such store or file: check the name"),
        ("info", "text.txt", "text.txt: not a firth store"),
        ("info", "folder", "folder: not a firth store"),
        (
            "info",
            "other",
            "other: not a store that this firth reads: its meta.json names the format "
            "'another' where firth-counts, firth-space, firth-hierarchy or firth-senses was "
            "expected: ",
        ),
        ("info", "nameless", "nameless: not a store that this firth reads: its meta.json names no"),
        (
            "info",
            "newer",
            "newer: version 99 of the format; this firth reads 1, 2 and 3: install a newer",
        ),
        ("info", "torn", "torn/columns.npy: "),
        ("info", "short", "short/values.npy: missing: the store is damaged"),
        ("info", "words", "words/words.tsv: line 2 is not a word, a tab and a frequency"),
        ("info", "json", "json/meta.json: not JSON"),
        ("info", "index", "index: the count matrix is damaged"),
        ("merge", "nowhere", "nowhere: no such store: "),
        ("merge", "index", "index: the count matrix is damaged"),
        ("export", "torn", "torn/columns.npy: "),
    ],
)
def test_what_is_not_a_store(desk, command, name, message):
    (desk / "folder").mkdir()
    for damaged in ("newer", "torn", "short", "words", "json", "index"):
        shutil.copytree(desk / "kept", desk / damaged)
    desk.write("other/meta.json", '{"format": "another"}')
    desk.write("nameless/meta.json", "[]")
    desk.write("newer/meta.json", '{"format": "firth-counts", "version": 99}')
    desk.write("torn/columns.npy", (desk / "kept/columns.npy").read_bytes()[:150])
    (desk / "short/values.npy").unlink()
    desk.write("words/words.tsv", "the\t4\ncat\n")
    desk.write("json/meta.json", "{" * 100_000)
    columns = bytearray((desk / "kept/columns.npy").read_bytes())
    columns[-4:] = b"\xff\xff\xff\x7f"
    desk.write("index/columns.npy", bytes(columns))
    options = {
        "info": [],
        "merge": ["kept", "-o", "kept", "--force"],
        "export": ["-o", "new", "--vocab-file", "new.txt"],
    }
    line = desk.refusal(command, name, *options[command])
    assert message in line


def test_a_sum(desk):
    # The output may be one of the stores that are added.
    desk.result("merge", "kept", "kept", "kept", "-o", "kept", "--force", "--threads", "2")
    tripled = firth.Counts.load(desk / "kept")
    assert tripled.words.frequency("the") == 12
    # "the dog sat on the cat": the at distances 1 and 3, sat at 1, on at 2, cat at 4.
    assert dict(tripled.row("dog")) == {"the": 4, "cat": 0.75, "on": 1.5, "sat": 3}
    assert desk.leftovers() == []


def test_sums_that_cannot_be(desk):
    desk.result("count", "text.txt", "-o", "narrow", "--min-count", "1", "--window", "2")
    line = desk.refusal("merge", "kept", "narrow", "-o", "new")
    assert "counts of different window cannot be added: the first has 10, another 2" in line
    assert "two or more" in desk.refusal("merge", "kept", "-o", "new")
    line = desk.refusal("merge", "kept", "kept", "-o", "narrow")
    assert line == "narrow: exists: choose another name, or replace it with --force"
    line = desk.refusal("merge", "kept", "kept", "-o", "text.txt", "--force")
    assert line == "text.txt: exists and is not a store of counts: choose another name"
    line = desk.refusal("merge", "kept", "kept", "-o", "new", "--memory", "1M")
    assert " of memory is too little to merge " in line


def test_export_and_import_give_the_same_counts(desk):
    desk.result("count", "text.txt", "-o", "harmonic", "--min-count", "1", "--window", "5")
    desk.result("export", "harmonic", "-o", "records.bin", "--vocab-file", "vocab.txt")
    records = np.fromfile(desk / "records.bin", RECORD)
    assert (desk / "vocab.txt").read_text().splitlines()[0] == "the 4"
    # Two lines of six words, both ways: 6 - d pairs at each distance d.
    expected = 2 * 2 * sum((6 - distance) / distance for distance in range(1, 6))
    assert records["count"].sum() == pytest.approx(expected)
    found = desk.result(
        "import", "records.bin", "--vocab-file", "vocab.txt", "-o", "back", "--window", "5"
    )
    assert (found["scale"], found["ledger"]["largest_rounding"]) == (60, 0)
    for name in ("words.tsv", "starts.npy", "columns.npy", "values.npy"):
        assert (desk / "back" / name).read_bytes() == (desk / "harmonic" / name).read_bytes()


def test_the_former_name_of_the_vocabulary_file_works_with_a_warning(desk):
    warning = "firth: warning: --vocab is deprecated: use --vocab-file\n"
    done = desk.firth("export", "kept", "-o", "records.bin", "--vocab", "vocab.txt")
    assert (done.code, done.err) == (0, warning)
    done = desk.firth("import", "records.bin", "-o", "back", "--vocab=vocab.txt")
    assert (done.code, done.err) == (0, warning)
    assert "--vocab " not in desk.firth("export", "--help").out


def test_an_imported_store_says_what_is_not_known(desk):
    desk.result("count", "text.txt", "-o", "harmonic", "--min-count", "1", "--window", "5")
    desk.result("export", "harmonic", "-o", "records.bin", "--vocab-file", "vocab.txt")
    command = ["import", "records.bin", "--vocab-file", "vocab.txt", "-o"]
    assert desk.result(*command, "back")["recipe"]["window"] == "unknown"
    told = desk.result(*command, "told", "--window", "5")["recipe"]
    assert (told["window"], told["weighting"], told["context"]) == (5, "harmonic", "unknown")
    shown = desk.firth("info", "back").out
    assert "recipe: source=matrix; not known: window, weighting, context, diagonal" in shown


def test_a_sum_shows_what_its_parts_had(desk):
    for least in ("1", "2"):
        desk.result("count", "text.txt", "-o", f"least{least}", "--min-count", least)
    desk.result("merge", "least2", "least1", "-o", "sum")
    assert "min_count=2 and 1, " in desk.firth("info", "sum").out


def test_export_leaves_what_exists(desk):
    desk.write("records.bin", "precious")
    export = ["export", "kept", "-o", "records.bin", "--vocab-file"]
    line = desk.refusal(*export, "vocab.txt")
    assert line == "records.bin: exists: choose another name, or replace it with --force"
    assert desk.refusal(*export, "./records.bin", "--force").startswith(
        "records.bin: the same file for records and vocabulary"
    )
    assert "is a folder" in desk.refusal(*export, "kept", "--force")
    assert "cannot be written: " in desk.refusal(*export, "nowhere/vocab.txt", "--force")
    desk.result(*export, "vocab.txt", "--force")
    assert (desk / "records.bin").stat().st_size == 29 * RECORD.itemsize


def records(*rows):
    return np.array(list(rows), RECORD).tobytes()


GOOD = records((1, 2, 1.0), (2, 1, 1.0))
VOCABULARY = b"the 4\ncat 2\n"


@pytest.mark.parametrize(
    ("content", "vocabulary", "message"),
    [
        (GOOD[:-1], VOCABULARY, "31 bytes are not a whole number of 16-byte records"),
        (records((1, 3, 1.0)), VOCABULARY, "record 1 names a word outside the vocabulary"),
        (records((1, 2, 1.0), (0, 1, 1.0)), VOCABULARY, "record 2 names a word outside"),
        (records((1, 1, float("nan"))), VOCABULARY, "record 1 holds nan, not a count"),
        (records((1, 1, -1.0)), VOCABULARY, "record 1 holds -1.0, not a count"),
        (records((1, 1, 1e300)), VOCABULARY, "2^63"),
        (records(*[(1, 1, 2.0**44)] * 3), VOCABULARY, "2^63"),
        (GOOD, b"", "the vocabulary file holds no words"),
        (GOOD, b"the 4\nthe 2\n", "the word 'the' is given twice"),
        (GOOD, b"the 4\ncat\n", "line 2 is not a word, a space and a frequency"),
        (GOOD, b"the 4\ncat 9999999999999999999\n", "line 2 is not a word"),
        (GOOD, b"the 4\nc\xff 2\n", "not UTF-8 at byte 7"),
        (GOOD, None, "vocab.txt: cannot be read: No such file"),
        (None, VOCABULARY, "records.bin: cannot be read: No such file"),
    ],
)
def test_hostile_records(desk, content, vocabulary, message):
    if content is not None:
        desk.write("records.bin", content)
    if vocabulary is not None:
        desk.write("vocab.txt", vocabulary)
    line = desk.refusal(
        "import", "records.bin", "--vocab-file", "vocab.txt", "-o", "kept", "--force"
    )
    assert message in line


def test_a_word_with_white_space_cannot_be_exported(desk):
    meta = json.loads((desk / "kept/meta.json").read_text())
    desk.write("kept/words.tsv", (desk / "kept/words.tsv").read_text().replace("cat", "c t"))
    assert meta["same_contexts"]
    line = desk.refusal("export", "kept", "-o", "new", "--vocab-file", "new.txt")
    assert "the word 'c t' holds white space" in line
