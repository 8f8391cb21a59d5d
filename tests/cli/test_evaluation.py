"""firth evaluate, compare, sweep and data, as a user runs them."""

import csv
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

WORDS = ["king", "queen", "man", "woman", "Paris", "France", "Rome", "Italy", "cat", "dog"]


@pytest.fixture
def tests(desk):
    """Vectors in two files, and a folder of small tests."""
    generator = np.random.default_rng(0)
    for name, seed in (("one.txt", 0), ("two.txt", 1)):
        vectors = np.random.default_rng(seed).standard_normal((len(WORDS), 4))
        lines = [
            f"{w} {' '.join(f'{x:.6f}' for x in v)}" for w, v in zip(WORDS, vectors, strict=True)
        ]
        desk.write(name, "\n".join(lines) + "\n")
    pairs = [
        f"{WORDS[a]}\t{WORDS[b]}\t{(a * b) % 7}" for a, b in generator.integers(0, 10, size=(40, 2))
    ]
    desk.write("tests/rg65.tsv", "\n".join([*pairs, "unknown\tking\t3"]) + "\n")
    desk.write("tests/mc30.tsv", "\n".join(pairs[:20]) + "\n")
    desk.write("tests/questions-words.txt", ": royal\nman king woman queen\nman king dog cat\n"
                                            ": gram-city\nparis france rome italy\n")  # fmt: skip
    desk.write("tests/esl.txt", "king | queen | cat | dog\nman | woman | Rome | Italy\n")
    desk.write("tests/ap.tsv", "king\tperson\nqueen\tperson\ncat\tanimal\ndog\tanimal\n")
    desk.environment["FIRTH_DATA"] = str(desk / "tests")
    desk.environment["FIRTH_CACHE"] = str(desk / "cache")
    return desk


ALL = "similarity,analogy,synonyms,categorization"


def test_every_task_is_scored_with_its_coverage(tests):
    found = tests.result("evaluate", "one.txt", "two.txt", "--suite", ALL, "--analogy", "both")
    assert tests.result("evaluate", "one.txt", "two.txt", "--analogy", "both") == found
    rows = {(row["space"], row["test"], row["measure"]): row for row in found["rows"]}
    assert len(rows) == 2 * 8
    for space in ("one.txt", "two.txt"):
        assert rows[space, "rg65", "Spearman"]["covered"] == 40
        assert rows[space, "rg65", "Spearman"]["total"] == 41
        assert rows[space, "google", "accuracy, 3CosMul"]["covered"] == 3
        assert rows[space, "esl", "accuracy"]["total"] == 2
        assert rows[space, "ap", "purity, k-means"]["covered"] == 4
        mean = rows[space, "mean of 2 similarity sets", "Spearman"]
        assert (mean["covered"], mean["low"]) == (60, None)
    assert found["rules"] == {
        "case": "fold", "oov": "skip", "restrict": None, "half": "whole", "common": False,
        "resamples": 1000, "level": 0.95, "seed": 0,
    }  # fmt: skip


def test_what_a_person_is_shown(tests):
    done = tests.firth("evaluate", "one.txt", "--suite", "rg65,google", "--sections")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["test", "measure", "covered", "one.txt"]
    assert [line.split("  ")[0].strip() for line in lines[1:]] == [
        "rg65", "google", "google: semantic", "google: syntactic", "google: royal",
        "google: gram-city",
    ]  # fmt: skip
    assert " 40/41 " in lines[1]
    assert [line.split(":")[0] for line in done.err.splitlines()] == [
        "case", "unknown words", "vocabulary", "items", "ties", "intervals", "scores × 100",
    ]  # fmt: skip
    assert "unknown words: items with an unknown word left out" in done.err
    assert tests.firth("evaluate", "one.txt", "--suite", "rg65", "-q").err == ""


def test_every_rule_is_heard_and_printed(tests):
    words = ["--case", "exact", "--oov", "zero", "--restrict", "9", "--half", "dev", "--common",
             "--resamples", "7", "--level", "0.5", "--seed", "3"]  # fmt: skip
    found = tests.result("evaluate", "one.txt", "--suite", "google", *words)
    assert found["rules"] == {
        "case": "exact", "oov": "zero", "restrict": 9, "half": "dev", "common": True,
        "resamples": 7, "level": 0.5, "seed": 3,
    }  # fmt: skip
    assert (found["rows"][0]["total"], found["rows"][0]["covered"]) == (1, 0)
    done = tests.firth("evaluate", "one.txt", "--suite", "google", *words)
    assert "vocabulary: the 9 most frequent words that all the spaces share" in done.err


