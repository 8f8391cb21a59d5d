"""Put senses into a text: each divided word becomes word_1, word_2 … where its sense is clear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.progress import Event
from firth.resources import Resources
from firth.senses.inducing import SMOOTHING, Divided, tokens_of
from firth.stores.writing import check_free, write_files
from firth.text.pieces import lines_of
from firth.text.sources import Corpus

if TYPE_CHECKING:
    from firth.senses.senses import Senses

Doubles = NDArray[np.float64]


class Tagger:
    """Replaces words by their senses, line by line.

    Parameters
    ----------
    senses
        The senses.
    window
        How many words on each side decide.
    clear
        The second sense must weigh at most so much of the first; otherwise the word stays.

    Examples
    --------
    >>> import firth
    >>> lines = ["a loan of money from the bank", "the bank pays interest on money",
    ...          "money and interest on a loan", "fish swim near the river bank",
    ...          "the wet river bank has fish", "fish in a wet river"] * 3
    >>> counts = firth.count(lines, min_count=1)
    >>> senses = firth.Senses.learn(counts, ["bank"], k=2, min_support=2)
    >>> tagged = Tagger(senses).tagged("the bank pays interest on money".split())
    >>> tagged[1] in ("bank_1", "bank_2")
    True
    """

    def __init__(self, senses: Senses, window: int = 10, clear: float = 0.8) -> None:
        if window < 1:
            raise FirthError(f"`window` must be 1 or more, not {window!r}")
        if not 0 <= clear <= 1:
            raise FirthError(f"`clear` must be from 0 to 1, not {clear!r}")
        self.senses, self.window, self.clear = senses, window, clear
        self.replaced = self.unclear = 0
        known = senses.words
        share = known.frequencies / max(int(known.frequencies.sum()), 1)
        self._weights = SMOOTHING / (SMOOTHING + share)
        self._index = known.index
        self._divided: dict[int, Divided] = {}
        self._places = {*senses.places.tolist()}

    def tagged(self, tokens: list[str]) -> list[str]:
        """Return tokens with senses in the place of words.

        Parameters
        ----------
        tokens
            Of a line.
        """
        index = self._index
        places = np.array([index.get(token, -1) for token in tokens], dtype=np.int64)
        weights = np.where(places >= 0, self._weights[places], 0.0)
        out = list(tokens)
        for at, place in enumerate(places.tolist()):
            if place in self._places:
                name = self._sense(place, at, places, weights)
                if name is None:
                    self.unclear += 1
                else:
                    self.replaced += 1
                    out[at] = name
        return out

    def _sense(
        self, place: int, at: int, places: NDArray[np.int64], weights: Doubles
    ) -> str | None:
        """Return the sense of the word at a place of a line, or None if it is not clear."""
        word = self._divided.get(place)
        if word is None:
            word = Divided.of(self.senses, self.senses.words.words[place])
            self._divided[place] = word
        if len(word.names) == 1:
            return word.names[0]
        near = slice(max(0, at - self.window), at + self.window + 1)
        columns = np.searchsorted(word.contexts, places[near])
        columns[columns == len(word.contexts)] = 0
        met = (word.contexts[columns] == places[near]) & (places[near] != place)
        cosines = word.vectors[:, columns[met]] @ weights[near][met]
        best = int(np.argmax(cosines))
        if cosines[best] <= 0:
            return None
        second = float(np.partition(cosines, -2)[-2])
        return word.names[best] if second <= self.clear * float(cosines[best]) else None


def tag(
    senses: Senses,
    corpus: object,
    out: str | Path,
    *,
    window: int = 10,
    clear: float = 0.8,
    force: bool = False,
    resources: Resources | None = None,
) -> Tagger:
    r"""Write a text in which each divided word whose sense is clear is replaced by its sense.

    Lines stay lines; their words are separated by spaces.

    Parameters
    ----------
    senses
        The senses.
    corpus
        A text, as for `firth.count`.
    out
        The file to write.
    window, clear
        See `Tagger`.
    force
        Replace an existing file.
    resources
        Progress.

    Returns
    -------
    Tagger
        Which says how many words were `replaced`, and how many were `unclear`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import firth
    >>> lines = ["a loan of money from the bank", "the bank pays interest on money",
    ...          "money and interest on a loan", "fish swim near the river bank",
    ...          "the wet river bank has fish", "fish in a wet river"] * 3
    >>> counts = firth.count(lines, min_count=1)
    >>> senses = firth.Senses.learn(counts, ["bank"], k=2, min_support=2)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tagged.txt"
    >>> tag(senses, lines, path).replaced
    12
    """
    path = Path(out)
    check_free(path, force)
    tagger = Tagger(senses, window, clear)
    source = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    used = resources or Resources()

    def write(file: IO[bytes]) -> None:
        for number, tokens in enumerate(_token_lists(source, senses)):
            file.write((" ".join(tagger.tagged(tokens)) + "\n").encode("utf-8", "replace"))
            if number % 1024 == 1023:
                used.progress(Event("lines", number + 1, 0))

    write_files((path, write))
    return tagger


def _token_lists(source: Corpus, senses: Senses) -> Iterator[list[str]]:
    """Yield the tokens of each line, cut as those of the counts were."""
    recipe = senses.recipe.get("counts", {})
    plain = recipe.get("tokenizer") in ("whitespace", "tokens")
    tokenizer, stated = "whitespace" if plain else "words", recipe.get("lower")
    lower = stated if isinstance(stated, bool) else not plain
    for line in lines_of(source):
        yield tokens_of(line, tokenizer, lower) if isinstance(line, str) else line
