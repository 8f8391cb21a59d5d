"""Every form of argument that gensim's own tests of KeyedVectors use, side by side with gensim."""

import numpy as np
import pytest

import firth
from firth.errors import FirthError, UnknownWord
from firth.space.approximate import ApproximateIndex
from firth.space.lookup import INSTEAD

models = pytest.importorskip("gensim.models", reason="gensim is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")

SIZE, DIM = 80, 9
WORDS = [f"w{number}" for number in range(SIZE)]
GENERATOR = np.random.default_rng(5)
VECTORS = (GENERATOR.standard_normal((SIZE, DIM)) * 2).astype(np.float32)
VECTOR = np.linspace(-1, 2, DIM, dtype=np.float32)
FREQUENCIES = list(range(SIZE, 0, -1))


@pytest.fixture(scope="module")
def both():
    theirs = models.KeyedVectors(DIM)
    theirs.add_vectors(WORDS, VECTORS)
    for word, frequency in zip(WORDS, FREQUENCIES, strict=True):
        theirs.set_vecattr(word, "count", frequency)
    return firth.Space(firth.Vocabulary(WORDS, FREQUENCIES), VECTORS), theirs


def same(ours, theirs):
    """The same answer: words and scores, an array of scores, or one number."""
    if isinstance(theirs, list) and theirs and isinstance(theirs[0], tuple):
        assert [word for word, _ in ours] == [word for word, _ in theirs]
        ours, theirs = ([score for _, score in answer] for answer in (ours, theirs))
    assert np.shape(ours) == np.shape(theirs)
    assert np.asarray(ours) == pytest.approx(np.asarray(theirs), abs=2e-6)


KEYS = {
    "a word": "w3",
    "a place": 3,
    "a place of numpy": np.int64(3),
    "a list": ["w3"],
    "a list of both": ["w3", 7, np.int32(9)],
    "a vector": VECTOR,
    "a list with a vector": [VECTOR],
    "a matrix": VECTORS[0:5],
    "pairs": [("w3", 0.5), (7, 2.0)],
    "pairs of lists": [["w3", 0.5], ["w7", 2]],
    "a vector with a weight": [(VECTOR, 0.25), "w3"],
    "mixed": ["w3", ("w5", -1.5), VECTOR, 11],
}


