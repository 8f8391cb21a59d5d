"""Sentences with entity tags, from files in the column format of the CoNLL shared tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from firth.errors import CorpusError
from firth.evaluation.ner.spans import Sentence, check_scheme, first_fault, split_tag

DOCUMENT = "-DOCSTART-"  # begins a document in the files of CoNLL-2003
_SPACES = re.compile(r"[ \t]+")  # only these: a word may contain a no-break space


def read_conll(
    path: str | Path, *, word: int = 0, tag: int = -1, scheme: str | None = None
) -> list[Sentence]:
    r"""Read a file with one token per line, in columns separated by tabs or spaces.

    A blank line ends a sentence, and so does one that begins with ``-DOCSTART-``. Lines may end in
    CR LF, and the file may begin with a byte order mark.

    Parameters
    ----------
    path
        The file.
    word, tag
        The columns of words and tags, counted from 0, or from the last as -1.
    scheme
        Raise for tags that are not valid in this scheme: IOB1, IOB2, BIOES or BILOU. By default
        entities are read by the rule of `entities`, which accepts all of these, and reads I- after
        O as a beginning.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "names.conll"
    >>> _ = path.write_text("Ada\tB-person\nsleeps\tO\n\nMilan\tB-place\n")
    >>> read_conll(path)
    [Sentence(words=('Ada', 'sleeps'), tags=('B-person', 'O')),
     Sentence(words=('Milan',), tags=('B-place',))]
    """
    if scheme is not None:
        check_scheme(scheme)
    path = Path(path)
    sentences = []
    for lines in _blocks(path, word, tag):
        sentence = Sentence(tuple(one[1] for one in lines), tuple(one[2] for one in lines))
        fault = None if scheme is None else first_fault(sentence.tags, scheme)
        if fault is not None:
            number, _, wrong = lines[fault]
            raise CorpusError(
                f"{path}: line {number:,}: {wrong!r} is not valid here in {scheme}: fix it, or "
                "leave out `scheme`"
            )
        sentences.append(sentence)
    if not sentences:
        raise CorpusError(f"{path}: holds no sentences: a line is a word, a tab and a tag")
    return sentences


def _blocks(path: Path, word: int, tag: int) -> Iterator[list[tuple[int, str, str]]]:
    """Yield the lines of each sentence: number, word and tag."""
    block: list[tuple[int, str, str]] = []
    width = 0
    for number, ended in enumerate(_text(path).split("\n"), 1):
        line = ended.rstrip("\r")
        if not line.strip(" \t") or line.startswith(DOCUMENT):
            if block:
                yield block
            block = []
            continue
        fields = line.split("\t") if "\t" in line else _SPACES.split(line.strip(" "))
        width = width or len(fields)
        fault = _fault(fields, width, word, tag)
        if fault:
            raise CorpusError(f"{path}: line {number:,}: {fault}")
        block.append((number, fields[word], fields[tag]))
    if block:
        yield block


def _fault(fields: list[str], width: int, word: int, tag: int) -> str:
    """Return what is wrong with a line; empty if nothing is."""
    if len(fields) != width:
        return f"{len(fields):,} columns where {width:,} came before: every line needs as many"
    if width < 2:
        return f"{fields[0]!r} has no tag: a line is a word, a tab and a tag"
    if not all(-width <= column < width for column in (word, tag)):
        return f"there is no column {word if not -width <= word < width else tag} among {width:,}"
    if not fields[word]:
        return "there is no word before the tab"
    if split_tag(fields[tag]) is None:
        return f"{fields[tag]!r} is not a tag: tags are O, B-type, I-type, E-type and S-type"
    return ""


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start:,}: convert it") from error
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror}") from error
