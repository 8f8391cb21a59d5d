"""The weighted factorisation of counts, against formulas written out over all pairs."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles_weighted import Pairs

import firth
from firth.association import Association, Weighing, associate
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.alternating import objective_of
from firth.methods import Weighted
from firth.methods.targets import SidedTargets, Targets
from firth.methods.weighted import scarcity
from firth.resources import Resources

LINES = ["the cat sat on the mat", "the dog sat on the log and the cat", "a log is no mat"] * 3
KNOBS = {"seen": 0.5, "unseen": 0.4, "unseen_share": 1.5, "ridge": 0.1}


def counts_of(context="symmetric", **settings_):
    return firth.count(LINES, window=3, context=context, min_count=1, **settings_)


def fitted(counts, resources=None, **settings_):
    """The factors and the objective of a fit."""
    settings_ = {"unseen_share": 1.5, "ridge": 0.01, **settings_}
    space = Weighted(combine="words", **settings_).fit(counts, resources=resources)
    factors = space.factors
    objective = space.recipe["diagnostics"]["objective"]
    return SimpleNamespace(
        left=factors.left, values=factors.values, right=factors.right, objective=objective
    )


def pairs_of(counts, alpha=0.4, shift=-1.0, seen=0.5, unseen=0.4, unseen_share=1.5, ridge=0.1):
    """The problem of METHODS, pair by pair."""
    x = counts.to_scipy().toarray().astype(float)
    of_row, of_column = x.sum(axis=1), x.sum(axis=0)
    if counts.half:  # a context weighs the same on either side
        of_column = np.concatenate([of_row, of_row]) / 2

    def raised(f, power):
        return np.where(f > 0, np.where(f > 0, f, 1.0) ** power, 0.0)

    whole = raised(of_row, alpha).sum() * raised(of_column, alpha).sum() / x.sum()
    below = np.outer(raised(of_row, alpha), raised(of_column, alpha))
    ratio = np.divide(x * whole, below, out=np.zeros_like(x), where=below > 0)
    met = x > 0
    weights = np.where(met, x**seen, 0.0)
    z, y = raised(of_row, unseen), raised(of_column, unseen)
    total = unseen_share * weights.sum()
    if unseen_share:
        z *= np.sqrt(total) / z.sum()
        y *= np.sqrt(total) / y.sum()
    else:
        z, y = np.ones_like(z), np.ones_like(y)
    pairs = weights + (np.outer(z, y) if unseen_share else 0)
    ridges = ridge * pairs.sum(axis=1) / y.sum(), ridge * pairs.sum(axis=0) / z.sum()
    return Pairs(
        np.log1p(np.exp(-shift) * ratio), weights, met, z, y, *ridges, unseen=unseen_share > 0
    )


@settings(max_examples=40)
@given(
    st.sampled_from(["symmetric", "left", "right", "sides", "positional"]),
    st.sampled_from(["flat", "harmonic"]), st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]),
    st.sampled_from([0.0, 0.4, 1.0]), st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from([-1.0, 0.0, 2.0]), st.sampled_from([0.0, 1.5]),
)  # fmt: skip
def test_the_objective_is_that_of_the_formulas(context, weighting, p, g, alpha, shift, share):
    counts = counts_of(context, weighting=weighting)
    knobs = {**KNOBS, "seen": p, "unseen": g, "unseen_share": share}
    pairs = pairs_of(counts, alpha, shift, **knobs)
    weighing = Weighing(scale="log1p", alpha=alpha, word_alpha=alpha, shift=shift)
    targets = SidedTargets if counts.half else Targets
    problem = targets(counts, weighing, Resources(2)).problem(**knobs)
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((n, 3)) for n in counts.shape)
    left[~pairs.seen.any(axis=1)] = 0
    right[~pairs.seen.any(axis=0)] = 0
    expected = pairs.objective(left, right)
    assert objective_of(problem, left, right) == pytest.approx(expected, rel=1e-4)
    assert objective_of(problem.transposed(), right, left) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("context", ["symmetric", "left", "sides", "positional"])
@pytest.mark.parametrize("start", ["svd", "random"])
def test_what_is_found_has_the_objective_it_says_and_no_pair_can_lower_it(context, start):
    counts = counts_of(context)
    pairs = pairs_of(counts)
    found = fitted(counts, dim=3, ridge=0.1, sweeps=100, start=start)
    roots = np.sqrt(found.values)
    left, right = found.left * roots, found.right * roots
    assert found.objective[-1] == pytest.approx(pairs.objective(left, right), rel=1e-4)
    assert np.all(np.diff(found.objective) <= 1e-5 * found.objective[0])
    best = pairs.best_rows(right)
    assert pairs.objective(left, right) <= pairs.objective(best, right) * (1 + 1e-4)


def test_targets_are_the_association_of_the_default():
    """With all pairs of one weight, and no other, it is the SVD of the log1p association."""
    counts = counts_of()
    target = associate(counts, Weighing(scale="log1p", alpha=0.4, word_alpha=0.4, shift=-1.0))
    found = fitted(
        counts, dim=3, unseen=0, unseen_share=1e7, ridge=0, sweeps=300
    )  # fmt: skip
    expected = np.linalg.svd(target.to_dense(), compute_uv=False)[:3]
    np.testing.assert_allclose(found.values, expected, rtol=1e-3)


@pytest.mark.parametrize("context", ["symmetric", "right", "sides"])
def test_the_same_bits_on_any_number_of_threads(context):
    counts = firth.count([" ".join(f"w{(7 * i * i + i) % 611}" for i in range(40_000))], window=5,
                         context=context, min_count=1)  # fmt: skip
    found = [fitted(counts, Resources(n), dim=20, sweeps=2) for n in (1, 2, 3, 8)]
    assert len({result.left.tobytes() + result.right.tobytes() for result in found}) == 1


def test_symmetric_counts_are_not_transposed():
    counts = counts_of()
    weighing = Weighing(scale="log1p")
    problem = Targets(counts, weighing, Resources(2)).problem(**KNOBS)
    assert problem.rows is problem.columns
    sided = Targets(counts_of("left"), weighing, Resources(2)).problem(**KNOBS)
    assert sided.rows is not sided.columns


# --- odd counts ---------------------------------------------------------------------------------


def from_table(table):
    table = np.asarray(table)
    words = [f"w{i}" for i in range(len(table))]
    contexts = [f"c{i}" for i in range(table.shape[1])]
    return Counts.from_scipy(table, words, contexts)


@pytest.mark.parametrize(
    "table",
    [
        [[1]],
        [[0, 0], [0, 5]],
        [[10**12, 1], [1, 0]],
        [[10**12] * 3] * 3,
        [[3, 0, 1], [3, 0, 1], [0, 0, 0]],
        np.eye(33, dtype=int),
    ],
)
@pytest.mark.parametrize("start", ["svd", "random"])
@pytest.mark.parametrize("dim", [1, 100])
def test_odd_counts_have_finite_factors(table, start, dim):
    counts = from_table(table)
    found = fitted(counts, dim=dim, start=start)
    for part in (found.left, found.values, found.right, np.array(found.objective)):
        assert np.all(np.isfinite(part))
    held = counts.to_scipy().toarray()
    assert not found.left[~held.any(axis=1)].any()
    assert not found.right[~held.any(axis=0)].any()
    assert np.all(np.diff(found.objective) <= 1e-5 * (1 + found.objective[0]))


def test_counts_without_a_pair_are_refused():
    with pytest.raises(FirthError, match="no counts to learn from"):
        Weighted().fit(from_table(np.zeros((3, 4), dtype=int)))


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"start": "glove"}, "start must be one of svd, random"),
        ({"dim": 0}, "dim must be 1 or more"),
        ({"sweeps": 0}, "sweeps must be 1 or more"),
        ({"seen": 1.5}, "seen must be from 0 to 1"),
        ({"unseen": -0.5}, "unseen must be from 0 to 1"),
        ({"unseen_share": -1.0}, "unseen_share must be 0 or more"),
        ({"ridge": -1.0}, "ridge must be 0 or more"),
        ({"alpha": 2.0}, "alpha must be from 0 to 1"),
    ],
)
def test_parameters_are_checked_when_the_method_is_made(settings_, message):
    with pytest.raises(FirthError, match=message):
        Weighted(**settings_)


# --- what is chosen -----------------------------------------------------------------------------


def test_unseen_pairs_weigh_more_where_counts_are_few():
    """METHODS: 1 to 1.5 suits six counts for each parameter and more, 5 two and fewer."""
    found = [scarcity(nonzeros, 100, 10) for nonzeros in (100_000, 6000, 4000, 2000, 10)]
    assert found[:2] == [0, 0]
    assert 0 < found[2] < 1
    assert found[3:] == [1, 1]
    chosen = Weighted(dim=2).fit(counts_of()).recipe["chosen"]
    assert chosen == {"unseen_share": 5.0, "ridge": 0.1}


def test_what_is_given_is_not_chosen():
    space = Weighted(dim=2, unseen_share=0, ridge=0.3).fit(counts_of())
    assert "chosen" not in space.recipe


# --- starts -------------------------------------------------------------------------------------


def test_a_fit_goes_on_from_a_space():
    """Two sweeps after two are four."""
    counts = counts_of()
    given = {"dim": 3, "ridge": 0.05, "unseen_share": 2.0, "combine": "words"}
    whole = Weighted(sweeps=8, **given).fit(counts)
    half = Weighted(sweeps=4, **given).fit(counts)
    more = Weighted(sweeps=4, **given).fit(counts, start=half)
    assert more.recipe["diagnostics"]["objective"][0] == pytest.approx(
        half.recipe["diagnostics"]["objective"][-1], rel=1e-4
    )
    np.testing.assert_allclose(
        np.abs(more.vectors @ more.vectors.T), np.abs(whole.vectors @ whole.vectors.T), atol=0.02
    )


def test_a_space_of_other_words_and_dimensions_is_a_start_too():
    counts = counts_of()
    few = Weighted(dim=2).fit(counts.select([*counts.words.words[:4]], None))
    space = Weighted(dim=3).fit(counts, start=few)
    assert np.isfinite(space.vectors).all()
    objective = space.recipe["diagnostics"]["objective"]
    assert np.all(np.diff(objective) <= 1e-5 * objective[0])


def test_a_space_without_contexts_is_no_start():
    counts = counts_of()
    with pytest.raises(FirthError, match="start from has no factors of words and contexts"):
        Weighted(dim=2).fit(counts, start=firth.methods.EigenWord(dim=2).fit(counts))


# --- the space ----------------------------------------------------------------------------------


def test_why_adds_up_to_the_cosine_of_the_targets():
    counts = counts_of()
    space = Weighted(dim=3).fit(counts)
    target = associate(counts, Weighing(scale="log1p", alpha=0.4, word_alpha=0.4, shift=-1.0))
    rows = target.to_dense()
    a, b = (rows[counts.words[word]] for word in ("cat", "dog"))
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert space.why("cat", "dog").explicit == pytest.approx(cosine, abs=1e-6)


def test_settings_of_the_vectors_change_without_another_fit():
    counts = counts_of()
    space = Weighted(dim=3).fit(counts)
    other = Weighted(dim=3, beta=0.7, combine="words")
    np.testing.assert_array_equal(other.derive(space).vectors, other.fit(counts).vectors)


def association_of(size=60, seed=0):
    generator = np.random.default_rng(seed)
    dense = generator.random((size, 40)) * (generator.random((size, 40)) < 0.3)
    words = [f"w{n}" for n in range(size)]
    return Association.from_scipy(dense, words, [f"c{n}" for n in range(40)])


def test_an_association_is_factorised_with_weights_of_its_values():
    """The objective is that of the formula written out, and less than that of the SVD."""
    matrix = association_of()
    method = Weighted(dim=5, seen=0.5, unseen=0.4, unseen_share=2, ridge=0, sweeps=8)
    space = method.fit(matrix)
    dense = matrix.to_dense()
    weights = np.abs(dense) ** 0.5
    rows, columns = (np.abs(dense).sum(axis=axis) ** 0.4 for axis in (1, 0))
    pairs = np.outer(rows, columns)
    weights += pairs * 2 * weights.sum() / pairs.sum()

    def objective(model):
        return float((weights * (model - dense) ** 2).sum())

    factors = space.factors
    found = objective((factors.left * factors.values) @ factors.right.T)
    assert space.recipe["diagnostics"]["objective"][-1] == pytest.approx(found, rel=1e-3)
    u, s, vt = np.linalg.svd(dense)
    assert found < objective((u[:, :5] * s[:5]) @ vt[:5])


def test_an_association_has_no_use_for_some_parameters():
    with pytest.raises(FirthError, match="alpha and shift lead to one"):
        Weighted(dim=2, alpha=0.9).fit(association_of())
    with pytest.raises(FirthError, match="no space to start from"):
        Weighted(dim=2).fit(association_of(), start=Weighted(dim=2).fit(association_of()))


def test_the_vectors_of_an_association_do_not_depend_on_threads():
    matrix = association_of(500)
    one, many = (Weighted(dim=4).fit(matrix, resources=Resources(n)) for n in (1, 3))
    assert one.vectors.tobytes() == many.vectors.tobytes()
