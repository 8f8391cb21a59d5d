"""Generalised low-rank models: beside GloVe's program, beside adagrad, and the paper's findings.

Run ``python -m bench.glrm --only speed`` (or ``solvers``, ``findings``, ``negative``, ``presets``);
prints Markdown. ``speed`` needs GloVe's programs on PATH, ``presets`` gensim.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import firth
from bench.measure import WORK, corpus, data_folder, machine, run, warm
from bench.measure import firth as command
from bench.peers import present, train, vectors_of
from firth import _core
from firth.evaluation.finding import DataFolders, tasks_of
from firth.evaluation.protocol import EvaluationRules, Subject, Task
from firth.linalg.frames import padded
from firth.methods import METHODS
from firth.methods.working import Point
from firth.resources import Resources

GLOVE = "GloVe, 15 iterations"
COUNTING = ("--tokenizer", "whitespace", "--quiet", "--force")
MOST = 10.0  # where GloVe's program is told to clip
# Settings, and after how many steps to score. Table 4 of the paper changes the penalty and the
# diagonal at once; here each is changed alone.
TABLES: dict[str, tuple[tuple[dict[str, Any], int], ...]] = {
    "Table 1: steps": (({}, 5),),
    "4.3.3: Poisson": (({"family": "poisson"}, 3), ({"family": "poisson", "clip": None}, 2)),
    "4.3.2: one step of the multinomial, of seen pairs": (
        ({}, 1),
        ({"family": "poisson", "biases": "rows", "clip_at": 100.0}, 1),
    ),
    "Tables 2 and 3: the power, and what is clipped": (
        ({"power": 1.25, "clip": None}, 2),
        ({"power": 1.1, "clip": None}, 2),
        ({"power": 1.5, "clip": None}, 2),
        ({"power": 1.9, "clip": None}, 2),
        ({"power": 1.25, "clip": "input"}, 2),
    ),
    "Table 4: penalty and diagonal apart, without clipping": tuple(
        ({"clip": None, "diagonal": diagonal, **penalty}, 1)
        for diagonal in (True, False)
        for penalty in ({}, {"penalty": 0.0}, {"penalty": 0.01, "penalty_scale": "rows"})
    ),
}
NEGATIVE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("svdns", {}),
    ("svdns", {"unseen": "random", "unseen_value": -2.5}),
    ("svdns", {"threshold": 0.0, "unseen": "random", "unseen_value": -2.5}),
    ("svdns", {"unseen": "all", "unseen_value": -0.25}),
    ("svdns", {"threshold": 0.0, "unseen": "all", "unseen_value": -0.25}),
    ("eigenword", {}),
    ("eigenword", {"unseen": "random", "unseen_value": -3.0}),
    ("eigenword", {"unseen": "all", "unseen_value": -0.25}),
)


@cache
def tasks(suite: str) -> list[Task]:
    """Return the tests of a suite."""
    return tasks_of([suite], DataFolders([data_folder()]))


@dataclass(frozen=True)
class Row:
    """Scores of a space: answers to each of Google's questions, and means of other tests."""

    right: np.ndarray[Any, Any]
    syntactic: np.ndarray[Any, Any]
    similarity: float
    msr: float

    @classmethod
    def of(cls, space: Any) -> Row:
        """Score a space."""
        subject = Subject(space, EvaluationRules())
        similar = [task.score(subject).score or 0.0 for task in tasks("ten")]
        (google,) = [task.score(subject) for task in tasks("google")]
        (msr,) = [task.score(subject) for task in tasks("msr")]
        kinds = np.array([section.startswith("gram") for section in google.sections])
        return cls(
            google.values[google.scored],
            kinds[google.scored],
            100 * float(np.mean(similar)),
            100 * (msr.score or 0.0),
        )

    def line(self, name: str, first: Row, seconds: float, more: str = "") -> str:
        """Write a line of a table, with the difference to its first row."""
        shown = "–"
        if len(self.right) == len(first.right):  # of the same words
            apart = self.right - first.right
            spread = 196 * float(apart.std()) / np.sqrt(len(apart))
            shown = f"{100 * float(apart.mean()):+.1f} ± {spread:.1f}"
        parts = [self.right[~self.syntactic], self.right[self.syntactic], self.right]
        scores = " | ".join(f"{100 * float(part.mean()):.1f}" for part in parts)
        return (
            f"| {name} | {scores} | {shown} | {self.msr:.1f} "
            f"| {self.similarity:.1f} | {seconds:.1f} |{more}"
        )


