"""How many positions of text fit in the memory that a run may use."""

from __future__ import annotations

from dataclasses import dataclass

from firth.errors import BudgetError
from firth.resources import Resources, advise, format_bytes

# More positions at a time are not faster, and an interruption would lose more work.
MOST_POSITIONS = 1 << 27
BYTES_PER_POSITION = 8  # an id in the stream and an entry in the postings
# A thread holds a piece of text, its ids and its types: three to four times the text.
BYTES_PER_PIECE = 16 << 20
PENDING = 24 << 20  # finished rows that wait to be written, as in core/rows.hpp
SLACK = 16 << 20  # what the interpreter allocates in the meantime
SHARE = 0.95  # the share of the budget that is planned for


@dataclass(frozen=True)
class Budget:
    """How much memory a run may use, and on how many threads."""

    total: int
    threads: int

    @classmethod
    def of(cls, resources: Resources) -> Budget:
        """Take the limit and the threads of a run."""
        return cls(resources.limit, resources.threads)

    def _positions(self, used: int, fixed: int) -> int:
        free = int(self.total * SHARE) - used - fixed - SLACK
        return min(free // BYTES_PER_POSITION, MOST_POSITIONS)

    def hold(self, used: int, words: int) -> None:
        """Raise if the distinct words of a text alone exceed the budget."""
        if used > self.total:
            need = advise((used + self._dense(words, words) + SLACK) / SHARE)
            raise BudgetError(
                f"{format_bytes(self.total)} of memory is too little: the {words:,} distinct words "
                f"read so far need {need}; raise `memory`"
            )

    def reading(self, used: int) -> int:
        """Return how many positions may be held while reading, if `used` bytes are taken."""
        pieces = (self.threads + 2) * BYTES_PER_PIECE
        return self._positions(used, max(pieces, PENDING))

    def counting(self, used: int, held: int, rows: int, universe: int) -> int:
        """Return how many positions may be counted at a time.

        `used` is the memory in use without the `held` positions, which are not counted yet. Each
        of these takes half as much as a position that is being counted.
        """
        most = self._positions(used, self._dense(rows, universe))
        return most if held <= most else 2 * most - held

    def _dense(self, rows: int, universe: int) -> int:
        # A dense row of 32 bits and one of 64, each with the list of what it touched, a histogram
        # of the postings and a block of finished rows under way, per thread.
        per_thread = universe * (4 + 4 + 8 + 4) + universe // 4 + rows * 4 + universe * 16
        return self.threads * per_thread + 4 * 8 * rows + PENDING

    def batch(self, used: int, columns: int, runs: int) -> int:
        """Return how many bytes of each run to read at a time when merging."""
        dense = self.threads * min(columns, 1 << 20) * 13
        free = int(self.total * SHARE) - used - dense - PENDING - SLACK
        return max(1 << 12, min(1 << 18, free // (self.threads * max(runs, 1))))

    def merging_threads(self, used: int, columns: int) -> int:
        """Return how many threads fit, when each holds a dense row of all columns."""
        free = int(self.total * SHARE) - used - PENDING - SLACK
        fit = free // (columns * 13 + 1)
        if fit < 1:
            need = advise((used + PENDING + SLACK + columns * 13) / SHARE)
            raise BudgetError(
                f"{format_bytes(self.total)} of memory is too little to merge {columns:,} columns: "
                f"about {need} are needed; raise `memory`"
            )
        return min(self.threads, fit)

    def refuse(self, used: int, rows: int, universe: int, positions: int, words: int) -> None:
        """Raise the error for a budget that is too small for the smallest chunk."""
        need = used + self._dense(rows, universe) + SLACK + positions * BYTES_PER_POSITION
        threads = f"{self.threads} thread{'s' * (self.threads > 1)}"
        raise BudgetError(
            f"{format_bytes(self.total)} of memory is too little: {words:,} distinct words and "
            f"{threads} need about {advise(need / SHARE)}; raise `memory`"
            + (" or lower `threads`" if self.threads > 1 else "")
        )
