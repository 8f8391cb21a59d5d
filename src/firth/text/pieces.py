"""A corpus divided into pieces of a few megabytes that can be tokenised in any order.

Pieces end at line ends if possible, else at white space, and never inside a word. Where they end
depends on the text alone, so that an interrupted run continues with the same pieces.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from firth import _core
from firth.errors import CorpusError
from firth.text.sources import (
    BYTE_ORDER_MARK,
    SAMPLE,
    Corpus,
    TextFile,
    refuse_binary,
    unreadable,
)
from firth.text.tokenizers import Tokenizer

PIECE = 4 << 20  # bytes of text: the types of a piece fit a core's cache
_SPACE = b" \t\r\v\f"
_END_OF_TOKEN = b"\xff"
_END_OF_LINE = b"\xfe"

Cleaner = Callable[[Iterable[str]], Iterator[str]]


@dataclass(frozen=True)
class Extent:
    """A range of bytes of one plain file."""

    file: TextFile
    begin: int
    end: int
    closes: bool  # whether the file ends here

    def read(self) -> bytes:
        """Read the bytes, with a newline added at the end of the file."""
        descriptor = self.file.open()
        try:
            # One call usually returns all of it, and then nothing is copied.
            data = os.pread(descriptor, self.end - self.begin, self.begin)
            while len(data) < self.end - self.begin:
                missing = self.end - self.begin - len(data)
                more = os.pread(descriptor, missing, self.begin + len(data))
                if not more:
                    raise CorpusError(
                        f"{self.file.name}: the file became shorter while being read: try again "
                        "when nothing writes to it"
                    )
                data += more
        except OSError as error:
            raise unreadable(self.file.name, error) from error
        finally:
            os.close(descriptor)
        if self.closes and not data.endswith(b"\n"):
            data += b"\n"
        return data


@dataclass(frozen=True)
class Piece:
    """A few megabytes of text: bytes, or where to read them."""

    mode: str
    data: bytes | None = None
    extents: tuple[Extent, ...] = ()
    name: str = ""
    begin: int = 0  # byte of the text of `name` at which `data` begins
    bytes_read: int = 0  # of text, before cleaning
    bytes_on_disk: int = 0  # read so far in total, for progress
    invalid: int = 0  # malformed sequences replaced before tokenising
    blank: int = 0  # tokens without a visible character, left out

    def read(self) -> bytes:
        """Read the text of the piece."""
        if self.data is not None:
            return self.data
        return b"".join(extent.read() for extent in self.extents)

    def place(self, offset: int) -> tuple[str, int]:
        """Return the file and the byte of an offset into the piece's text."""
        if self.data is not None:
            return self.name, self.begin + offset
        for extent in self.extents:
            size = len(extent.read())  # with the newline that may be added
            if offset < size:
                return extent.file.name, extent.begin + offset
            offset -= size
        return self.extents[-1].file.name, self.extents[-1].end


@dataclass
class _Reading:
    """The state of one pass over a corpus."""

    strict: bool
    on_disk: int = 0
    before: int = 0  # bytes on disk of the files before this one
    invalid: int = 0
    blank: int = 0
    unreported: int = 0
    extents: list[Extent] = field(default_factory=list)

    def piece(
        self, mode: str, data: bytes | None = None, name: str = "", extents: tuple[Extent, ...] = ()
    ) -> Piece:
        """Make a piece with the figures since the last piece."""
        met = self.unreported, self.on_disk, self.invalid, self.blank
        self.invalid = self.blank = self.unreported = 0
        return Piece(mode, data, extents, name, 0, *met)


def pieces(
    corpus: Corpus, tokenizer: Tokenizer, cleaner: Cleaner | None = None, strict: bool = False
) -> Iterator[Piece]:
    """Divide a corpus into pieces for the core to tokenise."""
    try:
        yield from _pieces(corpus, tokenizer, cleaner, strict)
    except OSError as error:  # from a user's iterable, tokenizer or cleaner
        raise unreadable(error.filename or "the corpus", error) from error


