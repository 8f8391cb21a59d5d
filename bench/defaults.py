"""What each setting of the default method is worth, on slices of Wikipedia of several sizes.

Run ``python -m bench.defaults --only parameters --texts 1M,17M``; prints Markdown. Settings are
chosen by the dev halves of Stratos, Collins and Hsu (2015), of which the test halves are a check.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import firth
from bench.measure import WORK, corpus, data_folder, machine, warm
from firth.evaluation.finding import DataFolders, tasks_of
from firth.evaluation.protocol import EvaluationRules, Outcome, Subject, Task
from firth.methods import METHODS, Weighted
from firth.space.space import Space

# Tokens of each slice, and the least count of its words.
TEXTS = {"0.3M": (0.3, 5), "1M": (1, 5), "5M": (5, 10), "17M": (17, 20), "58M": (58, 20)}
DEV = ("men", "rw", "ws353", "google", "msr")
TEN = ("ten",)
VERBS = slice(777, 999)  # SimLex-999 lists adjectives, then nouns, then verbs

HEADER = (
    "| text | setting | dev similarity | Google | MSR | test similarity | Google | MSR "
    "| ten sets | yp130 | SimLex verbs | s |\n" + "|---" * 12 + "|"
)


def text_of(name: str) -> Path:
    """Return the text of a size; slices are the first lines of the corpus of 17M tokens."""
    millions, _ = TEXTS[name]
    if name == "58M":
        return warm(corpus("wiki58m"))
    whole = warm(corpus())
    if name == "17M":
        return whole
    path = WORK / f"wiki-{name}.txt"
    if not path.exists():
        tokens = 0
        with open(whole, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
            for line in source:
                tokens += len(line.split())
                out.write(line)
                if tokens >= millions * 1e6:
                    break
    return path


def counted(name: str, **settings: Any) -> firth.Counts:
    """Count a text, or load the counts of an earlier run."""
    label = "-".join([name, *(f"{key}-{value}" for key, value in settings.items())])
    path = WORK / f"defaults-{label}"
    if not path.exists():
        least = TEXTS[name][1]
        firth.count(text_of(name), tokenizer="whitespace", min_count=least, out=path, **settings)
    return firth.Counts.load(path)


@cache
def tasks(suite: tuple[str, ...], half: str) -> list[Task]:
    return tasks_of(suite, DataFolders([data_folder()]), half, ("add", "cosmul"))


@cache
def verbs() -> list[Task]:
    """Return the test of the verb pairs of SimLex-999."""
    lines = (data_folder() / "wordsim" / "simlex999.tsv").read_text().splitlines()
    path = WORK / "simlex-verbs.tsv"
    path.write_text("\n".join(lines[VERBS]) + "\n")
    return tasks_of([f"similarity:{path}"], DataFolders([]))


def percent(outcome: Outcome) -> float:
    return 100 * (outcome.score or 0.0)


def scores(space: Space) -> list[float]:
    """Return the scores of a row of the table."""
    subject = Subject(space, EvaluationRules())
    found = []
    for half in ("dev", "test"):
        outcomes = [(task.name, task.score(subject)) for task in tasks(DEV, half)]
        similar = [percent(one) for _, one in outcomes if one.kind == "similarity"]
        found.append(float(np.mean(similar)))
        found += [
            max(percent(one) for task, one in outcomes if task.startswith(name))
            for name in ("google", "msr")
        ]
    ten = {task.name: percent(task.score(subject)) for task in tasks(TEN, "whole")}
    found += [float(np.mean(list(ten.values()))), ten["yp130"]]
    found += [percent(task.score(subject)) for task in verbs()]
    return found


def row(name: str, setting: str, counts: firth.Counts, **parameters: Any) -> Space:
    """Fit, score, and print a row of the table."""
    begun = time.perf_counter()
    method = METHODS[parameters.pop("method", "weighted")]
    start = parameters.pop("start_space", None)
    fitting = {"association": False, **({"start": start} if start is not None else {})}
    space = method(**parameters).fit(counts, **fitting)
    shown(name, setting, space, time.perf_counter() - begun)
    return space


def shown(name: str, setting: str, space: Space, seconds: float | None = None) -> None:
    cells = " | ".join(f"{score:.1f}" for score in scores(space))
    print(f"| {name} | {setting} | {cells} | {'' if seconds is None else f'{seconds:.1f}'} |",
          flush=True)  # fmt: skip


def parameters(names: list[str], dims: list[int]) -> None:
    """Vary the weight of unseen pairs and the ridge, against the rule's."""
    for name, dim in product(names, dims):
        counts = counted(name)
        ratio = counts.nnz / (sum(counts.shape) * dim)
        row(name, f"d = {dim}, the rule ({ratio:.2f} counts a parameter)", counts, dim=dim)
        for share, ridge in product((1.0, 1.5, 3.0, 5.0, 10.0), (0.001, 0.01, 0.1, 0.5)):
            row(name, f"d = {dim}, κ {share:g}, ρ {ridge:g}", counts, dim=dim,
                unseen_share=share, ridge=ridge)  # fmt: skip


