"""Subsampling: which tokens are dropped depends on the text and the seed alone, as in the twin."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracles

import firth
from firth.counts.sampling import ALWAYS, thresholds
from firth.errors import FirthError


@pytest.fixture(scope="module")
def lines():
    """Words by Zipf's law, so that a few are far above any rate."""
    rng = np.random.default_rng(7)
    words = [f"w{n}" for n in np.minimum(rng.zipf(1.4, 60_000), 3000)]
    return [" ".join(words[at : at + 50]) for at in range(0, len(words), 50)]


def count(lines, **options):
    return firth.count(lines, **{"window": 2, "min_count": 3, **options})


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), st.floats(1e-6, 1))
def test_thresholds_are_the_keep_rates(frequencies, rate):
    found = thresholds(np.array(frequencies), sum(frequencies), rate)
    for n, least in zip(frequencies, found.tolist(), strict=True):
        expected = oracles.keep_rate(n, sum(frequencies), rate) if n else 1.0
        if expected >= 1:
            assert least == ALWAYS
        else:
            assert least == int(expected * 2**32)


def test_words_are_kept_as_often_as_the_formula_says(lines):
    """Within 4.5 standard deviations for each frequent word, and for all that is dropped."""
    rate, counts = 1e-3, count(lines)
    tokens = [line.split() for line in lines]
    rows = [*zip(counts.words, counts.words.frequencies.tolist(), strict=True)]
    kept_lines, dropped = oracles.subsample(tokens, rows, rows, "drop", rate, 0)
    sampled = count(lines, subsample=rate)
    assert sampled.ledger.subsampled == dropped > 10_000
    kept, total = Counter(token for line in kept_lines for token in line), sum(n for _, n in rows)
    for word, n in rows[:30]:
        least = oracles.keep_rate(n, total, rate)
        if least < 1:
            assert abs(kept[word] - least * n) < 4.5 * np.sqrt(n * least * (1 - least)), word
        else:
            assert kept[word] == n


def test_draws_are_uniform_and_of_any_seed_different():
    draws = np.array(
        [[oracles.draw(seed, place) for place in range(5000)] for seed in (0, 1, 2**62)]
    )
    shares = np.stack([np.histogram(row, 16, (0, 2**32))[0] for row in draws]) / 5000
    assert np.abs(shares - 1 / 16).max() < 5 * np.sqrt(1 / 16 / 5000)
    assert np.abs(np.corrcoef(draws)[np.triu_indices(3, 1)]).max() < 5 / np.sqrt(5000)
    assert abs(np.corrcoef(draws[0][1:], draws[0][:-1])[0, 1]) < 5 / np.sqrt(5000)


def test_the_ledger_accounts_for_every_token(lines):
    counts = count(lines, subsample=1e-3)
    ledger = counts.ledger
    assert ledger.tokens == 60_000
    assert ledger.tokens == ledger.kept + ledger.below_min_count
    assert 0 < ledger.subsampled < ledger.kept
    assert ("frequent: subsampled", ledger.subsampled) in [
        (name, int(str(value).split()[0].replace(",", ""))) for name, value in ledger.entries()
        if name.startswith("frequent")
    ]  # fmt: skip
    again = count(lines, subsample=1e-3, seed=1)
    total = counts + again
    assert total.ledger.subsampled == ledger.subsampled + again.ledger.subsampled
    assert "subsampled" not in count(lines).ledger.to_json()


def test_the_seed_and_the_rate_are_in_the_recipe(lines):
    plain, one, other = (
        count(lines), count(lines, subsample=1e-3), count(lines, subsample=1e-3, seed=3)
    )  # fmt: skip
    assert (plain.recipe.subsample, plain.recipe.sampling_seed) == (None, None)
    assert (one.recipe.subsample, one.recipe.sampling_seed) == (1e-3, 0)
    assert other.recipe.sampling_seed == 3
    assert not one.equals(other)
    assert one.equals(count(lines, subsample=1e-3, seed=0))
    assert firth.Recipe.from_json(one.recipe.to_json()) == one.recipe
    assert "subsample" not in plain.recipe.to_json()
    assert one.words == plain.words
    assert one.words.frequencies.tolist() == plain.words.frequencies.tolist()


def test_a_rate_above_every_frequency_drops_nothing(lines):
    sampled, plain = count(lines, subsample=1), count(lines)
    assert sampled.equals(plain)
    assert sampled.ledger.subsampled == 0


@pytest.mark.parametrize("rate", [0, -1e-3, 1.5, float("nan"), float("inf"), True, "1e-3", [1e-3]])
def test_rates_that_are_none_are_refused(rate):
    with pytest.raises(FirthError, match="subsample must be above 0 and at most 1, not"):
        firth.count(["a b"], subsample=rate)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_seeds_that_are_none_are_refused(seed):
    with pytest.raises(FirthError, match=r"^seed must be a whole number of 0 or more"):
        firth.count(["a b"], subsample=1e-3, seed=seed)