def _pieces(
    corpus: Corpus, tokenizer: Tokenizer, cleaner: Cleaner | None, strict: bool
) -> Iterator[Piece]:
    reading = _Reading(strict)
    if corpus.items is not None:
        yield from _from_items(corpus, tokenizer, cleaner, reading)
        return
    for file in corpus.files:
        if cleaner is not None or tokenizer.function is not None:
            lines: Iterable[str] = _lines(file, reading)
            if cleaner is not None:
                lines = cleaner(lines)
            yield from _from_lines(lines, tokenizer, reading, file.name)
        elif file.is_plain:
            yield from _from_plain(file, tokenizer.mode, reading)
        else:
            yield from _flush(reading, tokenizer.mode)
            yield from _from_stream(file, tokenizer.mode, reading)
        reading.before += file.size
        reading.on_disk = reading.before
    yield from _flush(reading, tokenizer.mode)


def lines_of(corpus: Corpus) -> Iterator[str | list[str]]:
    """Yield the lines of a corpus as text, or as lists of tokens where it has these."""
    if corpus.items is not None:
        for item in corpus.read_items():
            yield item if isinstance(item, str) else list(_tokens(item))
        return
    for file in corpus.files:
        yield from _lines(file, _Reading(strict=False))


def _flush(reading: _Reading, mode: str) -> Iterator[Piece]:
    if reading.extents:
        yield reading.piece(mode, extents=tuple(reading.extents))
        reading.extents.clear()


def _from_plain(file: TextFile, mode: str, reading: _Reading) -> Iterator[Piece]:
    sample = file.sample()
    refuse_binary(file.name, sample)
    size = file.size
    begin = len(BYTE_ORDER_MARK) if sample.startswith(BYTE_ORDER_MARK) else 0
    room = PIECE - sum(extent.end - extent.begin for extent in reading.extents)
    descriptor = file.open()
    try:
        while begin < size:
            end = size if size - begin <= room else _cut(descriptor, begin + room, size)
            reading.extents.append(Extent(file, begin, end, end == size))
            reading.unreported += end - begin
            reading.on_disk = reading.before + end
            room -= end - begin
            if room <= 0:
                yield from _flush(reading, mode)
                room = PIECE
            begin = end
    finally:
        os.close(descriptor)


def _cut(descriptor: int, nominal: int, size: int) -> int:
    """Find the first line end after `nominal` within a sample, else the first white space."""
    begin = nominal
    while begin < size:
        window = os.pread(descriptor, SAMPLE, begin)
        if not window:
            return size
        newline = window.find(b"\n")
        if newline >= 0:
            return begin + newline + 1
        spaces = [place for space in _SPACE if (place := window.find(space)) >= 0]
        if spaces:
            return begin + min(spaces)
        begin += len(window)
    return size


def _from_stream(file: TextFile, mode: str, reading: _Reading) -> Iterator[Piece]:
    held = bytearray()
    begin = 0
    searched = 0  # there is no place to cut before this
    first = True
    for block, on_disk in file.blocks():
        if first:
            refuse_binary(file.name, block[:SAMPLE])
            held += block.removeprefix(BYTE_ORDER_MARK)
            begin = len(block) - len(held)
            first = False
        else:
            held += block
        reading.on_disk = reading.before + on_disk
        while len(held) >= PIECE:
            cut = held.rfind(b"\n", searched, max(PIECE, searched) + SAMPLE) + 1
            if cut == 0:
                # Before the space, so that the last piece is never empty and gets a newline.
                cut = max(held.rfind(bytes([space]), searched) for space in _SPACE)
            if cut <= 0:
                searched = len(held)
                break  # a single word so far
            data = bytes(held[:cut])
            del held[:cut]
            searched = 0
            yield Piece(
                mode, data, name=file.name, begin=begin, bytes_read=cut,
                bytes_on_disk=reading.on_disk,
            )  # fmt: skip
            begin += cut
    if held:
        size = len(held)
        if not held.endswith(b"\n"):
            held += b"\n"
        yield Piece(
            mode, bytes(held), name=file.name, begin=begin, bytes_read=size,
            bytes_on_disk=reading.on_disk,
        )  # fmt: skip


def _lines(file: TextFile, reading: _Reading) -> Iterator[str]:
    """Read a file's lines as text, for cleaners and Python tokenizers."""
    held: list[bytes] = []  # blocks of a line that has not ended
    at = 0
    first = True
    for block, on_disk in file.blocks():
        if first:
            refuse_binary(file.name, block[:SAMPLE])
            at = len(BYTE_ORDER_MARK) if block.startswith(BYTE_ORDER_MARK) else 0
            block = block[at:]  # noqa: PLW2901
            first = False
        reading.unreported += len(block)
        reading.on_disk = reading.before + on_disk
        end = block.rfind(b"\n") + 1
        if end == 0:
            held.append(block)
            continue
        whole, held = b"".join([*held, block[:end]]), [block[end:]]
        yield from _decode(whole, file.name, at, reading).split("\n")[:-1]
        at += len(whole)
    if last := b"".join(held):
        yield _decode(last, file.name, at, reading)


