"""Generalised low-rank models: the formulas of the paper, and what a step may do."""

import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import firth
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.alternating import objective_of
from firth.linalg.frames import padded
from firth.methods import GLRM, SGNS, GloVe, GloVeNegative, PoissonModel, SkipGram
from firth.methods.families import Clipped, Poisson, Tweedie
from firth.methods.irls import Reweighted, Steps
from firth.methods.likelihood import Likelihood
from firth.methods.working import Point, Working
from firth.resources import Resources

PRESETS = [GLRM, GloVe, GloVeNegative, PoissonModel, SkipGram, SGNS]
LINES = ["the cat sat on the mat", "the dog sat on the log and the cat", "a log is no mat"] * 3


def counts_of(context="symmetric", **settings_):
    return firth.count(LINES, window=3, context=context, min_count=1, **settings_)


def from_table(table):
    table = np.asarray(table)
    words = [f"w{i}" for i in range(len(table))]
    names = words if table.shape[0] == table.shape[1] else [f"c{i}" for i in range(table.shape[1])]
    return Counts.from_scipy(table, words, names)


def model_of(method, counts):
    """The reweighted least squares of a method, and factors to start from."""
    decided = method.decide(counts, Resources(1))
    likelihood = decided.associate(counts, Resources(1))
    going = Steps(
        decided.steps, decided.sweeps, decided.tol, decided.gradients, decided.penalty,
        decided.penalty_scale == "rows",
    )  # fmt: skip
    model = Reweighted(
        likelihood.rows, likelihood.columns, likelihood.symmetric, decided.dim, decided.having,
        going, Resources(1),
    )  # fmt: skip
    begun = likelihood.start(decided.dim, decided.having, decided.start, 0, None)
    return model, begun


def parts_of(space):
    """U Σ^½, V Σ^½ and the biases."""
    factors = space.factors
    roots = np.sqrt(factors.values)
    return factors.left * roots, factors.right * roots, *factors.biases


def predictor_of(space):
    u, v, own, other = parts_of(space)
    return u @ v.T + own[:, None] + other


# --- the formulas of the paper ------------------------------------------------------------------


@settings(max_examples=25)
@given(
    st.integers(0, 1000), st.sampled_from(["symmetric", "left"]),
    st.sampled_from([0.5, 3.0, 100.0]), st.sampled_from(["flat", "harmonic"]),
)  # fmt: skip
def test_a_step_of_tweedie_from_the_counts_is_the_objective_of_glove(
    seed, context, most, weighting
):
    """Equation 2, with the penalty of expression 3, term by term."""
    counts = counts_of(context, weighting=weighting)
    model, _ = model_of(GloVe(dim=2, clip_at=most), counts)
    weights, responses, _ = model.rows.weighed(None, 1.0)
    y = counts.to_scipy()
    np.testing.assert_allclose(weights, np.minimum(y.data, most) ** 0.75, rtol=1e-6)
    np.testing.assert_allclose(responses, np.log(y.data), rtol=1e-5, atol=1e-6)
    rng = np.random.default_rng(seed)
    left, right = (rng.standard_normal((n, 3)) for n in counts.shape)
    expected = 0.001 * (np.sum(left[:, :2] ** 2) + np.sum(right[:, :2] ** 2))
    for i, j in zip(*y.nonzero(), strict=True):
        error = left[i, :2] @ right[j, :2] + left[i, 2] + right[j, 2] - np.log(y[i, j])
        expected += min(y[i, j], most) ** 0.75 * error**2
    found = objective_of(model.problem(None, 1.0), padded(left), padded(right))
    assert found == pytest.approx(expected, rel=1e-4)


