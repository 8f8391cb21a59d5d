"""The five measures of SemEval-2013 task 13: graded senses against graded senses.

D. Jurgens and I. Klapaftis (2013), SemEval-2013 task 13: word sense induction for graded and
non-graded senses. Weights are divided by the largest of their instance. An instance that was not
answered scores zero.

The organisers published figures in which answers to instances that the gold key does not have count
as wrong in the two measures without a mapping; their program left such answers out later, as is
done here by default.

Three measures first map induced senses to gold senses, learning from four fifths of the instances
how often each pair goes together, for the last fifth. The instances of fold i are those at places
i, i + 5, … of the gold key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.evaluation.induction.keys import Key, Labels

FOLDS = 5
BINS = 10  # of equal width, into which weights fall for their entropy
NOISE = 1e-12  # bits: less is a rounding error of entropies that cancel

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class GradedScores:
    """The five measures, each from 0 to 1, and how many instances were answered.

    Attributes
    ----------
    jaccard, tau, ndcg
        Which senses there are, in which order, and how they weigh, once induced senses are mapped
        to gold senses: the Jaccard index, Kendall's tau with weights of positions, and weighted
        normalised discounted cumulative gain.
    nmi, bcubed
        How the instances group, without a mapping: fuzzy normalised mutual information and fuzzy
        B-cubed.
    answered, total
        Instances.
    by_word
        Fuzzy NMI and the precision and recall of fuzzy B-cubed of each word.

    Examples
    --------
    >>> gold = {"bank": {"1": {"river": 1.0}, "2": {"money": 1.0}, "3": {"money": 1.0}}}
    >>> answers = {"bank": {"1": {"b": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}}}
    >>> scores = graded_scores(gold, answers)
    >>> scores.nmi, scores.answered
    (1.0, 3)
    """

    jaccard: float
    tau: float
    ndcg: float
    nmi: float
    bcubed: float
    answered: int
    total: int
    by_word: dict[str, tuple[float, float, float]] = field(default_factory=dict, repr=False)

    @property
    def mean(self) -> float:
        """The mean of the five."""
        return (self.jaccard + self.tau + self.ndcg + self.nmi + self.bcubed) / 5

    @property
    def avg(self) -> float:
        """The geometric mean of fuzzy NMI and fuzzy B-cubed.

        Trivial answers win either alone: an own sense for every instance the first, one sense for
        all the second.
        """
        return float(np.sqrt(max(self.nmi, 0.0) * self.bcubed))


def graded_scores(gold: Key, answers: Key, *, others: bool = False) -> GradedScores:
    """Score answers against a gold key by the five measures of SemEval-2013 task 13.

    Parameters
    ----------
    gold, answers
        Senses and weights by word and instance, as `read_key` returns.
    others
        Whether answers to instances that the gold key does not have count as wrong, as in the
        figures that the organisers published.

    Examples
    --------
    >>> gold = {"bank": {str(n): {"money" if n % 2 else "river": 1.0} for n in range(10)}}
    >>> same = graded_scores(gold, gold)
    >>> (same.jaccard, same.tau, same.nmi, same.bcubed)
    (1.0, 1.0, 1.0, 1.0)
    """
    _check(gold, answers)
    by_word = {}
    for word, instances in gold.items():
        given = answers.get(word, {})
        names = list(dict.fromkeys([*instances, *(given if others else ())]))
        truth = _memberships([instances.get(name, {}) for name in names])
        found = _memberships([given.get(name, {}) for name in names])
        share = len(names) / len(instances)  # sums are divided by the size of the gold key
        precision, recall = (share * value for value in fuzzy_bcubed(truth, found))
        by_word[word] = fuzzy_nmi(truth, found), precision, recall
    nmi, precision, recall = np.mean(list(by_word.values()), axis=0).tolist()
    mapped = [*_mapped(gold, answers)]
    total = sum(map(len, gold.values()))
    jaccard, tau, ndcg = (
        sum(measure(truth, found, senses) for truth, found, senses in mapped) / total
        for measure in (_jaccard, _tau, _ndcg)
    )
    bcubed = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    answered = sum(
        bool(answers.get(word, {}).get(name)) for word, names in gold.items() for name in names
    )
    return GradedScores(jaccard, tau, ndcg, nmi, bcubed, answered, total, by_word)


def _check(gold: Key, answers: Key) -> None:
    if not gold or not all(gold.values()):
        raise FirthError("the gold key has no instances: there is nothing to score against")
    for names in gold.values():
        for name, labels in names.items():
            if not any(weight > 0 for weight in labels.values()):
                raise FirthError(f"{name!r} has no sense in the gold key: leave it out")
    known = {name for names in gold.values() for name in names}
    if not any(name in known for names in answers.values() for name in names):
        raise FirthError("the answers have no instance of the gold key: check the files")


def _memberships(labels: Sequence[Labels]) -> Doubles:
    """Return the weights as a table with a row for each instance and a column for each sense."""
    senses = {sense: n for n, sense in enumerate(dict.fromkeys(s for one in labels for s in one))}
    table = np.zeros((len(labels), len(senses)))
    for row, one in enumerate(labels):
        largest = max(one.values(), default=1.0) or 1.0
        for sense, weight in one.items():
            table[row, senses[sense]] = weight / largest
    return table


def fuzzy_nmi(truth: Doubles, found: Doubles) -> float:
    """Return the normalised mutual information of two fuzzy groupings.

    A sense is a random variable, whose values are the weights in ten bins. The entropy of a sense
    given the others is the lowest given one of them that is not nearly its complement (A.
    Lancichinetti, S. Fortunato and J. Kertész, 2009, Detecting the overlapping and hierarchical
    community structure in complex networks, equation B.14). The mean of both reductions of entropy
    is divided by the larger entropy.

    Parameters
    ----------
    truth, found
        Weights from 0 to 1, a row for each instance and a column for each sense.

    Examples
    --------
    >>> truth = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    >>> fuzzy_nmi(truth, truth), fuzzy_nmi(truth, np.ones((4, 1)))
    (1.0, 0.0)
    """
    if not truth.shape[1] or not found.shape[1]:
        return 0.0
    size = len(truth)
    binned = [np.eye(BINS)[_bins(table)].reshape(size, -1) for table in (truth, found)]
    own = [_entropies(one.sum(axis=0).reshape(-1, BINS) / size) for one in binned]
    joint = (binned[0].T @ binned[1] / size).reshape(truth.shape[1], BINS, found.shape[1], BINS)
    both = _entropies(joint.transpose(0, 2, 1, 3).reshape(truth.shape[1], found.shape[1], -1))
    compared = _comparable(truth > 0, found > 0)
    given_found = np.where(compared, both - own[1][None, :], np.inf).min(axis=1)
    given_truth = np.where(compared, both - own[0][:, None], np.inf).min(axis=0)
    left = np.where(np.isinf(given_found), own[0], given_found)
    right = np.where(np.isinf(given_truth), own[1], given_truth)
    largest = max(own[0].sum(), own[1].sum())
    shared = (own[0].sum() - left.sum() + own[1].sum() - right.sum()) / 2
    return float(shared / largest) if shared > NOISE else 0.0


def _bins(weights: Doubles) -> NDArray[np.int64]:
    """Return the bin of each weight: the first is [0, 0.1], the others exclude their lower end."""
    edges = np.arange(1, BINS + 1) / BINS
    return np.minimum(np.searchsorted(edges, weights), BINS - 1)


def _entropies(shares: Doubles) -> Doubles:
    """Return the entropies in bits of distributions along the last axis."""
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    out: Doubles = -(shares * logs).sum(axis=-1)
    return out


def _comparable(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say for each pair of senses whether they agree more than they are complements."""
    size = len(truth)
    a, b = truth.astype(np.float64), found.astype(np.float64)
    shares = [a.T @ b, (1 - a).T @ (1 - b), a.T @ (1 - b), (1 - a).T @ b]
    parts = [_part(share / size) for share in shares]
    out: NDArray[np.bool_] = parts[0] + parts[1] >= parts[2] + parts[3]
    return out


