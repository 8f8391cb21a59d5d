"""Matrices that several tests are made of."""

import numpy as np
from scipy.sparse import csr_array


def skewed(rows=3000, columns=2500, cells=400_000, seed=0):
    """Rows of very different length, some of them long enough to be solved tile by tile."""
    rng = np.random.default_rng(seed)
    row = (rng.random(cells) ** 3 * rows).astype(np.int64)
    column = (rng.random(cells) ** 2 * columns).astype(np.int64)
    table = csr_array((rng.random(cells), (row, column)), shape=(rows, columns))
    table.sum_duplicates()
    return table
