"""Vectors of words that were left out of the text, placed from some of their lines.

Run as ``python -m bench.placing``; prints Markdown. 500 words are left out of the vocabulary. They
are placed in the space without them from 1, 4, 16, 64 and all of their lines, and their ten nearest
words are compared with those of their vectors in a space that was learnt with them.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import firth
from bench.measure import WORK, corpus, machine

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

WORDS = 500
LEAST, MOST = 100, 1000  # occurrences of the words that are left out
LINES = (1, 4, 16, 64, 0)  # 0: all
NEAREST = 10
COUNTING: dict[str, Any] = {"tokenizer": "whitespace", "min_count": 20}
RARITY = 1e-3  # a of the weight a/(a + p) of a word of relative frequency p


def learnt(name: str, text: Path, dim: int, without: Iterable[str] = ()) -> firth.Space:
    """Learn a space, or load the one that an earlier run left."""
    path = WORK / f"placing-{name}-{dim}"
    if not path.exists():
        counts = firth.count(text, **COUNTING)
        if without:
            left_out = set(without)
            kept = [word for word in counts.words if word not in left_out]
            counts = firth.count(text, **COUNTING, vocab=kept)
        firth.methods.Weighted(dim=dim).fit(counts, association=False).save(path)
    return firth.load(path)


def chosen(space: firth.Space) -> list[str]:
    """Choose the words to leave out, by a seed."""
    frequencies = space.words.frequencies
    middling = np.flatnonzero((frequencies >= LEAST) & (frequencies <= MOST))
    words = [space.words.words[place] for place in middling]
    words = [word for word in words if re.fullmatch("[a-z]{3,}", word)]
    picked = np.random.default_rng(0).choice(len(words), WORDS, replace=False)
    return [words[place] for place in sorted(picked)]


def lines_of(text: Path, words: list[str]) -> dict[str, list[str]]:
    """Find the lines of each word, in a random order."""
    found: dict[str, list[str]] = {word: [] for word in words}
    with open(text, encoding="utf-8") as file:
        for line in file:
            for word in found.keys() & set(line.split()):
                found[word].append(line)
    rng = np.random.default_rng(1)
    return {word: [lines[i] for i in rng.permutation(len(lines))] for word, lines in found.items()}


def text_of(lines: dict[str, list[str]], most: int) -> list[str]:
    """Take some lines of each word, from which the other words are left out."""
    others = set(lines)
    text = []
    for word, own in lines.items():
        taken = own[: most or None]
        text += [
            " ".join(t for t in line.split() if t == word or t not in others) for line in taken
        ]
    return text


def nearest(vectors: Any, among: Any) -> NDArray[np.int64]:
    """Find the nearest rows."""
    cosines = np.asarray(vectors, dtype=np.float32) @ among.T
    return np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]


def overlap(found: NDArray[np.int64], expected: NDArray[np.int64]) -> Doubles:
    """Return which share of the nearest each row has in common."""
    pairs = zip(found, expected, strict=True)
    return np.array([len(np.intersect1d(a, b)) / NEAREST for a, b in pairs])


def rows_over(space: firth.Space, counts: firth.Counts) -> Any:
    """Return counts of both sides together over the contexts of a space."""
    assert space.contexts is not None
    table = counts.to_scipy()
    width = len(counts.contexts)
    blocks = [table[:, at : at + width] for at in range(0, table.shape[1], width)]
    both = sum(blocks[1:], blocks[0]).tocsc()
    places = [counts.contexts.index.get(word, -1) for word in space.contexts]
    assert min(places) >= 0
    return both[:, places].tocsr()


def means(table: Any, vectors: Doubles) -> Doubles:
    """Return the mean vector of the contexts of each row."""
    sums = np.asarray(table.sum(axis=1)).ravel()
    return np.asarray(table @ vectors) / np.maximum(sums, 1e-300)[:, None]


def a_la_carte(space: firth.Space, table: Any, vectors: Doubles) -> Doubles:
    """Learn the regression from mean contexts to vectors, words weighing the log of frequency.

    M. Khodak and others, 2018, A la carte embedding: cheap but effective induction of semantic
    feature vectors.
    """
    given = means(table, vectors)
    weights = np.log(np.maximum(space.words.frequencies, 1.0))[:, None]
    return np.linalg.solve((given * weights).T @ given, (given * weights).T @ vectors)


def rivals(space: firth.Space, text: Path) -> dict[str, Callable[[Any], Any]]:
    """Return what makes vectors of rows of counts, by name."""
    vectors = space.vectors.astype(np.float64)
    frequencies = space.words.frequencies
    rarity = RARITY / (RARITY + frequencies / frequencies.sum())
    counts = firth.count(text, **COUNTING, vocab=list(space.words))
    whole = rows_over(space, counts)
    matrix = a_la_carte(space, whole, vectors)

    def rare(table: Any) -> Doubles:
        return means(table.multiply(rarity).tocsr(), vectors)

    usual = rare(whole).mean(axis=0)
    return {
        "mean of the contexts": lambda table: means(table, vectors),
        "mean, frequent contexts weighing less": rare,
        "the same, less the mean of all words": lambda table: rare(table) - usual,
        "à la carte": lambda table: means(table, vectors) @ matrix,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dim", type=int, default=100)
    options = parser.parse_args()
    text = corpus()
    print(machine(), flush=True)
    with_them = learnt("with", text, options.dim)
    words = chosen(with_them)
    space = learnt("without", text, options.dim, words)
    assert not any(word in space for word in words)
    units = space.vectors / np.maximum(space.norms, 1e-9)[:, None]
    shared = np.array([with_them.get_index(word) for word in space.words])
    known = with_them.vectors[shared]
    expected = nearest([with_them.get_vector(word) for word in words], known)
    print(f"\n{len(words)} words of {LEAST} to {MOST:,} occurrences; {space!r}")
    ceiling(space, units, known)
    lines = lines_of(text, words)
    others = rivals(space, text)
    names = ["firth place", *others]
    print("\n| lines | occurrences | " + " | ".join(names) + " | settled | its rank correlation |")
    print("|---|" + "---|" * (len(names) + 3))
    for most in LINES:
        begun = time.perf_counter()
        counts = space.contexts_in(text_of(lines, most), words)
        placed = space.place(counts)
        order = [placed.words[word] for word in words]
        seconds = time.perf_counter() - begun
        found = overlap(nearest(placed.vectors[order], units), expected)
        table = rows_over(space, counts)[[counts.words[word] for word in words]]
        shares = [found]
        for make in others.values():
            made = make(table)
            made /= np.maximum(np.linalg.norm(made, axis=1), 1e-12)[:, None]
            shares.append(overlap(nearest(made, units), expected))
        settled = placed.settled[order]
        rank = rank_correlation(settled, found)
        cells = " | ".join(f"{100 * share.mean():.1f}" for share in shares)
        occurrences = placed.words.frequencies.mean()
        print(f"| {most or 'all'} | {occurrences:.1f} | {cells} | {settled.mean():.1f} | "
              f"{rank:.2f} |  <!-- {seconds:.1f} s -->", flush=True)  # fmt: skip


def ceiling(space: firth.Space, units: Any, known: Any) -> None:
    """Compare the neighbours of words that both spaces were learnt with."""
    frequencies = space.words.frequencies
    both = np.flatnonzero((frequencies >= LEAST) & (frequencies <= MOST))
    some = np.random.default_rng(2).choice(both, WORDS, replace=False)

    def others(vectors: Any) -> NDArray[np.int64]:
        cosines = vectors[some] @ vectors.T
        cosines[np.arange(len(some)), some] = -2
        return np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]

    share = overlap(others(units), others(known)).mean()
    print(f"{WORDS} words as frequent, learnt in both spaces: overlap {100 * share:.1f}")


def rank_correlation(a: Doubles, b: Doubles) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)


if __name__ == "__main__":
    main()
