"""Why: parts that add up to the cosine of the rows, of contexts that tell two words apart."""

import lzma
import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracles

import firth
from firth.errors import FirthError, UnknownWord
from firth.evaluation.finding import DataFolders, tasks_of
from firth.resources import Resources
from firth.space.space import Space
from firth.text.embedded import documentation, installed
from firth.text.vocabulary import Vocabulary

DATA = Path(os.environ.get("FIRTH_DATA", "../shared/data"))
CORPUS = DATA / "corpus" / "wiki17m.txt.xz"
LINES = [
    "the cat drinks milk", "the dog drinks water", "a cat eats fish", "a dog eats meat",
    "the sun warms the stone", "the cat sees the dog",
]  # fmt: skip
ONE = Resources(threads=1)


def fit(context="symmetric", method=firth.methods.PPMI, lines=LINES, **settings):
    counts = firth.count(lines, window=2, min_count=1, context=context, resources=ONE)
    return method(dim=4).fit(counts, resources=ONE, **settings)


def many_words():
    """Lines over 300 words, so that there are three bands of frequency."""
    draw = np.random.default_rng(0)
    places = (draw.pareto(0.7, size=(400, 8)) * 3).astype(int) % 300
    return [" ".join(f"w{place}" for place in line) for line in places]


SPACES = {
    "ppmi": fit(),
    "default": fit(method=firth.methods.LogRatio, lines=many_words()),
    "negative": fit(method=firth.methods.SVDNS, lines=many_words()),
    "counts": fit(method=firth.methods.SVD, lines=many_words()),
    "right": fit("right", firth.methods.CCA, many_words()),
    "positional": fit("positional", firth.methods.PPMI),
}
SPACE = SPACES["ppmi"]
SOME = st.sampled_from(sorted(SPACES)).flatmap(
    lambda name: st.tuples(
        st.just(name), *[st.sampled_from(SPACES[name].index_to_key) for _ in range(3)]
    )
)


def excess(space, word):
    """The unit row of a word, and the usual one, the slow way."""
    rows = space.association.to_dense()
    groups = oracles.bands(space.words.frequencies.tolist())
    place = space.get_index(word)
    (group,) = (group for group in groups if place in group)
    length = np.linalg.norm(rows[place]) or 1.0
    return rows[place] / length, oracles.unit_means(rows, [group])[0], length


def name_of(space, column):
    offsets = space.recipe["offsets"]
    word = space.contexts.words[column % len(space.contexts)]
    return f"{word}{offsets[column // len(space.contexts)]:+d}" if offsets else word


def is_own(space, column, words):
    return space.contexts.words[column % len(space.contexts)] in words


@given(SOME)
def test_the_parts_are_what_they_say_and_add_up_to_the_cosine(drawn):
    name, a, b, _ = drawn
    space = SPACES[name]
    found = space.why(a, b, top=3)
    (x, u, length_x), (y, v, length_y) = excess(space, a), excess(space, b)
    assert found.explicit == pytest.approx(x @ y, abs=1e-6)
    assert found.similarity == space.similarity(a, b)
    assert found.usual == pytest.approx(x @ v + u @ y - u @ v, abs=1e-6)
    parts = (x - u) * (y - v)
    own = [c for c in range(len(parts)) if is_own(space, c, (a, b))]
    both = [
        c for c in range(len(parts))
        if c not in own and x[c] > max(u[c], 0) + 1e-7 and y[c] > max(v[c], 0) + 1e-7
    ]  # fmt: skip
    assert found.distinctive == len(both)
    assert found.shared == np.count_nonzero(x * y)
    assert sum(each.part for each in found.own) == pytest.approx(parts[own].sum(), abs=1e-6)
    listed = sum(each.part for each in found.contexts)
    assert listed + found.more == pytest.approx(parts[both].sum(), abs=1e-6)
    others = [c for c in range(len(parts)) if c not in own and c not in both]
    assert found.rest == pytest.approx(parts[others].sum(), abs=1e-6)
    whole = found.usual + parts[own].sum() + listed + found.more + found.rest
    assert whole == pytest.approx(x @ y, abs=1e-6)
    places = {name_of(space, c): c for c in range(len(parts))}
    for each in found.own + found.contexts:
        c = places[each.context]
        assert each.part == pytest.approx(parts[c], abs=1e-6)
        assert each.strengths == pytest.approx((x[c] * length_x, y[c] * length_y), rel=1e-5)
        assert each.usual == pytest.approx((u[c] * length_x, v[c] * length_y), abs=1e-4)
    assert [each.part for each in found.contexts] == pytest.approx(
        sorted(parts[both], reverse=True)[:3], abs=1e-6
    )


