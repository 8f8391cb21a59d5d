"""Queries: gensim's answers on gensim's questions, and sense where gensim has none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.errors import FirthError, UnknownWord
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary
from firth.ties import TIE

WORDS = [f"w{i}" for i in range(60)]


def random_space(words=60, dimensions=7, seed=1):
    vectors = np.random.default_rng(seed).standard_normal((words, dimensions)) * 3
    return Space(Vocabulary(WORDS[:words], range(words, 0, -1)), vectors.astype(np.float32))


@pytest.fixture(scope="module")
def both():
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    space = random_space()
    theirs = models.KeyedVectors(space.vector_size)
    theirs.add_vectors(list(space.words), space.vectors)
    return space, theirs


def same(ours, theirs):
    """Compare words and scores; of words that all but tie, gensim's order is that of rounding."""
    assert len(ours) == len(theirs)
    scores = dict(theirs)
    for (word, score), (other, there) in zip(ours, theirs, strict=True):
        near = 4 * TIE * max(1.0, abs(there))
        assert word == other or scores.get(word, score) == pytest.approx(there, abs=near)
    assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], abs=1e-5)
    assert all(type(score) is float for _, score in ours)


KEYS = st.one_of(st.sampled_from(WORDS), st.integers(0, 59))
PAIRS = st.tuples(KEYS, st.floats(0.25, 2.0))
SIDES = st.lists(st.one_of(KEYS, PAIRS), max_size=3, unique_by=str)


@given(SIDES, SIDES, st.integers(0, 70), st.one_of(st.none(), st.integers(1, 80)))
def test_most_similar_is_gensims(both, positive, negative, topn, restrict):
    space, theirs = both
    if not positive and not negative:
        return
    if len({str(key) for key in positive + negative}) < len(positive + negative):
        return  # what cancels out is rounding noise there
    ours = space.most_similar(positive, negative, topn, restrict_vocab=restrict)
    same(ours, theirs.most_similar(positive, negative, topn, restrict_vocab=restrict))


def test_the_short_ways_of_writing_are_gensims(both):
    space, theirs = both
    vector = np.linspace(-1, 2, 7, dtype=np.float32)
    for question in (
        {"positive": "w3"},
        {"positive": 3},
        {"positive": vector},
        {"positive": [vector, "w3"], "negative": "w5"},  # a vector counts with its length
        {"positive": np.stack([vector, vector[::-1]])},
        {"negative": [("w3", 0.5)]},  # a weight is taken as it is, also among the negative
        {"positive": [("w3", -1.5), ("w4", 2)]},
    ):
        same(space.most_similar(**question), theirs.most_similar(**question))
    every = space.most_similar("w3", topn=None)
    assert every == pytest.approx(theirs.most_similar("w3", topn=None), abs=1e-5)
    some = space.most_similar("w3", topn=None, restrict_vocab=7)
    assert some == pytest.approx(theirs.most_similar("w3", topn=None, restrict_vocab=7), abs=1e-5)
    same(space.similar_by_word("w9", 4), theirs.similar_by_word("w9", 4))
    same(space.similar_by_key("w9", 4, 20), theirs.similar_by_key("w9", 4, 20))
    same(space.similar_by_vector(vector, 9), theirs.similar_by_vector(vector, 9))


@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")
def test_products_are_gensims(both):
    space, theirs = both
    for positive, negative in ((["w1", "w2"], ["w3"]), ("w4", None), (["w1"], ["w2", "w5"])):
        ours = space.most_similar_cosmul(positive, negative, 12)
        same(ours, theirs.most_similar_cosmul(positive, negative, 12))
    # gensim leaves restrict_vocab out of account here; we do not.
    every = dict(space.most_similar_cosmul(["w1"], ["w2"], 60))
    found = space.most_similar_cosmul(["w1"], ["w2"], 60, restrict_vocab=10)
    assert {word for word, _ in found} == {*WORDS[:10]} - {"w1", "w2"}
    same(found, sorted(((w, every[w]) for w, _ in found), key=lambda pair: -pair[1]))


@given(st.lists(KEYS, min_size=1, max_size=4), st.lists(KEYS, min_size=1, max_size=4))
def test_numbers_are_gensims(both, some, others):
    space, theirs = both
    a, b = some[0], others[0]
    near = {"abs": 1e-5}
    assert space.similarity(a, b) == pytest.approx(theirs.similarity(a, b), **near)
    assert space.distance(a, b) == pytest.approx(theirs.distance(a, b), **near)
    assert space.n_similarity(some, others) == pytest.approx(
        theirs.n_similarity(some, others), **near
    )
    assert space.distances(a, others) == pytest.approx(theirs.distances(a, others), **near)
    assert space.distances(a) == pytest.approx(theirs.distances(a), **near)
    assert np.array_equal(space[a], theirs[a])
    assert np.array_equal(space[some], theirs[some])
    assert space.get_vector(a, norm=True) == pytest.approx(theirs.get_vector(a, norm=True), **near)
    if space.get_index(a) != space.get_index(b):
        assert space.rank(a, b) == theirs.rank(a, b)
        assert space.closer_than(a, b) == theirs.closer_than(a, b)


@given(st.lists(st.sampled_from(WORDS), min_size=3, max_size=6, unique=True))
def test_the_odd_one_is_gensims(both, words):
    space, theirs = both
    assert space.doesnt_match([*words, "unknown"]) == theirs.doesnt_match([*words, "unknown"])