@pytest.mark.parametrize("positive", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("negative", [None, "w20", ["w20", ("w21", -0.5)], [VECTOR[::-1].copy()]],
                         ids=["none", "word", "pairs", "vector"])  # fmt: skip
def test_keys(both, positive, negative):
    space, keyed = both
    same(space.most_similar(positive, negative), keyed.most_similar(positive, negative))


@pytest.mark.parametrize("topn", [5, 10, 1000, 1, 0, -2, False, True, np.uint8(0), np.int64(4)])
def test_how_many(both, topn):
    space, keyed = both
    same(space.most_similar("w3", topn=topn), keyed.most_similar("w3", topn=topn))
    same(space.similar_by_word("w3", topn), keyed.similar_by_word("w3", topn))
    same(space.similar_by_key("w3", topn), keyed.similar_by_key("w3", topn))
    same(space.similar_by_vector(VECTOR, topn), keyed.similar_by_vector(VECTOR, topn))
    same(space.most_similar_cosmul("w3", topn=topn), keyed.most_similar_cosmul("w3", topn=topn))


def test_the_similarities_of_all_words(both):
    space, keyed = both
    for name, asked in {
        "most_similar": "w3", "similar_by_word": "w3", "similar_by_key": 3,
        "similar_by_vector": VECTOR, "most_similar_cosmul": ["w3", "w4"],
    }.items():  # fmt: skip
        found = getattr(space, name)(asked, topn=None)
        same(found, getattr(keyed, name)(asked, topn=None))
        assert len(found) == SIZE


@pytest.mark.parametrize(
    "span",
    [
        {"restrict_vocab": 5}, {"restrict_vocab": 1000}, {"clip_start": 10}, {"clip_end": 20},
        {"clip_start": 5, "clip_end": 30}, {"clip_start": 70, "clip_end": 500},
        {"clip_start": 30, "clip_end": 60, "restrict_vocab": 12},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("topn", [5, 100, None])
def test_where_to_search(both, span, topn):
    space, keyed = both
    for positive in ("w3", ["w12", VECTOR]):
        ours = space.most_similar(positive, topn=topn, **span)
        same(ours, keyed.most_similar(positive, topn=topn, **span))
    if set(span) == {"restrict_vocab"}:
        for name in ("similar_by_word", "similar_by_key"):
            same(getattr(space, name)("w3", topn, **span), getattr(keyed, name)("w3", topn, **span))
        same(space.similar_by_vector(VECTOR, topn, **span),
             keyed.similar_by_vector(VECTOR, topn, **span))  # fmt: skip


def test_arguments_stand_in_gensims_order(both):
    """positive, negative, topn, clip_start, clip_end, restrict_vocab, indexer."""
    space, keyed = both
    arguments = ("w3", "w4", 7, 10, 40, None, None)
    same(space.most_similar(*arguments), keyed.most_similar(*arguments))
    arguments = ("w3", "w4", 7, 10, 40, 25)
    same(space.most_similar(*arguments), keyed.most_similar(*arguments))


@pytest.mark.parametrize("name", ["most_similar", "most_similar_cosmul"])
def test_one_question_in_four_spellings(both, name):
    space, keyed = both
    for asked in (getattr(space, name), getattr(keyed, name)):
        expected = asked("w3", "w4", topn=5)
        assert asked(["w3"], ["w4"], topn=5) == expected
        assert asked(positive="w3", negative="w4", topn=5) == expected
        assert asked(positive=["w3"], negative=["w4"], topn=5) == expected
    same(getattr(space, name)("w3", "w4"), getattr(keyed, name)("w3", "w4"))


def test_products_of_vectors(both):
    space, keyed = both
    unit = keyed.get_vector("w3", norm=True)
    same(space.most_similar_cosmul([unit], topn=11), keyed.most_similar_cosmul([unit], topn=11))
    same(space.most_similar_cosmul([unit, "w5"], ["w6"]),
         keyed.most_similar_cosmul([unit, "w5"], ["w6"]))  # fmt: skip
    # gensim takes a longer vector as it is, and its cosines then exceed 1; here it is scaled.
    same(space.most_similar_cosmul([5 * unit]), space.most_similar_cosmul([unit]))
    with pytest.raises(FirthError, match="takes no weights"):
        space.most_similar_cosmul([("w3", 0.5)])
    with pytest.raises(FirthError, match="takes no weights"):
        space.most_similar_cosmul("w3", [("w4", 1.0)])


class Indexer:
    """What gensim asks of an index."""

    def __init__(self, keyed):
        self.keyed = keyed

    def most_similar(self, vector, num_neighbors):
        return self.keyed.similar_by_vector(vector, num_neighbors)


def test_indexers(both):
    space, keyed = both
    theirs = Indexer(keyed)
    for asked in ("w3", ["w3", ("w4", 0.5)], VECTOR):
        same(space.most_similar(asked, topn=6, indexer=theirs),
             keyed.most_similar(asked, topn=6, indexer=theirs))  # fmt: skip
    pytest.importorskip("usearch")
    ours = ApproximateIndex.build(space, effort=200)
    same(space.most_similar("w3", topn=6, indexer=ours), keyed.most_similar("w3", topn=6))
    same(space.most_similar("w3", topn=6, restrict_vocab=40, indexer=ours),
         keyed.most_similar("w3", topn=6, restrict_vocab=40))  # fmt: skip
    with pytest.raises(FirthError, match="leave clip_start out"):
        space.most_similar("w3", clip_start=3, indexer=ours)


def test_numbers_of_two_words(both):
    space, keyed = both
    for a, b in (("w1", "w2"), ("w5", "w5"), (1, "w7"), (np.int64(4), 9)):
        for name in ("similarity", "distance", "rank", "relative_cosine_similarity"):
            if name != "relative_cosine_similarity" or a != b:
                same(getattr(space, name)(a, b), getattr(keyed, name)(a, b))
        assert space.closer_than(a, b) == keyed.closer_than(a, b)
        assert space.similarity(a, b) == space.similarity(b, a)
        assert space.n_similarity([a], [b]) == space.similarity(a, b)
    assert (space.similarity("w5", "w5"), space.distance("w5", "w5")) == (1, 0)
    assert (space.rank("w5", "w5"), space.closer_than("w5", "w5")) == (1, [])
    same(space.relative_cosine_similarity("w1", "w2", 3),
         keyed.relative_cosine_similarity("w1", "w2", 3))  # fmt: skip
    with pytest.raises(ValueError, match="topn"):
        space.relative_cosine_similarity("w1", "w2", 0)


def test_groups_of_words(both):
    space, keyed = both
    same(space.n_similarity(["w1", "w2"], ["w2", 9]), keyed.n_similarity(["w1", "w2"], ["w2", 9]))
    for words in (["w1", "w2", "w3"], ["w9", "w4", "w40", "w41", "nobody"]):
        assert space.doesnt_match(words) == keyed.doesnt_match(words)
        for use_norm in (True, False):
            ours, theirs = (o.rank_by_centrality(words, use_norm) for o in (space, keyed))
            assert [word for _, word in ours] == [word for _, word in theirs]
            assert [s for s, _ in ours] == pytest.approx([s for s, _ in theirs], abs=1e-5)
    given = ["w7", "w8", "w30"]
    assert space.most_similar_to_given("w1", given) == keyed.most_similar_to_given("w1", given)
    for other in ((), [], None, ["w3", 5]):
        same(space.distances("w1", other), keyed.distances("w1", other))
        same(space.distances(VECTOR, other), keyed.distances(VECTOR, other))
    same(space.cosine_similarities(VECTOR, VECTORS), keyed.cosine_similarities(VECTOR, VECTORS))


def test_vectors_of_words(both):
    space, keyed = both
    same(space.get_normed_vectors(), keyed.get_normed_vectors())
    for key in ("w3", 3, np.int64(3), ["w3", "w4"], ["w3", 4], [5]):
        assert np.array_equal(space[key], keyed[key])
    for norm in (True, False):
        same(space.get_vector("w3", norm=norm), keyed.get_vector("w3", norm=norm))
    for key in ("w3", "nobody", 3, SIZE, -1, np.int64(2)):
        assert space.has_index_for(key) == keyed.has_index_for(key) == (key in space)
    assert space.get_index("nobody", -1) == keyed.get_index("nobody", -1)
    assert space.get_vecattr("w3", "count") == keyed.get_vecattr("w3", "count")
    with pytest.raises(KeyError):
        space.get_vecattr("w3", "code")


def test_mean_vectors(both):
    space, keyed = both
    keys = ["w1", "w2", "w3", "w4", "an unknown word", VECTOR, 7]
    weights = [1, 2, 3, 1, 2, -0.5, 1]
    for given in (
        {}, {"weights": weights}, {"weights": np.array(weights)}, {"pre_normalize": False},
        {"post_normalize": True}, {"weights": weights, "pre_normalize": False},
    ):  # fmt: skip
        same(space.get_mean_vector(keys, **given), keyed.get_mean_vector(keys, **given))
    for some in (space, keyed):
        with pytest.raises(KeyError):
            some.get_mean_vector(keys, ignore_missing=False)
        for wrong in (([],), (keys, [1, 2])):
            with pytest.raises(ValueError):
                some.get_mean_vector(*wrong)


@pytest.mark.parametrize("attributes", [True, False])
@pytest.mark.parametrize("inference", [True, False])
def test_vectors_for_all(both, attributes, inference):
    space, keyed = both
    words = ["w9", "unknown", "w2", "w9", "unknown too", "w70"]
    ours = space.vectors_for_all(words, inference, attributes)
    theirs = keyed.vectors_for_all(words, inference, attributes)
    assert ours.index_to_key == theirs.index_to_key == ["w9", "w2", "w70"]
    assert np.array_equal(ours.vectors, theirs.vectors)
    if attributes:
        assert ours.get_vecattr("w9", "count") == theirs.get_vecattr("w9", "count")
    else:
        assert ours.get_vecattr("w9", "count") == 0
    assert len(space.vectors_for_all([3, "w3"])) == 1


def test_refusals_are_caught_as_gensims(both):
    space, keyed = both
    for some in (space, keyed):
        for ask in (some.most_similar, some.most_similar_cosmul, some.similar_by_word):
            with pytest.raises(KeyError):
                ask("nobody")
        for ask in (some.most_similar, some.most_similar_cosmul, some.doesnt_match):
            with pytest.raises(ValueError):
                ask([])
        for groups in ((["w1"], []), ([], ["w1"]), ([], [])):
            with pytest.raises(ZeroDivisionError):
                some.n_similarity(*groups)
    with pytest.raises(FirthError, match=r"topn must be a whole number or None, not 2\.5"):
        space.most_similar("w3", topn=2.5)
    # By purpose: gensim passes over unknown words here, and its answer is then about others.
    with pytest.raises(UnknownWord):
        space.n_similarity(["w1", "nobody"], ["w2"])


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_what_is_not_offered_says_what_to_use(both, name):
    space, keyed = both
    assert name == "vectors_norm" or hasattr(keyed, name)
    with pytest.raises(AttributeError, match=f"has no attribute {name!r}: .*(firth|get_normed)"):
        getattr(space, name)
    assert not hasattr(space, name)


def test_all_that_gensim_offers_is_here_or_explained(both):
    space, keyed = both
    internal = {"lifecycle_events", "add_lifecycle_event", "mapfile_path", "next_index", "expandos"}
    former = {"index2word", "index2entity", "vocab", "word_vec", "words_closer_than",
              "similarity_unseen_docs", "log_accuracy", "log_evaluate_word_pairs"}  # fmt: skip
    theirs = {name for name in dir(keyed) if not name.startswith("_")} - internal - former
    assert theirs - set(dir(space)) - set(INSTEAD) == set()


def test_a_space_cannot_be_assigned_to(both):
    space, _ = both
    with pytest.raises(TypeError):
        space["w3"] = VECTOR
