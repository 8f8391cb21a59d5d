"""Text to vectors, side by side with gensim's skip-gram; the SVD, with SciPy and scikit-learn.

Run ``python -m bench.vectors``; it prints Markdown. RESULTS.md has the results.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import firth
from bench import peers
from bench.measure import WORK, corpus, machine, run
from bench.measure import firth as command
from bench.scores import score
from firth.association import Weighing, associate
from firth.evaluation import open_space
from firth.linalg import svd
from firth.methods import METHODS, EigenWord, Spectral
from firth.resources import Resources

COUNTS = WORK / "vector-counts"
COUNTING = ("--tokenizer", "whitespace", "--min-count", "20", "--quiet")


def counts() -> firth.Counts:
    """Return the counts that all methods use; make them once."""
    if not COUNTS.exists():
        run(command("count", str(corpus()), "-o", str(COUNTS), *COUNTING))
    return firth.Counts.load(COUNTS)


def speed(repeats: int, dim: int) -> None:
    """Measure the way from text to stored vectors."""
    space, theirs = WORK / "space", WORK / f"gensim-{dim}.bin"
    ours, peaks = [], []
    for _ in range(repeats):
        for path in (COUNTS, space):
            shutil.rmtree(path, ignore_errors=True)
        first = run(command("count", str(corpus()), "-o", str(COUNTS), *COUNTING))
        second = run(command("fit", str(COUNTS), "-o", str(space), "--dim", str(dim), "--quiet"))
        ours.append((first.seconds, second.seconds))
        peaks.append(max(first.peak, second.peak))
    count_s, fit_s = (statistics.median(times) for times in zip(*ours, strict=True))
    whole = statistics.median(sum(times) for times in ours)
    print(f"firth count {count_s:.2f} s + firth fit {fit_s:.2f} s = {whole:.2f} s, ", end="")
    print(f"peak RSS {max(peaks) / 2**20:.0f} MiB")
    gensim = [sys.executable, "-m", "bench.gensim_vectors", str(corpus()), str(theirs)]
    found = run([*gensim, str(dim), "5", "2"])
    print(
        f"gensim skip-gram, d = {dim}, 5 epochs, 2 workers: {found.seconds:.1f} s, "
        f"{found.seconds / whole:.1f} × as long; peak RSS {found.peak / 2**20:.0f} MiB"
    )
    for name in peers.present():
        found = peers.train(name, corpus(), dim)
        print(f"{name}, d = {dim}, 2 threads: {found.seconds:.1f} s, ", end="")
        print(f"{found.seconds / whole:.1f} × as long", flush=True)


def factorising(repeats: int) -> None:
    """Compare the SVD (rank 100 of the PPMI matrix) with those of SciPy and scikit-learn."""
    from scipy.sparse.linalg import svds
    from sklearn.utils.extmath import randomized_svd

    matrix = associate(counts(), Weighing(alpha=0.75), threads=2)
    table = matrix.to_scipy()
    ways = {
        "firth svd, 2 threads": lambda: svd(matrix, 100, resources=Resources(threads=2)).values,
        "scipy svds": lambda: svds(table, 100)[1][::-1],
        "scikit-learn randomized_svd": lambda: randomized_svd(table, 100, random_state=0)[1],
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    values = {}
    for _ in range(repeats):
        for name, way in ways.items():
            begun = time.perf_counter()
            values[name] = np.asarray(way())
            times[name].append(time.perf_counter() - begun)
    truth = values["scipy svds"]
    ours = statistics.median(times["firth svd, 2 threads"])
    print(f"PPMI of wiki17m, {matrix.nnz:,} nonzeros\n")
    print("| | median s | × ours | worst relative error of a singular value |")
    print("|---|---|---|---|")
    for name, seconds in times.items():
        error = float(np.abs(values[name] / truth - 1).max())
        median = statistics.median(seconds)
        print(f"| {name} | {median:.2f} | {median / ours:.1f} | {error:.1e} |")


def _row(name: str, space: firth.Space) -> None:
    test, dev = (score(space, dev=half) for half in (False, True))
    print(
        f"| {name} | {test.similarity:.1f} | {test.add:.1f} | {test.mul:.1f} "
        f"| {dev.similarity:.1f} | {dev.analogy:.1f} |",
        flush=True,
    )


def quality(dims: list[int]) -> None:
    """Score every method and the other programs on the same vocabulary."""
    print("| method | ten sets | 3CosAdd | 3CosMul | dev similarity | dev analogies |")
    print("|---|---|---|---|---|---|")
    for dim in dims:
        trained = {"gensim skip-gram": WORK / f"gensim-{dim}.bin"}
        trained |= {name: peers.vectors_of(name, dim) for name in peers.PEERS}
        for name, path in trained.items():
            if path.exists():
                _row(f"{name}, d = {dim}", open_space(path, Resources(2)))
        for name, method in METHODS.items():
            _row(f"{name}, d = {dim}", method(dim=dim).fit(counts(), association=False))


def grid(dim: int) -> None:
    """Score transform × scale, with α and β of table 2 of Stratos, Collins and Hsu (2015)."""
    print("| transform | scale | ten sets | 3CosAdd | 3CosMul | dev similarity | dev analogies |")
    print("|---|---|---|---|---|---|---|")
    for scale in ("none", "reg", "pmi", "cca"):
        for transform in ("none", "log1p", "two-thirds", "sqrt"):
            if scale == "pmi" and transform != "none":
                continue
            alpha = 0.75 if scale in ("pmi", "cca") else 1.0
            method = Spectral(
                dim=dim,
                transform=transform,
                scale=scale,
                alpha=alpha,
                beta=0.5 if scale == "pmi" else 0.0,
            )
            _row(f"{transform} | {scale}", method.fit(counts(), association=False))


def thresholds(dim: int) -> None:
    """Score thresholds of EigenWord and SVD-NS, as in figure 4.1 of the EigenWord thesis."""
    print("| threshold, method | ten sets | 3CosAdd | 3CosMul | dev similarity | dev analogies |")
    print("|---|---|---|---|---|---|")
    for method in (EigenWord, METHODS["svdns"]):
        for threshold in (-6.0, -5.0, -4.0, -3.0, -2.5, -2.0, -1.0, 0.0):
            fitted = method(dim=dim, threshold=threshold).fit(counts(), association=False)  # type: ignore[call-arg]
            _row(f"{threshold:g}, {method.name}", fitted)


def main() -> None:
    """Run all parts, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ("speed", "svd", "quality", "grid", "thresholds")
    parser.add_argument("--only", choices=parts)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dim", type=int, default=100)
    options = parser.parse_args()
    print(f"Machine: {machine()}.\n")
    Path(WORK).mkdir(parents=True, exist_ok=True)
    for name in parts:
        if options.only not in (None, name):
            continue
        print(f"\n### {name}\n", flush=True)
        if name == "speed":
            speed(options.repeats, options.dim)
        elif name == "svd":
            factorising(options.repeats)
        elif name == "quality":
            quality([options.dim])
        elif name == "grid":
            grid(options.dim)
        else:
            thresholds(options.dim)


if __name__ == "__main__":
    main()
