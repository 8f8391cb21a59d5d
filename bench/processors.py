"""What differs between kinds of processors: cosines, neighbours, clusters and paths on wiki17m.

``python -m bench.processors`` fits and clusters the same counts with OpenBLAS's kernels for four
kinds of x86-64 processors and prints how far the results agree with those of the first, as
Markdown. SkylakeX is for AVX-512; kinds that this machine cannot run are left out.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

import firth
from bench.measure import WORK, corpus, machine, run
from bench.measure import firth as command

KINDS = {"Haswell": "avx2", "SkylakeX": "avx512f", "Zen": "avx2", "Nehalem": "sse4_2"}
PAIRS = 10_000
ASKED = 5_000  # words whose neighbours are compared
COUNTING = {
    "symmetric": (),
    "positional": ("--context", "positional", "--window", "2", "--weighting", "flat",
                   "--rare", "unk"),
}  # fmt: skip


def kinds() -> list[str]:
    """Return the kinds that this machine can run."""
    flags = Path("/proc/cpuinfo").read_text().split()
    return [kind for kind, needed in KINDS.items() if needed in flags]


def make(kind: str, method: str) -> tuple[firth.Space, firth.Hierarchy]:
    """Fit a space and learn a tree as that kind of processor does."""
    space, paths = WORK / f"space-{method}-{kind}", WORK / f"paths-{kind}"
    core = {"OPENBLAS_CORETYPE": kind}
    run(
        command("fit", str(WORK / "symmetric"), "-o", str(space), "--method", method, "--quiet"),
        space, **core,
    )  # fmt: skip
    paths.unlink(missing_ok=True)
    run(command("cluster", str(WORK / "positional"), "-o", str(paths), "--quiet"), **core)
    return firth.Space.load(space), firth.Hierarchy.load(paths)


def apart(one: firth.Space, other: firth.Space) -> float:
    """Return the largest difference of the cosines of pairs of words."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, len(one), (2, PAIRS))
    units = [s.vectors.astype(np.float64) / s.norms[:, None] for s in (one, other)]
    first, second = ((unit[a] * unit[b]).sum(axis=1) for unit in units)
    return float(np.abs(first - second).max())


def same_neighbours(one: firth.Space, other: firth.Space) -> tuple[float, float]:
    """Return the share of words with the same ten neighbours, in the same order and in any."""
    asked = np.random.default_rng(1).choice(len(one), ASKED, replace=False).tolist()
    found = [[[w for w, _ in n] for n in s.most_similar_batch(asked)] for s in (one, other)]
    ordered = np.mean([a == b for a, b in zip(*found, strict=True)])
    alike = np.mean([{*a} == {*b} for a, b in zip(*found, strict=True)])
    return float(ordered), float(alike)


def same_clusters(one: firth.Hierarchy, other: firth.Hierarchy) -> tuple[float, float]:
    """Return the share of clusters that have the same words, and of words with the same path."""
    sets = []
    for tree in (one, other):
        words = defaultdict(list)
        for word, path in tree.paths().items():
            words[path].append(word)
        sets.append({frozenset(cluster) for cluster in words.values()})
    paths = np.mean([a == b for a, b in zip(one.bits, other.bits, strict=True)])
    return len(sets[0] & sets[1]) / len(sets[0]), float(paths)


def main() -> None:
    """Print the table."""
    for name, options in COUNTING.items():
        out = WORK / name
        run(command("count", str(corpus()), "-o", str(out), "--quiet", *options), out)
    print(machine(), end="\n\n")
    first, *others = kinds()
    print(
        f"| beside {first} | method | largest difference of a cosine, {PAIRS:,} pairs | "
        "the same ten neighbours in order | the same ten | the same clusters | the same paths |\n"
        "|---|---|--:|--:|--:|--:|--:|"
    )
    for method in ("default", "ppmi"):
        space, tree = make(first, method)
        for kind in others:
            another, grown = make(kind, method)
            shares = (*same_neighbours(space, another), *same_clusters(tree, grown))
            shown = " | ".join(f"{100 * share:.2f}%" for share in shares)
            print(f"| {kind} | {method} | {apart(space, another):.1e} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