HEAD = (
    "| | semantic | syntactic | Google | to the first | MSR | ten sets | s |\n" + "|---" * 8 + "|"
)


def counted(least: int) -> firth.Counts:
    """Count the corpus once."""
    store = WORK / f"glrm-{least}"
    if not store.exists():
        run(command("count", str(corpus()), "-o", str(store), *COUNTING, "--min-count", str(least)))
    return firth.Counts.load(store)


def fit(
    name: str, counts: Any, threads: int, start: Any = None, **settings: Any
) -> tuple[Any, float]:
    """Fit, and tell the time."""
    begun = time.perf_counter()
    method = METHODS[name](**settings)
    space = method.fit(counts, association=False, start=start, resources=Resources(threads))
    return space, time.perf_counter() - begun


def objective(counts: Any, left: Any, right: Any) -> float:
    """Compute GloVe's objective, Σ min(y, 10)^¾ e², of vectors with biases as last columns."""
    dim = left.shape[1] - 1
    starts, columns, values = counts.csr()
    point = Point.of(padded(left), padded(right), dim)
    total = 0.0
    for begin in range(0, len(starts) - 1, 1024):
        end = min(begin + 1024, len(starts) - 1)
        model = _core.model_values(
            starts, columns, begin, end, point.rows, point.columns, 2, None
        ).astype(np.float64)
        y = values[starts[begin] : starts[end]] / counts.denominator
        total += float(np.sum(np.minimum(y, MOST) ** 0.75 * (model - np.log(y)) ** 2))
    return total


def of_space(space: Any) -> tuple[Any, Any]:
    """Return U and V with their biases."""
    roots = np.sqrt(space.factors.values)
    sides = zip((space.factors.left, space.factors.right), space.factors.biases, strict=True)
    left, right = (np.column_stack([side * roots, bias]) for side, bias in sides)
    return left, right


def of_glove(path: Path, counts: Any, dim: int) -> tuple[Any, Any]:
    """Read all parameters that GloVe's program writes with ``-model 0``."""
    sides = np.zeros((2, len(counts.words), dim + 1))
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, *numbers = line.rstrip("\n").split(" ")
            if word in counts.words:
                sides[:, counts.words[word]] = np.reshape(numbers, (2, dim + 1)).astype(float)
    return sides[0], sides[1]


def speed(threads: int) -> None:
    """Measure text to vectors beside GloVe's program, and both objectives."""
    text, dim = warm(corpus()), 100
    store, space = WORK / "glrm-speed", WORK / "glrm-space"
    ours = [
        run(command("count", str(text), "-o", str(store), *COUNTING, "--min-count", "20",
                    "--threads", str(threads)), store),
        run(command("fit", str(store), "-o", str(space), "--method", "glove", "--dim", str(dim),
                    "--threads", str(threads), "--no-association", "--quiet"), space),
    ]  # fmt: skip
    counts = firth.Counts.load(store)
    whole = sum(one.seconds for one in ours)
    print("| | s | peak MiB | objective |\n|---|---|---|---|")
    found = objective(counts, *of_space(firth.Space.load(space)))
    peak = max(one.peak for one in ours) >> 20
    print(f"| firth count, fit --method glove | {whole:.1f} | {peak:,} | {found:.4g} |", flush=True)
    if GLOVE not in present():
        return
    theirs = train(GLOVE, text, dim)
    reached = objective(counts, *of_glove(vectors_of(GLOVE, dim), counts, dim))
    print(f"| {GLOVE} | {theirs.seconds:.1f} | {theirs.peak >> 20:,} | {reached:.4g} |")
    print(f"\n{theirs.seconds / whole:.1f} × as fast.\n", flush=True)


