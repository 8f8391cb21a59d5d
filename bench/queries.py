"""Queries, side by side with a matrix-vector product of NumPy.

Run ``python -m bench.queries``; it prints Markdown. The vectors are random, 300,000 × 300.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.measure import machine
from firth.space.approximate import ApproximateIndex
from firth.space.combining import unit_rows
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

WORDS, DIMENSIONS, MANY = 300_000, 300, 1_000


def random_space(words: int) -> Space:
    """Return a space of random unit vectors."""
    rng = np.random.default_rng(0)
    vectors = unit_rows(rng.standard_normal((words, DIMENSIONS), dtype=np.float32))
    space = Space(Vocabulary([f"w{i}" for i in range(words)], range(words, 0, -1)), vectors)
    _ = space.norms, space.words.index  # computed here rather than in the first query
    return space


def alternate(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Call functions in turn, `repeats` times; return the median seconds of each."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            begun = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - begun)
    return {name: statistics.median(found) for name, found in seconds.items()}


def search(repeats: int) -> None:
    """Compare one query with a product, and a thousand queries at once with one."""
    space = random_space(WORDS)
    query = space.vectors[5].copy()
    one = alternate(
        {
            "vectors @ query": lambda: space.vectors @ query,
            "most_similar": lambda: space.most_similar("w5"),
        },
        4 * repeats,
    )
    product, single = one.values()
    keys = space.index_to_key[:MANY]
    batch = alternate({"batch": lambda: space.most_similar_batch(keys)}, max(1, repeats // 2))
    each = batch["batch"] / MANY
    print("| query | ms per word | |")
    print("|---|---|---|")
    print(f"| NumPy's `vectors @ query` | {product * 1e3:.1f} | |")
    print(f"| `most_similar` | {single * 1e3:.1f} | {single / product:.2f} × the product |")
    print(
        f"| `most_similar_batch` of {MANY:,} | {each * 1e3:.2f} | {single / each:.0f} × cheaper |"
    )


def approximate(repeats: int) -> None:
    """Measure time and recall of the approximate index, on vectors in clusters."""
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((500, 100)) * 2
    vectors = centres[rng.integers(0, 500, 50_000)] + rng.standard_normal((50_000, 100))
    words = Vocabulary([f"w{i}" for i in range(50_000)], range(50_000, 0, -1))
    space = Space(words, vectors.astype(np.float32))
    begun = time.perf_counter()
    index = ApproximateIndex.build(space)
    built = time.perf_counter() - begun
    queries = range(0, 50_000, 500)
    exact = space.most_similar_batch(queries)
    found = [space.most_similar(place, indexer=index) for place in queries]
    hits = sum(len({*a} & {*b}) for a, b in zip(exact, found, strict=True))
    one = alternate(
        {
            "exact": lambda: space.most_similar(7),
            "approximate": lambda: space.most_similar(7, indexer=index),
        },
        4 * repeats,
    )
    print(
        f"50,000 × 100 in 500 clusters: built in {built:.1f} s; {one['approximate'] * 1e3:.2f} ms "
        f"per query (exact {one['exact'] * 1e3:.2f}), recall at 10 {hits / 10 / len(exact):.3f}"
    )


def loading(repeats: int) -> None:
    """Measure opening a stored space of 34,000 words and 76,000 contexts."""
    rng = np.random.default_rng(2)
    names = [f"word{i:x}" for i in range(76_000)]
    words = Vocabulary(names[:34_000], range(34_000, 0, -1))
    contexts = Vocabulary(names, range(76_000, 0, -1))
    vectors = rng.standard_normal((34_000, 100), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "space"
        Space(words, vectors, contexts).save(path)
        found = alternate({"load": lambda: Space.load(path)}, 4 * repeats)
    print(f"A space of 34,000 words and 76,000 contexts opens in {found['load'] * 1e3:.0f} ms")


def main() -> None:
    """Run all parts, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=("search", "approximate", "loading"))
    options = parser.parse_args()
    print(f"Machine: {machine()}.\n")
    for name, part in (("search", search), ("approximate", approximate), ("loading", loading)):
        if options.only in (None, name):
            print(f"\n### {name}\n", flush=True)
            part(options.repeats)


if __name__ == "__main__":
    main()