@given(SOME)
def test_the_parts_of_a_contrast_add_up_to_the_difference(drawn):
    name, a, b, other = drawn
    space = SPACES[name]
    if other in (a, b):
        with pytest.raises(FirthError, match="contrast must be a third word"):
            space.why(a, b, contrast=other)
        return
    found = space.why(a, b, top=1000, contrast=other)
    (x, u, _), (y, v, _), (z, w, _) = (excess(space, word) for word in (a, b, other))
    assert found.explicit == pytest.approx((x @ y, x @ z), abs=1e-6)
    parts = (x - u) * ((y - v) - (z - w))
    own = sum(parts[c] for c in range(len(parts)) if is_own(space, c, (a, b, other)))
    assert sum(each.part for each in found.own) == pytest.approx(own, abs=1e-6)
    assert found.usual == pytest.approx(x @ y - x @ z - parts.sum(), abs=1e-6)
    listed = sum(each.part for each in found.closer + found.farther)
    difference = found.usual + own + listed + found.rest
    assert difference == pytest.approx(x @ y - x @ z, abs=1e-6)
    assert all(each.part > 0 and each.strengths[1] > each.usual[1] for each in found.closer)
    assert all(each.part < 0 and each.strengths[2] > each.usual[2] for each in found.farther)


def test_what_is_usual_is_the_mean_of_random_words_of_like_frequency():
    space = SPACES["default"]
    rows = space.association.to_dense()
    units = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-30)[:, None]
    frequent, rare = oracles.bands(space.words.frequencies.tolist())[:2]
    pairs = [units[a] * units[b] for a in frequent for b in rare]
    background = space.background
    product = background.usual(frequent[0]) * background.usual(rare[0])
    np.testing.assert_allclose(product, np.mean(pairs, axis=0), atol=1e-7)


def share_of_frequent(space, pairs):
    """Count the 50 most frequent words among the first five contexts of pairs.

    Also list those that are not distinctive, and count those that plain products would show. A
    context is distinctive where fewer than one in a hundred pairs of random words, as frequent as
    the two are, have both words so strong in it.
    """
    rows = space.association.to_scipy()
    columns = rows.tocsc()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    groups = [np.array(group) for group in oracles.bands(space.words.frequencies.tolist())]
    band = {place: group for group in groups for place in group.tolist()}
    frequent, dull, naive = 0, [], 0

    def above(word, column):
        place = space.get_index(word)
        strengths = columns[:, [column]].toarray().ravel()[band[place]] / lengths[band[place]]
        return (strengths >= strengths[band[place] == place]).mean()

    for a, b in pairs:
        for each in space.why(a, b, top=5).contexts:
            column = space.contexts[each.context]
            if column < 50:
                frequent += 1
                if above(a, column) * above(b, column) >= 0.01:
                    dull.append((a, b, each.context))
        x, y = (rows[[space.get_index(word)]].toarray().ravel() for word in (a, b))
        naive += int((np.argsort(-x * y, kind="stable")[:5] < 50).sum())
    return frequent, dull, naive


def test_frequent_words_explain_nothing_in_documentation():
    packages = [package for package in installed() if package.name == "NumPy"]
    counts = firth.count(documentation(packages), resources=ONE)
    space = firth.methods.LogRatio(dim=50).fit(counts, resources=ONE)
    words = space.index_to_key[100:600:5]
    pairs = [(word, near[0]) for word in words for near in space.most_similar(word, topn=2)]
    frequent, dull, naive = share_of_frequent(space, pairs)
    assert len(pairs) == 200
    assert dull == []
    assert naive > 3 * frequent


