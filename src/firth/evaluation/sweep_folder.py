"""The folder of a sweep: a file for each point that is done, so that a sweep can be continued."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from firth.errors import StoreError
from firth.evaluation.report import Row
from firth.stores.locking import LOCK, FolderLock
from firth.stores.writing import naming_write_errors, write_whole

SETTINGS, TABLE = "sweep.json", "table.csv"
FORMAT, VERSION = "firth-sweep", 1


@dataclass(frozen=True)
class Point:
    """The settings of a point of the grid, and its scores.

    Attributes
    ----------
    settings
        The values of the parameters.
    rows
        A row of the report for each test.

    Examples
    --------
    >>> Point({"dim": 50}, []).settings["dim"]
    50
    """

    settings: Mapping[str, Any]
    rows: Sequence[Row]


class SweepFolder:
    """A folder of finished points, locked from `open` to `close` against other sweeps.

    Parameters
    ----------
    path
        The folder.
    plan
        What is swept and on what: a sweep is continued only with the same plan.
    """

    def __init__(self, path: Path, plan: dict[str, Any]) -> None:
        self.path, self._plan = path, plan
        self._made = False
        self._lock: FolderLock | None = None

    def open(self, force: bool) -> None:
        """Make the folder, or continue with what the same sweep left in it.

        Parameters
        ----------
        force
            Discard the points of another sweep.
        """
        plan = {"format": FORMAT, "version": VERSION, **self._plan}
        text = json.dumps(plan, indent=2, sort_keys=True) + "\n"
        settings = self.path / SETTINGS
        self.close()
        with naming_write_errors(self.path):
            if not self.path.exists():
                self.path.mkdir()
                self._made = True
            elif not self._is_ours(settings):
                raise StoreError(f"{self.path}: exists and is not a sweep: choose another name")
            self._lock = FolderLock(self.path)
            ours = settings.exists()
            same = ours and settings.read_bytes() == text.encode()
            if ours and not same and not force and not self._nothing_done(settings):
                self.close()
                raise StoreError(
                    f"{self.path}: holds another sweep: choose another name, or replace it with "
                    "`force=True`"
                )
            if force or not same:
                self._clear()
            write_whole(settings, text)

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.release(remove=True)
            self._lock = None

    def _is_ours(self, settings: Path) -> bool:
        """Whether the path is the folder of a sweep, or an empty one."""
        if not self.path.is_dir():
            return False
        return settings.exists() or {path.name for path in self.path.iterdir()} <= {LOCK}

    @property
    def done(self) -> list[Path]:
        """The files of the points that are done."""
        return sorted(self.path.glob("point-*.json"))

    def _clear(self) -> None:
        for file in [*self.done, *self.path.glob("*.writing"), self.path / TABLE]:
            file.unlink(missing_ok=True)

    def _nothing_done(self, settings: Path) -> bool:
        """Whether a sweep of ours stopped before its first point, so that nothing is lost."""
        try:
            found = json.loads(settings.read_text(encoding="utf-8"))
        except ValueError:
            return False
        ours = isinstance(found, dict) and found.get("format") == FORMAT
        return ours and not self.done and not (self.path / TABLE).exists()

    def leave(self) -> None:
        """Close the folder; without a finished point, remove what this sweep wrote first."""
        if self.done:
            self.close()
            return
        self._clear()
        (self.path / SETTINGS).unlink(missing_ok=True)
        self.close()
        if self._made:
            self.path.rmdir()

    def _file(self, number: int) -> Path:
        return self.path / f"point-{number:04d}.json"

    def load(self, number: int, settings: Mapping[str, Any]) -> list[Row] | None:
        """Return the rows of a point, which must have these settings; None if it is not done."""
        path = self._file(number)
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rows, of = [Row(**row) for row in found["rows"]], found["settings"]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise StoreError(f"{path}: {error!r}: damaged: remove it, and run again") from None
        if of != dict(settings):
            raise StoreError(f"{path}: of another point: remove it, and run again")
        return rows

    def save(self, number: int, point: Point) -> None:
        """Write the file of a point."""
        content = {"settings": dict(point.settings), "rows": [asdict(row) for row in point.rows]}
        with naming_write_errors(self.path):
            write_whole(self._file(number), json.dumps(content, indent=2) + "\n")

    def finish(self, table: str) -> None:
        """Write the table of all points."""
        with naming_write_errors(self.path):
            write_whole(self.path / TABLE, table)
