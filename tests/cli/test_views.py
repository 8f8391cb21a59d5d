"""firth views, firth fuse, and firth fit and sweep with several views."""

import signal
import time

import numpy as np
import pytest
from tests.desk import wait_for

import firth
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

BITEXT = "The red cat\tLe chat rouge\t0-0 1-2 2-1\nthe dog\tle chien\t0-0 1-1\n"
TREE = (
    "1\tcats\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\t_\t_\t_\t_\t0\troot\t_\t_\n"
    "3\twell\t_\t_\t_\t_\t2\tadvmod\t_\t_\n\n"
)


def topical(rows, columns, seed):
    topics = np.random.default_rng(9).dirichlet(np.full(4, 0.3), rows)
    rng = np.random.default_rng(seed)
    rates = 30 * topics @ rng.dirichlet(np.full(4, 0.3), columns).T
    return firth.Counts.from_scipy(
        rng.poisson(rates), [f"w{i}" for i in range(rows)], [f"c{i}" for i in range(columns)]
    )


@pytest.fixture
def views(desk):
    """A folder of two views, a third, a file of vectors, and pairs of words."""
    (desk / "group").mkdir()
    topical(80, 30, 1).save(desk / "group" / "one")
    topical(80, 40, 2).save(desk / "group" / "two")
    topical(60, 30, 3).save(desk / "third")
    topics = np.random.default_rng(9).dirichlet(np.full(4, 0.3), 80)
    lines = [f"w{i} " + " ".join(f"{x:.5f}" for x in row) for i, row in enumerate(topics)]
    desk.write("vectors.vec", "80 4\n" + "\n".join(lines) + "\n")
    rng = np.random.default_rng(5)
    pairs = {tuple(sorted(pair)) for pair in rng.integers(0, 80, (150, 2)).tolist()}
    pairs = [f"w{i}\tw{j}\t{topics[i] @ topics[j]:.4f}" for i, j in sorted(pairs) if i != j]
    desk.write("dev.tsv", "\n".join(pairs[:60]) + "\n")
    desk.write("test.tsv", "\n".join(pairs[60:]) + "\n")
    return desk


def test_views_are_made_of_texts_bitexts_parses_and_lists(desk):
    desk.write("pairs.tsv", BITEXT)
    desk.write("tree.conllu", TREE)
    desk.write("words.txt", "fawn crawl\ncrawl creep\n")
    made = desk.result("views", "bitext", "pairs.tsv", "-o", "bitext")
    assert [(one["store"], one["nonzeros"]) for one in made] == [("bitext", 4)]
    assert firth.load(desk / "bitext").row("cat") == [("chat", 1)]
    made = desk.result("views", "dependencies", "tree.conllu", "-o", "parsed")
    assert [one["store"] for one in made] == ["parsed/advmod", "parsed/nsubj"]
    desk.result("views", "dependencies", "tree.conllu", "-o", "parsed", "--force",
                "--relations", "universal")  # fmt: skip
    desk.result("views", "lexicon", "words.txt", "-o", "listed")
    assert firth.load(desk / "listed").row("creep") == [("crawl", 1)]
    desk.result("views", "positional", "text.txt", "-o", "near", "--window", "3",
                "--min-count", "1")  # fmt: skip
    whole = firth.count([desk / "text.txt"], window=3, weighting="flat", context="positional",
                        min_count=1)  # fmt: skip
    near = firth.load(desk / "near")
    assert near.offsets == (-3, -2, -1)
    assert near.block(-2).equals(whole.block(-2))
    desk.result("fit", "near", "-o", "space", "--dim", "3", "--method", "multiview")
    desk.result("views", "space", "space", "-o", "neighbours", "--neighbours", "2")
    assert firth.load(desk / "neighbours").denominator == 1000
    assert not desk.leftovers()


def test_bad_files_of_views_are_refused_and_leave_nothing(desk):
    desk.write("pairs.tsv", BITEXT + "a\tb\t0-7\n")
    desk.write("tree.conllu", TREE.replace("\t2\tnsubj", "\t9\tnsubj"))
    assert "pairs.tsv:3: the link 0-7 names word 7" in desk.refusal(
        "views", "bitext", "pairs.tsv", "-o", "out"
    )
    assert "tree.conllu:1: head: word 1 has the head 9" in desk.refusal(
        "views", "dependencies", "tree.conllu", "-o", "out"
    )
    (desk / "taken").mkdir()
    desk.write("taken/mine.txt", "keep")
    desk.write("good.conllu", TREE)
    assert "holds more than stores of counts" in desk.refusal(
        "views", "dependencies", "good.conllu", "-o", "taken", "--force"
    )
    assert "exists" in desk.refusal("views", "lexicon", "text.txt", "-o", "kept")


def test_fit_takes_views_of_every_kind_and_names_them(views):
    given = ["group", "third", "vectors.vec"]
    made = views.result("fit", *given, "-o", "space", "--method", "multiview", "--dim", "4")
    names = ["group/one", "group/two", "third", "vectors"]
    assert [line["view"] for line in made["views"]] == names
    space = Space.load(views / "space")
    expected = firth.methods.MultiView(dim=4).fit(
        {
            "group/one": firth.load(views / "group" / "one"),
            "group/two": firth.load(views / "group" / "two"),
            "third": firth.load(views / "third"),
            "vectors": firth.read_vectors(views / "vectors.vec"),
        }
    )
    assert np.array_equal(space.vectors, expected.vectors)
    assert "takes one store of counts, not 2" in views.firth(
        "fit", "third", "kept", "-o", "other"
    ).err  # fmt: skip
    views.write("group/more.txt", "x")
    assert "not a store of counts" in views.refusal(
        "fit", "group", "-o", "other", "--method", "multiview"
    )


