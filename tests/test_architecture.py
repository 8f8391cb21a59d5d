"""The structure of the code: the direction of imports, and the length of files and functions."""

import ast
import re
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "firth"
PYTHON = sorted(SOURCE.rglob("*.py"))
CORE = sorted([*ROOT.glob("core/*.cpp"), *ROOT.glob("core/*.hpp")])

# From the bottom up. A module may import modules of lower floors, and of its own package.
FLOORS = [
    {"_core", "errors", "papers", "progress"},
    {"resources", "parameters", "registry", "ties"},
    {"stores"},
    {"text"},
    {"counts"},
    {"association", "collocations"},
    {"sided"},
    {"linalg"},
    {"space"},
    {"clusters", "sphere", "methods"},
    {"senses"},
    {"evaluation"},
    {"explore", "distributed"},
    {"cli"},
    {"", "__main__"},  # the package itself imports its public names
]
FLOOR = {package: number for number, packages in enumerate(FLOORS) for package in packages}
MOST_LINES = 400
MOST_FUNCTION_LINES = 60


def package_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imported(tree):
    """Yield the packages of firth that a module imports, anywhere in its code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "firth":
                yield rest.split(".")[0]


def names_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def parse(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_files_are_found():
    assert len(PYTHON) > 20
    assert len(CORE) > 15
    assert {package_of(path) for path in PYTHON} >= {"text", "counts", "cli", ""}


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    package = package_of(path)
    assert package in FLOOR, f"{package} has no floor: give it one in FLOORS"
    for other in imported(parse(path)):
        # The names of firth/__init__.py are for users; modules import from where they are defined.
        assert other in FLOOR, f"{path.name} imports firth.{other}"
        assert FLOOR[other] < FLOOR[package] or other == package, f"{package} imports {other}"


def test_imports_in_functions_are_found():
    tree = ast.parse("def f():\n    from firth.cli.options import force\nimport firth.counts.store")
    assert [*imported(tree)] == ["counts", "cli"]
    assert FLOOR["cli"] > FLOOR["counts"] > FLOOR["text"] > FLOOR["_core"]


@pytest.mark.parametrize("path", [*PYTHON, *CORE], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def docstring_lines(function):
    first = function.body[0]
    if ast.get_docstring(function) is None:
        return 0
    return first.end_lineno - first.lineno + 1


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_python_function_is_too_long(path):
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            signature = node.body[0].lineno - node.lineno
            length = node.end_lineno - node.lineno + 1 - docstring_lines(node) - signature
            assert length <= MOST_FUNCTION_LINES, f"{node.name} has {length} lines"


def functions_of(text):
    """Return the lengths of the functions of a C++ file, by the indentation of their braces."""
    begin, lengths = None, []
    for number, line in enumerate(text.splitlines()):
        if re.match(r"( {4})?[A-Za-z].*\{$", line) and not re.match(
            r" *(namespace|class|struct|enum|union|extern|constexpr|const|using|if|for|while|switch"
            r"|else|do|try|case)\b", line
        ):  # fmt: skip
            begin = number, len(line) - len(line.lstrip())
        elif begin and line.rstrip(";") == " " * begin[1] + "}":
            lengths.append(number - begin[0] + 1)
            begin = None
    return lengths


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.name)
def test_no_kernel_function_is_too_long(path):
    assert max(functions_of(path.read_text(encoding="utf-8")), default=0) <= MOST_FUNCTION_LINES


def test_kernel_functions_are_found():
    found = chain.from_iterable(functions_of(path.read_text(encoding="utf-8")) for path in CORE)
    assert len([*found]) > 60


def test_only_the_bindings_use_the_python_api():
    found = {
        path.name
        for path in CORE
        if re.search(r"nanobind|Python\.h|PyObject|bindings\.hpp", path.read_text(encoding="utf-8"))
    }
    assert found == {path.name for path in CORE if path.name.startswith("bindings")}


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_is_unpickled_or_evaluated(path):
    tree = parse(path)
    assert not set(names_of(tree)) & {"pickle", "cPickle", "dill", "cloudpickle", "shelve",
                                      "marshal", "joblib"}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert getattr(node.func, "id", "") not in {"eval", "exec"}
            for keyword in node.keywords:
                if keyword.arg == "allow_pickle":
                    assert isinstance(keyword.value, ast.Constant)
                    assert keyword.value.value is False


def test_the_build_is_for_every_machine():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    text += (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert not re.search(r"-m(arch|tune|cpu)=|-ffast-math|-Ofast", text)
    assert "openmp" not in text.lower()


def test_algorithms_do_not_print():
    for path in PYTHON:
        if package_of(path) == "cli":
            continue
        calls = (node for node in ast.walk(parse(path)) if isinstance(node, ast.Call))
        assert all(getattr(call.func, "id", "") != "print" for call in calls), path
