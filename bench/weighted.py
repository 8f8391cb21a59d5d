"""The weighted factorisation's kernel: beside matrix products, beside implicit, and as it grows.

Run as ``python -m bench.weighted``; prints Markdown. ``peer`` needs implicit.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import firth
from bench.measure import machine
from bench.vectors import counts
from firth import _core
from firth.association import Weighing
from firth.linalg.alternating import Weighted, half_sweep, objective_of
from firth.linalg.frames import padded
from firth.linalg.products import one_blas_thread, random_panel
from firth.methods.targets import Targets
from firth.resources import Resources

WEIGHING = Weighing(scale="log1p", alpha=0.4, word_alpha=0.4, shift=-1.0)
WIDE = 4096  # columns of the product that rates are compared with


class Timed:
    """Cells that tell how long their kernel has worked."""

    def __init__(self, cells: _core.Cells) -> None:
        self.cells = cells
        self.seconds = 0.0

    def solve(self, *arguments: Any) -> Any:
        """Solve, and add up the time."""
        begun = time.perf_counter()
        found = self.cells.solve(*arguments)
        self.seconds += time.perf_counter() - begun
        return found


class Sweeps:
    """A factorisation that is taken on a sweep at a time."""

    def __init__(self, problem: Weighted, shape: tuple[int, int], dim: int, threads: int) -> None:
        self.kernels = Timed(problem.rows), Timed(problem.columns)
        timed: Any = {"rows": self.kernels[0], "columns": self.kernels[1]}
        problem = replace(problem, **timed)
        self.problems = problem, problem.transposed()
        start = random_panel(shape[1], dim, 0, 0)
        self.sides = [padded(np.zeros((shape[0], dim), dtype=np.float32)), padded(start)]
        self.threads = threads

    def kernel_seconds(self) -> float:
        """Return how long the kernels have worked since the last call."""
        found = sum(kernel.seconds for kernel in self.kernels)
        for kernel in self.kernels:
            kernel.seconds = 0.0
        return found

    def sweep(self, steps: int) -> None:
        """Solve for the rows, then for the columns."""
        with one_blas_thread(self.threads) as blocks:
            for side in (0, 1):
                done = half_sweep(
                    self.problems[side], self.sides[side], self.sides[1 - side], steps, blocks,
                    self.threads,
                )  # fmt: skip
                self.sides[side], self.sides[1 - side] = done.solved, done.fixed


def problem_of(matrix: firth.Counts, threads: int) -> Weighted:
    targets = Targets(matrix, WEIGHING, Resources(threads))
    return targets.problem(seen=0.5, unseen=0.4, unseen_share=1.5, ridge=0.01)


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def operations(nnz: int, dim: int, steps: int) -> float:
    """Count those of a sweep over both sides: 4 d a nonzero in each pass but the last, which has 2.

    What weights, targets and the d × d matrices take is not counted.
    """
    return 2.0 * nnz * dim * (4 * steps + 2)


def speed(dim: int, steps: int, threads: int, repeats: int) -> None:
    """Measure a sweep and NumPy's product, in turn."""
    matrix = counts()
    sweeps = Sweeps(problem_of(matrix, threads), matrix.shape, dim, threads)
    rng = np.random.default_rng(0)
    tall = rng.standard_normal((matrix.shape[0], dim), dtype=np.float32)
    wide = rng.standard_normal((dim, WIDE), dtype=np.float32)
    out = np.empty((len(tall), WIDE), dtype=np.float32)
    work = operations(matrix.nnz, dim, steps)
    sweep, kernel, theirs = [], [], []
    for _ in range(repeats + 1):
        sweep.append(seconds(lambda: sweeps.sweep(steps)))
        kernel.append(sweeps.kernel_seconds())
        with threadpool_limits(limits=threads, user_api="blas"):
            theirs.append(seconds(lambda: np.matmul(tall, wide, out=out)))
    flops = 2.0 * len(tall) * dim * WIDE
    print(f"d = {dim}, {steps} steps, {threads} threads, {repeats} times\n")
    print(
        "| | median s | GFLOP/s | of the product's | fastest | of the product's |\n"
        + "|---" * 6
        + "|"
    )
    for name, times, count in (
        ("sweep over both sides", sweep, work),
        ("the kernel in it", kernel, work),
        (f"({len(tall):,} × {dim}) · ({dim} × {WIDE})", theirs, flops),
    ):
        median, best = statistics.median(times[1:]), min(times[1:])
        shares = [
            count / time_ / (flops / whole)
            for time_, whole in ((median, statistics.median(theirs[1:])), (best, min(theirs[1:])))
        ]
        print(
            f"| {name} | {median:.3f} | {count / median / 1e9:.0f} | {shares[0]:.0%} "
            f"| {count / best / 1e9:.0f} | {shares[1]:.0%} |",
            flush=True,
        )


