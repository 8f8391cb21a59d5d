"""Word clusters: speed, memory, mutual information, and recovery of planted clusters.

Run ``python -m bench.clusters``, or a part of it with ``--only``; it prints Markdown. RESULTS.md
has the results. brown-cluster's ``wcluster`` is measured too if it is on PATH.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import firth
from bench.measure import WORK, corpus, machine, run
from bench.measure import firth as command
from firth.clusters.ward import ward
from firth.counts.budget import resident
from firth.resources import Resources
from firth.space.combining import unit_rows

COUNTS = WORK / "positional"
COUNTING = ("--tokenizer", "whitespace", "--min-count", "20", "--quiet", "--context", "positional",
            "--window", "2", "--weighting", "flat", "--rare", "unk")  # fmt: skip
PAPER = {"transform": "none", "mass": 0.0}


def counts() -> firth.Counts:
    """Return the counts that all methods use; make them once."""
    if not COUNTS.exists():
        run(command("count", str(corpus()), "-o", str(COUNTS), *COUNTING))
    return firth.Counts.load(COUNTS)


def spectral(threads: int, **settings: Any) -> dict[str, Any]:
    """Cluster with the spectral method and measure each step."""
    matrix = counts()
    method = firth.clusters.SpectralClusters(**settings)
    begun = time.perf_counter()
    left = method.embed(matrix, resources=Resources(threads=threads))
    between = time.perf_counter()
    merges = ward(
        unit_rows(left.vectors),
        method.clusters,
        weights=method._weights(matrix),
        resources=Resources(threads=threads),
    )
    ended = time.perf_counter()
    tree = firth.Hierarchy.of_merges(matrix.words, merges, method.clusters, {})
    return {
        "svd": between - begun,
        "cluster": ended - between,
        "total": ended - begun,
        "gamma": merges.gamma,
        "information": tree.information(matrix),
        "estimate": method.memory(matrix) + 8 * matrix.nnz,
    }


def brown(threads: int, clusters: int) -> dict[str, Any]:
    """Cluster with Brown's algorithm."""
    matrix = counts()
    method = firth.clusters.BrownClusters(clusters=clusters)
    begun = time.perf_counter()
    tree = method.fit(matrix, resources=Resources(threads=threads))
    return {
        "total": time.perf_counter() - begun,
        "information": tree.information(matrix),
        "estimate": method.memory(matrix) + 8 * matrix.nnz,
    }


def information(paths: str) -> dict[str, Any]:
    """Return the mutual information of a tree in a file."""
    return {"information": firth.Hierarchy.load(Path(paths)).information(counts()), "estimate": 0}


def child(name: str, **settings: Any) -> dict[str, Any]:
    """Run a method in a child process, to measure its peak memory.

    A process inherits the peak memory of its parent, so this process must stay small.
    """
    request = json.dumps({"name": name, **settings})
    words = [sys.executable, "-m", "bench.clusters", "--child", request]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def serve(request: dict[str, Any]) -> None:
    """Run a method in the child process and print the result as JSON."""
    before = resident()
    method = {"spectral": spectral, "brown": brown, "information": information}[request.pop("name")]
    found = method(**request)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**found, "peak": peak, "estimate": found["estimate"] + before}))


