"""Ward's and Brown's clustering against their slow twins, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from tests import oracles_clusters as oracles

from firth import _core
from firth.clusters.brown import brown
from firth.clusters.ward import ward
from firth.errors import FirthError
from firth.resources import Resources

THREADS = (1, 2, 3, 8)


# --- ward ---------------------------------------------------------------------------------------


@st.composite
def points(draw):
    """Few distinct values, so that many pairs cost the same; or none alike; and weights or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, width = draw(st.integers(1, 30)), draw(st.integers(1, 19))
    kind = draw(st.sampled_from(["grid", "unit", "normal", "huge", "twice"]))
    vectors = rng.normal(size=(size, width))
    if kind == "grid":
        vectors = rng.integers(-1, 2, size=(size, width))
    elif kind == "unit":
        vectors = np.eye(width)[rng.integers(0, width, size)]
    elif kind == "huge":
        vectors *= 10.0 ** rng.integers(-12, 12, (size, 1))
    elif kind == "twice":
        vectors = vectors[rng.integers(0, size, size)]
    weights = rng.integers(1, 50, size) ** draw(st.sampled_from([0, 0.25, 1.0]))
    return vectors.astype(np.float32), draw(st.integers(1, size + 2)), weights.astype(np.float64)


@given(points(), st.sampled_from(THREADS))
def test_ward_is_the_naive_algorithm_to_the_bit(drawn, threads):
    vectors, active, weights = drawn
    merges = ward(vectors, active, weights=weights, resources=Resources(threads=threads))
    children, costs = oracles.ward(vectors, active, weights)
    np.testing.assert_array_equal(merges.children, children)
    np.testing.assert_array_equal(merges.costs, costs)


def test_ward_without_a_bound_is_that_of_scipy():
    """Costs of scipy are sqrt(2 d); its order is that of cost when all points are active."""
    vectors = np.random.default_rng(0).normal(size=(200, 7)).astype(np.float32)
    ours, theirs = ward(vectors, 200), linkage(vectors.astype(np.float64), "ward")
    np.testing.assert_allclose(np.sqrt(2 * ours.costs), theirs[:, 2], rtol=1e-9)
    np.testing.assert_array_equal(ours.children, theirs[:, :2].astype(int))


@pytest.mark.parametrize("active", [1, 64, 300])
def test_many_points_enter_in_blocks(active):
    """More points than are multiplied ahead at a time, many of them twice there."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(150, 12)).astype(np.float32)[rng.integers(0, 150, 400)]
    found = {
        ward(vectors, active, resources=Resources(threads=t)).children.tobytes() for t in THREADS
    }
    assert len(found) == 1
    small = vectors[:140]
    children, costs = oracles.ward(small, min(active, 20))
    merges = ward(small, min(active, 20))
    np.testing.assert_array_equal(merges.children, children)
    np.testing.assert_array_equal(merges.costs, costs)


def test_gamma_counts_searches():
    """A point that enters and a cluster that was merged are searched for once at least."""
    vectors = np.random.default_rng(0).normal(size=(300, 4)).astype(np.float32)
    gamma = ward(vectors, 30).gamma
    assert 1 < gamma < 30
    # Two clusters in line: nothing ever has to be looked up again.
    assert ward(np.array([[0], [1], [3]], dtype=np.float32), 1).gamma == pytest.approx(5 / 2)


@pytest.mark.parametrize(
    ("vectors", "clusters", "weights", "message"),
    [
        (np.zeros((0, 3)), 2, None, "vectors must have at least one row"),
        (np.zeros((3, 0)), 2, None, "vectors must have at least one row"),
        (np.zeros((3, 2)), 0, None, "clusters must be 1 or more, not 0"),
        (np.array([[0.0], [np.nan]]), 2, None, "row 1 of vectors is not finite"),
        (np.zeros((2, 1)), 2, [1, 0], "weights must all be from 2\\^-53 to 2\\^53"),
        (np.zeros((2, 1)), 2, [1, np.nan], "weights must all be from 2\\^-53 to 2\\^53"),
        # Costs of these are no numbers, or zero for all pairs.
        (np.ones((2, 1)), 2, [1e200, 1e200], "weights must all be from 2\\^-53 to 2\\^53"),
        (np.ones((2, 1)), 2, [1e-200, 1e-200], "weights must all be from 2\\^-53 to 2\\^53"),
        (np.zeros((2, 1)), 2, [1], "weights must have 2 values, not 1"),
    ],
)
def test_what_ward_refuses(vectors, clusters, weights, message):
    with pytest.raises(FirthError, match=message):
        ward(vectors.astype(np.float32), clusters, weights=weights)


def test_the_core_checks_what_it_is_given():
    ones = np.ones(3)
    for vectors, weights, active in (
        (np.full((3, 1), np.inf, dtype=np.float32), ones, 2),
        (np.zeros((3, 1), dtype=np.float32), ones[:2], 2),
        (np.zeros((3, 1), dtype=np.float32), -ones, 2),
        (np.zeros((3, 1), dtype=np.float32), 1e200 * ones, 2),
        (np.zeros((3, 1), dtype=np.float32), 1e-200 * ones, 2),
        (np.zeros((3, 1), dtype=np.float32), ones, 0),
    ):
        with pytest.raises(ValueError):
            _core.ward(vectors, weights, active, 1, None)


@pytest.mark.parametrize("weight", [2.0**-53, 2.0**53])
@pytest.mark.parametrize("longest", [1e-18, 1.0, 1e38])
def test_the_lightest_and_the_heaviest_weights_make_a_tree(weight, longest):
    vectors = np.random.default_rng(0).uniform(-longest, longest, (40, 3)).astype(np.float32)
    weights = np.where(np.arange(40) % 2, weight, 1.0)
    children, costs = oracles.ward(vectors, 9, weights)
    merges = ward(vectors, 9, weights=weights)
    np.testing.assert_array_equal(merges.children, children)
    np.testing.assert_array_equal(merges.costs, costs)


@pytest.mark.parametrize("clusters", [2**31, 2**64 - 1, 2**64, np.int64(7), np.uint64(2**64 - 1)])
def test_more_clusters_than_points_are_as_many_as_points(clusters):
    vectors = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    pairs, frequencies = zipf_pairs(6, 100)
    for found, expected in (
        (ward(vectors, clusters), ward(vectors, 6)),
        (brown(pairs, frequencies, clusters), brown(pairs, frequencies, 6)),
    ):
        np.testing.assert_array_equal(found.children, expected.children)
    children, _, _ = _core.ward(vectors, np.ones(6), 2**64 - 1, 1, None)
    np.testing.assert_array_equal(children.reshape(-1, 2), ward(vectors, 6).children)


# --- brown --------------------------------------------------------------------------------------


@st.composite
def texts(draw):
    """Pairs and frequencies as of a text with ends of lines: no pair is without its words."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(st.integers(1, 12))
    pairs = rng.poisson(draw(st.sampled_from([0.2, 1, 6])), (size, size))
    frequencies = np.maximum(pairs.sum(axis=0), pairs.sum(axis=1)) + rng.integers(1, 3, size)
    order = np.argsort(-frequencies, kind="stable")
    return pairs[order][:, order], frequencies[order], draw(st.integers(1, size + 2))


