"""The spectral template: the theorem behind it, its presets, and texts too small for it."""

from itertools import product

import numpy as np
import pytest
from tests import oracles

import firth
from firth.association import associate
from firth.errors import FirthError
from firth.methods import CCA, METHODS, PPMI, Spectral
from firth.resources import Resources
from firth.space.combining import unit_rows

CLASSES = 4
THREADS = (1, 2, 3, 8)
SPECTRAL = [name for name, method in METHODS.items() if issubclass(method, Spectral)]


@pytest.fixture(scope="module")
def text():
    """Lines with words of very different frequency."""
    rng = np.random.default_rng(0)
    draws = (rng.pareto(0.7, (900, 12)) * 3).astype(np.int64) % 700
    return [" ".join(f"w{n}" for n in line) for line in draws.tolist()]


@pytest.fixture(scope="module")
def counts(text):
    return firth.count(text, window=3, weighting="harmonic", min_count=1)


# --- theorem 4.1 of Stratos, Collins and Hsu (2015) ---------------------------------------------


def exact_counts(seed=0, words_each=6, tokens=1e6):
    """The expected counts of a planted Brown model, in billionths, and the classes of the words."""
    model = oracles.brown_model(CLASSES, words_each, np.random.default_rng(seed))
    words = [f"c{w % CLASSES}w{w}" for w in range(CLASSES * words_each)]
    joint = oracles.brown_joint(*model) * tokens
    counts = firth.Counts.from_scipy(joint, words, denominator=10**9)
    return counts, np.array([int(word[1]) for word in counts.words])


def misplaced(vectors, classes):
    """How far cosines are from 1 within a class and 0 across classes."""
    wide = vectors.astype(np.float64)
    same = classes[:, None] == classes
    return np.abs(wide @ wide.T - same).max()


@pytest.mark.parametrize("transform", ["none", "two-thirds", "sqrt"])
@pytest.mark.parametrize(("alpha", "kappa"), list(product([1, 0.75], [0, 5000])))
@pytest.mark.parametrize("seed", [0, 1])
def test_words_of_a_hidden_class_have_one_vector(transform, alpha, kappa, seed):
    counts, classes = exact_counts(seed)
    method = CCA(dim=CLASSES, transform=transform, alpha=alpha, kappa=kappa)
    assert misplaced(method.fit(counts).vectors, classes) <= 1e-6


def test_the_logarithm_does_not_keep_the_classes():
    counts, classes = exact_counts()
    method = CCA(dim=CLASSES, transform="log1p", alpha=1)
    assert misplaced(method.fit(counts).vectors, classes) > 1e-3


def test_a_wrong_rank_does_not_keep_the_classes():
    counts, classes = exact_counts()
    assert misplaced(CCA(dim=CLASSES - 1).fit(counts).vectors, classes) > 0.1


@pytest.mark.parametrize("context", ["right", "positional"])
def test_classes_are_recovered_from_a_sample(context):
    """By k-means; and every word is nearer to its class than to others.

    The second is theorem 5.2 of Stratos, Kim, Collins and Hsu (2014).
    """
    rng = np.random.default_rng(0)
    model = oracles.brown_model(CLASSES, 6, rng)
    line = oracles.brown_text(*model, 200_000, rng)
    counts = firth.count([line], window=1, context=context, min_count=1)
    vectors = CCA(dim=CLASSES).fit(counts).vectors.astype(np.float64)
    classes = np.array([int(word[1]) for word in counts.words])
    labels = oracles.k_means(vectors, CLASSES, rng)
    same = classes[:, None] == classes
    np.testing.assert_array_equal(labels[:, None] == labels, same)
    distances = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    furthest_own = np.where(same, distances, 0).max(axis=1)
    nearest_other = np.where(same, np.inf, distances).min(axis=1)
    assert np.all(furthest_own < nearest_other)


# --- presets ------------------------------------------------------------------------------------


