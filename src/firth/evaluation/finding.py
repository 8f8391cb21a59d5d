"""Find the files of tests in folders, and read them as tasks."""

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

DEPTH = 6  # levels of folders that are searched; an archive of SemEval has five
_CLASSES: dict[str, Callable[[str, tuple[Any, ...]], Task]] = {
    "similarity": Similarity,
    "analogy": Analogy,
    "synonyms": Synonyms,
    "categorization": Categorization,
}
# The layouts of the halves of paper A, by task.
_HALF = {"similarity": "pairs", "analogy": "labelled questions"}
# The layouts of files that users bring.
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
    r"""Folders that hold tests, in any of the known layouts.

    File names are matched without regard to case, in the folders and a few levels below. The first
    folder that has a file is used, and in it the file at the highest level.

    Parameters
    ----------
    folders
        Where to look, in order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from firth.evaluation import DataFolders
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rg65.tsv").write_text("cord\tsmile\t0.02\ngem\tjewel\t3.94\n")
    >>> DataFolders([folder]).task("rg65").size
    2
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = tuple(folders)

    @cached_property
    def _names(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in self.folders:
            if not folder.is_dir():
                raise DatasetError(f"{folder}: no such folder: check the name")
            for name, path in _below(folder):
                found.setdefault(name, path)
        return found

    def find(self, dataset: Dataset, half: str = "whole") -> Found | None:
        """Return the files of a set, or None if they are not found.

        For a half, the files that paper A used are preferred. If they are not found, the whole set
        is returned, which `task` halves by taking every second item.
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
        """Find a set of which only the two halves are there."""
        if not dataset.halves:
            return None
        names = [f"{dataset.halves}.{half}.tsv".lower() for half in ("dev", "test")]
        paths = tuple(self._names[name] for name in names if name in self._names)
        return Found(dataset, paths, _HALF[dataset.task]) if len(paths) == 2 else None

    def task(self, name: str, half: str = "whole") -> Task:
        """Return the task of a set; an error says how to get a set that is not found."""
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
        """The folders, as a message names them."""
        return " or ".join(str(folder) for folder in self.folders) or "any folder"


def _below(folder: Path) -> Iterable[tuple[str, Path]]:
    """Yield names and paths of what is in a folder, level by level; folders end in a slash.

    A file has several names: its own, with its folder, with the folder of that, and so on.
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
    """Say how to obtain a data set."""
    if dataset.download:
        return f"firth data get {dataset.name}"
    if "not freely" in dataset.licence:
        return f"bring your own file ({dataset.licence}; {dataset.page})"
    return f"bring your own file ({dataset.page})"


def data_folders(given: Sequence[Path] = ()) -> list[Path]:
    """Return the folders to look in: those given, else FIRTH_DATA and the download folder.

    The folder that FIRTH_DATA names need not exist yet: the first download makes it.
    """
    if given:
        return list(given)
    named = os.environ.get("FIRTH_DATA")
    folders = [Path(named)] if named and Path(named).exists() else []
    cache = cache_folder()
    if cache.is_dir():
        folders.append(cache)
    if not folders:
        missing = f"{named}, which FIRTH_DATA names, does not exist: " if named else ""
        raise FirthError(f"no folder of tests: {missing}give one as `data` or in FIRTH_DATA, or "
                         "download a test with firth data get")  # fmt: skip
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
    r"""Return the tasks that a suite names.

    Parameters
    ----------
    suite
        Names of sets; tasks, for all their sets that are found; ``all``; ``ten``; or ``task:FILE``
        for a test of your own, as in ``similarity:pairs.tsv``. It is called by the name of its
        file, or by its path if names repeat.
    folders
        Where to look.
    half
        ``whole``, ``dev`` or ``test``.
    rules
        For analogies: ``add``, ``cosmul`` or both. Categorisation is always done both ways.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from firth.evaluation import DataFolders, tasks_of
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.tsv"
    >>> _ = path.write_text("cat\tdog\t9\ncat\tsun\t1\n")
    >>> [task.name for task in tasks_of([f"similarity:{path}"], DataFolders([]))]
    ['pets']
    """
    tasks: list[Task] = []
    names = list(dict.fromkeys(name for part in suite for name in _named(part, folders, half)))
    stems = Counter(Path(name.partition(":")[2] or name).stem for name in names)
    for name in names:
        kind, _, file = name.partition(":")
        task = _own(kind, Path(file), half) if file else folders.task(name, half)
        if file and stems[task.name] > 1:  # a report has one line per name
            task = replace(task, name=file)
        if isinstance(task, Analogy):
            tasks += [replace(task, rule=rule) for rule in rules]
        elif isinstance(task, Categorization):
            tasks += [replace(task, by=by) for by in ("k-means", "ward")]
        else:
            tasks.append(task)
    return tasks


def _named(part: str, folders: DataFolders, half: str) -> list[str]:
    """Return the sets that a part of a suite names."""
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
    """Read a test of the user's own, which is named after its file."""
    if kind not in _OWN:
        raise DatasetError(f"{kind[:40]!r} is not a task: choose one of {', '.join(_OWN)}")
    blank = Dataset(name=path.stem, task=kind, items=0, sources=(), citation="", page="")
    task = Found(blank, (path,), _OWN[kind]).task()
    return task if half == "whole" else task.half(half)
