"""Open vectors of any kind as a space."""

from __future__ import annotations

from pathlib import Path

from firth.resources import Resources
from firth.space.space import Space
from firth.space.store import is_space, load
from firth.space.vectors import read_vectors
from firth.stores.kinds import META


def open_space(path: str | Path, resources: Resources | None = None) -> Space:
    r"""Open a stored space, or read a file of vectors in any format that `read_vectors` knows.

    Parameters
    ----------
    path
        A stored space, or a file or folder of vectors.
    resources
        Threads to parse text with, and progress.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from firth.evaluation import open_space
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("cat 0.5 1\ndog 0.5 2\n")
    >>> open_space(path).index_to_key
    ['cat', 'dog']
    """
    path = Path(path)
    if is_space(path) or not path.exists() or (path / META).exists():
        return load(path)
    return read_vectors(path, resources=resources)
