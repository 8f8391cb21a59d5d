"""The text of an explanation: what the fit weighed, and a table of contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firth.space.why import SharedContext


def weighing(words: Sequence[str], seen: tuple[float, ...] | None) -> list[str]:
    """Say what the weights of the fit do to the rows."""
    if seen is None:
        return []
    shares = ", ".join(f"{word} {share:.0%}" for word, share in zip(words, seen, strict=True))
    return [f"weight of seen contexts in the fit: {shares}; unseen ones draw the vectors to 0"]


def table(
    words: Sequence[str], groups: Sequence[tuple[str, Sequence[SharedContext], str]]
) -> list[str]:
    """Lay groups of contexts out below one header."""
    groups = [group for group in groups if group[1] or group[2]]
    if not groups:
        return []
    names = [each.context for _, listed, _ in groups for each in listed]
    first = max([len("context"), *map(len, names)]) + 2
    widths = [max(7, len(word)) for word in words]
    header = f"{'context':<{first}}     part"
    for word, width in zip(words, widths, strict=True):
        header += f"  {word:>{width}}  usual"
    lines = [header]
    for title, listed, more in groups:
        lines.append(title)
        for each in listed:
            line = f"  {each.context:<{first - 2}}  {each.part:z7.4f}"
            for strength, usual, width in zip(each.strengths, each.usual, widths, strict=True):
                line += f"  {strength:>z{width}.2f}  {usual:z5.2f}"
            lines.append(line)
        lines += [f"  {more}"] if more else []
    return lines
