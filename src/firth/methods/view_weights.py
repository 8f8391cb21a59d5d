"""Weights of views and groups of views: as text, and learned from pairs of words."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.errors import FirthError
from firth.resources import Resources

if TYPE_CHECKING:
    from firth.methods.view_sources import NamedView
    from firth.space.space import Space

Pairs = Sequence[tuple[str, str, float]]

FACTORS = (0.5, 2.0)  # by which the weight of a group is tried, one group after the other
FEWEST = 10  # pairs that a correlation can be learned from


def weights_text(weights: Mapping[Any, Any]) -> str:
    """Write weights as text.

    Examples
    --------
    >>> weights_text({"bitext": 2, "near": 0.5})
    'bitext=2,near=0.5'
    """
    for name, weight in weights.items():
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not isinstance(name, str) or not number or {*"=,"} & {*name}:
            raise FirthError(
                f"`weights` must map names of views to numbers, not {name!r:.40} to {weight!r:.40}"
            )
    return ",".join(f"{name}={_number(weight)}" for name, weight in sorted(weights.items()))


def _number(weight: float) -> str:
    short = f"{weight:g}"
    return short if float(short) == weight else repr(float(weight))


def fixed_weights(
    text: str | None, views: Sequence[NamedView] | None, left_out: Collection[str] = ()
) -> list[float]:
    """Return the weight of each view; a view has that of its own name, of its group, or 1.

    Parameters
    ----------
    text
        ``NAME=WEIGHT,…``; without weights of views, as ``glove``, all are 1.
    views
        None to check the text only.
    left_out
        Names of views and groups that may have weights, but are not among the views.
    """
    given: dict[str, float] = {}
    if text not in (None, "", "glove", "learned"):
        for part in str(text).split(","):
            name, equals, number = part.rpartition("=")
            try:
                weight = float(number)
            except ValueError:
                weight = math.nan
            if not equals or not name or not math.isfinite(weight) or weight < 0:
                raise FirthError(
                    f"`weights` must be glove, learned, or NAME=WEIGHT,… with weights of 0 or "
                    f"more, not {part!r:.60}"
                )
            given[name.strip()] = weight
    if views is None:
        return []
    names = {name for view in views for name in (view.name, view.group)}
    unknown = next((name for name in given if name not in names and name not in left_out), None)
    if unknown is not None:
        known = ", ".join(sorted(names))
        raise FirthError(f"`weights` names no view or group {unknown!r:.60}: there are {known}")
    found = [given.get(view.name, given.get(view.group, 1.0)) for view in views]
    if not any(found):
        raise FirthError("`weights` are all 0: give a view some weight")
    return found


def learned_weights(
    groups: Sequence[str], solve: Callable[[str], Space], dev: Pairs, resources: Resources
) -> str:
    """Choose the weights of groups of views by the correlation with pairs of words.

    Each group in turn is given half and twice its weight, and keeps what is best.

    Parameters
    ----------
    groups
        The names of the groups.
    solve
        Makes the space of some weights, of factors that are kept.
    dev
        Pairs of words and their similarity.
    resources
        Where to report.
    """
    best = dict.fromkeys(groups, 1.0)
    score = correlation(solve(weights_text(best)), dev)
    for group in groups:
        for factor in FACTORS:
            tried = {**best, group: factor}  # each group has the weight 1 before its turn
            found = correlation(solve(weights_text(tried)), dev)
            resources.report("note", f"weights {weights_text(tried)}: {100 * found:.1f}")
            if found > score:
                best, score = tried, found
    return weights_text(best)


def correlation(space: Space, pairs: Pairs) -> float:
    """Return Spearman's correlation of cosines with the similarity of pairs that the space has.

    Examples
    --------
    >>> import firth
    >>> vectors = np.array([[1, 0], [1, 0.1], [0, 1]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["a", "b", "c"]), vectors)
    >>> correlation(space, [("a", "b", 9.0), ("a", "c", 1.0), ("b", "c", 2.0)] * 4)
    np.float64(1.0)
    """
    from scipy.stats import spearmanr

    kept = [pair for pair in pairs if pair[0] in space and pair[1] in space]
    if len(kept) < FEWEST:
        raise FirthError(
            f"only {len(kept):,} of the {len(pairs):,} pairs of `dev` are in the views: "
            f"give {FEWEST} or more"
        )
    cosines = [space.similarity(a, b) for a, b, _ in kept]
    found = spearmanr(cosines, [score for _, _, score in kept]).statistic
    return found if np.isfinite(found) else np.float64(0.0)
