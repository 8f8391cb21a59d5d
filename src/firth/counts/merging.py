"""Adding count matrices: the runs of one count, or the counts of several corpora."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from firth import _core
from firth.counts.arrays import (
    LIMIT,
    Write,
    keep_rows,
    load_rows,
    open_run,
    write_rows,
    write_run,
)
from firth.counts.budget import Budget
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe
from firth.counts.store import check_target, load, load_checked, write_description
from firth.counts.workspace import Workspace
from firth.errors import FirthError, StoreError
from firth.progress import Event, Progress
from firth.resources import Resources, accept_former_keywords, resident
from firth.stores.arrays import OFFSET
from firth.stores.workspace import workspace_for
from firth.stores.writing import naming_write_errors
from firth.text.vocabulary import UNKNOWN, Vocabulary

MOST_RUNS = 64  # merged at a time: two or three open files each, below any limit that is usual
DIFFERENT_VOCABULARIES = (
    "a sum over different vocabularies: not what counting the joined corpus would give"
)
# What must agree for a sum to mean anything.
_SAME = ("window", "weighting", "context", "rare", "diagonal")


def merge_runs(
    work: Workspace,
    folders: Sequence[Path],
    rows: int,
    width: int,
    budget: Budget,
    progress: Progress,
) -> Write:
    """Return what adds up the runs of one count, after reducing them to a few."""
    folders = list(folders)
    while len(folders) > MOST_RUNS:
        some = folders[:MOST_RUNS]
        first, last = some[0].name.partition("-")[0], some[-1].name.partition("-")[2]
        merge = merge_runs(work, some, rows, width, budget, progress)
        with work.run(int(first), int(last)) as folder:
            write_run(folder, merge)
        for path in some:
            shutil.rmtree(path)
        folders = [*folders[MOST_RUNS:]]
        folders.insert(0, work.runs / f"{first}-{last}")

    def step(done: int, blocks: int) -> None:
        progress(Event("merging", done, blocks, 0, "blocks"))

    def write(files: _core.Files | None) -> _core.Rows:
        batch = budget.batch(resident(), width, len(folders))
        with ExitStack() as stack:
            runs = [stack.enter_context(open_run(path)) for path in folders]
            with _kernel_said():
                return _core.merge_runs(
                    runs, OFFSET, rows, width, LIMIT, batch, files, budget.threads, step
                )

    return write


@contextmanager
def _kernel_said() -> Iterator[None]:
    """Turn the kernel's errors about merging into ours."""
    try:
        yield
    except OverflowError:
        raise FirthError(
            "a count passes 2^63 units: use flat or linear weighting, or a smaller window"
        ) from None
    except ValueError as error:
        raise StoreError(f"cannot merge: {error}") from None


def add(many: Sequence[Counts], resources: Resources | None = None) -> Counts:
    """Add counts exactly, over the union of their vocabularies."""
    used = resources or Resources()
    return _sum(many, Budget.of(used), used.progress, None)


@accept_former_keywords
def merge(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    force: bool = False,
    resources: Resources | None = None,
) -> Counts:
    """Add stores into a new store, in bounded memory.

    Parameters
    ----------
    paths
        Two or more stores of counts.
    out
        The new store; `force` replaces an earlier one.
    resources
        As for `firth.count`.
    """
    used = resources or Resources()
    budget, progress = Budget.of(used), used.progress
    target = Path(out)
    check_target(target, force)
    folder = workspace_for(target)
    with Workspace(folder, force=force) as work, naming_write_errors(target):
        few = _reduced([Path(path) for path in paths], budget, progress, work)
        _sum([load_checked(path) for path in few], budget, progress, work.store)
        if force:  # someone may have put something there meanwhile
            check_target(target, force)
        work.publish(target, replace=force)
    return load(target)


def _reduced(paths: list[Path], budget: Budget, progress: Progress, work: Workspace) -> list[Path]:
    """Add up the first stores until few enough are left to have them all open."""
    done = 0
    while len(paths) > MOST_RUNS:
        some, paths = paths[:MOST_RUNS], paths[MOST_RUNS:]
        done += 1
        with work.run(0, done) as folder:
            _sum([load_checked(path) for path in some], budget, progress, folder)
        if done > 1:
            shutil.rmtree(some[0])  # the sum of those before
        paths.insert(0, work.runs / folder.with_suffix("").name)
    return paths


