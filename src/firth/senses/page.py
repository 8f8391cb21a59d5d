"""The senses of words as one HTML page; it needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import IO

from firth.senses.reading import Reading
from firth.stores.writing import check_free, write_files

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       color: #222; background: #fff }
section { border-left: 3px solid #06c; padding-left: 1rem; margin: 1.2rem 0 }
.bar { display: inline-block; height: .7rem; background: #06c; margin-right: .5rem }
.weak { color: #888 }
li { margin: .2rem 0 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  section { border-color: #7bf } .bar { background: #7bf } }
"""


def page(readings: Mapping[str, Sequence[Reading]], *, title: str = "Word senses") -> str:
    """Return the HTML of the page.

    Parameters
    ----------
    readings
        What `Senses.read` returns, by word.
    title
        The title and heading of the page.

    Examples
    --------
    >>> text = page({"bank": [Reading("bank_1", 1.0, [("<x>", 2.0)], [], [])]})
    >>> "&lt;x&gt;" in text, "<x>" in text
    (True, False)
    """
    parts = [
        f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{escape(title)}</title>",
        "<meta name=viewport content='width=device-width, initial-scale=1'>",
        f"<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>\n",
    ]
    if len(readings) > 1:
        links = (f"<a href='#{escape(word, quote=True)}'>{escape(word)}</a>" for word in readings)
        parts.append(f"<p>{' '.join(links)}</p>\n")
    for word, found in readings.items():
        parts.append(f"<h2 id='{escape(word, quote=True)}'>{escape(word)}</h2>\n")
        parts.extend(_section(reading) for reading in found)
    parts.append("</html>\n")
    return "".join(parts)


def _section(reading: Reading) -> str:
    percent = round(100 * reading.share)
    parts = [
        f"<section><h3>{escape(reading.name)}</h3>",
        f"<p><span class=bar style='width:{percent / 5:.1f}rem'></span>{percent}% of the word's "
        f"association</p><p><b>contexts</b> {_listed(reading.contexts)}</p>",
    ]
    if reading.neighbours:
        parts.append(f"<p><b>similar</b> {_listed(reading.neighbours)}</p>")
    if reading.examples:
        lines = "".join(f"<li>{escape(line)}</li>" for line in reading.examples)
        parts.append(f"<ul>{lines}</ul>")
    return "".join([*parts, "</section>\n"])


def _listed(found: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{escape(word)} <span class=weak>{value:.2f}</span>" for word, value in found)


def save_page(
    readings: Mapping[str, Sequence[Reading]], path: Path, *, title: str, force: bool = False
) -> None:
    """Write the page to a file, whole or not at all; `force` replaces an earlier one."""
    check_free(path, force)
    text = page(readings, title=title).encode("utf-8", "replace")

    def write(file: IO[bytes]) -> None:
        file.write(text)

    write_files((path, write))
