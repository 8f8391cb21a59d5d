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
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from firth.counts.arrays import fsync_folder
from firth.errors import FirthError, StoreError

SUFFIX = ".partial"
_PLAN = "plan.json"
_FORMAT = {"format": "firth-partial", "version": 1}


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
        self._lock: int | None = None
        if folder is None:
            self.path = Path(tempfile.mkdtemp(prefix="firth-"))
            self._make_folders()
            return
        self.path = folder
        with said(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            had = folder.exists()
            if had and not (folder / _PLAN).is_file() and any(folder.iterdir()):
                raise StoreError(f"{folder}: in the way, and not firth's to remove: move it")
            folder.mkdir(exist_ok=True)
        self._take_lock()
        try:
            self._settle(plan, resume, force)
            self._make_folders()
        except BaseException:
            self._drop_lock()
            raise

    def _settle(self, plan: dict[str, Any], resume: bool, force: bool) -> None:
        """Take over what is here, or clear it away, or refuse to."""
        new = json.dumps({**_FORMAT, **plan}, sort_keys=True)
        found = self.path / _PLAN
        old = found.read_text(encoding="utf-8", errors="replace") if found.exists() else None
        if old is not None and not (resume or force):
            raise StoreError(
                f"{self.path} holds an interrupted run: continue it with --resume, or start anew "
                "with --force"
            )
        if old is not None and resume and old != new and not force:
            raise StoreError(
                f"{self.path} is from a run with other options or other text: start anew with "
                "--force"
            )
        if resume and old == new:
            return
        with said(self.path):
            self.clear()
            write_whole(found, new)

    def _make_folders(self) -> None:
        with said(self.path):
            self.parts.mkdir(exist_ok=True)
            self.runs.mkdir(exist_ok=True)
            for aside in (*self.parts.glob("*.writing"), *self.runs.glob("*.writing")):
                shutil.rmtree(aside) if aside.is_dir() else aside.unlink()
            shutil.rmtree(self.store, ignore_errors=True)
            self.store.mkdir()

    def _take_lock(self) -> None:
        with said(self.path):
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._drop_lock()
            raise StoreError(
                f"{self.path}: another run is writing this output: wait for it, or choose another "
                "name"
            ) from None

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
        """Return the runs that are whole: first part, last part, folder; in order."""
        found = []
        for path in self.runs.iterdir():
            match = re.fullmatch(r"(\d{9})-(\d{9})", path.name)
            if match:
                found.append((int(match[1]), int(match[2]), path))
        return sorted(found)

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
        return not self.temporary and (any(self.parts.glob("*.npz")) or bool(self.finished_runs()))

    def publish(self, target: Path, replace: bool) -> None:
        """Rename the finished store into place; an earlier store gives way if `replace`."""
        fsync_folder(self.store)
        with said(target):
            if target.exists():
                if not replace:
                    raise StoreError(f"{target}: appeared while counting: nothing was replaced")
                old = self.path / "old"
                target.rename(old)
                self.store.rename(target)
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
            if kind is None or not self.holds_work():
                shutil.rmtree(self.path, ignore_errors=True)
            else:
                shutil.rmtree(self.store, ignore_errors=True)
        finally:
            self._drop_lock()


def write_whole(path: Path, text: str) -> None:
    """Write a small text file aside, make it last, and rename it into place."""
    aside = path.with_name(path.name + ".writing")
    with open(aside, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(path)


@contextmanager
def said(path: Path) -> Iterator[None]:
    """Turn the system's errors about writing into ours."""
    try:
        yield
    except FirthError:
        raise
    except OSError as error:
        where = error.filename or path
        raise StoreError(f"{where}: cannot be written: {error.strerror}") from error
