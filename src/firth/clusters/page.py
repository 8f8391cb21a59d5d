"""A tree as one HTML page with nodes that unfold and a search; it needs no network."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import IO

from firth.clusters.hierarchy import Hierarchy
from firth.clusters.rendering import Node, nodes
from firth.stores.writing import check_free, write_files

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       color: #222; background: #fff }
details, .cluster { margin-left: 1.1rem; border-left: 1px solid #ddd; padding-left: .6rem }
summary { cursor: pointer }
details p { margin: 0 0 .4rem 1.1rem }
code { color: #06c; margin-right: .5rem }
.size { color: #888; margin-right: .5rem }
.found { background: #fe8 }
input { font: inherit; padding: .3rem .6rem; width: 20rem }
#told { color: #888; margin-left: .6rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  details, .cluster { border-color: #444 } code { color: #7bf } .found { color: #222 } }
"""

_SCRIPT = """
const box = document.getElementById('find'), told = document.getElementById('told');
const words = new Map();
for (const span of document.querySelectorAll('.cluster span[data-w]'))
  words.set(span.textContent, span);
box.addEventListener('change', () => {
  for (const old of document.querySelectorAll('.found')) old.classList.remove('found');
  const asked = box.value.trim();
  const span = words.get(asked) ?? words.get(asked.toLowerCase());
  told.textContent = span || !box.value ? '' : 'not a word of this page';
  if (!span) return;
  for (let at = span.parentElement; at; at = at.parentElement)
    if (at.tagName === 'DETAILS') at.open = true;
  span.classList.add('found');
  span.scrollIntoView({ block: 'center' });
});
"""


def page(tree: Hierarchy, *, title: str = "Word clusters", most: int = 1000) -> str:
    r"""Return the HTML of the page.

    Parameters
    ----------
    tree
        A tree of clusters.
    title
        The title and heading of the page.
    most
        How many words of a cluster to show, the most frequent first.

    Examples
    --------
    >>> from firth.clusters.paths import from_text
    >>> text = page(from_text("0\t<b>\t4\n1\trun\t3\n", "paths"))
    >>> "&lt;b&gt;" in text, "<b>" in text
    (True, False)
    """
    every = nodes(tree, 8)
    parts = [
        f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{escape(title)}</title>",
        "<meta name=viewport content='width=device-width, initial-scale=1'>",
        f"<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>",
        f"<p>{len(tree):,} words in {len(tree.members):,} clusters. A path leads from the ",
        "root to a node; words are listed by frequency.</p>\n<p><input id=find type=search ",
        "placeholder='find a word' aria-label='find a word'><span id=told></span></p>\n",
    ]
    stack: list[str | Node] = [every[""]] if "" in every else []
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif item.children:
            opened = " open" if len(item.path) < 2 else ""
            parts.append(f"<details{opened}><summary>{_head(item)} {_words(item)}</summary>")
            stack.append("</details>\n")
            stack.extend(every[path] for path in reversed(item.children))
        else:
            parts.append(_cluster(tree, item, most))
    parts.append(f"<script>{_SCRIPT}</script>\n</html>\n")
    return "".join(parts)


def _head(node: Node) -> str:
    return f"<code>{node.path or 'root'}</code><span class=size>{node.size:,}</span>"


def _words(node: Node) -> str:
    more = " …" if node.size > len(node.words) else ""
    return " ".join(escape(word) for word in node.words) + more


def _cluster(tree: Hierarchy, node: Node, most: int) -> str:
    words = tree.members[node.path]
    shown = " ".join(f"<span data-w>{escape(word)}</span>" for word in words[:most])
    rest = f" and {len(words) - most:,} more" if len(words) > most else ""
    if node.size <= len(node.words):
        return f"<div class=cluster>{_head(node)} {shown}{rest}</div>\n"
    # A large cluster near the root would hide the tree if it were not folded.
    summary = f"<summary>{_head(node)} {_words(node)}</summary>"
    return f"<details class=cluster>{summary}<p>{shown}{rest}</p></details>\n"


def save_page(tree: Hierarchy, path: Path, *, title: str, most: int, force: bool = False) -> None:
    """Write the page to a file, whole or not at all; `force` replaces an earlier one."""
    check_free(path, force)
    text = page(tree, title=title, most=most).encode("utf-8", "replace")

    def write(file: IO[bytes]) -> None:
        file.write(text)

    write_files((path, write))
