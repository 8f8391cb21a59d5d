"""Why: contributions that add up to the cosine of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.errors import FirthError, UnknownWord
from firth.resources import Resources
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

LINES = [
    "the cat drinks milk", "the dog drinks water", "a cat eats fish", "a dog eats meat",
    "the sun warms the stone", "the cat sees the dog",
]  # fmt: skip


def fit(context="symmetric", **settings):
    counts = firth.count(
        LINES, window=2, min_count=1, context=context, resources=Resources(threads=1)
    )
    return firth.methods.PPMI(dim=4).fit(counts, resources=Resources(threads=1), **settings)


SPACE = fit()
WORDS = st.sampled_from(SPACE.index_to_key)


@given(WORDS, WORDS)
def test_contributions_add_up_to_the_cosine_of_the_rows(a, b):
    rows = SPACE.association.to_dense()
    first, second = rows[SPACE.get_index(a)], rows[SPACE.get_index(b)]
    found = SPACE.why(a, b, top=1_000)
    cosine = first @ second / (np.linalg.norm(first) * np.linalg.norm(second))
    assert found.explicit == pytest.approx(cosine, abs=1e-6)
    assert sum(part for _, part in found.contexts) == pytest.approx(found.explicit)
    assert found.shared == np.count_nonzero(first * second) == len(found.contexts)
    parts = [part for _, part in found.contexts]
    assert parts == sorted(parts, reverse=True)
    for context, part in found.contexts:
        column = SPACE.contexts[context]
        expected = first[column] * second[column]
        assert part * np.linalg.norm(first) * np.linalg.norm(second) == pytest.approx(expected)
    assert found.similarity == SPACE.similarity(a, b)
    assert SPACE.why(a, b, top=2).contexts == found.contexts[:2]


def test_a_word_is_wholly_like_itself():
    found = SPACE.why("cat", "cat")
    assert found.explicit == pytest.approx(1)
    assert "cat and cat: cosine of the vectors 1.000, of the rows 1.000" in str(found)


def test_positional_contexts_are_named_with_their_place():
    found = fit("positional").why("cat", "dog")
    assert {"drinks+1", "eats+1", "a-1"} <= {*dict(found.contexts)}


def test_words_with_nothing_in_common():
    found = SPACE.why("sun", "fish")
    assert (found.explicit, found.shared, found.contexts) == (0.0, 0, [])


def test_what_cannot_be_explained():
    with pytest.raises(FirthError, match=r"keeps no association .* without --no-association"):
        fit(association=False).why("cat", "dog")
    with pytest.raises(FirthError, match=r"keeps no association .* firth fit made of counts"):
        Space(Vocabulary(["a"], [1]), np.ones((1, 1), dtype=np.float32)).why("a", "a")
    with pytest.raises(UnknownWord):
        SPACE.why("cat", "unicorn")
