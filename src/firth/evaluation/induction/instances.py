"""Instances of word sense induction tasks: words in their contexts, from the organisers' XML.

Two formats are read. That of Senseval-2 and SemEval-2013 has ``<lexelt item="bank.n">`` with
``<instance id="bank.n.1"><context>… <head>bank</head> …</context></instance>``. That of
SemEval-2010 has an element for each instance, named by it, with a ``<TargetSentence>`` in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.evaluation.lines import LARGEST, DatasetError

_SHAPES = "a <lexelt> with <instance> elements, or elements with a <TargetSentence>"


@dataclass(frozen=True)
class Instance:
    """A word in a context.

    Attributes
    ----------
    word
        The word and its part of speech, as in ``bank.n``.
    name
        Of the instance, as in ``bank.n.1``.
    before, head, after
        The context up to the word, the word as it is written there, and what follows. Where the
        file does not mark the word, ``before`` is the whole context.

    Examples
    --------
    >>> Instance("bank.n", "bank.n.1", "the", "banks", "of the river").text
    'the banks of the river'
    """

    word: str
    name: str
    before: str
    head: str = ""
    after: str = ""

    @property
    def lemma(self) -> str:
        """The word without its part of speech."""
        return self.word.rpartition(".")[0] or self.word

    @property
    def text(self) -> str:
        """The whole context."""
        return " ".join(part for part in (self.before, self.head, self.after) if part)


def read_instances(path: str | Path) -> list[Instance]:
    r"""Read the instances of a task from its XML.

    Parameters
    ----------
    path
        The file; of SemEval-2010, one of a word.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "contexts.xml"
    >>> _ = path.write_text(
    ...     "<corpus><lexelt item='bank.n'><instance id='bank.n.1'><context>on the "
    ...     "<head>banks</head> of it</context></instance></lexelt></corpus>")
    >>> read_instances(path)
    [Instance(word='bank.n', name='bank.n.1', before='on the', head='banks', after='of it')]
    """
    path = Path(path)
    root = _parse(path)
    found = [*_of_senseval(path, root)] or [*_of_target_sentences(root)]
    if not found:
        raise DatasetError(f"{path}: no instances: it should have {_SHAPES}")
    seen: set[str] = set()
    for instance in found:
        if instance.name in seen:
            raise DatasetError(f"{path}: the instance {instance.name!r} is there twice")
        seen.add(instance.name)
    return found


def _parse(path: Path) -> Any:
    """Parse an XML file that declares no entities, which could grow without bound."""
    from xml.etree import ElementTree

    try:
        if path.stat().st_size > LARGEST:
            raise DatasetError(f"{path}: larger than any test: is it the right file?")
        content = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror}: name a file that can be read") from None
    if b"<!ENTITY" in content.replace(b"\0", b""):  # UTF-16 has zeros between the letters
        raise DatasetError(f"{path}: declares entities, which are not read: write them out")
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise DatasetError(f"{path}: not XML ({error}): fetch it again") from None


def _of_senseval(path: Path, root: Any) -> Iterator[Instance]:
    for entry in root.iter("lexelt"):
        word = entry.get("item")
        for element in entry.iter("instance"):
            name, context = element.get("id"), element.find("context")
            if not word or not name or context is None:
                raise DatasetError(
                    f"{path}: instance {name!r} of {word!r} has no name, word or <context>"
                )
            head = context.find(".//head")
            if head is None:
                yield Instance(word, name, _plain("".join(context.itertext())))
                continue
            before, after = _around(context, head)
            yield Instance(word, name, before, _plain("".join(head.itertext())), after)


def _around(context: Any, head: Any) -> tuple[str, str]:
    """Return the text before and after the first head of a context."""
    before: list[str] = []
    after: list[str] = []
    into = before
    # A stack of its own: elements may lie deeper in each other than functions can call each other.
    left: list[Any] = [context]
    while left:
        one = left.pop()
        if isinstance(one, str):
            into.append(one)
            continue
        if one is not context:
            left.append(one.tail or "")
        if one is head:
            into = after
        else:
            into.append(one.text or "")
            left.extend(reversed(one))
    return _plain("".join(before)), _plain("".join(after))


def _of_target_sentences(root: Any) -> Iterator[Instance]:
    for element in root.iter():
        if element.find("TargetSentence") is not None:
            word = element.tag.rpartition(".")[0] or element.tag
            yield Instance(word, element.tag, _plain("".join(element.itertext())))


def _plain(text: str) -> str:
    return " ".join(text.split())
