"""Messages of the library name parameters; only commands name options."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "firth"
# errors.py replaces parameters by options.
LIBRARY = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.parent.name != "cli" and path != SOURCE / "errors.py"
]
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def docstrings(tree):
    """The nodes of docstrings, which may name commands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def options_named(text):
    """The string literals of a file that name an option of a command."""
    tree = ast.parse(text)
    skipped = {id(node) for node in docstrings(tree)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in skipped
        and OPTION.search(node.value)
    ]


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_message_of_the_library_names_an_option(path):
    found = options_named(path.read_text(encoding="utf-8"))
    assert not found, f"write the parameter between backquotes instead: {found}"


def test_options_would_be_found():
    text = '"""Doc: --force."""\ndef f(x):\n    """See --force."""\n    g(f"{x}: use --force")\n'
    assert options_named(text) == [": use --force"]
    assert options_named('"a -- b, a-b, 3--x"') == []
    assert len(LIBRARY) > 60
