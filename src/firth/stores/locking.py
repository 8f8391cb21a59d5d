"""Lock a folder against other runs that write to it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from firth.errors import StoreError

LOCK = "lock"  # a file, not the folder itself, which network file systems cannot lock


class FolderLock:
    """An exclusive lock on a folder, held from its making until `release` or the process ends.

    Parameters
    ----------
    folder
        An existing folder; the lock is the file ``lock`` in it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> held = FolderLock(folder)
    >>> FolderLock(folder)
    Traceback (most recent call last):
    firth.errors.StoreError: ...: another run is writing this output: wait for it, or choose ...
    >>> held.release(remove=True)
    >>> FolderLock(folder).release()
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOCK
        self._descriptor: int | None = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not self._take(self._descriptor):
                raise StoreError(  # noqa: TRY301
                    f"{folder}: another run is writing this output: wait for it, or choose "
                    "another name"
                )
        except BaseException:
            self.release()
            raise

    def _take(self, descriptor: int) -> bool:
        """Lock the file, unless another run has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A run that ends removes its lock file: one opened before that locks nothing.
            return os.path.samestat(os.fstat(descriptor), self._file.stat())
        except (BlockingIOError, FileNotFoundError):
            return False

    def release(self, *, remove: bool = False) -> None:
        """Let other runs write to the folder.

        Parameters
        ----------
        remove
            Also remove the lock file, for a folder that stays.
        """
        if self._descriptor is None:
            return
        if remove:
            self._file.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def __del__(self) -> None:
        if getattr(self, "_descriptor", None) is not None:
            self.release()
