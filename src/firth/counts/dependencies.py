"""Counts of words and their governors, a view for each relation.

P. Rastogi, B. Van Durme and R. Arora (2015) use 21 of the collapsed Stanford dependencies. The
Universal Dependencies that correspond to them are in `STANFORD`: prepositions and conjunctions come
with the enhanced relations (``nmod:of``, ``conj:and``), or, where a file has none, from the word
that marks the dependent (``case``, ``cc``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firth.counts.conllu import Word
from firth.counts.matrix import Counts
from firth.counts.pairs import NoPairsError, PairCounts
from firth.errors import FirthError

RELATIONS = ("stanford", "universal")
_PREPOSITIONS = ("of", "in", "to", "on", "for", "with", "from", "at", "by", "as", "between")
# The name of a view, and the relations that are counted in it.
STANFORD = {
    "nsubj": ("nsubj", "nsubj:pass"),
    "amod": ("amod",),
    "advmod": ("advmod",),
    "rcmod": ("acl:relcl",),
    "dobj": ("obj",),
    "xsubj": ("nsubj:xsubj",),
    "agent": ("obl:agent",),
    "conj_and": ("conj:and",),
    "conj_but": ("conj:but",),
    **{f"prep_{word}": (f"nmod:{word}", f"obl:{word}") for word in _PREPOSITIONS},
}
POBJ = "pobj"  # a word and the preposition before it, which Universal Dependencies turn around


def dependencies(
    sentences: Iterable[Sequence[Word]],
    *,
    relations: str = "stanford",
    lower: bool = True,
    min_count: int = 1,
) -> dict[str, Counts]:
    """Count how often words have which governors, for each relation.

    Parameters
    ----------
    sentences
        Such as those of `firth.counts.conllu.sentences`.
    relations
        ``stanford``: the 21 of the paper; ``universal``: each basic relation, without subtypes.
    lower
        Convert words to lower case.
    min_count
        Leave out words and governors that are rarer in a view.

    Returns
    -------
    dict of str to Counts
        The views that have counts, by the names of their relations.

    Examples
    --------
    >>> cats = [Word("cats", 2, "nsubj"), Word("sleep", 0, "root")]
    >>> views = dependencies([cats])
    >>> views["nsubj"].row("cats")
    [('sleep', 1)]
    """
    if relations not in RELATIONS:
        raise FirthError(f"`relations` must be {' or '.join(RELATIONS)}, not {relations!r:.40}")
    found: dict[str, PairCounts] = {}
    pairs_of = _stanford if relations == "stanford" else _universal
    for words in sentences:
        for name, *pair in pairs_of(words):
            word, governor = (one.lower() if lower else one for one in pair)
            found.setdefault(name, PairCounts()).add(word, governor)
    views = {}
    for name, pairs in sorted(found.items()):
        try:
            views[name] = pairs.counts(min_count)
        except NoPairsError:  # nothing is frequent enough
            continue
    if not views:
        raise FirthError(
            "no word has a governor by these relations: choose `relations='universal'`, lower "
            "`min_count`, or check the file"
        )
    return views


def _universal(words: Sequence[Word]) -> Iterator[tuple[str, str, str]]:
    for word in words:
        if word.head:
            yield word.relation.partition(":")[0], word.form, words[word.head - 1].form


_VIEW = {relation: name for name, all_ in STANFORD.items() for relation in all_}


def _stanford(words: Sequence[Word]) -> Iterator[tuple[str, str, str]]:
    marks = _marks(words)
    for place, word in enumerate(words, 1):
        for head, relation in word.enhanced or _enhanced(word, marks.get(place)):
            view = _VIEW.get(relation.lower())
            if head and view:
                yield view, word.form, words[head - 1].form
        if word.relation.partition(":")[0] == "case" and word.head:
            yield POBJ, words[word.head - 1].form, word.form


def _marks(words: Sequence[Word]) -> dict[int, str]:
    """Return the preposition or conjunction of each word that has one, the first of several."""
    found: dict[int, str] = {}
    for word in words:
        if word.relation.partition(":")[0] in ("case", "cc"):
            found.setdefault(word.head, word.form.lower())
    return found


def _enhanced(word: Word, mark: str | None) -> list[tuple[int, str]]:
    """Return what the enhanced dependency of a word would be, from what marks it."""
    if mark and word.relation in ("nmod", "obl", "conj"):
        return [(word.head, f"{word.relation}:{mark}")]
    return [(word.head, word.relation)]
