"""Spectral and Brown clusters from counts: planted models, contexts, weights, refusals."""

import json

import numpy as np
import pytest
from scipy.sparse.linalg import svds
from tests import oracles

import firth
from firth.clusters.contexts import neighbours
from firth.clusters.spectral import ENOUGH
from firth.errors import FirthError
from firth.resources import Resources

METHODS = {
    "spectral": lambda m: firth.clusters.SpectralClusters(clusters=m, neighbours="LR1", kappa=20),
    "paper": lambda m: firth.clusters.SpectralClusters(
        clusters=m, neighbours="LR1", kappa=20, transform="none", mass=0, dim=m
    ),
    "R1": lambda m: firth.clusters.SpectralClusters(clusters=m, neighbours="R1", kappa=20),
    "brown": lambda m: firth.clusters.BrownClusters(clusters=m),
}


def adjusted_rand(a, b):
    """Agreement of two clusterings, 1 if they are the same and 0 by chance."""
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)

    def pairs(n):
        return float((n * (n - 1) / 2).sum())

    both, one, other = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    chance = one * other / pairs(np.array([len(a)]))
    return (both - chance) / ((one + other) / 2 - chance)


@pytest.fixture(scope="module")
def planted():
    """A line of a model with six classes of eight words."""
    rng = np.random.default_rng(0)
    return oracles.brown_text(*oracles.brown_model(6, 8, rng), 120_000, rng)


def recovered(method, line, classes=6):
    counts = firth.count([line], window=1, context="positional", min_count=1)
    truth = np.array([int(word[1]) for word in counts.words])
    return adjusted_rand(METHODS[method](classes).fit(counts).cut(), truth)


@pytest.mark.parametrize("method", METHODS)
def test_planted_clusters_are_recovered(method, planted):
    assert recovered(method, planted) == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_too_small_a_sample_does_not_suffice(method, planted):
    assert recovered(method, " ".join(planted.split()[:150])) < 0.9


def test_adjusted_rand_knows_chance():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 20_000), rng.integers(0, 5, 20_000)
    assert adjusted_rand(a, a) == 1
    assert adjusted_rand(a, 4 - a) == 1
    assert abs(adjusted_rand(a, b)) < 0.01


@pytest.fixture(scope="module")
def lines():
    rng = np.random.default_rng(3)
    draws = (rng.pareto(0.8, (700, 11)) * 3).astype(np.int64) % 500
    return [" ".join(f"w{n}" for n in line) for line in draws.tolist()]


def counted(lines, **settings):
    given = {"window": 2, "context": "positional", "weighting": "flat", "min_count": 1}
    return firth.count(lines, **{**given, **settings})


# --- contexts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("offsets", [(1,), (-1, 1), (-2, -1, 1, 2)])
@pytest.mark.parametrize("weighting", ["flat", "harmonic", "linear"])
@pytest.mark.parametrize("window", [2, 5])
def test_pairs_come_out_of_any_weighting(lines, offsets, weighting, window):
    found = neighbours(counted(lines, weighting=weighting, window=window), offsets)
    plain = counted(lines, window=max(offsets))
    assert found.offsets == offsets
    assert found.denominator == 1
    for offset in offsets:
        difference = found.block(offset).to_scipy() - plain.block(offset).to_scipy()
        assert not difference.count_nonzero()


def test_the_next_word_alone_may_be_a_matrix_of_its_own(lines):
    plain = neighbours(counted(lines), (1,)).to_scipy()
    for counts in (
        counted(lines, window=1, context="right"),
        counted(lines, weighting="harmonic").block(1),
        firth.Counts.from_scipy(
            plain, counted(lines).words.words, recipe=firth.Recipe(context="right", window=1),
            frequencies=counted(lines).words.frequencies,
        ),
    ):  # fmt: skip
        assert not (neighbours(counts, (1,)).to_scipy() - plain).count_nonzero()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"context": "symmetric"}, r"are symmetric.*: make them with count\(context='positional', "
         r"window=2, weighting='flat', rare='unk'\)"),
        ({"context": "right"}, "are right, and do not say at which offset"),
        ({"window": 1}, r"reach offset \+1, and \+2 is needed: make them with .* window=2,"),
    ],
)  # fmt: skip
def test_other_counts_are_refused_with_the_call_that_helps(lines, settings, message):
    with pytest.raises(FirthError, match=message):
        firth.clusters.SpectralClusters(clusters=5).fit(counted(lines, **settings))


def test_brown_needs_the_next_word(lines):
    with pytest.raises(FirthError, match=r"are symmetric.*window=1, "):
        firth.clusters.BrownClusters(clusters=5).fit(counted(lines, context="symmetric"))
    with pytest.raises(FirthError, match="the same vocabulary"):
        firth.clusters.BrownClusters(clusters=5).fit(counted(lines).top(20, 10))
    with pytest.raises(FirthError, match="no word follows another"):
        firth.clusters.BrownClusters(clusters=5).fit(counted(["a", "b"]))
    with pytest.raises(FirthError, match="no two words share a window"):
        firth.clusters.SpectralClusters(clusters=5).fit(counted(["a", "b"]))


