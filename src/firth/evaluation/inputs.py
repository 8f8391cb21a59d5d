"""What a caller of `evaluate`, `compare` or `sweep` may give, turned into spaces, tasks and rules.

A space may be an object, a stored space or a file of vectors; a suite may be text or tasks; rules
may be an object or keywords.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from firth.errors import FirthError
from firth.evaluation.completing import check_rule
from firth.evaluation.finding import DataFolders, data_folders, tasks_of
from firth.evaluation.protocol import EvaluationRules, Task
from firth.resources import Resources
from firth.space.formats import VectorTable, from_gensim
from firth.space.opening import open_space
from firth.space.space import Space
from firth.space.vectors import space_of

PathLike = str | os.PathLike[str]
SpaceLike = Space | VectorTable | PathLike
Spaces = SpaceLike | Sequence[SpaceLike] | Mapping[str, SpaceLike]
Suite = str | Task | Sequence[str | Task]
_PATHS = (str, os.PathLike)
Data = PathLike | Iterable[PathLike] | None

# The values of `analogy`, and the rules by which each completes analogies.
ANALOGIES = {"add": ("add",), "cosmul": ("cosmul",), "both": ("add", "cosmul")}
# Suites of the command line that need more than a space.
_COMMANDS_ONLY = {"ner": "firth.evaluation.ner.run", "information": "Hierarchy.information"}


def named_spaces(given: Spaces, resources: Resources | None = None) -> dict[str, Space]:
    """Open the spaces that were given, and name those that have no name.

    Paths are named as shortly as distinguishes them; other spaces by their method.

    Examples
    --------
    >>> import numpy as np
    >>> import firth
    >>> space = firth.Space(firth.Vocabulary(["cat"], [1]), np.ones((1, 2), dtype=np.float32))
    >>> list(named_spaces([space, space])), list(named_spaces({"mine": space}))
    (['vectors', 'vectors 2'], ['mine'])
    """
    if isinstance(given, Mapping):
        return {str(name): opened(one, resources) for name, one in given.items()}
    several: list[Any] = [given]
    if isinstance(given, Iterable) and not isinstance(given, (*_PATHS, Space, VectorTable)):
        several = list(given)
    paths = [Path(one) for one in several if isinstance(one, _PATHS)]
    name_of = {path: name for name, path in short_names(paths).items()}
    found: dict[str, Space] = {}
    for one in several:
        space = opened(one, resources)
        if isinstance(one, _PATHS):
            found[name_of[Path(one)]] = space
            continue
        name = str(space.recipe.get("method", {}).get("name", "vectors"))
        taken = {*found, *name_of.values()}
        numbered = (f"{name} {number}" for number in range(2, len(several) + 2))
        found[next(n for n in (name, *numbered) if n not in taken)] = space
    return found


def opened(given: Any, resources: Resources | None = None) -> Space:
    """Return a space as it is, and open a path, a table of vectors or an object of gensim's."""
    if isinstance(given, Space):
        return given
    if isinstance(given, _PATHS):
        return open_space(Path(given), resources)
    if isinstance(given, VectorTable):
        return space_of(given, "table")
    if hasattr(given, "index_to_key") or hasattr(given, "wv"):
        return space_of(from_gensim(given), "gensim")
    raise FirthError(
        f"a {type(given).__name__} is not a space: give a Space, the path of a stored space or of "
        "a file of vectors, a list of these, or a mapping from names to them"
    )


def short_names(paths: Sequence[Path], taken: Sequence[str] = ()) -> dict[str, Path]:
    """Name paths as shortly as distinguishes them from each other and from names in use."""
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise FirthError(f"{path}: named twice: name each once")
        seen.add(path.resolve())
    # "." and ".." are called by the name of their folder, links by their own.
    short = [path.resolve().name if path.name in ("", "..") else path.name for path in paths]
    times = Counter([*short, *taken])
    found: dict[str, Path] = {}
    for name, path in zip(short, paths, strict=True):
        known = str(path) if times[name] > 1 else name
        found[str(path.resolve()) if known in (*found, *taken) else known] = path
    return found


def chosen_tasks(suite: Suite, data: Data, rules: EvaluationRules, analogy: str) -> list[Task]:
    """Return the tasks of a suite: those that are named, then those that are given as objects.

    Examples
    --------
    >>> from firth.evaluation import Similarity
    >>> pets = Similarity("pets", (("cat", "dog", 9.0), ("cat", "sun", 1.0)))
    >>> [task.name for task in chosen_tasks(pets, None, EvaluationRules(), "add")]
    ['pets']
    """
    parts = [suite] if isinstance(suite, str | Task) else list(suite)
    tasks = [part for part in parts if isinstance(part, Task)]
    names = [n.strip() for part in parts if isinstance(part, str) for n in part.split(",")]
    other = next((part for part in parts if not isinstance(part, str | Task)), None)
    if other is not None:
        raise FirthError(f"`suite` takes names of tests and tasks, not {other!r:.60}")
    ways = ANALOGIES.get(analogy) or (check_rule(analogy, "analogy", tuple(ANALOGIES)),)
    named: list[Task] = []
    names = [name for name in names if name]
    if names:
        for name, instead in _COMMANDS_ONLY.items():
            if name in names:
                raise FirthError(f"the suite {name!r} needs more than a space: use {instead}")
        alone = all(":" in name for name in names)  # files of one's own need no folder
        folders = DataFolders([] if alone else data_folders(_paths(data)))
        named = tasks_of(names, folders, rules.half, ways)
    if not named and not tasks:
        raise FirthError("`suite` names nothing to test with")
    return [*named, *tasks]


def chosen_rules(
    rules: EvaluationRules | None, choices: Mapping[str, Any], function: str
) -> EvaluationRules:
    """Return the rules that were given, with the choices that were given as keywords."""
    known = [field.name for field in fields(EvaluationRules)]
    for name in choices:
        if name not in known:
            raise TypeError(
                f"{function}() got an unexpected keyword argument {name!r}: the rules are "
                f"{', '.join(known)}"
            )
    if rules is not None and not isinstance(rules, EvaluationRules):
        raise FirthError(f"`rules` must be EvaluationRules, not {rules!r:.60}")
    return replace(rules or EvaluationRules(), **choices)


def _paths(data: Data) -> list[Path]:
    if data is None:
        return []
    return [Path(data)] if isinstance(data, _PATHS) else [Path(one) for one in data]
