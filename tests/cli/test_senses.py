"""firth senses, induce, tag and score."""

import shutil
import signal
import time

import numpy as np
import pytest
from tests.senses.conftest import planted

import firth
from firth.evaluation.induction import graded_scores, read_key

GOLD = "".join(f"bank.n bank.n.{n} {'x' if n % 2 else 'y'}\n" for n in range(20))


@pytest.fixture(scope="module")
def text():
    return "\n".join(planted()) + "\n"


@pytest.fixture(scope="module")
def stores(tmp_path_factory, text):
    """Counts and senses, made once."""
    folder = tmp_path_factory.mktemp("stores")
    counts = firth.count(text.splitlines(), window=5, weighting="flat")
    counts.save(folder / "counts")
    firth.Senses.learn(counts, ["bank", "a1"]).save(folder / "senses")
    return folder


@pytest.fixture
def learnt(desk, text, stores):
    desk.write("text.txt", text)
    shutil.copytree(stores, desk.path, dirs_exist_ok=True)
    return desk


def test_senses_are_shown_and_stored(learnt, store_bytes):
    found = learnt.result("senses", "counts", "-o", "same", "--words", "bank,a1")
    assert (found["words"], found["senses"]) == (2, 4)
    assert store_bytes(learnt / "same") == store_bytes(learnt / "senses")
    first = found["readings"]["bank"][0]
    assert first["name"] == "bank_1"
    assert len({word[0] for word, _ in first["contexts"]}) == 1
    senses = firth.Senses.load(learnt / "senses")
    assert [one.share for one in senses.of("bank")] == [
        reading["share"] for reading in found["readings"]["bank"]
    ]
    done = learnt.firth("senses", "counts", "-o", "again", "--words", "bank", "--k", "3",
                        "--clustering", "nndsvd", "--text", "text.txt", "--top", "4")  # fmt: skip
    assert done.code == 0
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("bank_")] == [
        "bank_1", "bank_2", "bank_3",
    ]  # fmt: skip
    assert sum(line.startswith("  contexts  ") for line in lines) == 3
    assert any(line.startswith("  example   ") and "bank" in line for line in lines)
    assert lines[-1].startswith("again: Senses(1 word × 3.0 senses; nndsvd), ")


def test_a_sense_a_line_best_first(learnt):
    done = learnt.firth("induce", "senses", "bank", "a1 a2 the bank a3 a4 a5 b1")
    assert (done.code, done.err) == (0, "")
    best, other = (line.split() for line in done.out.splitlines())
    assert (best[1], float(other[1]) < 1) == ("1.0000", True)
    assert {word[0] for word in best[2:]} == {"a"}
    found = learnt.result(
        "induce", "senses", "bank", "-", stdin=b"a1 a2 a3 a4 a5\n\nb1 b2 b3 b4 b5\n"
    )
    first, second = (one["senses"][0]["name"] for one in found)
    assert (best[0], {first, second}) == (first, {"bank_1", "bank_2"})


def test_an_unknown_context_is_said(learnt):
    done = learnt.firth("induce", "senses", "bank", "nobody knows")
    assert done.code == 0
    assert "no word of the sentence is a context of 'bank'" in done.err
    assert [line.split()[0] for line in done.out.splitlines()] == ["bank_1", "bank_2"]


