"""firth info: what a store holds and how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.counts.budget import format_bytes
from firth.counts.matrix import Counts
from firth.counts.store import load_checked


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.iterdir() if file.is_file())


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
        "most_frequent": [
            [word, count]
            for word, count in zip(
                counts.words.words[:10], counts.words.frequencies[:10].tolist(), strict=True
            )
        ],
    }


@click.command("info")
@click.argument("store", type=options.PATH)
@options.common
def command(store: Path, quiet: bool, as_json: bool) -> None:
    """Say what STORE holds and how it was made; the whole of it is checked."""
    del quiet
    counts = load_checked(store)
    summary = _summary(counts, store)
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
    changed = {name: value for name, value in counts.recipe.to_json().items() if value is not None}
    click.echo("recipe: " + ", ".join(f"{name}={_short(value)}" for name, value in changed.items()))
    most = ", ".join(f"{_short(word)} {count:,}" for word, count in summary["most_frequent"])
    click.echo(f"most frequent: {most}")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:12] + "…"
