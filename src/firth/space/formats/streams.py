"""Read the bytes of a vector file, plain or compressed, in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firth.errors import FirthError, StoreError
from firth.text.sources import TextFile

CHUNK = 16 << 20  # bytes that are parsed at a time
LONGEST_LINE = 64 << 20
COMPRESSED = frozenset((".gz", ".bz2", ".xz", ".lzma", ".zst"))
# Compression shrinks vectors to a half or a fifth. A file that grows far more is an attack.
_MOST_GROWTH = 200
_GROWTH_FROM = 64 << 20

_MAGIC = {
    b"PK\x03\x04": "a zip archive: unpack it, and give the file of vectors inside",
    b"\x93NUMPY": (
        "a NumPy array, which holds no words: in Python, make a firth.Space of words and array"
    ),
    b"\x89HDF\r\n": "an HDF5 file: write its vectors as word2vec text first",
    b"\xba\x16\x4f\x2f": (
        "a fastText model, not its vectors: give the .vec file that fastText wrote beside it"
    ),
    b"\x1f\x8b": "gzip data: give it a name that ends in .gz",
    b"BZh": "bzip2 data: give it a name that ends in .bz2",
    b"\xfd7zXZ\x00": "xz data: give it a name that ends in .xz",
    b"\x28\xb5\x2f\xfd": "Zstandard data: give it a name that ends in .zst",
    b"\xff\xfe": "UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
}
PICKLE = (
    "a pickle, which firth never loads, because it can run any program: in gensim, "
    "KeyedVectors.load(NAME).save_word2vec_format('vectors.bin', binary=True)"
)


def open_file(path: Path) -> TextFile:
    """Open a file, or raise if it cannot be read."""
    try:
        if not path.exists():
            raise StoreError(f"{path}: no such file: check the name")
        if not path.is_file():
            raise StoreError(f"{path}: not a file of vectors")
    except (OSError, ValueError) as error:
        raise StoreError(f"{str(path)[:200]!r}: cannot be read: {error}") from error
    return TextFile(path)


def refuse_foreign(name: str, sample: bytes) -> None:
    """Raise if the first bytes are those of a format that firth does not read."""
    if len(sample) > 1 and sample[0] == 0x80 and sample[1] <= 5:
        raise StoreError(f"{name}: {PICKLE}")
    for magic, what in _MAGIC.items():
        if sample.startswith(magic):
            raise StoreError(f"{name}: {what}")


def read_blocks(file: TextFile) -> Iterator[bytes]:
    """Read a file in blocks, decompressed; raise if it is of another format or grows too much."""
    size, limit = 0, max(_GROWTH_FROM, _MOST_GROWTH * file.size)
    for block, _ in file.blocks():
        if not size:
            refuse_foreign(file.name, block)
        size += len(block)
        if size > limit and not file.is_plain:
            raise StoreError(
                f"{file.name}: unpacks to more than {_MOST_GROWTH} times its size: if that is "
                "right, unpack it first"
            )
        yield block


def read_lines(file: TextFile) -> Iterator[bytes]:
    """Read whole lines, about `CHUNK` bytes at a time; the last may lack its line end."""
    pending: list[bytes] = []
    size = unended = 0
    for block in read_blocks(file):
        cut = block.rfind(b"\n") + 1
        unended = len(block) - cut if cut else unended + len(block)
        if unended > LONGEST_LINE:
            raise StoreError(f"{file.name}: a line of more than {LONGEST_LINE >> 20} MiB: not text")
        if cut and size + cut >= CHUNK:
            yield b"".join((*pending, block[:cut]))
            pending, size = [block[cut:]], len(block) - cut
        else:
            pending.append(block)
            size += len(block)
    if size:
        yield b"".join(pending)


def check_plain_name(path: Path) -> None:
    """Raise if the name is that of a compressed file, which firth does not write."""
    if path.suffix in COMPRESSED:
        raise FirthError(
            f"{path}: firth writes plain files: choose a name without {path.suffix}, and compress "
            "it afterwards"
        )