def test_one_command_prints_the_readmes_table(tests):
    words = ["evaluate", "one.txt", "two.txt", "--suite", "rg65,mc30,google", "--analogy", "both"]
    rows = tests.result(*words)["rows"]
    done = tests.firth(*words, "--summary", "--format", "markdown", "--name", "the one", "--name",
                       "other", "-q")  # fmt: skip
    header, _, *lines = done.out.split("\n\n")[0].splitlines()
    mean = next(row for row in rows if row["task"] == "average")
    google = next(row for row in rows if row["test"] == "google")
    assert header == (
        f"| space | mean of 2 similarity sets ({mean['covered']}/{mean['total']}) | google, better "
        f"of 3CosAdd and 3CosMul ({google['covered']}/{google['total']}) |"
    )
    for line, name, space in zip(lines, ("the one", "other"), ("one.txt", "two.txt"), strict=True):
        own = [row for row in rows if row["space"] == space]
        average = next(row["score"] for row in own if row["task"] == "average")
        best = max(row["score"] for row in own if row["test"] == "google")
        assert line == f"| {name} | {100 * average:.1f} | {100 * best:.1f} |"
    assert "intervals:" not in done.out
    shown = tests.firth(*words, "--summary")
    assert shown.out.split()[:2] == ["space", "mean"]
    assert "ties: equal similarities share a rank, a word and itself have 1" in shown.err
    alone = tests.firth("evaluate", "one.txt", "--suite", "rg65", "--summary").out
    assert alone.splitlines()[0].split() == ["space", "rg65", "(40/41)"]


def test_a_summary_has_the_coverage_of_each_space_where_they_differ(tests):
    tests.write("few.txt", "\n".join((tests / "one.txt").read_text().splitlines()[:9]) + "\n")
    words = ["evaluate", "one.txt", "few.txt", "--suite", "rg65,google"]
    header, *lines = tests.firth(*words, "--summary", "--format", "markdown").out.splitlines()[:4:1]
    assert header == "| space | rg65 | google, 3CosAdd |"
    found = {(row["space"], row["test"]): row for row in tests.result(*words)["rows"]}
    assert lines[1].split(" | ")[1].endswith(" 40/41")
    few = found["few.txt", "rg65"]
    assert f" {few['covered']}/41 " in lines[2]
    assert few["covered"] < 40


def test_names_of_spaces_that_do_not_fit(tests):
    words = ["evaluate", "one.txt", "two.txt", "--suite", "rg65"]
    assert (
        "--name must be given once for each of the 2 spaces"
        in tests.firth(*words, "--name", "a").err
    )
    assert "is empty or not unique" in tests.firth(*words, "--name", "a", "--name", "a").err
    assert "--summary cannot be combined" in tests.firth(*words, "--summary", "--json").err


def test_markdown_csv_and_figure(tests):
    words = ["evaluate", "one.txt", "two.txt", "--suite", "rg65,mc30", "-q"]
    done = tests.firth(*words, "--format", "markdown", "--figure", "scores.svg")
    assert done.out.startswith("| test | measure | covered | one.txt | two.txt |\n|---|---|")
    assert "| rg65 | Spearman | 40/41 | " in done.out
    assert "\n- unknown words: items with an unknown word left out\n" in done.out
    assert (tests / "scores.svg").read_bytes().startswith(b"<?xml")
    rows = list(csv.DictReader(io.StringIO(tests.firth(*words, "--format", "csv").out)))
    exact = tests.result(*words[:-1])["rows"]
    assert [float(row["score"]) for row in rows] == [row["score"] for row in exact]
    assert tests.leftovers() == []


def test_stored_spaces_and_files_of_ones_own(tests):
    tests.result("import", "one.txt", "-o", "space")
    words = ["--suite", "similarity:tests/rg65.tsv,analogy:tests/questions-words.txt"]
    del tests.environment["FIRTH_DATA"]
    one, stored = (tests.result("evaluate", name, *words)["rows"] for name in ("one.txt", "space"))
    assert [row["score"] for row in one] == [row["score"] for row in stored]
    assert [row["test"] for row in one] == ["rg65", "questions-words"]


