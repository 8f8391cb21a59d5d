"""The measures of SemEval-2013 task 13, against published figures and the formulas written out."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from firth.errors import FirthError
from firth.evaluation.induction import baseline, graded_scores, read_key
from firth.evaluation.induction.graded import fuzzy_bcubed, fuzzy_nmi

# Jaccard, tau, WNDCG, fuzzy NMI, fuzzy B-cubed: the figures of the organisers.
PUBLISHED = {
    "ai-ku": (0.197, 0.620, 0.387, 0.065, 0.390),
    "unimelb-50k": (0.213, 0.620, 0.371, 0.060, 0.483),
    "uos-top3": (0.232, 0.625, 0.374, 0.045, 0.448),
}


@pytest.mark.parametrize("system", PUBLISHED)
def test_published_figures_to_three_digits(semeval, system):
    gold = read_key(semeval / "gold.key")
    answers = read_key(semeval / "systems" / f"{system}.key")
    scores = graded_scores(gold, answers, others=True)
    found = (scores.jaccard, scores.tau, scores.ndcg, scores.nmi, scores.bcubed)
    assert [round(value, 3) for value in found] == [*PUBLISHED[system]]
    # uos-top3 has one line without a sense, which is not an instance of the gold key.
    assert (scores.answered, scores.total) == (4664, 4664)


def test_the_organisers_program_to_five_digits(semeval):
    gold = read_key(semeval / "gold.key")
    scores = graded_scores(gold, read_key(semeval / "systems" / "ai-ku.key"), others=True)
    assert (round(scores.nmi, 5), round(scores.bcubed, 5)) == (0.06504, 0.39029)


def drawn(generator, instances=30, senses=3):
    weights = generator.integers(0, 5, (instances, senses)) / 4
    weights[weights.sum(axis=1) == 0, 0] = 1
    return weights / weights.max(axis=1, keepdims=True)


def entropy(values):
    counts = Counter(values)
    return -sum(n / len(values) * math.log2(n / len(values)) for n in counts.values())


def plain_nmi(truth, found):
    """The formula of the task paper, one pair of senses at a time."""

    def binned(weights):
        return [max(1, math.ceil(round(10 * w, 9))) for w in weights]

    def part(share):
        return -share * math.log(share) if share else 0.0

    def given(one, others):
        best = None
        for other in others:
            pairs = Counter((a > 0, b > 0) for a, b in zip(one, other, strict=True))
            shares = {pair: count / len(one) for pair, count in pairs.items()}
            same = part(shares.get((True, True), 0)) + part(shares.get((False, False), 0))
            apart = part(shares.get((True, False), 0)) + part(shares.get((False, True), 0))
            if same >= apart:
                both = entropy([*zip(binned(one), binned(other), strict=True)])
                value = both - entropy(binned(other))
                best = value if best is None else min(best, value)
        return entropy(binned(one)) if best is None else best

    truth, found = truth.T.tolist(), found.T.tolist()
    own = [sum(entropy(binned(one)) for one in side) for side in (truth, found)]
    lost = [sum(given(one, found) for one in truth), sum(given(one, truth) for one in found)]
    return (own[0] - lost[0] + own[1] - lost[1]) / 2 / max(own)


def plain_bcubed(truth, found):
    def agree(a, b):
        return sum(1 - abs(x - y) for x, y in zip(a, b, strict=True) if x and y)

    def one_side(own, other):
        per_item = []
        for i in range(len(own)):
            shared = [j for j in range(len(own)) if j != i and (own[i] * own[j]).any()]
            values = []
            for j in shared:
                most = agree(own[i], own[j])
                values.append(min(most, agree(other[i], other[j])) / most if most else 0)
            per_item.append(sum(values) / len(values) if values else 0)
        return sum(per_item) / len(per_item)

    return one_side(truth, found), one_side(found, truth)


@pytest.mark.parametrize("seed", range(8))
def test_measures_without_a_mapping_equal_the_formulas_written_out(seed):
    generator = np.random.default_rng(seed)
    truth, found = drawn(generator), drawn(generator, senses=2 + seed % 3)
    assert fuzzy_nmi(truth, found) == pytest.approx(max(plain_nmi(truth, found), 0), abs=1e-12)
    assert fuzzy_bcubed(truth, found) == pytest.approx(plain_bcubed(truth, found))


def test_measures_without_a_mapping_do_not_depend_on_names_or_order():
    generator = np.random.default_rng(0)
    truth, found = drawn(generator), drawn(generator, senses=4)
    order = generator.permutation(len(truth))
    expected = fuzzy_nmi(truth, found), *fuzzy_bcubed(truth, found)
    moved = truth[order][:, [2, 0, 1]], found[order][:, ::-1]
    assert (fuzzy_nmi(*moved), *fuzzy_bcubed(*moved)) == pytest.approx(expected)


def hard_key(labels):
    return {"w": {f"w.{n}": {label: 1.0} for n, label in enumerate(labels)}}


def test_answers_that_only_rename_senses_are_mapped_without_loss():
    gold = hard_key("aabbabbaab" * 4)
    scores = graded_scores(gold, hard_key("yyxxyxxyyx" * 4))
    assert (scores.jaccard, scores.tau, scores.nmi, scores.bcubed) == pytest.approx((1, 1, 1, 1))
    # The gains of the best ranking are 2^2 = 4, those of answers 2^2 - 1.
    assert scores.ndcg == pytest.approx(0.75)


def test_trivial_answers_win_one_measure_and_lose_the_other():
    gold = hard_key("aabbabbaab" * 4)
    one, each = (graded_scores(gold, baseline(gold, kind)) for kind in ("one", "each"))
    assert (one.nmi, each.bcubed) == (0, 0)
    assert one.bcubed > 0.6
    assert each.nmi > 0.05
    assert one.avg == each.avg == 0


def test_an_instance_that_is_not_answered_scores_zero():
    gold = hard_key("ab" * 20)
    half = {"w": {name: labels for n, (name, labels) in enumerate(gold["w"].items()) if n < 20}}
    scores = graded_scores(gold, half)
    assert scores.answered == 20
    assert scores.jaccard == pytest.approx(0.5)


def test_other_instances_count_only_if_asked_for():
    gold = hard_key("ab" * 20)
    more = {"w": {**gold["w"], **{f"more.{n}": {"a": 1.0} for n in range(10)}}}
    assert graded_scores(gold, more) == graded_scores(gold, gold)
    assert graded_scores(gold, more, others=True).bcubed < graded_scores(gold, gold).bcubed


def test_tau_of_two_senses_in_the_other_order_is_zero():
    gold = {"w": {f"w.{n}": {"a": 1.0, "b": 0.5} for n in range(10)}}
    answers = {"w": {f"w.{n}": {"x": 1.0} for n in range(10)}}
    assert graded_scores(gold, answers).tau == pytest.approx(1)
    turned = {"w": {f"w.{n}": {"a": 1.0, "b": 0.5} if n % 5 else {"a": 0.5, "b": 1.0}
                    for n in range(10)}}  # fmt: skip
    # Fold 0 learns that a comes first, and is asked about instances 0 and 5, where b does.
    assert graded_scores(turned, answers).tau == pytest.approx(0.8)


def test_keys_without_a_common_instance_are_refused():
    with pytest.raises(FirthError, match="no instance of the gold key"):
        graded_scores(hard_key("ab"), {"w": {"other": {"a": 1.0}}})
    with pytest.raises(FirthError, match="no instances"):
        graded_scores({}, hard_key("ab"))
    with pytest.raises(FirthError, match=r"'w\.1' has no sense in the gold key"):
        graded_scores({"w": {"w.0": {"a": 1.0}, "w.1": {}}}, hard_key("ab"))


def test_random_answers_repeat():
    gold = hard_key("ab" * 50)
    first, again = (baseline(gold, "random", senses=3, seed=1) for _ in range(2))
    other = baseline(gold, "random", senses=3, seed=2)
    assert first == again != other
    named = {sense for labels in first["w"].values() for sense in labels}
    assert named == {f"w_{n}" for n in (1, 2, 3)}
    assert len({*itertools.chain(*first["w"].values())}) == 3
