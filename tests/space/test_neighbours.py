"""Exact search: what looking at every word would give, ties and all; and the approximate index."""

import builtins

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firth.errors import FirthError
from firth.resources import Resources
from firth.space import neighbours
from firth.space.approximate import ApproximateIndex
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

# Small whole numbers: many cosines are equal, or differ by less than single precision shows.
VECTORS = st.tuples(st.integers(1, 40), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.integers(-2, 2).map(float))
)


def space_of(vectors):
    return Space(Vocabulary([f"w{i}" for i in range(len(vectors))], [1] * len(vectors)), vectors)


def by_hand(vectors, query, top, without=()):
    """Look at every word: by falling cosine, then by place."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1)
    length = np.linalg.norm(query)
    scores = wide @ query / np.where(lengths > 0, lengths, 1) / (length if length > 0 else 1)
    scores = scores.round(9) + 0.0  # equal ones may differ in their last bits
    order = sorted((-score, place) for place, score in enumerate(scores) if place not in without)
    return [(f"w{place}", -score) for score, place in order[: max(top, 0)]]


def agree(found, expected):
    assert [word for word, _ in found] == [word for word, _ in expected]
    assert np.allclose([s for _, s in found], [s for _, s in expected], rtol=0, atol=1e-7)


@given(VECTORS, st.data(), st.integers(0, 50))
def test_exact_search_is_looking_at_every_word(vectors, data, top):
    space = space_of(vectors)
    query = data.draw(st.integers(0, len(vectors) - 1))
    expected = by_hand(vectors, vectors[query].astype(float), top, {query})
    agree(space.most_similar(query, topn=top), expected)
    expected = by_hand(vectors, vectors[query].astype(float), top)
    agree(space.similar_by_vector(vectors[query], top), expected)


@given(VECTORS, st.integers(1, 50), st.integers(1, 4), st.integers(1, 9))
def test_many_at_once_get_the_same_answers_bit_for_bit(vectors, top, threads, rows):
    space = space_of(vectors)
    expected = [space.most_similar(place, topn=top) for place in range(len(vectors))]
    before = neighbours.ROWS
    neighbours.ROWS = rows
    try:
        found, scores = neighbours.nearest_many(
            vectors, space.norms, np.arange(len(vectors)), top, threads
        )
    finally:
        neighbours.ROWS = before
    assert [space._pairs(*answer) for answer in zip(found, scores, strict=True)] == expected


def test_thousands_of_words_in_several_blocks():
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((9_000, 20), dtype=np.float32)
    vectors[4_000:4_500] = vectors[:500] * 2  # the same directions
    vectors[8_990:] = 0
    space = space_of(vectors)
    asked = [*range(300), 4_100, 8_995]
    alone = [space.most_similar(place, topn=7) for place in asked]
    assert space.most_similar_batch(asked, 7) == alone
    agree(alone[3], by_hand(vectors, vectors[3].astype(float), 7, {3}))
    assert alone[3][0] == ("w4003", 1.0)
    for threads in (1, 2, 5):
        found, scores = neighbours.nearest_many(vectors, space.norms, np.array(asked), 7, threads)
        assert [space._pairs(*answer) for answer in zip(found, scores, strict=True)] == alone


def test_words_that_are_all_alike_come_by_place():
    vectors = np.tile(np.array([[0.1, 0.2, 0.7]], dtype=np.float32), (10_000, 1))
    vectors *= np.linspace(1, 3, 10_000, dtype=np.float32)[:, None]
    space = space_of(vectors)
    assert [word for word, _ in space.most_similar("w1", topn=3)] == ["w0", "w2", "w3"]
    assert [[word for word, _ in answer] for answer in space.most_similar_batch([0, 9_999], 2)] == [
        ["w1", "w2"],
        ["w0", "w1"],
    ]
    assert space.closer_than("w1", "w9999") == []


def test_the_error_of_a_cosine_is_within_its_bound():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((2_000, 300), dtype=np.float32)
    space = space_of(vectors)
    for place in range(20):
        unit = neighbours.unit_vector(vectors[place])
        single = space.most_similar(place, topn=None)
        exact = neighbours.refine(vectors, np.arange(2_000), unit)
        assert np.abs(single - exact).max() <= neighbours.rounding(300)


@pytest.fixture(scope="module")
def clustered():
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((100, 32)) * 2
    vectors = centres[rng.integers(0, 100, 5_000)] + rng.standard_normal((5_000, 32))
    return space_of(vectors.astype(np.float32))


def test_the_approximate_index_finds_nearly_all(clustered):
    pytest.importorskip("usearch", reason="usearch is not installed")
    index = ApproximateIndex.build(clustered, resources=Resources(threads=1))
    asked = range(0, 5_000, 25)
    exact = clustered.most_similar_batch(asked, 10)
    hits = 0
    for place, expected in zip(asked, exact, strict=True):
        found = clustered.most_similar(place, topn=10, indexer=index)
        assert f"w{place}" not in dict(found)
        assert found == sorted(found, key=lambda pair: -pair[1])
        hits += len({*found} & {*expected})  # with the same cosines, to the last bit
    assert hits / (10 * len(exact)) > 0.97


def test_the_approximate_index_takes_what_the_exact_search_takes(clustered):
    pytest.importorskip("usearch", reason="usearch is not installed")
    index = ApproximateIndex.build(clustered, resources=Resources(threads=1))
    assert clustered.most_similar("w1", topn=0, indexer=index) == []
    found = clustered.most_similar(["w1", "w2"], "w3", 5, indexer=index)
    assert len(found) == 5
    assert not {"w1", "w2", "w3"} & {*dict(found)}
    few = clustered.most_similar("w1", topn=5, restrict_vocab=3_000, indexer=index)
    assert all(int(word[1:]) < 3_000 for word, _ in few)
    tiny = space_of(np.eye(2, dtype=np.float32))
    assert tiny.most_similar("w0", indexer=ApproximateIndex.build(tiny)) == [("w1", 0.0)]


def test_without_the_package_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *rest):
        if name.startswith("usearch"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(FirthError, match=r"this needs usearch: pip install 'firth\[ann\]'"):
        ApproximateIndex.build(space_of(np.eye(2, dtype=np.float32)))
