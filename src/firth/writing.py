"""Outputs that appear whole or not at all: written aside, made to last, renamed into place."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from firth.errors import FirthError, StoreError, remedy_for

_REMEDIES = {
    errno.ENOSPC: "make room, or choose another disk",
    errno.EDQUOT: "make room, or choose another disk",
    errno.EFBIG: "raise the limit on the size of files, or choose another disk",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
    errno.ENAMETOOLONG: "choose a shorter name",
}


@contextmanager
def said(path: Path) -> Iterator[None]:
    """Turn the system's errors about writing into ours."""
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


def another_run(path: Path) -> StoreError:
    """Make the error for an output that another run has locked."""
    return StoreError(
        f"{path}: another run is writing this output: wait for it, or choose another name"
    )


def fsync_folder(path: Path) -> None:
    """Make names in a folder last."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Write a small text file aside, make it last, and rename it into place."""
    aside = path.with_name(path.name + ".writing")
    with open(aside, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(path)


def write_files(*files: tuple[Path, Callable[[IO[bytes]], object]]) -> None:
    """Write all the files aside before any of them takes its place."""
    with ExitStack() as stack:
        asides = []
        for path, write in files:
            if path.is_dir():
                raise StoreError(f"{path}: is a folder: choose another name")
            aside = _aside(path)
            _check_folder(path)
            with said(path), open(aside, "xb") as file:
                stack.callback(aside.unlink, missing_ok=True)
                asides.append(aside)
                write(file)
                file.flush()
                os.fsync(file.fileno())
        for aside, (path, _) in zip(asides, files, strict=True):
            with said(path):
                aside.rename(path)


@contextmanager
def write_folder(path: Path, ours: Collection[str], *, force: bool) -> Iterator[Path]:
    """Give a folder to write files in, which takes its place if all goes well.

    With `force` an earlier one gives way, but only if it holds nothing else than files with the
    names in `ours`.
    """
    check_free(path, force)
    if path.exists():
        _check_ours(path, ours)
    aside = _aside(path)
    old = aside.with_suffix(".old")
    with said(path):
        try:
            aside.mkdir()
            yield aside
            for file in aside.iterdir():
                fsync_folder(file)  # a file is made to last in the same way
            fsync_folder(aside)
            if path.exists():  # perhaps only since we began
                check_free(path, force)
                _check_ours(path, ours)
                path.rename(old)
            try:
                aside.rename(path)
            except BaseException:
                if old.exists():
                    old.rename(path)
                raise
            fsync_folder(path.parent)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)


def check_free(path: Path, force: bool) -> None:
    """Raise if an output would take the place of something, unless `force`."""
    if not path.name:
        raise StoreError(f"{path}: not a name for an output: choose another")
    with said(path):
        if not force and (path.exists() or path.is_symlink()):
            raise StoreError(f"{path}: exists: choose another name, or replace it with --force")


def _check_folder(path: Path) -> None:
    """Raise if there is no folder for a file."""
    with said(path):
        if not path.absolute().parent.is_dir():
            raise StoreError(
                f"{path}: cannot be written: no such folder as {path.parent}: make it, or choose "
                "another name"
            )


def _check_ours(path: Path, ours: Collection[str]) -> None:
    """Raise if a folder holds anything that is not firth's to remove."""
    if path.is_symlink() or not path.is_dir() or {file.name for file in path.iterdir()} - {*ours}:
        raise StoreError(
            f"{path}: holds more than {' and '.join(sorted(ours))}: choose another name"
        )


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.getpid()}.writing")
