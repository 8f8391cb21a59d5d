"""Recognise the format of vectors by their contents; by the name only where contents are alike."""

from __future__ import annotations

from pathlib import Path

from firth import _core
from firth.errors import StoreError
from firth.space.formats import projector, tensors
from firth.space.formats.binary import HEADER, LONGEST_HEADER, MOST_NUMBERS
from firth.space.formats.streams import COMPRESSED, open_file, read_blocks
from firth.space.formats.text import find_layout
from firth.text.sources import BLOCK, TextFile

_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\r")


def sniff(path: str | Path) -> str:
    """Return which of `FORMATS` a file or folder has.

    A folder is ``safetensors`` or ``projector`` by the files in it. A file that begins with a
    header of two whole numbers is text if the next line ends in as many numbers as declared.
    Otherwise it is ``word2vec-binary`` if control characters or invalid UTF-8 follow, or if it
    holds exactly the declared rows. All other files are text: with a header ``fasttext`` if their
    name ends in ``.vec``, else ``word2vec``; without a header ``glove``. For pickles, archives and
    models of fastText, the error says what to do instead.
    """
    path = Path(path)
    if path.is_dir():
        for names, kind in ((tensors.NAMES, "safetensors"), (projector.NAMES, "projector")):
            if (path / names[0]).exists():
                return kind
        raise StoreError(
            f"{path}: a folder without {tensors.VECTORS} or {projector.VECTORS}: not vectors"
        )
    file = open_file(path)
    if path.suffix == ".safetensors":
        raise StoreError(f"{path}: give the folder that holds it and its {tensors.WORDS}")
    first = _beginning(file)
    header = HEADER.match(first[:LONGEST_HEADER])
    if header and _is_binary(first[header.end() :], int(header[1]), int(header[2])):
        return "word2vec-binary"
    if find_layout(file, first, header=True).declared is None:
        return "glove"
    stem = path.stem if path.suffix in COMPRESSED else path.name
    return "fasttext" if stem.endswith(".vec") else "word2vec"


def _beginning(file: TextFile) -> bytes:
    """Read a few whole lines, or the first block of a file without line ends."""
    first = b""
    for block in read_blocks(file):
        first += block
        if b"\n" in block or len(first) > 4 * BLOCK:
            break
    return first if len(first) < BLOCK else first[: first.rfind(b"\n") + 1] or first


def _is_binary(rows: bytes, declared: int, dimension: int) -> bool:
    line = rows[: rows.find(b"\n") + 1] or rows
    if not line.strip() or _core.number_runs(line, 1, True)[0] == dimension:
        return False
    if len(rows) != len(rows.translate(None, _CONTROLS)) or _core.malformed(rows)[0]:
        return True
    if not 0 < dimension <= MOST_NUMBERS:
        return False
    reader = _core.VectorBinary(dimension)  # a small file may look like text throughout
    reader.add(rows, True)
    return reader.fault() is None and len(reader.take()[0]) == declared