def _sum(many: Sequence[Counts], budget: Budget, progress: Progress, folder: Path | None) -> Counts:
    recipe = _common_recipe(many)
    first = many[0]
    words = _union([counts.words for counts in many])
    contexts = words if _all_same(many) else _union([counts.contexts for counts in many])
    blocks = max(1, len(first.offsets))
    width = len(contexts) * blocks
    if width >= 2**31:
        raise FirthError(f"{width:,} columns are too many: merge counts of fewer contexts")
    threads = budget.merging_threads(resident(), width)
    sources = [_source(counts, words, contexts, blocks) for counts in many]

    def step(done: int, all_: int) -> None:
        progress(Event("merging", done, all_, 0, "blocks"))

    def write(files: _core.Files | None) -> _core.Rows:
        with _kernel_said():
            return _core.merge_rows(sources, len(words), width, LIMIT, files, threads, step)

    if folder is None:
        rows = keep_rows(write)
    else:
        rows = load_rows(folder, len(words), write_rows(folder, write))
    ledger = first.ledger
    for counts in many[1:]:
        ledger = ledger + counts.ledger
    if len({_vocabularies(counts) for counts in many}) > 1:
        notes = dict.fromkeys((*ledger.notes, DIFFERENT_VOCABULARIES))
        ledger = replace(ledger, notes=tuple(notes))
    # Words that were not kept may be the same ones: how many there are in all is not known.
    ledger = replace(ledger, types=0, kept_types=len(set(words) | set(contexts)))
    result = Counts(words, contexts, first.scale, first.offsets, recipe, ledger, *rows)
    if folder is not None:
        write_description(folder, result)
    return result


def _vocabularies(counts: Counts) -> tuple[frozenset[str], frozenset[str]]:
    """Return what must be the same for a sum to be a joined count; <unk> stands for the rest."""
    return frozenset(counts.words) - {UNKNOWN}, frozenset(counts.contexts) - {UNKNOWN}


def _all_same(many: Sequence[Counts]) -> bool:
    return all(counts.words == counts.contexts for counts in many)


def _common_recipe(many: Sequence[Counts]) -> Recipe:
    if len(many) < 2:
        raise FirthError("a sum needs two or more counts: name another")
    first = many[0]
    for counts in many[1:]:
        for name in _SAME:
            a, b = getattr(first.recipe, name), getattr(counts.recipe, name)
            if a != b:
                raise FirthError(
                    f"counts of different {name} cannot be added: the first has {a!r}, another "
                    f"{b!r}: count again with the same"
                )
        offsets = {c.recipe.source for c in (first, counts) if c.recipe.source.startswith("offset")}
        if len(offsets) > 1 or (offsets and counts.recipe.source != first.recipe.source):
            raise FirthError(
                "counts of one offset can be added only to counts of the same offset: take the "
                "same block of both"
            )
        if counts.scale != first.scale or counts.offsets != first.offsets:
            raise FirthError(
                f"counts of different scale cannot be added: 1/{first.scale} and "
                f"1/{counts.scale}: make them with one scale"
            )
    source = first.recipe.source if first.recipe.source.startswith("offset") else "sum"
    if all(counts.recipe == first.recipe for counts in many):
        return replace(first.recipe, source=source)
    same = {
        name: getattr(first.recipe, name)
        for name in Recipe.__dataclass_fields__
        if all(getattr(c.recipe, name) == getattr(first.recipe, name) for c in many)
    }
    return Recipe(**{**same, "source": source})


def _union(vocabularies: Sequence[Vocabulary]) -> Vocabulary:
    frequencies: dict[str, int] = {}
    for vocabulary in vocabularies:
        for word, count in zip(vocabulary.words, vocabulary.frequencies.tolist(), strict=True):
            frequencies[word] = frequencies.get(word, 0) + count
    if any(count > LIMIT for count in frequencies.values()):
        raise FirthError("a word's frequency passes 2^63: add fewer counts")
    return Vocabulary.sort(frequencies)


def _source(counts: Counts, words: Vocabulary, contexts: Vocabulary, blocks: int) -> dict[str, Any]:
    """Describe counts to the kernel, with where its rows and columns go."""
    starts, columns, values = counts.rows()
    own = counts.words.index
    row_of = np.array([own.get(word, -1) for word in words], dtype=np.int64)
    place = contexts.index
    one = np.array([place[word] for word in counts.contexts], dtype=np.int32)
    shifts = np.arange(blocks, dtype=np.int32) * len(contexts)
    return {
        "starts": starts,
        "columns": columns,
        "values": values,
        "wide": values.dtype == np.uint64,
        "rows": len(counts.words),
        "width": counts.shape[1],
        "row_of": row_of,
        "column_to": (shifts[:, None] + one[None, :]).ravel(),
    }