def _decode(data: bytes, name: str, begin: int, reading: _Reading) -> str:
    if not data.isascii():
        count, first = _core.malformed(data)
        if count and reading.strict:
            raise not_utf8(name, begin + first)
        reading.invalid += count
    return data.decode("utf-8", "replace")


def not_utf8(name: str, byte: int) -> CorpusError:
    """Make the error for text that is not UTF-8, under ``encoding_errors="strict"``."""
    return CorpusError(
        f"{name}: not UTF-8 at byte {byte:,}: convert it with iconv, or replace what is malformed "
        "with `encoding_errors='replace'`"
    )


def _encode(text: str, reading: _Reading) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # lone surrogates
        if reading.strict:
            raise CorpusError(
                f"{text[:40]!r} holds lone surrogates, which are not text: remove them, or replace "
                "them with `encoding_errors='replace'`"
            ) from None
        reading.invalid += sum("\ud800" <= c <= "\udfff" for c in text)
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).encode()


def _from_lines(
    lines: Iterable[str], tokenizer: Tokenizer, reading: _Reading, name: str
) -> Iterator[Piece]:
    """Pack lines of text into pieces; a tokenizer that is a Python function runs here."""
    function = tokenizer.function
    if function is None:
        packed = (_encode(line, reading) + b"\n" for line in lines)
    else:
        packed = (_pack(_of_tokenizer(function(line)), reading, name) for line in lines)
    yield from _gather(packed, tokenizer.mode, reading, name)


def _gather(packed: Iterable[bytes], mode: str, reading: _Reading, name: str) -> Iterator[Piece]:
    held = bytearray()
    for line in packed:
        held += line
        if len(held) >= PIECE:
            yield reading.piece(mode, bytes(held), name)
            held.clear()
    if held:
        yield reading.piece(mode, bytes(held), name)


def _pack(tokens: Iterable[Any], reading: _Reading, name: str) -> bytes:
    """Encode one line of tokens as the core reads it."""
    out = bytearray()
    for token in tokens:
        if not isinstance(token, str):
            raise CorpusError(f"{name}: a token must be a string, not {token!r:.40}: convert it")
        if not token or token.isspace():
            reading.blank += 1
            continue
        out += _encode(token, reading)
        out += _END_OF_TOKEN
    return bytes(out + _END_OF_LINE)


def _from_items(
    corpus: Corpus, tokenizer: Tokenizer, cleaner: Cleaner | None, reading: _Reading
) -> Iterator[Piece]:
    """Read an iterable of strings or of lists of tokens; the first item tells which."""
    name = "the corpus"
    if not corpus.is_tokenized:
        lines: Iterable[str] = _strings(corpus.read_items(), reading)
        if cleaner is not None:
            lines = cleaner(lines)
        yield from _from_lines(lines, tokenizer, reading, name)
        return
    packed = (_pack(_tokens(item), reading, name) for item in corpus.read_items())
    yield from _gather(packed, "ready", reading, name)


def _strings(items: Iterable[object], reading: _Reading) -> Iterator[str]:
    for item in items:
        if not isinstance(item, str):
            raise _mixed(item)
        reading.unreported += len(item.encode("utf-8", "surrogatepass"))
        yield from item.removesuffix("\n").split("\n")


def _tokens(item: object) -> Iterable[Any]:
    if not _is_tokens(item):
        raise _mixed(item)
    return item


def _mixed(item: object) -> CorpusError:
    return CorpusError(
        f"the items of the corpus must be all strings or all lists of tokens, and {item!r:.40} is "
        "not of the same kind: pass one kind"
    )


def _of_tokenizer(found: object) -> Iterable[Any]:
    if not _is_tokens(found):
        raise CorpusError(
            f"`tokenizer` returned {found!r:.40} for a line: it must return a list of tokens"
        )
    return found


def _is_tokens(item: object) -> TypeGuard[Iterable[Any]]:
    """Whether an item is an iterable of tokens; a string is one only of its letters."""
    return isinstance(item, Iterable) and not isinstance(item, str | bytes)