def growth(steps: int, threads: int, repeats: int) -> None:
    """Measure sweeps by dimensions, and by nonzeros: those of the most frequent words alone."""
    whole = counts()
    print(
        "| words | nonzeros | d | s a sweep | ns a nonzero and dimension |\n|---|---|---|---|---|"
    )
    for words, dim in (
        *((len(whole.words), dim) for dim in (50, 100, 200, 300, 500)),
        *((words, 100) for words in (2_000, 6_000, 15_000)),
    ):
        matrix = whole.top(words, words)
        sweeps = Sweeps(problem_of(matrix, threads), matrix.shape, dim, threads)
        sweeps.sweep(steps)
        times = [seconds(lambda s=sweeps: s.sweep(steps)) for _ in range(repeats)]
        median = statistics.median(times)
        share = 1e9 * median / (2 * matrix.nnz * dim)
        print(f"| {words:,} | {matrix.nnz:,} | {dim} | {median:.2f} | {share:.3f} |", flush=True)


def confidences(matrix: firth.Counts) -> tuple[np.ndarray, Weighted, Weighted]:
    """Return weights 1 + √x of what is seen, and the problem implicit has, ones and zeros.

    Without a ridge too, whose objective is the weighted squared error.
    """
    starts, columns, values = matrix.csr()
    beyond = np.sqrt(values / matrix.denominator).astype(np.float32)
    ones = np.ones(len(beyond), dtype=np.float32)
    cells = _core.ValueCells(starts, columns, beyond, ones, matrix.shape[1], 2)
    z = np.ones(matrix.shape[0])
    ridge = 1e-6 * z
    problem = Weighted(cells, cells, z, z, ridge, ridge)
    return 1 + beyond, problem, Weighted(cells, cells, z, z, 0 * z, 0 * z)


def peer(dim: int, threads: int, repeats: int) -> None:
    """Implicit's conjugate gradients, an iteration and ours in turn, from the same start."""
    from implicit.cpu.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    matrix = counts()
    starts, columns, _ = matrix.csr()
    weights, problem, error = confidences(matrix)
    table = csr_matrix((weights, columns.copy(), starts.astype(np.int32)), shape=matrix.shape)
    with threadpool_limits(limits=1, user_api="blas"):
        model = AlternatingLeastSquares(dim, regularization=0.01, iterations=1, num_threads=threads)
    model.user_factors = np.zeros((matrix.shape[0], dim), dtype=np.float32)
    model.item_factors = 0.01 * random_panel(matrix.shape[1], dim, 0, 0)
    sweeps = Sweeps(problem, matrix.shape, dim, threads)
    print(
        "| iteration | implicit s | error | firth s | error | times as fast |\n" + "|---" * 6 + "|"
    )
    for iteration in range(1, repeats + 1):
        theirs: list[float] = []
        with threadpool_limits(limits=1, user_api="blas"):
            model.fit(table, show_progress=False, callback=lambda _, s, __, t=theirs: t.append(s))
        ours = seconds(lambda: sweeps.sweep(2))
        errors = (
            objective_of(error, model.user_factors, model.item_factors, threads),
            objective_of(error, *sweeps.sides, threads),
        )
        print(
            f"| {iteration} | {theirs[0]:.2f} | {errors[0]:.5g} | {ours:.2f} | {errors[1]:.5g} "
            f"| {theirs[0] / ours:.1f} |",
            flush=True,
        )


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("speed", "growth", "peer"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    print(f"Machine: {machine()}.\n")
    if given.only in (None, "speed"):
        speed(given.dim, given.steps, given.threads, given.repeats)
    if given.only in (None, "growth"):
        growth(given.steps, given.threads, given.repeats)
    if given.only in (None, "peer"):
        peer(given.dim, given.threads, given.repeats)


if __name__ == "__main__":
    main()
