"""Counts as data of a generalised low-rank model, and where the model begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.association import Association, Weighing, associate, marginals
from firth.counts.matrix import Counts
from firth.linalg.als import TOLERANCE, random_start
from firth.linalg.svd import svd
from firth.methods.targets import of_space
from firth.methods.working import Doubles, Floats, Look, Margins, Working
from firth.resources import Resources
from firth.space.space import Space

_LEAST = 1e-6  # of the mean, that a row or column weighs at least if its pairs are unseen


@dataclass(frozen=True, eq=False)
class Begun:
    """Factors to start from, biases as their last column.

    Attributes
    ----------
    sides
        Words and contexts.
    known
        Whether they are a model of the counts, which first weights can be taken from.
    """

    sides: tuple[Floats, Floats]
    known: bool


@dataclass(eq=False)
class Likelihood:
    """Counts, and how a model looks at them.

    Attributes
    ----------
    counts, look
        The counts, and what a family makes of a cell.
    independent
        Whether the mean of independent words is subtracted from what is modelled.
    negatives
        k of negative sampling, or 0.
    zeros
        How unseen pairs are handled.
    unseen, unseen_weight
        The exponent of frequencies in their weights, and the mean of these.
    resources
        Threads and progress.
    biases
        Of rows and columns, once they have been found.
    """

    counts: Counts
    look: Look
    independent: bool
    negatives: float
    zeros: str
    unseen: float
    unseen_weight: float | None
    resources: Resources
    biases: tuple[Doubles, ...] | None = None

    @cached_property
    def sums(self) -> tuple[Doubles, Doubles]:
        """The sums of rows and of columns."""
        return marginals(self.counts, self.resources.threads)

    @property
    def symmetric(self) -> bool:
        """Whether the counts are their own transpose."""
        return self.counts.is_symmetric

    @cached_property
    def rows(self) -> Working:
        """The counts by row."""
        counts = self.counts
        starts, columns, values = counts.csr()
        rows, others = self._margins
        made = Working(
            starts, columns, np.ascontiguousarray(values), float(counts.denominator), rows, others,
            self.look, self.zeros == "exact", self.resources.threads,
        )  # fmt: skip
        if self.zeros != "weighted":
            return made
        weight = self.unseen_weight
        if weight is None:
            seen = made.weigh(None, 1.0)[1].sum()
            weight = float(seen) / (counts.shape[0] * counts.shape[1])
        own, other = (_raised(f, self.unseen) * np.sqrt(weight) for f in self.sums)
        return replace(
            made, rows_known=replace(rows, unseen=own), columns_known=replace(others, unseen=other)
        )

    @cached_property
    def columns(self) -> Working:
        """The counts by column."""
        rows = self.rows
        if self.symmetric:
            return rows
        starts, columns, tables = _core.transpose_tables(
            rows.starts, rows.columns, [rows.values], rows.width, self.resources.threads
        )
        return replace(
            rows,
            starts=starts,
            columns=columns,
            values=tables[0],
            rows_known=rows.columns_known,
            columns_known=rows.rows_known,
        )

    @cached_property
    def _margins(self) -> tuple[Margins, Margins]:
        counts = self.counts
        words = np.arange(len(counts.words), dtype=np.int64)
        index = counts.words.index
        contexts = np.array([index.get(word, -1) for word in counts.contexts], dtype=np.int64)
        contexts = np.tile(contexts, max(1, len(counts.offsets)))
        total = max(float(self.sums[0].sum()), 1e-300)
        found = []
        for f, names in zip(self.sums, (words, contexts), strict=True):
            found.append(
                Margins(
                    _expected(f, total) if self.independent else np.zeros(len(f)),
                    f * np.sqrt(self.negatives / total),
                    np.zeros(len(f)),
                    names,
                )
            )
        return found[0], found[1]

    def explained(self) -> Association:
        """Return the association that `Space.why` explains: that of the start."""
        return associate(self.counts, self._weighing, self.resources.threads)

    @property
    def _weighing(self) -> Weighing:
        family = self.look.family
        if family.name == "gaussian":
            return Weighing(transform="none", scale="none")
        if self.independent or self.zeros == "exact":
            return Weighing(scale="log1p")
        return Weighing(transform="log1p", scale="none")

    def start(
        self, dim: int, having: tuple[bool, bool], kind: str, seed: int, space: Space | None
    ) -> Begun:
        """Return factors to start from, with a last column for biases."""
        shape = self.counts.shape
        sides = [np.zeros((size, dim + 1), dtype=np.float32) for size in shape]
        if space is not None:
            if self._of_space(space, dim, having, sides):
                return Begun((sides[0], sides[1]), known=True)
        elif kind == "random":
            for side, drawn in zip(sides, random_start(shape, dim, seed), strict=True):
                side[:, :dim] = drawn
        else:
            self.resources.report("weighing", f"weighing {self.counts.nnz:,} counts")
            found = svd(self.explained(), dim, tol=TOLERANCE, seed=seed, resources=self.resources)
            roots = np.sqrt(found.values).astype(np.float32)
            sides[0][:, :dim], sides[1][:, :dim] = found.left * roots, found.right * roots
        if self.zeros != "exact":
            return Begun((sides[0], sides[1]), known=False)
        if self.look.family.name != "gaussian":
            self._be_independent(dim, having, sides)
        return Begun((sides[0], sides[1]), known=True)

    def _be_independent(
        self, dim: int, having: tuple[bool, bool], sides: list[NDArray[np.float32]]
    ) -> None:
        """Make the model that of independent words: contexts point to where they are to begin.

        What a bias would say, and there is none of, becomes a dimension.
        """
        sides[0][:, :dim] = 0
        if not self.look.family.is_log or self.independent:
            return
        total = max(float(self.sums[0].sum()), 1e-300)
        place = dim
        for side, (f, has) in enumerate(zip(self.sums, having, strict=True)):
            expected = _expected(f, total).astype(np.float32)
            if has:
                sides[side][:, dim] = expected
            elif place > 1:
                place -= 1
                root = np.float32(np.sqrt(np.abs(expected).mean())) or np.float32(1)
                sides[side][:, place], sides[1 - side][:, place] = expected / root, root

    def _of_space(
        self,
        space: Space,
        dim: int,
        having: tuple[bool, bool],
        sides: list[NDArray[np.float32]],
    ) -> bool:
        """Take the factors that a space knows; return whether they are a model of counts."""
        for side, taken in zip(sides, of_space(space, self.counts, dim), strict=True):
            side[:, :dim] = taken
        assert space.factors is not None
        biases = space.factors.biases
        if biases is None:
            return False
        blocks = max(1, len(self.counts.offsets))
        known = (space.words, self.counts.words, 1), (
            space.contexts or space.words, self.counts.contexts, blocks,
        )  # fmt: skip
        for side, given, has, (old, new, copies) in zip(sides, biases, having, known, strict=True):
            if not has:
                continue
            places = np.array([old.index.get(word, -1) for word in new], dtype=np.int64)
            for block in range(copies):
                own = side[block * len(new) : (block + 1) * len(new)]
                own[places >= 0, dim] = given[block * len(old) + places[places >= 0]]
        return True


def _expected(sums: Doubles, total: float) -> Doubles:
    """Return what a row, or a column, adds to the logarithm of the mean of independent words."""
    return np.asarray(np.log(np.where(sums > 0, sums, 0.5)) - np.log(total) / 2)


def _raised(sums: Doubles, exponent: float) -> Doubles:
    """Return frequencies to a power, of mean one."""
    found = np.where(sums > 0, np.where(sums > 0, sums, 1.0) ** exponent, 0.0)
    if exponent == 0:
        found = np.ones_like(sums)
    found /= found.mean()
    return np.asarray(np.maximum(found, _LEAST))