PRESETS = {
    "svd": {},
    "sqrt": {"transform": "sqrt"},
    "log": {"transform": "log1p"},
    "reg": {"transform": "sqrt", "scale": "reg"},
    "ppmi": {"scale": "pmi", "alpha": 0.75, "beta": 0.5},
    "sppmi": {"scale": "pmi", "alpha": 0.75, "beta": 0.5, "shift": np.log(5)},
    "cca": {"transform": "sqrt", "scale": "cca", "alpha": 0.75},
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_settings_of_the_papers(name):
    plain = {
        "transform": "none",
        "scale": "none",
        "alpha": 1,
        "kappa": 0,
        "shift": 0,
        "power": 1,
        "beta": 0,
        "combine": "words",
    }
    settings = METHODS[name]().settings()
    assert settings["name"] == name
    assert {key: settings[key] for key in plain} == pytest.approx(plain | PRESETS[name])


@pytest.mark.parametrize("name", SPECTRAL)
def test_a_preset_is_its_point_of_the_template(name, counts):
    method = METHODS[name](dim=10)
    settings = method.settings()
    del settings["name"]
    space, template = method.fit(counts), Spectral(**settings).fit(counts)
    assert space.vectors.tobytes() == template.vectors.tobytes()
    assert space.recipe["method"]["name"] == name
    assert space.recipe["diagnostics"]["converged"]
    assert space.recipe["diagnostics"]["largest_residual"] <= method.tol


@pytest.mark.parametrize("name", ["ppmi", "cca", "reg"])
def test_vectors_are_unit_rows_of_the_factors(name, counts):
    """Against a dense SVD of the association: the same cosines, signs and rotations apart."""
    method = METHODS[name](dim=8, tol=1e-6)
    space = method.fit(counts)
    left, values, _ = np.linalg.svd(associate(counts, method.weighing()).to_dense())
    exact = unit_rows(left[:, :8] * values[:8] ** method.beta)
    np.testing.assert_allclose(space.vectors @ space.vectors.T, exact @ exact.T, atol=1e-3)
    np.testing.assert_allclose(space.spectrum, values[:8], rtol=1e-5)


@pytest.mark.parametrize("name", METHODS)
def test_vectors_do_not_depend_on_threads(name, counts):
    runs = [
        METHODS[name](dim=12).fit(counts, resources=Resources(threads=threads))
        for threads in THREADS
    ]
    assert len(counts.words) > 400  # beyond the dense path
    for run in runs[1:]:
        assert run.vectors.tobytes() == runs[0].vectors.tobytes()
        assert run.spectrum.tobytes() == runs[0].spectrum.tobytes()


# --- words and contexts -------------------------------------------------------------------------


@pytest.mark.parametrize("combine", ["words", "sum", "concat"])
@pytest.mark.parametrize("beta", [0, 0.5, 1])
def test_recombining_equals_fitting_anew(combine, beta, counts):
    given = {"beta": beta, "combine": combine, "weight": 0.3}
    anew = PPMI(dim=8, **given).fit(counts)
    again = PPMI(dim=8).fit(counts).recombine(**given)
    assert again.vectors.tobytes() == anew.vectors.tobytes()
    assert again.recipe["combining"] == anew.recipe["combining"] == given


def test_recombining_leaves_the_space_as_it_was(counts):
    space = PPMI(dim=8).fit(counts)
    before = space.vectors.tobytes()
    space.recombine(combine="sum")
    assert space.vectors.tobytes() == before
    assert space.recipe["combining"]["combine"] == "words"


@pytest.mark.parametrize("combine", ["sum", "concat"])
@pytest.mark.parametrize(
    "options", [{"max_contexts": 20}, {"context": "positional"}], ids=["few contexts", "positional"]
)
def test_contexts_can_be_added_only_where_words_are_contexts(combine, options, text):
    counts = firth.count(text, window=2, min_count=1, **options)
    message = f"combine='{combine}' needs every word as a context too"
    with pytest.raises(FirthError, match=message):
        PPMI(dim=4, combine=combine).fit(counts)
    with pytest.raises(FirthError, match=message):
        PPMI(dim=4).fit(counts).recombine(combine=combine)
    auto = PPMI(dim=4, combine="auto").fit(counts)
    assert auto.recipe["combining"]["combine"] == "words"


def test_auto_is_the_sum_where_words_are_contexts(counts):
    auto = PPMI(dim=4, combine="auto").fit(counts)
    assert auto.recipe["combining"]["combine"] == "sum"
    assert auto.vectors.tobytes() == PPMI(dim=4, combine="sum").fit(counts).vectors.tobytes()


def test_words_and_contexts_of_different_order_are_matched(text):
    """Contexts from more words than rows: the sum takes each word's own row of V."""
    counts = firth.count(text, window=2, min_count=5, context_min_count=1)
    space = PPMI(dim=6, combine="sum", beta=0).fit(counts)
    assert space.factors is not None
    assert space.factors.right is not None
    right = unit_rows(space.factors.right)
    for word in counts.words.words[:20]:
        own = unit_rows(space.factors.left)[counts.words[word]]
        both = own + right[counts.contexts[word]]
        np.testing.assert_allclose(space[word], both / np.linalg.norm(both), atol=1e-5)


# --- texts too small ----------------------------------------------------------------------------


def assert_defined(space, words):
    assert np.all(np.isfinite(space.vectors))
    known = dict(space.recipe["diagnostics"])
    for step in known.pop("history", []):
        assert all(np.all(np.isfinite(figures)) for figures in step.values())
    for figures in known.values():
        assert np.all(np.isfinite(figures))
    lengths = np.linalg.norm(space.vectors.astype(np.float64), axis=1)
    for word, length in zip(space.words, lengths, strict=True):
        assert length == pytest.approx(1, abs=1e-5) or length == 0, word
    assert set(space.words) == set(words)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    "lines",
    [["a b"], ["a a a"], ["a b c d"], ["a b", "c d"], ["a b a b a", "b c"]],
    ids=["one pair", "one word", "four words", "two pairs", "three words"],
)
@pytest.mark.parametrize("dim", [1, 3, 100])
def test_tiny_vocabularies_and_large_dimensions(name, lines, dim):
    counts = firth.count(lines, window=2, min_count=1)
    space = METHODS[name](dim=dim).fit(counts)
    assert_defined(space, set(" ".join(lines).split()))


