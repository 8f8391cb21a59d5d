"""Many views: against other programs, the memory and time of many large views, and quality.

Run as ``python -m bench.views``; prints Markdown. ``--only peers`` compares the subspaces and times
of `firth.linalg.gcca` with cca-zoo's GCCA and with a plain incremental PCA in NumPy; ``--only
many`` fits synthetic sparse views of the sizes of D's 46, and measures the peak of memory; ``--only
quality`` fits wiki17m's positional views.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import firth
from bench.measure import WORK, corpus, machine
from firth.association import Association
from firth.linalg import gcca
from firth.methods.view_sources import open_views
from firth.resources import Resources

Doubles = NDArray[np.float64]
RUNS = 5
# Words and columns of D's views: 15 positional, 6 bitexts, 21 dependencies, 4 lexicons.
SIZES = ((15, 1.0, 12_500, 60), (6, 0.3, 12_500, 12), (21, 0.15, 12_500, 8), (4, 0.05, 3_000, 4))


def planted(rows: int, views: int, columns: int, seed: int = 0) -> list[Doubles]:
    """Draw dense views that share some directions."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((rows, 30)) * np.linspace(3, 1, 30)
    return [
        common @ rng.standard_normal((30, columns)) + 4 * rng.standard_normal((rows, columns))
        for _ in range(views)
    ]


def angle(a: Doubles, b: Doubles) -> float:
    """Return the sine of the largest angle between two subspaces."""
    a, b = np.linalg.qr(a)[0], np.linalg.qr(b)[0]
    return float(np.linalg.norm(b - a @ (a.T @ b), 2))


def incremental(views: list[Doubles], rank: int) -> Doubles:
    """Find G as D does: a truncated SVD that is updated by one view after the other."""
    held = np.zeros((len(views[0]), 0))
    for view in views:
        left = np.linalg.svd(view - view.mean(axis=0), full_matrices=False)[0]
        u, s, _ = np.linalg.svd(np.concatenate([held, left], axis=1), full_matrices=False)
        held = u[:, :rank] * s[:rank]
    return held


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def peers(rank: int = 10) -> None:
    """Compare with cca-zoo and with the incremental PCA, in turn."""
    from cca_zoo.linear import GCCA

    print("| rows × views × columns | firth s | cca-zoo s | ratio | angle | one pass s | angle |")
    print("|---|---|---|---|---|---|---|")
    for rows, count, columns in ((2000, 5, 100), (4000, 5, 200), (4000, 10, 200)):
        _row(planted(rows, count, columns), rank, GCCA)


def _row(views: list[Doubles], rank: int, peer: Any) -> None:
    own, others, plain = [], [], []
    for _ in range(RUNS):
        seconds, found = _timed(lambda: gcca(views, rank, regularisation=0))
        own.append(seconds)
        seconds, other = _timed(lambda: peer(n_components=rank).fit(views))
        others.append(seconds)
        seconds, once = _timed(lambda: incremental(views, rank))
        plain.append(seconds)
    # cca-zoo keeps weights: its G is the sum of what the views project to.
    scores = np.sum(other.transform(views), axis=0)
    size = f"{len(views[0])} × {len(views)} × {views[0].shape[1]}"
    print(
        f"| {size} | {np.median(own):.3f} | {np.median(others):.3f} | "
        f"{np.median(np.array(others) / np.array(own)):.1f} | {angle(found.vectors, scores):.0e} | "
        f"{np.median(plain):.2f} | {angle(found.vectors, once):.2g} |",
        flush=True,
    )


def _drawn(rows: int, columns: int, each: int, seed: int) -> Association:
    """Draw a sparse view by Zipf's law, whose columns lean to topics of the rows."""
    rng = np.random.default_rng(seed)
    cells = rows * each
    row = np.repeat(np.arange(rows), each)
    column = np.minimum(rng.zipf(1.3, cells) - 1, columns - 1)
    lean = (column * 7 + (row % 50) * (columns // 50)) % columns
    column = np.where(rng.random(cells) < 0.5, lean, column)
    from scipy.sparse import csr_array

    table = csr_array((np.ones(cells, dtype=np.float32), (row, column)), shape=(rows, columns))
    table.data = np.sqrt(np.sqrt(table.data))
    return Association.from_scipy(table)


def many(words: int, copies: int, view_rank: int, dim: int) -> None:
    """Fit so many times 46 views in a process of its own, and say its peak and times."""
    from firth.methods.multiview import MultiView
    from firth.text.vocabulary import Vocabulary

    names = [f"w{i}" for i in range(words)]

    class Drawn(dict[str, Any]):
        """Views that are drawn when they are asked for, as stores are read."""

    views: dict[str, Any] = Drawn()
    number = 0
    for count, share, columns, each in SIZES:
        for _ in range(max(1, round(count * copies / 46)) if copies else count):
            rows = int(words * share)
            view = _drawn(rows, columns, each, number)
            views[f"view-{number:02}"] = view.named(Vocabulary(names[:rows]), None)
            number += 1
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    begun, laps = time.perf_counter(), []

    def progress(event: Any) -> None:
        if event.unit == "views":
            laps.append(time.perf_counter())

    method = MultiView(dim=dim, view_rank=view_rank, min_views=1, tol=1e-4)
    factored = method.factored(views, Resources(2, progress=progress))
    middle = time.perf_counter()
    space = method.solved(factored, Resources(2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    disk = space.recipe["diagnostics"]["bytes_on_disk"] / 1e9
    found = space.recipe["diagnostics"]
    first = np.diff([begun, *laps])
    print(
        f"| {number} | {words:,} | {held:.1f} | {peak:.1f} | {disk:.1f} | "
        f"{np.median(first[: max(1, number // 3)]):.1f} | {middle - begun:.0f} | "
        f"{(time.perf_counter() - middle) / found['passes']:.1f} × {found['passes']} |",
        flush=True,
    )


def quality() -> None:
    """Score the positional views of wiki17m alone."""
    path = WORK / "views-positional"
    if not path.exists():
        command = [sys.executable, "-m", "firth", "views", "positional", corpus("wiki17m")]
        options = ["-o", path, "--min-count", "20", "--tokenizer", "whitespace"]
        subprocess.run([*command, *options], check=True)
    from firth.methods.multiview import MultiView

    space = MultiView(dim=300, view_rank=300).fit(open_views([Path(path)]))
    print(firth.evaluate({"positional": space}, "ten,google", analogy="both").markdown())


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("peers", "many", "quality"))
    parser.add_argument("--words", type=int, default=300_000)
    parser.add_argument("--views", type=int, default=46)
    parser.add_argument("--view-rank", type=int, default=500)
    parser.add_argument("--dim", type=int, default=300)
    given = parser.parse_args()
    print(machine())
    if given.only in (None, "peers"):
        peers()
    if given.only in (None, "many"):
        many(given.words, given.views, given.view_rank, given.dim)
    if given.only in (None, "quality"):
        quality()


if __name__ == "__main__":
    main()
