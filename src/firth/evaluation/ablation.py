"""Which views matter: scores of a space of many views without some of them.

Table 8 of P. Rastogi, B. Van Durme and R. Arora (2015). Views are factorised once; each set that is
left out needs only another solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firth.errors import FirthError
from firth.evaluation.protocol import EvaluationRules, Task
from firth.evaluation.report import Report, Row
from firth.evaluation.running import report_on
from firth.evaluation.similarity import Similarity
from firth.methods.multiview import FactoredViews, MultiView
from firth.resources import Resources
from firth.space.space import Space

ALL = "all views"
EACH = ("view", "group")  # leave out each view, or each group, in turn


def left_out(names: Sequence[str], views: FactoredViews) -> list[tuple[str, ...]]:
    """Return the sets of views to leave out.

    Parameters
    ----------
    names
        ``view`` for each view in turn, ``group`` for each group in turn, or views and groups that
        are left out together, as in ``bitext+lexicon``.
    views
        The views that there are.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b c d", "b c a d"] * 2, min_count=1, window=1)
    >>> given = {"near/1": counts, "near/2": counts, "far": counts}
    >>> views = MultiView(dim=2).factored(given, Resources(threads=1))
    >>> left_out(["group", "far+near/1"], views)
    [('far',), ('near',), ('far', 'near/1')]
    """
    found: list[tuple[str, ...]] = []
    for name in names:
        if name == "view":
            found += [(view,) for view in views.names]
        elif name == "group":
            found += [(group,) for group in views.groups]
        else:
            found.append(tuple(part.strip() for part in name.split("+")))
    for some in found:
        views.without(some)  # raises for a name that there is not, or if nothing remains
    return list(dict.fromkeys(found))


def ablate(
    method: MultiView,
    source: Any,
    names: Sequence[str],
    tasks: Sequence[Task],
    rules: EvaluationRules | None = None,
    *,
    resources: Resources | None = None,
) -> tuple[Space, Report]:
    """Fit all views, and score the space with and without some of them.

    Parameters
    ----------
    method
        How to fit.
    source
        The views.
    names
        What to leave out; see `left_out`.
    tasks, rules
        What to score with.
    resources
        Threads, memory and progress.

    Returns
    -------
    Space, Report
        The space of all views, and a column for it and for each set that is left out.

    Examples
    --------
    >>> import firth
    >>> counts = firth.count(["a b c d", "b c a d"] * 2, min_count=1, window=1)
    >>> pairs = Similarity("pairs", (("a", "b", 3.0), ("a", "c", 1.0), ("b", "d", 2.0)))
    >>> space, report = ablate(MultiView(dim=2), {"near": counts, "far": counts}, ["view"], [pairs])
    >>> report.spaces
    ['all views', '!far', '!near']
    """
    used, rules = resources or Resources(), rules or EvaluationRules()
    if method.weights == "learned":
        raise FirthError(
            "`weights='learned'` cannot be scored without some views: learn the weights first, and "
            "give them as NAME=WEIGHT,…"
        )
    method.check(source)
    method.require_memory(source, used)
    factored = method.factored(source, used)
    sets = left_out(names, factored)
    space = method.solved(factored, used)
    rows: list[Row] = [*report_on({ALL: space}, tasks, rules, resources=used).rows]
    for some in sets:
        name = " ".join(f"!{part}" for part in some)
        used.report("fitting", f"without {', '.join(some)}")
        without = method.solved(factored.without(some), used)
        rows += report_on({name: without}, tasks, rules, resources=used).rows
    return space, Report(rows, rules)


def check_apart(dev: Similarity, tasks: Sequence[Task]) -> None:
    """Raise if a test has a pair of words that weights are learned from.

    Examples
    --------
    >>> dev = Similarity("dev", (("a", "b", 1.0),))
    >>> check_apart(dev, [Similarity("test", (("b", "a", 2.0),))])
    Traceback (most recent call last):
    firth.errors.FirthError: the test test has the pair a, b of dev: test on other pairs
    """
    known = {frozenset((a.lower(), b.lower())): (a, b) for a, b, _ in dev.pairs}
    for task in tasks:
        for a, b, _ in task.pairs if isinstance(task, Similarity) else ():
            shared = known.get(frozenset((a.lower(), b.lower())))
            if shared is not None:
                raise FirthError(
                    f"the test {task.name} has the pair {shared[0]}, {shared[1]} of {dev.name}: "
                    "test on other pairs"
                )
