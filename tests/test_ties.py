"""Ties: the order of the vocabulary decides between equal answers, not the last bits."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import firth
from firth import _core, ties
from firth.association import Association, Weighing, associate
from firth.clusters import assigning
from firth.clusters.brown import brown
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.paths import from_text
from firth.clusters.ward import ward
from firth.collocations import collocations
from firth.counts.matrix import Counts
from firth.evaluation.analogy import Analogy, Question
from firth.evaluation.categorization import cluster, k_means
from firth.evaluation.similarity import Similarity
from firth.evaluation.synonyms import Choice, Synonyms
from firth.resources import Resources
from firth.space.approximate import ApproximateIndex
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

NOISES = range(12)


def noisy(vectors, seed):
    """Change the last bits, as another kind of processor would."""
    exact = np.asarray(vectors, dtype=np.float32)
    rng = np.random.default_rng(seed)
    return (exact + 1e-7 * rng.uniform(-1, 1, exact.shape)).astype(np.float32)


def space_of(vectors, seed=None):
    rows = np.asarray(vectors, dtype=np.float32) if seed is None else noisy(vectors, seed)
    return Space(Vocabulary([f"w{i}" for i in range(len(rows))], [1] * len(rows)), rows)


def on_circle(*degrees):
    angles = np.radians(degrees)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def words(found):
    return [word for word, _ in found]


# --- the rule -----------------------------------------------------------------------------------

VALUES = arrays(np.float64, st.integers(1, 40), elements=st.integers(-30, 30).map(lambda n: n / 10))


def ranked_by_hand(values, slack):
    """Repeatedly take the largest remaining value and all values tied with it."""
    left, order = list(range(len(values))), []
    while left:
        best = max(values[place] for place in left)
        run = [place for place in left if values[place] >= best - slack]
        order += run
        left = [place for place in left if place not in run]
    return order


@given(VALUES, st.sampled_from([0.05, 0.25, 0.55]))
def test_a_ranking_is_made_of_runs(values, slack):
    assert ties.ranking(values, slack=slack).tolist() == ranked_by_hand(values, slack)


@given(VALUES, st.integers(1, 40))
def test_the_best_few_are_the_beginning_of_a_ranking(values, top):
    """Only values tied with the last of the best can matter."""
    whole = ties.ranking(values, slack=0.25)
    last = np.sort(values)[::-1][min(top, len(values)) - 1]
    likely = np.flatnonzero(values >= last - 0.25)
    few = likely[ties.ranking(values[likely], likely, slack=0.25)][:top]
    assert few.tolist() == whole[:top].tolist()


@given(VALUES)
def test_levels_share_the_value_of_the_first_of_a_run(values):
    leveled = ties.level(values, slack=0.25)
    assert (leveled >= values).all()
    assert (leveled <= values + 0.25).all()
    firsts = np.unique(leveled)
    assert (np.diff(firsts) > 0.25).all()


def test_the_core_has_the_same_tolerances():
    assert (ties.TIE, ties.ROUNDING) == (_core.TIE, _core.ROUNDING) == (1e-6, 1e-12)


# --- neighbours ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", NOISES)
def test_equal_neighbours_come_in_the_order_of_the_vocabulary(seed):
    space = space_of(on_circle(0, 50, -50, 20, -20, 50, -20), seed)
    expected = ["w3", "w4", "w6", "w1", "w2", "w5"]
    for top in (1, 2, 3, 4, 6):
        assert words(space.most_similar("w0", topn=top)) == expected[:top]
        assert words(space.most_similar_batch(["w0", "w3"], topn=top)[0]) == expected[:top]
    assert [space.rank("w0", word) for word in expected] == [1, 1, 1, 4, 4, 4]


@pytest.mark.parametrize("seed", NOISES)
def test_equal_neighbours_among_many_words(seed):
    """More words than a block has, and more equal words than are kept for each query."""
    many = np.concatenate([on_circle(0, 10, -10), np.tile(on_circle(-90, 90), (3000, 1))])
    space = space_of(many, seed)
    found = words(space.most_similar("w0", topn=6))
    assert found == ["w1", "w2", "w3", "w4", "w5", "w6"]
    assert words(space.most_similar_batch(["w0", "w1"], topn=6)[0]) == found


@pytest.mark.parametrize("seed", NOISES)
def test_equal_products_come_in_the_order_of_the_vocabulary(seed):
    space = space_of(on_circle(0, 60, 180, 60, -60, 30, -30), seed)
    assert words(space.most_similar_cosmul("w0", topn=5)) == ["w5", "w6", "w1", "w3", "w4"]
    # The similarity to an opposite word is zero up to rounding, in the denominator.
    found = words(space.most_similar_cosmul(["w0"], ["w2"], topn=6))
    assert found == ["w5", "w6", "w1", "w3", "w4"]


def test_products_are_those_of_every_word():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(500, 8)).astype(np.float32)
    space = space_of(vectors)
    units = vectors / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    shifted = (1 + units @ units.T) / 2
    scores = shifted[1] * shifted[2] / (shifted[0] + 1e-6)
    scores[[0, 1, 2]] = -1
    expected = np.argsort(-scores)[:20]
    found = space.most_similar_cosmul(["w1", "w2"], ["w0"], topn=20)
    assert words(found) == [f"w{place}" for place in expected]
    np.testing.assert_allclose([score for _, score in found], scores[expected], rtol=1e-5)
    assert space.most_similar_cosmul("w1", topn=0) == []


@pytest.mark.parametrize("seed", NOISES)
def test_of_two_words_that_do_not_match_the_first_is_returned(seed):
    space = space_of(on_circle(0, 10, -10, 120, -120), seed)
    assert space.doesnt_match(["w0", "w3", "w1", "w2", "w4"]) == "w3"
    assert space.doesnt_match(["w0", "w4", "w1", "w2", "w3"]) == "w4"


@pytest.mark.parametrize("seed", NOISES)
def test_equal_neighbours_of_an_index_come_in_order(seed):
    pytest.importorskip("usearch")
    space = space_of(on_circle(0, 50, -50, 20, -20), seed)
    index = ApproximateIndex.build(space, resources=Resources(threads=1))
    assert words(space.most_similar("w0", indexer=index)) == ["w3", "w4", "w1", "w2"]


@pytest.mark.parametrize("seed", NOISES)
def test_equal_contributions_come_in_the_order_of_the_contexts(seed):
    others = np.hstack([np.zeros((60, 4)), np.eye(60)])
    rows = np.vstack([noisy([[2, 1, 2, 1], [1, 2, 1, 2]], seed) @ np.eye(4, 64), others])
    contexts = Vocabulary([f"c{i}" for i in range(64)], [1] * 64)
    space = Space(
        Vocabulary(["a", "b", *(f"w{i}" for i in range(60))], [1] * 62),
        np.eye(62, dtype=np.float32),
        contexts,
        association=Association.from_scipy(rows),
    )
    found = [shared.context for shared in space.why("a", "b").contexts]
    assert found == ["c0", "c1", "c2", "c3"]


# --- associations -------------------------------------------------------------------------------


def test_pairs_that_always_meet_come_in_the_order_of_the_vocabulary():
    """Their scores are 1, up to the rounding of logarithms."""
    lines = [f"a{n} b{n}" for n in range(3, 40) for _ in range(n)]
    counts = firth.count(lines, window=1, context="right", min_count=1)
    found = collocations(counts, top=40, least=1)
    assert [word for word, _, _ in found] == [f"a{n}" for n in range(39, 2, -1)]


def test_independent_words_have_no_association():
    """Their PMI is 0 up to rounding, which must not become a cell of the matrix."""
    rng = np.random.default_rng(0)
    table = np.outer(rng.integers(1, 50, 30), rng.integers(1, 50, 20))
    assert (
        associate(
            Counts.from_scipy(table, [f"w{n}" for n in range(30)], [f"c{n}" for n in range(20)]),
            Weighing(scale="pmi"),
        ).nnz
        == 0
    )


# --- clusters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", NOISES)
@pytest.mark.parametrize("weighted", [False, True])
def test_of_equal_merges_the_older_is_made(seed, weighted):
    corners = noisy([[0, 1], [1, 0], [0, -1], [-1, 0], [0, 1], [0, -1]], seed)
    weights = np.array([1, 1, 1, 1, 1e4, 1e4]) if weighted else np.ones(6)
    merges = ward(corners, 6, weights=weights)
    children = merges.children.tolist()
    assert children[:2] == [[0, 4], [2, 5]]  # their distance is zero, whatever their weights
    if not weighted:
        assert children[2:] == [[1, 6], [3, 7], [8, 9]]
    assert ward(noisy(np.eye(5), seed), 5).children.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]


@pytest.mark.parametrize("seed", NOISES)
def test_a_tree_of_equal_merges_is_one_tree(seed):
    tree = Hierarchy.from_space(space_of(np.eye(9)[[0, 1, 2, 0, 1, 2, 3, 4, 3]], seed), 4)
    exact = Hierarchy.from_space(space_of(np.eye(9)[[0, 1, 2, 0, 1, 2, 3, 4, 3]]), 4)
    assert tree.merges.tolist() == exact.merges.tolist()
    assert tree.paths() == exact.paths()
    for clusters in range(1, 10):
        assert tree.cut(clusters).tolist() == exact.cut(clusters).tolist()
    np.testing.assert_allclose(tree.costs, exact.costs, atol=1e-6)


@pytest.mark.parametrize("seed", NOISES)
def test_brown_merges_the_older_of_equal_pairs(seed):
    """Counts with rounding errors, as from sums in another order."""
    table = np.array([[0, 0, 9, 9], [0, 0, 9, 9], [9, 9, 0, 0], [9, 9, 0, 0]], dtype=float)
    rng = np.random.default_rng(seed)
    off = table * (1 + 1e-14 * rng.uniform(-1, 1, table.shape))
    merges = brown(off, np.full(4, 18), 4)
    assert merges.children.tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("seed", NOISES)
def test_a_new_word_that_fits_two_clusters_goes_to_the_first(seed, monkeypatch):
    """Losses that are equal by symmetry, with rounding errors as from sums in another order."""
    lines = ["p a", "q b", "p x", "q x"] * 5
    counts = firth.count(lines, window=1, context="positional", min_count=1)
    tree = from_text("00\ta\t5\n01\tb\t5\n10\tp\t10\n11\tq\t10\n", "paths")
    exact, rng = assigning._losses, np.random.default_rng(seed)
    monkeypatch.setattr(
        assigning, "_losses", lambda *given: exact(*given) + 1e-12 * rng.uniform(-1, 1, 4)
    )
    assert tree.assign(counts, ["x"]) == {"x": tree.path("a")}


TEXT = """
import firth
lines = ["the cat sleeps", "the dog sleeps", "a cat runs", "a dog runs",
         "the king speaks", "a queen speaks", "the queen rules", "a king rules"] * 5
