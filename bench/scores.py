"""Similarity and analogy scores for the benchmarks: the ten sets of the thesis, and Google's.

Uncovered pairs are skipped, words in lower case, Spearman × 100, averaged over the ten sets;
analogies by 3CosAdd and 3CosMul over the whole vocabulary, question words excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from bench.measure import data_folder

TEN = (
    "ws353", "ws353-sim", "ws353-rel", "men", "mc30", "rg65", "simlex999", "yp130", "mturk771",
    "rw",
)  # fmt: skip
DEV = ("men", "rw", "wordsim353")
BLOCK = 1024  # questions at a time
FLOOR = 1e-3  # keeps 3CosMul's logarithm finite

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Scores:
    """What a space scores, in points of 100."""

    similarity: float
    add: float
    mul: float
    pairs: int
    questions: int

    @property
    def analogy(self) -> float:
        """The better of the two rules."""
        return max(self.add, self.mul)


def _pairs(path: Path) -> list[tuple[str, str, float]]:
    lines = (line.rstrip("\n").split("\t") for line in path.open(encoding="utf-8"))
    return [(a.lower(), b.lower(), float(score)) for a, b, score, *_ in lines]


@cache
def sets(dev: bool) -> dict[str, list[tuple[str, str, float]]]:
    """Return the ten sets, or the dev halves."""
    folder = data_folder() / "wordsim"
    if dev:
        return {name: _pairs(folder / "singular-split" / f"{name}.dev.tsv") for name in DEV}
    return {name: _pairs(folder / f"{name}.tsv") for name in TEN}


@cache
def questions(dev: bool) -> list[tuple[str, str, str, str]]:
    """Return Google's questions, or the dev halves of Google's and MSR's."""
    folder = data_folder() / "analogy"
    names = ["google-mixed.dev.tsv", "msr-syntactic.dev.tsv"] if dev else []
    found = []
    for name in names:
        for line in (folder / name).open(encoding="utf-8"):
            _, a, b, c, d = line.lower().split()
            found.append((a, b, c, d))
    if not dev:
        for line in (folder / "google-questions-words.txt").open(encoding="utf-8"):
            if not line.startswith(":"):
                a, b, c, d = line.lower().split()
                found.append((a, b, c, d))
    return found


def score(words: list[str], vectors: Vectors, dev: bool = False) -> Scores:
    """Score vectors on all tests, or on the dev halves alone."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    place = {word: i for i, word in enumerate(words)}
    correlations, covered = [], 0
    for pairs in sets(dev).values():
        known = [(place[a], place[b], s) for a, b, s in pairs if a in place and b in place]
        covered += len(known)
        left, right, gold = (np.array(column) for column in zip(*known, strict=True))
        cosines = np.einsum("ij,ij->i", unit[left], unit[right])
        correlations.append(100 * float(spearmanr(cosines, gold).statistic))
    asked = [q for q in questions(dev) if all(word in place for word in q)]
    add, mul = _analogies(unit, np.array([[place[word] for word in q] for q in asked]))
    return Scores(float(np.mean(correlations)), add, mul, covered, len(asked))


def _analogies(unit: Vectors, asked: NDArray[np.int64]) -> tuple[float, float]:
    distinct, where = np.unique(asked[:, :3], return_inverse=True)
    where = where.reshape(-1, 3)
    cosines = unit[distinct] @ unit.T
    right = [0, 0]
    for rule, table in enumerate((cosines, np.log((cosines + 1) / 2 + FLOOR))):
        for begin in range(0, len(asked), BLOCK):
            some, rows = asked[begin : begin + BLOCK], where[begin : begin + BLOCK]
            scores = table[rows[:, 1]] - table[rows[:, 0]] + table[rows[:, 2]]
            scores[np.arange(len(some))[:, None], some[:, :3]] = -np.inf
            right[rule] += int((scores.argmax(axis=1) == some[:, 3]).sum())
    return 100 * right[0] / len(asked), 100 * right[1] / len(asked)
