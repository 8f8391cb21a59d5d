"""The Wikipedia cleaner: from extracted articles or wikitext to one sentence a line.

The steps are those of section 6.2 of the thesis on UBE, KUBWE and EigenWord: remove tags, text in
parentheses and in braces, and links, and split sentences. Its last step, lowercasing and
tokenising, is left to the tokenizer. The thesis runs WikiExtractor first; the markup which that
tool removes is handled here, so that the text of a plain dump can be read too.
"""

from __future__ import annotations

import html
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from firth.text.cleaners.links import without_links
from firth.text.cleaners.sentences import split_sentences

MAX_OPEN_LINES = 200
"""How many lines a brace, comment or element can stay open before it is read as plain text.

This is enough for nearly every infobox; rows of longer tables are removed one by one.
"""

# Marks a place where text was removed; no input line contains it.
_GAP = "\0"

# With the semicolon, and of bounded length: html.unescape alone raises on very long numbers and
# would read the "&copy" in an address.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_METADATA = re.compile(
    r"<(title|ns|id|parentid|origin|timestamp|username|ip|comment|model|format|sha1|sitename|dbname"
    r"|base|generator|case|namespace)(?:\s[^<>]*+)?>[^<>]*+</\1>"
)
_ARTICLE_EDGES = frozenset({"</doc>", "<page>", "</page>"})

# The attributes of a tag must contain "=", so that "a <b and c> d" is not a tag.
_NESTING = re.compile(
    r"[{}]|<!--|-->|</?([A-Za-z][\w:.-]*+)(?:\s[^<>=]*+=[^<>]*+|\s*+/?)>", re.ASCII
)
_DROPPED_ELEMENTS = frozenset(
    str.split("""
    ref references math chem gallery timeline source syntaxhighlight score hiero imagemap graph
    mapframe maplink templatedata style script table
    """)
)
# Tags that separate words; the others (<b>, <span>, ...) can be inside a word.
_PARTING_TAGS = frozenset(
    str.split("br p div li ul ol dl dt dd tr td th hr h1 h2 h3 h4 sup page text")
)