# --- the embedding ------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", ["none", "sqrt"])
@pytest.mark.parametrize("reach", ["R1", "LR1", "LR2"])
def test_vectors_are_those_of_figure_4(lines, reach, transform):
    """Against scipy's svds of a matrix written out by the formula."""
    counts = counted(lines)
    method = firth.clusters.SpectralClusters(
        clusters=9, neighbours=reach, transform=transform, kappa=7, tol=1e-7
    )
    left = method.embed(counts).vectors.astype(np.float64)
    offsets = {"R1": (1,), "LR1": (-1, 1), "LR2": (-2, -1, 1, 2)}[reach]
    pairs = np.hstack([counts.block(offset).to_scipy().toarray() for offset in offsets])
    of_word = pairs.sum(axis=1) / len(offsets) + 7
    omega = pairs / np.sqrt(of_word[:, None] * (pairs.sum(axis=0) + 7))
    if transform == "sqrt":
        omega = np.sqrt(omega)
    truth = svds(omega, 9)[0][:, ::-1]
    assert np.abs(np.abs(np.einsum("ij,ij->j", left, truth)) - 1).max() < 1e-3


def test_how_many_vectors_are_taken(lines):
    ranks = {1: 1, 10: 10, 20: 20, 30: 20, 50: 25, 150: 75, 200: ENOUGH, 1000: ENOUGH}
    for clusters, rank in ranks.items():
        assert firth.clusters.SpectralClusters(clusters=clusters).rank(1000) == rank
    assert firth.clusters.SpectralClusters(clusters=1000).rank(10_000) == ENOUGH
    assert firth.clusters.SpectralClusters(clusters=1000, dim=700).rank(10_000) == 700
    assert firth.clusters.SpectralClusters(clusters=1000).rank(30) == 30
    tree = firth.clusters.SpectralClusters(clusters=1000).fit(counted(lines))
    assert tree.clusters == len(tree)  # more clusters than words: each is its own
    assert sorted(tree.cut().tolist()) == list(range(len(tree)))


@pytest.mark.parametrize("method", ["spectral", "brown"])
def test_the_same_bits_on_any_number_of_threads(lines, method):
    counts = counted(lines, window=1)
    trees = [
        METHODS[method](40).fit(counts, resources=Resources(threads=threads))
        for threads in (1, 2, 3, 8)
    ]
    assert len({tree.merges.tobytes() + tree.costs.tobytes() for tree in trees}) == 1


def test_a_space_has_a_tree_too(lines):
    space = firth.methods.PPMI(dim=20).fit(firth.count(lines, min_count=1))
    tree = firth.Hierarchy.from_space(space, 30)
    assert (len(tree), tree.clusters) == (len(space), 30)
    assert tree.recipe["space"]["name"] == "ppmi"

    def spread(labels):  # of unit vectors about the means of their clusters
        unit = space.vectors / np.linalg.norm(space.vectors, axis=1, keepdims=True)
        return sum(
            ((unit[labels == c] - unit[labels == c].mean(axis=0)) ** 2).sum() for c in range(30)
        )

    assert spread(tree.cut()) < 0.9 * spread(np.random.default_rng(0).permutation(tree.cut()))
    assert tree.costs.sum() == pytest.approx(spread(tree.cut()) + tree.costs[-29:].sum(), rel=1e-4)


def test_whole_numbers_of_numpy_are_numbers(lines):
    made = firth.clusters.SpectralClusters(clusters=np.int64(9), dim=np.int32(4))
    assert made == firth.clusters.SpectralClusters(clusters=9, dim=4)
    assert json.loads(json.dumps(made.settings())) == made.settings()
    assert firth.clusters.BrownClusters(clusters=np.uint8(9)).settings()["clusters"] == 9
    space = firth.methods.PPMI(dim=3).fit(firth.count(lines, min_count=1))
    tree = firth.Hierarchy.from_space(space, np.int64(5))
    assert json.loads(json.dumps(tree.recipe["method"]))["clusters"] == tree.clusters == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"clusters": 0}, "clusters must be 1 or more"),
        ({"clusters": 2.5}, "clusters must be a whole number, 1 or more"),
        ({"neighbours": "L1"}, "neighbours must be one of R1, LR1, LR2, not 'L1'"),
        ({"transform": "log"}, "transform must be one of none, two-thirds, sqrt"),
        ({"kappa": -1}, "kappa must be 0 or more"),
        ({"kappa": float("nan")}, "kappa must be 0 or more"),
        ({"mass": 2}, "mass must be from 0 to 1"),
        ({"dim": 0}, "dim must be 1 or more"),
        ({"dim": 2.0}, "dim must be a whole number, 1 or more, not 2.0"),
        ({"tol": 0}, "tol must be above 0"),
    ],
)
def test_parameters_out_of_range(settings, message):
    with pytest.raises(FirthError, match=message):
        firth.clusters.SpectralClusters(**settings)
