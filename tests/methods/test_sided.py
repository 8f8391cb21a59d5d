"""Methods on counts of two sides, against the same matrix given as one."""

from dataclasses import replace

import numpy as np
import pytest

import firth
from firth import _core
from firth.association import Weighing
from firth.errors import FirthError
from firth.methods import PPMI, EigenWord, Weighted
from firth.resources import Resources
from firth.sided import Halves, SidedAssociation

LINES = ["the cat sat on the mat", "the dog sat on the log and the cat", "a log is no mat"] * 3
# Lines that end with the word they begin with: each word has as many neighbours on either side.
CIRCUITS = ["the cat saw a dog and the cat ran to the", "a log on a mat is a", "dog eat cat or dog"]


def sides(lines=LINES, **options):
    return firth.count(lines, **{"window": 3, "min_count": 1, "context": "sides", **options})


def whole(counts):
    """The same counts, with both sides stored."""
    starts, columns, values = counts.csr()
    return replace(counts, starts=starts, columns=columns, values=values, half=False)


def test_the_weighted_factors_are_those_of_one_general_matrix():
    counts = sides(CIRCUITS, window=1)
    assert not counts.block("left").is_symmetric
    given = {"dim": 3, "start": "random", "unseen_share": 1.5, "ridge": 0.05, "sweeps": 6}
    found, expected = (Weighted(**given).fit(c) for c in (counts, whole(counts)))
    np.testing.assert_allclose(
        found.recipe["diagnostics"]["objective"], expected.recipe["diagnostics"]["objective"],
        rtol=1e-5,
    )  # fmt: skip
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-4)
    np.testing.assert_allclose(found.factors.right, expected.factors.right, atol=1e-4)


def test_the_start_leads_as_far_down_as_the_svd_of_both_sides():
    counts = sides(CIRCUITS, window=1)
    given = {"dim": 3, "unseen_share": 1.5, "ridge": 0.05, "sweeps": 40}
    found, expected = (
        Weighted(**given).fit(c).recipe["diagnostics"]["objective"] for c in (counts, whole(counts))
    )
    assert found[-1] < 1.02 * expected[-1]


def test_spectral_methods_take_both_sides_as_one_matrix():
    counts = sides()
    found, expected = (PPMI(dim=3).fit(c) for c in (counts, whole(counts)))
    assert found.vectors.tobytes() == expected.vectors.tobytes()
    assert found.factors.right.shape == (2 * len(counts.contexts), 3)


def test_eigenword_adds_both_sides_up():
    window = firth.count(LINES, window=3, min_count=1)
    for counts in (sides(), whole(sides())):
        found = EigenWord(dim=3, threshold="auto").fit(counts)
        expected = EigenWord(dim=3, threshold="auto").fit(window)
        assert found.vectors.tobytes() == expected.vectors.tobytes()
        assert found.recipe == expected.recipe


def test_the_vectors_of_both_sides_are_added_to_those_of_words():
    space = Weighted(dim=3).fit(sides())
    assert space.recipe["combining"]["combine"] == "sum"
    factors, size = space.factors, len(space.words)
    own = factors.left * factors.values**factors.beta
    both = (factors.right[:size] + factors.right[size:]) * factors.values**factors.beta

    def unit(rows):
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    expected = unit(unit(own) + factors.weight * unit(both))
    np.testing.assert_allclose(space.vectors, expected, atol=1e-5)


def test_a_fit_of_sides_goes_on_from_a_space_of_sides_alone():
    counts = sides()
    space = Weighted(dim=3, sweeps=2).fit(counts)
    more = Weighted(dim=3, sweeps=2).fit(counts, start=space)
    first, last = (s.recipe["diagnostics"]["objective"] for s in (space, more))
    assert last[0] == pytest.approx(first[-1], rel=1e-4)
    with pytest.raises(FirthError, match="other blocks of contexts"):
        Weighted(dim=3).fit(counts.together(), start=space)


def test_why_names_the_side_and_a_stored_space_answers_alike(tmp_path):
    counts = sides()
    space = Weighted(dim=3).fit(counts)
    answer = space.why("cat", "dog")
    target = space.association.to_dense()
    a, b = (target[counts.words[word]] for word in ("cat", "dog"))
    assert answer.explicit == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6)
    assert all(one.context.endswith((" (left)", " (right)")) for one in answer.contexts)
    space.save(tmp_path / "space")
    loaded = firth.Space.load(tmp_path / "space")
    assert loaded.why("cat", "dog") == answer
    assert len(loaded.association.values) == space.association.left.nnz
    for place in range(len(counts.words)):
        for found, expected in zip(
            loaded.association.row(place), space.association.row(place), strict=True
        ):
            assert np.array_equal(found, expected)
    np.testing.assert_array_equal(loaded.association.to_dense(), target)
    loaded.save(tmp_path / "again")
    for path in (tmp_path / "space").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_an_association_of_sides_is_the_matrix_and_its_transpose():
    found = Halves.of(sides(), 2).associate(Weighing(scale="log1p"), 2)
    assert isinstance(found, SidedAssociation)
    left, right = (part.to_dense() for part in found.parts)
    assert np.array_equal(left, right.T)
    joined = found.to_association()
    assert (joined.shape, joined.nnz, joined.offsets) == (found.shape, found.nnz, found.offsets)
    assert np.array_equal(joined.to_dense(), found.to_dense())
    assert np.array_equal(found.to_scipy().toarray(), np.hstack([left, right]))


def test_less_memory_is_asked_for_sides_than_for_the_same_matrix_as_one():
    counts = sides([" ".join(f"w{(7 * i * i + i) % 611}" for i in range(40_000))])
    method = Weighted(dim=10)
    assert method.memory(counts) < method.memory(whole(counts))
    need = EigenWord(dim=10).unfolding(counts)
    assert need == 8 * (counts.nnz + counts.nnz // 2)
    assert method.unfolding(counts) == EigenWord(dim=10).unfolding(whole(counts)) == 0


def test_cells_that_do_not_fit_are_not_joined():
    def cells(rows):
        starts = np.zeros(rows + 1, dtype=np.int64)
        none = np.zeros(0, dtype=np.int32)
        return _core.ValueCells(starts, none, None, none.astype(np.float32), 3, 1)

    with pytest.raises(ValueError, match="different heights"):
        _core.JoinedCells([cells(2), cells(3)])
    with pytest.raises(ValueError, match="must be a matrix"):
        _core.JoinedCells([])


def test_a_sweep_takes_sides(tmp_path):
    counts = sides()
    for name in ("weighted", "ppmi", "eigenword"):
        method = firth.methods.METHODS[name](dim=2)
        again = method.fit(counts, resources=Resources(2))
        assert np.array_equal(again.vectors, method.fit(counts, resources=Resources(1)).vectors)
