"""The kinds of stores and files, and one `load` and one `describe` for all of them.

A module that stores something has these names, and one line below:

- ``KIND``, a `Kind`, or for files ``is_readable(path)`` instead;
- ``load(path)``, which returns the object;
- ``describe(path)``, which checks all of it and returns a `Description`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from firth.errors import FirthError, StoreError
from firth.stores.describing import Description
from firth.stores.kinds import META, format_of, read_description

# By the format in the description of a folder. Modules are imported when one is found.
FOLDERS = {
    "firth-counts": "firth.counts.store",
    "firth-space": "firth.space.store",
    "firth-hierarchy": "firth.clusters.store",
    "firth-senses": "firth.senses.store",
}
# Files, and folders of other programs, in the order in which they are tried.
FILES = {
    "a paths file of clusters": "firth.clusters.paths",
    "a file of vectors": "firth.space.files",
}


def load(path: str | Path) -> Any:
    """Load a store or a file: what it is follows from what it holds.

    Parameters
    ----------
    path
        A store of counts, vectors, clusters or senses; a file of vectors in any format that
        `firth.space.formats.read_vectors` reads; or a paths file of clusters.

    Returns
    -------
    Counts, Space, Hierarchy or Senses
        Arrays of a store are mapped, and read from disk as they are used.

    Raises
    ------
    StoreError
        If it is none of these, or damaged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import firth
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "counts"
    >>> firth.count(["a rose is a rose"], min_count=1).save(path)
    >>> type(firth.load(path)).__name__
    'Counts'
    """
    return _module_of(Path(path)).load(Path(path))


def describe(path: str | Path) -> Description:
    """Describe a store or a file, after checking all of it."""
    return _module_of(Path(path)).describe(Path(path))  # type: ignore[no-any-return]


def _module_of(path: Path) -> Any:
    """Return the module that loads what lies at a path."""
    if not path.exists():
        raise StoreError(f"{path}: no such store or file: check the name")
    if (path / META).is_file():
        return _folder_module(path)
    refusals = []
    for name in FILES.values():
        module = import_module(name)
        try:
            if module.is_readable(path):
                return module
        except FirthError as error:
            refusals.append(error.marked.removeprefix(f"{path}: "))
    raise StoreError(
        f"{path}: not a firth store (a folder with a {META}), {_listed(FILES)}: "
        + "; ".join(refusals or ["check the name"])
    )


def _folder_module(path: Path) -> Any:
    found = format_of(path)
    if found in FOLDERS:
        return import_module(FOLDERS[found])
    read_description(path)  # says what is wrong with it, if anything
    kinds = [import_module(name).KIND for name in FOLDERS.values()]
    raise StoreError(
        f"{path}: not a store that this firth reads: its {META} names "
        f"{f'the format {found!r:.40}' if found else 'no format'} where "
        f"{_listed([kind.format for kind in kinds])} was expected: install a newer firth, or make "
        f"one with {_listed([kind.command for kind in kinds])}"
    )


def _listed(names: Any) -> str:
    """Join names as in a sentence.

    Examples
    --------
    >>> _listed(["a", "b", "c"])
    'a, b or c'
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else str(last)
