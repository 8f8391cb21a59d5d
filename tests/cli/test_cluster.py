"""firth cluster and firth tree: what they print, write and refuse."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import firth

CLUSTER = ["cluster", "positional", "-o", "paths", "--clusters", "3"]


@pytest.fixture
def ready(desk):
    """A desk with positional counts."""
    desk.result(
        "count", "text.txt", "-o", "positional", "--min-count", "1", "--context", "positional",
        "--window", "2", "--weighting", "flat",
    )  # fmt: skip
    return desk


@pytest.mark.parametrize("method", ["spectral", "brown"])
def test_what_json_holds(ready, method):
    found = ready.result(*CLUSTER, "--method", method)
    assert found.keys() == {
        "paths", "words", "clusters", "method", "mutual_information", "gamma", "largest_residual",
        "converged", "seconds",
    }  # fmt: skip
    assert (found["paths"], found["words"], found["clusters"]) == ("paths", 6, 3)
    made = {"spectral": firth.SpectralClusters, "brown": firth.BrownClusters}[method](clusters=3)
    assert found["method"] == made.settings()
    counts = firth.Counts.load(ready / "positional")
    tree = made.fit(counts)
    assert found["mutual_information"] == tree.information(counts)
    assert found["largest_residual"] == tree.recipe.get("largest_residual")
    assert found["converged"] is (True if method == "spectral" else None)
    tree.save(ready / "python")
    assert (ready / "python").read_bytes() == (ready / "paths").read_bytes()
    assert ready.leftovers() == []


def test_what_a_person_is_shown(ready):
    done = ready.firth(*CLUSTER)
    assert done.code == 0
    assert re.fullmatch(
        r"paths: Hierarchy\(6 words, 3 clusters\), mutual information -?\d\.\d{4}, γ \d\.\d\d, "
        r"\d+\.\d s\n", done.out,
    )  # fmt: skip
    memory, weighing = done.err.splitlines()
    assert re.fullmatch(r"about \d+\.\d MiB of memory will be needed", memory)
    assert weighing.startswith("weighing ")
    done = ready.firth(*CLUSTER, "--method", "brown", "--force", "--quiet")
    assert (done.err, "γ" in done.out) == ("", False)


def test_a_warning_if_it_did_not_converge(desk):
    desk.write("text.txt", "\n".join(" ".join(f"w{i * j % 997}" for j in range(60))
                                     for i in range(1, 900)))  # fmt: skip
    desk.result("count", "text.txt", "-o", "positional", "--min-count", "1", "--context",
                "positional", "--window", "2", "--weighting", "flat")  # fmt: skip
    done = desk.firth(*CLUSTER, "--dim", "60", "--tol", "1e-12", "--quiet", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert found["converged"] is False
    assert done.err == (
        f"firth: warning: the largest residual, {found['largest_residual']:.1e}, is above the "
        "tolerance: raise --tol, or lower --dim\n"
    )


def test_options_reach_the_method(ready):
    options = {"context": "R1", "kappa": 2.0, "transform": "none", "dim": 2, "mass": 0.5,
               "tol": 1e-5, "seed": 7}  # fmt: skip
    words = [f"--{name}={value}" for name, value in options.items()]
    found = ready.result(*CLUSTER, *words, "--threads", "2")
    assert found["method"] == {"name": "spectral", "clusters": 3, **options}


@pytest.mark.parametrize("clusters", [2**31, 2**64 - 1, 2**64])
@pytest.mark.parametrize("method", ["spectral", "brown", "ward"])
def test_more_clusters_than_words(ready, method, clusters):
    ready.result("fit", "kept", "-o", "space", "--dim", "3")
    source = "space" if method == "ward" else "positional"
    found = ready.result("cluster", source, "-o", "paths", "--method", method,
                         "--clusters", str(clusters))  # fmt: skip
    assert (found["words"], found["clusters"]) == (6, 6)


def test_the_same_bytes_on_any_number_of_threads(ready):
    for method in ("spectral", "brown"):
        for threads in ("1", "3"):
            ready.result(*CLUSTER[:3], f"{method}{threads}", "--method", method,
                         "--threads", threads, "--clusters", "3")  # fmt: skip
        assert (ready / f"{method}1").read_bytes() == (ready / f"{method}3").read_bytes()


def test_a_space_is_clustered_by_ward(ready):
    ready.result("fit", "kept", "-o", "space", "--dim", "3")
    found = ready.result("cluster", "space", "-o", "paths", "--clusters", "2")
    assert (found["method"]["name"], found["mutual_information"]) == ("ward", None)
    assert found["gamma"] > 1
    line = ready.refusal("cluster", "space", "-o", "new", "--memory", "1M")
    assert line.startswith(
        "1.0 MiB of memory is too little: 6 words and 1,000 clusters need about "
    )
    line = ready.refusal("cluster", "space", "-o", "new", "--method", "brown")
    assert line == "space: is a space: cluster it with --method ward"
    line = ready.refusal("cluster", "positional", "-o", "new", "--method", "ward")
    assert line == "positional: is counts: cluster it with --method spectral or brown"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kappa", "-1"], "kappa must be a number of 0 or more"),
        (["--mass", "3"], "mass must lie between 0 and 1"),
        (["--memory", "1M"], "1.0 MiB of memory is too little: 6 words, "),
        (["--memory", "much"], "'much' is not an amount of memory"),
        (["-o", "nowhere/new"], "nowhere/new: cannot be written: no such folder"),
        (["-o", "text.txt"], "text.txt: exists: choose another name, or replace it with --force"),
        (["-o", "kept", "--force"], "kept: is a folder: choose another name"),
    ],
)
def test_what_is_refused(ready, words, message):
    assert message in ready.refusal(*CLUSTER, *words)


def test_counts_that_do_not_tell_positions(ready):
    line = ready.refusal("cluster", "kept", "-o", "new")
    assert line.endswith(
        "make them with firth count TEXT -o COUNTS --context positional --window 2 --weighting "
        "flat --rare unk"
    )
    for method in ("spectral", "brown", "ward"):
        line = ready.refusal("cluster", "nowhere", "-o", "new", "--method", method)
        assert line.startswith("nowhere: no such store: make it with firth ")
    line = ready.refusal("cluster", "text.txt", "-o", "new")
    assert line.endswith("not a firth store (a folder with a meta.json): make one with firth count")


def test_wrong_usage(ready):
    before = ready.snapshot()
    for words, message in (
        (["--method", "brown", "--kappa", "1"], "--kappa is not an option of --method brown, which "
         "has --clusters."),
        (["--clusters", "0"], "--clusters"),
        (["--context", "L1"], "'L1' is not one of"),
    ):  # fmt: skip
        done = ready.firth(*CLUSTER, *words)
        assert (done.code, done.out) == (2, "")
        assert message in " ".join(done.err.split())
    assert ready.snapshot() == before


# --- tree ---------------------------------------------------------------------------------------

PATHS = "00\tcat\t9\n00\tdog\t7\n01\tsun\t5\n1\trun\t4\n1\t<i>\t2\n"


@pytest.fixture
def paths(desk):
    return desk.write("paths", PATHS)


def test_a_word_and_what_lies_beside_it(desk, paths):
    done = desk.firth("tree", "paths", "dog", "run")
    assert done.out == (
        "dog: cluster 00, beside it in the tree\n"
        "  00  2  cat dog\n"
        "  01  1  sun\n"
        "  1   2  run <i>\n"
        "run: cluster 1, beside it in the tree\n"
        "  1  2  run <i>\n"
        "  0  3  cat dog sun\n"
    )
    (found,) = desk.result("tree", "paths", "dog", "--up", "1", "--top", "1")
    assert found == {
        "word": "dog",
        "cluster": {"path": "00", "size": 2, "tokens": 16, "words": ["cat"]},
        "neighbours": [{"path": "01", "size": 1, "tokens": 5, "words": ["sun"]}],
    }


def test_the_tree_itself(desk, paths):
    assert desk.firth("tree", "paths", "--top", "2").out == (
        "·  5 words: cat dog …\n"
        "├─ 0  3 words: cat dog …\n"
        "│  ├─ 00  2 words: cat dog\n"
        "│  └─ 01  1 word: sun\n"
        "└─ 1  2 words: run <i>\n"
    )
    assert desk.firth("tree", "paths", "--under", "0", "--depth", "0").out == (
        "0  3 words: cat dog sun\n"
    )
    found = desk.result("tree", "paths", "--depth", "1")
    assert [(node["path"], node["size"]) for node in found] == [("", 5), ("0", 3), ("1", 2)]


def test_a_page_to_browse(desk, paths):
    found = desk.result("tree", "paths", "--html", "page.html")
    assert found == {"page": "page.html", "words": 5, "clusters": 3}
    page = (desk / "page.html").read_text(encoding="utf-8")
    for word in ("cat", "dog", "sun", "run", "&lt;i&gt;"):
        assert page.count(f"<span data-w>{word}</span>") == 1
    assert page.count("<details") == page.count("</details>") == 2
    assert "…" not in page  # every word of these nodes is named
    assert "<i>" not in page
    assert "http" not in page  # nothing is fetched
    line = desk.refusal("tree", "paths", "--html", "page.html")
    assert line == "page.html: exists: choose another name, or replace it with --force"
    desk.result("tree", "paths", "--html", "page.html", "--most", "1", "--force")
    assert "and 1 more" in (desk / "page.html").read_text(encoding="utf-8")


def test_large_clusters_of_the_page_are_folded(desk):
    lines = [f"0\tword{number}\t{30 - number}\n" for number in range(20)]
    desk.write("large", "".join([*lines, "1\tfew\t3\n"]))
    desk.result("tree", "large", "--html", "large.html")
    text = (desk / "large.html").read_text(encoding="utf-8")
    folded = text[text.index("<details class=cluster>") :].partition("</details>")[0]
    summary, _, whole = folded.partition("</summary>")
    assert summary.endswith("word6 word7 …")
    assert whole.count("<span data-w>") == 20
    assert "<div class=cluster><code>1</code>" in text


def test_what_tree_refuses(desk, paths):
    assert desk.refusal("tree", "paths", "dgo") == "'dgo' is not a word of this tree; near it: dog"
    assert desk.refusal("tree", "paths", "--html", "nowhere/page.html") == (
        "nowhere/page.html: cannot be written: no such folder as nowhere: make it, or choose "
        "another name"
    )
    for words in (["dog"], ["--under", "0"]):
        before = desk.snapshot()
        done = desk.firth("tree", "paths", *words, "--html", "page.html")
        assert (done.code, done.out) == (2, "")
        assert "--html writes the whole tree: leave words and --under out." in done.err
        assert desk.snapshot() == before
    assert "no word has a path that begins with 11" in desk.refusal("tree", "paths", "--under=11")
    desk.write("wrong", "01 cat 3\n")
    assert "wrong: line 1 is not bits" in desk.refusal("tree", "wrong", "cat")
    assert "unrelated.bin: not UTF-8" in desk.refusal("tree", "unrelated.bin", "cat")
    assert desk.refusal("tree", "nowhere") == (
        "nowhere: cannot be read: No such file or directory: make paths with firth cluster"
    )
    assert desk.refusal("tree", "kept").endswith("Is a directory: make paths with firth cluster")


def test_info_knows_paths(desk, paths):
    found = desk.result("info", "paths")
    assert (found["kind"], found["words"], found["clusters"]) == ("clusters", 5, 3)
    assert (found["largest"], found["shortest_path"], found["longest_path"]) == (2, 1, 2)
    shown = desk.firth("info", "paths").out
    assert shown.splitlines()[0] == "Hierarchy(5 words, 3 clusters)"
    assert "most frequent: cat 9, dog 7, sun 5" in shown


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.memory
@pytest.mark.parametrize("method", ["spectral", "brown"])
def test_memory_is_told_and_kept(desk, method):
    """The line on standard error is at least what the process held at most."""
    rng = np.random.default_rng(0)
    lines = np.minimum(rng.zipf(1.15, (60_000, 30)), 60_000)
    desk.write("text.txt", "\n".join(" ".join(map(str, line)) for line in lines.tolist()))
    desk.result("count", "text.txt", "-o", "more", "--min-count", "2", "--context", "positional",
                "--window", "2", "--weighting", "flat")  # fmt: skip
    words = desk.words("cluster", "more", "-o", "paths", "--clusters", "200", "--method", method)
    # From a small process: what a process held before it became firth counts as well.
    begin = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(status, usage.ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", begin, *words], cwd=desk.path, check=True,
                          env=desk.environment, capture_output=True, text=True)  # fmt: skip
    status, peak = map(int, done.stdout.split())
    told = re.search(r"about (\d+\.\d) MiB of memory will be needed", done.stderr)
    assert status == 0
    assert peak / 1024 <= float(told[1])
