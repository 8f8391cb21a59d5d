"""Tell what a stored space takes on disk, part by part."""

from __future__ import annotations

from pathlib import Path

from firth.space import association_store, store, view_store
from firth.stores.kinds import META

_PARTS = {
    META: "description",
    store.VECTORS: "vectors",
    store.WORDS: "words",
    store.CONTEXTS: "words",
    store.LEFT: "factors",
    store.RIGHT: "factors",
    store.SPECTRUM: "factors",
    store.PLACED: "factors",
    store.MARGINALS: "sums",
    store.BIASES: "factors",
    **dict.fromkeys(association_store.FILES, "association"),
    **dict.fromkeys(view_store.FILES, "views"),
}


def sizes_of(path: Path) -> dict[str, int]:
    """Return the bytes of each part of a stored space, the largest first.

    Parameters
    ----------
    path
        The folder of the space.

    Examples
    --------
    >>> import firth, tempfile
    >>> lines = ["the cat sat on the mat", "the dog sat on the log"]
    >>> path = Path(tempfile.mkdtemp()) / "space"
    >>> firth.methods.PPMI(dim=2).fit(firth.count(lines, min_count=1)).save(path)
    >>> sorted(sizes_of(path))
    ['association', 'description', 'factors', 'vectors', 'words']
    """
    sizes: dict[str, int] = {}
    for file in path.iterdir():
        if file.is_file():
            part = _PARTS.get(file.name, "other files")
            sizes[part] = sizes.get(part, 0) + file.stat().st_size
    return dict(sorted(sizes.items(), key=lambda each: (-each[1], each[0])))
