"""The embedded corpus: which strings count as documentation, and which of their lines as prose."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.text import embedded
from firth.text.embedded import Package

MODULE = '''"""Count the words that keep company."""
from pathlib import Path

Path({marker!r}).write_text("executed")
raise SystemExit("executed")


class Window:
    """Hold the words around a word.

    The second paragraph of this docstring
    is wrapped over lines.
    """

    if True:

        async def slide(self):
            "Move the window one word on."


def comment():
    # A comment is not documentation, nor is a string that is returned:
    return "this string is only a value"


__doc__ += """More words about the whole module."""
add_newdoc("firth", "sine", ("cosine", """
    Return the cosine of an angle.
    """))
'''


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """Write a small package whose modules would all do harm if they ran."""
    root = tmp_path / "package"
    for folder in ("", "tests", "site-packages", "inner"):
        (root / folder).mkdir(exist_ok=True)
    (root / "b.py").write_text(MODULE.format(marker=str(tmp_path / "marker")))
    (root / "a.py").write_text('"""The first file by name comes first."""\nx = "\\d"\n')
    (root / "broken.py").write_text('"""This file is not Python."""\nprint "hello"\n')
    (root / "undecodable.py").write_bytes(b'"""This file is not UTF-8: \xff\xfe."""\n')
    (root / "null.py").write_bytes(b'"""This file has a null byte."""\0\n')
    (root / "latin.py").write_bytes(
        b'# -*- coding: latin-1 -*-\n"""Words for a caf\xe9 owner."""\n'
    )
    (root / "dangling.py").symlink_to(root / "nowhere.py")
    (root / "inner" / "copy.py").write_text('"""Count the words that keep company."""\n')
    (root / "tests" / "test_a.py").write_text('"""Tests are not read at all."""\n')
    (root / "site-packages" / "other.py").write_text('"""Other packages are not read."""\n')
    (root / "notes.txt").write_text("Only Python files are read here.\n")
    return Package("package", "1.0", root)


@pytest.mark.filterwarnings("error")
def test_reads_documentation_in_order_without_running_it(package: Package, tmp_path: Path) -> None:
    text = embedded.documentation([package])
    assert list(text) == [
        "The first file by name comes first.",
        "Count the words that keep company.",
        "Hold the words around a word.",
        "The second paragraph of this docstring is wrapped over lines.",
        "Move the window one word on.",
        "More words about the whole module.",
        "Return the cosine of an angle.",
        "Words for a café owner.",
    ]
    assert not (tmp_path / "marker").exists()


def test_counts_what_it_read(package: Package) -> None:
    text = embedded.documentation([package])
    assert (text.files, text.skipped, text.docstrings) == (4, 4, 7)
    assert text.packages == (package,)
    assert str(text) == "7 docstrings of 4 files (4 skipped): package 1.0"


def test_can_be_read_again(package: Package) -> None:
    text = embedded.documentation([package])
    assert list(text) == list(text) == list(embedded.documentation([package]))
    assert len(text) == len(list(text))


def test_no_packages_give_no_lines() -> None:
    assert list(embedded.documentation([])) == []


def test_identical_docstrings_are_kept_once_across_packages(package: Package) -> None:
    again = Package("again", "1.0", package.root)
    assert embedded.documentation([package, again]).lines == embedded.documentation([package]).lines


def test_strings_under_documenting_names_are_documentation() -> None:
    source = """
topics: dict[str, str] = {'assert': 'An assert\\nis a check.', 'del': 'It deletes a name.'}
_doc_default = "Parameters of every method."
docdict["a"] = "Written for %s only." % name
Window.__doc__ = "Set after the class was made."
documents = "Not every name that begins alike holds documentation."
add_docstring(obj, _array_method_doc("copy", "Return a copy of the array."))
log.info("An ordinary call is not documentation.")
"""
    assert embedded.docstrings(source) == [
        "An assert\nis a check.",
        "It deletes a name.",
        "Parameters of every method.",
        "Written for %s only.",
        "Set after the class was made.",
        "Return a copy of the array.",
    ]


NUMPYDOC = """
mean(a, axis=None, dtype=None, out=None)

Compute the arithmetic mean
along an axis.

.. versionadded:: 1.7
   The axis may be a tuple of many axes.