def _part(shares: Doubles) -> Doubles:
    return -shares * np.log(np.where(shares > 0, shares, 1.0))


def fuzzy_bcubed(truth: Doubles, found: Doubles) -> tuple[float, float]:
    """Return the precision and recall of fuzzy B-cubed.

    Two instances agree in a grouping by Σ 1 - |w - w'| over the senses that they share. Precision
    is the share of the agreement in `truth` that is also in `found`, averaged over the instances
    that share a sense with an instance in `truth`, and then over instances; recall the same with
    both exchanged.

    Parameters
    ----------
    truth, found
        Weights from 0 to 1, a row for each instance and a column for each sense.

    Examples
    --------
    >>> truth = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    >>> fuzzy_bcubed(truth, np.ones((4, 1)))
    (1.0, 0.3333333333333333)
    """
    agree = [_agreement(table) for table in (truth, found)]
    least = np.minimum(agree[0], agree[1])
    shares = []
    for table, own in zip((truth, found), agree, strict=True):
        near = (table > 0).astype(np.float64)
        together = near @ near.T > 0
        np.fill_diagonal(together, val=False)
        share = np.where(together & (own > 0), least / np.where(own > 0, own, 1.0), 0.0)
        counts = together.sum(axis=1)
        shares.append(float((share.sum(axis=1) / np.maximum(counts, 1)).mean()))
    return shares[0], shares[1]


