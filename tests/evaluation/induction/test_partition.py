"""Paired F and V-measure against scikit-learn and pairs that are counted one by one."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import v_measure_score

from firth.errors import FirthError
from firth.evaluation.induction import baseline, partition_scores


def key_of(labels):
    return {"w": {f"w.{n}": {str(label): 1.0} for n, label in enumerate(labels)}}


def plain_paired_f(truth, found):
    pairs = [*itertools.combinations(range(len(truth)), 2)]
    own = {(i, j) for i, j in pairs if truth[i] == truth[j]}
    given = {(i, j) for i, j in pairs if found[i] == found[j]}
    if not own & given:
        return 0.0
    precision, recall = len(own & given) / len(given), len(own & given) / len(own)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("seed", range(6))
def test_scores_equal_those_of_scikit_learn_and_of_counted_pairs(seed):
    generator = np.random.default_rng(seed)
    truth, found = generator.integers(0, 3, 40), generator.integers(0, 2 + seed, 40)
    scores = partition_scores(key_of(truth), key_of(found))
    assert scores.v == pytest.approx(v_measure_score(truth, found))
    assert scores.paired_f == pytest.approx(plain_paired_f(truth, found))
    assert scores.avg == pytest.approx((scores.v * scores.paired_f) ** 0.5)


def test_trivial_answers():
    gold = key_of([0, 0, 1, 1, 2])
    one, each = (partition_scores(gold, baseline(gold, kind)) for kind in ("one", "each"))
    assert (one.v, each.paired_f) == (0, 0)
    assert one.avg == each.avg == 0


def test_words_count_alike_and_the_heaviest_sense_counts():
    gold = {**key_of([0, 0, 1, 1]), "v": {"v.1": {"a": 1.0}, "v.2": {"a": 1.0}}}
    answers = {
        **key_of([0, 1, 0, 1]),
        "v": {"v.1": {"x": 0.5, "y": 1.0}, "v.2": {"x": 0.2, "y": 1.0}},
    }
    scores = partition_scores(gold, answers)
    assert scores.by_word["v"] == (1.0, 1.0)
    assert scores.v == pytest.approx(0.5 + v_measure_score([0, 0, 1, 1], [0, 1, 0, 1]) / 2)


def test_instances_that_were_not_answered_are_senses_of_their_own():
    gold = key_of([0, 0, 0, 0])
    half = {"w": {"w.0": {"a": 1.0}, "w.1": {"a": 1.0}}}
    scores = partition_scores(gold, half)
    assert (scores.answered, scores.total) == (2, 4)
    assert scores.paired_f == pytest.approx(plain_paired_f([0] * 4, [0, 0, 1, 2]))
    with pytest.raises(FirthError, match="no instance"):
        partition_scores(gold, {"w": {}})
