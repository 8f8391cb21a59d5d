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
from firth.counts.blocks import Blocks, block_name
from firth.counts.budget import Budget
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe
from firth.counts.stated import together
from firth.counts.store import check_target, load, load_checked, write_description
from firth.counts.workspace import Workspace
from firth.errors import FirthError, StoreError
from firth.progress import Event, Progress
from firth.resources import Resources, accept_former_keywords, resident
from firth.stores.arrays import OFFSET
from firth.stores.workspace import workspace_for
from firth.stores.writing import naming_write_errors
from firth.text.vocabulary import PLACEHOLDER, Vocabulary, in_order

MOST_RUNS = 64  # merged at a time: two or three open files each, below the usual limits
DIFFERENT_VOCABULARIES = (
    "a sum over different vocabularies: counting the joined corpus would give other counts"
)
# Settings that must agree: a sum of counts of different kinds has no meaning.
_SAME = ("window", "weighting", "context", "rare", "diagonal")


def merge_runs(
    work: Workspace,
    folders: Sequence[Path],
    rows: int,
    width: int,
    budget: Budget,
    progress: Progress,
) -> Write:
    """Return a function that adds up the runs of one count, after merging them to a few."""
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
            with _translated_faults():
                return _core.merge_runs(
                    runs, OFFSET, rows, width, LIMIT, batch, files, budget.threads, step
                )

    return write


