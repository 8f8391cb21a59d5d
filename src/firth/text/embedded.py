"""A corpus that comes with Python: the documentation of its packages.

``firth demo`` needs real text without a download. The docstrings of the standard library, NumPy
and SciPy are about a million words of technical English. They are read with `ast`: no file is
imported or executed, so side effects of modules do not matter.

Documentation is three kinds of string constant:

- docstrings of modules, classes and functions;
- arguments of calls such as ``add_newdoc(...)``, with which NumPy and SciPy document compiled code;
- values assigned to names such as ``_doc_default`` (templates) and ``topics`` (the Python language
  reference, ``pydoc_data/topics.py``).

Interactive sessions, formulas, code, signatures and markup inside them are removed, and each
paragraph becomes one line. Python 3.11, NumPy 2.4 and SciPy 1.17 have 56 thousand lines.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import inspect
import os
import platform
import re
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Documentation", "Package", "docstrings", "documentation", "installed", "paragraphs"]

# Test folders hold few docstrings, which mostly name test cases. site-packages and dist-packages
# are inside the standard library's folder but not part of it.
SKIPPED_FOLDERS = frozenset(
    {"__pycache__", "dist-packages", "idle_test", "site-packages", "test", "tests"}
)

# Names whose string arguments or values are documentation: add_newdoc, add_docstring, __doc__,
# _array_method_doc, docdict, docformat, topics.
DOCUMENTING_NAME = re.compile(
    r"(?:^|_)(?:(?:new)?doc(?:s|strings?|dict|format)?|topics)(?:_|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Package:
    """A package to read documentation from.

    Parameters
    ----------
    name : str
        Name to show.
    version : str
        Version to show; the text changes with it.
    root : Path
        Folder whose ``.py`` files are read, with those of its subfolders.
    """

    name: str
    version: str
    root: Path


@dataclass(frozen=True, slots=True)
class Documentation:
    """Lines of prose, with figures of what was read.

    It can be iterated over several times, and used as a corpus directly.

    Parameters
    ----------
    lines : tuple of str
        One paragraph each, in the order of packages, sorted paths and source lines.
    packages : tuple of Package
        The packages that were read.
    files : int
        Files that were read.
    skipped : int
        Files left out because they could not be opened, decoded or parsed.
    docstrings : int
        Distinct docstrings found.

    Examples
    --------
    >>> text = Documentation(("Return a copy of the list.",), (), files=1, skipped=0, docstrings=1)
    >>> list(text)
    ['Return a copy of the list.']
    >>> str(text)
    '1 docstring of 1 file (0 skipped)'
    """

    lines: tuple[str, ...]
    packages: tuple[Package, ...]
    files: int
    skipped: int
    docstrings: int

    def __iter__(self) -> Iterator[str]:
        """Iterate over the lines."""
        return iter(self.lines)

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.lines)

    def __str__(self) -> str:
        """Summarise in one line what was read."""
        found = f"{self.docstrings:,} docstring{'s' * (self.docstrings != 1)}"
        read = f"{self.files:,} file{'s' * (self.files != 1)} ({self.skipped:,} skipped)"
        names = ", ".join(f"{package.name} {package.version}" for package in self.packages)
        return f"{found} of {read}" + (f": {names}" if names else "")


def installed() -> tuple[Package, ...]:
    """Find the standard library, NumPy and SciPy without importing them.

    Returns
    -------
    tuple of Package
        Those of the three that are installed as plain files, in this order.

    Examples
    --------
    >>> [package.name for package in installed()]
    ['Python', 'NumPy', 'SciPy']
    """
    standard_library = Path(sysconfig.get_paths()["stdlib"])
    found = [Package("Python", platform.python_version(), standard_library)]
    for name in ("NumPy", "SciPy"):
        specification = importlib.util.find_spec(name.lower())
        if specification is not None and specification.origin is not None:
            try:
                version = importlib.metadata.version(name.lower())
            except importlib.metadata.PackageNotFoundError:
                version = "of unknown version"  # a source checkout has no metadata
            found.append(Package(name, version, Path(specification.origin).parent))
    return tuple(package for package in found if package.root.is_dir())


def documentation(packages: Sequence[Package] | None = None) -> Documentation:
    """Read the documentation of packages as lines of prose.

    Parameters
    ----------
    packages : sequence of Package, optional
        Where to read; by default the `installed` packages.

    Returns
    -------
    Documentation
        The lines, which depend only on the files, and figures of what was read.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> text = documentation([Package("json", "2.0.9", Path(json.__file__).parent)])
    >>> text.files, text.skipped
    (5, 0)
    >>> "JSON token scanner" in list(text)
    True
    """
    chosen = installed() if packages is None else tuple(packages)
    # A dict, not a set, because it keeps the order of the docstrings.
    found: dict[str, None] = {}
    files = skipped = 0
    for package in chosen:
        for path in _sources(package.root):
            try:
                found.update(dict.fromkeys(docstrings(path.read_bytes())))
                files += 1
            except (OSError, SyntaxError, ValueError, RecursionError):
                skipped += 1
    # Paragraphs are copied between docstrings too, and would count several times.
    lines = dict.fromkeys(line for docstring in found for line in paragraphs(docstring))
    return Documentation(tuple(lines), chosen, files, skipped, len(found))


def _sources(root: Path) -> Iterator[Path]:
    """Yield the ``.py`` files under a folder, in the same order on every file system."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(set(subfolders) - SKIPPED_FOLDERS)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def docstrings(source: bytes | str) -> list[str]:
    r"""List the documentation strings of Python source, without running it.

    Parameters
    ----------
    source : bytes or str
        A module. Bytes are decoded as Python does, by their coding line or as UTF-8.

    Returns
    -------
    list of str
        Strings with the indentation of the code removed, in source order.

    Raises
    ------
    SyntaxError
        If the source cannot be decoded or parsed.

    Examples
    --------
    >>> docstrings('def area(r):\n    "Return the area."\nadd_newdoc("sin", "The sine.")')
    ['Return the area.', 'The sine.']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes, for example
        tree = ast.parse(source)
    # Strings without a space are names, not documentation.
    return [inspect.cleandoc(text) for text in _strings(tree.body) if " " in text.strip()]


def _strings(body: Sequence[ast.AST]) -> Iterator[str]:
    """Yield documentation strings of statements and of the statements inside them."""
    for statement in body:
        match statement:
            # A string that is a statement: a docstring, or a comment written as one.
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case ast.Expr(value=ast.Call(func=called) as call):
                if _documents(called):
                    for argument in call.args:
                        yield from _constants(argument)
            case ast.Assign(targets=[target, *_], value=value):
                if _documents(target):
                    yield from _constants(value)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
            ):
                if _documents(target):
                    yield from _constants(value)
            case _:
                for field in ("body", "handlers", "orelse", "finalbody", "cases"):
                    if inner := getattr(statement, field, None):
                        yield from _strings(inner)


def _documents(node: ast.expr) -> bool:
    """Whether the name of a called function or of a variable is one of documentation."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(value=ast.Name(id=name)):
            return DOCUMENTING_NAME.search(name) is not None
    return False


