"""Count a small corpus as if it were large: in many pieces, on disk, in many chunks."""

import os
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from firth.counts import job, merging, streams
from firth.counts.budget import Budget
from firth.counts.streams import group
from firth.text import pieces, sources


@contextmanager
def chunking(
    *, piece=1 << 22, block=1 << 20, hold=1 << 27, chunk=1 << 27, runs=64, batch=1 << 16,
    narrow=streams.MOST_NARROW,
):  # fmt: skip
    """Replace the limits of counting, within a with statement.

    `piece` and `block` are the bytes of a piece of text and of a block that is read. `hold` and
    `chunk` are the positions held in memory while reading and counted at a time. `runs` is the
    number of runs merged at a time, and `batch` the bytes read of each (one entry at least).
    `narrow` is the largest number of ids in a stream of 16 bits.
    """

    def always(value):
        return lambda *_: value

    def grouped(lengths, first, _):
        return group(lengths, first, always(chunk))

    with ExitStack() as stack:
        for target, name, value in (
            (pieces, "PIECE", piece),
            (pieces, "SAMPLE", block),
            (sources, "SAMPLE", max(block, 64)),
            (sources, "BLOCK", max(block, 64)),
            (merging, "MOST_RUNS", runs),
            (streams, "MOST_NARROW", narrow),
            (Budget, "reading", always(hold)),
            (Budget, "counting", always(1 << 27)),
            (Budget, "batch", always(batch)),
            (job, "group", grouped),
            (os, "fsync", always(None)),  # durability is not tested
        ):
            stack.enter_context(patch.object(target, name, value))
        yield


ONE_PIECE = {}
MANY_PIECES = {"piece": 40, "block": 16, "narrow": 0}
MANY_CHUNKS = {"piece": 40, "block": 16, "chunk": 12}
ON_DISK = {"piece": 40, "block": 16, "hold": 20, "chunk": 12, "batch": 23, "narrow": 0}
MANY_PASSES = {"piece": 24, "block": 16, "hold": 0, "chunk": 1, "runs": 2, "batch": 1}
CHUNKINGS = [ONE_PIECE, MANY_PIECES, MANY_CHUNKS, ON_DISK, MANY_PASSES]
