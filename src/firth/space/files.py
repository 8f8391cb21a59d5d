"""Files of vectors as spaces, in any format that `firth.space.formats` reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from firth.resources import Resources
from firth.space.formats import VectorTable, read_vectors, sniff
from firth.space.space import Space
from firth.stores.describing import Description, bytes_on_disk, shortened, size_row
from firth.text.vocabulary import Vocabulary


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
    kind = sniff(path)
    return space_of(read_vectors(path, kind, resources=resources), kind)


def space_of(table: VectorTable, kind: str) -> Space:
    """Make a space of words and vectors that were read from a file of some format."""
    frequencies = table.frequencies
    if frequencies is None:
        frequencies = np.zeros(len(table.words), dtype=np.int64)
    recipe = {"method": {"name": "imported"}, "format": kind}
    return Space(Vocabulary.unchecked(table.words, frequencies), table.vectors, recipe=recipe)


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
