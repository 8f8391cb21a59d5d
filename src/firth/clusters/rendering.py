"""A tree as text: its nodes with their most frequent words, drawn line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from operator import itemgetter

from firth.clusters.hierarchy import Hierarchy
from firth.errors import FirthError


@dataclass(frozen=True)
class Node:
    """A node of a tree: a cluster, or a node above clusters.

    Attributes
    ----------
    path
        Its path from the root.
    size, tokens
        How many words are below it, and how many times they occur in all.
    words
        The most frequent words below it.
    children
        The paths of its children; none for a cluster.
    """

    path: str
    size: int
    tokens: int
    words: tuple[str, ...]
    children: tuple[str, ...]


def nodes(tree: Hierarchy, top: int = 10) -> dict[str, Node]:
    r"""Describe the clusters and the nodes above them, by path.

    Parameters
    ----------
    tree
        A tree of clusters.
    top
        How many words to name at each node, 1 or more.

    Examples
    --------
    >>> from firth.clusters.paths import from_text
    >>> tree = from_text("0\tcat\t4\n0\tdog\t2\n1\trun\t3\n", "paths")
    >>> nodes(tree)[""].words, nodes(tree)["0"].tokens
    (('cat', 'run', 'dog'), 6)
    """
    if top < 1:
        raise FirthError(f"`top` must be 1 or more, not {top}")
    frequencies = tree.words.frequencies.tolist()
    best: dict[str, list[tuple[int, str]]] = {}  # places by frequency, and words
    found: dict[str, Node] = {}
    waiting: dict[int, set[str]] = {}
    for path, words in tree.members.items():
        places = [tree.words[word] for word in words]
        best[path] = list(zip(places, words, strict=True))[:top]
        tokens = sum(frequencies[place] for place in places)
        found[path] = Node(path, len(words), tokens, tuple(words[:top]), ())
        waiting.setdefault(len(path), set()).add(path)
    for depth in range(max(waiting), 0, -1):
        for path in sorted({below[:-1] for below in waiting.get(depth, ())}):
            below = [found[path + bit] for bit in "01" if path + bit in found]
            lists = (best[node.path] for node in below)
            best[path] = list(islice(merge(*lists, key=itemgetter(0)), top))
            found[path] = Node(
                path,
                sum(node.size for node in below),
                sum(node.tokens for node in below),
                tuple(word for _, word in best[path]),
                tuple(node.path for node in below),
            )
            waiting.setdefault(depth - 1, set()).add(path)
    return found


def lines(tree: Hierarchy, *, under: str = "", depth: int = 4, top: int = 8) -> Iterator[str]:
    r"""Draw the tree below a node.

    Parameters
    ----------
    tree
        A tree of clusters.
    under
        The path of the node; the root by default.
    depth
        How many levels to draw.
    top
        How many words to name at each node.

    Examples
    --------
    >>> from firth.clusters.paths import from_text
    >>> text = "0\tcat\t4\n10\trun\t3\n11\tsun\t2\n"
    >>> print("\n".join(lines(from_text(text, "paths"))))
    ·  3 words: cat run sun
    ├─ 0  1 word: cat
    └─ 1  2 words: run sun
       ├─ 10  1 word: run
       └─ 11  1 word: sun
    """
    every = nodes(tree, top)
    if under not in every:
        raise FirthError(f"no word has a path that begins with {under:.40}: choose another `under`")
    stack = [(under, "", "")]
    while stack:
        path, before, after = stack.pop()
        node = every[path]
        words = " ".join(node.words) + (" …" if node.size > len(node.words) else "")
        yield f"{before}{path or '·'}  {node.size:,} word{'s' * (node.size > 1)}: {words}"
        if len(path) - len(under) >= depth:
            continue
        for number, child in enumerate(reversed(node.children)):
            last = number == 0
            stack.append(
                (child, after + ("└─ " if last else "├─ "), after + ("   " if last else "│  "))
            )


def around(tree: Hierarchy, word: str, *, up: int = 5, top: int = 8) -> list[Node]:
    r"""Return the cluster of a word, then the sibling of it and of each node above it.

    Parameters
    ----------
    tree
        A tree of clusters.
    word
        A word of the tree.
    up
        How many levels to go up.
    top
        How many words to name at each node.

    Examples
    --------
    >>> from firth.clusters.paths import from_text
    >>> text = "0\tcat\t4\n10\trun\t3\n11\tsun\t2\n"
    >>> [node.path for node in around(from_text(text, "paths"), "sun")]
    ['11', '10', '0']
    """
    path = tree.path(word)
    every = nodes(tree, top)
    found = [every[path]]
    for end in range(len(path), max(0, len(path) - up), -1):
        other = path[: end - 1] + ("1" if path[end - 1] == "0" else "0")
        if other in every:
            found.append(every[other])
    return found
