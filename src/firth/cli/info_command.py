"""firth info: what a store or a file of vectors holds, and how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.paths import is_paths
from firth.counts.matrix import Counts
from firth.counts.store import META, load_checked
from firth.errors import FirthError, StoreError
from firth.resources import format_bytes
from firth.space.formats import read_vectors, sniff
from firth.space.sizes import sizes_of
from firth.space.store import is_space
from firth.space.store import load_checked as load_checked_space
from firth.text.vocabulary import Vocabulary


@click.command("info")
@click.argument("store", type=options.PATH)
@options.common
def command(store: Path, quiet: bool, as_json: bool) -> None:
    """Say what STORE holds and how it was made; the whole of it is checked.

    STORE is one of counts or of vectors, a file of vectors that firth import reads, or a paths file
    of clusters.
    """
    del quiet
    if is_space(store):
        _space(store, as_json)
    elif is_paths(store):
        _paths(store, as_json)
    elif store.exists() and not (store / META).exists():
        _vectors(store, as_json)
    else:
        _counts(store, as_json)


def _size(path: Path) -> int:
    files = path.iterdir() if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())


def _counts(path: Path, as_json: bool) -> None:
    counts = load_checked(path)
    summary = _summary(counts, path)
    if as_json:
        options.echo_json(summary)
        return
    density = counts.nnz / max(1, counts.shape[0] * counts.shape[1])
    click.echo(repr(counts))
    total = f"{counts.total:,}" + (f" units of 1/{counts.scale}" if counts.scale > 1 else "")
    rows = [
        ("total", total),
        ("density", f"{density:.2%}"),
        ("on disk", format_bytes(summary["bytes"])),
        *counts.ledger.rows(),
    ]
    options.echo_table(rows)
    _show_recipe("recipe", counts.recipe.to_json())
    _show_frequent(summary["most_frequent"])


def _summary(counts: Counts, path: Path) -> dict[str, Any]:
    return {
        "store": str(path),
        "kind": "counts",
        "words": len(counts.words),
        "contexts": len(counts.contexts),
        "offsets": list(counts.offsets),
        "nonzeros": counts.nnz,
        "scale": counts.scale,
        "total": counts.total,
        "bytes": _size(path),
        "recipe": counts.recipe.to_json(),
        "ledger": counts.ledger.to_json(),
        "most_frequent": _most_frequent(counts.words),
    }


def _space(path: Path, as_json: bool) -> None:
    space = load_checked_space(path)
    spectrum = [] if space.spectrum is None else space.spectrum.tolist()
    summary: dict[str, Any] = {
        "store": str(path),
        "kind": "space",
        "words": len(space),
        "dimensions": space.vector_size,
        "contexts": None if space.contexts is None else len(space.contexts),
        "association": None if space.association is None else space.association.nnz,
        "spectrum": spectrum,
        "bytes": _size(path),
        "parts": sizes_of(path),
        "recipe": space.recipe,
        "most_frequent": _most_frequent(space.words),
    }
    if as_json:
        options.echo_json(summary)
        return
    click.echo(repr(space))
    rows = [("on disk", format_bytes(_size(path))), *_part_rows(summary["parts"])]
    if spectrum:
        rows.append(("spectrum", f"{spectrum[0]:.4g} to {spectrum[-1]:.4g}"))
    if space.association is not None:
        rows.append(("association", f"{space.association.nnz:,} nonzeros"))
    options.echo_table(rows)
    for name in ("method", "combining", "counts"):
        if isinstance(space.recipe.get(name), dict):
            _show_recipe(name, space.recipe[name])
    _show_frequent(summary["most_frequent"])


def _part_rows(parts: dict[str, int]) -> list[tuple[str, str]]:
    """Say what the large parts of a space take, what they are for, and how to do without."""
    remedies = {"association": ", kept for firth why; firth fit --no-association leaves it out"}
    most = sum(parts.values())
    return [
        (f"  {name}", f"{format_bytes(size)}{remedies.get(name, '')}")
        for name, size in parts.items()
        if size * 20 > most
    ]


def _vectors(path: Path, as_json: bool) -> None:
    try:
        kind = sniff(path)
        table = read_vectors(path, kind)
    except FirthError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise StoreError(f"{path}: not a firth store, nor vectors to read: {reason}") from error
    if as_json:
        options.echo_json(
            {
                "file": str(path),
                "kind": "vectors",
                "format": kind,
                "words": len(table.words),
                "dimensions": table.vectors.shape[1],
                "bytes": _size(path),
                "notes": [*table.notes],
            }
        )
        return
    click.echo(f"{len(table.words):,} words × {table.vectors.shape[1]:,} dimensions; {kind}")
    rows = [("on disk", format_bytes(_size(path))), *(("note", note) for note in table.notes)]
    options.echo_table(rows)
    click.echo("first words: " + ", ".join(map(_short, table.words[:10])))


def _paths(path: Path, as_json: bool) -> None:
    tree = Hierarchy.load(path)
    sizes = [len(words) for words in tree.members.values()]
    lengths = [len(bits) for bits in tree.members]
    summary: dict[str, Any] = {
        "file": str(path),
        "kind": "clusters",
        "words": len(tree),
        "clusters": tree.clusters,
        "largest": max(sizes),
        "shortest_path": min(lengths),
        "longest_path": max(lengths),
        "bytes": _size(path),
        "most_frequent": _most_frequent(tree.words),
    }
    if as_json:
        options.echo_json(summary)
        return
    click.echo(repr(tree))
    rows = [
        ("on disk", format_bytes(summary["bytes"])),
        ("words in a cluster", f"{min(sizes):,} to {max(sizes):,}"),
        ("bits in a path", f"{min(lengths)} to {max(lengths)}"),
    ]
    options.echo_table(rows)
    _show_frequent(summary["most_frequent"])


def _most_frequent(words: Vocabulary) -> list[list[Any]]:
    pairs = zip(words.words[:10], words.frequencies[:10].tolist(), strict=True)
    return [[word, count] for word, count in pairs]


def _show_recipe(name: str, recipe: dict[str, Any]) -> None:
    given = {setting: value for setting, value in recipe.items() if value is not None}
    click.echo(f"{name}: " + ", ".join(f"{key}={_short(value)}" for key, value in given.items()))


def _show_frequent(most: list[list[Any]]) -> None:
    if not any(count for _, count in most):  # of imported vectors
        click.echo("first words: " + ", ".join(_short(word) for word, _ in most))
        return
    click.echo("most frequent: " + ", ".join(f"{_short(word)} {count:,}" for word, count in most))


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:12] + "…"