def solvers(threads: int, dim: int, words: int | None) -> None:
    """Measure how long least squares take to reach what adagrad reaches in 50 epochs."""
    counts = counted(50).top(words, words)
    slow, theirs = fit("glove", counts, threads, dim=dim, solver="adagrad")
    target = slow.recipe["diagnostics"]["objective"][-1]
    epochs = len(slow.recipe["diagnostics"]["objective"]) - 1
    print(f"adagrad, {epochs} epochs: {target:.5g} in {theirs:.1f} s", flush=True)
    for sweeps in (2, 3, 4, 6, 10):
        fast, ours = fit("glove", counts, threads, dim=dim, sweeps=sweeps, tol=0)
        reached = fast.recipe["diagnostics"]["objective"][-1]
        print(f"als, {sweeps} sweeps: {reached:.5g} in {ours:.1f} s, {theirs / ours:.1f} ×")
        if reached <= target:
            break


def findings(threads: int, dim: int) -> None:
    """Print the paper's tables, and the comparison of families."""
    counts = counted(50)
    for title, settings in TABLES.items():
        print(f"\n{title}\n\n{HEAD}", flush=True)
        first: Row | None = None
        for given, steps in settings:
            space = None
            for step in range(1, steps + 1):
                space, seconds = fit(
                    "glrm", counts, threads, start=space, dim=dim, **{**given, "steps": 1}
                )
                scored = Row.of(space)
                first = first or scored
                name = ", ".join(f"{key} {value}" for key, value in given.items())
                known = space.recipe["diagnostics"]
                more = f" pace {[one['pace'] for one in known['history']]}"
                line = scored.line(f"{name} step {step}".strip(), first, seconds, more)
                print(line, known.get("stalled", ""), flush=True)


def negative(threads: int, dim: int) -> None:
    """Print the spectral family with and without values of unseen pairs."""
    counts = counted(50)
    print(f"\n{HEAD}", flush=True)
    first: Row | None = None
    for name, given in NEGATIVE:
        space, seconds = fit(name, counts, threads, dim=dim, **given)
        scored = Row.of(space)
        first = first or scored
        shown = ", ".join([name, *(f"{key} {value}" for key, value in given.items())])
        print(scored.line(shown, first, seconds), flush=True)


def presets(threads: int, dim: int, names: list[str]) -> None:
    """Print every preset, the weighted default and gensim's skip-gram."""
    counts = counted(50)
    print(f"\n{HEAD}", flush=True)
    first: Row | None = None
    for name in names:
        if name == "gensim":
            out = WORK / f"glrm-gensim-{dim}.bin"
            learning = [sys.executable, "-m", "bench.gensim_vectors", str(corpus()), str(out)]
            begun = time.perf_counter()
            subprocess.run([*learning, str(dim), "5", str(threads), "5", "50"], check=True)
            seconds = time.perf_counter() - begun
            space = firth.read_vectors(out)
        else:
            method, _, words = name.partition(":")
            size = int(words) if words else None
            space, seconds = fit(method, counts.top(size, size), threads, dim=dim)
        scored = Row.of(space)
        first = first or scored
        print(scored.line(name, first, seconds), flush=True)


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ("speed", "solvers", "findings", "presets", "negative")
    parser.add_argument("--only", choices=parts)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dim", type=int, default=150)
    parser.add_argument("--words", type=int, help="Of solvers, the most frequent ones alone.")
    parser.add_argument(
        "--names",
        default="weighted,glove,glove-negative,poisson,glrm,gensim,skipgram,sgns",
        help="Methods of presets; sgns:10000 takes that many words alone.",
    )
    given = parser.parse_args()
    print(f"Machine: {machine()}.\n", flush=True)
    if given.only in (None, "speed"):
        speed(given.threads)
    if given.only in (None, "solvers"):
        solvers(given.threads, given.dim, given.words)
    if given.only in (None, "findings"):
        findings(given.threads, given.dim)
    if given.only in (None, "negative"):
        negative(given.threads, given.dim)
    if given.only in (None, "presets"):
        presets(given.threads, given.dim, given.names.split(","))


if __name__ == "__main__":
    main()
