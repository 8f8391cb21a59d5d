"""Check that merges are a binary tree, and that paths are those of its clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError


def check_merges(
    merges: NDArray[np.int64], costs: NDArray[np.float64], size: int, clusters: int
) -> None:
    """Raise unless merges are a binary tree over so many words, which can make so many clusters."""
    if not size:
        raise FirthError("a tree needs one word or more")
    made = size + np.arange(size - 1)[:, None]
    if (
        merges.shape != (size - 1, 2)
        or costs.shape != (size - 1,)
        or np.any(merges < 0)
        or np.any(merges >= made)
        or len(np.unique(merges)) != 2 * (size - 1)
    ):
        raise FirthError(f"these merges are no binary tree over {size:,} words")
    if not 1 <= clusters <= size:
        raise FirthError(f"{size:,} words cannot make {clusters:,} clusters")


def check_given(given: Sequence[str], labels: NDArray[np.int64], clusters: int) -> None:
    """Raise unless the paths of the words are distinct exactly where their clusters are."""
    if len(given) != len(labels):
        raise FirthError(f"{len(labels):,} words need as many paths, not {len(given):,}")
    paths = sorted({*given})
    check_paths(paths)
    pairs = {*zip(given, labels.tolist(), strict=True)}
    if len(paths) != clusters or len(pairs) != clusters:
        raise FirthError("the given paths are not those of the clusters of these merges")


def check_paths(paths: Sequence[str]) -> None:
    """Raise unless sorted distinct paths can be the leaves of one binary tree.

    Examples
    --------
    >>> check_paths(["00", "01", "1"])
    >>> check_paths(["0", "01"])
    Traceback (most recent call last):
    firth.errors.FirthError: path 0 goes on in path 01: not a tree
    """
    for path in paths:
        if {*path} - {"0", "1"}:
            raise FirthError(f"{path!r:.40} is not a path of zeros and ones")
    for shorter, longer in pairwise(paths):
        if longer.startswith(shorter):
            raise FirthError(
                f"path {shorter or 'of no bits':.40} goes on in path {longer:.40}: not a tree"
            )
