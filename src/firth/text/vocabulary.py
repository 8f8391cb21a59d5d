"""`Vocabulary`: words and how often they occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from firth.errors import CorpusError, FirthError, StoreError
from firth.stores.kinds import read_text
from firth.stores.writing import write_whole

PLACEHOLDER = "<unk>"  # stands for all rare words under ``rare="unk"``
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)
_UNESCAPES = {escape[1]: char for char, escape in _ESCAPES.items()}


class Vocabulary:
    """Distinct words in a fixed order, with how often each occurs.

    Counting orders words by falling frequency, and words of one frequency by code point.

    Parameters
    ----------
    words
        Distinct words with at least one visible character.
    frequencies
        A whole number of 0 or more for each word; zeros if left out.

    Examples
    --------
    >>> vocabulary = Vocabulary.sort({"rose": 2, "is": 3, "a": 3})
    >>> vocabulary.words
    ('a', 'is', 'rose')
    >>> vocabulary["rose"], vocabulary.frequency("is"), "tulip" in vocabulary
    (2, 3, False)
    """

    __slots__ = ("_index", "frequencies", "words")

    def __init__(self, words: Iterable[str], frequencies: Iterable[int] | None = None) -> None:
        given = tuple(words)
        _check_words(given)
        self._keep(given, _whole_frequencies(given, frequencies))

    def _keep(self, words: tuple[str, ...], frequencies: NDArray[np.int64]) -> None:
        self.words = words
        self.frequencies: NDArray[np.int64] = frequencies
        self.frequencies.setflags(write=False)
        self._index: dict[str, int] | None = None

    @classmethod
    def unchecked(cls, words: Iterable[str], frequencies: Iterable[int]) -> Self:
        """Make a vocabulary of words and frequencies that are known to be sound."""
        made = cls.__new__(cls)
        made._keep(tuple(words), np.asarray(frequencies, dtype=np.int64))
        return made

    @classmethod
    def sort(cls, frequencies: Mapping[str, int]) -> Self:
        """Make a vocabulary of a mapping, by falling frequency, then code point."""
        return cls(*in_order(frequencies))

    @property
    def index(self) -> dict[str, int]:
        """The position of each word."""
        if self._index is None:
            self._index = dict(zip(self.words, range(len(self.words)), strict=True))
        return self._index

    def frequency(self, word: str) -> int:
        """Return how often a word occurs."""
        return int(self.frequencies[self[word]])

    def __getitem__(self, word: str) -> int:
        """Return the position of a word."""
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
        together = " ".join(self.words)  # one search tells that no word needs it
        if any(char in together for char in _ESCAPES):
            words = map(escape, words)
        lines = zip(words, self.frequencies.tolist(), strict=True)
        return "".join([f"{word}\t{count}\n" for word, count in lines])

    @classmethod
    def from_text(cls, text: str, name: str) -> Vocabulary:
        """Read what `to_text` wrote; messages name the source `name`."""
        if text and not text.endswith("\n"):
            raise StoreError(f"{name}: the last line is cut short")
        words, counts = _parse(text) or _parse_lines(text, name)
        if "\\" in text:
            words = [unescape(word) if "\\" in word else word for word in words]
        vocabulary = cls.unchecked(words, counts)
        if len(vocabulary.index) < len(words):
            raise StoreError(f"{name}: the word {_repeated(words)!r:.60} is listed twice")
        return vocabulary


def in_order(frequencies: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Return words by falling frequency, then code point, and their frequencies.

    Examples
    --------
    >>> in_order({"rose": 2, "is": 3, "a": 3})
    (['a', 'is', 'rose'], [3, 3, 2])
    """
    pairs = sorted(frequencies.items(), key=lambda pair: (-pair[1], pair[0]))
    return [word for word, _ in pairs], [count for _, count in pairs]


def _check_words(words: tuple[str, ...]) -> None:
    """Raise if a word is not text, is blank or is listed twice."""
    try:
        distinct = set(words)
        blank = "" in distinct or any(map(str.isspace, words))
    except TypeError:
        wrong = next(word for word in words if not isinstance(word, str))
        raise FirthError(f"{wrong!r:.60} in `words` is not a word: give strings") from None
    if blank:
        wrong = next(word for word in words if not word or word.isspace())
        raise FirthError(f"{wrong!r:.60} in `words` is blank: leave it out")
    if len(distinct) < len(words):
        raise FirthError(f"the word {_repeated(words)!r:.60} is given twice: leave one out")


