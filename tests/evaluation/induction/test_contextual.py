"""Similarity in contexts: the original layout of SCWS, and the three measures written out."""

import time

import numpy as np
import pytest
from scipy.stats import spearmanr

import firth
from firth.errors import FirthError
from firth.evaluation.induction import ContextualPair, contextual_scores, read_scws

# Of the layout of ratings.txt; the second context has bytes that are not UTF-8, as some there do.
SCWS = (
    b"1\tBank\tn\tshore\tn\tlends <b> bank </b> money\tthe <b>shore</b> is wet\t1.5\t1.0\t2.0\n"
    b"2\tbank\tn\triver\tn\tthe <b>bank</b> of \xff it\ta <b>river</b> there\t8.25\t8\t8.5\n"
)


def test_the_original_layout_is_read(write):
    one, two = read_scws(write(SCWS, "ratings.txt"))
    assert (one.left, one.right, one.score) == ("bank", "shore", 1.5)
    assert one.left_context.split() == ["lends", "money"]
    assert one.right_context.split() == ["the", "is", "wet"]
    assert two.left_context.startswith("the  of ")
    assert two.score == 8.25


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"1\tbank\tn\tshore\n", r":1: 4 fields"),
        (SCWS.replace(b"8.25", b"high"), r":2: 'high' is not a mean rating"),
        (SCWS.replace(b"<b>river</b>", b"river"), r":2: a context does not mark its word"),
    ],
)
def test_damaged_files_are_refused(write, text, what):
    with pytest.raises(FirthError, match=what):
        read_scws(write(text, "ratings.txt"))


@pytest.mark.parametrize("text", [b"<b>" + b" " * 30_000, b"<b>" * 100_000])
def test_a_context_that_is_never_closed_takes_no_time(write, text):
    begun = time.monotonic()
    with pytest.raises(FirthError, match="does not mark its word"):
        read_scws(write(SCWS.replace(b"a <b>river</b> there", text), "ratings.txt"))
    assert time.monotonic() - begun < 5


@pytest.fixture(scope="module")
def learnt():
    generator = np.random.default_rng(0)
    lines = []
    for number in range(1200):
        topic = "abcd"[number % 4]
        line = [f"{topic}{generator.integers(30)}" for _ in range(8)]
        line += ["bank"] if topic in "ab" and number % 3 == 0 else []
        line += ["bench"] if topic in "ab" and number % 5 == 0 else []
        lines.append(" ".join(generator.permutation(line)))
    counts = firth.count(lines, window=5, weighting="flat", min_count=1)
    senses = firth.Senses.learn(counts, ["bank", "bench"], k=2)
    return senses, senses.embed(counts, firth.methods.SVD(dim=6, beta=0.5))


def pairs_of(generator, size=40):
    def context():
        topic = "ab"[int(generator.integers(2))]
        return " ".join(f"{topic}{generator.integers(30)}" for _ in range(6))

    rights = ["bench", "a3", "b4", "b7"]
    return [
        ContextualPair("bank", rights[n % 4], context(), context(), float(generator.random()))
        for n in range(size)
    ]


def test_the_measures_are_the_formulas_written_out(learnt):
    senses, space = learnt
    pairs = pairs_of(np.random.default_rng(1))

    def weighted(word, context):
        if word not in senses:
            return [(space[word], 1.0)]
        found = senses.induce(word, context).senses
        total = sum(weight for _, weight in found)
        return [(space[name], weight / total) for name, weight in found]

    def cosine(a, b):
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    rows = []
    for pair in pairs:
        left, right = (
            weighted(pair.left, pair.left_context),
            weighted(pair.right, pair.right_context),
        )
        every = [(cosine(a, b), p * q) for a, p in left for b, q in right]
        best = [max(side, key=lambda one: one[1])[0] for side in (left, right)]
        rows.append((np.mean([c for c, _ in every]), sum(c * p for c, p in every), cosine(*best)))
    gold = [pair.score for pair in pairs]
    expected = [spearmanr(values, gold).statistic for values in zip(*rows, strict=True)]
    found = contextual_scores(senses, space, pairs)
    assert (found.avg_sim, found.avg_sim_c, found.max_sim_c) == pytest.approx(expected, abs=1e-6)
    assert (found.covered, found.total) == (40, 40)


def test_contexts_help_where_they_decide(learnt):
    """The rating is whether both contexts are of one topic: without contexts nothing is known."""
    senses, space = learnt
    generator = np.random.default_rng(2)
    pairs = []
    for _ in range(60):
        topics = ["ab"[int(n)] for n in generator.integers(2, size=2)]
        contexts = [" ".join(f"{t}{generator.integers(30)}" for _ in range(8)) for t in topics]
        score = float(topics[0] == topics[1]) + 0.01 * float(generator.random())
        pairs.append(ContextualPair("bank", "bench", *contexts, score))
    found = contextual_scores(senses, space, pairs)
    assert found.max_sim_c > 0.7
    assert found.avg_sim_c > 0.7
    assert abs(found.avg_sim) < 0.3


def test_pairs_without_vectors_are_left_out(learnt):
    senses, space = learnt
    pairs = pairs_of(np.random.default_rng(3), 8)
    pairs.append(ContextualPair("bank", "never-seen", "a1", "b1", 5.0))
    assert contextual_scores(senses, space, pairs).covered == 8
    with pytest.raises(FirthError, match="fewer than two pairs"):
        contextual_scores(senses, space, pairs[-1:])
