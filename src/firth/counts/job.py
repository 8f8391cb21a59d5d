"""A run from text to counts: read, choose the vocabulary, count chunk by chunk, merge.

Text is tokenised once, piece by piece. As many positions as the budget allows are kept in memory;
the others go to disk. Each chunk of parts is counted into rows; if there are several chunks, their
rows are added up. All sums are of integers, so the result does not depend on threads, chunks or
interruptions.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firth import _core
from firth.counts.arrays import Rows, Write, keep_rows, load_rows, write_rows, write_run
from firth.counts.budget import BYTES_PER_POSITION, Budget
from firth.counts.matrix import Counts
from firth.counts.merging import merge_runs
from firth.counts.reading import Reading
from firth.counts.recipe import Recipe
from firth.counts.sampling import Sampling
from firth.counts.selection import Selection, select
from firth.counts.store import check_target, is_store, load, write_description
from firth.counts.streams import Chunk, chunks, group, sampled_out
from firth.counts.workspace import Workspace
from firth.errors import CorpusError, FirthError
from firth.progress import Event, Progress
from firth.resources import format_bytes, resident
from firth.stores.workspace import is_over, workspace_for
from firth.stores.writing import naming_write_errors
from firth.text.pieces import Cleaner, pieces
from firth.text.sources import Corpus
from firth.text.tokenizers import Tokenizer

# For the estimate before a run, measured on English Wikipedia: bytes of text per token, the ratio
# of compression of xz and its like, how nonzeros grow with pairs, and the memory of an empty run.
BYTES_PER_TOKEN = 6
COMPRESSION = 3.5
ENTRIES_PER_PAIR = 0.9
BASE = 100 << 20


@dataclass
class Job:
    """One run from text to counts."""

    corpus: Corpus
    recipe: Recipe
    tokenizer: Tokenizer
    cleaner: Cleaner | None
    fixed: list[str] | None
    budget: Budget
    progress: Progress

    def run_to(self, target: Path, resume: bool, force: bool) -> Counts:
        """Count into a store at `target`."""
        folder = workspace_for(target)
        if resume and not force and is_store(target) and is_over(folder):
            counts = load(target)
            if counts.recipe == self.recipe and self._may_have_made(counts):
                shutil.rmtree(folder, ignore_errors=True)
                self._say(f"{target} is complete already")
                return counts
        check_target(target, force)
        again = self.corpus.items is None and all(f.is_lasting for f in self.corpus.files)
        inputs = self.corpus.identity() if again or resume else None
        plan = {"recipe": self.recipe.to_json(), "inputs": inputs}
        with (
            Workspace(folder, plan, resume=resume, force=force) as work,
            naming_write_errors(target),
        ):
            counts = self.run(work, in_memory=False)
            if force:  # something else may have appeared there since
                check_target(target, force)
            work.publish(target, replace=force)
        return counts

    def _may_have_made(self, counts: Counts) -> bool:
        """Return whether a store may be of this text, by the number and size of its files."""
        files = self.corpus.files
        marks = 3 * len(files)  # a byte order mark is not counted
        return counts.ledger.files == len(files) and (
            not all(file.is_plain for file in files)
            or 0 <= self.corpus.size - counts.ledger.bytes_read <= marks
        )

    def run(self, work: Workspace, in_memory: bool) -> Counts:
        """Read, choose the vocabularies, count and merge, in memory or into the workspace."""
        self._preflight()
        reading = self._read(work)
        selection = select(reading.lexicon, self.recipe, self.fixed)
        self._say_absent(selection)
        rows, sampled = self._count(work, reading, selection, in_memory)
        recipe = self.recipe
        ledger = replace(
            selection.ledger.with_seen(reading.seen),
            files=len(self.corpus.files),
            subsampled=sampled,
        )
        if not len(rows[1]):
            ledger = replace(ledger, notes=("no two words share a window: no counts",))
        counts = Counts(
            selection.words,
            selection.contexts,
            recipe.denominator,
            recipe.offsets,
            recipe,
            ledger,
            *rows,
            recipe.symmetry(selection.words == selection.contexts),
            selection.has_half(recipe),
        )
        if not in_memory:
            write_description(work.store, counts)
        return counts

    def _say(self, text: str) -> None:
        self.progress(Event("note", text=text))

    def _say_absent(self, selection: Selection) -> None:
        """Report how many words of a fixed vocabulary are not in the text."""
        if self.fixed is None:
            return
        absent = [word for word in self.fixed if not selection.occurs(word)]
        if absent:
            self._say(
                f"{len(absent):,} of the {len(self.fixed):,} words of the vocabulary are not in "
                f"the text, as {absent[0]!r:.40}"
            )

    def _preflight(self) -> None:
        """Report what the run will need, estimated from the size of the files."""
        threads = f"{self.budget.threads} thread{'s' * (self.budget.threads > 1)}"
        size = self.corpus.size
        if not size:
            self._say(f"using {format_bytes(self.budget.total)} of memory at most and {threads}")
            return
        text = sum(f.size * (1 if f.is_plain else COMPRESSION) for f in self.corpus.files)
        tokens = text / BYTES_PER_TOKEN
        sides = sum(len(side) for side in self.recipe.sides)
        entries = (tokens * sides) ** ENTRIES_PER_PAIR
        memory = min(self.budget.total, BASE + tokens * BYTES_PER_POSITION)
        disk = entries * 8
        if BASE + tokens * BYTES_PER_POSITION > self.budget.total:
            disk = 1.5 * disk + tokens * 3  # and packed runs, and parts
        self._say(
            f"reading {format_bytes(size)}, about {tokens:,.0f} tokens, on {threads}; this will "
            f"take about {format_bytes(memory)} of memory (limit "
            f"{format_bytes(self.budget.total)}) and {format_bytes(disk)} of disk"
        )

    def _read(self, work: Workspace) -> Reading:
        strict = self.recipe.encoding_errors == "strict"
        reading = Reading(work, self.budget, self.tokenizer.lower, strict)
        found = pieces(self.corpus, self.tokenizer, self.cleaner, strict)
        reading.read(found, self.corpus.size, self.progress)
        if reading.seen.tokens == 0:
            files = self.corpus.files
            name = files[0].name if len(files) == 1 else "the corpus"
            why = "is empty" if not reading.seen.bytes_read else "holds no words"
            raise CorpusError(f"{name} {why}: there is nothing to count")
        return reading

    def _count(
        self, work: Workspace, reading: Reading, selection: Selection, in_memory: bool
    ) -> tuple[Rows, int]:
        """Count chunk by chunk, and merge the chunks if there are several.

        Returns the rows, and how many tokens subsampling dropped.
        """
        sizes = len(selection.words), selection.universe
        blocks = 1 if selection.has_half(self.recipe) else len(self.recipe.offsets)
        width = len(selection.contexts) * max(1, blocks)
        if width >= 2**31:
            raise FirthError(f"{width:,} columns are too many: lower `max_contexts` or `window`")
        used = resident() - 4 * reading.held()
        lengths = reading.lengths

        def most(part: int) -> int:  # the parts before it have been released by then
            return self.budget.counting(used, reading.held(part), *sizes)

        if most(0) < max(lengths):
            self.budget.refuse(used, *sizes, max(lengths), len(reading.lexicon))
        done = _usable_runs(work, len(lengths))
        begin = done[-1] if done else 0
        groups = group(lengths, begin, most)
        leave_out = None if self.recipe.diagonal else selection.leave_out()
        self._say(
            f"counting {sum(lengths):,} positions of {len(selection.words):,} words "
            f"in {len(groups):,} chunk{'s' * (len(groups) > 1)}"
        )
        sampling = self._sampling(reading, selection)
        dropped = 0
        if sampling is not None:
            dropped = sampled_out(range(begin), reading.fetch, selection, sampling)
        window, threads = self.recipe.known("window"), self.budget.threads
        for chunk in chunks(groups, lengths, reading.fetch, selection, window, threads, sampling):
            dropped += chunk.sampled_out
            with _core.Spare():  # the postings take the place of the parts
                reading.release(chunk.last_part)
                write = self._counter(chunk, selection, leave_out, lengths, reading.seen.tokens)
            if len(groups) == 1 and not done:
                del chunk
                return _kept(work, write, len(selection.words), in_memory), dropped
            with work.run(chunk.first_part, chunk.last_part) as folder:
                write_run(folder, write)
            del chunk, write
        folders = [folder for _, _, folder in work.finished_runs()]
        merge = merge_runs(work, folders, len(selection.words), width, self.budget, self.progress)
        return _kept(work, merge, len(selection.words), in_memory), dropped

    def _sampling(self, reading: Reading, selection: Selection) -> Sampling | None:
        """Return how frequent words are subsampled."""
        rate = self.recipe.known("subsample")
        if rate is None:
            return None
        least = selection.sampled(reading.lexicon.counts(), rate)
        return Sampling(least, reading.firsts, self.recipe.known("sampling_seed"))

    def _counter(
        self,
        chunk: Chunk,
        selection: Selection,
        leave_out: NDArray[np.int32] | None,
        lengths: Sequence[int],
        tokens: int,
    ) -> Write:
        """Sort a chunk's positions by word, and return a function that counts them."""
        before = sum(lengths[: chunk.first_part])
        own = sum(lengths[chunk.first_part : chunk.last_part])
        total = sum(lengths)
        threads = self.budget.threads
        starts, positions = _core.bucket(
            chunk.rows, chunk.begin, chunk.end, len(selection.words), threads
        )
        contexts = chunk.contexts
        left, right = self.recipe.sides
        half = selection.has_half(self.recipe)
        blocks = "window" if half else self.recipe.layout

        def step(done: int, blocks: int) -> None:
            at = before + own * done // max(blocks, 1)
            self.progress(Event("counting", at, total, tokens, "positions"))

        def write(files: _core.Files | None) -> _core.Rows:
            return _core.count_rows(
                contexts,
                selection.universe,
                len(selection.contexts),
                starts,
                positions,
                leave_out,
                left,
                [] if half else right,
                blocks,
                files,
                threads,
                step,
            )

        return write


def _usable_runs(work: Workspace, parts: int) -> list[int]:
    """Return the ends of the runs of an interrupted count, up to the first gap; remove the rest."""
    ends: list[int] = []
    for first, last, folder in work.finished_runs():
        if first == (ends[-1] if ends else 0) and last <= parts:
            ends.append(last)
        else:
            shutil.rmtree(folder)
    return ends


def _kept(work: Workspace, write: Write, rows: int, in_memory: bool) -> Rows:
    """Keep the rows that a kernel makes, in memory or in the store."""
    if in_memory:
        return keep_rows(write)
    size = write_rows(work.store, write)
    return load_rows(work.store, rows, size)