def _repeated(words: Sequence[str]) -> str:
    return Counter(words).most_common(1)[0][0]


def _whole_frequencies(
    words: tuple[str, ...], frequencies: Iterable[int] | None
) -> NDArray[np.int64]:
    """Return the frequencies of words as an array of our own, or raise if they cannot be."""
    if frequencies is None:
        return np.zeros(len(words), dtype=np.int64)
    given = frequencies if isinstance(frequencies, np.ndarray) else [*frequencies]
    try:
        array = np.array(given, dtype=None if len(given) else np.int64)
    except ValueError:  # lists of different lengths
        array = np.array([], dtype=np.float64)
    if array.shape != (len(words),):
        raise FirthError(f"{len(words):,} words have {array.size:,} frequencies: give one for each")
    if array.dtype.kind not in "iu" or (len(array) and not 0 <= array.min() <= array.max() < 2**63):
        wrong = next((one for one in given if not _is_frequency(one)), given[0])
        raise FirthError(
            f"`frequencies` must be whole numbers from 0 to 2^63 - 1, not {wrong!r:.60}"
        )
    return array.astype(np.int64, copy=False)


def _is_frequency(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and 0 <= int(value) < 2**63


def _parse(text: str) -> tuple[list[str], Iterable[int]] | None:
    """Split all lines into words and frequencies at once; None if a line is unusual."""
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    tabs, ends = np.flatnonzero(raw == ord("\t")), np.flatnonzero(raw == ord("\n"))
    if not len(ends) or len(tabs) != len(ends):
        return None
    digits = ends - tabs - 1
    letters = tabs - np.concatenate([[0], ends[:-1] + 1])
    if letters.min() < 1 or digits.min() < 1 or digits.max() > 18:
        return None  # a line is malformed, or a number may be too large
    turns = np.zeros(len(raw), dtype=np.int8)
    turns[tabs], turns[ends] = 1, -1
    counting = np.cumsum(turns, dtype=np.int8).view(bool)  # from a tab to before a line's end
    numbers = raw[counting]
    if ((numbers - ord("0") > 9) & (numbers != ord("\t"))).any():
        return None
    words = raw[~counting].tobytes().decode("utf-8", "surrogatepass").split("\n")
    return words[:-1], np.fromstring(numbers.tobytes().decode("ascii"), dtype=np.int64, sep="\t")


def _parse_lines(text: str, name: str) -> tuple[list[str], list[int]]:
    """Split lines one by one, and raise an error that names the first malformed one."""
    words, counts = [], []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        word, tab, count = line.partition("\t")
        if not word or not tab or not is_frequency(count):
            raise StoreError(f"{name}: line {number:,} is not a word, a tab and a frequency")
        words.append(word)
        counts.append(int(count))
    return words, counts


def is_frequency(text: str) -> bool:
    """Whether a text is a whole number from 0 to 2^63 - 1.

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
    r"""Read a vocabulary file: one word per line, up to a tab if there is one.

    Blank lines are skipped, and a repeated word is listed once. A word that a tab follows, as in
    the vocabulary of a store, is unescaped; in a plain list a backslash is part of the word.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}: not UTF-8 at byte {error.start:,}: convert it with iconv, or check the name"
        ) from error
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read: {error.strerror}: give a file with one word per line"
        ) from error
    fields = (line.rstrip("\r").partition("\t") for line in text.split("\n"))
    words = (unescape(word) if tab else word for word, tab, _ in fields if word.strip())
    found = list(dict.fromkeys(words))
    if not found:
        raise CorpusError(
            f"{path}: the vocabulary file holds no words: give a file with one word per line"
        )
    return found


def word_list(words: str | Path | Sequence[str]) -> list[str]:
    """List the words of a vocabulary file or of a sequence, each once."""
    if isinstance(words, str | Path):
        return read_word_list(Path(words))
    try:
        given = list(words)
    except TypeError:
        raise CorpusError(f"`vocab` must be a file or a list of words, not {words!r:.60}") from None
    wrong = [word for word in given if not isinstance(word, str)]
    if wrong:
        raise CorpusError(f"{wrong[0]!r:.60} in `vocab` is not a word: give strings")
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