def test_a_step_of_the_multinomial_from_the_counts_has_the_weights_and_targets_of_arora():
    """C 4.3.2's conjecture: min(y, 100) (model - log y)², the loss of Arora and others (2016).

    Their model is |v_i + v_j|² + C in the place of u·v + ψ, of one vector for each word: terms are
    the same, and the model is not.
    """
    counts = counts_of(weighting="flat")
    model, _ = model_of(GLRM(dim=2, family="poisson", biases="rows", clip_at=4.0), counts)
    y = counts.to_scipy().data
    weights, responses, _ = model.rows.weighed(None, 1.0)
    np.testing.assert_allclose(weights, np.minimum(y, 4.0), rtol=1e-6)
    np.testing.assert_allclose(responses, np.log(y), rtol=1e-5, atol=1e-6)
    assert y.max() > 4


def test_the_formula_that_the_paper_displays_is_half_a_step():
    """Its Tweedie response is (y - μ) / 2μ + log μ; equation 9 has no ½."""
    counts = counts_of()
    model, _ = model_of(GLRM(dim=2, clip=None), counts)
    rng = np.random.default_rng(0)
    left, right = (padded(0.3 * rng.standard_normal((n, 3))) for n in counts.shape)
    point = Point.of(left, right, 2)
    y = counts.to_scipy()
    rows, columns = y.nonzero()
    eta = np.sum(left[rows, :2] * right[columns, :2], axis=1) + left[rows, 2] + right[columns, 2]
    mean = np.exp(eta.astype(float))
    for pace, factor in ((1.0, 1.0), (0.5, 0.5)):
        weights, responses, _ = model.rows.weighed(point, pace)
        np.testing.assert_allclose(
            responses, factor * (y.data - mean) / mean + np.log(mean), rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose(weights, mean**0.75 / pace, rtol=1e-5)


@pytest.mark.parametrize("zeros", ["weighted", "exact"])
def test_gaussian_counts_are_factorised_as_by_singular_values(zeros):
    """Eckart and Young: with every zero observed at weight 1, no biases and no penalty."""
    counts = counts_of()
    space = GLRM(
        dim=3, family="gaussian", zeros=zeros, unseen_weight=1.0, floor=0.0, biases="none",
        penalty=0, clip=None, steps=1, sweeps=300, tol=0,
    ).fit(counts)  # fmt: skip
    whole = counts.to_scipy().toarray()
    expected = np.linalg.svd(whole, compute_uv=False)
    np.testing.assert_allclose(space.factors.values, expected[:3], rtol=1e-4)
    rest = float(np.sum(expected[3:] ** 2))
    assert space.recipe["diagnostics"]["objective"][-1] == pytest.approx(rest, rel=1e-3)


def test_the_deviance_of_the_binomial_is_the_loss_of_negative_sampling():
    """C, section 2: Σ y (u·v) - (y + k t_i t_j / t) log(1 + exp(u·v)), up to a constant."""
    counts = counts_of()
    model, _ = model_of(SGNS(dim=2, negatives=3.0), counts)
    y = counts.to_scipy().toarray()
    sums = y.sum(axis=1)
    noise = 3.0 * np.outer(sums, sums) / sums.sum()
    rng = np.random.default_rng(0)
    losses, deviances = [], []
    for _ in range(3):
        left, right = (padded(rng.standard_normal((n, 3)) * [1, 1, 0]) for n in counts.shape)
        eta = (left @ right.T).astype(float)
        losses.append(np.sum(y * eta - (y + noise) * np.log1p(np.exp(eta))))
        deviances.append(model.rows.deviance(Point.of(left, right, 2))[0].sum())
    np.testing.assert_allclose(np.diff(deviances), -2 * np.diff(losses), rtol=1e-4)


def test_poisson_with_biases_of_rows_has_the_softmax_of_skip_gram():
    """Equation 1: at the optimum of ψ, the deviances differ by a constant."""
    counts = counts_of()
    space = SkipGram(dim=2, steps=60, penalty=1e-6, sweeps=8).fit(counts)
    y = counts.to_scipy().toarray()
    eta = predictor_of(space)
    np.testing.assert_allclose(np.exp(eta).sum(axis=1), y.sum(axis=1), rtol=0.02)
    model = np.exp(eta - np.log(np.exp(eta).sum(axis=1, keepdims=True)))
    share = y / y.sum(axis=1, keepdims=True)
    independent = np.sum(y * np.log(np.maximum(y.sum(axis=0) / y.sum(), 1e-9)))
    reached, best = (np.sum(y[y > 0] * np.log(each[y > 0])) for each in (model, share))
    assert independent < reached <= best


# --- what a step may do -------------------------------------------------------------------------

CASES = [
    {"family": family, "zeros": zeros, **more}
    for family in ("poisson", "tweedie", "negative_binomial", "gaussian")
    for zeros in ("ignore", "weighted", "exact")
    for more in ({}, {"penalty": 0.1, "penalty_scale": "rows"}, {"clip": None, "biases": "rows"})
] + [{"family": "multinomial"}, {"family": "binomial"}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_nothing_rises_in_a_step_or_between_steps(case):
    counts = counts_of(weighting="flat")
    method = GLRM(dim=3, steps=6, sweeps=5, tol=0, **case)
    space = method.fit(counts)
    history = space.recipe["diagnostics"]["history"]
    assert history
    for step in history:
        objective = np.array(step["objective"])
        assert np.all(np.diff(objective) <= 1e-4 * (1 + objective[:-1]))
    if case.get("penalty_scale") != "rows":  # whose penalty changes with the weights
        penalised = np.array([step["penalised"] for step in history])
        assert np.all(np.diff(penalised) <= 1e-5 * np.abs(penalised[:-1]) + 1e-6)


@pytest.mark.parametrize("family", [Poisson(), Tweedie(1.25), Clipped(Tweedie(1.25), 3.0)])
def test_steps_lead_to_where_the_slope_of_the_deviance_is_zero(family):
    """Against the gradient of the penalised likelihood over all pairs, in double precision."""
    rng = np.random.default_rng(0)
    y = rng.poisson(np.exp(rng.standard_normal((12, 9)) * 0.8))
    counts = from_table(y)
    y = counts.to_scipy().toarray()  # in the order of frequencies
    space = GLRM(
        dim=2, family=family.name if family.name != "clipped" else "tweedie",
        clip="weights" if family.name == "clipped" else None, clip_at=3.0, zeros="exact",
        steps=200, sweeps=6, tol=0, penalty=0.5,
    ).fit(counts)  # fmt: skip
    u, v, *_ = parts_of(space)
    mean = family.mean(predictor_of(space))
    slopes = -2 * family.weight(mean) * family.response(y.astype(float), mean)
    size = np.abs(slopes).sum(axis=1).max()
    np.testing.assert_allclose(slopes.sum(axis=1), 0, atol=0.01 * size)
    np.testing.assert_allclose(slopes @ v + 0.5 * u, 0, atol=0.02 * size)


def test_a_step_that_would_raise_the_deviance_is_taken_more_slowly_and_says_so():
    said = []
    resources = Resources(1, progress=lambda event: said.append(event.text))
    text = [" ".join(f"w{(7 * i * i + i) % 211}" for i in range(6_000))]
    counts = firth.count(text, window=4, min_count=1)
    space = PoissonModel(dim=8, zeros="exact", clip=None, steps=3).fit(counts, resources=resources)
    paces = [step["pace"] for step in space.recipe["diagnostics"]["history"]]
    assert min(paces) < 1
    assert any("would raise the deviance: trying a pace of 0.5" in text for text in said)


def test_a_step_that_no_pace_helps_is_reported_as_stalled(monkeypatch):
    counts = counts_of()
    worse = iter(range(1, 100))
    plain = GLRM(dim=2, steps=3).associate(counts, Resources(1)).rows.deviance

    def rising(self, point):
        found = plain(point) if self is not None else None
        found[0][2] += 1e6 * next(worse)
        return found

    monkeypatch.setattr("firth.methods.working.Working.deviance", rising)
    said = []
    resources = Resources(1, progress=lambda event: said.append(event.text))
    space = GLRM(dim=2, family="poisson", steps=3).fit(counts, resources=resources)
    word = counts.words.words[2]
    assert space.recipe["diagnostics"]["stalled"] == {"step": 2, "family": "poisson", "word": word}
    assert any("step 2 with family poisson stalled: no pace lowers" in t and word in t
               for t in said)  # fmt: skip
    assert len(space.recipe["diagnostics"]["history"]) == 1


def test_the_weights_of_a_step_are_gone_before_those_of_the_next_are_made(monkeypatch):
    """The estimate of memory has room for the weights and responses of one step."""
    problems = []
    plain = Reweighted.problem

    def problem(self, point, pace):
        assert [earlier for earlier in problems if earlier() is not None] == []
        made = plain(self, point, pace)
        problems.append(weakref.ref(made))
        return made

    monkeypatch.setattr(Reweighted, "problem", problem)
    PoissonModel(dim=2, steps=3).fit(counts_of())
    assert len(problems) > 1


# --- recovery -----------------------------------------------------------------------------------


def planted(seed, rows=150, columns=120, rank=2):
    rng = np.random.default_rng(seed)
    u, v = (0.7 * rng.standard_normal((n, rank)) for n in (rows, columns))
    eta = u @ v.T + 0.5 * rng.standard_normal((rows, 1)) + 1.5
    return rng, eta


@pytest.mark.parametrize("family", ["poisson", "tweedie"])
def test_a_planted_model_is_recovered_within_sampling_error(family):
    """The mean squared error of η is that of (n + m)(d + 1) parameters, by the Fisher information.

    Of Tweedie's variance φ μ^p with φ = 1, sums of Poisson many gammas are drawn.
    """
    rng, eta = planted(0)
    mean = np.exp(eta)
    if family == "poisson":
        y, unit, weight = rng.poisson(mean), 1, mean
    else:
        p = 1.5
        number = rng.poisson(mean ** (2 - p) / (2 - p))
        scale = (p - 1) * mean ** (p - 1)
        y, unit = rng.gamma(np.maximum(number, 1e-9) * (2 - p) / (p - 1), scale), 1000
        y, weight = np.where(number > 0, np.rint(y * unit) / unit, 0.0), mean ** (2 - p)
    names = [f"w{i}" for i in range(len(y))], [f"c{j}" for j in range(y.shape[1])]
    counts = Counts.from_scipy(y, *names, denominator=unit)
    order = [[int(word[1:]) for word in side.words] for side in (counts.words, counts.contexts)]
    eta, mean, weight = (each[np.ix_(*order)] for each in (eta, mean, weight))
    space = GLRM(
        dim=2, family=family, power=1.5, zeros="exact", clip=None, steps=30, sweeps=10, tol=1e-4,
        penalty=0,
    ).fit(counts)  # fmt: skip
    error = np.sum(weight * (predictor_of(space) - eta) ** 2)
    parameters = sum(eta.shape) * 3
    assert error < 1.6 * parameters
    independent = np.log(np.outer(mean.sum(axis=1), mean.sum(axis=0)) / mean.sum())
    assert np.sum(weight * (independent - eta) ** 2) > 10 * error


def test_both_solvers_reach_the_same_optimum():
    rng, eta = planted(1, 40, 30)
    counts = from_table(1 + rng.poisson(np.exp(eta)))
    given_ = {"dim": 2, "penalty": 5.0, "clip_at": 10.0}
    exact = GloVe(sweeps=200, tol=0, **given_).fit(counts)
    slow = GloVe(solver="adagrad", epochs=2500, batch=32, **given_).fit(counts)
    best = exact.recipe["diagnostics"]["objective"][-1]
    reached = slow.recipe["diagnostics"]["objective"][-1]
    assert reached == pytest.approx(best, rel=3e-3)
    assert reached >= best * (1 - 1e-5)
    np.testing.assert_allclose(predictor_of(slow), predictor_of(exact), atol=0.05)


# --- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [SkipGram, SGNS])
def test_families_of_all_pairs_refuse_to_ignore_zeros(method):
    with pytest.raises(FirthError, match=r"zeros must be 'exact' or 'weighted' with family"):
        method(zeros="ignore").fit(counts_of())
    assert method().handled_zeros == "exact"


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_only_logarithms_of_means_are_relative_to_independent_words(family):
    with pytest.raises(FirthError, match=f"offset='independence' is for .* not for {family}"):
        GLRM(dim=2, family=family, offset="independence").fit(counts_of())


def test_stochastic_gradients_refuse_what_they_do_not_sample():
    for more in ({"zeros": "weighted"}, {"steps": 2}):
        with pytest.raises(FirthError, match="solver='adagrad' takes one step"):
            GloVe(solver="adagrad", **more).fit(counts_of())


def test_stochastic_gradients_begin_with_random_vectors_alone(monkeypatch):
    counts = counts_of()
    start = GloVe(dim=2).fit(counts)
    with pytest.raises(FirthError, match="solver='adagrad' takes no space to start from"):
        GloVe(dim=2, solver="adagrad").fit(counts, start=start)
    monkeypatch.setattr(Likelihood, "start", None)  # whose singular values would not be used
    assert np.isfinite(GloVe(dim=2, solver="adagrad", epochs=2).fit(counts).vectors).all()


def test_counts_are_clipped_at_ten_or_for_large_texts_at_a_hundred():
    counts = counts_of()
    assert GloVe().fit(counts).recipe["chosen"] == {
        "zeros": "ignore", "biases": "both", "clip_at": 10.0,
    }  # fmt: skip
    large = Counts.from_scipy(np.array([[10**9, 1], [1, 0]]), ["a", "b"])
    assert GloVe().decide(large, Resources(1)).clip_at == 100.0
    model, _ = model_of(GLRM(dim=2, clip="input", clip_at=2.0), counts)
    y = np.minimum(counts.to_scipy().data, 2.0)
    weights, responses, _ = model.rows.weighed(None, 1.0)
    np.testing.assert_allclose(weights, y**0.75, rtol=1e-6)
    np.testing.assert_allclose(responses, np.log(y), rtol=1e-5, atol=1e-6)


def test_a_word_beside_itself_can_be_left_out():
    counts = firth.count(["a a b a", "b b c a a"], window=2, min_count=1)
    y = counts.to_scipy()
    rows, columns = y.nonzero()
    assert np.any(rows == columns)
    model, _ = model_of(GLRM(dim=2, diagonal=False), counts)
    weights = model.rows.weighed(None, 1.0)[0]
    assert np.all((weights == 0) == (rows == columns))


def test_the_responses_of_glove_negative_are_pmi_and_unseen_pairs_weigh_as_they_should():
    counts = counts_of()
    model, _ = model_of(GloVeNegative(dim=2, unseen_weight=0.7, unseen=0.5), counts)
    y = counts.to_scipy().toarray()
    sums = y.sum(axis=1)
    rows, columns = np.nonzero(y)
    weights, responses, _ = model.rows.weighed(None, 1.0)
    pmi = np.log(y[rows, columns] * y.sum() / sums[rows] / sums[columns])
    np.testing.assert_allclose(responses, pmi, rtol=1e-4, atol=1e-5)
    z = model.rows.rows_known.unseen
    np.testing.assert_allclose(z**2, sums / np.mean(np.sqrt(sums)) ** 2 * 0.7, rtol=1e-6)
    whole = weights + z[rows] * z[columns]
    np.testing.assert_allclose(whole, np.minimum(y[rows, columns], 10) ** 0.75, rtol=1e-5)


# --- starts, stores, threads, odd counts --------------------------------------------------------


def test_a_fit_goes_on_from_a_space(tmp_path):
    counts = counts_of()
    first = PoissonModel(dim=3, steps=2).fit(counts)
    first.save(tmp_path / "space")
    loaded = firth.Space.load(tmp_path / "space")
    for own, given_ in zip(first.factors.biases, loaded.factors.biases, strict=True):
        np.testing.assert_array_equal(own, given_)
    more = PoissonModel(dim=3, steps=2).fit(counts, start=loaded)
    before = first.recipe["diagnostics"]["history"][-1]["penalised"]
    assert more.recipe["diagnostics"]["history"][0]["penalised"] <= before * (1 + 1e-3)
    other = GloVe(dim=2).fit(counts, start=firth.methods.PPMI(dim=2).fit(counts))
    assert np.isfinite(other.vectors).all()


@pytest.mark.parametrize("method", PRESETS)
def test_a_fit_starts_from_a_space_without_biases(method):
    counts = counts_of()
    start = firth.methods.PPMI(dim=2).fit(counts)
    assert start.factors.biases is None
    history = method(dim=3).fit(counts, start=start).recipe["diagnostics"]["history"]
    assert history[-1]["deviance"] <= history[0]["deviance"] * (1 + 1e-5)


@pytest.mark.parametrize("method", PRESETS)
@pytest.mark.parametrize("context", ["symmetric", "right", "sides"])
def test_the_same_bits_on_any_number_of_threads(method, context, monkeypatch):
    monkeypatch.setattr("firth.methods.working.BLOCK", 1 << 11)  # or there would be one block
    monkeypatch.setattr("firth.methods.working.SOLVED", 1 << 13)
    text = [" ".join(f"w{(7 * i * i + i) % 211}" for i in range(6_000))]
    counts = firth.count(text, window=4, context=context, min_count=1)
    found = [
        method(dim=8, sweeps=2, steps=2).fit(counts, resources=Resources(threads))
        for threads in (1, 2, 3, 8)
    ]
    bits = {space.vectors.tobytes() + space.factors.biases[0].tobytes() for space in found}
    assert len(bits) == 1


def test_all_products_of_dense_models_are_on_one_thread_of_blas(monkeypatch):
    """A BLAS that divides a product among its threads may round it in another way."""
    used = set()
    plain = Working._predictor

    def predictor(self, block, point):
        used.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return plain(self, block, point)

    monkeypatch.setattr(Working, "_predictor", predictor)
    with threadpool_limits(limits=2, user_api="blas"):
        SkipGram(dim=2, steps=2).fit(counts_of(), resources=Resources(1))
    assert used == {1}


@pytest.mark.parametrize("method", PRESETS)
@pytest.mark.parametrize(
    "table",
    [
        [[1]],
        [[0, 0], [0, 5]],
        [[10**12, 1], [1, 0]],
        [[2**53] * 3] * 3,
        [[3, 0, 1], [3, 0, 1], [0, 0, 0]],
        np.eye(33, dtype=int),
        [[1, 2, 3], [4, 5, 6]],
    ],
)
@pytest.mark.parametrize("dim", [1, 40])
def test_odd_counts_have_finite_vectors(method, table, dim):
    counts = from_table(table)
    for more in ({}, {"penalty": 0.0}):
        space = method(dim=dim, sweeps=4, steps=3, **more).fit(counts)
        assert np.isfinite(space.vectors).all()
        for biases in space.factors.biases:
            assert np.isfinite(biases).all()
        for step in space.recipe["diagnostics"]["history"]:
            assert np.isfinite([*step["objective"], step["deviance"]]).all()


def test_vectors_are_the_mean_of_both_sides():
    space = GloVe(dim=3).fit(counts_of())
    u, v, *_ = parts_of(space)
    both = u + v
    expected = both / np.linalg.norm(both, axis=1, keepdims=True)
    np.testing.assert_allclose(space.vectors, expected, atol=1e-5)
    words = GloVe(dim=3, combine="words").derive(space).vectors
    np.testing.assert_allclose(words, u / np.linalg.norm(u, axis=1, keepdims=True), atol=1e-5)