@given(texts(), st.sampled_from(THREADS))
def test_brown_is_brute_force(drawn, threads):
    pairs, frequencies, active = drawn
    merges = brown(pairs, frequencies, active, resources=Resources(threads=threads))
    children, costs = oracles.brown(pairs.tolist(), frequencies.tolist(), active)
    np.testing.assert_array_equal(merges.children, children)
    np.testing.assert_allclose(merges.costs, costs, atol=1e-12)


def zipf_pairs(words, tokens, seed=0):
    """Pairs of a text whose words follow Zipf's law and, a little, each other."""
    rng = np.random.default_rng(seed)
    line = np.minimum(rng.zipf(1.3, tokens), words) - 1
    line[1::2] = (line[::2][: len(line[1::2])] * 7 + rng.integers(0, 9, len(line[1::2]))) % words
    frequencies = np.bincount(line, minlength=words) + 1
    order = np.argsort(-frequencies, kind="stable")
    table = np.zeros((words, words), dtype=np.int64)
    np.add.at(table, (line[:-1], line[1:]), 1)
    return table[order][:, order], frequencies[order]


def test_brown_on_many_words_keeps_its_books():
    """After hundreds of merges a loss is still the difference of two sums made from nothing."""
    pairs, frequencies = zipf_pairs(400, 20_000)
    merges = brown(pairs, frequencies, 70, resources=Resources(threads=2))
    tokens = frequencies.sum()

    def kept(labels):
        size = labels.max() + 1
        table = np.zeros((size, size))
        np.add.at(table, (labels[:, None], labels[None, :]), pairs)
        sizes = np.bincount(labels, weights=frequencies)
        return oracles.information(table.tolist(), sizes.tolist())

    children = merges.children.tolist()
    for clusters in (2, 10, 69):
        before = np.array(oracles.labels_of(children, 400, clusters + 1))
        after = np.array(oracles.labels_of(children, 400, clusters))
        loss = kept(before) - kept(after)
        assert merges.costs[399 - clusters] == pytest.approx(loss, abs=1e-11)
        assert tokens > 0


def test_brown_has_the_same_bits_on_any_number_of_threads():
    pairs, frequencies = zipf_pairs(300, 10_000, seed=1)
    found = [
        brown(pairs, frequencies, 90, resources=Resources(threads=threads)) for threads in THREADS
    ]
    assert len({merges.children.tobytes() + merges.costs.tobytes() for merges in found}) == 1


def test_what_brown_refuses():
    pairs = np.ones((2, 2))
    with pytest.raises(FirthError, match="clusters must be"):
        brown(pairs, np.array([2, 2]), 0)
    with pytest.raises(FirthError, match="not a square matrix of them"):
        brown(pairs, np.array([2, 2, 2]), 1)
    for frequencies in ([2, 0], [0.1, 0.1], [2, np.nan], [2, 2.0**53]):  # ln N may be below -1
        with pytest.raises(FirthError, match="a frequency of 1 or more, below 2"):
            brown(pairs, np.array(frequencies), 1)
    rows = np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32), np.ones(2)
    with pytest.raises(ValueError, match="frequencies from 1"):
        _core.brown(*rows, *rows, np.array([0.1, 0.1]), 1, 1, None)
    with pytest.raises(ValueError, match="counts from 0"):
        brown(-pairs, np.array([2, 2]), 1)


def test_ctrl_c_and_errors_of_progress_stop_both():
    vectors = np.random.default_rng(0).normal(size=(40_000, 60)).astype(np.float32)
    pairs, frequencies = zipf_pairs(2000, 60_000)

    def stop(event):
        raise RuntimeError(event.stage)

    with pytest.raises(RuntimeError, match="clustering"):
        ward(vectors, 800, resources=Resources(progress=stop))
    with pytest.raises(RuntimeError, match="clustering"):
        brown(pairs, frequencies, 300, resources=Resources(threads=2, progress=stop))
