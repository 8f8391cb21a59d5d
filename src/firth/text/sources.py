"""Where text comes from: files, folders, patterns, standard input and Python objects.

A `Corpus` can be read several times. Making one only checks that its files exist.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from firth.errors import CorpusError, need_extra, remedy_for

# How many of a file's first bytes are looked at, and how many are read from a stream at a time.
SAMPLE = 1 << 16
BLOCK = 1 << 20
_ZST_SLICE = 1 << 10

# Control characters that do not occur in text; tab, line ends, backspace and escape may.
_CONTROLS = bytes(c for c in range(32) if c not in b"\b\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f") + b"\x7f"
_FEWEST_CONTROLS = 8  # fewer are no evidence
_CONTROL_SHARE = 0.05  # in compressed and random bytes it is a tenth, in text 0

_MAGIC = {
    b"\x1f\x8b": "gzip data: give it a name ending in .gz",
    b"BZh": "bzip2 data: give it a name ending in .bz2",
    b"\xfd7zXZ\x00": "xz data: give it a name ending in .xz",
    b"\x28\xb5\x2f\xfd": "Zstandard data: give it a name ending in .zst",
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"%PDF": "a PDF document: convert it to text first",
    b"\xff\xfe": "UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
    b"\x7fELF": "a program, not text: leave it out",
    b"\x89PNG": "a picture, not text: leave it out",
    b"\x93NUMPY": "a NumPy array, not text: leave it out",
}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
STANDARD_INPUT = "standard input"


def refuse_binary(name: str, sample: bytes) -> None:
    """Raise if the first bytes of a file show that it is not text."""
    for magic, what in _MAGIC.items():
        if sample.startswith(magic):
            kind, _, remedy = what.partition(": ")
            if name == STANDARD_INPUT:  # its name cannot be changed
                remedy = "pipe text into it"
            raise CorpusError(f"{name}: this looks like {kind}: {remedy}")
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls >= _FEWEST_CONTROLS and controls > _CONTROL_SHARE * len(sample):
        raise CorpusError(
            f"{name}: this looks like a binary file ({controls:,} control characters in the first "
            f"{len(sample):,} bytes): leave it out, or convert it to UTF-8 text"
        )


@dataclass(frozen=True)
class TextFile:
    """One file of a corpus, plain or compressed, or standard input (``-``)."""

    path: Path

    @property
    def name(self) -> str:
        """The name that messages use."""
        return STANDARD_INPUT if self.is_stdin else str(self.path)

    @property
    def is_stdin(self) -> bool:
        """Whether this is standard input."""
        return str(self.path) == "-"

    @property
    def is_plain(self) -> bool:
        """Whether the bytes on disk are the text itself and can be read in any order."""
        return self.is_lasting and self.path.suffix not in _OPENERS

    @property
    def is_lasting(self) -> bool:
        """Whether it can be read again; a pipe cannot."""
        return not self.is_stdin and self.path.is_file()

    @property
    def size(self) -> int:
        """Bytes on disk, 0 if unknown."""
        return 0 if self.is_stdin else self._status().st_size

    def identity(self) -> list[str | int]:
        """Tell whether a file is still the one it was: name, size and time of change."""
        if not self.is_lasting:
            raise CorpusError(f"{self.name} cannot be read again: `resume` needs files")
        status = self._status()
        return [str(self.path.resolve()), status.st_size, status.st_mtime_ns]

    def _status(self) -> os.stat_result:
        try:
            return self.path.stat()
        except OSError as error:
            raise unreadable(self.name, error) from error

    def open(self) -> int:
        """Open a plain file for reading at any offset; the caller closes the descriptor."""
        try:
            return os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise unreadable(self.name, error) from error

    def sample(self) -> bytes:
        """Return the first bytes of a plain file."""
        descriptor = self.open()
        try:
            return os.pread(descriptor, SAMPLE, 0)
        finally:
            os.close(descriptor)

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """Read the text in blocks, each with how many bytes on disk were read so far."""
        try:
            if self.is_stdin:
                if sys.stdin is None:
                    raise CorpusError("standard input is closed: pipe a text into it")
                read = 0
                while block := sys.stdin.buffer.read(BLOCK):
                    read += len(block)
                    yield block, read
                return
            with open(self.path, "rb") as raw:
                opener = _OPENERS.get(self.path.suffix)
                with opener(raw) if opener else raw as stream:
                    while block := stream.read(BLOCK):
                        yield block, raw.tell() if raw.seekable() else 0
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise CorpusError(_damaged(self.name, error)) from error
        except OSError as error:
            if error.strerror is None:  # raised by a decompressor
                raise CorpusError(_damaged(self.name, error)) from error
            raise unreadable(self.name, error) from error


def _damaged(name: str, error: Exception) -> str:
    return f"{name}: the compressed data is damaged or cut short ({error}): fetch it again"


def unreadable(name: str | bytes, error: OSError) -> CorpusError:
    """Make the error for a file that cannot be read."""
    remedy = remedy_for(error, "make it readable, or leave it out")
    return CorpusError(f"{os.fsdecode(name)}: cannot be read: {error.strerror or error}: {remedy}")


def _open_zst(raw: IO[bytes]) -> IO[bytes]:
    try:
        import zstandard
    except ImportError as error:
        raise need_extra("zstandard", "zst") from error

    class Reader(io.RawIOBase):
        """Zstandard frames in sequence; a last frame that is cut short raises an error."""

        def __init__(self) -> None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._begun = False
            self._packed = b""  # read, not yet decompressed

        def read(self, size: int = -1) -> bytes:
            """Return what one slice of the packed data unpacks to; nothing at the end.

            A kilobyte unpacks to 32 megabytes at most, so memory stays bounded for hostile data.
            """
            del size
            out = b""
            while not out:
                if self._frame.eof:
                    self._packed = self._frame.unused_data + self._packed
                self._packed = self._packed or raw.read(SAMPLE)
                if not self._packed:
                    if self._begun and not self._frame.eof:
                        raise EOFError("the last frame is not complete")
                    return b""
                if self._frame.eof:
                    self._frame = zstandard.ZstdDecompressor().decompressobj()
                self._begun = True
                data, self._packed = self._packed[:_ZST_SLICE], self._packed[_ZST_SLICE:]
                try:
                    out = self._frame.decompress(data)
                except zstandard.ZstdError as error:
                    raise EOFError(str(error)) from error
            return out

    return Reader()  # type: ignore[return-value]


_OPENERS: dict[str, Any] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw, mode="rb"),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".lzma": lzma.LZMAFile,
    ".zst": _open_zst,
}


def _files_of(name: str | os.PathLike[str]) -> list[TextFile]:
    text = os.fspath(name)
    path = Path(text)
    if text == "-":
        return [TextFile(path)]
    if not text:
        raise CorpusError("an empty name stands where a file was expected: give a name")
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        raise unreadable(_shown(text, 80), error) from error
    except ValueError as error:
        raise CorpusError(f"{text[:80]!r}: not a file name: {error}") from error
    if is_folder:
        found = [
            TextFile(Path(folder) / file)
            for folder, folders, files in _walk(path)
            for file in files
            if not file.startswith(".") and _holds_text(Path(folder) / file)
        ]
        if not found:
            raise CorpusError(f"{text}: the folder holds no files: give one with text in it")
        return sorted(found, key=lambda file: file.path.parts)
    if not exists and glob.has_magic(text):
        matches = sorted(Path(match) for match in glob.glob(text, recursive=True))
        files = [TextFile(match) for match in matches if match.is_file()]
        if not files:
            raise CorpusError(f"{text}: no file matches this pattern: check its spelling")
        return files
    if not exists:
        advice = "check the name"
        if any(space in text for space in " \n"):
            advice += ", or pass a text itself in a list, line by line"
        raise CorpusError(f"{_shown(text, 200)}: no such file or folder: {advice}")
    return [TextFile(path)]


def _shown(text: str, most: int) -> str:
    """Show a name on one line, cut if it is long."""
    line = " ".join(text.split("\n"))
    return line if len(line) <= most else line[:most] + "…"


def _walk(path: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    def refuse(error: OSError) -> None:
        raise unreadable(error.filename, error) from error

    for folder, folders, files in os.walk(path, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield folder, folders, files


def _holds_text(path: Path) -> bool:
    """Whether a path is a file or a link to one, and not a pipe or a socket."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:  # a link to nowhere
        raise unreadable(str(path), error) from error


