"""Write docs/methods.md: every method with its paper and its parameters.

Run as ``python tools/methods_page.py`` after a change of a method; a test compares the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firth.clusters import METHODS as CLUSTERS
from firth.methods import METHODS
from firth.papers import paper_of
from firth.parameters import Named, parameters_of
from firth.registry import Registry

PAGE = Path(__file__).parents[1] / "docs" / "methods.md"
HEAD = """# Methods and their parameters

Every method by its name, which is the value of `--method` on the command line, and its class in
Python. `firth fit --method NAME --help` prints the same. This page is made from the methods
themselves by `python tools/methods_page.py`.

```sh
firth fit counts -o space --method cca --alpha 0.5
```

```python
>>> from firth.methods import CCA
>>> CCA(alpha=0.5).alpha
0.5

```
"""


def page() -> str:
    """Return the page."""
    lines = [HEAD]
    lines += _kind("Vectors from counts: `firth fit`", "firth.methods", METHODS)
    lines += _kind("Clusters of words: `firth cluster`", "firth.clusters", CLUSTERS)
    return "\n".join(lines)


def _kind(title: str, module: str, methods: Registry[Any]) -> Iterator[str]:
    yield f"## {title}\n"
    for alias, name in methods.aliases.items():
        yield f"`{alias}` is `{name}`.\n"
    for name, method in methods.items():
        yield from _section(name, f"{module}.{method.__name__}", method)


def _section(name: str, place: str, method: type[Named]) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"`{place}`. {method.summary}\n"
    if method.paper:
        yield f"Paper: {paper_of(method.paper).citation}.\n"
    yield "| parameter | type | default | range | meaning |"
    yield "|---|---|---|---|---|"
    for known in parameters_of(method):
        cells = (known.type, known.shown_default, known.range, known.meaning)
        yield f"| `{known.name}` | {' | '.join(cells)} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
