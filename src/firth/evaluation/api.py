"""`firth.evaluate`, `firth.compare` and `firth.sweep`; the commands call the same functions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth.counts.matrix import Counts
from firth.counts.store import load_checked
from firth.errors import FirthError
from firth.evaluation.compare import Comparison, compare_outcomes
from firth.evaluation.inputs import (
    Data,
    PathLike,
    SpaceLike,
    Spaces,
    Suite,
    chosen_rules,
    chosen_tasks,
    named_spaces,
)
from firth.evaluation.protocol import EvaluationRules
from firth.evaluation.report import Report
from firth.evaluation.running import outcomes, report_on
from firth.evaluation.sweep import plan_of
from firth.evaluation.sweep import sweep as run_sweep
from firth.evaluation.sweep_folder import Point, SweepFolder
from firth.resources import Resources, accept_former_keywords
from firth.space.space import Space


@accept_former_keywords
def evaluate(
    spaces: Spaces,
    suite: Suite | None = None,
    rules: EvaluationRules | None = None,
    *,
    data: Data = None,
    analogy: str = "add",
    sections: bool = False,
    resources: Resources | None = None,
    **choices: Any,
) -> Report:
    """Score one or several spaces on tests of word similarity, analogy and more.

    Parameters
    ----------
    spaces
        A `Space`, the path of a stored space or of a file of vectors in any format, a list of
        these, or a mapping from names to them.
    suite
        What to test with, as text: ``all`` (the default: every test that is found), tasks
        (``similarity``, ``analogy``, ``synonyms``, ``categorization``), names of sets such as
        ``ws353``, ``ten`` for the ten similarity sets of the thesis, or ``task:FILE`` for a file of
        your own; several with commas between them. Or a task, such as a `Similarity`; or a list of
        texts and tasks.
    rules
        The choices that change a score. They may also be given as keywords: ``oov="zero"``.
    data
        The folder of the tests, or several; by default FIRTH_DATA and what ``firth data get``
        fetched.
    analogy
        Complete analogies by ``add`` (3CosAdd), ``cosmul`` (3CosMul) or ``both``. Tasks that are
        given as objects have a rule of their own.
    sections
        Also report the sections of tests that have them, and the semantic and syntactic halves of
        Google's analogies.
    resources
        Threads, on which no score depends, and progress, reported before each test.
    **choices
        Fields of `EvaluationRules`.

    Returns
    -------
    Report
        A row per space and test: the score, its interval and its coverage.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Similarity
    >>> vectors = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> space = firth.Space(firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> pairs = (("cat", "dog", 9.0), ("cat", "sun", 1.0), ("dog", "sun", 5.0), ("cat", "mat", 2.0))
    >>> report = firth.evaluate(space, Similarity("pairs", pairs), resamples=10)
    >>> row = report.rows[0]
    >>> round(row.score, 3), row.coverage
    (0.866, '3/4')
    """
    if "tasks" in choices:
        warnings.warn("evaluate(tasks=…) is deprecated: use suite=…", DeprecationWarning, 3)
        suite = choices.pop("tasks")
    chosen = chosen_rules(rules, choices, "evaluate")
    tasks = chosen_tasks("all" if suite is None else suite, data, chosen, analogy)
    opened = named_spaces(spaces, resources)
    return report_on(opened, tasks, chosen, sections=sections, resources=resources)


def compare(
    first: SpaceLike | Mapping[str, SpaceLike],
    second: SpaceLike | Mapping[str, SpaceLike],
    suite: Suite = "all",
    rules: EvaluationRules | None = None,
    *,
    data: Data = None,
    analogy: str = "add",
    significance: float = 0.05,
    resources: Resources | None = None,
    **choices: Any,
) -> Comparison:
    """Say which differences between two spaces are real.

    Parameters
    ----------
    first, second
        A `Space`, or the path of a stored space or of a file of vectors; to name it, a mapping with
        one name, as in ``{"mine": space}``.
    suite, data, analogy
        What to test with; see `evaluate`.
    rules
        The choices that change a score; they may also be given as keywords. Unless they are given,
        the spaces are cut to the words that both have (``common=True``).
    significance
        A difference is real if its p-value, corrected over all tests, is below this level.
    resources
        Threads, on which no score depends, and progress, reported before each test.
    **choices
        Fields of `EvaluationRules`.

    Returns
    -------
    Comparison
        A difference per test, with its interval, p-value and the agreement of the two spaces.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Similarity
    >>> words = firth.Vocabulary(["cat", "dog", "sun", "moon"], [4, 3, 2, 1])
    >>> one = firth.Space(words, np.array([[4, 0], [4, 1], [0, 3], [1, 5]], dtype=np.float32))
    >>> other = firth.Space(words, np.array([[4, 0], [0, 1], [5, 3], [3, 1]], dtype=np.float32))
    >>> pairs = (("cat", "dog", 9.0), ("cat", "sun", 1.0), ("sun", "moon", 8.0))
    >>> found = firth.compare({"one": one}, {"other": other}, Similarity("pairs", pairs))
    >>> found.differences[0].items, found.rules.common
    (3, True)
    """
    if isinstance(significance, bool) or not 0 < significance < 0.5:
        raise FirthError(f"`significance` must be above 0 and below 0.5, not {significance!r}")
    defaults = {"common": True} if rules is None else {}
    chosen = chosen_rules(rules, {**defaults, **choices}, "compare")
    tasks = chosen_tasks(suite, data, chosen, analogy)
    spaces = _two_spaces(first, second, resources)
    (one, a), (other, b) = outcomes(spaces, tasks, chosen, resources=resources).items()
    return compare_outcomes(one, other, list(zip(a, b, strict=True)), chosen, significance)


def _two_spaces(first: Any, second: Any, resources: Resources | None) -> Mapping[str, Any]:
    """Open two spaces, each with a name of its own."""
    if not isinstance(first, Mapping) and not isinstance(second, Mapping):
        return named_spaces([first, second], resources)
    one, other = named_spaces(first, resources), named_spaces(second, resources)
    if len(one) != 1 or len(other) != 1 or {*one} & {*other}:
        raise FirthError("`compare` takes two spaces, each with a name of its own")
    return {**one, **other}


def sweep(
    counts: Counts | PathLike | Mapping[str, Counts | Space],
    method: str,
    grid: Mapping[str, Any],
    suite: Suite = "all",
    rules: EvaluationRules | None = None,
    *,
    data: Data = None,
    analogy: str = "add",
    output: PathLike | None = None,
    force: bool = False,
    resources: Resources | None = None,
    **choices: Any,
) -> list[Point]:
    """Score a method at every point of a grid of its parameters.

    Parameters
    ----------
    counts
        What every point is fitted to: `Counts`, or the path of stored counts; for ``multiview``, a
        mapping from names to views.
    method
        The name of a method, as in `firth.methods.METHODS`.
    grid
        The values of each parameter, as in ``{"dim": [50, 100]}``.
    suite, data, analogy
        What to test with; see `evaluate`.
    rules
        The choices that change a score; they may also be given as keywords.
    output
        A folder to keep points in as they are done; the same call again goes on from there.
    force
        Replace another sweep in that folder.
    resources
        Threads, memory and progress.
    **choices
        Fields of `EvaluationRules`.

    Returns
    -------
    list of Point
        The settings of each point, and the rows of its report.

    Examples
    --------
    >>> import firth
    >>> from firth.evaluation import Similarity
    >>> lines = ["the cat eats fish", "the dog eats meat", "the king rules a land"] * 3
    >>> pairs = (("cat", "dog", 9.0), ("cat", "land", 1.0), ("fish", "meat", 8.0))
    >>> points = firth.sweep(firth.count(lines, min_count=1), "ppmi", {"dim": [2, 4]},
    ...                      Similarity("pairs", pairs), resamples=10)
    >>> [dict(point.settings) for point in points]
    [{'dim': 2}, {'dim': 4}]
    """
    chosen = chosen_rules(rules, choices, "sweep")
    axes = {name: _values(name, values) for name, values in grid.items()}
    tasks = chosen_tasks(suite, data, chosen, analogy)
    own = isinstance(counts, Counts | Mapping)
    matrix: Any = counts if own else load_checked(Path(counts))  # type: ignore[arg-type]
    if output is None:
        return run_sweep(matrix, method, axes, tasks, chosen, resources=resources)
    folder = SweepFolder(Path(output), plan_of(matrix, method, axes, tasks, chosen))
    folder.open(force)
    try:
        return run_sweep(matrix, method, axes, tasks, chosen, folder=folder, resources=resources)
    finally:
        folder.leave()  # keeps the points that are done


def _values(name: str, given: Any) -> Sequence[Any]:
    values = [given] if isinstance(given, str) or not hasattr(given, "__iter__") else [*given]
    if not values:
        raise FirthError(f"`grid` has no value for {name!r}: give one or more")
    return values
