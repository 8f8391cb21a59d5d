"""Open vectors of any kind as a space."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from firth.counts.store import META
from firth.resources import Resources
from firth.space.formats import read_vectors
from firth.space.space import Space
from firth.space.store import is_space, load
from firth.text.vocabulary import Vocabulary


def open_space(path: str | Path, resources: Resources | None = None) -> Space:
    r"""Map a stored space, or read a file of vectors in any format that `read_vectors` knows.

    Parameters
    ----------
    path
        A space or vectors.
    resources
        Threads and memory to read a file with.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("2 2\ncat 1 0\ndog 0 1\n")
    >>> open_space(path)
    Space(2 words × 2 dimensions; vectors)
    """
    path = Path(path)
    if is_space(path) or not path.exists() or (path / META).exists():
        return load(path)
    table = read_vectors(path, resources=resources)
    frequencies = table.frequencies
    if frequencies is None:
        frequencies = np.zeros(len(table.words), dtype=np.int64)
    return Space(Vocabulary(table.words, frequencies), table.vectors)