class Corpus:
    """A text that can be read several times.

    Parameters
    ----------
    source
        One of: a string or path that names a file, a folder (its files in order of name, without
        hidden ones), a glob pattern, or ``-`` for standard input; a sequence of `pathlib.Path`; an
        iterable of strings, each of one or more lines; an iterable of lists of tokens, each a line.
        A generator is refused, because it can be read only once.

    Examples
    --------
    >>> Corpus(["a rose is a rose", "is a rose"])
    Corpus(2 texts)
    >>> Corpus(line for line in ["a rose"])
    Traceback (most recent call last):
        ...
    firth.errors.CorpusError: a generator can be read only once: pass a list, or an object ...
    """

    def __init__(self, source: object) -> None:
        self.files: tuple[TextFile, ...] = ()
        self.items: Iterable[object] | None = None
        self._begun: tuple[list[object], Iterator[object]] | None = None
        if isinstance(source, Corpus):
            self.files, self.items = source.files, source.items
            self._begun, source._begun = source._begun, None  # its first item is read already
        elif isinstance(source, str | os.PathLike):
            self.files = tuple(_files_of(source))
        elif isinstance(source, bytes):
            raise CorpusError(
                "`corpus` is bytes, which are neither a file name nor text: decode them first"
            )
        elif isinstance(source, Iterable):
            self._take(source)
        else:
            raise CorpusError(
                f"`corpus` of type {type(source).__name__} is not a text: pass the name of a file, "
                "or a list of lines"
            )
        if len([file for file in self.files if file.is_stdin]) > 1:
            raise CorpusError("standard input (-) can be given only once")

    def _take(self, source: Iterable[object]) -> None:
        if isinstance(source, Sequence) and source:
            if all(isinstance(item, os.PathLike) for item in source):
                names: list[Any] = list(source)
                self.files = tuple(file for name in names for file in _files_of(name))
                return
            if all(isinstance(item, str) and _names_a_file(item) for item in source):
                raise CorpusError(
                    f"a list of strings is text, but {source[0]!r} is the name of a file: "
                    "pass Path objects to read files"
                )
        elif iter(source) is iter(
            source
        ):  # a generator, or an object that returns the same one again
            raise CorpusError(
                f"a {type(source).__name__} can be read only once: pass a list, or an object "
                "whose __iter__ starts again"
            )
        self.items = source

    def __repr__(self) -> str:
        if self.items is None:
            return f"Corpus({len(self.files)} files)"
        size = f"{len(self.items)} " if isinstance(self.items, Sequence) else ""
        return f"Corpus({size}texts)"

    @property
    def is_tokenized(self) -> bool:
        """Whether this is an iterable of lists of tokens; the first item tells."""
        if self.items is None:
            return False
        if self._begun is None:
            items = iter(self.items)
            self._begun = list(islice(items, 1)), items
        first, _ = self._begun
        return bool(first) and not isinstance(first[0], str)

    def read_items(self) -> Iterator[object]:
        """Read all items, including the first one, which may have been read already."""
        if self.items is None:
            return iter(())
        first, rest = self._begun or ([], iter(self.items))
        self._begun = None
        return chain(first, rest)

    @property
    def size(self) -> int:
        """Bytes on disk, 0 if unknown."""
        return sum(file.size for file in self.files)

    def identity(self) -> list[list[str | int]]:
        """Return data that changes when a file does."""
        if self.items is not None:
            raise CorpusError(
                "`resume` needs files: Python objects cannot be compared with those of before"
            )
        return [file.identity() for file in self.files]


def _names_a_file(text: str) -> bool:
    try:
        return "\n" not in text and len(text) < 4096 and Path(text).is_file()
    except OSError:  # too long for a name
        return False