def test_a_space_and_a_page_beside_the_senses(learnt):
    learnt.result("senses", "counts", "-o", "more", "--words", "bank", "--space", "space", "--dim",
                  "4", "--html", "page.html", "--text", "text.txt", "--no-keep-words")  # fmt: skip
    space = firth.load(learnt / "space")
    assert "bank_1" in space
    assert "bank" not in space
    page = (learnt / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "bank_2" in page
    assert "http" not in page


def test_a_whole_vocabulary_by_a_table(learnt):
    learnt.write("table.tsv", "bank\tn\t3\na1\tn\t1\nzebra\tn\t4\n")
    found = learnt.result("senses", "counts", "-o", "all", "--table", "table.tsv", "--k",
                          "wordnet", "--pool")  # fmt: skip
    assert (found["words"], found["senses"], found["readings"]) == (1, 3, {})
    info = learnt.result("info", "all")
    assert (info["kind"], info["senses"]) == ("senses", 3)


def test_tagged_text_can_be_counted(learnt):
    found = learnt.result("tag", "senses", "text.txt", "-o", "tagged.txt")
    assert found["replaced"] > 600
    counted = learnt.result("count", "tagged.txt", "-o", "tagged", "--tokenizer", "whitespace")
    assert counted
    words = firth.load(learnt / "tagged").words
    assert words.frequency("bank_1") > 100
    done = learnt.firth("tag", "senses", "text.txt", "-o", "tagged.txt")
    assert (done.code, "tagged.txt: exists" in done.err) == (1, True)


def test_a_task_is_answered_and_scored(learnt):
    lines = [line for line in planted() if "bank" in line.split()][:30]
    body = "".join(
        f"<instance id='bank.n.{n}'><context>{line.replace('bank', '<head>bank</head>')}"
        "</context></instance>"
        for n, line in enumerate(lines)
    )
    learnt.write("task.xml", f"<corpus><lexelt item='bank.n'>{body}</lexelt></corpus>")
    gold = "".join(
        f"bank.n bank.n.{n} {'x' if 'a' in line.replace('bank', '')[:4] else 'y'}\n"
        for n, line in enumerate(lines)
    )
    learnt.write("gold.key", gold)
    found = learnt.result("induce", "senses", "--instances", "task.xml", "--key", "answers.key")
    assert (found["instances"], found["known"], found["not_divided"]) == (30, 30, 0)
    rows = learnt.result("score", "gold.key", "answers.key")
    assert [row["answers"] for row in rows] == ["answers.key", "(one)", "(each)", "(random)"]
    best = rows[0]
    assert best["AVG"] > max(row["AVG"] for row in rows[1:])
    again = graded_scores(read_key(learnt / "gold.key"), read_key(learnt / "answers.key"))
    assert best["fuzzy NMI"] == again.nmi
    hard = learnt.result("score", "gold.key", "answers.key", "--task", "semeval-2010")
    assert hard[0]["V-measure"] > 0.7


def test_the_table_of_scores(desk):
    desk.write("gold.key", GOLD)
    done = desk.firth("score", "gold.key", "gold.key")
    assert done.out.splitlines()[0].split()[0] == "AVG"
    assert done.out.splitlines()[1].split()[:2] == ["gold.key", "100.00"]
    assert len(done.out.splitlines()) == 5
    assert len(desk.firth("score", "gold.key", "gold.key", "--no-baselines").out.splitlines()) == 2


@pytest.mark.parametrize(
    ("asked", "code", "what"),
    [
        (["senses", "counts", "-o", "x", "--words", "bank", "--k", "0"], 2, "'--k'"),
        (["senses", "counts", "-o", "x", "--words", "bank", "--clustering", "lda"], 2, "spectral"),
        (["senses", "counts", "-o", "x"], 1, "read from a --table"),
        (["senses", "counts", "-o", "x", "--words", "bnak"], 1, "near it: bank"),
        (["senses", "counts", "-o", "x", "--words", "bank", "--k", "wordnet"], 1, "--table"),
        (["senses", "counts", "-o", "x", "--html", "page"], 2, "--html needs"),
        (["senses", "counts", "-o", "counts", "--words", "bank", "--force"], 1, "not a store of"),
        (["senses", "counts", "-o", "x", "--words", "bank", "--space", "s", "--method", "cca"], 1,
         "use firth.methods.SVD"),
        (["senses", "text.txt", "-o", "x", "--words", "bank"], 1, "not a firth store"),
        (["induce", "senses", "a2", "a1"], 1, "'a2' was not divided"),
        (["induce", "senses", "bank"], 2, "give a SENTENCE"),
        (["induce", "senses"], 2, "give WORD and SENTENCE"),
        (["induce", "counts", "bank", "a1"], 1, "not a store of senses"),
        (["tag", "senses", "nowhere.txt", "-o", "x"], 1, "nowhere.txt"),
        (["score", "nowhere.key"], 1, "nowhere.key"),
        (["score", "gold.key", "--no-baselines"], 2, "give ANSWERS"),
        (["score", "gold.key", "--others", "--task", "semeval-2010"], 2, "--others is for"),
    ],
)  # fmt: skip
def test_errors_leave_nothing_behind(learnt, asked, code, what):
    done = learnt.firth(*asked)
    assert (done.code, what in done.err) == (code, True), done.err
    assert "Traceback" not in done.err
    assert not (learnt / "x").exists()
    assert not list(learnt.path.glob("*.partial"))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--space", "space", "--method", "eigenword"], "does not take an association"),
        (["--space", "space", "--method", "none"], "must be one of"),
        (["--text", "missing.txt"], "missing.txt"),
    ],
)
def test_what_cannot_work_is_refused_before_the_counts_are_read(learnt, options, what):
    """The counts are damaged, which only shows once they are read."""
    (learnt / "counts" / "values.npy").write_bytes(b"")
    line = learnt.refusal("senses", "counts", "-o", "new", "--words", "bank", *options)
    assert what in line


def test_outputs_in_one_place_are_refused(learnt):
    before = learnt.snapshot()
    done = learnt.firth("senses", "counts", "-o", "new", "--words", "bank", "--space", "./new")
    assert (done.code, "must name different places" in done.err) == (2, True)
    assert learnt.snapshot() == before


def test_ctrl_c_leaves_nothing_behind(learnt):
    words = [f"w{n}" for n in range(800)]
    generator = np.random.default_rng(0)
    text = [" ".join(generator.choice(words, 40)) for _ in range(1500)]
    firth.count(text, window=5, weighting="flat").save(learnt / "many")
    learnt.write("table.tsv", "".join(f"{word}\t2\n" for word in words))
    before = learnt.snapshot()
    process = learnt.start("senses", "many", "-o", "new", "--table", "table.tsv",
                           "--clustering", "nmf", "--k", "5", "--threads", "2",
                           "--space", "space")  # fmt: skip
    read = b""
    while b"weighing" not in read:
        piece = process.stderr.read1(4096)
        assert piece, read
        read += piece
    time.sleep(0.5)  # words are being divided
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, b"")
    assert (read + err).endswith(b"firth: interrupted\n")
    assert learnt.snapshot() == before
    assert learnt.leftovers() == []
