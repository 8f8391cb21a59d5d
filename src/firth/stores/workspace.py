"""The folder in which an output is made: beside it, locked, renamed to it as the last act.

For the output ``OUT`` it is ``OUT.partial``, which holds a plan, a lock, the new store under
``store`` and, for the moment in which both change places, the one that is replaced under ``old``.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from firth.errors import StoreError
from firth.stores.locking import LOCK, FolderLock
from firth.stores.writing import (
    check_free,
    check_parent,
    fsync_folder,
    naming_write_errors,
    write_whole,
)

SUFFIX = ".partial"
PLAN = "plan.json"
FORMAT = {"format": "firth-partial", "version": 2}


def workspace_for(path: Path) -> Path:
    """Return the folder in which the output ``path`` is made."""
    if not path.name:
        raise StoreError(f"{path}: not a name for an output: choose another")
    return path.with_name(path.name + SUFFIX)


class Workspace:
    """A locked folder in which one run makes its output.

    It is removed at the end of the ``with`` block, unless `keeps` says that a later run can
    continue from it.

    Parameters
    ----------
    folder
        Where to work; None for a temporary folder that is removed in any case.
    plan
        What is made and from what. A run continues only work with the same plan, and only if the
        plan has ``inputs`` that can be read again.
    resume
        Continue from what an interrupted run left, if anything.
    force
        Discard what an interrupted run left.
    """

    def __init__(
        self,
        folder: Path | None,
        plan: Mapping[str, Any] | None = None,
        *,
        resume: bool = False,
        force: bool = False,
    ) -> None:
        plan = plan or {}
        self._resumable = _resumable(plan)
        self._lock: FolderLock | None = None
        self._made: list[Path] = []  # parent folders made for this one
        if folder is None:
            self.path = Path(tempfile.mkdtemp(prefix="firth-"))
            self._make_folders()
            return
        self.path = folder
        with naming_write_errors(folder):
            self._made = [above for above in folder.parents if not above.exists()]
            folder.parent.mkdir(parents=True, exist_ok=True)
            had = folder.exists()
            if had and not _is_ours(folder):
                raise StoreError(f"{folder}: in the way, and not made by firth: move it")
            folder.mkdir(exist_ok=True)
            self._lock = FolderLock(folder)
        try:
            with naming_write_errors(folder):
                self._settle(plan, resume, force)
                self._make_folders()
        except BaseException:
            if not had:
                self._remove()
            self._lock.release()
            raise

    def _settle(self, plan: Mapping[str, Any], resume: bool, force: bool) -> None:
        """Take over what an earlier run left, clear it away, or refuse to."""
        new = json.dumps({**FORMAT, **plan}, sort_keys=True)
        found = self.path / PLAN
        old = found.read_text(encoding="utf-8", errors="replace") if found.exists() else None
        begun = json.loads(old) if old is not None else {}
        self._put_back()
        if not _resumable(begun):
            old = None  # a merge, or standard input: there is nothing to continue from
        if old is not None and not (resume or force):
            raise StoreError(
                f"{self.path} holds an interrupted run: continue it with `resume=True`, or start "
                "anew with `force=True`"
            )
        if old is not None and resume and old != new and not force:
            same = FORMAT.items() <= begun.items()
            other = "with other options or other text" if same else "of another version of firth"
            raise StoreError(f"{self.path} is from a run {other}: start anew with `force=True`")
        if resume and old == new:
            return
        self.clear()
        self.store.mkdir()
        write_whole(found, new)

    def _make_folders(self) -> None:
        """Make the folders that a run writes to."""
        self._empty_store()

    def _empty_store(self) -> None:
        """Empty the folder of the new store; it is gone only once the store is in place."""
        self.store.mkdir(exist_ok=True)
        for path in self.store.iterdir():
            path.unlink()

    @property
    def store(self) -> Path:
        """The folder in which the new store is made."""
        return self.path / "store"

    def clear(self) -> None:
        """Remove what earlier work left here, except the lock."""
        for path in self.path.iterdir():
            if path.name == LOCK:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def keeps(self, error: BaseException) -> bool:
        """Whether the folder stays after an error because a later run can continue from it."""
        del error
        return False

    def publish(self, target: Path, replace: bool) -> None:
        """Rename the finished store into place; with `replace` it replaces an earlier one."""
        fsync_folder(self.store)
        with naming_write_errors(target):
            if target.exists():
                if not replace:
                    raise StoreError(f"{target}: appeared during the run: nothing was replaced")
                old = self.path / "old"
                target.rename(old)
                try:
                    self.store.rename(target)
                except BaseException:
                    old.rename(target)
                    raise
                shutil.rmtree(old, ignore_errors=True)
            else:
                self.store.rename(target)
            fsync_folder(target.parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the folder, unless `keeps` says otherwise, and release the lock."""
        try:
            if error is None:
                shutil.rmtree(self.path, ignore_errors=True)
            elif self.keeps(error):
                with suppress(OSError):
                    self._empty_store()
            else:
                self._remove()
        finally:
            if self._lock is not None:
                self._lock.release()

    def _remove(self) -> None:
        """Remove the folder, and the parent folders that were made for it."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            for above in self._made:
                above.rmdir()

    def _put_back(self) -> None:
        """Undo the half of a replacement that a killed run may have left."""
        old, target = self.path / "old", self.path.with_name(self.path.name.removesuffix(SUFFIX))
        if old.is_dir() and not target.exists():
            old.rename(target)


@contextmanager
def write_folder(path: Path, names: Collection[str], *, force: bool) -> Iterator[Path]:
    """Give a folder to write files in, which becomes ``path`` if the block succeeds.

    Parameters
    ----------
    path
        The folder to write.
    names
        The file names that an earlier folder may hold, and no others, to be replaced.
    force
        Replace an earlier folder.

    Examples
    --------
    >>> out = Path(tempfile.mkdtemp()) / "out"
    >>> with write_folder(out, {"a.txt"}, force=False) as folder:
    ...     _ = (folder / "a.txt").write_text("whole")
    ...     out.exists()
    False
    >>> (out / "a.txt").read_text()
    'whole'
    """
    _check_replaceable(path, names, force)
    check_parent(path)
    with Workspace(workspace_for(path), force=force) as work, naming_write_errors(path):
        yield work.store
        for file in work.store.iterdir():
            fsync_folder(file)
        _check_replaceable(path, names, force)  # it may have appeared since
        work.publish(path, replace=force)


def _check_replaceable(path: Path, names: Collection[str], force: bool) -> None:
    """Raise if a folder is in the way, or holds files that firth has not written."""
    check_free(path, force)
    if not path.exists():
        return
    if path.is_symlink() or not path.is_dir() or {file.name for file in path.iterdir()} - {*names}:
        raise StoreError(
            f"{path}: holds more than {' and '.join(sorted(names))}: choose another name"
        )


def _is_ours(folder: Path) -> bool:
    """Whether firth made a folder: it holds a plan of ours, or only what comes before that."""
    names = {path.name for path in folder.iterdir()}
    if names <= {LOCK, PLAN + ".writing", "store"}:
        empty = "store" not in names or not any((folder / "store").iterdir())
        return empty and (LOCK not in names or (folder / LOCK).stat().st_size == 0)
    try:
        plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(plan, dict) and plan.get("format") == FORMAT["format"]


def is_over(folder: Path) -> bool:
    """Whether no run is under way here, or one was killed after it had put its store into place."""
    return not folder.exists() or (
        (folder / PLAN).is_file() and not (folder / "store").exists()  # only that takes it away
    )


def _resumable(plan: Mapping[str, Any]) -> bool:
    return plan.get("inputs") is not None