def _agreement(table: Doubles) -> Doubles:
    """Return Σ 1 - |w - w'| over shared senses for each pair of rows."""
    out = np.zeros((len(table), len(table)))
    for weights in table.T:
        rows = np.flatnonzero(weights)
        near = weights[rows]
        out[np.ix_(rows, rows)] += 1 - np.abs(near[:, None] - near[None, :])
    return out


def _mapped(gold: Key, answers: Key) -> Iterator[tuple[Labels, Labels, int]]:
    """Yield the gold labels, the mapped answer and the number of gold senses of each instance."""
    places = {name: n for n, name in enumerate(n for names in gold.values() for n in names)}
    for word, instances in gold.items():
        given = answers.get(word, {})
        senses = len({sense for labels in instances.values() for sense in labels})
        known = [name for name in instances if name in given]
        for fold in range(FOLDS):
            asked = [name for name in known if places[name] % FOLDS == fold]
            taught = [name for name in known if places[name] % FOLDS != fold]
            if not taught or not asked:
                continue
            mapping = _mapping(
                [instances[name] for name in taught], [given[name] for name in taught]
            )
            for name in asked:
                yield instances[name], mapping(given[name]), senses


def _mapping(truth: Sequence[Labels], found: Sequence[Labels]) -> Callable[[Labels], Labels]:
    """Learn how induced senses correspond to gold senses."""
    gold_senses = list(dict.fromkeys(sense for one in truth for sense in one))
    induced = {sense: n for n, sense in enumerate(dict.fromkeys(s for one in found for s in one))}
    left = np.zeros((len(found), len(induced)))
    for row, one in enumerate(found):
        for sense, weight in one.items():
            left[row, induced[sense]] = weight
    right = np.zeros((len(truth), len(gold_senses)))
    for row, one in enumerate(truth):
        for number, sense in enumerate(gold_senses):
            right[row, number] = one.get(sense, 0.0)
    table = left.T @ right
    sums = table.sum(axis=1, keepdims=True)
    table = np.divide(table, sums, out=np.zeros_like(table), where=sums > 0)

    def mapped(labels: Labels) -> Labels:
        scores = np.zeros(len(gold_senses))
        for sense, weight in labels.items():
            if sense in induced:
                scores += weight * table[induced[sense]]
        return {s: w for s, w in zip(gold_senses, scores.tolist(), strict=True) if w > 0}

    return mapped


def _jaccard(truth: Labels, found: Labels, senses: int) -> float:
    """Return how many senses both have, of those that either has."""
    del senses
    return len(truth.keys() & found.keys()) / len(truth.keys() | found.keys())


def _tau(truth: Labels, found: Labels, senses: int) -> float:
    """Return the similarity of two orders of senses, in which the first places weigh most.

    R. Kumar and S. Vassilvitskii (2010), Generalized distances between rankings, with a cost of
    1 - i/senses to pass place i.
    """
    every = truth.keys() | found.keys()
    size = len(every)
    if size == 1:
        return 1.0
    order = {s: n for n, s in enumerate(_ranked(found, every, reverse=True))}
    places = np.array([order[sense] for sense in _ranked(truth, every, reverse=True)])
    passed = np.concatenate([[1.0], 1 + np.cumsum(1 - np.arange(size - 1) / senses)])
    return 1 - _distance(passed, places) / _distance(passed, np.arange(size)[::-1])


def _distance(passed: Doubles, places: NDArray[np.int64]) -> float:
    """Sum the products of costs over the pairs that are in another order."""
    at = np.arange(len(places))
    moved = at - places
    cost = np.where(moved, (passed[at] - passed[places]) / np.where(moved, moved, 1), 1.0)
    exchanged = np.triu(places[:, None] > places[None, :])
    return float(cost @ exchanged @ cost)


def _ndcg(truth: Labels, found: Labels, senses: int) -> float:
    """Return the discounted cumulative gain of a ranking, relative to that of the best.

    The gain of a sense is multiplied by the smaller of its two weights over the larger. The best
    ranking has gains of 2^(1 + w), others of 2^(1 + w) - 1, as in the organisers' program, whose
    figures the formula of their paper does not give; so even gold labels score 0.75 or less.
    """
    del senses
    gained = 0.0
    for rank, sense in enumerate(_ranked(found, truth.keys() | found.keys())):
        weight, given = truth.get(sense, 0.0), found.get(sense, 0.0)
        largest = max(weight, given)
        ratio = min(weight, given) / largest if largest else 0.0
        gained += ratio * (2.0 ** (1 + weight) - 1) / np.log2(rank + 2)
    best = sorted(truth.values(), reverse=True)
    return float(gained / sum(2.0 ** (1 + w) / np.log2(rank + 2) for rank, w in enumerate(best)))


def _ranked(labels: Labels, every: set[str], *, reverse: bool = False) -> list[str]:
    """Order senses by falling weight; names decide ties."""
    named = sorted(every, reverse=reverse)
    return sorted(named, key=lambda sense: -labels.get(sense, 0.0))