def test_a_comparison_in_words_and_numbers(tests):
    found = tests.result("compare", "one.txt", "two.txt", "--suite", "rg65,google,esl,ap")
    assert [row["test"] for row in found["differences"]] == ["rg65", "google", "esl", "ap", "ap"]
    rg65 = found["differences"][0]
    assert (rg65["by"], rg65["items"], rg65["total"]) == ("Steiger", 40, 41)
    assert rg65["difference"] == pytest.approx(rg65["second"] - rg65["first"])
    done = tests.firth("compare", "one.txt", "two.txt", "--suite", "rg65,google")
    assert done.code == 0
    assert "rg65: " in done.out
    assert "Of 2 tests, two.txt is better on " in done.out
    assert "Their similarities correlate with each other at " in done.out
    words = ["compare", "one.txt", "two.txt", "--suite", "rg65,google,esl,ap", "-q", "--format"]
    rows = list(csv.DictReader(io.StringIO(tests.firth(*words, "csv").out)))
    assert [float(row["p"]) for row in rows] == [row["p"] for row in found["differences"]]
    assert tests.firth(*words, "markdown").out.startswith("| test | covered | one.txt | two.txt | ")
    same = tests.result(
        "compare", "one.txt", "two.txt", "--suite", "rg65", "--significance", "0.01"
    )
    assert same["significance"] == 0.01
    assert same["rules"]["common"] is True


def test_a_sweep_goes_on_and_draws(tests):
    tests.write("tests/mc30.tsv", "cat\tdog\t3\nthe\tmat\t1\non\tsat\t2\ncat\tmat\t0\n")
    words = ["sweep", "kept", "--method", "eigenword", "--grid", "threshold=-6,0", "--grid",
             "dim=2,3", "--suite", "mc30", "-o", "out"]  # fmt: skip
    found = tests.result(*words, "--figure", "sweep.svg")
    assert [point["settings"] for point in found["points"]] == [
        {"threshold": t, "dim": d} for t in (-6.0, 0.0) for d in (2, 3)
    ]
    assert sorted(path.name for path in (tests / "out").iterdir()) == [
        *(f"point-000{i}.json" for i in range(4)), "sweep.json", "table.csv",
    ]  # fmt: skip
    assert found["rules"]["oov"] == "skip"
    assert (tests / "sweep.svg").exists()
    before = (tests / "out" / "point-0000.json").stat().st_mtime_ns
    assert tests.result(*words) == found
    assert (tests / "out" / "point-0000.json").stat().st_mtime_ns == before
    line = tests.refusal(*words, "--oov", "zero")
    assert line == "out: holds another sweep: choose another name, or replace it with --force"
    assert len(tests.result(*words, "--oov", "zero", "--force")["points"]) == 4
    shown = tests.firth(*words[:-2], "--format", "markdown", "-q").out
    assert shown.startswith("| threshold | dim | mc30 (4/4) |\n|---|---|---|\n| -6 | 2 | ")


def test_a_sweep_whose_first_fit_fails_leaves_nothing(tests):
    tests.write("apart.txt", "cat\ndog\n")
    tests.result("count", "apart.txt", "-o", "apart", "--min-count", "1")
    words = ["--method", "eigenword", "--suite", "mc30", "-o", "out", "--grid", "dim=2"]
    assert "there are no counts to learn from" in tests.refusal("sweep", "apart", *words)
    assert not (tests / "out").exists()
    assert len(tests.result("sweep", "kept", *words)["points"]) == 1


def test_the_tests_that_are_known_and_here(tests):
    found = {row["name"]: row for row in tests.result("data", "list")}
    assert len(found) == 24
    assert found["rg65"]["here"] == [str(tests / "tests" / "rg65.tsv")]
    assert found["men"]["here"] is None
    assert found["men"]["how"] == "firth data get men"
    assert "bring your own file" in found["toefl"]["how"]
    assert {"task", "format", "items", "licence", "citation", "page", "download", "sha256"} <= set(
        found["ws353"]
    )
    shown = tests.firth("data", "list").out
    assert "toefl" in shown
    tests.environment["FIRTH_DATA"] = str(tests / "to-come")
    assert all(row["here"] is None for row in tests.result("data", "list"))
    del tests.environment["FIRTH_DATA"]
    assert all(row["here"] is None for row in tests.result("data", "list"))
    assert "nowhere: no such folder" in tests.refusal("data", "list", "--data", "nowhere")


class OneFile(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "15")
        self.end_headers()
        self.wfile.write(b"gem jewel 3.94\n")

    def log_message(self, *_):
        pass


