"""Find the files of tests in folders, and make tasks of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from firth.errors import FirthError
from firth.evaluation.analogy import Analogy
from firth.evaluation.categorization import Categorization
from firth.evaluation.lines import DatasetError
from firth.evaluation.parsing import PARSERS
from firth.evaluation.protocol import Task
from firth.evaluation.registry import DATASETS, TASKS, TEN, Dataset, dataset_of
from firth.evaluation.similarity import Similarity
from firth.evaluation.synonyms import Synonyms

DEPTH = 6  # folders within folders that are looked into; an archive of SemEval's has five
_CLASSES: dict[str, Callable[[str, tuple[Any, ...]], Task]] = {
    "similarity": Similarity,
    "analogy": Analogy,
    "synonyms": Synonyms,
    "categorization": Categorization,
}
# Layouts of the halves of paper A, by task.
_HALF = {"similarity": "pairs", "analogy": "labelled questions"}
# Layouts of files of a user's own.
_OWN = {
    "similarity": "pairs",
    "analogy": "sections",
    "synonyms": "choices",
    "categorization": "members",
}


@dataclass(frozen=True)
class Found:
    """The files of a test, and their layout."""

    dataset: Dataset
    paths: tuple[Path, ...]
    layout: str
    half: str = "whole"

    def task(self) -> Task:
        """Read the files."""
        items = PARSERS[self.layout](self.paths)
        name, kind = self.dataset.name, self.dataset.task
        return _CLASSES[kind](name, items)


class DataFolders:
    """Folders that hold tests, in any of the layouts that are known.

    Names of files are matched whatever their case, in the folders and a few levels below; the
    first folder that has one counts, and in it the file least deep down.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = tuple(folders)

    @cached_property
    def _names(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in self.folders:
            if not folder.is_dir():
                raise DatasetError(f"{folder}: no such folder: name the folder of the tests")
            for name, path in _below(folder):
                found.setdefault(name, path)
        return found

    def find(self, dataset: Dataset, half: str = "whole") -> Found | None:
        """Return the files of a set, None if they are not here.

        Of halves the files that paper A used are preferred; where they are not here the whole set
        is returned, to be halved by taking every second item.
        """
        if half != "whole" and dataset.halves:
            path = self._names.get(f"{dataset.halves}.{half}.tsv".lower())
            if path is not None:
                return Found(dataset, (path,), _HALF[dataset.task], half)
        for files, layout in dataset.sources:
            paths = [self._names.get(file.lower()) for file in files]
            if all(paths):
                return Found(dataset, tuple(path for path in paths if path), layout)
        return self._both_halves(dataset)

    def _both_halves(self, dataset: Dataset) -> Found | None:
        """Find a set that is here as its two halves alone."""
        if not dataset.halves:
            return None
        names = [f"{dataset.halves}.{half}.tsv".lower() for half in ("dev", "test")]
        paths = tuple(self._names[name] for name in names if name in self._names)
        return Found(dataset, paths, _HALF[dataset.task]) if len(paths) == 2 else None

    def task(self, name: str, half: str = "whole") -> Task:
        """Return the task of a set, or say that it is not here and how to get it."""
        dataset = dataset_of(name)
        found = self.find(dataset, half)
        if found is None:
            raise DatasetError(f"{name}: not in {self.where}: {how_to_get(dataset)}")
        if len(found.paths) == 2 and found.layout in _HALF.values():
            first, second = (replace(found, paths=(path,)).task() for path in found.paths)
            task = _joined(first, second)
        else:
            task = found.task()
        return task if half in ("whole", found.half) else task.half(half)

    @property
    def where(self) -> str:
        """The folders, in words."""
        return " or ".join(str(folder) for folder in self.folders) or "any folder"


def _below(folder: Path) -> Iterable[tuple[str, Path]]:
    """Name what is in a folder, the least deep first, folders with a slash at the end.

    Files have several names: alone, with the folder they are in, with the folder of that, and on.
    """
    level = [folder]
    for _ in range(DEPTH):
        below: list[Path] = []
        for parent in level:
            try:
                entries = sorted(os.scandir(parent), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=True):
                    below.append(Path(entry.path))
                    yield f"{entry.name.lower()}/", Path(entry.path)
                else:
                    path = Path(entry.path)
                    parts = (folder.name, *path.relative_to(folder).parts)
                    for begin in reversed(range(len(parts))):
                        yield "/".join(parts[begin:]).lower(), path
        level = below


def _joined(first: Task, second: Task) -> Task:
    if isinstance(first, Similarity) and isinstance(second, Similarity):
        return replace(first, pairs=first.pairs + second.pairs)
    assert isinstance(first, Analogy)
    assert isinstance(second, Analogy)
    return replace(first, questions=first.questions + second.questions)


def how_to_get(dataset: Dataset) -> str:
    """Say how a set is come by."""
    if dataset.download:
        return f"firth data get {dataset.name}"
    if "not freely" in dataset.licence:
        return f"bring your own file ({dataset.licence}; {dataset.page})"
    return f"bring your own file ({dataset.page})"


def data_folders(given: Sequence[Path] = ()) -> list[Path]:
    """Return the folders to look in: those given, else FIRTH_DATA, and what was downloaded.

    A folder that FIRTH_DATA names may yet be to come: the first download makes it.
    """
    if given:
        return list(given)
    named = os.environ.get("FIRTH_DATA")
    folders = [Path(named)] if named and Path(named).exists() else []
    cache = cache_folder()
    if cache.is_dir():
        folders.append(cache)
    if not folders:
        missing = f"{named}, which FIRTH_DATA names, is not there: " if named else ""
        raise FirthError(f"no folder of tests: {missing}name one with --data or FIRTH_DATA, or "
                         "fetch a test with firth data get")  # fmt: skip
    return folders


def cache_folder() -> Path:
    """Return where downloads are kept: FIRTH_CACHE, else the user's cache folder."""
    named = os.environ.get("FIRTH_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "firth" / "data"


def tasks_of(
    suite: Sequence[str], folders: DataFolders, half: str = "whole", rules: Sequence[str] = ("add",)
) -> list[Task]:
    """Return the tasks of a suite.

    Parameters
    ----------
    suite
        Names of sets; of tasks, for all their sets that are here; ``all``; ``ten``; or
        ``task:file`` for a test of one's own, as in ``similarity:pairs.tsv``, which is named after
        its file, or by its path where names repeat.
    folders
        Where to look.
    half
        ``whole``, ``dev`` or ``test``.
    rules
        Of the analogies: ``add``, ``cosmul`` or both. Categorisation is always done both ways.
    """
    tasks: list[Task] = []
    names = list(dict.fromkeys(name for part in suite for name in _named(part, folders, half)))
    stems = Counter(Path(name.partition(":")[2] or name).stem for name in names)
    for name in names:
        kind, _, file = name.partition(":")
        task = _own(kind, Path(file), half) if file else folders.task(name, half)
        if file and stems[task.name] > 1:  # two of one name would be one line of a report
            task = replace(task, name=file)
        if isinstance(task, Analogy):
            tasks += [replace(task, rule=rule) for rule in rules]
        elif isinstance(task, Categorization):
            tasks += [replace(task, by=by) for by in ("k-means", "ward")]
        else:
            tasks.append(task)
    return tasks


def _named(part: str, folders: DataFolders, half: str) -> list[str]:
    """Return the sets that a part of a suite stands for."""
    if part == "ten":
        return [*TEN]
    if ":" in part:
        return [part]
    if part not in (*TASKS, "all"):
        return [dataset_of(part).name]
    here = [
        name
        for name, dataset in DATASETS.items()
        if part in (dataset.task, "all") and folders.find(dataset, half)
    ]
    if not here:
        kind = "" if part == "all" else f"{part} "
        raise DatasetError(f"no {kind}test in {folders.where}: see firth data list")
    return here


def _own(kind: str, path: Path, half: str) -> Task:
    """Read a test of somebody's own, which is named after its file."""
    if kind not in _OWN:
        raise DatasetError(f"{kind[:40]!r} is not a task: choose one of {', '.join(_OWN)}")
    blank = Dataset(name=path.stem, task=kind, items=0, sources=(), citation="", page="")
    task = Found(blank, (path,), _OWN[kind]).task()
    return task if half == "whole" else task.half(half)
