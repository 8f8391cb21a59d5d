"""firth fit: every parameter of every method, what it refuses, and what it leaves behind."""

import json
import re

import pytest

import firth
from firth.methods import METHODS

FIT = ["fit", "kept", "-o", "new", "--dim", "3"]


def test_what_json_holds(desk):
    found = desk.result(*FIT)
    assert found.keys() == {
        "store", "words", "dimensions", "method", "chosen", "diagnostics", "seconds",
    }  # fmt: skip
    assert (found["store"], found["words"], found["dimensions"]) == ("new", 6, 3)
    assert found["method"] == METHODS["default"](dim=3).settings()
    objective = found["diagnostics"]["objective"]
    assert objective[-1] < objective[0]
    assert found["chosen"] == {"unseen_share": 5.0, "ridge": 0.1}
    found = desk.result(*FIT, "--method", "ppmi", "--force")
    assert found["diagnostics"]["converged"] is True
    assert found["diagnostics"]["largest_residual"] < 1e-4
    assert desk.leftovers() == []


def test_what_a_person_is_shown(desk):
    done = desk.firth(*FIT)
    assert done.code == 0
    assert re.fullmatch(
        r"new: Space\(6 words × 3 dimensions; weighted\), objective \S+ from \S+, \d+\.\d s\n",
        done.out,
    )
    other = desk.firth(*FIT, "--method", "log-ratio", "--force").out
    assert "; log-ratio), largest residual " in other
    told, weighing = done.err.splitlines()
    assert re.fullmatch(r"about \d+\.\d MiB of memory will be needed", told)
    assert weighing == "weighing 29 counts"
    assert desk.firth(*FIT, "--force", "--quiet").err == ""


def test_a_warning_if_every_vector_is_zero(desk):
    done = desk.firth(*FIT, "--method", "sppmi", "--shift", "50", "--quiet")
    assert done.code == 0
    assert done.err == (
        "firth: warning: sppmi finds no two words associated, so every vector is zero: choose "
        "another method or other settings, or count more text\n"
    )
    assert not firth.Space.load(desk / "new").vectors.any()


def test_options_and_defaults_reach_the_recipe(desk, store_bytes):
    found = desk.result(*FIT, "--method", "cca")
    assert found["method"] == METHODS["cca"](dim=3).settings()
    options = {
        "transform": "log1p", "scale": "cca", "alpha": 0.5, "word_alpha": 0.6, "kappa": 2.0,
        "shift": -1.0, "power": 0.9, "beta": 1.0, "combine": "concat", "weight": 0.25, "tol": 1e-5,
        "seed": 7,
    }  # fmt: skip
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    found = desk.result(*FIT, "--method", "ppmi", *words, "--force", "--threads", "2")
    assert found["method"] == {"name": "ppmi", "dim": 3, **options}
    made = firth.methods.PPMI(dim=3, **options).fit(firth.Counts.load(desk / "kept"))
    made.save(desk / "python")
    assert store_bytes(desk / "new") == store_bytes(desk / "python")
    found = desk.result(*FIT, "--method", "eigenword", "--threshold", "auto", "--psd", "--force")
    assert (found["method"]["threshold"], found["method"]["psd"]) == ("auto", True)
    assert found["chosen"].keys() == {"threshold"}


