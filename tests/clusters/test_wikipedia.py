"""Clusters of 17M tokens of Wikipedia: what the results claim of them."""

import os
from pathlib import Path

import pytest

import firth

DATA = Path(os.environ.get("FIRTH_DATA", "../shared/data"))
CORPUS = DATA / "corpus" / "wiki17m.txt.xz"


@pytest.fixture(scope="module")
def counts():
    if not CORPUS.exists():
        pytest.skip(f"{CORPUS} is not there: set FIRTH_DATA to the folder of the corpora")
    return firth.count(
        CORPUS, window=2, context="positional", weighting="flat", rare="unk", min_count=20,
        tokenizer="whitespace",
    )  # fmt: skip


@pytest.mark.slow
def test_spectral_clusters_keep_most_of_the_information(counts):
    """At least 93% of what Brown's own keep, as in the paper (1.54 of 1.60)."""
    brown = firth.clusters.BrownClusters(clusters=1000).fit(counts).information(counts)
    best = max(
        firth.clusters.SpectralClusters(clusters=1000, kappa=kappa).fit(counts).information(counts)
        for kappa in (200, 1000, 5000)
    )
    assert 0.93 * brown <= best < brown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("london", {"paris", "berlin", "rome", "vienna"}),
        ("physics", {"chemistry", "mathematics", "economics"}),
        ("monday", {"tuesday", "friday", "sunday"}),
    ],
)
def test_words_that_belong_together_mostly_are(counts, word, others):
    tree = firth.clusters.SpectralClusters(clusters=1000).fit(counts)
    assert len(others - set(tree.words_of(word))) <= 1
