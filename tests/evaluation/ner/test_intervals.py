"""Intervals: the draws are what they are said to be, and cover as often as they should."""

import json
import random

import numpy as np
import pytest

from firth.errors import FirthError
from firth.evaluation.ner import (
    Sentence,
    Tagger,
    difference_interval,
    evaluate_entities,
    f1_interval,
    markdown,
    run,
)
from firth.resources import Resources
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary


def guesses(count, right, seed):
    """Sentences with a name each, found with some chance."""
    found = np.random.default_rng(seed).random(count) < right
    return [["B-a", "O"]] * count, [["B-a", "O"] if hit else ["O", "B-a"] for hit in found]


def test_an_interval_is_that_of_sentences_drawn_and_scored_anew():
    gold, predicted = guesses(40, 0.6, 1)
    other = guesses(40, 0.4, 2)[1]
    ours, theirs = (evaluate_entities(gold, side) for side in (predicted, other))
    draws = np.random.Generator(np.random.Philox(key=[3, 40]))
    f1, gaps = [], []
    for draw in np.concatenate([draws.integers(40, size=(n, 40)) for n in (64, 64, 22)]):
        pair = [
            evaluate_entities([gold[i] for i in draw], [side[i] for i in draw]).overall.f1
            for side in (predicted, other)
        ]
        f1.append(pair[0])
        gaps.append(pair[0] - pair[1])
    interval = f1_interval(ours, resamples=150, seed=3)
    assert interval.value == ours.overall.f1
    np.testing.assert_allclose([interval.low, interval.high], np.quantile(f1, [0.025, 0.975]))
    gap = difference_interval(ours, theirs, resamples=150, seed=3)
    np.testing.assert_allclose([gap.low, gap.high], np.quantile(gaps, [0.025, 0.975]))
    assert gap.value == pytest.approx(ours.overall.f1 - theirs.overall.f1)
    expected = 2 * min(np.mean(np.array(gaps) <= 0), np.mean(np.array(gaps) >= 0))
    assert gap.p == pytest.approx(max(expected, 1 / 150))
    assert f1_interval(ours, resamples=150, seed=3) == interval
    assert f1_interval(ours, resamples=150, seed=4) != interval


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Each sentence is right with chance .6, so that F1 is .6: 95 of 100 in expectation."""
    held = 0
    for seed in range(100):
        interval = f1_interval(evaluate_entities(*guesses(200, 0.6, seed)), resamples=300)
        held += interval.low <= 0.6 <= interval.high
    assert 88 <= held <= 99


def test_several_taggers_are_averaged_and_pairs_are_paired():
    gold, one = guesses(60, 0.7, 1)
    two = guesses(60, 0.5, 2)[1]
    scores = [evaluate_entities(gold, side) for side in (one, two)]
    mean = f1_interval(scores)
    assert mean.value == pytest.approx(np.mean([score.overall.f1 for score in scores]))
    same = difference_interval(scores, scores)
    assert (same.value, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert not same.without_zero
    better = evaluate_entities(gold, gold)
    gap = difference_interval(better, scores[1])
    assert gap.without_zero
    assert gap.p == 1 / 2000
    assert not difference_interval(scores[1], better).low > 0


def test_what_cannot_be_resampled_is_refused():
    scores = evaluate_entities(*guesses(5, 0.5, 1))
    with pytest.raises(FirthError, match="needs sentences"):
        f1_interval(evaluate_entities([], []))
    with pytest.raises(FirthError, match="needs sentences"):
        f1_interval([])
    with pytest.raises(FirthError, match="on the same sentences"):
        difference_interval(scores, evaluate_entities(*guesses(6, 0.5, 1)))
    with pytest.raises(FirthError, match="resamples must be 1 or more"):
        f1_interval(scores, resamples=0)
    with pytest.raises(FirthError, match="level must be"):
        f1_interval(scores, level=1.0)


# --- the comparison -----------------------------------------------------------------------------


def cities(count, seed=1):
    """Words that are cities or not by the fall of a coin, and sentences with them."""
    chance = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    is_city = {"".join(chance.choices(letters, k=7)): chance.random() < 0.5 for _ in range(count)}
    return is_city, [
        Sentence(("in", word, "."), ("O", "B-city" if city else "O", "O"))
        for word, city in is_city.items()
    ]


def test_the_comparison_shows_what_clusters_and_vectors_add():
    is_city, made = cities(400)
    train, dev, test = made[:200], made[200:280], made[280:]
    paths = {word: "01" if city else "00" for word, city in is_city.items()}
    vectors = np.array([[1 if city else -1] * 30 for city in is_city.values()], np.float32)
    space = Space(Vocabulary(is_city, [1] * len(is_city)), vectors)
    told = []
    rows = list(
        run({"space": space}, train, test, dev=dev, clusters={"paths": paths},
            tagger=Tagger(epochs=20), seeds=2, resamples=200,
            resources=Resources(progress=told.append))
    )  # fmt: skip
    plain, clustered, dense = rows
    assert [row.name for row in rows] == ["plain", "paths", "space"]
    assert plain.difference is None
    assert plain.coverage is None
    for row in (clustered, dense):
        assert (row.f1.value, row.precision, row.recall, row.dev) == (1, 1, 1, 1)
        assert row.difference.without_zero
        assert row.difference.value == pytest.approx(1 - plain.f1.value)
        assert row.coverage == pytest.approx(1 / 3)
        assert len(row.epochs) == 2
        assert row.seconds > 0
    assert [event.text for event in told] == [f"training: {row.name}" for row in rows]
    table = markdown(rows).splitlines()
    assert len(table) == 5
    assert {line.count("|") for line in table} == {13}
    assert table[3].startswith("| paths | 100.0 | 100.0 to 100.0 |")
    plain_data = json.loads(json.dumps([row.to_json() for row in rows]))
    assert plain_data[1]["f1"]["value"] == plain_data[1]["types"]["city"]["recall"] == 100
    assert plain_data[0]["difference"] is None


def test_a_comparison_without_sentences_or_seeds_is_refused():
    with pytest.raises(FirthError, match="no sentences to test on"):
        next(run({}, cities(5)[1], []))
    with pytest.raises(FirthError, match="seeds must be 1 or more"):
        next(run({}, cities(5)[1], cities(5)[1], seeds=0))
