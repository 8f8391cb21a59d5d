"""Trivial answers to tasks of word sense induction, which every method should be compared with."""

from __future__ import annotations

import numpy as np

from firth.errors import FirthError
from firth.evaluation.induction.keys import Key

BASELINES = ("one", "each", "random")


def baseline(gold: Key, kind: str, *, senses: int = 3, seed: int = 0) -> Key:
    """Make a trivial answer to every instance of a key.

    Parameters
    ----------
    gold
        Senses and weights by word and instance; only the names of instances are used.
    kind
        ``one`` sense of all instances of a word, ``each`` instance its own, or ``random``.
    senses
        How many senses there are to draw from, for ``random``.
    seed
        Of the random draws.

    Examples
    --------
    >>> gold = {"bank": {"1": {"river": 1.0}, "2": {"money": 1.0}}}
    >>> baseline(gold, "one")
    {'bank': {'1': {'bank_1': 1.0}, '2': {'bank_1': 1.0}}}
    """
    if kind not in BASELINES:
        raise FirthError(f"`kind` must be one of {', '.join(BASELINES)}, not {kind!r:.40}")
    if senses < 1:
        raise FirthError(f"`senses` must be 1 or more, not {senses!r}")
    generator = np.random.Generator(np.random.Philox(seed))
    answers = {}
    for word, instances in gold.items():
        numbers = {
            "one": np.zeros(len(instances), dtype=np.int64),
            "each": np.arange(len(instances)),
            "random": generator.integers(senses, size=len(instances)),
        }[kind].tolist()
        answers[word] = {
            name: {f"{word}_{number + 1}": 1.0}
            for name, number in zip(instances, numbers, strict=True)
        }
    return answers
