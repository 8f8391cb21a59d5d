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
    """Count and fit, before gensim and after it; print median times and the peaks of memory."""
    store = WORK / f"{text.stem}-counts"
    spaces = {name: WORK / f"{text.stem}-{name}-{dim}" for name in METHODS}
    counting = command("count", str(text), "-o", str(store), *COUNTING, "--min-count", str(least))
    commands = {"firth count": (counting, store)}
    for name, space in spaces.items():
        fit = command("fit", str(store), "-o", str(space), "--method", name, "--quiet")
        commands[f"firth fit --method {name}"] = ([*fit, "--dim", str(dim)], space)
    runs: dict[str, list[Run]] = {name: [] for name in commands}

    def learn_again() -> None:
        for _ in range(repeats):
            for name, (words, out) in commands.items():
                runs[name].append(run(words, out))

    learn_again()
    skipgram = WORK / f"{text.stem}-gensim-{dim}.bin"
    train = [sys.executable, "-m", "bench.gensim_vectors", str(text), str(skipgram), str(dim)]
    theirs = run([*train, "5", "2", "5", str(least)])
    learn_again()
    print("| | s | range | peak MiB |\n|---|---|---|---|")
    for name, found in runs.items():
        print(row(name, [one.seconds for one in found], max(one.peak for one in found)))
    pairs = zip(runs["firth count"], runs["firth fit --method weighted"], strict=True)
    whole = [first.seconds + second.seconds for first, second in pairs]
    print(row("**text to vectors** (count, fit --method weighted)", whole))
    print(row("gensim skip-gram, 5 epochs, 2 workers", [theirs.seconds], theirs.peak))
    ratio = theirs.seconds / statistics.median(whole)
    print(f"\nText to vectors: {ratio:.1f} × as fast as gensim.\n", flush=True)
    return {**spaces, "gensim": skipgram}


def row(name: str, seconds: list[float], peak: int | None = None) -> str:
    """Return a row of the table of times."""
    spread = f"{min(seconds):.2f} to {max(seconds):.2f}" if len(seconds) > 1 else ""
    most = "" if peak is None else f"{peak >> 20:,}"
    return f"| {name} | {statistics.median(seconds):.2f} | {spread} | {most} |"


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
