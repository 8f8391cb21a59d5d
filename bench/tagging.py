"""A tagger of named entities on WNUT 17, with clusters or vectors as features.

The table is like table 4 of Stratos, Collins and Hsu (2015). Run ``python -m bench.tagging SPACE…
--paths FILE…``; it prints Markdown. A row is a stored space or a file of clusters, named by its
path. ``--only speed`` measures training on 200,000 tokens.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from itertools import cycle, islice
from pathlib import Path

from bench.measure import data_folder, machine
from firth import Space
from firth.clusters import Hierarchy
from firth.evaluation.ner import Sentence, Tagger, read_conll, run
from firth.evaluation.ner.experiment import HEADER, line

LARGE = 200_000  # tokens


def sentences(part: str) -> list[Sentence]:
    """Return the sentences of a part of WNUT 17."""
    return read_conll(data_folder() / "ner" / "wnut17" / f"{part}.conll")


def table(spaces: list[Path], paths: list[Path], seeds: int, epochs: int) -> None:
    """Compare the plain tagger with one for each file of clusters and each space."""
    rows = run(
        {path.name: Space.load(path) for path in spaces},
        sentences("train"),
        sentences("test"),
        dev=sentences("dev"),
        clusters={path.name: Hierarchy.load(path).paths() for path in paths},
        tagger=Tagger(epochs=epochs),
        seeds=seeds,
        resamples=5000,
    )
    print(f"{seeds} seeds; at most {epochs} epochs, chosen on dev\n\n{HEADER}")
    for row in rows:
        print(line(row), flush=True)


def speed(spaces: list[Path], paths: list[Path], repeats: int, epochs: int) -> None:
    """Measure training on the training sentences, repeated up to 200,000 tokens."""
    once = sentences("train")
    tokens = sum(len(sentence.words) for sentence in once)
    many = list(islice(cycle(once), LARGE * len(once) // tokens + len(once)))
    while sum(len(sentence.words) for sentence in many[:-1]) >= LARGE:
        many.pop()
    size = sum(len(sentence.words) for sentence in many)
    print(f"{len(many):,} sentences, {size:,} tokens, {epochs} epochs, medians of {repeats}\n")
    print(
        "| features | s | tokens per second, over all epochs | peak MiB so far |\n|---|---|---|---|"
    )
    ways = {
        "plain": {},
        **{path.name: {"clusters": Hierarchy.load(path).paths()} for path in paths},
    }
    ways |= {path.name: {"space": Space.load(path)} for path in spaces}
    for name, added in ways.items():
        times = []
        for _ in range(repeats):
            begun = time.perf_counter()
            Tagger(epochs=epochs).fit(many, **added)  # type: ignore[arg-type]
            times.append(time.perf_counter() - begun)
        median = statistics.median(times)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {name} | {median:.1f} | {epochs * size / median:,.0f} | {peak:.0f} |", flush=True)


def main() -> None:
    """Run all parts, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spaces", nargs="*", type=Path)
    parser.add_argument("--paths", nargs="*", type=Path, default=[])
    parser.add_argument("--only", choices=("table", "speed"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"Machine: {machine()}.")
    if options.only != "speed":
        print("\n### Table\n")
        table(options.spaces, options.paths, options.seeds, options.epochs)
    if options.only != "table":
        print("\n### Speed\n")
        speed(options.spaces, options.paths, options.repeats, options.epochs)


if __name__ == "__main__":
    main()
