"""Read and write vectors in any format."""

from __future__ import annotations

from pathlib import Path

from firth.errors import FirthError, StoreError
from firth.resources import Resources, accept_former_keywords
from firth.space.formats import binary, gensim, projector, tensors, text
from firth.space.formats.sniff import sniff
from firth.space.formats.streams import PICKLE, check_plain_name
from firth.space.formats.table import VectorTable, check
from firth.stores.workspace import write_folder
from firth.stores.writing import check_free, write_files

FORMATS: tuple[str, ...] = (
    *("word2vec", "word2vec-binary", "glove", "fasttext", "gensim", "projector", "safetensors"),
)


@accept_former_keywords
def read_vectors(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - what the option of the command line is called
    *,
    resources: Resources | None = None,
) -> VectorTable:
    r"""Read words and vectors; files may be compressed (.gz, .bz2, .xz, .zst).

    Parameters
    ----------
    path
        A file, or the folder of the formats ``projector`` and ``safetensors``.
    format
        One of `FORMATS`; recognised by the contents if left out. ``gensim``, whose file is a
        pickle, is refused: see `from_gensim`.
    resources
        Threads to parse text with.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("rose 0.5 1\nnew york -1 2e-3\n")
    >>> table = read_vectors(path)
    >>> table.words, table.vectors.tolist()[0]
    (('rose', 'new york'), [0.5, 1.0])
    """
    path = Path(path)
    kind = sniff(path) if format is None else _known(format)
    threads = (resources or Resources()).threads
    if kind == "projector":
        return projector.read_projector(path, threads)
    if kind == "safetensors":
        return tensors.read_tensors(path)
    if kind == "word2vec-binary":
        return binary.read_binary(path)
    if kind == "gensim":
        raise StoreError(f"{path}: {PICKLE}")
    return text.read_text(path, kind, threads)


@accept_former_keywords
def write_vectors(
    table: VectorTable,
    path: str | Path,
    format: str,  # noqa: A002
    *,
    force: bool = False,
    resources: Resources | None = None,
) -> tuple[str, ...]:
    """Write words and vectors, whole or not at all; return notes for the user.

    Parameters
    ----------
    table
        What to write: finite numbers, distinct words.
    path
        A file to write, or for ``projector`` and ``safetensors`` a folder to make.
    format
        One of `FORMATS`. Text has the fewest digits that give the same bits again.
    force
        Replace an earlier output: a file, or a folder that holds nothing else.
    resources
        Threads to format text with; the bytes do not depend on them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> path = Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> table = VectorTable(("rose", "thorn"), np.array([[0.1, 1], [1e-9, -2.5]]))
    >>> write_vectors(table, path, "word2vec")
    ()
    >>> print(path.read_text(), end="")
    2 2
    rose 0.1 1.0
    thorn 1e-09 -2.5
    """
    path, kind = Path(path), _known(format)
    threads = (resources or Resources()).threads
    check(table)
    check_free(path, force)
    if kind in ("projector", "safetensors"):
        return _write_folder(table, path, kind, force, threads)
    check_plain_name(path)
    notes: tuple[str, ...] = ()
    if kind == "word2vec-binary":
        binary.check_words(table)
        write_files((path, lambda file: binary.write_binary(table, file)))
    elif kind == "gensim":
        write_files((path, lambda file: gensim.write_gensim(table, file)))
    else:
        notes = text.check_words(table, kind)
        write_files((path, lambda file: text.write_text(table, file, kind, threads)))
    return notes


def _write_folder(
    table: VectorTable, path: Path, kind: str, force: bool, threads: int
) -> tuple[str, ...]:
    if kind == "projector":
        projector.check_words(table)
        with write_folder(path, projector.NAMES, force=force) as folder:
            projector.write_projector(table, folder, threads)
    else:
        with write_folder(path, tensors.NAMES, force=force) as folder:
            tensors.write_tensors(table, folder)
    return ()


def _known(kind: str) -> str:
    if kind not in FORMATS:
        raise FirthError(f"{kind!r:.40} is not a format: choose one of {', '.join(FORMATS)}")
    return kind