def exponents(names: list[str], dims: list[int]) -> None:
    """Vary the exponents of target and weights, one at a time."""
    changes: dict[str, tuple[float, ...]] = {
        "seen": (0.33, 0.75, 1.0), "unseen": (0.25, 0.6, 0.75), "alpha": (0.3, 0.5, 0.6),
        "shift": (-2.0, 0.0),
    }  # fmt: skip
    for name, dim in product(names, dims):
        counts = counted(name)
        row(name, f"d = {dim}, the defaults", counts, dim=dim)
        for key, values in changes.items():
            for value in values:
                row(name, f"d = {dim}, {key} {value:g}", counts, dim=dim, **{key: value})


def combining(names: list[str], dims: list[int]) -> None:
    """Vary how vectors are made of the factors, which needs no other fit."""
    for name, dim in product(names, dims):
        space = Weighted(dim=dim).fit(counted(name), association=False)
        for beta, weight in product((0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (0.0, 0.15, 0.3)):
            made = space.recombine(beta=beta, combine="sum", weight=weight)
            shown(name, f"d = {dim}, β {beta:g}, contexts {weight:g}", made)


def starts(names: list[str], dims: list[int]) -> None:
    """Vary seeds, starts and sweeps."""
    for name, dim in product(names, dims):
        counts = counted(name)
        for seed in range(5):
            row(name, f"d = {dim}, SVD, seed {seed}", counts, dim=dim, seed=seed)
        for seed in range(5):
            row(name, f"d = {dim}, random, 8 sweeps, seed {seed}", counts, dim=dim, seed=seed,
                start="random", sweeps=8)  # fmt: skip
        for seed in range(5):
            ppmi = METHODS["ppmi"](dim=dim, seed=seed).fit(counts, association=False)
            row(name, f"d = {dim}, the space of ppmi, seed {seed}", counts, dim=dim,
                start_space=ppmi)  # fmt: skip
        for sweeps in (1, 2, 3, 6, 8, 12, 20):
            row(name, f"d = {dim}, SVD, {sweeps} sweeps", counts, dim=dim, sweeps=sweeps)


def counting(names: list[str], dims: list[int]) -> None:
    """Vary what is counted: sides apart, frequent words dropped, the window."""
    settings: tuple[dict[str, Any], ...] = (
        {}, {"context": "sides"}, {"subsample": 1e-3}, {"subsample": 1e-4}, {"window": 5},
        {"window": 5, "context": "sides"}, {"context": "sides", "subsample": 1e-3},
        {"window": 15}, {"window": 5, "weighting": "linear"},
    )  # fmt: skip
    for name, dim in product(names, dims):
        for setting in settings:
            label = ", ".join(f"{key} {value}" for key, value in setting.items()) or "the defaults"
            row(name, f"d = {dim}, {label}", counted(name, **setting), dim=dim)


def former(names: list[str], dims: list[int]) -> None:
    """Score the former default."""
    for name, dim in product(names, dims):
        row(name, f"d = {dim}, log-ratio", counted(name), dim=dim, method="log-ratio")
        row(name, f"d = {dim}, weighted", counted(name), dim=dim)


PARTS = {
    "parameters": parameters,
    "exponents": exponents,
    "combining": combining,
    "starts": starts,
    "counting": counting,
    "former": former,
}


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts: {', '.join(PARTS)}")
    parser.add_argument("--texts", default=",".join(TEXTS), help=f"sizes: {', '.join(TEXTS)}")
    parser.add_argument("--dims", default="100")
    given = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    dims = [int(dim) for dim in given.dims.split(",")]
    print(f"Machine: {machine()}. {' '.join(sys.argv[1:])}\n\n{HEADER}", flush=True)
    for part in given.only.split(","):
        PARTS[part](given.texts.split(","), dims)


if __name__ == "__main__":
    main()
