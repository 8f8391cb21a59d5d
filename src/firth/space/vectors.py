"""Files of vectors as spaces: `firth.read_vectors` and `firth.write_vectors`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from firth.errors import FirthError
from firth.resources import Resources
from firth.space import formats
from firth.space.formats import VectorTable, sniff
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary


def read_vectors(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - what the option of the command line is called
    *,
    resources: Resources | None = None,
) -> Space:
    r"""Read a file of word vectors as a space.

    Parameters
    ----------
    path
        A file, which may be compressed (.gz, .bz2, .xz, .zst), or the folder of the formats
        ``projector`` and ``safetensors``.
    format
        ``word2vec``, ``word2vec-binary``, ``glove``, ``fasttext``, ``projector`` or
        ``safetensors``; told by the contents if left out. Pickles, as gensim saves them, are never
        read.
    resources
        Threads to parse text with, and progress, which is told what was unusual in the file.

    Returns
    -------
    Space
        With the frequencies of the file, or frequencies of 0, which means unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import firth
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("2 2\ncat 0.5 1\ndog 0.5 2\n")
    >>> firth.read_vectors(path)
    Space(2 words × 2 dimensions; imported)
    """
    kind = sniff(path) if format is None else format
    table = formats.read_vectors(path, kind, resources=resources)
    for note in table.notes if resources else ():
        resources.report("note", note)  # type: ignore[union-attr]
    return space_of(table, kind)


def space_of(table: VectorTable, kind: str) -> Space:
    """Make a space of a table that was read from a file of some format."""
    frequencies = table.frequencies
    if frequencies is None:
        frequencies = np.zeros(len(table.words), dtype=np.int64)
    recipe = {"method": {"name": "imported"}, "format": kind}
    return Space(Vocabulary.unchecked(table.words, frequencies), table.vectors, recipe=recipe)


def table_of(space: Space) -> VectorTable:
    """Return the words and vectors of a space, with frequencies where they are known."""
    frequencies = space.words.frequencies
    known = frequencies if frequencies.any() else None
    return VectorTable(space.words.words, space.vectors, known)


def write_vectors(
    space: Space,
    path: str | Path,
    format: str = "word2vec",  # noqa: A002
    *,
    force: bool = False,
    resources: Resources | None = None,
) -> tuple[str, ...]:
    """Write the vectors of a space to a file for another program, whole or not at all.

    Parameters
    ----------
    space
        What to write: finite numbers, distinct words.
    path
        A file, or for ``projector`` and ``safetensors`` a folder.
    format
        ``word2vec``, ``word2vec-binary``, ``glove``, ``fasttext``, ``gensim``, ``projector`` or
        ``safetensors``. Text has the fewest digits that give the same bits again.
    force
        Replace an earlier output.
    resources
        Threads to format text with; the bytes do not depend on them.

    Returns
    -------
    tuple of str
        What a user should know of the file, such as words that another program cannot read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import firth
    >>> vectors = np.array([[0.5, 1], [0.5, 2]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["cat", "dog"], [2, 1]), vectors)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> firth.write_vectors(space, path)
    ()
    >>> print(path.read_text(), end="")
    2 2
    cat 0.5 1.0
    dog 0.5 2.0
    """
    if not isinstance(space, Space):
        raise FirthError(f"`space` must be a Space, not {type(space).__name__}: for a VectorTable "
                         "use firth.space.formats.write_vectors")  # fmt: skip
    return formats.write_vectors(table_of(space), path, format, force=force, resources=resources)