_PARENTHESES = re.compile(r"([()（）])")
_BRACKETS = re.compile(r"(\[\[|\]\]|\|)")
_DROPPED_LINK = re.compile(
    r"""\s*(?:
    (?: file | image | media | category                              # English, known everywhere
      | datei | bild | kategorie | fichier | catégorie | archivo | imagen | categoría | immagine
      | categoria | ficheiro | arquivo | bestand | afbeelding | categorie | plik | grafika
      | kategoria | fil | kategori | soubor | dosya | файл | изображение | категория | категорія
      | ファイル | 画像 | 文件 | 档案 | 分类 | 파일 | 분류 | चित्र | श्रेणी | ملف | تصنيف
    )\s*:
    | (?-i:[a-z]{2,3}(?:-[a-z]{2,8}){0,2}):[^|]*\]\Z                 # the article elsewhere
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_WEB_LINK = re.compile(r"\[(?:(?:https?|ftp)://|//|mailto:)[^\s\[\]]*+\s*+([^\[\]]*+)\]", re.I)
_QUOTE_MARKUP = re.compile(r"'{2,}+")
_MAGIC_WORD = re.compile(r"__[A-Z]{3,32}__")
_BULLET = re.compile(r"[*#:;]++\s*+")
_REDIRECT = re.compile(r"#redirect\b", re.IGNORECASE)
_GAPS = re.compile(f" ?(?:{_GAP} ?)++")
_GAP_BEFORE_MARK = re.compile(rf"{_GAP}(?=[,.;:!?…]|\Z)|\A{_GAP}")


def wikipedia(lines: Iterable[str]) -> Iterator[str]:
    """Clean WikiExtractor's output or the text of a plain dump: one sentence per line.

    These are removed: `<doc>` lines and the title under them, a dump's metadata, tags, comments,
    `<ref>` and other elements without prose, `{{templates}}`, tables and everything else in
    braces, `[[File:...]]` and categories, headings, bullets, quote markup, text in parentheses,
    and addresses. `[[target|label]]` and `[address label]` are replaced by their label; character
    references are decoded. Parentheses are matched within a line; braces, comments and elements
    within `MAX_OPEN_LINES` lines, after which the text is kept and only the opening is removed.

    Parameters
    ----------
    lines
        The lines of one file, without newline characters.

    Yields
    ------
    str
        One sentence, with single spaces and at least one letter or digit.

    References
    ----------
    Thesis on UBE, KUBWE and EigenWord, section 6.2, steps 1 to 6.

    Examples
    --------
    >>> list(wikipedia([
    ...     '<doc id="12" url="https://example.org/?curid=12" title="Anarchism">',
    ...     "Anarchism",
    ...     "",
    ...     "'''Anarchism''' (from [[Greek language|Greek]]) is old.<ref>A book.</ref> Dr. X knew.",
    ...     "</doc>",
    ... ]))
    ['Anarchism is old.', 'Dr. X knew.']
    >>> list(wikipedia(["It holds that a < b and c > d {{citation", "needed}} for all of them."]))
    ['It holds that a < b and c > d for all of them.']
    """
    for line in _without_nested(_article_lines(lines)):
        for sentence in split_sentences(_prose(line)):
            if any(map(str.isalnum, sentence)):
                yield sentence


def _article_lines(lines: Iterable[str]) -> Iterator[str | None]:
    """Yield the lines inside articles, decoded, and None where an article begins or ends."""
    title = ""
    for line in lines:
        bare = line.strip()
        if bare in _ARTICLE_EDGES or (bare.startswith("<doc ") and bare.endswith(">")):
            # The title is the last attribute; older extractors did not escape quotes in it.
            _, _, attribute = bare.partition(' title="')
            title = _decoded(attribute.rpartition('"')[0])
            yield None
            continue
        decoded = _decoded(line).replace(_GAP, " ")
        if title and decoded.strip():
            expected, title = title, ""
            if decoded.split() == expected.split():
                continue
        if not _METADATA.fullmatch(bare):
            yield " ".join(decoded.split())


def _decoded(text: str) -> str:
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text) if "&" in text else text


class _Opening(NamedTuple):
    kind: str
    piece: int
    line: int


class _Nesting:
    """Removes text between matched openings and closings, over a bounded number of lines.

    Text is kept as a queue of pieces. A closing pops the pieces back to its opening, so that each
    piece is pushed and popped once. An opening that stays open too long is dropped, and the pieces
    up to the next one leave the queue at the front.
    """

    def __init__(self) -> None:
        self._pieces: deque[str] = deque()
        self._gone = 0  # how many pieces have left the queue at the front
        self._open: deque[_Opening] = deque()
        self._open_kinds: Counter[str] = Counter()
        self._begun: list[str] = []  # the pieces of an incomplete line

    @property
    def idle(self) -> bool:
        return not self._pieces and not self._begun

    def add(self, line: str, number: int) -> None:
        position = 0
        for token in _NESTING.finditer(line):
            self._pieces.append(line[position : token.start()])
            position = token.end()
            self._take(token, number)
        self._pieces.append(line[position:])
        self._pieces.append("\n")

    def _take(self, token: re.Match[str], number: int) -> None:
        mark, name = token[0], (token[1] or "").lower()
        if name and name not in _DROPPED_ELEMENTS:
            self._pieces.append(_GAP if name in _PARTING_TAGS else "")
            return
        kind = name or ("{" if mark in "{}" else "<!--")
        if mark in ("}", "-->") or mark.startswith("</"):
            self._close(kind)
        elif not mark.endswith("/>"):
            self._open.append(_Opening(kind, self._gone + len(self._pieces), number))
            self._open_kinds[kind] += 1
        self._pieces.append(_GAP)

    def _close(self, kind: str) -> None:
        if not self._open_kinds[kind]:
            return
        while True:
            opening = self._open.pop()
            self._open_kinds[opening.kind] -= 1
            if opening.kind == kind:
                break
        while self._gone + len(self._pieces) > opening.piece:
            self._pieces.pop()

    def ready(self, number: int) -> Iterator[str]:
        """Yield the complete lines before the oldest opening that can still be closed."""
        while self._open and self._open[0].line + MAX_OPEN_LINES <= number:
            self._open_kinds[self._open.popleft().kind] -= 1
        end = self._open[0].piece if self._open else self._gone + len(self._pieces)
        while self._gone < end:
            self._gone += 1
            piece = self._pieces.popleft()
            if piece == "\n":
                yield "".join(self._begun)
                self._begun.clear()
            else:
                self._begun.append(piece)

    def rest(self) -> Iterator[str]:
        """Yield all lines that are left: the article ends here, so nothing else can be closed."""
        self._open.clear()
        self._open_kinds.clear()
        return self.ready(0)


def _without_nested(lines: Iterable[str | None]) -> Iterator[str]:
    """Remove tags, and braces, comments and elements with their contents."""
    nesting = _Nesting()
    for number, line in enumerate(lines):
        if line is None:
            yield from nesting.rest()
        elif nesting.idle and not _NESTING.search(line):
            yield line
        else:
            nesting.add(line, number)
            yield from nesting.ready(number)
    yield from nesting.rest()


def _prose(line: str) -> str:
    """Return a line without its markup; empty for headings and table rows."""
    bare = line.strip(_GAP + " ")
    is_heading = len(bare) > 2 and bare[0] == "=" == bare[-1]
    if not bare or bare[0] == "|" or is_heading or _REDIRECT.match(bare):
        return ""
    text = _BULLET.sub("", bare, count=1) if bare[0] in "*#:;" else bare
    text = _decoded(text)  # a second time, as in a dump
    if "[" in text:
        text = _WEB_LINK.sub(r"\1", _without_wiki_links(text))
    if "''" in text:
        text = _QUOTE_MARKUP.sub("", text)
    if "__" in text:
        text = _MAGIC_WORD.sub(_GAP, text)
    text = without_links(_without_parentheses(text), _GAP)
    if _GAP not in text:
        return text
    text = _GAPS.sub(_GAP, " ".join(text.split()))
    return _GAP_BEFORE_MARK.sub("", text).replace(_GAP, " ")


def _without_wiki_links(text: str) -> str:
    """Replace each [[target|label]] by its label; remove files, categories and other languages."""
    pieces: list[str] = []
    # Where a link's text begins, and whether to remove it: None until its target is read.
    opened: list[tuple[int, bool | None]] = []
    for token in _BRACKETS.split(text):
        if token == "[[":
            opened.append((len(pieces), None))
        elif opened and token in ("|", "]]"):
            at, dropped = opened.pop()
            target = "".join(pieces[at : at + 1])
            if dropped is None:
                dropped = _DROPPED_LINK.match(target + token[:1]) is not None
                pieces[at : at + 1] = [target.removeprefix(":")]
            if dropped or token == "|":
                del pieces[at:]
            if token == "|":
                opened.append((at, dropped))
            elif dropped:
                pieces.append(_GAP)
        elif token != "]]":
            pieces.append(token)
    return "".join(pieces)


def _without_parentheses(text: str) -> str:
    """Remove matched parentheses and the text in them; keep unmatched ones."""
    if "(" not in text and "（" not in text:
        return text
    pieces: list[str] = []
    open_at: list[int] = []
    for token in _PARENTHESES.split(text):
        if token in (")", "）") and open_at:
            del pieces[open_at.pop() :]
            pieces.append(_GAP)
            continue
        if token in ("(", "（"):
            open_at.append(len(pieces))
        pieces.append(token)
    return "".join(pieces)