@pytest.mark.parametrize("name", METHODS)
def test_a_word_without_company_has_a_zero_vector(name):
    counts = firth.count(["a b c", "b c a d", "alone", "d c"], window=2, min_count=1)
    space = METHODS[name](dim=3).fit(counts)
    assert_defined(space, ["a", "b", "c", "d", "alone"])
    assert not space["alone"].any()
    assert space.similarity("alone", "a") == 0


@pytest.mark.parametrize("name", METHODS)
def test_a_word_without_company_among_many(name, text):
    """Beyond the dense path, where random start vectors reach into empty rows."""
    counts = firth.count([*text, "alone"], window=3, min_count=1)
    assert len(counts.words) > 400
    space = METHODS[name](dim=5).fit(counts)
    assert not space["alone"].any()


@pytest.mark.parametrize("name", METHODS)
def test_nothing_to_learn_from_is_said_in_one_line(name):
    counts = firth.count(["a", "b"], min_count=1)
    with pytest.raises(FirthError, match="no two words share a window") as caught:
        METHODS[name]().fit(counts)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", METHODS)
def test_one_nonzero_cell(name):
    counts = firth.Counts.from_scipy(np.diag([0, 3, 0]), ["x", "y", "z"])
    space = METHODS[name](dim=2).fit(counts)
    assert_defined(space, "xyz")
    assert not space["x"].any()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("dim", [0, -1, 2.5, True, "x", None])
def test_dimensions_out_of_range_are_refused(name, dim):
    with pytest.raises(FirthError, match=r"dim must be (a whole number, )?1 or more"):
        METHODS[name](dim=dim)


def test_other_combinations_are_refused():
    known = "words, sum, mean, concat, auto"
    with pytest.raises(FirthError, match=f"combine must be one of {known}, not"):
        PPMI(combine="product")
