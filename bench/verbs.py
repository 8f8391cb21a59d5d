"""Why verbs score as they do: frequency, positions, targets and weights, beside skip-gram.

Run ``python -m bench.verbs build/bench/wiki17m-gensim-100.bin`` after ``python -m bench.skipgram``;
prints Markdown. A set of pairs of verbs asks whether one pair is more similar than another. The
test of frames asks instead which verbs are nearest to a verb: those that share a frame of FrameNet
with it should be. Of words that CatVar lists as verbs alone, as nouns alone or as adjectives alone.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

import firth
from bench.defaults import VERBS, counted, scores
from bench.measure import data_folder, machine
from firth.evaluation import open_space
from firth.methods import METHODS, Weighted
from firth.space.space import Space

Floats = NDArray[np.floating[Any]]

TEXT = "17M"
KINDS = {"V": "verbs", "N": "nouns", "AJ": "adjectives"}
MOST = 40  # words that share a frame with a word; more say little
BINS = (20, 50, 150, 500, 2000, 1 << 62)
DRAWN = 20_000  # random pairs of each cell of the table of frequencies


@cache
def kinds_of_words() -> dict[str, str]:
    """Return the kind of each word that CatVar lists with one kind only."""
    found: dict[str, set[str]] = {}
    path = data_folder() / "views" / "catvar21.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            for entry in line.strip().split("#"):
                word, _, kind = entry.partition("_")
                found.setdefault(word, set()).add(kind.partition("%")[0])
    return {word: next(iter(kinds)) for word, kinds in found.items() if len(kinds) == 1}


@cache
def frames() -> dict[str, set[str]]:
    """Return the words that share a frame with each word."""
    found: dict[str, set[str]] = {}
    path = data_folder() / "views" / "framenet-words.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        word, *others = line.split()
        found.setdefault(word, set()).update(others)
    return found


def precision(space: Space, kind: str) -> float:
    """Return the mean average precision of finding the words that share a frame, in percent."""
    of_kind = kinds_of_words()
    words = [word for word in frames() if word in space and of_kind.get(word) == kind]
    vectors = units(np.array([space.get_vector(word) for word in words]))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    found = []
    for word, row in zip(words, cosines, strict=True):
        shared = np.array([other in frames()[word] and other != word for other in words])
        if 1 <= shared.sum() <= MOST:
            hits = shared[np.argsort(-row, kind="stable")]
            found.append((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())
    return 100 * float(np.mean(found))


def units(vectors: Floats) -> Floats:
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)[:, None]
    return found


def with_frequency(space: Space, frequency: Callable[[str], int]) -> list[float]:
    """Correlate the pairs' cosines, and their similarity by people, with their frequency."""
    lines = (data_folder() / "wordsim" / "simlex999.tsv").read_text().splitlines()[VERBS]
    pairs = [line.split("\t") for line in lines]
    pairs = [pair for pair in pairs if pair[0] in space and pair[1] in space]
    often = [np.log(min(frequency(a), frequency(b))) for a, b, _ in pairs]
    cosines = [float(space.similarity(a, b)) for a, b, _ in pairs]
    people = [float(score) for _, _, score in pairs]
    return [100 * float(spearmanr(often, values).statistic) for values in (cosines, people)]


def without_frequency(space: Space, share: float) -> Space:
    """Take a share of what vectors have in common with others of their frequency from them.

    That is the linear regression of the vectors on the logarithm of frequency.
    """
    vectors = space.vectors.astype(np.float64)
    often = np.log(np.maximum(space.words.frequencies, 1))
    given = np.stack([np.ones_like(often), often], axis=1)
    usual = given @ np.linalg.lstsq(given, vectors, rcond=None)[0]
    return Space(space.words, units(vectors - share * usual).astype(np.float32))


