"""From counts to association: equal to dense NumPy, the same on any threads, finite or an error."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth import _core
from firth.association import SCALES, TRANSFORMS, Association, Weighing, associate
from firth.counts.arrays import LIMIT
from firth.counts.ledger import Ledger
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe
from firth.errors import FirthError
from firth.text.vocabulary import Vocabulary
from tests import oracles

HARMONIC = 2520  # units of a harmonic window of 10


def make(units, scale=1, offsets=(), dtype=np.uint32):
    """Counts of a dense matrix of units; with offsets, its columns are as many blocks."""
    rows, columns = units.shape
    contexts = columns // max(len(offsets), 1)
    filled = units > 0
    return Counts(
        Vocabulary([f"w{i}" for i in range(rows)], [0] * rows),
        Vocabulary([f"c{i}" for i in range(contexts)], [0] * contexts),
        scale,
        offsets,
        Recipe(source="matrix", min_count=0),
        Ledger(),
        np.concatenate([[0], filled.sum(axis=1).cumsum()]).astype(np.int64),
        np.nonzero(filled)[1].astype(np.int32),
        units[filled].astype(dtype),
    )


def random_counts(rows=700, columns=500, seed=0):
    """Counts with a few large and many small values, in several blocks of rows."""
    rng = np.random.default_rng(seed)
    means = 60 / np.outer(np.arange(1, rows + 1), np.arange(1, columns + 1)) ** 0.6
    return make(rng.poisson(means) * rng.integers(1, 4, (rows, columns)))


def dense(counts):
    return counts.to_scipy(units=True).toarray() / counts.denominator


def keywords(weighing):
    return {
        "how": weighing.transform,
        "scale": weighing.scale,
        "alpha": weighing.alpha,
        "word_alpha": weighing.word_alpha,
        "kappa": weighing.kappa,
        "shift": weighing.shift,
        "threshold": weighing.threshold,
        "bits": weighing.bits,
        "power": weighing.power,
    }


def assert_equals_the_reference(counts, weighing, threads=1):
    expected, raw = oracles.associate(dense(counts), **keywords(weighing))
    if not np.all(np.isfinite(expected)):
        with pytest.raises(FirthError, match=r"the association of 'w.*' with .*c.* is not finite"):
            associate(counts, weighing, threads)
        return
    found = associate(counts, weighing, threads)
    assert found.shape == counts.shape
    assert np.all(np.isfinite(found.values))
    assert np.all(found.values != 0)
    # A value at the threshold may be on either side of it by rounding.
    with np.errstate(invalid="ignore"):  # both may be negative and infinite
        near = np.abs(raw - weighing.threshold) <= 1e-6
    clear = ~near if weighing.scale == "pmi" else ...
    np.testing.assert_allclose(
        found.to_dense()[clear], expected[clear], rtol=2e-6, atol=1e-7 * weighing.power
    )


WEIGHINGS = st.builds(
    Weighing,
    transform=st.sampled_from(TRANSFORMS),
    scale=st.sampled_from(SCALES),
    alpha=st.sampled_from([0, 0.5, 0.75, 1]),
    word_alpha=st.sampled_from([0, 0.45, 1]),
    kappa=st.sampled_from([0, 0.5, 200]),
    shift=st.sampled_from([0, np.log(5), -1]),
    threshold=st.sampled_from([0, -2.5, 0.5, -np.inf]),
    bits=st.booleans(),
    power=st.sampled_from([1, 0.5, 0.6, 2]),
)


@given(st.data(), WEIGHINGS, st.sampled_from([1, 2, 3, 8]))
def test_association_equals_the_dense_reference(data, weighing, threads):
    rows, contexts = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    offsets = data.draw(st.sampled_from([(), (-1, 1), (-2, -1, 1, 2)]))
    scale = data.draw(st.sampled_from([1, 3, HARMONIC]))
    wide = data.draw(st.booleans())
    columns = contexts * max(len(offsets), 1)
    most = st.one_of(st.integers(0, 5), st.integers(0, 2**44 if wide else 2**32 - 1))
    cells = data.draw(st.lists(most, min_size=rows * columns, max_size=rows * columns))
    units = np.array(cells, dtype=np.int64).reshape(rows, columns)
    counts = make(units, scale, offsets, np.uint64 if wide else np.uint32)
    assert_equals_the_reference(counts, weighing, threads)


@pytest.mark.parametrize(("transform", "scale"), list(product(TRANSFORMS, SCALES)))
def test_every_transform_and_scale_on_counts_of_a_text(transform, scale):
    counts = random_counts(60, 50)
    for alpha, kappa, shift, power in product([0.75, 1], [0, 5], [0, 1.6], [1, 0.6]):
        weighing = Weighing(transform=transform, scale=scale, alpha=alpha, kappa=kappa,
                            shift=shift, power=power)  # fmt: skip
        assert_equals_the_reference(counts, weighing)


def test_a_pmi_threshold_in_bits_is_a_ratio_of_probabilities():
    """τ = -1 keeps exactly the pairs that occur more than half as often as by chance."""
    counts = random_counts(200, 150)
    x = dense(counts)
    ratio = x * x.sum() / np.outer(x.sum(axis=1), x.sum(axis=0))
    kept = associate(counts, Weighing(bits=True, threshold=-1)).to_dense()
    assert np.count_nonzero(kept < 0) > 100
    np.testing.assert_array_equal(kept != 0, (ratio > 0.5) & (ratio != 1))
    np.testing.assert_allclose(2 ** kept[kept != 0], ratio[kept != 0], rtol=1e-5)


def test_a_harmonic_scale_only_sets_the_unit():
    """The same counts in units of 1/2520 have the same association, up to rounding."""
    counts = random_counts(50, 40)
    fine = make(counts.to_scipy(units=True).toarray() * HARMONIC, HARMONIC)
    for transform, scale in product(TRANSFORMS, SCALES):
        weighing = Weighing(transform=transform, scale=scale, alpha=0.75, kappa=1)
        np.testing.assert_allclose(
            associate(fine, weighing).to_dense(), associate(counts, weighing).to_dense(), atol=1e-6
        )


@pytest.mark.parametrize("scale", SCALES)
def test_association_does_not_depend_on_threads(scale):
    counts = random_counts()
    runs = [
        associate(counts, Weighing(transform="sqrt", scale=scale, alpha=0.75), threads)
        for threads in (1, 2, 3, 8)
    ]
    for run in runs[1:]:
        assert run.starts.tobytes() == runs[0].starts.tobytes()
        assert run.columns.tobytes() == runs[0].columns.tobytes()
        assert run.values.tobytes() == runs[0].values.tobytes()


def test_a_value_that_is_not_finite_names_word_and_context():
    units = np.zeros((300, 3), dtype=np.int64)
    units[211, 1] = 2**62
    counts = make(units, dtype=np.uint64)
    with pytest.raises(FirthError, match="association of 'w211' with 'c1' is not finite"):
        associate(counts, Weighing(scale="none", power=3), 2)
    # The ln of a count below one is negative, so its logarithm does not exist.
    units = np.array([[1, 9 * HARMONIC], [9 * HARMONIC, 1]])
    with pytest.raises(FirthError, match="association of 'w0' with 'c0' is not finite"):
        associate(make(units, HARMONIC), Weighing(transform="log"))


def test_words_without_counts_have_empty_rows():
    units = np.array([[0, 0, 0], [0, 2, 0], [0, 0, 0]])
    for transform, scale in product(TRANSFORMS, SCALES):
        found = associate(make(units), Weighing(transform=transform, scale=scale)).to_dense()
        assert not found[[0, 2]].any()
        assert not found[:, [0, 2]].any()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"transform": "cube"}, "transform must be one of none"),
        ({"scale": "cube"}, "scale must be one of none"),
        ({"alpha": 1.5}, "alpha must be from 0 to 1"),
        ({"alpha": np.nan}, "alpha must be from 0"),
        ({"kappa": -1}, "kappa must be 0 or more"),
        ({"kappa": np.inf}, "kappa must be 0 or more"),
        ({"shift": np.nan}, "shift must be a finite number"),
        ({"threshold": np.nan}, "threshold must be a number"),
        ({"power": 0}, "power must be above 0"),
        ({"power": np.nan}, "power must be above 0"),
    ],
)
def test_settings_out_of_range_are_refused(setting, message):
    with pytest.raises(FirthError, match=message):
        Weighing(**setting)


# --- kernels ------------------------------------------------------------------------------------


@given(st.data(), st.sampled_from([1, 2, 3, 8]))
def test_marginals_are_exact(data, threads):
    rows, columns = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 5))
    cells = st.one_of(st.integers(0, 3), st.integers(0, LIMIT // 8))
    drawn = data.draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    units = np.array(drawn, dtype=np.int64).reshape(rows, columns)
    counts = make(units, dtype=np.uint64)
    of_rows, of_columns = _core.marginals(*counts.csr(), columns, threads)
    assert of_rows.tolist() == [sum(row) for row in units.tolist()]
    assert of_columns.tolist() == [sum(column) for column in units.T.tolist()]


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("shape", [(2, 1), (1, 2)])
def test_a_marginal_past_63_bits_is_an_error(shape, threads):
    units = np.full(shape, 2**62)
    with pytest.raises(OverflowError, match="passes 2\\^63"):
        _core.marginals(*make(units, dtype=np.uint64).csr(), shape[1], threads)


def hostile(starts=(0, 1), columns=(0,), values=(1,), dtype=np.uint32):
    return np.array(starts, np.int64), np.array(columns, np.int32), np.array(values, dtype)


HOSTILE = [
    hostile(columns=[3]),
    hostile(columns=[-1]),
    hostile(columns=[2**31 - 1]),
    hostile(starts=[0, 2]),
    hostile(starts=[0, -1]),
    hostile(starts=[-1, 1]),
    hostile(starts=[0, 2, 1]),
    hostile(starts=[1, 1]),
    hostile(starts=[]),
    hostile(values=[1, 2]),
    hostile(values=[1.0], dtype=np.float64),
    hostile(starts=[0, 2], columns=[1, 0], values=[1, 1]),
    hostile(starts=[0, 2], columns=[1, 1], values=[1, 1]),
]


@pytest.mark.parametrize("arrays", HOSTILE)
def test_invalid_matrices_are_refused(arrays):
    with pytest.raises(ValueError, match=r"."):
        _core.marginals(*arrays, 3, 1)
    starts, columns, values = arrays
    kwargs = {"transform": "power", "exponent": 1.0, "kind": "product", "unit": 1.0,
              "threshold": 0.0, "power": 1.0, "scale": 1.0, "threads": 1,
              "progress": None}  # fmt: skip
    of_row, of_column = np.ones(max(len(starts) - 1, 0)), np.ones(3)
    with pytest.raises(ValueError, match=r"."):
        _core.associate(starts, columns, values, of_row, of_column, **kwargs)


@pytest.mark.parametrize(
    "wrong",
    [
        {"of_row": np.ones(2)},
        {"transform": "cube"},
        {"kind": "cube"},
        {"scale": 0.0},
        {"power": 0.0},
    ],
)
def test_the_kernel_refuses_settings_that_do_not_fit(wrong):
    starts, columns, values = hostile()
    kwargs = {"of_row": np.ones(1), "of_column": np.ones(3), "transform": "power", "exponent": 1.0,
              "kind": "product", "unit": 1.0, "threshold": 0.0, "power": 1.0, "scale": 1.0,
              "threads": 1, "progress": None}  # fmt: skip
    with pytest.raises(ValueError, match=r"."):
        _core.associate(starts, columns, values, **{**kwargs, **wrong})


def test_the_logarithm_of_a_frequency_below_one_empties_its_row():
    """The logarithms of a count of a third, and of the sum of its row, are negative."""
    third = make(np.array([[1]]), 3)
    assert_equals_the_reference(third, Weighing(transform="log"))
    assert associate(third, Weighing(transform="log")).nnz == 0


def test_columns_are_shared_if_every_cell_is_kept():
    counts = random_counts(80, 70)
    assert associate(counts, Weighing(scale="log1p")).columns is counts.columns
    # One cell of two underflows, and is left out.
    tiny = make(np.array([[1, 10**9], [10**9, 1]]))
    left = associate(tiny, Weighing(scale="cca", power=40.0))
    assert left.nnz == 2
    np.testing.assert_array_equal(left.to_dense() > 0, np.eye(2)[::-1] > 0)


# --- the matrix ---------------------------------------------------------------------------------


def test_an_association_goes_to_scipy_and_back():
    matrix = associate(random_counts(80, 70), Weighing())
    again = Association.from_scipy(matrix.to_scipy())
    np.testing.assert_array_equal(again.to_dense(), matrix.to_dense())
    np.testing.assert_array_equal(matrix.to_scipy().toarray(), matrix.to_dense())
    columns, values = matrix.row(7)
    np.testing.assert_array_equal(matrix.to_dense()[7, columns], values)


def test_a_matrix_with_a_value_that_is_not_finite_is_refused():
    for value in (np.nan, np.inf, 1e300):
        with pytest.raises(FirthError, match="not finite"), np.errstate(over="ignore"):
            Association.from_scipy(np.array([[value]]))


def test_counts_of_a_text_to_ppmi_by_hand():
    counts = firth.count(["a b", "a b", "a c"], window=1, min_count=1)
    table = associate(counts, Weighing()).to_dense()
    a, b, c = (counts.words[word] for word in "abc")
    # #(a, b) = 2, #(a) = 3, #(b) = 2, N = 6: log(2 · 6 / (3 · 2)).
    assert table[a, b] == pytest.approx(np.log(2), rel=1e-6)
    assert table[a, c] == pytest.approx(np.log(2), rel=1e-6)
    assert table[b, c] == table[a, a] == 0


@pytest.mark.parametrize("scale", ["none", "cca", "pmi", "log1p"])
def test_equal_smoothing_of_symmetric_counts_gives_a_symmetric_association(scale):
    half = random_counts(300, 300).to_scipy(units=True).toarray()
    for transform in TRANSFORMS:
        counts = make(half + half.T, 1 if transform == "log" else HARMONIC)
        weighing = Weighing(
            transform=transform, scale=scale, alpha=0.45, word_alpha=0.45, threshold=-np.inf
        )
        assert associate(counts, weighing).sparse().symmetric(1)
    one_sided = Weighing(scale=scale, alpha=0.45, threshold=-np.inf)
    assert associate(counts, one_sided).sparse().symmetric(1) == (scale == "none")


def test_an_association_carries_the_names_of_rows_and_columns():
    counts = firth.count(["a b c", "b d a"], window=1, context="positional", min_count=1)
    found = associate(counts, Weighing())
    assert (found.words, found.contexts) == (counts.words, counts.contexts)
    assert found.offsets == counts.offsets == (-1, 1)
    turned = found.transpose()  # no vocabulary has its rows, contexts at offsets
    assert (turned.words, turned.contexts, turned.offsets) == (None, counts.words, ())
    plain = associate(firth.count(["a b c"], min_count=1, max_contexts=2), Weighing())
    assert (plain.transpose().words, plain.transpose().contexts) == (plain.contexts, plain.words)


def test_names_that_do_not_fit_are_refused():
    matrix = np.ones((2, 3))
    found = Association.from_scipy(matrix, ["a", "b"], ["x", "y", "z"])
    assert found.contexts.words == ("x", "y", "z")
    with pytest.raises(FirthError, match="3 words do not name 2 rows"):
        Association.from_scipy(matrix, ["a", "b", "c"])
    with pytest.raises(FirthError, match="2 contexts do not name 3 columns"):
        Association.from_scipy(matrix, None, ["a", "b"])
    with pytest.raises(FirthError, match="2 contexts do not name 3 columns"):
        found.named(found.words, Vocabulary(["x"], [0]), (-1, 1))