Parameters
----------
a : array_like
    Array containing numbers whose mean is desired. If `a` is not an
    array, a conversion is attempted.
axis : None or int, optional
    Axis along which the means are computed.

    .. note:: A negative axis counts
       from the last axis.

See Also
--------
:func:`~numpy.average` : The weighted average of the values.

Notes
-----
The mean :math:`m` is the sum divided by the number of values [1]_, that is

.. math::

    m = \\frac{1}{n} \\sum_i this is not prose x_i

as the `documentation <https://example.org/a_b>`_ of the **most** *used* function says. Use::

    m = mean of all the values

or the :meth:`ndarray.mean <numpy.ndarray.mean>` method. See https://example.org/long.

References
----------
.. [1] A. Author, "The title of the paper", the journal,
       with a second line.

Examples
--------
>>> print("the words of a session are code")
the words of its output are not prose either
  indented or not

After the session the prose goes on:

- a first item of the list
  that is wrapped
- a second item of the list

====  =====================
name  meaning of the column
====  =====================
a     the first of the rows
====  =====================
"""


def test_paragraphs_read_as_prose() -> None:
    assert list(embedded.paragraphs(NUMPYDOC)) == [
        "Compute the arithmetic mean along an axis.",
        "a : array_like Array containing numbers whose mean is desired. "
        "If a is not an array, a conversion is attempted.",
        "axis : None or int, optional Axis along which the means are computed.",
        "A negative axis counts from the last axis.",
        "average : The weighted average of the values.",
        "The mean m is the sum divided by the number of values, that is",
        "as the documentation of the most used function says. Use:",
        "or the ndarray.mean method. See.",
        "After the session the prose goes on:",
        "a first item of the list that is wrapped",
        "a second item of the list",
        "name meaning of the column",
        "a the first of the rows",
    ]


@pytest.mark.parametrize(
    ("markup", "prose"),
    [
        ("Uses the :class:`Space` of words.", "Uses the Space of words."),
        ("Uses the :py:meth:`~firth.Space.save` method.", "Uses the save method."),
        ("Uses ``the literal`` and `the name`.", "Uses the literal and the name."),
        ("The old `quoted' words and `others'.", "The old quoted words and others."),
        ("Pass *args and **kwargs to the function.", "Pass *args and **kwargs to the function."),
        ("The formula :math:`x^2 + y` is left out.", "The formula is left out."),
        ("Words %(template)s of a template.", "Words of a template."),
        (":param width: number of words on a side", "width: number of words on a side"),
        ("The words\n\tof a tab.", "The words of a tab."),
    ],
)
def test_inline_markup_becomes_its_text(markup: str, prose: str) -> None:
    assert list(embedded.paragraphs(markup)) == [prose]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "too short",
        "trapezoid(y, x=None, dx=1.0, axis=-1)",
        'assert_stmt ::= "assert" expression [ expression ] and so on',
        "x = [1, 2, 3] + [4, 5, 6] and more of them",
        "A Heading Of Words\n==================",
        ".. plot of the words in a comment",
    ],
)
def test_what_is_not_prose_is_dropped(text: str) -> None:
    assert list(embedded.paragraphs(text)) == []


@given(st.text(alphabet=st.sampled_from("ab :`*.->=|\t\n\u2028[]_%()<"), max_size=200))
def test_any_text_gives_single_spaced_lines_without_backticks(text: str) -> None:
    for line in embedded.paragraphs(text):
        assert "`" not in line
        assert line == " ".join(line.split())


def test_a_real_package_of_the_standard_library() -> None:
    root = Path(json.__file__).parent
    text = embedded.documentation([Package("json", "2.0.9", root)])
    assert (text.files, text.skipped) == (len(list(root.glob("*.py"))), 0)
    decode = json.JSONDecoder.decode.__doc__
    assert decode is not None
    assert " ".join(decode.split()).replace("``", "") in " ".join(text)
    assert not any(">>>" in line for line in text)


def test_packages_are_found_without_importing_them() -> None:
    program = (
        "import sys; from firth.text import embedded; before = 'scipy' in sys.modules;"
        "names = [p.name for p in embedded.installed()];"
        "assert ('scipy' in sys.modules) == before; print(*names)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["Python", "NumPy", "SciPy"]
