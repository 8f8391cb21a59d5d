"""Non-negative factors of the contexts of a word: NNDSVD, and NMF from there.

C. Boutsidis and E. Gallopoulos (2008), SVD based initialization: a head start for nonnegative
matrix factorization. The leading singular vectors come from subspace iteration on a random panel
(N. Halko, P.-G. Martinsson and J. Tropp, 2011, Finding structure with randomness), with the sparse
product of `firth.linalg`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.association import Association
from firth.linalg.products import PANEL, Blocks, empty_panel, random_panel

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

DENSE = 64  # smaller matrices are factorised as dense ones
ROUNDS = 5  # products with the matrix and its transpose; more change no digit that is shown
SPARE = 6  # columns of the panel beyond the rank: they make the last vectors exact
SWEEPS = 50  # of NMF at most
ENOUGH = 1e-4  # change of the factors, relative to the first sweep's, at which NMF ends
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Leading:
    """The leading singular values and vectors of a square sparse matrix.

    Attributes
    ----------
    left, values, right
        A column of `left` and `right` for each value, the largest first.
    """

    left: Doubles
    values: Doubles
    right: Doubles

    def cut(self, rank: int) -> Leading:
        """Return the first ones only."""
        return Leading(self.left[:, :rank], self.values[:rank], self.right[:, :rank])


def leading(matrix: Association, rank: int, seed: int = 0) -> Leading:
    """Find the leading singular values and vectors of a small square matrix.

    Parameters
    ----------
    matrix
        The associations of contexts with each other.
    rank
        How many to find; at most `PANEL` less `SPARE`, unless the matrix is small.
    seed
        Of the random start.

    Examples
    --------
    >>> found = leading(Association.from_scipy([[3, 0, 0], [0, 2, 0], [0, 0, 1]]), 2)
    >>> found.values.round(3).tolist()
    [3.0, 2.0]
    """
    size = matrix.shape[0]
    if size <= max(DENSE, PANEL):
        left, values, right = np.linalg.svd(matrix.to_dense())
        return Leading(left[:, :rank], values[:rank], right[:rank].T)
    blocks = Blocks(1)
    there = matrix.sparse()
    back = _core.Sparse(*there.transpose(1), size, 1)
    panel = random_panel(size, PANEL, seed, 0)
    for _ in range(ROUNDS):
        panel = blocks.orthonormalize(_product(there, panel))[0]
        panel = blocks.orthonormalize(_product(back, panel))[0]
    image = _product(there, panel).astype(np.float64)
    # image = A panel: its singular vectors, turned back, are those of A in the panel's span.
    values, vectors = np.linalg.eigh(image.T @ image)
    values = np.sqrt(np.maximum(values[::-1][:rank], 0.0))
    vectors = vectors[:, ::-1][:, :rank]
    kept = values > TINY * max(float(values[0]), TINY)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
    return Leading(image @ (vectors * inverse), values * kept, panel.astype(np.float64) @ vectors)


def _product(sparse: _core.Sparse, panel: Floats) -> Floats:
    aligned = empty_panel(len(panel))
    aligned[:] = panel
    out = empty_panel(len(panel))
    sparse.multiply(aligned, out, False, 1)
    return out


def nndsvd(found: Leading) -> tuple[Doubles, Doubles]:
    """Return W (rows × parts) and H (parts × columns), both without negative entries.

    The first pair of vectors has no negative entries but for rounding, as the matrix has none. Of
    each other pair, the positive or the negative halves are kept, whichever weigh more.

    Examples
    --------
    >>> found = leading(Association.from_scipy(np.kron(np.eye(2), np.ones((2, 2)))), 2)
    >>> w, h = nndsvd(found)
    >>> bool((w >= 0).all() and (h >= 0).all())
    True
    """
    rows, parts = found.left.shape
    w, h = np.zeros((rows, parts)), np.zeros((parts, len(found.right)))
    for part in range(parts):
        x, y, value = found.left[:, part], found.right[:, part], found.values[part]
        if part == 0:
            w[:, 0], h[0] = np.sqrt(value) * np.abs(x), np.sqrt(value) * np.abs(y)
            continue
        sides = [(np.maximum(sign * x, 0), np.maximum(sign * y, 0)) for sign in (1, -1)]
        weights = [float(np.linalg.norm(a) * np.linalg.norm(b)) for a, b in sides]
        side = 0 if weights[0] > weights[1] else 1
        if weights[side] <= 0:
            continue
        root = np.sqrt(value * weights[side])
        for out, half in ((w[:, part], sides[side][0]), (h[part], sides[side][1])):
            out[:] = root * half / np.linalg.norm(half)
    return w, h


def nmf(matrix: Association, w: Doubles, h: Doubles, sweeps: int = SWEEPS) -> Doubles:
    """Refine non-negative factors by coordinate descent on |C - W H|², and return H.

    Each column of W and row of H is solved for exactly with the others fixed (A. Cichocki and A.-H.
    Phan, 2009, Fast local algorithms for large scale nonnegative matrix and tensor factorizations).

    Examples
    --------
    >>> matrix = Association.from_scipy(np.kron(np.eye(2), np.ones((2, 2))))
    >>> w, h = nndsvd(leading(matrix, 2))
    >>> bool((nmf(matrix, w, h) >= 0).all())
    True
    """
    sparse = matrix.to_scipy().astype(np.float64)
    turned = sparse.T.tocsr()
    w, h = w.copy(), h.T.copy()
    first = None
    for _ in range(sweeps):
        change = _descend(w, sparse @ h, h.T @ h) + _descend(h, turned @ w, w.T @ w)
        first = change if first is None else first
        if change <= ENOUGH * first:
            break
    return np.ascontiguousarray(h.T)


def _descend(side: Doubles, goal: Doubles, gram: Doubles) -> float:
    """Solve for each column of one side in place, and return how far they moved."""
    moved = 0.0
    for part in range(side.shape[1]):
        if gram[part, part] <= TINY:
            continue
        step = (side @ gram[part] - goal[:, part]) / gram[part, part]
        new = np.maximum(side[:, part] - step, 0.0)
        moved += float(np.abs(new - side[:, part]).sum())
        side[:, part] = new
    return moved


def memberships(h: Doubles) -> Doubles:
    """Scale the columns of H to sum to one; one without any entry is shared equally.

    Examples
    --------
    >>> memberships(np.array([[1.0, 0], [3, 0]])).tolist()
    [[0.25, 0.5], [0.75, 0.5]]
    """
    sums = h.sum(axis=0)
    return np.where(sums > 0, h / np.where(sums > 0, sums, 1.0), 1 / len(h))


def shares(strengths: Floats, parts: Doubles) -> Floats:
    """Divide each strength among senses, so that the parts add up to it exactly.

    A strength is a whole number of units of its last place, fewer than 2^24. Each sense but the
    largest gets its membership of them, rounded down, and the largest gets the rest. So the sum is
    exact in any order and precision.

    Parameters
    ----------
    strengths
        The association of a word with its contexts; above zero.
    parts
        Memberships, with a row for each sense.

    Examples
    --------
    >>> split = shares(np.float32([0.1, 3]), np.array([[1 / 3, 0.5], [2 / 3, 0.5]]))
    >>> (split[0] + split[1] == np.float32([0.1, 3])).tolist()
    [True, True]
    """
    place = np.spacing(strengths).astype(np.float64)
    units = strengths.astype(np.float64) / place
    own = np.floor(parts * units)
    largest = np.argmax(parts, axis=0)
    columns = np.arange(len(strengths))
    own[largest, columns] = 0
    own[largest, columns] = units - own.sum(axis=0)
    return (own * place).astype(np.float32)
