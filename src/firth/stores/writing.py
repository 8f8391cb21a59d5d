"""Write output files whole or not at all: written aside, flushed to disk, renamed into place."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from firth.errors import FirthError, StoreError, remedy_for

_REMEDIES = {
    errno.ENOSPC: "free some space, or choose another disk",
    errno.EDQUOT: "free some space, or choose another disk",
    errno.EFBIG: "raise the limit on the size of files, or choose another disk",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
    errno.ENAMETOOLONG: "choose a shorter name",
}


@contextmanager
def naming_write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError inside the block into a StoreError that names the path and a remedy."""
    try:
        yield
    except FirthError:
        raise
    except OSError as error:
        where = error.filename or path
        remedy = remedy_for(error, _REMEDIES.get(error.errno or 0, "choose another name"))
        raise StoreError(
            f"{where}: cannot be written: {error.strerror or error}: {remedy}"
        ) from error


def fsync_folder(path: Path) -> None:
    """Flush the names in a folder, or the contents of a file, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Write a small text file aside, flush it to disk and rename it into place."""
    aside = path.with_name(path.name + ".writing")
    with open(aside, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(path)


def write_files(*files: tuple[Path, Callable[[IO[bytes]], object]]) -> None:
    """Write several files aside, then rename all of them into place."""
    with ExitStack() as stack:
        asides = []
        for path, write in files:
            if path.is_dir():
                raise StoreError(f"{path}: is a folder: choose another name")
            aside = path.with_name(f"{path.name}.{os.getpid()}.writing")
            check_parent(path)
            with naming_write_errors(path), open(aside, "xb") as file:
                stack.callback(aside.unlink, missing_ok=True)
                asides.append(aside)
                write(file)
                file.flush()
                os.fsync(file.fileno())
        for aside, (path, _) in zip(asides, files, strict=True):
            with naming_write_errors(path):
                aside.rename(path)


def check_free(path: Path, force: bool) -> None:
    """Raise if an output would replace something, unless `force`."""
    if not path.name:
        raise StoreError(f"{path}: not a name for an output: choose another")
    with naming_write_errors(path):
        if not force and (path.exists() or path.is_symlink()):
            raise StoreError(
                f"{path}: exists: choose another name, or replace it with `force=True`"
            )


def check_parent(path: Path) -> None:
    """Raise if the folder that an output would be in does not exist."""
    if not path.name:
        raise StoreError(f"{path}: not a name for an output: choose another")
    with naming_write_errors(path):
        if not path.absolute().parent.is_dir():
            raise StoreError(
                f"{path}: cannot be written: no such folder as {path.parent}: make it, or choose "
                "another name"
            )
