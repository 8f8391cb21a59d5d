"""Run tasks over spaces, and report their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from firth.errors import FirthError
from firth.evaluation.protocol import EvaluationRules, Outcome, Subject, Task, shared
from firth.evaluation.report import Report, Row, average, row_of
from firth.progress import Event
from firth.resources import Resources
from firth.space.opening import open_space
from firth.space.space import Space

__all__ = ["open_space", "outcomes", "report_on"]

SYNTACTIC = "gram"  # the names of Google's syntactic sections begin so


def outcomes(
    spaces: Mapping[str, Space],
    tasks: Sequence[Task],
    rules: EvaluationRules,
    *,
    resources: Resources | None = None,
) -> dict[str, list[Outcome]]:
    """Return the outcome of each task for each space: a value for every item of the test.

    Parameters
    ----------
    spaces
        By name.
    tasks
        From `tasks_of`, or made of items of your own.
    rules
        The choices that change a score.
    resources
        Threads and progress.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> from firth.evaluation import Similarity, outcomes
    >>> words = firth.Vocabulary(["cat", "dog", "sun"], [3, 2, 1])
    >>> space = firth.Space(words, np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32))
    >>> pairs = (("cat", "dog", 9.0), ("cat", "sun", 1.0), ("cat", "mat", 2.0))
    >>> rules = firth.EvaluationRules()
    >>> found = outcomes({"tiny": space}, [Similarity("pairs", pairs)], rules)
    >>> found["tiny"][0].values.round(3).tolist()
    [0.707, 0.0, 0.0]
    """
    if not spaces or not tasks:
        raise FirthError("there is nothing to test: give at least one space and one task")
    used = resources or Resources()
    found: dict[str, list[Outcome]] = {}
    cut = shared(list(spaces.values()), rules) if rules.common else list(spaces.values())
    total = len(tasks) * len(spaces)
    for number, (name, space) in enumerate(zip(spaces, cut, strict=True)):
        subject = Subject(space, rules, used.threads)
        found[name] = []
        for done, task in enumerate(tasks):
            used.progress(Event("testing", number * len(tasks) + done, total, unit="tests"))
            found[name].append(task.score(subject))
    return found


def report_on(
    spaces: Mapping[str, Space],
    tasks: Sequence[Task],
    rules: EvaluationRules | None = None,
    *,
    sections: bool = False,
    resources: Resources | None = None,
) -> Report:
    """Run every task over every space, and report the scores; see `firth.evaluate`."""
    rules = rules or EvaluationRules()
    found = outcomes(spaces, tasks, rules, resources=resources)
    rows: list[Row] = []
    for name, own in found.items():
        parts = [
            part for outcome in own for part in (outcome, *(_parts(outcome) if sections else ()))
        ]
        rows += (row_of(name, part, rules) for part in parts)
    means = [mean for name in found if (mean := average(name, rows)) is not None]
    return Report([*rows, *means], rules)


def _parts(outcome: Outcome) -> Iterable[Outcome]:
    """Return the sections of a test, after the semantic and syntactic halves of Google's."""
    if not outcome.sections:
        return []
    grammar = np.array([section.startswith(SYNTACTIC) for section in outcome.sections])
    halves = []
    if grammar.any() and not grammar.all():
        halves = [
            outcome.part(~grammar, f"{outcome.task}: semantic"),
            outcome.part(grammar, f"{outcome.task}: syntactic"),
        ]
    return [*halves, *outcome.by_section()]
