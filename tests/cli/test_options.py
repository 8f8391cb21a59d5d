"""Options: what each command takes, and what it says to what it does not take."""

import inspect
import re

import pytest

import firth
from firth.cli import COMMANDS

COUNT = ["count", "text.txt", "-o", "new", "--min-count", "1"]


# firth data and firth views are groups of commands, which have the options.
GROUPS = {
    "data": ["list", "get"],
    "views": ["positional", "bitext", "dependencies", "lexicon", "space"],
}
PARTS = [[group, name] for group, names in GROUPS.items() for name in names]
EVERY = [[], *([name] for name in COMMANDS), *PARTS]


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_help(desk, command):
    done = desk.firth(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: firth")
    if command == ["count"]:
        named = {"cleaners": "--clean", "out": "--output"}
        for name in inspect.signature(firth.count).parameters.keys() - {"corpus", "resources"}:
            assert named.get(name, "--" + name.replace("_", "-")) in done.out
    if command not in ([], *([group] for group in GROUPS)):
        assert {"--json", "--quiet", "--debug"} <= set(re.findall(r"--\w+", done.out))
    else:
        assert set(GROUPS[command[0]] if command else COMMANDS) <= set(done.out.split())


def test_version(desk):
    done = desk.firth("--version")
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(r"firth \d+\.\d+\S*\n", done.out)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["cuont"],
        ["count", "text.txt"],
        ["count", "-o", "new"],
        [*COUNT, "--windwo", "5"],
        [*COUNT, "--threads", "0"],
        [*COUNT, "--threads", "4097"],
        ["fit", "kept", "-o", "new", "--threads", str(2**32)],
        [*COUNT, "--window", "0"],
        [*COUNT, "--min-count", "-1"],
        [*COUNT, "--weighting", "cubic"],
        [*COUNT, "--tokenizer", "letters"],
        ["info"],
        ["info", "kept", "kept"],
        ["merge", "kept", "kept"],
        ["export", "kept", "-o", "new"],
        ["import", "text.txt", "-o", "new", "--format", "glove-records"],
        ["import", "text.txt", "-o", "new", "--vocab-file", "text.txt", "--window", "21"],
    ],
    ids=" ".join,
)
def test_wrong_usage(desk, words):
    before = desk.snapshot()
    done = desk.firth(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: firth")
    assert "Traceback" not in done.err
    assert desk.snapshot() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--weighting", "harmonic", "--window", "21"],
            "a harmonic window of 21 is too wide to count exactly: --window must be 20 or less; or "
            "use --weighting linear",
        ),
        (["--window", "1001"], "--window must be 1,000 or less, not 1,001"),
        (["--keep-above", "3"], "--keep-above adds to a fixed vocabulary: give one with --vocab"),
        *(
            (["--memory", size], f"{size!r} is not an amount of memory: write 512M or 4G")
            for size in ("much", "", "0", "-1G", "1e3")
        ),
    ],
)
def test_impossible_options(desk, options, message):
    assert desk.refusal(*COUNT, *options) == message


@pytest.mark.memory
@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_too_little_memory_names_what_will_do(desk, threads):
    desk.write("text.txt", " ".join(f"w{i}" for i in range(40_000)))
    command = [*COUNT, "--threads", threads]
    for size in ("1K", "50M"):
        line = desk.refusal(*command, "--memory", size)
        assert " of memory is too little: " in line
        enough = re.search(r"need (?:about )?(\d+M); raise --memory", line)
        assert enough, line
    assert desk.firth(*command, "--memory", enough[1], "--quiet").code == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "words.txt: cannot be read: No such file or directory"),
        (b"", "words.txt: the vocabulary file holds no words"),
        (b"\n \n\t\n", "words.txt: the vocabulary file holds no words"),
        (b"caf\xe9\n", "words.txt: not UTF-8 at byte 3"),
        (b"absent\n", "lower --min-count, or give other words"),
    ],
    ids=["missing", "empty", "blank", "latin-1", "emptied"],
)
def test_bad_vocabularies(desk, content, message):
    if content is not None:
        desk.write("words.txt", content)
    line = desk.refusal(
        "count", "text.txt", "-o", "kept", "--force", "--vocab", "words.txt", "--min-count", "1"
    )
    assert message in line


def test_a_vocabulary_that_is_a_folder(desk):
    assert "Is a directory" in desk.refusal(*COUNT, "--vocab", "kept")


def test_a_vocabulary_is_brought_to_the_form_of_the_tokens(desk):
    desk.write("words.txt", "\ufeffThe\t12\r\nTHE\ncat\ncat\n\nabsent\n")
    options = ["count", "text.txt", "--vocab", "words.txt"]
    assert desk.result(*options, "-o", "new")["words"] == 3
    assert (desk / "new/words.tsv").read_text() == "the\t4\ncat\t2\nabsent\t0\n"
    found = desk.result(*options, "-o", "more", "--keep-above", "1", "--min-count", "1")
    assert found["words"] == 4
    assert (desk / "more/words.tsv").read_text() == "the\t4\ncat\t2\non\t2\nsat\t2\n"


def test_options_reach_the_recipe(desk):
    options = {
        "window": 3, "weighting": "harmonic", "context": "positional", "rare": "gap",
        "min_count": 2, "max_vocab": 3, "context_min_count": 1, "max_contexts": 4,
        "tokenizer": "whitespace", "encoding_errors": "strict",
    }  # fmt: skip
    words = [str(word) for name, value in options.items() for word in (_option(name), value)]
    found = desk.result(
        "count", "text.txt", "-o", "new", *words, "--no-diagonal", "--lower", "--clean", "tweets",
        "--threads", "3", "--memory", "1G",
    )  # fmt: skip
    expected = {
        **options, "diagonal": False, "lower": True, "cleaners": ["tweets"], "vocab": None,
        "keep_above": None, "source": "text",
    }  # fmt: skip
    assert found["recipe"] == expected
    assert (found["words"], found["contexts"], found["scale"]) == (3, 4, 6)
    assert found["offsets"] == [-3, -2, -1, 1, 2, 3]


def _option(name):
    return "--" + name.replace("_", "-")
