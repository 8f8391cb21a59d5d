"""Open vectors of any kind as a space."""

from __future__ import annotations

from pathlib import Path

from firth.resources import Resources
from firth.space import files
from firth.space.space import Space
from firth.space.store import is_space, load
from firth.stores.kinds import META


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
    Space(2 words × 2 dimensions; imported)
    """
    path = Path(path)
    if is_space(path) or not path.exists() or (path / META).exists():
        return load(path)
    return files.load(path, resources)