def test_frequent_words_explain_nothing_in_wikipedia():
    if not CORPUS.exists():
        pytest.skip(f"{CORPUS} is not there: set FIRTH_DATA to the folder of the corpora")
    with lzma.open(CORPUS, "rt", encoding="utf-8") as lines:
        text = [*islice(lines, 30_000)]
    counts = firth.count(text, min_count=20, tokenizer="whitespace")
    tests = tasks_of(("ten",), DataFolders([DATA]), "whole")
    every = sorted({(a, b) for test in tests for a, b, _ in test.pairs if a != b})
    known = [(a, b) for a, b in every if a in counts.words and b in counts.words]
    pairs = [known[place] for place in np.random.default_rng(0).permutation(len(known))[:200]]
    assert len(pairs) == 200
    for method in (firth.methods.LogRatio, firth.methods.PPMI):
        space = method(dim=10, tol=0.1).fit(counts)
        frequent, dull, naive = share_of_frequent(space, pairs)
        assert dull == []
        assert frequent < 40
        assert naive > 2 * frequent
        if method is firth.methods.LogRatio:
            assert naive > 500


def test_a_word_is_wholly_like_itself():
    found = SPACE.why("cat", "cat")
    assert found.explicit == pytest.approx(1)
    assert "cat and cat: cosine of the vectors 1.000, of the association rows 1.000" in str(found)
    assert [each.context for each in found.own] == ["cat"]


def test_positional_contexts_are_named_with_their_place():
    found = SPACES["positional"].why("cat", "dog", top=100)
    assert {"drinks+1", "eats+1", "a-1"} <= {each.context for each in found.contexts}
    assert {each.context[:3] for each in found.own} <= {"cat", "dog"}
    assert found.own


def test_words_with_nothing_in_common():
    found = SPACE.why("sun", "fish")
    assert (found.explicit, found.shared, found.contexts) == (0.0, 0, [])
    assert found.usual + sum(each.part for each in found.own) + found.rest == pytest.approx(0)


def test_what_is_printed_adds_up():
    for name, space in SPACES.items():
        a, b, other = space.index_to_key[3:6]
        lines = str(space.why(a, b, top=2)).splitlines()
        parts = [float(line.split()[0]) for line in lines[1:5]]
        assert sum(parts) == pytest.approx(float(lines[0].split()[-1]), abs=0.003), name
        lines = str(space.why(a, b, top=2, contrast=other)).splitlines()
        whole, *parts = [float(line.split()[0]) for line in lines[1:7]]
        assert sum(parts) == pytest.approx(whole, abs=0.004), name
        assert not [line for line in lines if "-0.000 " in line or "-0.0000" in line]


def test_what_cannot_be_explained():
    with pytest.raises(FirthError, match=r"no association matrix .*: fit it again and keep"):
        fit(association=False).why("cat", "dog")
    with pytest.raises(FirthError, match=r"no association matrix .*: only one .* fitted to counts"):
        Space(Vocabulary(["a"], [1]), np.ones((1, 1), dtype=np.float32)).why("a", "a")
    with pytest.raises(UnknownWord):
        SPACE.why("cat", "unicorn")
    with pytest.raises(UnknownWord):
        SPACE.why("cat", "dog", contrast="unicorn")


@pytest.mark.parametrize("context", ["symmetric", "sides"])
def test_of_a_weighted_fit_it_says_how_much_of_each_row_was_seen(context):
    lines = ["the cat sat on the mat", "the dog sat on the log"] * 3
    counts = firth.count(lines, min_count=1, context=context)
    weights = {"seen": 0.5, "unseen": 0.4, "unseen_share": 2.0}
    space = firth.methods.Weighted(dim=3, **weights).fit(counts)
    table = counts.to_scipy().toarray()
    f = table.sum(axis=1)
    z, y = f**0.4, np.tile(f, table.shape[1] // len(f)) ** 0.4
    seen = np.sqrt(table)
    spread = np.outer(z, y) * 2.0 * seen.sum() / z.sum() / y.sum()
    share = ((seen + spread) * (table > 0)).sum(axis=1) / (seen + spread).sum(axis=1)
    places = [space.get_index(word) for word in ("cat", "dog", "mat")]
    found = space.why("cat", "dog")
    assert found.seen == pytest.approx(share[places[:2]])
    line = f"weight of seen contexts in the fit: cat {share[places[0]]:.0%}, dog"
    assert str(found).splitlines()[1].startswith(line)
    assert space.why("cat", "dog", contrast="mat").seen == pytest.approx(share[places])
    ignoring = firth.methods.Weighted(dim=3, unseen_share=0).fit(counts)
    assert ignoring.why("cat", "dog").seen == (1.0, 1.0)
    plain = firth.methods.PPMI(dim=3).fit(counts).why("cat", "dog")
    assert plain.seen is None
    assert "weight" not in str(plain)
