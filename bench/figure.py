"""A bar chart as a small SVG file, made without a plotting library."""

from __future__ import annotations

from html import escape
from pathlib import Path

WIDTH, BAR, GAP, LABEL, TOP = 760, 26, 12, 320, 44


def draw(bars: dict[str, float], title: str, path: Path) -> None:
    """Write a chart with one horizontal bar per entry, and the value at its end."""
    longest = max(bars.values())
    height = TOP + len(bars) * (BAR + GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="24" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    for place, (name, value) in enumerate(bars.items()):
        y = TOP + place * (BAR + GAP)
        width = max(2.0, value / longest * (WIDTH - LABEL - 70))
        colour = "#1b6e8c" if name.startswith("firth") else "#b9c4c9"
        middle = y + BAR / 2 + 5
        lines += [
            f'<text x="{LABEL - 10}" y="{middle:g}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{colour}"/>',
            f'<text x="{LABEL + width + 6:.1f}" y="{middle:g}">{value:.1f}</text>',
        ]
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")
