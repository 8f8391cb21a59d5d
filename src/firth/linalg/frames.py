"""Bases in which one side of a factorisation is orthonormal, its product with the other unchanged.

U Vᵀ stays the same where V becomes V T and U becomes U T⁻ᵀ. A T that makes the weighted Gram
matrix of V the identity makes the least squares problems of U's rows well conditioned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.linalg.canonical import fix_bases
from firth.linalg.products import Blocks

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

ROW_FLOATS = _core.ROW_FLOATS
_LINE = 16  # floats in a cache line
# Squared lengths of directions, relative to the largest, that are rounding in single precision.
_LOST = 1e-12
_STEEP = 100.0  # times as long as the shortest, the longest direction takes double precision
_NOTHING = 1e-50  # a squared length that is none


def aligned_rows(rows: int, width: int) -> Floats:
    """Make room for rows that begin at cache lines, `width` rounded up to what the kernels take."""
    stride = max(1, -(-width // ROW_FLOATS)) * ROW_FLOATS
    raw = np.empty(rows * stride + _LINE, dtype=np.float32)
    skip = -raw.ctypes.data % (4 * _LINE) // 4
    return raw[skip : skip + rows * stride].reshape(rows, stride)


def padded(vectors: NDArray[np.floating]) -> Floats:
    """Copy vectors to aligned rows, zeros after them."""
    out = aligned_rows(*vectors.shape)
    out[:, : vectors.shape[1]] = vectors
    out[:, vectors.shape[1] :] = 0
    return out


def grams(blocks: Blocks, vectors: Floats, *weights: Doubles) -> list[Doubles]:
    """Compute Σ w v vᵀ over the rows v, in double precision, for each vector of weights."""
    width = vectors.shape[1]
    totals = np.zeros((len(weights), width, width))

    def block_grams(block: slice) -> list[Doubles]:
        wide = vectors[block].astype(np.float64)
        found = []
        for w in weights:
            scaled = wide * np.sqrt(w[block])[:, None]
            found.append(scaled.T @ scaled)
            del scaled  # or there would be two
        return found

    for parts in blocks.map(len(vectors), block_grams):
        for place, part in enumerate(parts):
            totals[place] += part
    return list(totals)


@dataclass(frozen=True, eq=False)
class Frame:
    """A basis that makes two symmetric matrices diagonal, the first of them the identity.

    Attributes
    ----------
    fixed, solved
        What the rows of the fixed side are multiplied by, and those of the side to be solved; a
        direction that the first matrix lacks is a column of zeros in both, after all others.
    diagonal
        The second matrix in this basis.
    lengths
        The largest and the smallest length of a direction that the basis makes one.
    """

    fixed: Doubles
    solved: Doubles
    diagonal: Doubles
    lengths: tuple[float, float] = (1.0, 1.0)

    @property
    def is_steep(self) -> bool:
        """Whether single precision would not do to go there."""
        return self.lengths[0] > _STEEP * self.lengths[1]

    @classmethod
    def of(cls, gram: Doubles, second: Doubles | None = None) -> Frame:
        """Find the basis in which `gram` is the identity and `second` diagonal.

        Examples
        --------
        >>> frame = Frame.of(np.diag([4.0, 0.0]), np.diag([8.0, 1.0]))
        >>> frame.fixed.tolist(), frame.solved.tolist(), frame.diagonal.tolist()
        ([[0.5, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 0.0]], [2.0, 0.0])
        """
        values, vectors = np.linalg.eigh(gram)
        kept = values > max(float(values[-1]) * _LOST, _NOTHING)
        live = int(np.count_nonzero(kept))
        roots = np.sqrt(values[kept])
        shrink, grow = vectors[:, kept] / roots, vectors[:, kept] * roots
        diagonal = np.zeros(len(gram))
        if second is not None:
            diagonal[:live], turn = np.linalg.eigh(shrink.T @ second @ shrink)
            shrink, grow = shrink @ turn, grow @ turn
        fixed, solved = np.zeros_like(gram), np.zeros_like(gram)
        fixed[:, :live], solved[:, :live] = shrink, grow
        lengths = (float(roots[-1]), float(roots[0])) if live else (1.0, 1.0)
        return cls(fixed, solved, np.maximum(diagonal, 0.0), lengths)


def reframed(
    blocks: Blocks, fixed: Floats, solved: Floats, weights: Doubles, others: Doubles
) -> tuple[Floats, Floats, Doubles]:
    """Bring both sides to the basis in which Σ w v vᵀ over the fixed rows is the identity.

    Returns
    -------
    fixed, solved
        Both sides in that basis, their product as it was.
    diagonal
        Of the same sum with the other weights, which is diagonal there.
    """
    for _ in range(2):
        gram, second = grams(blocks, fixed, weights, others)
        frame = Frame.of(gram, second if second.any() else None)
        fixed = changed(blocks, fixed, frame.fixed, frame.is_steep)
        solved = changed(blocks, solved, frame.solved, frame.is_steep)
        if not frame.is_steep:
            break  # once more, or what was short would be less orthonormal than what was long
    return fixed, solved, frame.diagonal


@dataclass(frozen=True, eq=False)
class Reframed:
    """Both sides in another basis, and the way back.

    Attributes
    ----------
    fixed, solved, diagonal
        As `reframed` returns them.
    back
        What the solved side is multiplied by to be where it came from.
    is_steep
        Whether single precision would not do.
    """

    fixed: Floats
    solved: Floats
    diagonal: Doubles
    back: Doubles
    is_steep: bool


def reframed_plainly(
    blocks: Blocks, fixed: Floats, solved: Floats, weights: Doubles, held: Doubles
) -> Reframed:
    """Bring both sides to the basis in which Σ w v vᵀ is the identity and the ridge diagonal.

    `held` says which coordinates a ridge holds where the solved side is now, by 1 and 0; `diagonal`
    is how much it holds those of the new basis.
    """
    back = np.eye(fixed.shape[1])
    second = np.diag(held)
    steep = False
    for _ in range(2):
        (gram,) = grams(blocks, fixed, weights)
        way = _least_held(gram, second)
        frame = Frame.of(gram, way.T @ second @ way)
        fixed = changed(blocks, fixed, frame.fixed, frame.is_steep)
        solved = changed(blocks, solved, frame.solved, frame.is_steep)
        way = way @ frame.fixed
        back, second = back @ way, way.T @ second @ way
        steep = steep or frame.is_steep
        if not frame.is_steep:
            break
    return Reframed(fixed, solved, frame.diagonal, back.T, steep)


def _least_held(gram: Doubles, second: Doubles) -> Doubles:
    """Return what moves a row along directions that the Gram matrix lacks to its least ridge.

    No product with the fixed side depends on where a row stands along them.
    """
    values, vectors = np.linalg.eigh(gram)
    lost = vectors[:, values <= max(float(values[-1]) * _LOST, _NOTHING)]
    inner = lost.T @ second @ lost
    found = np.eye(len(gram)) - lost @ lost.T
    if lost.shape[1]:
        found -= lost @ np.linalg.pinv(inner, rcond=1e-9, hermitian=True) @ lost.T @ second @ found
    return np.asarray(found)


def changed(blocks: Blocks, vectors: Floats, basis: Doubles, precisely: bool = False) -> Floats:
    """Multiply aligned rows by a small matrix, into new aligned rows."""
    light = np.ascontiguousarray(basis, dtype=np.float32)
    out = aligned_rows(len(vectors), basis.shape[1])

    def block_times(block: slice) -> None:
        if precisely:
            out[block] = vectors[block] @ basis
        else:
            np.matmul(vectors[block], light, out=out[block])

    for _ in blocks.map(len(vectors), block_times):
        pass
    return out


def canonical(
    blocks: Blocks, left: Floats, right: Floats, rank: int
) -> tuple[Floats, Doubles, Floats]:
    """Write left · rightᵀ as U Σ Vᵀ: orthonormal columns, falling values, fixed signs.

    Beyond the rank of the product values are zero, and so are their columns.
    """
    q_left, r_left = _orthonormal(blocks, left)
    q_right, r_right = _orthonormal(blocks, right)
    turn_left, values, turn_right = np.linalg.svd(r_left @ r_right.T)
    floor = values[0] * np.finfo(np.float32).eps * 8
    values = np.where(values > floor, values, 0.0)[:rank]
    alive = values > 0
    u = blocks.times(q_left, turn_left[:, :rank] * alive)
    v = blocks.times(q_right, turn_right[:rank].T * alive)
    fix_bases(values, u, v)
    return u, values, v


def _orthonormal(blocks: Blocks, a: Floats) -> tuple[Floats, Doubles]:
    """Factor a = q r, twice, so that q is orthonormal to the last bits."""
    q, r = blocks.orthonormalize(a)
    q, again = blocks.orthonormalize(q, 0.5)
    return q, again @ r
