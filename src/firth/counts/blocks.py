"""Blocks of columns: one for each offset of positional counts, or for each side of the window.

A matrix whose contexts are not told apart by place has one block and no names of blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

LEFT, RIGHT = "left", "right"
SIDES = (LEFT, RIGHT)

Block: TypeAlias = int | str  # an offset, or a side
Blocks: TypeAlias = tuple[Block, ...]


def block_name(block: Block) -> str:
    """Return the name of a block.

    Examples
    --------
    >>> block_name(2), block_name("left")
    ('+2', 'left')
    """
    return f"{block:+d}" if isinstance(block, int) else block


def in_block(word: str, block: Block) -> str:
    """Return the name of a context in a block.

    Examples
    --------
    >>> in_block("rose", -1), in_block("rose", "right")
    ('rose-1', 'rose (right)')
    """
    return f"{word}{block:+d}" if isinstance(block, int) else f"{word} ({block})"


def column_name(words: Sequence[str], blocks: Blocks, column: int) -> str:
    """Return the name of a column of a matrix with blocks of contexts.

    Examples
    --------
    >>> column_name(["rose", "is"], ("left", "right"), 3)
    'is (right)'
    """
    which, place = divmod(column, len(words))
    return in_block(words[place], blocks[which]) if blocks else words[place]
