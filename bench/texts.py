"""Whether the defaults of spectral clusters, chosen on wiki17m, hold on texts that had no say.

Run as ``python -m bench.texts``; prints Markdown. The texts are the documentation that ``firth
demo`` reads, the reviews of films in ``sentiment/movie_reviews.tsv``, and the halves of wiki17m.
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
    """Return the first half of wiki17m's lines and the second."""
    with open(corpus(), encoding="utf-8") as file:
        lines = file.readlines()
    return lines[: len(lines) // 2], lines[len(lines) // 2 :]


def reviews() -> tuple[list[str], list[str]]:
    """Return reviews of films, a line each: even ones and odd ones, half of both kinds."""
    path = data_folder() / "sentiment" / "movie_reviews.tsv"
    lines = [line.split("\t")[2] for line in path.read_text(encoding="utf-8").splitlines()]
    return lines[::2], lines[1::2]


def docstrings() -> tuple[list[str], list[str]]:
    """Return the paragraphs of the documentation, even ones and odd ones."""
    lines = list(documentation())
    return lines[::2], lines[1::2]


# A text in two parts, the tokenizer, and the least frequency of a word, smaller for less text.
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
    """Return what is compared."""
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
    """Print the table of one text: on what the trees are made of, and on the other part."""
    parts, tokenizer, least = TEXTS[name]
    first, second = parts()
    own, other = count(first, tokenizer, least), count(second, tokenizer, least)
    tokens = [f"{int(part.words.frequencies.sum()):,}" for part in (own, other)]
    print(f"{name}: {tokens[0]} tokens, {len(own.words):,} words; other part {tokens[1]} tokens\n")
    print("| m | method | MI | of Brown's | MI of the other part | of Brown's |")
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
    """Compare on each text."""
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
