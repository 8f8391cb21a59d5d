"""The defaults of spectral clusters, which were chosen on wiki17m, on other texts.

Run ``python -m bench.texts``; it prints Markdown. The texts are the documentation that ``firth
demo`` reads, the film reviews in ``sentiment/movie_reviews.tsv``, and the halves of wiki17m.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import firth
from bench.clusters import PAPER
from bench.measure import corpus, data_folder, machine
from firth.resources import Resources
from firth.text.embedded import documentation

SIZES = (50, 100, 200, 500, 1000)


def halves() -> tuple[list[str], list[str]]:
    """Return the first and the second half of the lines of wiki17m."""
    with open(corpus(), encoding="utf-8") as file:
        lines = file.readlines()
    return lines[: len(lines) // 2], lines[len(lines) // 2 :]


def reviews() -> tuple[list[str], list[str]]:
    """Return the even and the odd film reviews, a line each; both halves have as many of a kind."""
    path = data_folder() / "sentiment" / "movie_reviews.tsv"
    lines = [line.split("\t")[2] for line in path.read_text(encoding="utf-8").splitlines()]
    return lines[::2], lines[1::2]


def docstrings() -> tuple[list[str], list[str]]:
    """Return the even and the odd paragraphs of the documentation."""
    lines = list(documentation())
    return lines[::2], lines[1::2]


# Texts in two parts, their tokenizers and minimum counts; small texts have small minimum counts.
TEXTS: dict[str, tuple[Callable[[], tuple[list[str], list[str]]], str, int]] = {
    "docstrings": (docstrings, "words", 5),
    "reviews": (reviews, "whitespace", 5),
    "wiki17m": (halves, "whitespace", 20),
}


def count(lines: Sequence[str], tokenizer: str, min_count: int) -> firth.Counts:
    """Count as for the other tables of clusters."""
    return firth.count(
        lines, window=2, context="positional", weighting="flat", rare="unk", min_count=min_count,
        tokenizer=tokenizer,
    )  # fmt: skip


def methods(clusters: int, kappas: Sequence[float]) -> dict[str, Any]:
    """Return the methods to compare."""
    found: dict[str, Any] = {"brown": firth.clusters.BrownClusters(clusters=clusters)}
    for kappa in kappas:
        found[f"default, κ = {kappa:,g}"] = firth.clusters.SpectralClusters(
            clusters=clusters, kappa=kappa
        )
    for kappa in kappas:
        found[f"paper, κ = {kappa:,g}"] = firth.clusters.SpectralClusters(
            clusters=clusters, kappa=kappa, dim=clusters, **PAPER
        )
    return found


def compare(name: str, sizes: Sequence[int], kappas: Sequence[float], threads: int) -> None:
    """Print the table of one text: scores on the part that made the trees and on the other."""
    parts, tokenizer, least = TEXTS[name]
    first, second = parts()
    own, other = count(first, tokenizer, least), count(second, tokenizer, least)
    tokens = [f"{int(part.words.frequencies.sum()):,}" for part in (own, other)]
    print(f"{name}: {tokens[0]} tokens, {len(own.words):,} words; other part {tokens[1]} tokens\n")
    print("| m | method | MI | share of Brown's | MI of the other part | share of Brown's |")
    print("|---|---|---|---|---|---|")
    for clusters in sizes:
        if clusters >= len(own.words):
            continue
        best: tuple[float, float] | None = None
        for label, method in methods(clusters, kappas).items():
            tree = method.fit(own, resources=Resources(threads=threads))
            here, there = tree.information(own), tree.information(other)
            best = best or (here, there)
            print(
                f"| {clusters} | {label} | {here:.4f} | {here / best[0]:.1%} "
                f"| {there:.4f} | {there / best[1]:.1%} |",
                flush=True,
            )
    print()


def main() -> None:
    """Compare the methods on each text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TEXTS, nargs="+", default=[*TEXTS])
    parser.add_argument("--clusters", type=int, nargs="+", default=SIZES)
    parser.add_argument("--kappas", type=float, nargs="+", default=[200])
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    print(f"{machine()}\n")
    for name in given.only:
        compare(name, given.clusters, given.kappas, given.threads)


if __name__ == "__main__":
    main()
