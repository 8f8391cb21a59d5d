"""Write docs/reference from the docstrings of the public names: python tools/reference.py.

Each page lists the names of one module: signature, summary, parameters, what is returned and an
example, and for classes their methods and properties.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
MODULES = (
    *("firth", "firth.methods", "firth.clusters", "firth.evaluation", "firth.linalg"),
    *("firth.progress", "firth.senses", "firth.evaluation.induction"),
)
NOTE = "<!-- Made by tools/reference.py from the docstrings: change those, and run it again. -->"
WIDTH = 88
# Sections whose entries are names with a description below each.
LISTED = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
TYPES = ("Returns", "Yields")  # whose entries are types and not names


@dataclass
class Docstring:
    """The parts of a numpydoc docstring."""

    text: str
    sections: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, documented: Any) -> Docstring:
        """Read the docstring of a class or function."""
        lines = (inspect.getdoc(documented) or "").splitlines()
        begins = [
            number
            for number in range(len(lines) - 1)
            if lines[number] and re.fullmatch("-{3,}", lines[number + 1])
        ]
        ends = [*begins[1:], len(lines)][: len(begins)]
        parts = {
            lines[begin]: "\n".join(lines[begin + 2 : end]).strip("\n")
            for begin, end in zip(begins, ends, strict=True)
        }
        return cls("\n".join(lines[: begins[0] if begins else None]).strip(), parts)


def public_names(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Give the public classes and functions of a module; the modules below it have pages."""
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and f"{getattr(value, '__module__', '')}.".startswith(f"{module.__name__}.")
    ]
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            yield name, value


def members(owner: type, listed: Collection[Any]) -> Iterator[tuple[str, Any]]:
    """Give the public methods and properties of a class, but those of bases that are listed."""
    found: dict[str, Any] = {}
    for base in owner.__mro__:
        if base.__module__.startswith("firth") and (base is owner or base not in listed):
            for name, value in vars(base).items():
                found.setdefault(name, value)
    for name, value in found.items():
        function = getattr(value, "__func__", value)
        known = inspect.isfunction(function) or _getter(value) is not None
        if known and not name.startswith("_"):
            yield name, value


def _getter(value: Any) -> Any:
    """Return the function behind a property, or None."""
    if isinstance(value, property):
        return value.fget
    return getattr(value, "func", None) if "cached_property" in type(value).__name__ else None


def signature(name: str, function: Any) -> str:
    """Write a signature, a parameter a line if it is long."""
    try:
        given = inspect.signature(function)
    except (TypeError, ValueError):
        return name
    parameters = [p for p in given.parameters.values() if p.name not in ("self", "cls")]
    if all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) and inspect.isclass(
        function
    ):
        parameters = []  # exceptions
    returns = given.return_annotation
    end = f" -> {_type(returns)}" if returns not in (given.empty, None, "None") else ""
    shown: list[str] = []
    starred = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown, starred = [*shown, "*"], True
        starred = starred or p.kind is p.VAR_POSITIONAL
        stars = 2 if p.kind is p.VAR_KEYWORD else p.kind is p.VAR_POSITIONAL
        text = "*" * stars + p.name
        if p.annotation is not p.empty:
            text += f": {_type(p.annotation)}"
        if p.default is not p.empty:
            text += f" = {_default(p.default)}"
        shown.append(text)
    line = f"{name}({', '.join(shown)}){end}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in shown) + f"){end}"


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:firth(?:\.\w+)*|typing|numpy\.typing)\.(\w)", r"\1", text)


def _default(value: Any) -> str:
    if inspect.isfunction(value) or inspect.isclass(value):
        return str(value.__name__)
    return "…" if type(value).__name__ == "_HAS_DEFAULT_FACTORY_CLASS" else repr(value)


def render(title: str, call: str, documented: Any, level: int) -> list[str]:
    """Write the entry of a class, a function or a method."""
    doc = Docstring.of(documented)
    lines = [f"{'#' * level} {title}", "", "```python", call, "```", "", _markdown(doc.text), ""]
    for name, text in doc.sections.items():
        lines += [f"**{name}**", ""]
        if name == "Examples":
            lines += ["```python", text, "```", ""]
        else:
            lines += [_entries(text, name) if name in LISTED else _markdown(text), ""]
    return lines


def _entries(text: str, section: str) -> str:
    """Write a list of names with their descriptions."""
    entries: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            entries.append((line, []))
        elif entries:
            entries[-1][1].append(line.strip())
    out = []
    for name, lines in entries:
        names, colon, kind = name.partition(" : ")
        parts = [names] if section in TYPES else names.split(", ")
        shown = ", ".join(f"`{part}`" for part in parts) + colon + kind
        out.append(f"- {shown}: {_markdown(' '.join(filter(None, lines)))}".removesuffix(": "))
    return "\n".join(out)


def _markdown(text: str) -> str:
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def page(name: str) -> str:
    """Write the page of a module."""
    module = importlib.import_module(name)
    assumed = (
        f"The examples assume `import firth`, `import numpy as np` and `from {name} import *`."
    )
    lines = [NOTE, "", f"# {name}", "", _markdown(inspect.getdoc(module) or ""), "", assumed, ""]
    entries = list(public_names(module))
    lines += [f"- [`{known}`](#{known.lower()}): {_summary(value)}" for known, value in entries]
    lines.append("")
    for known, value in entries:
        lines += render(known, signature(known, value), value, 2)
        if inspect.isclass(value):
            for member, found in members(value, [other for _, other in entries]):
                function = _getter(found) or getattr(found, "__func__", found)
                call = f"{known}.{member}"
                if _getter(found) is None:
                    call = signature(call, function)
                lines += render(f"{known}.{member}", call, function, 3)
    return "\n".join(lines).rstrip() + "\n"


def _summary(value: Any) -> str:
    return _markdown(Docstring.of(value).text.partition("\n\n")[0].replace("\n", " "))


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    found = {f"{name}.md": page(name) for name in MODULES}
    lines = [NOTE, "", "# Reference", ""]
    for name in MODULES:
        doc = (inspect.getdoc(importlib.import_module(name)) or "").partition("\n\n")[0]
        lines.append(f"- [{name}]({name}.md): {_markdown(' '.join(doc.split()))}")
    return {"README.md": "\n".join(lines) + "\n", **found}


def main() -> None:
    """Write the pages, and remove those of modules that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
