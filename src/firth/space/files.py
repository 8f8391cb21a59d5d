"""Files of vectors as spaces, in any format that `firth.space.formats` reads."""

from __future__ import annotations

from pathlib import Path

from firth.resources import Resources
from firth.space import vectors
from firth.space.formats import read_vectors, sniff
from firth.space.space import Space
from firth.stores.describing import Description, bytes_on_disk, shortened, size_row


def is_readable(path: Path) -> bool:
    """Whether a file or folder begins as vectors do; an error says why not."""
    return bool(sniff(path))


def load(path: Path, resources: Resources | None = None) -> Space:
    r"""Read a file of vectors as a space.

    Its words have the frequencies in the file, or frequencies of zero.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("rose 0.5 1\nthorn -1 2e-3\n")
    >>> load(path).index_to_key
    ['rose', 'thorn']
    """
    return vectors.read_vectors(path, resources=resources)


def describe(path: Path) -> Description:
    """Describe a file of vectors for ``firth info``, after reading all of it."""
    kind = sniff(path)
    table = read_vectors(path, kind)
    size, dimensions = bytes_on_disk(path), table.vectors.shape[1]
    content = {
        "file": str(path),
        "kind": "vectors",
        "format": kind,
        "words": len(table.words),
        "dimensions": dimensions,
        "bytes": size,
        "notes": [*table.notes],
    }
    title = f"{len(table.words):,} words × {dimensions:,} dimensions; {kind}"
    rows = [size_row(size), *(("note", note) for note in table.notes)]
    lines = ["first words: " + ", ".join(map(shortened, table.words[:10]))]
    return Description(title, rows, lines, content)
