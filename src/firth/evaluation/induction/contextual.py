"""Similarity of words in contexts: SCWS with its sentences, by AvgSim, AvgSimC and MaxSimC.

E. Huang, R. Socher, C. Manning and A. Ng (2012), Improving word representations via global context
and multiple word prototypes; the measures are those of J. Reisinger and R. Mooney (2010). With the
senses s of one word and t of the other:

    AvgSim   the mean of cos(s, t)
    AvgSimC  the mean of cos(s, t), weighted by how likely s and t are in the contexts
    MaxSimC  cos(s, t) of the likeliest senses
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firth.errors import FirthError
from firth.evaluation.lines import fault, read_lines
from firth.senses import Senses
from firth.space.space import Space
from firth.ties import level

FIELDS = 8  # before the ratings of single people

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class ContextualPair:
    """Two words, each in a context, and how similar people find them.

    Attributes
    ----------
    left, right
        The words.
    left_context, right_context
        Their contexts, without them.
    score
        The mean of the ratings.

    Examples
    --------
    >>> ContextualPair("bank", "shore", "money in the", "sand of the", 1.5).score
    1.5
    """

    left: str
    right: str
    left_context: str
    right_context: str
    score: float


@dataclass(frozen=True)
class ContextualScores:
    """Spearman's correlations with the ratings, and how many pairs were covered.

    Attributes
    ----------
    avg_sim, avg_sim_c, max_sim_c
        See `firth.evaluation.induction.contextual`.
    covered, total
        Pairs.

    Examples
    --------
    >>> ContextualScores(0.5, 0.6, 0.4, 10, 12).covered
    10
    """

    avg_sim: float
    avg_sim_c: float
    max_sim_c: float
    covered: int
    total: int


def read_scws(path: str | Path) -> list[ContextualPair]:
    r"""Read the original file of SCWS, ``ratings.txt``.

    A line has, with tabs between them: a number, a word and its part of speech, another word and
    its, their contexts, in which the word stands in ``<b>``, the mean rating, and ratings.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.txt"
    >>> line = "1\tbank\tn\tshore\tn\tthe <b> bank </b> lends\tat the <b>shore</b> of it\t1.5\t1\t2"
    >>> _ = path.write_text(line + "\n")
    >>> read_scws(path)[0].right_context
    'at the  of it'
    """
    path = Path(path)
    pairs = []
    for number, line in read_lines(path, comments="", strict=False):
        fields = line.split("\t")
        if len(fields) < FIELDS:
            raise fault(path, number, f"{len(fields)} fields where {FIELDS} or more were expected")
        try:
            score = float(fields[7])
        except ValueError:
            score = np.nan
        if not np.isfinite(score):
            raise fault(path, number, f"{fields[7]!r:.40} is not a mean rating")
        left, right = (_without_word(path, number, field) for field in fields[5:7])
        words = fields[1].strip().lower(), fields[3].strip().lower()
        pairs.append(ContextualPair(*words, left, right, score))
    return pairs


def _without_word(path: Path, number: int, context: str) -> str:
    """Return a context without the word that is marked in it."""
    text = context.encode("utf-8", "replace").decode()  # bytes that are not UTF-8 are in the file
    before, begin, rest = text.partition("<b>")
    _, end, after = rest.partition("</b>")
    if not begin or not end:
        raise fault(path, number, "a context does not mark its word with <b> and </b>")
    return before + after


def contextual_scores(
    senses: Senses, space: Space, pairs: Sequence[ContextualPair]
) -> ContextualScores:
    """Correlate similarities of senses in contexts with ratings; pairs not covered are left out.

    Parameters
    ----------
    senses
        Senses, which say how likely each is in a context.
    space
        A space with their vectors, as of `Senses.embed`; of a word that was not divided, its own
        vector counts.
    pairs
        What `read_scws` returns.

    Examples
    --------
    >>> import firth
    >>> lines = ["the bank lends money", "the bank of the river", "the shore of the river"] * 3
    >>> counts = firth.count(lines, min_count=1)
    >>> senses = firth.Senses.learn(counts, ["bank"], k=2, min_support=2)
    >>> space = senses.embed(counts, firth.methods.SVD(dim=3))
    >>> pairs = [ContextualPair("bank", "shore", "lends money", "the river", 1.0),
    ...          ContextualPair("bank", "shore", "of the river", "the river", 9.0)]
    >>> contextual_scores(senses, space, pairs).covered
    2
    """
    rows, gold = [], []
    for pair in pairs:
        left = _in_context(senses, space, pair.left, pair.left_context)
        right = _in_context(senses, space, pair.right, pair.right_context)
        if left is None or right is None:
            continue
        cosines = left[0] @ right[0].T
        likely = left[1] @ cosines @ right[1]
        best = cosines[int(np.argmax(left[1])), int(np.argmax(right[1]))]
        rows.append((float(cosines.mean()), float(likely), float(best)))
        gold.append(pair.score)
    if len(rows) < 2:
        raise FirthError("fewer than two pairs have vectors of both words: nothing can be scored")
    avg_sim, avg_sim_c, max_sim_c = (
        _spearman(np.array(values), np.array(gold)) for values in zip(*rows, strict=True)
    )
    return ContextualScores(avg_sim, avg_sim_c, max_sim_c, len(rows), len(pairs))


def _in_context(
    senses: Senses, space: Space, word: str, context: str
) -> tuple[Doubles, Doubles] | None:
    """Return unit vectors of a word's senses and how likely each is; None without vectors."""
    if word not in senses:
        return (_units(space, [word]), np.ones(1)) if word in space else None
    found = senses.induce(word, context)
    names = [name for name, _ in found.senses]
    if not all(name in space for name in names):
        return None
    weights = np.array([weight for _, weight in found.senses])
    return _units(space, names), weights / weights.sum()


def _units(space: Space, names: Sequence[str]) -> Doubles:
    vectors = np.array([space[name] for name in names], dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    out: Doubles = vectors / np.where(lengths > 0, lengths, 1.0)
    return out


def _spearman(values: Doubles, gold: Doubles) -> float:
    from scipy.stats import rankdata

    a, b = (rankdata(side) for side in (level(values), gold))
    a, b = a - a.mean(), b - b.mean()
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0.0
