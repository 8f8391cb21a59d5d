"""The folder a run works in: private, locked, kept after an interruption, gone at the end.

Beside the output ``OUT`` it is ``OUT.partial``. Parts of tokenised text and runs of counted rows
are written aside and renamed, so that whatever is there under its own name is whole. The finished
store is made inside and renamed to ``OUT`` as the last act.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from firth.errors import CorpusError, StoreError
from firth.writing import another_run, fsync_folder, said, write_whole

SUFFIX = ".partial"
_PLAN = "plan.json"
_FORMAT = {"format": "firth-partial", "version": 2}


class Workspace:
    """A locked folder for the files of one run.

    Parameters
    ----------
    folder
        Where to work; None for a temporary folder that is removed in any case.
    plan
        What is being made, and from what: a run resumes only what has the same plan.
    resume
        Continue from what an interrupted run left, if anything.
    force
        Discard what an interrupted run left.
    """

    def __init__(
        self, folder: Path | None, plan: dict[str, Any], resume: bool, force: bool
    ) -> None:
        self.temporary = folder is None
        self._resumable = _resumable(plan)
        self._lock: int | None = None
        self._made: list[Path] = []  # folders above, made for this one
        if folder is None:
            self.path = Path(tempfile.mkdtemp(prefix="firth-"))
            self._make_folders()
            return
        self.path = folder
        with said(folder):
            self._made = [above for above in folder.parents if not above.exists()]
            folder.parent.mkdir(parents=True, exist_ok=True)
            had = folder.exists()
            if had and not _is_ours(folder):
                raise StoreError(f"{folder}: in the way, and not firth's to remove: move it")
            folder.mkdir(exist_ok=True)
        self._take_lock()
        try:
            self._settle(plan, resume, force)
            self._make_folders()
        except BaseException:
            if not had:
                self._remove()
            self._drop_lock()
            raise

    def _settle(self, plan: dict[str, Any], resume: bool, force: bool) -> None:
        """Take over what is here, or clear it away, or refuse to."""
        new = json.dumps({**_FORMAT, **plan}, sort_keys=True)
        found = self.path / _PLAN
        old = found.read_text(encoding="utf-8", errors="replace") if found.exists() else None
        begun = json.loads(old) if old is not None else {}
        self._put_back()
        if not _resumable(begun):
            old = None  # a merge, or standard input: there is nothing to go on from
        if old is not None and not (resume or force):
            raise StoreError(
                f"{self.path} holds an interrupted run: continue it with --resume, or start anew "
                "with --force"
            )
        if old is not None and resume and old != new and not force:
            same = _FORMAT.items() <= begun.items()
            other = "with other options or other text" if same else "of another version of firth"
            raise StoreError(f"{self.path} is from a run {other}: start anew with --force")
        if resume and old == new:
            return
        with said(self.path):
            self.clear()
            self.store.mkdir()
            write_whole(found, new)

    def _make_folders(self) -> None:
        with said(self.path):
            self.parts.mkdir(exist_ok=True)
            self.runs.mkdir(exist_ok=True)
            for aside in (*self.parts.glob("*.writing"), *self.runs.glob("*.writing")):
                shutil.rmtree(aside) if aside.is_dir() else aside.unlink()
            self._empty_store()

    def _empty_store(self) -> None:
        """Leave nothing of the new store but its folder, which is gone only once it is in place."""
        self.store.mkdir(exist_ok=True)
        for path in self.store.iterdir():
            path.unlink()

    def _take_lock(self) -> None:
        with said(self.path):
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A run that ends takes its lock away; what was opened before that is no one's.
            if not os.path.samestat(os.fstat(self._lock), (self.path / "lock").stat()):
                raise BlockingIOError
        except OSError:
            self._drop_lock()
            raise another_run(self.path) from None

    def _drop_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def parts(self) -> Path:
        """The folder of tokenised parts."""
        return self.path / "parts"

    @property
    def runs(self) -> Path:
        """The folder of counted runs."""
        return self.path / "runs"

    @property
    def store(self) -> Path:
        """The folder in which the new store is made."""
        return self.path / "store"

    def part(self, number: int) -> Path:
        """Return the file of one part."""
        return self.parts / f"{number:09d}.npz"

    def finished_runs(self) -> list[tuple[int, int, Path]]:
        """Return the runs that are whole: first part, last part, folder; in order.

        A run that others were merged into comes before them: those may be half removed.
        """
        found = []
        for path in self.runs.iterdir():
            match = re.fullmatch(r"(\d{9})-(\d{9})", path.name)
            if match:
                found.append((int(match[1]), int(match[2]), path))
        return sorted(found, key=lambda run: (run[0], -run[1]))

    @contextmanager
    def run(self, first: int, last: int) -> Iterator[Path]:
        """Give a folder to write one run in; it counts only if all goes well."""
        path = self.runs / f"{first:09d}-{last:09d}"
        aside = path.with_suffix(".writing")
        if aside.exists():
            shutil.rmtree(aside)
        aside.mkdir()
        yield aside
        aside.rename(path)
        fsync_folder(self.runs)

    def clear(self) -> None:
        """Remove what earlier work left here, except the lock."""
        for path in self.path.iterdir():
            if path.name == "lock":
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def holds_work(self) -> bool:
        """Whether anything here would spare a later run work."""
        return self._resumable and (any(self.parts.glob("*.npz")) or bool(self.finished_runs()))

    def publish(self, target: Path, replace: bool) -> None:
        """Rename the finished store into place; an earlier store gives way if `replace`."""
        fsync_folder(self.store)
        with said(target):
            if target.exists():
                if not replace:
                    raise StoreError(f"{target}: appeared while counting: nothing was replaced")
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

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the folder, unless an interrupted run could go on from it."""
        try:
            if error is None:
                shutil.rmtree(self.path, ignore_errors=True)
            elif not self.holds_work() or _is_final(error):
                self._remove()
            else:
                with suppress(OSError):
                    self._empty_store()
                error.add_note(f"{self.path} keeps the work so far: continue with --resume")
        finally:
            self._drop_lock()

    def _remove(self) -> None:
        """Remove the folder, and those above that were made for it."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            for above in self._made:
                above.rmdir()

    def _put_back(self) -> None:
        """Undo the half of a replacement that a killed run may have left."""
        old, target = self.path / "old", self.path.with_name(self.path.name.removesuffix(SUFFIX))
        if old.is_dir() and not target.exists():
            old.rename(target)


def _is_final(error: BaseException) -> bool:
    """Whether a run cannot go on after an error: only another text or other options help."""
    cause = error.__cause__
    passing = isinstance(cause, OSError) and cause.errno is not None
    return isinstance(error, CorpusError) and not passing


def _is_ours(folder: Path) -> bool:
    """Whether firth made a folder: it holds a plan of ours, or only what comes before that."""
    names = {path.name for path in folder.iterdir()}
    if names <= {"lock", _PLAN + ".writing"}:
        return "lock" not in names or (folder / "lock").stat().st_size == 0
    try:
        plan = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(plan, dict) and plan.get("format") == _FORMAT["format"]


def is_over(folder: Path) -> bool:
    """Whether no run is under way here, or one was killed after it had put its store into place."""
    return not folder.exists() or (
        (folder / _PLAN).is_file() and not (folder / "store").exists()  # only that takes it away
    )


def _resumable(plan: dict[str, Any]) -> bool:
    return plan.get("inputs") is not None
