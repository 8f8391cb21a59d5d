"""Entities of tagged sentences, schemes of tags, and precision and recall.

A tag is O, or a mark, a hyphen and a type. The marks are B (begins), I (inside), E (ends) and S
(single); L and U are other names of E and S. Entities are read as conlleval, the scorer of the
CoNLL shared tasks, reads them: every sequence of tags has a reading, and invalid ones are counted
as conlleval counts them (E. F. Tjong Kim Sang and S. Buchholz, 2000, Introduction to the CoNLL-2000
shared task).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firth.errors import CorpusError, FirthError

SCHEMES = ("IOB1", "IOB2", "BIOES", "BILOU")
OUTSIDE = "O"
_MARKS = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}
_BILOU = {"E": "L", "S": "U"}

Tags = Sequence[str]


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence and their tags."""

    words: tuple[str, ...]
    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that every word has a tag."""
        if len(self.words) != len(self.tags):
            raise CorpusError(f"{len(self.words):,} words have {len(self.tags):,} tags")


@dataclass(frozen=True, order=True)
class Entity:
    """A name: its first token, the token after its last, and its type."""

    first: int
    end: int
    type: str


def split_tag(tag: str) -> tuple[str, str] | None:
    """Return the mark (one of O, B, I, E, S) and the type of a tag, or None if it is not a tag.

    Examples
    --------
    >>> split_tag("B-creative-work"), split_tag("U-person"), split_tag("O"), split_tag("person")
    (('B', 'creative-work'), ('S', 'person'), ('O', ''), None)
    """
    if tag == OUTSIDE:
        return OUTSIDE, ""
    mark, hyphen, kind = tag.partition("-")
    if not hyphen or not kind or mark not in _MARKS:
        return None
    return _MARKS[mark], kind


def entities(tags: Tags) -> list[Entity]:
    """Return the entities of a sentence.

    One begins at B or S, at I or E after O, E or S, and where the type changes; it ends before the
    next begins, before O, and after E or S.

    Examples
    --------
    >>> entities(["B-person", "I-person", "O", "I-place", "B-place"])
    [Entity(first=0, end=2, type='person'), Entity(first=3, end=4, type='place'),
     Entity(first=4, end=5, type='place')]
    """
    found = []
    first, before = 0, (OUTSIDE, "")
    for place, tag in enumerate(tags):
        now = split_tag(tag)
        if now is None:
            raise FirthError(f"{tag!r} is not a tag: tags are O, B-type, I-type, E-type and S-type")
        goes_on = now[0] in "IE" and before[0] in "BI" and now[1] == before[1]
        if before[0] in "BI" and not goes_on:
            found.append(Entity(first, place, before[1]))
        if now[0] != OUTSIDE and not goes_on:
            first = place
        if now[0] in "ES":
            found.append(Entity(first, place + 1, now[1]))
        before = now
    if before[0] in "BI":
        found.append(Entity(first, len(tags), before[1]))
    return found


def check_scheme(scheme: str) -> str:
    """Return the name of a scheme; an error lists the schemes."""
    if scheme not in SCHEMES:
        raise FirthError(f"`scheme` must be one of {', '.join(SCHEMES)}, not {scheme!r:.40}")
    return scheme


def encode(found: Iterable[Entity], length: int, scheme: str = "IOB2") -> tuple[str, ...]:
    """Return the tags of a sentence with these entities and this many tokens.

    Examples
    --------
    >>> encode([Entity(0, 2, "person"), Entity(2, 3, "person")], 4, "BIOES")
    ('B-person', 'E-person', 'S-person', 'O')
    >>> encode([Entity(0, 2, "person"), Entity(2, 3, "person")], 4, "IOB1")
    ('I-person', 'I-person', 'B-person', 'O')
    """
    check_scheme(scheme)
    tags = [OUTSIDE] * length
    before = Entity(0, 0, "")
    for entity in sorted(found):
        if not before.end <= entity.first < entity.end <= length:
            raise FirthError(f"{entity} overlaps another, or does not fit {length:,} tokens")
        marks = ["I"] * (entity.end - entity.first)
        touching = before.end == entity.first and before.type == entity.type
        if scheme != "IOB1" or touching:
            marks[0] = "B"
        if scheme in ("BIOES", "BILOU"):
            marks[-1] = "S" if len(marks) == 1 else "E"
        if scheme == "BILOU":
            marks = [_BILOU.get(mark, mark) for mark in marks]
        tags[entity.first : entity.end] = [f"{mark}-{entity.type}" for mark in marks]
        before = entity
    return tuple(tags)


def convert(tags: Tags, scheme: str) -> tuple[str, ...]:
    """Return the tags of a sentence in another scheme.

    Examples
    --------
    >>> convert(["I-person", "I-person", "O"], "BIOES")
    ('B-person', 'E-person', 'O')
    """
    return encode(entities(tags), len(tags), scheme)


def first_fault(tags: Tags, scheme: str) -> int | None:
    """Return the place of the first tag that is not valid in the scheme, or None.

    Examples
    --------
    >>> first_fault(["O", "I-person"], "IOB2"), first_fault(["O", "I-person"], "IOB1")
    (1, None)
    """
    proper = convert(tags, scheme)
    return next((i for i, (a, b) in enumerate(zip(tags, proper, strict=True)) if a != b), None)


def may_follow(before: str | None, tag: str, scheme: str) -> bool:
    """Whether a tag may follow another in a scheme; None stands for the beginning.

    Examples
    --------
    >>> may_follow("O", "I-person", "IOB2"), may_follow("B-person", "I-person", "IOB2")
    (False, True)
    """
    last = split_tag(before or OUTSIDE)
    now = split_tag(tag)
    if last is None or now is None:
        return False
    inside = last[0] in "BI" and last[1] == now[1]
    if scheme == "IOB1":
        return now[0] != "B" or inside
    if scheme == "IOB2":
        return now[0] != "I" or inside
    return inside if now[0] in "IE" else last[0] not in "BI"


@dataclass(frozen=True)
class Score:
    """Counts of entities: correct, predicted, and in the gold standard."""

    correct: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """The share of predicted entities that are correct; 0 if none was predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of gold entities that were predicted; 0 if there is none."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        both = self.predicted + self.gold
        return 2 * self.correct / both if both else 0.0


