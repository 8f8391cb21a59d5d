"""The four tasks, against gensim, brute force and by hand; and what they do with odd input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.evaluation.conftest import space_of

from firth.errors import FirthError
from firth.evaluation import completing
from firth.evaluation.analogy import Analogy, Question
from firth.evaluation.categorization import Categorization, cluster, in_commonest, k_means
from firth.evaluation.completing import SHIFT, complete
from firth.evaluation.protocol import EvaluationRules, Subject, shared
from firth.evaluation.similarity import Similarity
from firth.evaluation.synonyms import Choice, Synonyms
from firth.ties import TIE

WORDS = [f"w{i}" for i in range(12)]


def test_similarity_is_scipys_spearman(random_space):
    space = random_space(WORDS)
    pairs = tuple((WORDS[i], WORDS[i * 5 % 12], i % 4) for i in range(12))
    cosines = [float(np.float32(space.similarity(a, b))) for a, b, _ in pairs]
    found = Similarity("pairs", pairs).run(space)
    expected = stats.spearmanr(cosines, [s for *_, s in pairs]).statistic
    assert found.score == pytest.approx(expected, abs=1e-12)
    assert found.values == pytest.approx(cosines, abs=1e-7)


def test_unknown_words_by_each_rule(random_space):
    space = random_space(WORDS)
    pairs = (("w0", "w1", 1.0), ("w0", "no", 2.0), ("w2", "w3", 3.0), ("w4", "w9", 0.0))
    skipped = Similarity("pairs", pairs).run(space)
    assert (skipped.n_covered, skipped.total) == (3, 4)
    assert skipped.score == Similarity("pairs", (pairs[0], *pairs[2:])).run(space).score
    zero = Similarity("pairs", pairs).run(space, EvaluationRules(oov="zero"))
    assert zero.values[1] == 0
    assert (zero.n_covered, zero.scored.sum()) == (3, 4)
    mean = Similarity("pairs", pairs).run(space, EvaluationRules(oov="mean"))
    centre = space.vectors.mean(axis=0, dtype=np.float64)
    w0 = space.vectors[0].astype(np.float64)
    cosine = centre @ w0 / np.linalg.norm(centre) / np.linalg.norm(w0)
    assert mean.values[1] == pytest.approx(cosine, abs=1e-7)
    assert mean.n_covered == 3


def test_letter_case_by_each_rule():
    space = space_of(["Paris", "paris", "STRASSE", "İzmir"], np.eye(4))
    for case, word, place in [
        ("fold", "PARIS", 0), ("fold", "paris", 0), ("lower", "PARIS", 1), ("lower", "Paris", 1),
        ("exact", "Paris", 0), ("exact", "PARIS", -1), ("fold", "straße", 2), ("fold", "İZMIR", 3),
        ("fold", "izmir", -1), ("lower", "strasse", -1),
    ]:  # fmt: skip
        assert Subject(space, EvaluationRules(case=case)).place(word) == place, (case, word)


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ((), "no items"),
        ((("x", "y", 1.0),), "no covered items"),
        ((("w0", "w1", 1.0),), "one covered item"),
        ((("w0", "w0", 1.0), ("w1", "w1", 2.0)), "all similarities equal"),
        ((("w0", "w0", 1.0), ("w1", "w2", 1.0)), "all human scores equal"),
    ],
)
def test_what_has_no_score_says_why(pairs, reason):
    space = space_of(WORDS, np.eye(12))
    found = Similarity("pairs", pairs).run(space)
    assert (found.score, found.reason) == (None, reason)


def test_zero_vectors_and_one_word_have_similarities_of_their_own():
    space = space_of(["a", "b", "zero"], [[1, 0], [1, 1], [0, 0]])
    pairs = (("a", "zero", 1.0), ("a", "b", 2.0), ("zero", "zero", 1.0))
    found = Similarity("pairs", pairs).run(space)
    assert found.values.tolist() == pytest.approx([0, 0.5**0.5, 0])
    alone = Similarity("pairs", pairs).run(space_of(["a"], [[1.0, 2.0]]))
    assert alone.reason == "no covered items"
    huge = space_of(["a", "b"], [[3e38, 3e38], [1e-38, 0]])
    assert Similarity("p", (("a", "b", 1.0),)).run(huge).values[0] == pytest.approx(0.5**0.5)


def test_a_vector_that_is_not_finite_is_named():
    space = space_of(["a", "b"], [[np.nan, 1], [1, 0]])
    with pytest.raises(FirthError, match="the vector of 'a' is not finite"):
        Similarity("p", (("a", "b", 1.0),)).run(space)


def test_a_word_with_itself_ties_with_any_other(random_space):
    space = random_space(WORDS, 50)
    pairs = tuple((word, word, float(i)) for i, word in enumerate(WORDS))
    assert Similarity("same", pairs).run(space).reason == "all similarities equal"


def test_duplicated_pairs_count_twice(random_space):
    space = random_space(WORDS)
    pairs = tuple((WORDS[i], WORDS[i + 1], float(i % 3)) for i in range(6))
    twice = Similarity("pairs", (*pairs, pairs[0])).run(space)
    assert twice.total == 7
    cosines = [space.similarity(a, b) for a, b, _ in (*pairs, pairs[0])]
    expected = stats.spearmanr(cosines, [s for *_, s in (*pairs, pairs[0])]).statistic
    assert twice.score == pytest.approx(expected)


def brute(space, question, rule, rules=None):
    """Answer one question by looking at every word, in double precision."""
    words = space.words.words
    places = {w.casefold(): i for i, w in reversed(list(enumerate(words)))}
    a, b, c = (places[w.casefold()] for w in question[:3])
    rows = space.vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(lengths > 0, lengths, 1)[:, None]
    if rule == "add":
        target = unit[b] - unit[a] + unit[c]
        scores = unit @ target / (np.linalg.norm(target) or 1)
    else:
        x, y, z = (np.round((1 + unit @ unit[p]) / 2, 12) for p in (b, c, a))
        scores = x * y / (z + SHIFT)
    out = {w.casefold() for w in question[:3]}
    allowed = [i for i, w in enumerate(words) if w.casefold() not in out]
    best = max((scores[i] for i in allowed), default=0)
    least = best - TIE if rule == "add" else best * np.exp(-2.5 * TIE)
    return min((i for i in allowed if scores[i] >= least), default=-1)


@pytest.mark.parametrize("rule", ["add", "cosmul"])
@pytest.mark.parametrize("seed", range(3))
def test_analogies_are_brute_force(random_space, rule, seed):
    generator = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(300)]
    space = random_space(words, 8, seed)
    asked = generator.integers(0, 300, size=(400, 3))
    found = _answers(space, asked, rule)
    expected = [brute(space, [words[i] for i in row], rule) for row in asked]
    assert found == expected


def _answers(space, asked, rule, threads=2):
    """The places of the answers, as the task finds them."""
    subject = Subject(space, EvaluationRules(), threads)
    units = subject.units(np.arange(len(space)))
    excluded = np.column_stack([np.repeat(np.arange(len(asked)), 3), asked.ravel()])
    return complete(
        space.vectors, space.norms, units, np.asarray(asked), excluded, rule, threads
    ).tolist()


@settings(max_examples=60)
@given(st.data())
def test_analogies_with_ties_and_zeros_are_brute_force(data):
    count = data.draw(st.integers(1, 9))
    numbers = st.lists(st.integers(-1, 1), min_size=2, max_size=2)
    vectors = data.draw(st.lists(numbers, min_size=count, max_size=count))
    words = [f"w{i}" for i in range(count)]
    space = space_of(words, vectors)
    place = st.integers(0, count - 1)
    asked = np.array(data.draw(st.lists(st.tuples(place, place, place), min_size=1, max_size=5)))
    for rule in ("add", "cosmul"):
        expected = [brute(space, [words[i] for i in row], rule) for row in asked]
        assert _answers(space, asked, rule) == expected


def test_analogies_do_not_depend_on_threads_or_blocks(random_space, monkeypatch):
    words = [f"w{i}" for i in range(700)]
    space = random_space(words, 16)
    asked = np.random.default_rng(5).integers(0, 700, size=(300, 3))
    for rule in ("add", "cosmul"):
        expected = _answers(space, asked, rule, 1)
        assert _answers(space, asked, rule, 3) == expected
        with monkeypatch.context() as patch:
            patch.setattr(completing, "WORDS", 64)
            patch.setattr(completing, "QUESTIONS", 7)
            patch.setattr(completing, "GROUP", 50)
            assert _answers(space, asked, rule, 3) == expected


def test_a_crowd_of_equal_words_is_answered_by_place():
    vectors = np.ones((3000, 4))
    space = space_of([f"w{i}" for i in range(3000)], vectors)
    assert _answers(space, np.array([[0, 1, 2], [5, 6, 7]]), "add") == [3, 0]
    assert _answers(space, np.array([[0, 1, 2], [5, 6, 7]]), "cosmul") == [3, 0]


def test_3cosadd_is_most_similar_and_its_answers_are_right_by_it(random_space):
    words = [f"w{i}" for i in range(200)]
    space = random_space(words, 10)
    asked = np.random.default_rng(2).integers(0, 200, size=(50, 3))
    found = _answers(space, asked, "add")
    for (a, b, c), place in zip(asked.tolist(), found, strict=True):
        best = space.most_similar([words[b], words[c]], [words[a]], topn=1)
        assert best[0][0] == words[place]


def test_several_answers_sections_and_coverage(random_space):
    space = random_space(WORDS, 4)
    best = WORDS[_answers(space, np.array([[0, 1, 2]]), "add")[0]]
    questions = (
        Question("w0", "w1", "w2", ("none", best.upper()), "one"),
        Question("w0", "w1", "w2", ("none",), "one"),
        Question("w0", "w1", "no", (best,), "two"),
        Question("w0", "w1", "w2", ("w0",), "two"),  # a word of the question is never an answer
    )
    found = Analogy("many", questions).run(space)
    assert found.values.tolist() == [1, 0, 0, 0]
    assert found.covered.tolist() == [True, False, False, True]
    assert found.score == 0.5
    assert [(p.task, p.score) for p in found.by_section()] == [("many: one", 1), ("many: two", 0)]
    zero = Analogy("many", questions).run(space, EvaluationRules(oov="zero"))
    assert (zero.score, zero.n_covered) == (0.25, 2)
    mean = Analogy("many", questions).run(space, EvaluationRules(oov="mean"))
    assert (mean.n_covered, mean.scored.all()) == (2, True)


def test_the_mean_stands_for_an_unknown_word_of_a_question():
    space = space_of(["a", "b", "right", "wrong"], [[1, 0], [0, 1], [2, 1], [-1, -3]])
    # b - a + mean, where the mean is (0.5, -0.25) at length one, is nearest to "right" or not:
    unit = np.array([0.5, -0.25]) / np.hypot(0.5, 0.25)
    target = np.array([0, 1]) - np.array([1, 0]) + unit
    rows = space.vectors[2:] / np.linalg.norm(space.vectors[2:], axis=1, keepdims=True)
    best = ["right", "wrong"][int(np.argmax(rows @ target))]
    asked = (Question("a", "b", "unknown", (best,)),)
    assert Analogy("q", asked).run(space, EvaluationRules(oov="mean")).score == 1.0


def test_other_spellings_of_question_words_are_left_out():
    space = space_of(["King", "king", "queen", "man", "woman"],
                     [[1, 1, 0], [1, 1.1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]])  # fmt: skip
    asked = (Question("man", "king", "woman", ("queen",)),)
    assert Analogy("royal", asked).run(space).score == 1.0


def test_a_space_of_one_word_answers_nothing():
    found = Analogy("q", (Question("a", "a", "a", ("a",)),)).run(space_of(["a"], [[1.0]]))
    assert (found.score, found.n_covered) == (0.0, 1)


def test_synonyms_by_hand():
    space = space_of(["big", "large", "small", "blue"], [[1, 0.1], [1, 0], [-1, 0], [0, 1]])
    questions = (
        Choice("big", ("large", "small", "blue")),
        Choice("big", ("blue", "large")),
        Choice("big", ("huge", "large")),
        Choice("vast", ("large", "small")),
        Choice("big", ("Large", "large")),  # a choice that ties with another is not right
        Choice("big", ("large", "tiny")),
    )
    found = Synonyms("sizes", questions).run(space)
    assert found.values.tolist() == [1, 0, 0, 0, 0, 0]
    assert found.covered.tolist() == [True, True, False, False, True, False]
    zero = Synonyms("sizes", questions).run(space, EvaluationRules(oov="zero"))
    assert (zero.values.tolist(), zero.scored.all()) == ([1, 0, 0, 0, 0, 0], True)
    mean = Synonyms("sizes", questions).run(space, EvaluationRules(oov="mean"))
    assert mean.scored.all()


def test_purity_by_hand():
    clusters, classes = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1, 0])
    assert in_commonest(clusters, classes).sum() == 5


@pytest.mark.parametrize("by", ["k-means", "ward"])
def test_categories_are_found_and_unknown_words_skipped(by):
    generator = np.random.default_rng(0)
    centres = np.eye(6)[:3] * 5
    words = [f"w{i}" for i in range(60)]
    space = space_of(words, centres[np.arange(60) % 3] + generator.standard_normal((60, 6)) * 0.3)
    members = (*((w, f"class {i % 3}") for i, w in enumerate(words)), ("no", "class 0"))
    found = Categorization("three", members, by).run(space)
    assert (found.score, found.n_covered, found.total) == (1.0, 60, 61)
    zero = Categorization("three", members, by).run(space, EvaluationRules(oov="zero"))
    assert (zero.score, zero.n_covered) == (60 / 61, 60)
    assert zero.values.tolist() == [1] * 60 + [0]
    mean = Categorization("three", members, by).run(space, EvaluationRules(oov="mean"))
    assert mean.score >= 60 / 61
    assert found.measure == {"k-means": "purity, k-means", "ward": "purity, Ward's hierarchy"}[by]


@pytest.mark.parametrize("by", ["k-means", "ward"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_vectors_that_are_all_alike_tell_no_classes_apart(by, value):
    # Class by class, as files have them: the order of the file is no merit of the vectors.
    words = [f"w{number}" for number in range(40)]
    members = tuple((word, f"c{number // 10}") for number, word in enumerate(words))
    found = Categorization("alike", members, by).run(space_of(words, np.full((40, 3), value)))
    assert found.score < 0.5


def test_k_means_is_as_tight_as_scikit_learns():
    from sklearn.cluster import KMeans

    points = np.random.default_rng(0).standard_normal((120, 5))
    found = k_means(points, 8)
    centres = np.array([points[found == number].mean(axis=0) for number in range(8)])
    ours = ((points - centres[found]) ** 2).sum()
    assert ours <= 1.02 * KMeans(8, n_init=10, random_state=0).fit(points).inertia_


@pytest.mark.parametrize("by", ["k-means", "ward"])
def test_clusters_of_little(by):
    assert cluster(np.zeros((1, 3)), 1, by).tolist() == [0]
    assert len(cluster(np.ones((5, 3)), 3, by)) == 5
    members = (("a", "x"), ("no", "y"))
    found = Categorization("c", members, by).run(space_of(["a"], [[1.0]]))
    assert (found.score, found.reason, found.n_covered) == (None, "one covered class", 1)
    found = Categorization("c", members, by).run(
        space_of(["a"], [[1.0]]), EvaluationRules(oov="zero")
    )
    assert (found.score, found.n_covered) == (0.5, 1)
    none = Categorization("c", (("no", "x"), ("nor", "y")), by).run(space_of(["a"], [[1.0]]))
    assert none.reason == "no covered items"
    zero = Categorization("c", (("no", "x"), ("nor", "y")), by)
    assert zero.run(space_of(["a"], [[1.0]]), EvaluationRules(oov="zero")).score == 0


def test_halves_are_every_second_item():
    pairs = tuple((f"a{i}", "b", float(i)) for i in range(5))
    task = Similarity("p", pairs)
    assert [p[2] for p in task.half("test").pairs] == [0, 2, 4]
    assert [p[2] for p in task.half("dev").pairs] == [1, 3]


def test_restriction_to_the_most_frequent_words(random_space):
    space = random_space(WORDS)
    pairs = (("w0", "w1", 1.0), ("w2", "w3", 2.0), ("w4", "w11", 3.0))
    found = Similarity("p", pairs).run(space, EvaluationRules(restrict=5))
    assert found.covered.tolist() == [True, True, False]


def test_spaces_cut_to_shared_words():
    one = space_of(["Rose", "rose", "thorn", "leaf"], np.eye(4))
    two = space_of(["leaf", "rose", "bud"], np.eye(3))
    cut = shared([one, two], EvaluationRules())
    assert [list(space.words) for space in cut] == [["Rose", "leaf"], ["leaf", "rose"]]
    assert cut[0].vectors.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    none = shared([one, space_of(["x"], [[1.0]])], EvaluationRules())
    assert [len(space) for space in none] == [0, 0]
    assert Similarity("p", (("rose", "leaf", 1.0),)).run(none[0]).reason == "no covered items"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"case": "upper"}, "case must be one of fold, lower, exact, not 'upper'"),
        ({"oov": "guess"}, "oov must be one of"),
        ({"half": "third"}, "half must be one of"),
        ({"restrict": 0}, "restrict must be 1 or more"),
        ({"resamples": 0}, "resamples must be 1 or more"),
        ({"level": 1.0}, "level must be above 0 and below 1"),
    ],
)
def test_rules_without_meaning_are_refused(settings, message):
    with pytest.raises(FirthError, match=message):
        EvaluationRules(**settings)
    with pytest.raises(FirthError, match="rule must be one of add, cosmul"):
        Analogy("a", (), "div")
    with pytest.raises(FirthError, match="by must be one of"):
        Categorization("a", (), "guess")