@contextmanager
def _translated_faults() -> Iterator[None]:
    """Translate the kernel's errors about merging."""
    try:
        yield
    except OverflowError:
        raise FirthError(
            "a count passes 2^63 units: count with flat or linear weighting, or a smaller window"
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
    """Add stores of counts into a new store, in bounded memory.

    Parameters
    ----------
    paths
        Two or more stores of counts. They must have been counted with the same window, weighting,
        context, diagonal and rare words; where they differ otherwise, the recipe of the sum states
        the values of all of them.
    out
        The folder to write the sum to.
    force
        Replace an earlier store.
    resources
        As for `firth.count`.

    Returns
    -------
    Counts
        The sum, mapped from `out`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import firth
    >>> folder = Path(tempfile.mkdtemp())
    >>> firth.count(["a rose"], min_count=1).save(folder / "one")
    >>> firth.count(["a rose", "a rose"], min_count=2).save(folder / "two")
    >>> total = firth.merge([folder / "one", folder / "two"], folder / "sum")
    >>> total.row("a"), total.recipe.min_count
    ([('rose', 3.0)], Mixed(values=(1, 2)))
    """
    if isinstance(paths, str | Path):
        raise FirthError(f"`paths` must be a list of two or more stores, not {str(paths)!r:.60}")
    if len(paths) < 2:
        raise _too_few()
    used = resources or Resources()
    budget, progress = Budget.of(used), used.progress
    target = Path(out)
    check_target(target, force)
    folder = workspace_for(target)
    with Workspace(folder, force=force) as work, naming_write_errors(target):
        few = _reduced([Path(path) for path in paths], budget, progress, work)
        _sum([load_checked(path) for path in few], budget, progress, work.store)
        if force:  # something else may have appeared there since
            check_target(target, force)
        work.publish(target, replace=force)
    return load(target)


def _reduced(paths: list[Path], budget: Budget, progress: Progress, work: Workspace) -> list[Path]:
    """Add up the first stores until few enough are left to open all of them."""
    done = 0
    while len(paths) > MOST_RUNS:
        some, paths = paths[:MOST_RUNS], paths[MOST_RUNS:]
        done += 1
        with work.run(0, done) as folder:
            _sum([load_checked(path) for path in some], budget, progress, folder)
        if done > 1:
            shutil.rmtree(some[0])  # the sum of the stores before
        paths.insert(0, work.runs / folder.with_suffix("").name)
    return paths


def _sum(many: Sequence[Counts], budget: Budget, progress: Progress, folder: Path | None) -> Counts:
    recipe = _common_recipe(many)
    first = many[0]
    words = _union([counts.words for counts in many])
    contexts = words if _all_same(many) else _union([counts.contexts for counts in many])
    half = all(counts.half for counts in many)
    blocks = 1 if half else max(1, len(first.offsets))
    width = len(contexts) * blocks
    if width >= 2**31:
        raise FirthError(f"{width:,} columns are too many: merge counts of fewer contexts")
    threads = budget.merging_threads(resident(), width)
    sources = [_source(counts, words, contexts, half) for counts in many]

    def step(done: int, all_: int) -> None:
        progress(Event("merging", done, all_, 0, "blocks"))

    def write(files: _core.Files | None) -> _core.Rows:
        with _translated_faults():
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
    # The parts may have left out the same words, so the number of distinct words is not known.
    ledger = replace(ledger, types=0, kept_types=len(set(words) | set(contexts)))
    # The sum of counts that are not symmetric can be symmetric.
    symmetric = True if all(counts.symmetric for counts in many) else None
    known = words, contexts, first.denominator, first.offsets, recipe, ledger
    result = Counts(*known, *rows, symmetric, half)
    if folder is not None:
        write_description(folder, result)
    return result


def _vocabularies(counts: Counts) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that must agree if the sum is to equal the counts of the joined corpus."""
    return frozenset(counts.words) - {PLACEHOLDER}, frozenset(counts.contexts) - {PLACEHOLDER}


def _all_same(many: Sequence[Counts]) -> bool:
    return all(counts.words == counts.contexts for counts in many)


def _common_recipe(many: Sequence[Counts]) -> Recipe:
    """Check that counts can be added, and return the recipe of their sum."""
    if len(many) < 2:
        raise _too_few()
    first = many[0]
    for counts in many[1:]:
        for name in _SAME:
            a, b = getattr(first.recipe, name), getattr(counts.recipe, name)
            if a != b:
                raise FirthError(
                    f"counts of different {name} cannot be added: the first has {a}, another {b}: "
                    "count again with the same, or state it in the recipe of a matrix"
                )
        if counts.recipe.offset != first.recipe.offset:
            raise FirthError(
                "counts of one offset can be added only to counts of the same offset: take the "
                "same block of both"
            )
        if counts.denominator != first.denominator:
            raise FirthError(
                "counts of different denominators cannot be added: they are in units of "
                f"1/{first.denominator} and of 1/{counts.denominator}: make them with one "
                "`denominator`"
            )
        if counts.offsets != first.offsets:
            raise FirthError(
                "counts with different blocks of columns cannot be added: they have "
                f"{_listed(first.offsets)} and {_listed(counts.offsets)}: count again with the "
                "same window"
            )
    offset = first.recipe.offset
    stated = {
        name: together(getattr(counts.recipe, name) for counts in many)
        for name in Recipe.__dataclass_fields__
    }
    return Recipe(**{**stated, "source": "sum" if offset is None else f"offset {offset:+d}"})


def _too_few() -> FirthError:
    return FirthError("a sum needs two or more counts: give another")


def _listed(blocks: Blocks) -> str:
    return ", ".join(map(block_name, blocks)) or "none"


def _union(vocabularies: Sequence[Vocabulary]) -> Vocabulary:
    frequencies: dict[str, int] = {}
    for vocabulary in vocabularies:
        for word, count in zip(vocabulary.words, vocabulary.frequencies.tolist(), strict=True):
            frequencies[word] = frequencies.get(word, 0) + count
    if any(count > LIMIT for count in frequencies.values()):
        raise FirthError("a word's frequency passes 2^63: add fewer counts")
    return Vocabulary.unchecked(*in_order(frequencies))


def _source(counts: Counts, words: Vocabulary, contexts: Vocabulary, half: bool) -> dict[str, Any]:
    """Describe counts to the kernel, with the places of their rows and columns in the sum."""
    starts, columns, values = counts.stored() if half else counts.csr()
    own = counts.words.index
    row_of = np.array([own.get(word, -1) for word in words], dtype=np.int64)
    place = contexts.index
    one = np.array([place[word] for word in counts.contexts], dtype=np.int32)
    blocks = 1 if half else max(1, len(counts.offsets))
    shifts = np.arange(blocks, dtype=np.int32) * len(contexts)
    return {
        "starts": starts,
        "columns": columns,
        "values": values,
        "wide": values.dtype == np.uint64,
        "rows": len(counts.words),
        "width": len(counts.contexts) * blocks,
        "row_of": row_of,
        "column_to": (shifts[:, None] + one[None, :]).ravel(),
    }
