"""Entities are those of the CoNLL scorer, schemes convert into each other, F1 is exact."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracles_tagging

from firth.errors import FirthError
from firth.evaluation.ner import SCHEMES, Entity, convert, encode, entities, evaluate_entities
from firth.evaluation.ner.spans import first_fault, may_follow

TYPES = st.sampled_from(["person", "creative-work", "B", "O"])
TAGS = st.one_of(st.just("O"), st.tuples(st.sampled_from("BIES"), TYPES).map("-".join))
SENTENCES = st.lists(TAGS, max_size=9)


@st.composite
def spans(draw):
    """Entities apart or touching, and the length of their sentence."""
    found, at = [], 0
    for gap, size, kind in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4), TYPES), max_size=5)
    ):
        found.append(Entity(at + gap, at + gap + size, kind))
        at += gap + size
    return found, at + draw(st.integers(0, 2))


@given(SENTENCES)
def test_entities_are_those_of_the_scorer_in_any_sequence_of_tags(tags):
    found = [(entity.first, entity.end, entity.type) for entity in entities(tags)]
    assert found == sorted(found)
    assert set(found) == oracles_tagging.entities(tags)
    assert len(found) == len(set(found))


def test_slips_are_read_as_the_scorer_reads_them():
    """Each of these is a line of the scorer's table."""
    for tags, expected in [
        ("O I-a I-a", [(1, 3, "a")]),
        ("I-a I-b", [(0, 1, "a"), (1, 2, "b")]),
        ("B-a I-b", [(0, 1, "a"), (1, 2, "b")]),
        ("B-a B-a", [(0, 1, "a"), (1, 2, "a")]),
        ("B-a E-a I-a", [(0, 2, "a"), (2, 3, "a")]),
        ("S-a I-a E-a", [(0, 1, "a"), (1, 3, "a")]),
        ("E-a E-a", [(0, 1, "a"), (1, 2, "a")]),
        ("B-a O", [(0, 1, "a")]),
        ("B-a E-b", [(0, 1, "a"), (1, 2, "b")]),
        ("U-a B-a L-a", [(0, 1, "a"), (1, 3, "a")]),
    ]:
        assert entities(tags.split()) == [Entity(*each) for each in expected], tags


@given(spans(), st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_every_scheme_gives_the_entities_back_and_converts_into_every_other(made, one, other):
    found, length = made
    tags = encode(found, length, one)
    assert len(tags) == length
    assert entities(tags) == found
    assert convert(convert(tags, other), one) == tags
    assert first_fault(tags, one) is None
    steps = zip((None, *tags), tags, strict=False)
    assert all(may_follow(before, tag, one) for before, tag in steps)


@given(SENTENCES, st.sampled_from(SCHEMES))
def test_what_a_scheme_forbids_between_two_tags_is_a_fault_of_the_sentence(tags, scheme):
    tags = (
        [tag.replace("E-", "L-").replace("S-", "U-") for tag in tags] if scheme == "BILOU" else tags
    )
    forbidden = [not may_follow(a, b, scheme) for a, b in zip((None, *tags), tags, strict=False)]
    if any(forbidden):
        assert first_fault(tags, scheme) is not None


def test_the_schemes_by_example():
    found = [Entity(0, 1, "a"), Entity(1, 3, "a"), Entity(4, 6, "b"), Entity(6, 7, "a")]
    for scheme, expected in {
        "IOB1": "I-a B-a I-a O I-b I-b I-a",
        "IOB2": "B-a B-a I-a O B-b I-b B-a",
        "BIOES": "S-a B-a E-a O B-b E-b S-a",
        "BILOU": "U-a B-a L-a O B-b L-b U-a",
    }.items():
        assert " ".join(encode(found, 7, scheme)) == expected


@pytest.mark.parametrize("entity", [Entity(1, 3, "a"), Entity(3, 3, "a"), Entity(2, 9, "a")])
def test_entities_that_do_not_fit_are_refused(entity):
    with pytest.raises(FirthError, match="overlaps another, or does not fit 5 tokens"):
        encode([Entity(0, 2, "a"), entity], 5)


def test_what_is_no_tag_and_no_scheme_is_refused_by_name():
    for tag in ("person", "X-person", "B-", "B", "", "-person"):
        with pytest.raises(FirthError, match=r"is not a tag: tags are O, B-type"):
            entities(["O", tag])
    with pytest.raises(
        FirthError, match="scheme must be one of IOB1, IOB2, BIOES, BILOU, not 'BIO'"
    ):
        encode([], 1, "BIO")


# --- scores -------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.tuples(TAGS, TAGS), max_size=7), max_size=4))
def test_f1_is_that_of_the_twin(pairs):
    gold = [[a for a, _ in sentence] for sentence in pairs]
    predicted = [[b for _, b in sentence] for sentence in pairs]
    scores = evaluate_entities(gold, predicted)
    assert scores.overall.f1 == pytest.approx(float(oracles_tagging.f1(gold, predicted)))
    assert scores.sentences.sum(axis=0).tolist() == [
        scores.overall.correct, scores.overall.predicted, scores.overall.gold,
    ]  # fmt: skip
    for kind, score in scores.types.items():
        only = [
            [[tag if tag.endswith(f"-{kind}") and tag[2:] == kind else "O" for tag in tags]
             for tags in side]
            for side in (gold, predicted)
        ]  # fmt: skip
        assert score.f1 == pytest.approx(float(oracles_tagging.f1(*only)))
    assert sum(score.gold for score in scores.types.values()) == scores.overall.gold


def test_an_example_worked_by_hand():
    """Right; right place, wrong type; cut short; missed; invented: 1 of 4 found, 1 of 4 there."""
    gold = ["B-a I-a O B-b", "B-a I-a I-a O", "O B-b O"]
    guess = ["B-a I-a O B-a", "B-a I-a O O", "B-b O O"]
    scores = evaluate_entities([tags.split() for tags in gold], [tags.split() for tags in guess])
    assert (scores.overall.correct, scores.overall.predicted, scores.overall.gold) == (1, 4, 4)
    assert (scores.overall.precision, scores.overall.recall, scores.overall.f1) == (0.25,) * 3
    assert {kind: Fraction(s.f1).limit_denominator(99) for kind, s in scores.types.items()} == {
        "a": Fraction(2, 5), "b": Fraction(0),
    }  # fmt: skip


def test_scores_without_entities_are_zero():
    scores = evaluate_entities([["O", "O"]], [["O", "O"]])
    assert (scores.overall.precision, scores.overall.recall, scores.overall.f1) == (0, 0, 0)
    assert scores.types == {}


def test_tags_that_do_not_pair_are_refused():
    with pytest.raises(FirthError, match="1 sentences cannot be compared with 2"):
        evaluate_entities([["O"]], [["O"], ["O"]])
    with pytest.raises(FirthError, match="sentence 2 has 1 tags, and 2 were predicted"):
        evaluate_entities([["O"], ["O"]], [["O"], ["O", "O"]])