def test_the_same_bytes_on_any_number_of_threads(desk, store_bytes):
    for threads in ("1", "3"):
        desk.result("fit", "kept", "-o", f"on{threads}", "--dim", "4", "--threads", threads)
        assert store_bytes(desk / f"on{threads}") == store_bytes(desk / "on1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "cca", "--threshold", "1"], "--threshold is not an option of --method cca, "
         "which has --alpha, --beta, --combine, --dim, --kappa, --power, --scale, --seed, --shift, "
         "--tol, --transform, --weight, --word-alpha."),
        (["--method", "svdns", "--alpha", "1"], "--alpha is not an option of --method svdns, which "
         "has --dim, --psd, --seed, --threshold, --tol, --unseen, --unseen-value."),
        (["--method", "word2vec"], "'word2vec' is not one of"),
        (["--dim", "0"], "'--dim': must be 1 or more, not 0."),
        (["--dim", "1.5"], "'--dim': must be a whole number, 1 or more, not '1.5'."),
        (["--seed", "-1"], "'--seed': must be from 0 to 2^63 - 1, not -1."),
        (["--alpha", "nan"], "'--alpha': must be from 0 to 1, not nan."),
        (["--alpha", "much"], "'--alpha': must be from 0 to 1, not 'much'."),
        (["--alpha", "2"], "'--alpha': must be from 0 to 1, not 2.0."),
        (
            ["--method", "cca", "--word-alpha", "-1"],
            "'--word-alpha': must be from 0 to 1, not -1.0.",
        ),
        (["--method", "cca", "--power", "0"], "'--power': must be above 0, not 0.0."),
        (["--method", "cca", "--tol", "0"], "'--tol': must be above 0, not 0.0."),
        (["--method", "cca", "--kappa", "-1"], "'--kappa': must be 0 or more, not -1.0."),
        (["--method", "svdns", "--threshold", "low"],
         "'--threshold': must be a finite number, or 'auto', not 'low'."),
        (["--combine", "product"],
         "'--combine': must be one of words, sum, mean, concat, auto, not 'product'."),
        (["--wieght", "2"], "--weight"),
    ],
)  # fmt: skip
def test_wrong_usage(desk, words, message):
    before = desk.snapshot()
    done = desk.firth(*FIT, *words)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())
    assert desk.snapshot() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--memory", "much"], "'much' is not an amount of memory: write 512M or 4G"),
        (["-o", "kept", "--force"], "kept: exists and is not a store of vectors"),
        (["-o", "text.txt", "--force"], "text.txt: exists and is not a store of vectors"),
        (["-o", "nowhere/new"], "nowhere/new: cannot be written: no such folder"),
    ],
)
def test_what_is_refused(desk, words, message):
    assert message in desk.refusal(*FIT, *words)


def test_what_is_no_counts(desk):
    assert "nowhere: no such store" in desk.refusal("fit", "nowhere", "-o", "new")
    assert "not a firth store" in desk.refusal("fit", "text.txt", "-o", "new")
    desk.result(*FIT)
    line = desk.refusal("fit", "new", "-o", "newer")
    assert line == "new: not a store of counts: make one with firth count"
    line = desk.refusal(*FIT)
    assert line == "new: exists: choose another name, or replace it with --force"
    desk.write("lonely.txt", "a\nb\n")
    desk.result("count", "lonely.txt", "-o", "lonely", "--min-count", "1")
    assert "no two words share a window" in desk.refusal("fit", "lonely", "-o", "newer")


def test_too_little_memory_names_what_will_do(desk):
    desk.write("text.txt", "\n".join(" ".join(f"w{i * j % 3000}" for j in range(50))
                                     for i in range(1, 400)))  # fmt: skip
    desk.result("count", "text.txt", "-o", "more", "--min-count", "1")
    line = desk.refusal("fit", "more", "-o", "new", "--memory", "1M")
    enough = re.fullmatch(
        r"1\.0 MiB of memory is too little: [\d,]+ nonzeros and 100 dimensions need about (\d+M); "
        r"raise --memory, or lower --dim", line
    )  # fmt: skip
    assert enough, line
    found = desk.result("fit", "more", "-o", "new", "--memory", enough[1], "--dim", "10")
    assert found["words"] > 1_000


def test_a_warning_if_it_did_not_converge(desk):
    desk.write("text.txt", "\n".join(" ".join(f"w{i * j % 997}" for j in range(60))
                                     for i in range(1, 900)))  # fmt: skip
    desk.result("count", "text.txt", "-o", "more", "--min-count", "1")
    done = desk.firth(
        "fit", "more", "-o", "new", "--dim", "60", "--method", "svd", "--tol", "1e-12", "-q"
    )
    found = json.loads((desk / "new/meta.json").read_text())["recipe"]["diagnostics"]
    assert done.code == 0
    warned = "firth: warning: the largest residual, " in done.err
    assert warned == (not found["converged"])
    assert done.err.count("\n") == warned


def test_without_the_association_there_is_no_why(desk):
    desk.result(*FIT, "--no-association")
    assert not list((desk / "new").glob("association*"))
    assert "has no association matrix" in desk.refusal("why", "new", "cat", "dog")
