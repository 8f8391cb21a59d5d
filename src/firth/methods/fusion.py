"""Fusions of spaces: the plain baselines, and what each says of the spaces that it fuses.

Concatenation followed by an SVD, and averaging (J. Coates and D. Bollegala, 2018, Frustratingly
easy meta-embedding), over the union of the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from firth.linalg.canonical import fix_signs
from firth.linalg.krylov import inner, times
from firth.linalg.products import one_blas_thread
from firth.methods.view_sources import named_views, union
from firth.resources import Resources
from firth.space.combining import unit_rows
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]
PAIRS, AMONG = 5000, 5000  # pairs of the most frequent shared words by which spaces are compared


def baseline_memory(spaces: Mapping[str, Space], dim: int) -> int:
    """Estimate the bytes that both plain fusions need: all vectors side by side, and the result."""
    rows = len(union(named_views(spaces)))
    width = sum(space.vector_size for space in spaces.values())
    largest = max(space.vectors.size for space in spaces.values())
    return rows * (100 + 8 * width + 16 * min(dim, width)) + 8 * largest


def _aligned(spaces: Mapping[str, Space], words: Vocabulary) -> Iterator[tuple[list[int], Floats]]:
    """Yield where the words of each space stand among all, and their unit vectors."""
    for name in sorted(spaces):
        space = spaces[name]
        yield [words.index[word] for word in space.words], unit_rows(space.vectors)


def concatenated(spaces: Mapping[str, Space], dim: int, resources: Resources) -> Space:
    """Fuse spaces by an SVD of their unit vectors side by side.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    >>> space = Space(Vocabulary(["a", "b", "c"]), vectors)
    >>> concatenated({"x": space, "y": space}, 2, Resources(threads=1))
    Space(3 words × 2 dimensions; concatenation)
    """
    words = union(named_views(spaces))
    wide = np.zeros((len(words), sum(space.vector_size for space in spaces.values())))
    begin = 0
    for places, unit in _aligned(spaces, words):
        wide[places, begin : begin + unit.shape[1]] = unit
        begin += unit.shape[1]
    with one_blas_thread(resources.threads) as blocks:
        _, turn = np.linalg.eigh(inner(blocks, wide, wide))
        kept = np.ascontiguousarray(turn[:, ::-1][:, :dim])
        left = times(blocks, wide, kept)
    fix_signs(left)
    return _space(words, left, "concatenation")


def averaged(spaces: Mapping[str, Space]) -> Space:
    """Fuse spaces by the mean of the unit vectors of a word, the shorter ones filled with zeros.

    Examples
    --------
    >>> one = Space(Vocabulary(["a"]), np.array([[1, 0]], dtype=np.float32))
    >>> other = Space(Vocabulary(["a"]), np.array([[2, 0, 0]], dtype=np.float32))
    >>> averaged({"x": one, "y": other}).vectors.tolist()
    [[1.0, 0.0, 0.0]]
    """
    words = union(named_views(spaces))
    total = np.zeros((len(words), max(space.vector_size for space in spaces.values())))
    for places, unit in _aligned(spaces, words):
        total[places, : unit.shape[1]] += unit
    return _space(words, total, "averaging")


def _space(words: Vocabulary, vectors: Doubles, name: str) -> Space:
    # The unit vectors of equal words may cancel out but for rounding.
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    cleared = np.where(lengths > 1e-9, vectors, 0.0)
    recipe = {"method": {"name": name}}
    return Space(words, unit_rows(cleared.astype(np.float32)), recipe=recipe)


def explained(space: Space, view: Space) -> float:
    """Return the share of the squares of one space that linear maps of another explain.

    Both are centred over the words that both have.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.standard_normal((50, 4)).astype(np.float32)
    >>> wide = Space(Vocabulary([str(i) for i in range(50)]), vectors)
    >>> narrow = Space(wide.words, vectors[:, :2])
    >>> round(explained(wide, narrow), 6), explained(narrow, wide) < 0.7
    (1.0, True)
    """
    shared = [word for word in view.words if word in space.words]
    if len(shared) < 2:
        return 0.0
    x = view.vectors[[view.words[word] for word in shared]].astype(np.float64)
    g = space.vectors[[space.words[word] for word in shared]].astype(np.float64)
    x, g = x - x.mean(axis=0), g - g.mean(axis=0)
    with one_blas_thread(1) as blocks:
        values, vectors = np.linalg.eigh(inner(blocks, g, g))
        kept = values > 1e-10 * max(float(values[-1]), 1e-300)
        inside = (inner(blocks, g, x).T @ vectors[:, kept]) / np.sqrt(values[kept])
    return float(np.sum(inside**2) / max(float(np.sum(x * x)), 1e-300))


def agreement(one: Space, other: Space, seed: int = 0) -> float | None:
    """Return Spearman's correlation of the cosines that two spaces give to pairs of words.

    The pairs are drawn from the most frequent words that both have; None if there are too few.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> vectors = rng.standard_normal((50, 4)).astype(np.float32)
    >>> space = Space(Vocabulary([str(i) for i in range(50)]), vectors)
    >>> round(agreement(space, space), 6)
    1.0
    """
    from scipy.stats import spearmanr

    shared = [word for word in one.words if word in other.words][:AMONG]
    if len(shared) < 3:
        return None
    generator = np.random.Generator(np.random.Philox(key=[seed, 0]))
    pairs = generator.integers(0, len(shared), (PAIRS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    cosines = []
    for space in (one, other):
        places = np.array([space.words[word] for word in shared])
        unit = unit_rows(space.vectors[places]).astype(np.float64)
        cosines.append(np.einsum("ij,ij->i", unit[pairs[:, 0]], unit[pairs[:, 1]]))
    found = float(spearmanr(*cosines).statistic)
    return found if np.isfinite(found) else None
