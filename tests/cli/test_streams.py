"""Standard output and error: results on one, progress on the other, and both may be odd."""

import json
import os
import subprocess
import sys

import pytest
from tests.desk import ended, one_line

COUNT = ["count", "text.txt", "-o", "new", "--min-count", "1"]


def test_progress_goes_to_standard_error_alone(desk):
    done = desk.firth(*COUNT, "--json")
    assert done.code == 0
    assert json.loads(done.out)["words"] == 6
    preflight, counting = done.err.splitlines()
    assert preflight.startswith("reading 46 B, about 8 tokens, on ")
    assert "of memory (limit " in preflight
    assert preflight.endswith(" of disk")
    assert counting == "counting 14 positions of 6 words in 1 chunk"


@pytest.mark.parametrize(
    "command",
    [
        COUNT,
        ["info", "kept"],
        ["merge", "kept", "kept", "-o", "new"],
        ["export", "kept", "-o", "new", "--vocab-file", "new.txt"],
    ],
    ids=lambda command: command[0],
)
def test_quiet_says_nothing_on_success(desk, command):
    done = desk.firth(*command, "--quiet")
    assert (done.code, done.err) == (0, "")
    assert done.out


def test_an_error_after_progress_is_one_line_more(desk):
    done = desk.firth("count", "text.txt", "-o", "new")
    assert done.code == 1
    assert [line.startswith("firth: ") for line in done.err.splitlines()] == [False, True]


def test_plain_lines_where_there_is_no_terminal(desk):
    run = "import firth.cli.progress as p; p.EVERY = 0; from firth.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", run, *COUNT],
        cwd=desk.path, env=desk.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    assert any(line.startswith("reading 100%, 46 B, 12 tokens") for line in lines)
    assert "\x1b" not in done.stderr


def test_bars_on_a_terminal(desk):
    desk.write("text.txt", "the cat sat on the mat\n" * 200_000)
    ours, theirs = os.openpty()
    process = desk.start(*COUNT, "--json", stderr=theirs)
    os.close(theirs)
    shown = b""
    with open(ours, "rb", buffering=0) as terminal:
        while block := _read(terminal):
            shown += block
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert json.loads(out)["ledger"]["tokens"] == 1_200_000
    text = shown.decode()
    assert "━" in text
    assert "tokens/s" in text
    assert "\x1b[2K" in text  # the bar is taken away at the end
    assert "Traceback" not in text


def _read(terminal):
    try:
        return terminal.read(1 << 16)
    except OSError:  # how a terminal ends
        return b""


@pytest.mark.parametrize("command", [["info", "kept"], ["info", "kept", "--json"], COUNT])
def test_a_reader_that_goes_away(desk, command):
    reading, writing = os.pipe()
    os.close(reading)
    process = desk.start(*command, "--quiet", stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, b"")
    if command == COUNT:
        assert desk.result("info", "new")["words"] == 6


def test_an_output_that_is_full(desk):
    with open("/dev/full", "wb") as full:
        process = desk.start("info", "kept", stdout=full)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "No space left on device" in one_line(ended(process, b"", err))


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_streams_that_are_closed(desk, stream):
    close = f"import os; os.close({stream})"
    done = desk.firth(*COUNT, first=close)
    assert done.code == 0
    assert (desk / "new").exists()
    assert desk.firth("info", "nowhere", first=close).code == 1
    if stream == 0:
        line = desk.refusal("count", "-", "-o", "other", first=close)
        assert line == "standard input is closed: pipe a text into it"


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
def test_words_that_the_terminal_cannot_show(desk, encoding):
    desk.write("text.txt", "naïve Ἀθῆναι 日本語 😀x\n" * 2)
    desk.environment["PYTHONIOENCODING"] = encoding
    assert desk.result(*COUNT, "--tokenizer", "whitespace")["words"] == 4
    found = desk.result("info", "new")
    assert {word for word, _ in found["most_frequent"]} == {"naïve", "Ἀθῆναι", "日本語", "😀x"}
    with desk.start("info", "new") as process:
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")
    assert b"most frequent: " in out
