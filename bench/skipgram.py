"""Text to vectors beside gensim's skip-gram, on either corpus: time, memory and quality in one run.

Run ``python -m bench.skipgram --corpus wiki58m --dim 100``; prints Markdown. The spaces of firth's
default, of log-ratio (the default before it) and of gensim are scored on the ten similarity sets,
Google's and MSR's analogies, and compared in pairs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from bench.measure import WORK, Run, corpus, data_folder, machine, run, warm
from bench.measure import firth as command

COUNTING = ("--tokenizer", "whitespace", "--quiet")
METHODS = ("weighted", "log-ratio")
SUITE = "ten,google,msr"


def learn(text: Path, dim: int, least: int, repeats: int) -> dict[str, Path]:
    """Count and fit, `repeats` times; print the median times and the peaks of memory."""
    store = WORK / f"{text.stem}-counts"
    spaces = {name: WORK / f"{text.stem}-{name}-{dim}" for name in METHODS}
    counting = command("count", str(text), "-o", str(store), *COUNTING, "--min-count", str(least))
    counted: list[Run] = []
    fitted: dict[str, list[Run]] = {name: [] for name in METHODS}
    for _ in range(repeats):
        counted.append(run(counting, store))
        for name, space in spaces.items():
            fit = command("fit", str(store), "-o", str(space), "--method", name, "--quiet")
            fitted[name].append(run([*fit, "--dim", str(dim)], space))
    count = statistics.median(one.seconds for one in counted)
    rows = [("firth count", count, counted)]
    for name, runs in fitted.items():
        rows.append(
            (f"firth fit --method {name}", statistics.median(r.seconds for r in runs), runs)
        )
    print("| | s | peak MiB |\n|---|---|---|")
    for name, seconds, runs in rows:
        print(f"| {name} | {seconds:.2f} | {max(one.peak for one in runs) >> 20:,} |")
    whole = count + rows[1][1]
    print(f"| **text to vectors** (count, fit --method weighted) | {whole:.2f} | |", flush=True)
    skipgram = WORK / f"{text.stem}-gensim-{dim}.bin"
    train = [sys.executable, "-m", "bench.gensim_vectors", str(text), str(skipgram), str(dim)]
    theirs = run([*train, "5", "2", "5", str(least)])
    print(
        f"| gensim skip-gram, 5 epochs, 2 workers | {theirs.seconds:.1f} | {theirs.peak >> 20:,} |"
    )
    print(f"\nText to vectors: {theirs.seconds / whole:.1f} × as fast as gensim.\n", flush=True)
    return {**spaces, "gensim": skipgram}


def score(spaces: dict[str, Path]) -> None:
    """Score the spaces, and say which differences to the default are significant."""
    named = [part for name in spaces for part in ("--name", name)]
    folders = ("--data", str(data_folder()), "--quiet", "--suite", SUITE)
    paths = [str(path) for path in spaces.values()]
    evaluate = command("evaluate", *paths, *named, *folders, "--summary", "--analogy", "both")
    subprocess.run(evaluate, check=True)
    first, *others = paths
    for other in others:
        print(f"\n{first} and {other}\n", flush=True)
        compare = command("compare", first, other, *folders, "--format", "markdown")
        subprocess.run([*compare, "--analogy", "both"], check=True)


def main() -> None:
    """Learn, then score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", choices=("wiki17m", "wiki58m"), default="wiki17m")
    parser.add_argument("--lines", type=int, help="use the first lines alone")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--min-count", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(f"Machine: {machine()}. {given.corpus}, d = {given.dim}.\n", flush=True)
    text = warm(corpus(given.corpus))
    if given.lines:
        text = first_lines(text, given.lines)
    score(learn(text, given.dim, given.min_count, given.repeats))


def first_lines(text: Path, lines: int) -> Path:
    """Write the first lines of a text to a file of its own, and return its path."""
    path = WORK / f"{text.stem}-{lines}.txt"
    with open(text, "rb") as source, open(path, "wb") as out:
        for _, line in zip(range(lines), source, strict=False):
            out.write(line)
    return path


if __name__ == "__main__":
    main()