def test_a_test_is_fetched_and_found(tests):
    server = ThreadingHTTPServer(("127.0.0.1", 0), OneFile)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/EN-RG-65.txt"
    try:
        found = tests.result("data", "get", "rg65", "--from", address, "-o", "fetched")
        assert found[0]["items"] == 1
        shown = tests.firth("data", "get", "rg65", "--from", address, "-o", "fetched")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert "sha256 as known: " in shown.out
    assert "rg65 has 1 items, where 65 are expected" in shown.err
    rows = {row["name"]: row for row in tests.result("data", "list", "--data", "fetched")}
    assert rows["rg65"]["here"] == ["fetched/rg65/EN-RG-65.txt"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "one.txt", "--suite", "wordsim"], "'wordsim' is not a known set"),
        (["evaluate", "one.txt", "--suite", "men"], "men: not in "),
        (["evaluate", "one.txt", "--data", "nowhere"], "nowhere: no such folder"),
        (["evaluate", "nowhere"], "nowhere"),
        (["evaluate", "one.txt", "./one.txt"], "named twice: name each once"),
        (["evaluate", "one.txt", "--figure", "x.doc"], "x.doc: a figure's name ends in .svg"),
        (["evaluate", "one.txt", "--figure", "no/x.svg"], "no/x.svg: cannot be written: no such"),
        (["sweep", "kept", "--grid", "dim=2,3", "--suite", "rg65", "--memory", "1M"],
         "1.0 MiB of memory is too little: "),
        (["evaluate", "one.txt", "--suite", "similarity:empty.tsv"], "empty.tsv: empty"),
        (["evaluate", "kept"], "kept"),
        (["compare", "one.txt", "nowhere"], "nowhere"),
        (
            ["sweep", "kept", "--grid", "dim=x", "--suite", "rg65"],
            "dim must be a whole number, 1 or more, not 'x'",
        ),
        (["sweep", "kept", "--grid", "dim=0", "--suite", "rg65"], "dim must be 1 or more"),
        (["sweep", "one.txt", "--grid", "dim=2", "--suite", "rg65"], "one.txt"),
        (["sweep", "kept", "--grid", "dim=2", "--suite", "rg65", "-o", "one.txt"],
         "one.txt: exists and is not a sweep"),
        (["data", "get", "toefl"], "toefl: bring your own file"),
        (["data", "get", "nothing"], "'nothing' is not a known set"),
    ],
)  # fmt: skip
def test_what_is_refused(tests, words, message):
    tests.write("empty.tsv", "")
    assert message in tests.refusal(*words)


def test_a_sweep_that_fails_says_how_to_go_on(tests):
    words = ["sweep", "kept", "--method", "svd", "--grid", "power=1,1e30", "--grid", "dim=2",
             "--suite", "rg65", "-o", "out", "-q"]  # fmt: skip
    done = tests.firth(*words)
    assert done.code == 1
    assert done.err.endswith("finished points are in out: run the same command to continue\n")
    assert done.err.count("\n") == 1
    assert (tests / "out" / "point-0000.json").exists()
    assert not (tests / "out" / "table.csv").exists()


def test_a_sweep_that_did_nothing_leaves_nothing_in_the_way(tests):
    words = ["sweep", "kept", "--suite", "rg65", "-o", "out", "--grid"]
    assert "goes on" not in tests.refusal(*words, "dim=2,0")
    assert not (tests / "out").exists()
    assert len(tests.result(*words, "dim=2,3")["points"]) == 2
    done = tests.firth("sweep", "kept", "--method", "svd", "--grid", "power=1e30", "--grid",
                       "dim=2", "--suite", "rg65", "-o", "other")  # fmt: skip
    assert done.code == 1
    assert "goes on" not in done.err


def test_without_any_tests(tests):
    del tests.environment["FIRTH_DATA"]
    line = tests.refusal("evaluate", "one.txt")
    assert line.startswith("no folder of tests: give one as --data or in FIRTH_DATA")


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate"],
        ["evaluate", "one.txt", "--suite", ","],
        ["evaluate", "one.txt", "--oov", "guess"],
        ["evaluate", "one.txt", "--level", "1"],
        ["compare", "one.txt"],
        ["sweep", "kept"],
        ["sweep", "kept", "--grid", "dim=2", "--grid", "dim=3"],
        ["data", "get", "rg65", "men", "--from", "http://127.0.0.1/x"],
    ],
)
def test_wrong_usage(tests, words):
    done = tests.firth(*words)
    assert (done.code, done.out) == (2, "")


def test_no_covered_items_is_said_in_every_form(tests):
    tests.write("other.txt", "zebra 1 2\nyak 2 1\n")
    words = ["evaluate", "other.txt", "--suite", "rg65,google"]
    for form in ("table", "markdown", "csv"):
        done = tests.firth(*words, "-q", "--format", form)
        assert done.code == 0
        assert "no covered items" in done.out
        assert "nan" not in done.out.lower()
    rows = json.loads(tests.firth(*words, "--json", "-q").out)["rows"]
    assert [(row["score"], row["covered"]) for row in rows] == [(None, 0), (None, 0)]
