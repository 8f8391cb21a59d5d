"""The tree for a person: nodes with their most frequent words, as lines of text."""

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
    """A node of the tree at or above a cluster.

    Attributes
    ----------
    path
        From the root.
    size, tokens
        How many words are below it, and how often they occur.
    words
        The most frequent of them.
    children
        The paths of the nodes below it; none for a cluster.
    """

    path: str
    size: int
    tokens: int
    words: tuple[str, ...]
    children: tuple[str, ...]


def nodes(tree: Hierarchy, top: int = 10) -> dict[str, Node]:
    r"""Describe every node at or above the clusters, by path.

    Parameters
    ----------
    tree
        Of clusters.
    top
        How many words to name at each node.

    Examples
    --------
    >>> from firth.clusters.paths import from_text
    >>> tree = from_text("0\tcat\t4\n0\tdog\t2\n1\trun\t3\n", "paths")
    >>> nodes(tree)[""].words, nodes(tree)["0"].tokens
    (('cat', 'run', 'dog'), 6)
    """
    if top < 1:
        raise FirthError(f"top must be 1 or more, not {top}")
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
    r"""Draw the tree below a node, so many levels deep.

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
        raise FirthError(f"no word has a path that begins with {under}")
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
    r"""List the cluster of a word, then what lies on the other side of each node above it.

    Parameters
    ----------
    tree
        Of clusters.
    word
        A word of the tree.
    up
        How many levels.
    top
        How many words to name.

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
