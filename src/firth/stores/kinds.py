"""What a kind of store is: a format name, versions, the words for messages, its description."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.errors import StoreError, remedy_for
from firth.stores.writing import check_parent, naming_write_errors, write_whole

META = "meta.json"
_LARGEST_META = 64 << 20


@dataclass(frozen=True)
class Kind:
    """A kind of stored folder, described by its ``meta.json``.

    Attributes
    ----------
    format
        The name in the description.
    what
        What a store holds, for messages: "not a store of counts".
    command
        The command that makes one.
    files
        The names of all files that a store may hold.
    version
        The version that is written.
    readable
        The versions that can be read.
    """

    format: str
    what: str
    command: str
    files: frozenset[str]
    version: int = 1
    readable: tuple[int, ...] = (1,)

    def is_at(self, path: Path) -> bool:
        """Whether a folder is a store of this kind, of any version."""
        return format_of(path) == self.format

    def read_meta(self, path: Path) -> dict[str, Any]:
        """Read the description of a store, or raise an error that says what is there instead."""
        if not path.exists():
            raise StoreError(
                f"{path}: no such store: make it with {self.command}, or check the name"
            )
        if not path.is_dir() or not (path / META).is_file():
            raise StoreError(
                f"{path}: not a firth store (a folder with a {META}): make one with {self.command}"
            )
        meta = read_description(path)
        if not isinstance(meta, dict) or meta.get("format") != self.format:
            raise StoreError(f"{path}: not a store of {self.what}: make one with {self.command}")
        version = meta.get("version")
        if type(version) is not int or version not in self.readable:
            *others, last = map(str, self.readable)
            known = f"{', '.join(others)} and {last}" if others else last
            raise StoreError(
                f"{path}: version {version!r:.40} of the format; this firth reads "
                f"{known}: install a newer firth, or run {self.command} again"
            )
        return meta

    def write_meta(self, folder: Path, content: dict[str, Any]) -> None:
        """Write the description of a store, with its format, and its version unless it says one."""
        meta = {"version": self.version, **content, "format": self.format}
        write_whole(folder / META, json.dumps(meta, indent=2, sort_keys=True) + "\n")

    def check_target(self, path: Path, force: bool) -> None:
        """Raise if an output would replace something that it must not.

        Only a store of the same kind is ever replaced, and only with `force`.
        """
        with naming_write_errors(path):
            if not path.exists() and not path.is_symlink():
                return
        if not path.is_dir() or path.is_symlink() or not self.is_at(path):
            raise StoreError(
                f"{path}: exists and is not a store of {self.what}: choose another name"
            )
        if not force:
            raise StoreError(
                f"{path}: exists: choose another name, or replace it with `force=True`"
            )

    def check_output(self, path: Path, force: bool) -> None:
        """Raise if a store cannot be written to a path: `check_target`, and a folder to be in."""
        self.check_target(path, force)
        check_parent(path)


def read_description(path: Path) -> Any:
    """Read the ``meta.json`` of a folder."""
    file = path / META
    try:
        if file.stat().st_size > _LARGEST_META:
            raise StoreError(f"{file}: too large to be a description: the store is damaged")
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        remedy = remedy_for(error, "make it readable")
        raise StoreError(f"{file}: cannot be read: {error.strerror}: {remedy}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file}: not JSON ({error}): the store is damaged") from None


def format_of(path: Path) -> str | None:
    """Return the format that a folder's description names; None if it names none."""
    try:
        meta = read_description(path)
    except (StoreError, OSError, ValueError):
        return None
    found = meta.get("format") if isinstance(meta, dict) else None
    return found if isinstance(found, str) else None


def read_text(path: Path) -> str:
    """Read a text file of a store."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        remedy = remedy_for(error, "make it readable, or make the store again")
        raise StoreError(f"{path}: cannot be read: {error.strerror}: {remedy}") from error
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path}: not UTF-8 at byte {error.start:,}: the store is damaged"
        ) from None


def size_of(value: Any) -> int:
    """Return an entry of a description that must be a size.

    Examples
    --------
    >>> size_of(3)
    3
    >>> size_of(True)
    Traceback (most recent call last):
    ValueError: True is not a size
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r:.40} is not a size")
    return value
