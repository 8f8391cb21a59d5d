"""Words and how often they occur, by falling frequency, then code point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firth.errors import CorpusError, StoreError
from firth.stores.kinds import read_text
from firth.stores.writing import write_whole

UNKNOWN = "<unk>"
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)
_UNESCAPES = {escape[1]: char for char, escape in _ESCAPES.items()}


class Vocabulary:
    """Words with int64 frequencies, by falling frequency, then code point.

    Parameters
    ----------
    words
        Distinct words, in order.
    frequencies
        As many numbers.

    Examples
    --------
    >>> vocabulary = Vocabulary.sort({"rose": 2, "is": 3, "a": 3})
    >>> vocabulary.words
    ('a', 'is', 'rose')
    >>> vocabulary["rose"], vocabulary.frequency("is"), "tulip" in vocabulary
    (2, 3, False)
    """

    __slots__ = ("_index", "frequencies", "words")

    def __init__(self, words: Iterable[str], frequencies: Iterable[int]) -> None:
        self.words = tuple(words)
        self.frequencies: NDArray[np.int64] = np.asarray(frequencies, dtype=np.int64)
        self.frequencies.setflags(write=False)
        self._index: dict[str, int] | None = None
        if self.frequencies.shape != (len(self.words),):
            raise StoreError(
                f"a vocabulary of {len(self.words):,} words has {self.frequencies.size:,} "
                "frequencies"
            )

    @classmethod
    def sort(cls, frequencies: dict[str, int]) -> Vocabulary:
        """Make a vocabulary of a mapping, in the order every vocabulary has."""
        pairs = sorted(frequencies.items(), key=lambda pair: (-pair[1], pair[0]))
        return cls((word for word, _ in pairs), [count for _, count in pairs])

    @property
    def index(self) -> dict[str, int]:
        """The place of each word."""
        if self._index is None:
            self._index = dict(zip(self.words, range(len(self.words)), strict=True))
        return self._index

    def frequency(self, word: str) -> int:
        """How often a word occurs."""
        return int(self.frequencies[self[word]])

    def __getitem__(self, word: str) -> int:
        return self.index[word]

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.words == other.words and np.array_equal(self.frequencies, other.frequencies)

    def __hash__(self) -> int:
        return hash(self.words)

    def __repr__(self) -> str:
        shown = ", ".join(self.words[:3]) + (", …" if len(self) > 3 else "")
        return f"Vocabulary({len(self):,} words: {shown})"

    def to_text(self) -> str:
        r"""Write one ``word<TAB>frequency`` a line.

        Backslash, tab and line ends inside a word are written ``\\``, ``\t``, ``\n``, ``\r``.
        """
        words: Iterable[str] = self.words
        together = " ".join(self.words)  # words are seldom in need of it, and one look tells
        if any(char in together for char in _ESCAPES):
            words = map(escape, words)
        lines = zip(words, self.frequencies.tolist(), strict=True)
        return "".join([f"{word}\t{count}\n" for word, count in lines])

    @classmethod
    def from_text(cls, text: str, name: str) -> Vocabulary:
        """Read what `to_text` wrote; `name` is for messages."""
        if text and not text.endswith("\n"):
            raise StoreError(f"{name}: the last line is cut short")
        words, counts = _parse(text) or _parse_lines(text, name)
        if "\\" in text:
            words = [unescape(word) if "\\" in word else word for word in words]
        vocabulary = cls(words, counts)
        if len(vocabulary.index) < len(words):
            raise StoreError(f"{name}: a word stands in it twice")
        return vocabulary


def _parse(text: str) -> tuple[list[str], Iterable[int]] | None:
    """Take apart the words and frequencies of all lines at once, or None if one is unusual."""
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    tabs, ends = np.flatnonzero(raw == ord("\t")), np.flatnonzero(raw == ord("\n"))
    if not len(ends) or len(tabs) != len(ends):
        return None
    digits = ends - tabs - 1
    letters = tabs - np.concatenate([[0], ends[:-1] + 1])
    if letters.min() < 1 or digits.min() < 1 or digits.max() > 18:
        return None  # the lines are not what they should be, or a number may be too large
    turns = np.zeros(len(raw), dtype=np.int8)
    turns[tabs], turns[ends] = 1, -1
    counting = np.cumsum(turns, dtype=np.int8).view(bool)  # from a tab to before a line's end
    numbers = raw[counting]
    if ((numbers - ord("0") > 9) & (numbers != ord("\t"))).any():
        return None
    words = raw[~counting].tobytes().decode("utf-8", "surrogatepass").split("\n")
    return words[:-1], np.fromstring(numbers.tobytes().decode("ascii"), dtype=np.int64, sep="\t")


def _parse_lines(text: str, name: str) -> tuple[list[str], list[int]]:
    """Take lines apart one by one, and name the first that is wrong."""
    words, counts = [], []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        word, tab, count = line.partition("\t")
        if not word or not tab or not is_frequency(count):
            raise StoreError(f"{name}: line {number:,} is not a word, a tab and a frequency")
        words.append(word)
        counts.append(int(count))
    return words, counts


def is_frequency(text: str) -> bool:
    """Whether a text is a number that a frequency can be.

    Examples
    --------
    >>> is_frequency("12"), is_frequency("-1"), is_frequency("9" * 19)
    (True, False, False)
    """
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63


def escape(word: str) -> str:
    r"""Write a word so that it fits on one line between tabs.

    Examples
    --------
    >>> escape("a\tb"), escape("plain")
    ('a\\tb', 'plain')
    """
    return word.translate(_ESCAPE_TABLE) if not word.isalnum() else word


def unescape(word: str) -> str:
    r"""Undo `escape`; a backslash before any other character stands for itself.

    Examples
    --------
    >>> unescape("a\\tb") == "a\tb"
    True
    """
    out = []
    chars = iter(word)
    for char in chars:
        if char == "\\":
            following = next(chars, "")
            out.append(_UNESCAPES.get(following, "\\" + following))
        else:
            out.append(char)
    return "".join(out)


def read_word_list(path: Path) -> list[str]:
    r"""Read a vocabulary file: a word a line, what follows a tab is not looked at.

    Blank lines are passed over and a repeated word counts once. Only where a tab follows, as in
    the vocabulary of a store, is a word unescaped: in a plain list ``\name`` is what it says.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}: not UTF-8 at byte {error.start:,}: convert it with iconv, or check the name"
        ) from error
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read: {error.strerror}: give a file with a word a line"
        ) from error
    fields = (line.rstrip("\r").partition("\t") for line in text.split("\n"))
    words = (unescape(word) if tab else word for word, tab, _ in fields if word.strip())
    found = list(dict.fromkeys(words))
    if not found:
        raise CorpusError(
            f"{path}: the vocabulary file holds no words: give one with a word a line"
        )
    return found


def word_list(words: str | Path | Sequence[str]) -> list[str]:
    """Take a vocabulary from a file or a sequence of words."""
    if isinstance(words, str | Path):
        return read_word_list(Path(words))
    given = list(words)
    wrong = [word for word in given if not isinstance(word, str)]
    if wrong:
        raise CorpusError(f"{wrong[0]!r:.40} in the vocabulary is not a word: give strings")
    return list(dict.fromkeys(given))


def read_vocabulary(path: Path) -> Vocabulary:
    """Read the vocabulary of a store."""
    return Vocabulary.from_text(read_text(path), str(path))


def write_vocabulary(path: Path, vocabulary: Vocabulary) -> None:
    """Write the vocabulary of a store; a word that UTF-8 cannot hold is an error."""
    text = vocabulary.to_text()
    try:
        write_whole(path, text)
    except UnicodeEncodeError as error:
        line = text[text.rfind("\n", 0, error.start) + 1 : error.end]
        raise StoreError(
            f"{line!r:.80}: half a character, which UTF-8 cannot hold: nothing was written"
        ) from None
