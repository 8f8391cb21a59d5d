"""The workspace of a count: a `firth.stores.workspace.Workspace` with parts and runs.

Parts of tokenised text and runs of counted rows are written aside and renamed. So a file under its
final name is whole, and an interrupted count can continue from it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firth.errors import CorpusError
from firth.stores import workspace
from firth.stores.writing import fsync_folder


class Workspace(workspace.Workspace):
    """A locked folder for the files of one count or merge; it is kept after an interruption."""

    def _make_folders(self) -> None:
        self.parts.mkdir(exist_ok=True)
        self.runs.mkdir(exist_ok=True)
        for aside in (*self.parts.glob("*.writing"), *self.runs.glob("*.writing")):
            shutil.rmtree(aside) if aside.is_dir() else aside.unlink()
        super()._make_folders()

    @property
    def parts(self) -> Path:
        """The folder of tokenised parts."""
        return self.path / "parts"

    @property
    def runs(self) -> Path:
        """The folder of counted runs."""
        return self.path / "runs"

    def part(self, number: int) -> Path:
        """Return the file of one part."""
        return self.parts / f"{number:09d}.npz"

    def finished_runs(self) -> list[tuple[int, int, Path]]:
        """Return the runs that are whole: first part, last part, folder; in order.

        A run that is the sum of others comes before them: those may be partly removed.
        """
        found = []
        for path in self.runs.iterdir():
            match = re.fullmatch(r"(\d{9})-(\d{9})", path.name)
            if match:
                found.append((int(match[1]), int(match[2]), path))
        return sorted(found, key=lambda run: (run[0], -run[1]))

    @contextmanager
    def run(self, first: int, last: int) -> Iterator[Path]:
        """Provide a folder to write one run in, and rename it into place if the block succeeds."""
        path = self.runs / f"{first:09d}-{last:09d}"
        aside = path.with_suffix(".writing")
        if aside.exists():
            shutil.rmtree(aside)
        aside.mkdir()
        yield aside
        aside.rename(path)
        fsync_folder(self.runs)

    def holds_work(self) -> bool:
        """Whether a later run could use anything here."""
        return self._resumable and (any(self.parts.glob("*.npz")) or bool(self.finished_runs()))

    def keeps(self, error: BaseException) -> bool:
        """Whether the folder stays after an error, which is then noted on the error."""
        if not self.holds_work() or _is_final(error):
            return False
        error.add_note(f"{self.path} keeps the work so far: continue with `resume=True`")
        return True


def _is_final(error: BaseException) -> bool:
    """Return whether an error is final: only another text or other options help."""
    cause = error.__cause__
    passing = isinstance(cause, OSError) and cause.errno is not None
    return isinstance(error, CorpusError) and not passing