def speed(sizes: list[int], threads: int, names: list[str]) -> None:
    """Compare the spectral method with Brown's algorithm, and with wcluster if it is installed."""
    matrix = counts()
    print(f"wiki17m, {len(matrix.words):,} words, {matrix.nnz:,} nonzeros, {threads} threads\n")
    print("| method | m | γ | SVD s | clustering s | total s | MI | peak MiB | estimate MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for clusters in sizes:
        for name in names:
            settings: dict[str, Any] = {"clusters": clusters}
            if name == "paper":
                settings |= {**PAPER, "dim": clusters}
            method = "brown" if name == "brown" else "spectral"
            found = child(method, threads=threads, **settings)
            shown = [f"{found[key]:.1f}" if key in found else "" for key in ("svd", "cluster")]
            gamma = f"{found['gamma']:.2f}" if "gamma" in found else ""
            print(
                f"| {name} | {clusters} | {gamma} | {' | '.join(shown)} | {found['total']:.1f} "
                f"| {found['information']:.4f} | {found['peak'] / 2**20:.0f} "
                f"| {found['estimate'] / 2**20:.0f} |",
                flush=True,
            )
        if shutil.which("wcluster"):
            print(peer(clusters, threads), flush=True)


def peer(clusters: int, threads: int) -> str:
    """Run brown-cluster's program on the same tokens; its time includes reading and writing."""
    text, out = WORK / "wcluster.txt", WORK / "wcluster"
    if not text.exists():
        known = set(counts().words)
        with open(corpus(), encoding="utf-8") as lines, open(text, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(" ".join(w if w in known else "<unk>" for w in line.split()) + "\n")
    for kept in WORK.glob("wcluster.txt.*"):  # files of an earlier run
        kept.unlink()
    words = ["wcluster", "--text", str(text), "--c", str(clusters), "--threads", str(threads)]
    done = run([*words, "--output_dir", str(out)], out)
    found = child("information", paths=str(out / "paths"))["information"]
    peak = done.peak / 2**20
    return f"| wcluster | {clusters} | | | | {done.seconds:.1f} | {found:.4f} | {peak:.0f} | |"


def choices(clusters: int, threads: int, kappa: float) -> None:
    """Measure mutual information by transform, dimensions and weights of words."""
    print(f"MI, m = {clusters}, LR2, κ = {kappa:g}\n")
    print("| transform | dim | mass 0 | mass 0.25 | mass 0.5 | mass 1 |\n|---|---|---|---|---|---|")
    matrix = counts()
    for transform in ("none", "two-thirds", "sqrt"):
        widest = firth.clusters.SpectralClusters(
            clusters=clusters, transform=transform, kappa=kappa, dim=500
        )
        left = widest.embed(matrix, resources=Resources(threads=threads)).vectors
        for dim in (100, 200, 500):
            rows = unit_rows(left[:, :dim])
            cells = []
            for mass in (0.0, 0.25, 0.5, 1.0):
                weights = matrix.words.frequencies.astype(np.float64) ** mass
                merges = ward(rows, clusters, weights=weights, resources=Resources(threads=threads))
                tree = firth.Hierarchy.of_merges(matrix.words, merges, clusters, {})
                cells.append(f"{tree.information(matrix):.4f}")
            print(f"| {transform} | {dim} | {' | '.join(cells)} |", flush=True)


def planted(seeds: int = 5, classes: int = 10, words_each: int = 20) -> None:
    """Measure how much text is needed to recover the clusters that generated it."""
    from tests import oracles
    from tests.clusters.test_methods import adjusted_rand

    methods: dict[str, Any] = {
        "spectral": firth.clusters.SpectralClusters(clusters=classes, neighbours="LR1", kappa=20),
        "spectral, as in the paper": firth.clusters.SpectralClusters(
            clusters=classes, neighbours="LR1", kappa=20, dim=classes, transform="none", mass=0.0
        ),
        "brown": firth.clusters.BrownClusters(clusters=classes),
    }
    sizes = [300, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]
    scores = {name: np.zeros((len(sizes), seeds)) for name in methods}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        model = oracles.brown_model(classes, words_each, rng)
        tokens = oracles.brown_text(*model, sizes[-1], rng).split()
        for row, size in enumerate(sizes):
            line = [" ".join(tokens[:size])]
            matrix = firth.count(line, window=1, context="positional", min_count=1)
            truth = np.array([int(word[1:].split("w")[0]) for word in matrix.words])
            for name, method in methods.items():
                scores[name][row, seed] = adjusted_rand(method.fit(matrix).cut(), truth)
    print(f"Adjusted Rand index, {classes} classes of {words_each} words, mean of {seeds} models\n")
    print("| tokens | " + " | ".join(methods) + " |\n|---" + "|---" * len(methods) + "|")
    for row, size in enumerate(sizes):
        cells = " | ".join(f"{scores[name][row].mean():.3f}" for name in methods)
        print(f"| {size:,} | {cells} |")


PARTS = ("speed", "choices", "planted")


def main() -> None:
    """Run all parts, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--clusters", type=int, nargs="+", default=[200, 500, 1000])
    parser.add_argument("--methods", nargs="+", default=["spectral", "brown"],
                        choices=("spectral", "paper", "brown"))  # fmt: skip
    parser.add_argument("--kappa", type=float, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        serve(given.child)
        return
    print(f"{machine()}\n")
    if given.only in (None, "speed"):
        speed(given.clusters, given.threads, given.methods)
    if given.only in (None, "choices"):
        choices(max(given.clusters), given.threads, given.kappa)
    if given.only in (None, "planted"):
        planted()


if __name__ == "__main__":
    main()