counts = firth.count(lines, window=2, context="positional", weighting="flat")
for clusters in range(2, 9):
    tree = firth.clusters.SpectralClusters(clusters=clusters, kappa=5).fit(counts)
    print(tree.paths(), tree.merges.tolist(), [tree.cut(k).tolist() for k in range(1, 9)])
around = firth.count(lines, window=2)
for dim in (2, 3, 5):
    names = ("PPMI", "EigenWord", "SVDNS", "LogCounts")
    for method in (getattr(firth.methods, name) for name in names):
        space = method(dim=dim).fit(around)
        print(method.name, dim, (space.vectors.round(4) + 0.0).tolist())
        print([[w for w, _ in space.most_similar(word)] for word in space.index_to_key])
"""
CORES = ("Haswell", "SkylakeX", "Zen", "Nehalem")


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="core types of x86-64")
def test_a_text_with_ties_has_one_answer_on_every_kind_of_processor():
    info = Path("/proc/cpuinfo")
    flags = info.read_text() if info.exists() else ""
    cores = [core for core in CORES if core != "SkylakeX" or "avx512vl" in flags]
    cores = [core for core in cores if core == "Nehalem" or "avx2" in flags]
    outputs = {
        core: subprocess.run(
            [sys.executable, "-c", TEXT],
            env=os.environ | {"OPENBLAS_CORETYPE": core},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for core in cores
    }
    for core in cores:
        assert outputs[core].splitlines() == outputs["Nehalem"].splitlines(), core


# --- tests of vectors ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", NOISES)
@pytest.mark.parametrize("rule", ["add", "cosmul"])
def test_of_equal_answers_the_more_frequent_is_given(seed, rule):
    """Two words at the fourth corner of a square, and one that is orthogonal to the question."""
    rows = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 1], [0, 1, -1]])
    space = space_of(rows * 1.0, seed)
    for answer, score in (("w3", 1.0), ("w4", 0.0)):
        questions = (Question("w0", "w1", "w2", (answer,)),)
        assert Analogy("square", questions, rule).run(space).score == score


@pytest.mark.parametrize("seed", NOISES)
def test_a_tied_choice_is_wrong(seed):
    space = space_of(on_circle(0, 40, -40, 90), seed)
    for choices in (("w1", "w2"), ("w2", "w1")):
        assert Synonyms("same", (Choice("w0", choices),)).run(space).score == 0
    assert Synonyms("same", (Choice("w0", ("w1", "w3")),)).run(space).score == 1


def test_equal_cosines_share_a_rank():
    pairs = (("w0", "w1", 1.0), ("w0", "w2", 2.0), ("w0", "w3", 3.0), ("w0", "w0", 4.0),
             ("w1", "w1", 4.5), ("w2", "w2", 5.0))  # fmt: skip
    rows = on_circle(0, 50, -50, 40)
    exact = Similarity("ranks", pairs).run(space_of(rows)).score
    for seed in NOISES:
        assert Similarity("ranks", pairs).run(space_of(rows, seed)).score == exact


@pytest.mark.parametrize("by", ["k-means", "ward"])
def test_clusters_of_equal_points_do_not_depend_on_rounding(by):
    """A square with every corner twice, its middle, and more classes than it has sides."""
    corners = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]] * 2 + [[0, 0]], dtype=float)
    for count in (2, 3, 4, 6):
        exact = cluster(corners, count, by)
        for seed in NOISES:
            found = cluster(noisy(corners, seed).astype(np.float64), count, by)
            assert found.tolist() == exact.tolist()


def test_k_means_keeps_the_first_of_equal_starts():
    points = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    for count in (2, 4):
        exact = k_means(points, count)
        for seed in NOISES:
            assert k_means(noisy(points, seed).astype(np.float64), count).tolist() == exact.tolist()