def usual_cosines(spaces: dict[str, Space], words: firth.Vocabulary) -> None:
    """Print the mean cosine of random pairs by the frequencies of both words."""
    rng = np.random.default_rng(0)
    often = words.frequencies
    inside = [np.flatnonzero((often >= least) & (often < most)) for least, most in pairwise(BINS)]
    print("| occurrences of both | " + " | ".join(spaces) + " |\n|---" + "|---" * len(spaces) + "|")
    for number, places in enumerate(inside):
        pairs = rng.choice(places, (2, DRAWN))
        cells = []
        for space in spaces.values():
            vectors = units(np.array([space.get_vector(word) for word in words]))
            cells.append(f"{(vectors[pairs[0]] * vectors[pairs[1]]).sum(axis=1).mean():.3f}")
        upto = f"to {BINS[number + 1] - 1:,}" if number + 2 < len(BINS) else "or more"
        print(f"| {BINS[number]:,} {upto} | " + " | ".join(cells) + " |")


def tried(gensim: Path, ours: Space) -> dict[str, Callable[[], Space]]:
    """List the spaces to score."""

    def fitted(counting: dict[str, Any], **parameters: Any) -> Space:
        return Weighted(**parameters).fit(counted(TEXT, **counting), association=False)

    def plain(name: str, **counting: Any) -> Space:
        return METHODS[name]().fit(counted(TEXT, **counting), association=False)

    return {
        "gensim skip-gram": lambda: open_space(gensim),
        "the default": lambda: ours,
        "log-ratio: no weights": lambda: plain("log-ratio"),
        "ppmi: another target": lambda: plain("ppmi"),
        "sides apart": lambda: fitted({"context": "sides"}),
        "window 5": lambda: fitted({"window": 5}),
        "window 2": lambda: fitted({"window": 2}),
        "window 5, linear, as skip-gram's": lambda: fitted({"window": 5, "weighting": "linear"}),
        "frequent words dropped (1e-3)": lambda: fitted({"subsample": 1e-3}),
        "frequent words dropped (1e-4)": lambda: fitted({"subsample": 1e-4}),
        "shift 0: weak pairs count less": lambda: fitted({}, shift=0.0),
        "α = .75: frequent words weigh more in the target": lambda: fitted({}, alpha=0.75),
        "p = g = 1, skip-gram's weights": lambda: fitted({}, seen=1.0, unseen=1.0),
        "p = g = .75": lambda: fitted({}, seen=0.75, unseen=0.75),
        "κ = 5": lambda: fitted({}, unseen_share=5.0),
        "β = 0": lambda: ours.recombine(beta=0.0),
        "words alone": lambda: ours.recombine(combine="words"),
        "half of frequency's share taken out": lambda: without_frequency(ours, 0.5),
        "frequency's share taken out": lambda: without_frequency(ours, 1.0),
    }


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gensim", type=Path, help="The vectors of skip-gram on wiki17m.")
    given = parser.parse_args()
    print(f"Machine: {machine()}.\n")
    ours = Weighted().fit(counted(TEXT), association=False)
    theirs = open_space(given.gensim)
    usual_cosines({"the default": ours, "gensim skip-gram": theirs}, ours.words)
    names = " | ".join(KINDS.values())
    print(f"\n| | SimLex verbs | yp130 | cosine with frequency | ten sets | Google | MSR "
          f"| frames: {names} |\n" + "|---" * 10 + "|")  # fmt: skip
    for name, make in tried(given.gensim, ours).items():
        space = make()
        found = scores(space)
        cosine, _ = with_frequency(space, ours.words.frequency)
        google, msr = ((found[k] + found[k + 3]) / 2 for k in (1, 2))
        cells = (found[8], found[7], cosine, found[6], google, msr,
                 *(precision(space, kind) for kind in KINDS))  # fmt: skip
        print(f"| {name} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |", flush=True)
    _, people = with_frequency(ours, ours.words.frequency)
    print(f"\nPeople's scores of these pairs correlate with their frequency by {people:.1f}.")


if __name__ == "__main__":
    main()
