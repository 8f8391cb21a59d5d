"""The weighted factorisation: association as the target, and pairs that weigh by what is known.

An SVD weighs all pairs of words alike, so that the more rare words there are, the more of its
dimensions go to the noise between them. Here a pair that was seen x times weighs x^p, and every
pair, seen or not, weighs z_i z_j besides, which grows with the frequencies of both: that two
frequent words never meet says more than that two rare ones do not. With f the marginals,

    target   t_ij = log(1 + e^(-shift) r_ij),  r_ij = x_ij N(α) / (f_i^α f_j^α),  0 where x_ij = 0
    weight   x_ij^p + z_i z_j,  z_i ∝ f_i^g,  Σ z_i z_j = κ Σ x^p
    minimise Σ W_ij (u_i · v_j - t_ij)² and a ridge

by alternating least squares from the SVD of the targets (`firth.linalg.alternating`). Stratos,
Collins and Hsu (2015, Model-based word embeddings from decompositions of count matrices, equation 6
and section 8) ask for a weighted objective and leave it open. Relatives: Jiang, Yu, Hsieh and
Chang (2018), Learning word embeddings for low-resource languages by PU learning; Xin, Yuan, He and
Jose (2018), Batch is not heavy: learning word representations from all samples; Shazeer and others
(2016), Swivel: improving embeddings by noticing what's missing.
"""

from __future__ import annotations

import numpy as np

from firth import _core
from firth.association import Doubles, Weighing, associate, factors, marginals
from firth.counts.matrix import Counts
from firth.errors import FirthError
from firth.linalg.als import ALS, TOLERANCE, random_start
from firth.linalg.alternating import Weighted, alternate
from firth.linalg.frames import canonical
from firth.linalg.products import one_blas_thread
from firth.linalg.svd import svd
from firth.resources import Resources


def factorise_weighted(
    counts: Counts,
    *,
    dim: int = 100,
    alpha: float = 0.4,
    shift: float = -1.0,
    seen_power: float = 0.5,
    unseen_power: float = 0.4,
    unseen_share: float = 1.5,
    ridge: float = 0.01,
    sweeps: int = 4,
    steps: int = 2,
    start: str = "svd",
    seed: int = 0,
    resources: Resources | None = None,
) -> ALS:
    """Factorise counts with weights.

    Parameters
    ----------
    counts
        Any counts.
    dim
        Dimensions.
    alpha
        The exponent of frequencies in the targets, of words and of contexts.
    shift
        Subtracted from the targets' logarithm; negative values let weak pairs count.
    seen_power
        p: a pair seen x times weighs x^p.
    unseen_power
        g: how the weight of every pair grows with the frequencies of its words.
    unseen_share
        κ: what the latter weights sum to, relative to the former; at 0, unseen pairs are ignored.
    ridge
        ρ: how much the model is drawn to zero, relative to the weight of a row.
    sweeps, steps
        How often rows and columns are solved for, and the steps of conjugate gradients each time.
    start
        ``svd`` of the targets or ``random``.
    seed, resources
        As for `firth.linalg.als`.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a rose is a rose is a rose"], window=2, min_count=1)
    >>> found = factorise_weighted(counts, dim=2)
    >>> found.left.shape, found.objective[-1] < found.objective[0]
    ((3, 2), True)
    """
    used = resources or Resources()
    weighing = Weighing(scale="log1p", alpha=alpha, word_alpha=alpha, shift=shift)
    knobs = {
        "seen_power": seen_power,
        "unseen_power": unseen_power,
        "unseen_share": unseen_share,
        "ridge": ridge,
    }
    _check(knobs, {"dim": dim, "sweeps": sweeps, "steps": steps})
    problem = weighted_problem(counts, weighing, **knobs, threads=used.threads)
    if start == "random":
        left, right = random_start(counts.shape, dim, seed)
    elif start == "svd":
        used.report("weighing", f"weighing {counts.nnz:,} counts")
        target = associate(counts, weighing, used.threads)
        found = svd(target, dim, tol=TOLERANCE, seed=seed, resources=used)
        del target
        roots = np.sqrt(found.values).astype(np.float32)
        left, right = found.left * roots, found.right * roots
        del found
    else:
        raise FirthError(f"start must be svd or random, not {start!r}")
    left, right, objective = alternate(
        problem, left, right, sweeps=sweeps, steps=steps, resources=used
    )
    with one_blas_thread(used.threads) as blocks:
        u, values, v = canonical(blocks, left, right, dim)
    return ALS(u, values, v, objective)


def weighted_problem(
    counts: Counts,
    weighing: Weighing,
    seen_power: float,
    unseen_power: float,
    unseen_share: float,
    ridge: float,
    threads: int = 1,
) -> Weighted:
    """Lay out cells, weights and ridges by row and by column; symmetric counts serve as both.

    `weighing` says what the targets are; the others are as for `factorise_weighted`. No weight and
    no target is written out.
    """
    sums = marginals(counts, threads)
    starts, columns, values = counts.csr()
    of_row, of_column = factors(weighing, *sums)
    scale = float(counts.denominator)
    rows = _core.CountCells(
        starts, columns, values, of_row, of_column.astype(np.float32), scale, seen_power, threads
    )
    row_sums = rows.weight_sums(threads, None)
    turned, turned_starts, column_sums = rows, starts, row_sums
    if not counts.is_symmetric:
        turned_starts, places, tables = _core.transpose_tables(
            starts, columns, [values], counts.shape[1], threads
        )
        turned = _core.CountCells(
            turned_starts, places, tables[0], of_column, of_row.astype(np.float32), scale,
            seen_power, threads,
        )  # fmt: skip
        column_sums = turned.weight_sums(threads, None)
    z, y = (np.ones_like(f) for f in sums)
    row_weights, column_weights = row_sums, column_sums
    if unseen_share:
        root = np.sqrt(unseen_share * float(row_sums.sum()))
        z, y = (root * _shares(f, unseen_power) for f in sums)
        row_weights, column_weights = row_sums + z * y.sum(), column_sums + y * z.sum()
    return Weighted(
        rows,
        turned,
        z,
        y,
        ridge * row_weights / _total(y),
        ridge * column_weights / _total(z),
        unseen=unseen_share > 0,
        blank_row=np.diff(starts) == 0,
        blank_column=np.diff(turned_starts) == 0,
    )


def _check(knobs: dict[str, float], least_one: dict[str, int]) -> None:
    """Refuse what has no meaning."""
    for name, number in least_one.items():
        if number < 1:
            raise FirthError(f"{name} must be 1 or more, not {number}")
    for name in ("seen_power", "unseen_power"):
        if not 0 <= knobs[name] <= 1:
            raise FirthError(f"{name} must lie between 0 and 1, not {knobs[name]}")
    for name in ("unseen_share", "ridge"):
        if not 0 <= knobs[name] < np.inf:
            raise FirthError(f"{name} must be a number of 0 or more, not {knobs[name]}")


def _shares(frequencies: Doubles, power: float) -> Doubles:
    """Return frequencies to a power, as parts of one."""
    raised = np.where(frequencies > 0, np.where(frequencies > 0, frequencies, 1.0) ** power, 0.0)
    return raised / _total(raised)


def _total(values: Doubles) -> float:
    """Return the sum of weights, and not zero."""
    return max(float(values.sum()), np.finfo(float).tiny)
