"""Senses of many words from factors that are computed once.

The leading singular vectors of the whole matrix are computed once: concepts that all words share. A
context is a point, its row of V Σ^½ over these concepts, scaled to length one, and the contexts of
each word are grouped as points (`firth.senses.choosing`). So each sense is a mixture of concepts,
and the associations of a word's contexts with each other are never looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firth.association import Association
from firth.errors import FirthError
from firth.linalg import svd
from firth.linalg.products import one_blas_thread
from firth.progress import Event
from firth.resources import Resources
from firth.senses.choosing import grouped, number_of
from firth.senses.inventory import SenseTable
from firth.senses.learning import EVERY, Divided, Splitting, asked_for, by_members
from firth.space.combining import unit_rows
from firth.text.parts import ordered

CONCEPTS = 64
TOLERANCE = 1e-3  # of their residuals
# The cosine of centres at which they agree: lower than among the leading vectors of one word, as
# more dimensions part points further. It is settled on the same pseudo-words.
AGREE = 0.44


def divide(
    matrix: Association,
    places: NDArray[np.int64],
    how: Splitting,
    table: SenseTable | None,
    resources: Resources,
) -> Iterator[tuple[int, Divided]]:
    """Yield the senses of each word, in order; words with too few contexts are left out."""
    if how.clustering != "spectral":
        raise FirthError("`pool` groups points: leave it out, or use `clustering='spectral'`")
    rank = min(CONCEPTS, *matrix.shape)
    resources.report("concepts", f"computing {rank} concepts that all words share")
    found = svd(matrix, rank, tol=TOLERANCE, seed=how.seed, resources=resources)
    concepts = unit_rows(found.right * np.sqrt(found.values).astype(np.float32))
    assert matrix.words is not None
    words = matrix.words

    def work(_: int, place: int) -> Divided | None:
        columns, strengths = matrix.row(place)
        if len(columns) < how.min_support:
            return None
        asked = asked_for(words.words[place], how, table)
        if asked == 1:
            return Divided(columns, strengths[None, :].copy())
        points, weights = concepts[columns], strengths.astype(np.float64)
        most = min(how.max_senses if asked is None else asked, len(columns))
        parts = number_of(points, weights, most, AGREE) if asked is None else most
        return by_members(
            columns, strengths, grouped(points, weights, parts).memberships(points, parts)
        )

    with one_blas_thread(1):
        for number, (place, one) in enumerate(ordered(work, places.tolist(), resources.threads)):
            if (number + 1) % EVERY == 0 or number + 1 == len(places):
                resources.progress(Event("senses", number + 1, len(places)))
            if one is not None:
                yield place, one
