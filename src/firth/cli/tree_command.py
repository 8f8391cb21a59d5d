"""firth tree: the clusters of words, or a whole tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.page import save_page
from firth.clusters.rendering import Node, around, lines, nodes
from firth.errors import FirthError


@click.command("tree")
@click.argument("tree", type=options.PATH)
@click.argument("words", metavar="[WORD]...", nargs=-1)
@click.option("--top", type=options.Integer(1), default=10, show_default=True,
              help="Number of words to show for each node.")  # fmt: skip
@click.option("--up", type=options.Integer(0), default=5, show_default=True,
              help="Number of levels to show above the cluster of a WORD.")  # fmt: skip
@click.option("--under", default="", metavar="BITS",
              help="Without WORD: show only the tree below the node with this path.")  # fmt: skip
@click.option("--depth", type=options.Integer(0), default=4, show_default=True,
              help="Without WORD: number of levels of the tree to show.")  # fmt: skip
@click.option("--html", type=options.PATH, help="Write the whole tree to this HTML page.")
@click.option("--most", type=options.Integer(1), default=1000, show_default=True,
              help="With --html: number of words to show of a cluster.")  # fmt: skip
@click.option("--force", is_flag=True, help="With --html: replace an existing page.")
@options.common
def command(
    tree: Path,
    words: tuple[str, ...],
    top: int,
    up: int,
    under: str,
    depth: int,
    html: Path | None,
    most: int,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Show the cluster of each WORD and the nodes next to it, or the tree itself without WORD.

    TREE is a tree written by firth cluster, or a paths file of any program for Brown clusters.
    """
    del quiet
    if html is not None and (words or under):
        raise click.UsageError("--html writes the whole tree: leave out WORD and --under.")
    hierarchy = Hierarchy.load(tree)
    if html is not None:
        save_page(hierarchy, html, title=f"Clusters of {tree.name}", most=most, force=force)
        if as_json:
            options.echo_json(
                {"page": str(html), "words": len(hierarchy), "clusters": hierarchy.clusters}
            )
        else:
            click.echo(f"{html}: {hierarchy!r}")
    elif words:
        found = {word: around(hierarchy, word, up=up, top=top) for word in words}
        if as_json:
            options.echo_json([_answer(word, near) for word, near in found.items()])
        else:
            for word, near in found.items():
                _show(word, near)
    elif as_json:
        below = [node for path, node in nodes(hierarchy, top).items() if path.startswith(under)]
        if not below:
            raise FirthError(
                f"no word has a path that begins with {under:.40}: choose another `under`"
            )
        kept = [node for node in below if len(node.path) - len(under) <= depth]
        options.echo_json([_plain(node) for node in sorted(kept, key=lambda node: node.path)])
    else:
        for line in lines(hierarchy, under=under, depth=depth, top=top):
            click.echo(line)


def _plain(node: Node) -> dict[str, Any]:
    return {"path": node.path, "size": node.size, "tokens": node.tokens, "words": [*node.words]}


def _answer(word: str, near: list[Node]) -> dict[str, Any]:
    return {"word": word, "cluster": _plain(near[0]), "neighbours": [_plain(n) for n in near[1:]]}


def _show(word: str, near: list[Node]) -> None:
    click.echo(f"{word}: cluster {near[0].path or '·'} and its neighbours in the tree")
    width = max(len(node.path) for node in near)
    counted = max(len(f"{node.size:,}") for node in near)
    for node in near:
        words = " ".join(node.words) + (" …" if node.size > len(node.words) else "")
        click.echo(f"  {node.path:<{width}}  {node.size:>{counted},}  {words}")
