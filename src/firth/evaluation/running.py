"""Run tasks over spaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from firth.errors import FirthError
from firth.evaluation.protocol import Outcome, Rules, Subject, Task, shared
from firth.evaluation.report import Report, Row, average, row_of
from firth.progress import Event
from firth.resources import Resources, accept_former_keywords
from firth.space.opening import open_space
from firth.space.space import Space

__all__ = ["evaluate", "open_space", "outcomes"]

SYNTACTIC = "gram"  # how Google's syntactic sections begin


def outcomes(
    spaces: Mapping[str, Space],
    tasks: Sequence[Task],
    rules: Rules,
    *,
    resources: Resources | None = None,
) -> dict[str, list[Outcome]]:
    """Return what each space scores on each task, item by item."""
    if not spaces or not tasks:
        raise FirthError("there must be a space and a task")
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


@accept_former_keywords
def evaluate(
    spaces: Mapping[str, Space],
    tasks: Sequence[Task],
    rules: Rules | None = None,
    *,
    sections: bool = False,
    resources: Resources | None = None,
) -> Report:
    """Run every task over every space.

    Parameters
    ----------
    spaces
        By name.
    tasks
        From `firth.evaluation.finding.tasks_of`, or made of one's own items.
    rules
        The choices that change a score.
    sections
        Also report the sections of tests that have them, and Google's two halves of meaning.
    resources
        Threads, on which nothing depends, and progress, told before each test.

    Examples
    --------
    >>> from firth.evaluation.similarity import Similarity
    >>> from firth.text.vocabulary import Vocabulary
    >>> vectors = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> space = Space(Vocabulary(["cat", "dog", "sun"], [3, 2, 1]), vectors)
    >>> pairs = (("cat", "dog", 9.0), ("cat", "sun", 1.0), ("dog", "sun", 5.0), ("cat", "mat", 2.0))
    >>> report = evaluate({"tiny": space}, [Similarity("pairs", pairs)], Rules(resamples=10))
    >>> row = report.rows[0]
    >>> round(row.score, 3), row.coverage
    (0.866, '3/4')
    """
    rules = rules or Rules()
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
    """Return the sections of a test; first, of tests made like Google's, meaning and grammar."""
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
