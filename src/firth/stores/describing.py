"""What `firth info` shows of a store or file: rows of a table, lines of text, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.resources import format_bytes

_SHOWN = 10  # words of a store that are named


@dataclass(frozen=True)
class Description:
    """What a store or file holds.

    Attributes
    ----------
    title
        One line that says what it is.
    rows
        Names and values for a table.
    lines
        What is printed after the table.
    content
        All of it for JSON.
    """

    title: str
    rows: Sequence[tuple[str, str]]
    lines: Sequence[str]
    content: Mapping[str, Any]


def bytes_on_disk(path: Path) -> int:
    """Add up the sizes of a file, or of the files in a folder."""
    files = path.iterdir() if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())


def size_row(size: int) -> tuple[str, str]:
    """Make the row of the table that gives the size on disk."""
    return "on disk", format_bytes(size)


def first_words(words: Sequence[str], frequencies: Sequence[int]) -> list[list[Any]]:
    """Pair the first words with their frequencies."""
    pairs = zip(words[:_SHOWN], frequencies[:_SHOWN], strict=True)
    return [[word, int(count)] for word, count in pairs]


def words_line(pairs: Sequence[Sequence[Any]]) -> str:
    """Name the first words, with their frequencies if any are known.

    Examples
    --------
    >>> words_line([["the", 1200], ["of", 700]])
    'most frequent: the 1,200, of 700'
    >>> words_line([["the", 0], ["of", 0]])
    'first words: the, of'
    """
    if not any(count for _, count in pairs):  # of imported vectors
        return "first words: " + ", ".join(shortened(word) for word, _ in pairs)
    return "most frequent: " + ", ".join(f"{shortened(word)} {count:,}" for word, count in pairs)


def recipe_line(name: str, recipe: Mapping[str, Any]) -> str:
    """Write the entries of a recipe that are not None on one line, its name first.

    Settings that are unknown are named at the end.

    Examples
    --------
    >>> recipe_line("method", {"dim": 100, "name": "cca", "seed": None})
    'method: name=cca, dim=100'
    """
    unknown = [key for key, value in recipe.items() if value == "unknown"]
    given = [
        (key, shortened(value))
        for key, value in recipe.items()
        if value is not None and key not in unknown
    ]
    given.sort(key=lambda pair: pair[0] != "name")
    more = f"; not known: {', '.join(unknown)}" if unknown else ""
    return f"{name}: " + ", ".join(f"{key}={value}" for key, value in given) + more


def recipe_lines(recipe: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Write those parts of a recipe that are mappings themselves, a line for each."""
    parts = {name: recipe.get(name) for name in names}
    return [recipe_line(name, part) for name, part in parts.items() if isinstance(part, dict)]


def shortened(value: Any) -> str:
    """Write a value in at most 40 characters."""
    text = str(value)
    if isinstance(value, list):
        text = " and ".join(map(shortened, value)) or "none"
    return text if len(text) <= 40 else text[:12] + "…"
