"""MRDS: the minimum required difference for significance of a test set.

P. Rastogi, B. Van Durme and R. Arora, 2015, Multiview LSA: representation learning via generalized
CCA, section 4.1. For correlations it is the difference that the test requires near 0, where it is
strictest; between high correlations a smaller difference may be significant. For accuracies it is
the difference that the posterior requires somewhere between 75% and 90%. Both are computed as in
the paper's program, and give its table 2. If you have the scores themselves, use the tests of
`firth.evaluation.significance`.
"""

from __future__ import annotations

import numpy as np

from firth.errors import FirthError
from firth.evaluation.significance import not_better, williams

MANY = 1000
STEP = 1e-4  # accuracies are tried in steps of a hundredth of a point
# As in the paper's program, which takes the least over these; its text says "for all".
ACCURACIES = tuple(percent / 100 for percent in range(90, 74, -1))


def correlation_mrds(items: int, agreement: float = 0.9, p: float = 0.05) -> float:
    """Return the difference of two correlations that a one-sided Steiger's test requires near 0.

    Parameters
    ----------
    items
        The number of pairs.
    agreement
        The largest correlation of the two spaces with each other.
    p
        The level of significance.

    Examples
    --------
    >>> round(100 * correlation_mrds(353), 2)  # WordSim-353: 3.9 in the paper's table 2
    3.93
    """
    from scipy.optimize import brentq
    from scipy.stats import t as student

    if items < 4:
        raise FirthError(f"Steiger's test needs at least four items, not {items}")
    if not -1 < agreement < 1 or not 0 < p < 0.5:
        raise FirthError("`agreement` must be between -1 and 1, and `p` between 0 and 0.5")
    # Steiger has n - 3 degrees of freedom. The paper's program uses n - 2, which gives every cell
    # of its table 2 to a tenth of a point.
    critical = float(student.isf(p, items - 2))
    # |R| falls as the correlations rise, so the test is strictest if the lower one is 0.
    most = float(np.sqrt(1 - agreement**2))
    if williams(most, 0.0, agreement, items) < critical:
        return 1.0  # too few items for any difference
    found = brentq(lambda d: williams(d, 0.0, agreement, items) - critical, 0.0, most, xtol=1e-12)
    return float(found)


def accuracy_mrds(items: int, p: float = 0.05) -> float:
    """Return the least difference of two accuracies that is significant under flat priors.

    The smallest σ, in steps of a hundredth of a point, for which some θ in {90%, 89% … 75%} with
    counts rounded to whole numbers has p(θ_B ≤ θ_A) < p under flat priors; A has θ, and B θ + σ.

    Examples
    --------
    >>> round(100 * accuracy_mrds(80), 2)  # TOEFL
    6.63
    """
    from scipy.special import ndtri

    if items < 1:
        raise FirthError(f"there must be at least one item, not {items}")
    tried: dict[tuple[int, int], float] = {}
    # With many items the posteriors are nearly normal: steps well below their σ can be skipped.
    normal = -ndtri(p) * np.sqrt(2 * ACCURACIES[0] * (1 - ACCURACIES[0]) / items)
    begin = int(0.8 * normal / STEP) if items >= MANY else 1
    for step in range(max(begin, 1), round(1 / STEP) + 1):
        for accuracy in ACCURACIES:
            higher = accuracy + step * STEP
            if higher > 1 + STEP / 2:
                continue
            right = round(accuracy * items), min(items, round(higher * items))
            if right not in tried:
                tried[right] = not_better(right[0], items, right[1], items)
            if tried[right] < p:
                return step * STEP
    return 1.0