def test_the_face_is_gensims(both):
    space, theirs = both
    assert len(space) == len(theirs)
    assert space.index_to_key == theirs.index_to_key
    assert space.key_to_index == theirs.key_to_index
    assert space.vector_size == theirs.vector_size
    for key in ("w0", "W0", "", 0, 59, 60, -1, np.int64(4)):
        assert (key in space) == (key in theirs)
        assert space.has_index_for(key) == theirs.has_index_for(key)
    assert space.get_index("nobody", default=3) == theirs.get_index("nobody", default=3)


def test_a_query_does_not_open_the_space_to_change(both):
    space = random_space()
    before = space.vectors.copy()
    space["w3"][:] = 0
    space.get_vector("w3")[:] = 0
    space.most_similar("w3", topn=None)[:] = 0
    assert np.array_equal(space.vectors, before)


def test_zero_vectors_have_no_direction_and_no_nan():
    vectors = np.array([[0, 0], [1, 0], [0, 0], [0, 2]], dtype=np.float32)
    space = Space(Vocabulary(["a", "b", "c", "d"], [4, 3, 2, 1]), vectors)
    assert space.most_similar("a") == [("b", 0.0), ("c", 0.0), ("d", 0.0)]
    assert space.most_similar_batch(["a", "b"], 2) == [[("b", 0), ("c", 0)], [("a", 0), ("c", 0)]]
    assert space.similarity("a", "b") == space.similarity("a", "a") == 0
    assert space.n_similarity(["a"], ["c"]) == 0
    assert space.most_similar([("b", 1.0)], [("b", -1.0)])[0] == ("a", 0.0)
    assert space.closer_than("a", "b") == []
    assert np.isfinite(space.distances("a")).all()
    assert np.isfinite([s for _, s in space.most_similar_cosmul("a", "c")]).all()


@pytest.mark.parametrize("query", ["most_similar", "most_similar_cosmul"])
def test_questions_without_an_answer(query):
    ask = getattr(random_space(), query)
    assert ask("w1", topn=0) == []
    assert ask("w1", topn=-3) == []
    assert ask("w1", restrict_vocab=0) == []
    for nothing in (None, []):
        with pytest.raises(FirthError, match="name at least one word"):
            ask(nothing, nothing)
    with pytest.raises(FirthError, match="has 7 numbers"):
        ask([np.ones(3, dtype=np.float32)])
    with pytest.raises(FirthError, match="not finite"):
        ask([np.full(7, np.nan, dtype=np.float32)])


def test_empty_groups():
    space = random_space()
    with pytest.raises(FirthError, match="both groups"):
        space.n_similarity([], ["w1"])
    with pytest.raises(FirthError, match="name at least one word"):
        space.doesnt_match([])
    with pytest.raises(FirthError, match="none of these words is known: 'x', 'y'"):
        space.doesnt_match(["x", "y"])
    assert space.most_similar_batch([]) == []
    assert space.most_similar_batch(["w1"], 0) == [[]]


def test_unknown_words_are_key_errors_that_help():
    space = Space(Vocabulary(["color", "dollar"], [2, 1]), np.eye(2, dtype=np.float32))
    for ask in (space.most_similar, space.get_vector, space.__getitem__, space.distances):
        with pytest.raises(UnknownWord, match=r"^'colour' is not a word .*; near it: color$"):
            ask("colour")
        with pytest.raises(KeyError):
            ask("colour")
    with pytest.raises(KeyError, match="no word number 2: there are 2"):
        space.similarity("color", 2)
    with pytest.raises(UnknownWord):
        space.most_similar_batch(["color", "x"])


def test_vectors_that_cannot_be_compared_are_named():
    vectors = np.array([[1, 0], [np.nan, 1], [3e38, 3e38]], dtype=np.float32)
    words = Vocabulary(["a", "b", "c"], [3, 2, 1])
    with pytest.raises(FirthError, match="the vector of 'b' is not finite"):
        Space(words, vectors).most_similar("a")
    vectors[1] = 0
    with pytest.raises(FirthError, match=r"the vector of 'c' is .* too long"):
        Space(words, vectors).most_similar("a")


def test_a_space_of_one_word_and_of_none():
    one = Space(Vocabulary(["a"], [1]), np.ones((1, 2), dtype=np.float32))
    assert one.most_similar("a") == []
    assert one.most_similar_batch(["a"]) == [[]]
    assert one.doesnt_match(["a"]) == "a"
    none = Space(Vocabulary([], []), np.ones((0, 2), dtype=np.float32))
    assert none.similar_by_vector(np.ones(2, dtype=np.float32)) == []


def test_words_and_vectors_that_do_not_fit():
    with pytest.raises(FirthError, match="2 words do not fit vectors of 3 × 4"):
        Space(Vocabulary(["a", "b"], [2, 1]), np.ones((3, 4), dtype=np.float32))


def test_recombining_is_what_fitting_would_have_given():
    lines = [" ".join(f"w{(i * j) % 23}" for j in range(1, 9)) for i in range(1, 60)]
    counts = firth.count(lines, min_count=1)
    space = firth.methods.PPMI(dim=5, beta=0.5).fit(counts)
    for beta, combine in ((0.0, "words"), (1.0, "sum"), (0.5, "concat")):
        fitted = firth.methods.PPMI(dim=5, beta=beta, combine=combine).fit(counts)
        changed = space.recombine(beta=beta, combine=combine)
        assert np.array_equal(changed.vectors, fitted.vectors)
        assert changed.recipe["combining"] == fitted.recipe["combining"]
    assert space.recombine(combine="concat").vector_size == 10
    with pytest.raises(FirthError, match="keeps no factors"):
        random_space().recombine(beta=1.0)