def test_leaving_out_views_gives_a_column_for_each(views):
    made = views.firth(
        "fit", "group", "third", "-o", "space", "--method", "multiview", "--dim", "4",
        "--leave-out", "group", "--leave-out", "group/one+third", "--suite", "similarity:test.tsv",
    )  # fmt: skip
    assert made.code == 0, made.err
    header = next(line for line in made.out.splitlines() if line.startswith("test "))
    for column in ("all views", "!group", "!third", "!group/one !third"):
        assert column in header
    assert Space.load(views / "space").views.names == ("group/one", "group/two", "third")
    assert "names no view or group 'fourth'" in views.refusal(
        "fit", "group", "-o", "other", "--method", "multiview", "--leave-out", "fourth",
        "--suite", "similarity:test.tsv",
    )  # fmt: skip
    weighed = views.firth(
        "fit", "group", "third", "-o", "weighed", "--method", "multiview", "--dim", "4",
        "--weights", "third=2", "--leave-out", "third", "--suite", "similarity:test.tsv",
    )  # fmt: skip
    assert weighed.code == 0, weighed.err
    scored = views.result(
        "fit", "group", "-o", "scored", "--method", "multiview", "--dim", "4", "--suite",
        "similarity:test.tsv",
    )  # fmt: skip
    assert scored["store"] == "scored"
    assert {row["test"] for row in scored["report"]["rows"]} == {"test"}
    assert "learn the weights first" in views.refusal(
        "fit", "group", "third", "-o", "other", "--method", "multiview", "--weights", "learned",
        "--leave-out", "third", "--suite", "similarity:test.tsv",
    )  # fmt: skip


def test_learned_weights_are_never_tested_on_their_own_pairs(views):
    fit = ("fit", "group", "third", "--method", "multiview", "--dim", "4", "--weights", "learned")
    made = views.result(*fit, "-o", "space", "--dev", "dev.tsv")
    weights = dict(part.split("=") for part in made["chosen"]["weights"].split(","))
    assert set(weights) == {"group", "third"}
    assert all(float(weight) in (0.25, 0.5, 1, 2, 4) for weight in weights.values())
    assert "of dev: test on other pairs" in views.refusal(
        *fit, "-o", "other", "--dev", "dev.tsv", "--suite", "similarity:dev.tsv"
    )
    assert "needs `dev`" in views.refusal(*fit, "-o", "other").replace("--dev", "`dev`")


def test_a_sweep_of_views_scores_every_point(views):
    made = views.firth(
        "sweep", "group", "third", "--method", "multiview", "--grid", "nonlinearity=log,none",
        "--grid", "dim=2,4", "--suite", "similarity:test.tsv", "-o", "points",
    )  # fmt: skip
    assert made.code == 0, made.err
    settings = [line.split()[:2] for line in made.out.splitlines()[1:]]
    assert settings == [["log", "2"], ["log", "4"], ["none", "2"], ["none", "4"]], made.out


def test_fuse_reports_both_baselines_and_how_the_inputs_agree(views):
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((70, 3)).astype(np.float32)
    Space(Vocabulary([f"w{i}" for i in range(20, 90)]), vectors).save(views / "other")
    made = views.result("fuse", "vectors.vec", "other", "-o", "space", "--dim", "4",
                        "--suite", "similarity:test.tsv")  # fmt: skip
    assert made["words"] == 90
    spaces = {row["space"] for row in made["report"]["rows"]}
    assert spaces == {"vectors", "other", "fused", "concatenated", "averaged"}
    for row in made["inputs"]:
        assert 0 < row["explained"]["fused"] <= 1
        assert set(row["explained"]) == {"fused", "concatenated", "averaged"}
    first = made["inputs"][0]
    assert first["agreement"]["fused"] > first["agreement"]["other"]
    space = Space.load(views / "space")
    assert space.views.of("w5") == ("vectors",)
    assert space.views.of("w85") == ("other",)
    Space.load(views / "space").save(views / "fused")
    made = views.result("fuse", "vectors.vec", "fused", "-o", "again", "--dim", "4")
    assert [row["space"] for row in made["inputs"]] == ["vectors", "fused (given)"]
    assert set(made["inputs"][1]["agreement"]) == {"vectors", "fused", "concatenated", "averaged"}
    assert "there are not two spaces to fuse" in views.refusal("fuse", "other", "-o", "more")


def test_an_interrupted_fit_leaves_nothing(desk):
    (desk / "group").mkdir()
    for name in "abc":
        topical(3000, 900, ord(name)).save(desk / "group" / name)
    before = desk.snapshot()
    process = desk.start("fit", "group", "-o", "space", "--method", "multiview", "--dim", "200")
    while b"memory will be needed" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    wait_for(lambda: process.poll() is not None)
    assert process.returncode == 130
    assert not desk.leftovers()
    assert desk.snapshot() == before


def test_a_full_disk_under_the_factors_is_one_line(desk, monkeypatch):
    from firth.errors import StoreError
    from firth.linalg import view_factors

    class Full:
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(view_factors.tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(StoreError, match="cannot be written: No space left on device: free some"):
        view_factors.Held(np.zeros((10, 10)), limit=0)
