"""Keys of word sense induction tasks: which senses each instance of a word has, and how much.

A line is ``word instance sense/weight sense/weight …``, as in the files of SemEval and Senseval;
where a sense has no weight, all senses of its line weigh the same. A comment begins with ``!!``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np

from firth.errors import FirthError
from firth.evaluation.lines import fault, read_lines
from firth.stores.writing import check_free, write_files

# Senses of an instance with their weights, by instance and word.
Labels = Mapping[str, float]
Key = Mapping[str, Mapping[str, Labels]]

COMMENT = "!!"


def read_key(path: str | Path) -> dict[str, dict[str, dict[str, float]]]:
    r"""Read a key: senses and weights by word and instance.

    Weights are divided by the largest of their instance; senses of weight 0 are left out.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gold.key"
    >>> _ = path.write_text("bank.n bank.n.1 river/4 slope/1\nbank.n bank.n.2 money\n")
    >>> read_key(path)
    {'bank.n': {'bank.n.1': {'river': 1.0, 'slope': 0.25}, 'bank.n.2': {'money': 1.0}}}
    """
    path = Path(path)
    key: dict[str, dict[str, dict[str, float]]] = {}
    for number, line in read_lines(path, comments=""):
        word, instance, labels = _labels(path, number, line)
        instances = key.setdefault(word, {})
        if instance in instances:
            raise fault(path, number, f"{instance!r} is there twice: leave one line of it")
        instances[instance] = labels
    return key


def _labels(path: Path, number: int, line: str) -> tuple[str, str, dict[str, float]]:
    """Read the word, the instance and its senses from a line."""
    fields = line.split(COMMENT, maxsplit=1)[0].split()
    if len(fields) < 2:
        raise fault(path, number, "a line is a word, an instance and its senses")
    labels: dict[str, float] = {}
    weighted = 0
    for field in fields[2:]:
        sense, slash, text = field.rpartition("/")
        if not slash:
            sense, text = field, "0"
        try:
            weight = float(text)
        except ValueError:
            weight = np.nan
        if not sense or not 0 <= weight < np.inf:
            raise fault(path, number, f"{field!r} is not a sense and a weight, as in sense/0.5")
        labels[sense] = weight
        weighted += bool(slash)
    largest = max(labels.values(), default=0.0)
    if weighted != len(labels) or not largest:
        return fields[0], fields[1], dict.fromkeys(labels, 1.0)
    return fields[0], fields[1], {s: w / largest for s, w in labels.items() if w > 0}


def write_key(key: Key, path: str | Path, *, force: bool = False) -> None:
    r"""Write a key, with weights of four digits; senses that weigh less are left out.

    Parameters
    ----------
    key
        Senses and weights by word and instance.
    path
        The file.
    force
        Replace an existing file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.key"
    >>> write_key({"bank.n": {"bank.n.1": {"bank_1": 1.0, "bank_2": 0.5}}}, path)
    >>> path.read_text()
    'bank.n bank.n.1 bank_1/1.0000 bank_2/0.5000\n'
    """
    path = Path(path)
    check_free(path, force)
    lines = []
    for word, instances in key.items():
        for instance, labels in instances.items():
            shown = {sense: f"{weight:.4f}" for sense, weight in labels.items()}
            senses = [f"{sense}/{text}" for sense, text in shown.items() if float(text) > 0]
            if not senses:
                raise FirthError(f"{instance!r} of {word!r} has no sense: give each one or more")
            line = " ".join([word, instance, *senses])
            if line.split() != [word, instance, *senses] or COMMENT in line:
                raise FirthError(
                    f"{instance!r} of {word!r} cannot be written: in a key, names have no spaces "
                    f"and no {COMMENT}"
                )
            lines.append(line + "\n")

    def write(file: IO[bytes]) -> None:
        file.write("".join(lines).encode())

    write_files((path, write))