def _constants(expression: ast.expr) -> Iterator[str]:
    """Yield the strings inside an expression, in source order: tuples and calls nest."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        yield expression.value
    for child in ast.iter_child_nodes(expression):
        if isinstance(child, ast.expr | ast.keyword):
            yield from _constants(child.value if isinstance(child, ast.keyword) else child)


# Directives whose content is prose. All others (math, plot, code-block, versionadded, ...),
# comments, link targets and footnotes are dropped with the block indented under them.
PROSE_DIRECTIVES = frozenset(
    {"admonition", "attention", "caution", "danger", "hint", "important", "note", "tip", "warning"}
)
DIRECTIVE = re.compile(r"\.\.(?:\s+(?P<name>[\w-]+)::)?(?:\s+|$)")
RULE = re.compile(r"([=\-~^\"'`*+#.:_])\1{2,}")
TABLE = re.compile(r"[=\-+|][=\-+| ]{2,}|\|.*\|")
ITEM = re.compile(r"(?:[-*+\u2022]|\(?(?:\d{1,2}|[a-z])[.)])\s+|:(?:\w+ )?(?=\w+:\s)")

# More than half of the paragraphs have none of these signs and need no substitution.
MARKED = re.compile(r"[`*%]|\]_|::|://")
INLINE = (
    (re.compile(r":math:`(\w+)`"), r"\1"),
    (re.compile(r":math:`[^`]*(?:`|$)"), " "),
    (re.compile(r"(?<!`)`([^`']+)'(?![\w`])"), r"\1"),
    (re.compile(r":[\w:+-]+:`~[^`<]*?([^`<.]+)`"), r"\1"),
    (re.compile(r"(?::[\w:+-]+:)?`([^`<>]+?)\s*<[^`<>]+>`_{0,2}"), r"\1"),
    (re.compile(r"(?::[\w:+-]+:)?(`+)([^`]*)\1_{0,2}"), r"\2"),
    (re.compile(r"\s*\[[\w*#]+\]_"), ""),
    (re.compile(r"<?\b(?:https?|ftp)://[^\s>]*[^\s>.,;)]>?"), " "),
    (re.compile(r"%\(\w+\)s"), " "),
    (re.compile(r"(?<![\w*])(\*{1,2})(?=\w)([^*]*[^*\s])\1(?![\w*])"), r"\2"),
    (re.compile(r"::(?=\s|$)"), ":"),
    (re.compile(r"`"), ""),
    (re.compile(r"\s+(?=[.,;)](?:\s|$))"), ""),
)

# Words of a sentence, as opposed to identifiers, numbers and operators.
PLAIN_WORD = re.compile(r"[\"'(\[]*[A-Za-z]+(?:['\u2019/-][A-Za-z]+)*[\"')\].,;:!?]*")


def paragraphs(docstring: str) -> Iterator[str]:
    r"""Yield the paragraphs of a docstring that are prose, each as one line.

    Interactive sessions, section headings, literal blocks, formulas, signatures and references are
    left out; reStructuredText roles, quotes and links are replaced by their text. A term and the
    definition indented under it make one line.

    Parameters
    ----------
    docstring : str
        Text without the indentation of the code around it.

    Yields
    ------
    str
        A paragraph of at least three plain words.

    Examples
    --------
    >>> doc = "Return a copy\nof the :class:`list`.\n\n>>> copy([1])\n[1]\n"
    >>> list(paragraphs(doc))
    ['Return a copy of the list.']
    """
    for block in _blocks(docstring.expandtabs().splitlines()):
        line = " ".join(block)
        if MARKED.search(line):
            for markup, replacement in INLINE:
                line = markup.sub(replacement, line)
        words = line.split()
        plain = sum(PLAIN_WORD.fullmatch(word) is not None for word in words)
        # Code, signatures and tables of numbers are mostly not plain words; grammars contain ::=.
        if plain >= 3 and 2 * plain > len(words) and "::=" not in words:
            yield " ".join(words)


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Group lines into paragraphs, without those whose markup shows that they are not prose."""
    block: list[str] = []
    depth = 0  # indentation of the last line of the block
    hidden: int | None = None  # lines indented deeper than this belong to a dropped block
    session = False
    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        session = bool(text) and (session or text.startswith(">>>"))
        if hidden is not None and text and indent <= hidden:
            hidden = None
        underline = RULE.fullmatch(text)
        if underline and block:
            block.pop()  # the heading that this line underlines
        dropped = not text or session or hidden is not None or underline or TABLE.fullmatch(text)
        directive = DIRECTIVE.match(text)
        marker = directive or ITEM.match(text)
        if block and (dropped or marker or indent < depth):
            yield block
            block = []
        if dropped:
            continue
        if directive and directive["name"] not in PROSE_DIRECTIVES:
            hidden = indent
            continue
        if marker:
            text = text[marker.end() :]
            # A list item continues under its text, a directive under its first letters.
            indent += 0 if directive else marker.end()
        block.append(text)
        depth = indent
        if text.endswith("::"):
            hidden = indent  # a literal block follows
    if block:
        yield block
