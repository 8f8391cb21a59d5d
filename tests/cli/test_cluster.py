"""firth cluster and firth tree: what they print, write and refuse."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import firth

CLUSTER = ["cluster", "positional", "-o", "tree", "--clusters", "3"]


@pytest.fixture
def ready(desk):
    """A desk with positional counts."""
    desk.result(
        "count", "text.txt", "-o", "positional", "--min-count", "1", "--context", "positional",
        "--window", "2", "--weighting", "flat",
    )  # fmt: skip
    return desk


@pytest.mark.parametrize("method", ["spectral", "brown"])
def test_what_json_holds(ready, method, store_bytes):
    found = ready.result(*CLUSTER, "--method", method, "--paths", "paths")
    assert found.keys() == {
        "store", "paths", "words", "clusters", "method", "mutual_information", "diagnostics",
        "seconds",
    }  # fmt: skip
    assert (found["store"], found["paths"]) == ("tree", "paths")
    assert (found["words"], found["clusters"]) == (6, 3)
    made = {"spectral": firth.clusters.SpectralClusters, "brown": firth.clusters.BrownClusters}[
        method
    ](clusters=3)
    assert found["method"] == made.settings()
    counts = firth.Counts.load(ready / "positional")
    tree = made.fit(counts)
    assert found["mutual_information"] == tree.information(counts)
    assert found["diagnostics"] == tree.recipe.get("diagnostics", {})
    assert found["diagnostics"].get("converged") is (True if method == "spectral" else None)
    tree.save(ready / "python")
    assert store_bytes(ready / "python") == store_bytes(ready / "tree")
    tree.write_paths(ready / "python.paths")
    assert (ready / "python.paths").read_bytes() == (ready / "paths").read_bytes()
    assert ready.leftovers() == []


def test_what_a_person_is_shown(ready):
    done = ready.firth(*CLUSTER)
    assert done.code == 0
    assert re.fullmatch(
        r"tree: Hierarchy\(6 words, 3 clusters\), mutual information -?\d\.\d{4}, γ \d\.\d\d, "
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
    found = json.loads(done.out)["diagnostics"]
    assert found["converged"] is False
    assert done.err == (
        f"firth: warning: the largest residual, {found['largest_residual']:.1e}, is above the "
        "tolerance: raise --tol, or lower --dim\n"
    )


def test_options_reach_the_method(ready):
    options = {"neighbours": "R1", "kappa": 2.0, "transform": "none", "dim": 2, "mass": 0.5,
               "tol": 1e-5, "seed": 7}  # fmt: skip
    words = [f"--{name}={value}" for name, value in options.items()]
    found = ready.result(*CLUSTER, *words, "--threads", "2")
    assert found["method"] == {"name": "spectral", "clusters": 3, **options}


def test_the_former_name_of_neighbours_works_with_a_warning(ready):
    done = ready.firth(*CLUSTER, "--context", "R1", "--quiet", "--json")
    assert done.code == 0
    assert done.err == "firth: warning: --context is deprecated: use --neighbours\n"
    assert json.loads(done.out)["method"]["neighbours"] == "R1"
    assert (
        "--context" not in ready.firth("cluster", "--help").out.replace("firth count\n", "")[400:]
    )
    with pytest.warns(DeprecationWarning, match="use neighbours="):
        assert firth.clusters.SpectralClusters(context="R1") == firth.clusters.SpectralClusters(
            neighbours="R1"
        )


@pytest.mark.parametrize("clusters", [2**31, 2**64 - 1, 2**64])
@pytest.mark.parametrize("method", ["spectral", "brown", "ward"])
def test_more_clusters_than_words(ready, method, clusters):
    ready.result("fit", "kept", "-o", "space", "--dim", "3")
    source = "space" if method == "ward" else "positional"
    found = ready.result("cluster", source, "-o", "paths", "--method", method,
                         "--clusters", str(clusters))  # fmt: skip
    assert (found["words"], found["clusters"]) == (6, 6)


def test_the_same_bytes_on_any_number_of_threads(ready, store_bytes):
    for method in ("spectral", "brown"):
        for threads in ("1", "3"):
            ready.result(*CLUSTER[:3], f"{method}{threads}", "--method", method,
                         "--threads", threads, "--clusters", "3")  # fmt: skip
        assert store_bytes(ready / f"{method}1") == store_bytes(ready / f"{method}3")


def test_a_space_is_clustered_by_ward(ready):
    ready.result("fit", "kept", "-o", "space", "--dim", "3")
    found = ready.result("cluster", "space", "-o", "paths", "--clusters", "2")
    assert (found["method"]["name"], found["mutual_information"]) == ("ward", None)
    assert found["diagnostics"]["gamma"] > 1
    line = ready.refusal("cluster", "space", "-o", "new", "--memory", "1M")
    assert line.startswith(
        "1.0 MiB of memory is too little: 6 words and 1,000 clusters need about "
    )
    line = ready.refusal("cluster", "space", "-o", "new", "--method", "brown")
    assert line == "space: is a space: cluster it with --method ward"
    line = ready.refusal("cluster", "positional", "-o", "new", "--method", "ward")
    assert line == "positional: is counts: cluster it with --method brown or spectral"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--memory", "1M"], "1.0 MiB of memory is too little: 6 words, "),
        (["--memory", "much"], "'much' is not an amount of memory"),
        (["-o", "nowhere/new"], "nowhere/new: cannot be written: no such folder"),
        (
            ["-o", "text.txt"],
            "text.txt: exists and is not a store of clusters: choose another name",
        ),
        (["-o", "kept", "--force"], "kept: exists and is not a store of clusters: choose another"),
        (["--paths", "kept", "--force"], "kept: is a folder: choose another name for --paths"),
        (["--paths", "text.txt"], "text.txt: exists: choose another name, or replace it with --fo"),
        (["--paths", "./tree"], "tree: given for both --output and --paths: give two names"),
    ],
)
def test_what_is_refused(ready, words, message):
    assert message in ready.refusal(*CLUSTER, *words)


def test_counts_that_do_not_tell_positions(ready):
    line = ready.refusal("cluster", "kept", "-o", "new")
    assert line.endswith(
        "make them with firth count --context positional --window 2 --weighting flat --rare unk"
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
        (["--clusters", "0"], "'--clusters': must be 1 or more, not 0."),
        (["--neighbours", "L1"], "'--neighbours': must be one of R1, LR1, LR2, not 'L1'."),
        (["--kappa", "-1"], "'--kappa': must be 0 or more, not -1.0."),
        (["--mass", "3"], "'--mass': must be from 0 to 1, not 3.0."),
        (["--method", "kmeans"], "'kmeans' is not one of 'brown', 'spectral', 'ward'."),
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
        "dog: cluster 00 and its neighbours in the tree\n"
        "  00  2  cat dog\n"
        "  01  1  sun\n"
        "  1   2  run <i>\n"
        "run: cluster 1 and its neighbours in the tree\n"
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
        assert "--html writes the whole tree: leave out WORD and --under." in done.err
        assert desk.snapshot() == before
    assert "no word has a path that begins with 11" in desk.refusal("tree", "paths", "--under=11")
    desk.write("wrong", "01 cat 3\n")
    assert "wrong: line 1 is not bits" in desk.refusal("tree", "wrong", "cat")
    assert "unrelated.bin: not UTF-8" in desk.refusal("tree", "unrelated.bin", "cat")
    assert desk.refusal("tree", "nowhere") == (
        "nowhere: no such store: make it with firth cluster, or check the name"
    )
    assert desk.refusal("tree", "kept") == (
        "kept: not a store of clusters: make one with firth cluster"
    )


def test_info_knows_paths(desk, paths):
    found = desk.result("info", "paths")
    assert (found["kind"], found["words"], found["clusters"]) == ("clusters", 5, 3)
    assert (found["largest"], found["shortest_path"], found["longest_path"]) == (2, 1, 2)
    shown = desk.firth("info", "paths").out
    assert shown.splitlines()[0] == "Hierarchy(5 words, 3 clusters)"
    assert "most frequent: cat 9, dog 7, sun 5" in shown


def test_a_store_and_its_paths_file_are_taken_alike(ready):
    """By tree, info and evaluate; export writes the one from the other."""
    ready.result(*CLUSTER, "--method", "brown", "--paths", "paths")
    ready.result("cluster", "positional", "--paths", "alone", "--clusters", "3", "--method",
                 "brown")  # fmt: skip
    assert ready.result("export", "tree", "-o", "exported") == {
        "format": "paths", "words": 6, "clusters": 3,
    }  # fmt: skip
    ready.result("export", "tree", "-o", "exported", "--format", "paths", "--force")
    files = {(ready / name).read_bytes() for name in ("paths", "alone", "exported")}
    assert len(files) == 1
    assert ready.firth("tree", "tree").out == ready.firth("tree", "paths").out
    assert ready.result("tree", "tree", "cat") == ready.result("tree", "paths", "cat")
    store, file = ready.result("info", "tree"), ready.result("info", "paths")
    assert (store["kind"], store["store"], file["file"]) == ("clusters", "tree", "paths")
    same = store.keys() & file.keys() - {"bytes", "recipe"}
    assert {name: store[name] for name in same} == {name: file[name] for name in same}
    assert store["recipe"]["method"] == {"name": "brown", "clusters": 3}
    assert "method: name=brown, clusters=3" in ready.firth("info", "tree").out
    evaluate = ["evaluate", "--suite", "information", "--counts", "positional"]
    found = ready.result(*evaluate, "--clusters", "tree", "--clusters", "paths")
    first, second = (row["score"] for row in found["rows"])
    assert first == second


def test_an_output_must_be_named(ready):
    done = ready.firth("cluster", "positional")
    assert (done.code, done.out) == (2, "")
    assert "Missing option '-o' / '--output' for a tree, or '--paths'" in done.err
    assert ready.refusal("export", "tree", "-o", "new", "--format", "paths") == (
        "tree: no such store: make it with firth cluster, or check the name"
    )
    assert ready.refusal("export", "kept", "-o", "new", "--format", "paths") == (
        "kept: not a store of clusters: make one with firth cluster"
    )


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