@dataclass(frozen=True, eq=False)
class EntityScores:
    """Scores of predicted entities.

    Attributes
    ----------
    overall
        Over all types.
    types
        For each type, in alphabetical order.
    sentences
        For each sentence the number of correct, predicted and gold entities, for intervals.
    """

    overall: Score
    types: dict[str, Score]
    sentences: NDArray[np.int64]


def evaluate_entities(gold: Sequence[Sentence | Tags], predicted: Sequence[Tags]) -> EntityScores:
    """Compare predicted tags with gold tags, as conlleval does.

    An entity is correct if the gold tags have one with the same first and last token and the same
    type. Either side may be in any scheme.

    Parameters
    ----------
    gold
        Sentences, or the tags of each.
    predicted
        The tags of each.

    Examples
    --------
    >>> scores = evaluate_entities([["B-person", "O", "B-place"]], [["B-person", "O", "O"]])
    >>> scores.overall.precision, scores.overall.recall, round(scores.overall.f1, 3)
    (1.0, 0.5, 0.667)
    >>> scores.types["place"]
    Score(correct=0, predicted=0, gold=1)
    """
    if len(gold) != len(predicted):
        raise FirthError(f"{len(gold):,} sentences cannot be compared with {len(predicted):,}")
    correct, found, there = Counter[str](), Counter[str](), Counter[str]()
    table = np.zeros((len(gold), 3), dtype=np.int64)
    for number, (right, guess) in enumerate(zip(gold, predicted, strict=True)):
        tags = right.tags if isinstance(right, Sentence) else right
        if len(tags) != len(guess):
            raise FirthError(
                f"sentence {number + 1:,} has {len(tags):,} tags, and {len(guess):,} were predicted"
            )
        ours, theirs = set(entities(guess)), set(entities(tags))
        table[number] = len(ours & theirs), len(ours), len(theirs)
        for counter, some in ((correct, ours & theirs), (found, ours), (there, theirs)):
            counter.update(entity.type for entity in some)
    kinds = sorted({*found, *there})
    types = {kind: Score(correct[kind], found[kind], there[kind]) for kind in kinds}
    return EntityScores(Score(*map(int, table.sum(axis=0))), types, table)
