"""Parse files of tests: those of the authors, and common conversions.

Every parser takes paths and returns the items of a task. A line that cannot be read is an error
that names it, and is never skipped: scores on part of a test could not be compared with others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from firth.evaluation.analogy import Question
from firth.evaluation.lines import (
    DatasetError,
    Line,
    check_text,
    delimiter_of,
    fault,
    read_lines,
    split,
)
from firth.evaluation.synonyms import Choice

Pair = tuple[str, str, float]
# The lemmas of MEN and the concepts of BLESS end in their part of speech.
_POS = re.compile(r"-[jnvar]$")
# The names that conversions give to the columns of two words and their score.
_NAMES = (("word1", "word 1"), ("word2", "word 2"), ("similarity", "score", "simlex999"))
_CATEGORY = re.compile(r"[A-Z]+_[A-Z]+")
# The number of a question and a letter; in TOEFL's own file ``1 (a,a,-) 1 c``.
_ANSWER = re.compile(r"\W*(\d+)\W+(?:\([\w,-]*\)\W+\d+\W+|[a-zA-Z]\W+)??([a-zA-Z])\W*")
_NUMBERED = re.compile(r"\s*(\d+)\s*[.)]\s*(\S.*?)\s*")
_LETTERED = re.compile(r"\s*\(?([a-zA-Z])\s*[.)]\s*(\S.*?)\s*")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def pairs(*columns: int) -> Callable[[Sequence[Path]], tuple[Pair, ...]]:
    """Return a parser of pairs with the words and the score in these columns.

    The first line may be a header. If it names the columns of words and score as common conversions
    do, these are used. Fields are separated by tabs, commas, semicolons, bars or white space.
    """

    def parse(paths: Sequence[Path]) -> tuple[Pair, ...]:
        (path,) = paths
        lines = read_lines(path, strict=False)
        delimiter = delimiter_of(lines[-20:], max(columns) + 1)
        where, body = columns, lines
        if _is_header(lines[0], delimiter, columns):
            where, body = _named(split(lines[0][1], delimiter), columns), lines[1:]
        if not body:
            raise DatasetError(f"{path}: a header but no pairs: there is nothing to test with")
        return tuple(_pair(path, line, delimiter, where) for line in body)

    return parse


def _named(header: Sequence[str], columns: tuple[int, ...]) -> tuple[int, ...]:
    """Return the columns that a header names, else those given."""
    names = [name.lower() for name in header]
    found = [next((names.index(n) for n in known if n in names), -1) for known in _NAMES]
    return columns if -1 in found else tuple(found)


def _is_header(line: Line, delimiter: str | None, columns: Sequence[int]) -> bool:
    fields = split(line[1], delimiter)
    return len(fields) > max(columns) and not re.match(
        r"[-+.\d]|nan|inf", fields[columns[2]].lower()
    )


def _pair(path: Path, line: Line, delimiter: str | None, columns: Sequence[int]) -> Pair:
    fields = split(line[1], delimiter)
    if len(fields) <= max(columns):
        raise fault(path, line[0], f"{len(fields)} fields where {max(columns) + 1} are needed: "
                    "two words and a score")  # fmt: skip
    first, second, score = (fields[column] for column in columns)
    check_text(path, line[0], first, second, score)
    value = _number(score)
    if value is None:
        raise fault(path, line[0], f"{score[:40]!r} is not a score")
    if not first or not second:
        raise fault(path, line[0], "a word is missing")
    return first, second, value


def tagged_pairs(paths: Sequence[Path]) -> tuple[Pair, ...]:
    """Parse pairs of words that end in their part of speech: ``sun-n sunlight-n 50``."""
    return tuple((_POS.sub("", a), _POS.sub("", b), s) for a, b, s in pairs(0, 1, 2)(paths))


def pairs_and_scores(paths: Sequence[Path]) -> tuple[Pair, ...]:
    """Parse two files with as many lines: pairs of words with a tab between, and scores."""
    words, scores = (read_lines(path) for path in paths)
    if len(words) != len(scores):
        raise DatasetError(
            f"{paths[1]}: {len(scores):,} scores for the {len(words):,} pairs of {paths[0].name}"
        )
    found = []
    for (number, line), (at, text) in zip(words, scores, strict=True):
        fields, value = split(line, "\t"), _number(text)
        if len(fields) < 2 or not all(fields[:2]):
            raise fault(paths[0], number, "not two words with a tab between them")
        if value is None:
            raise fault(paths[1], at, f"{text[:40]!r} is not a score")
        found.append((fields[0], fields[1], value))
    return tuple(found)


def sections(paths: Sequence[Path]) -> tuple[Question, ...]:
    """Parse questions of four words a line, under ``: section`` lines if there are any."""
    (path,) = paths
    section, found = "", []
    for number, line in read_lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        words = line.split()
        if len(words) != 4:
            raise fault(path, number, f"{len(words)} words where a question has four")
        found.append(Question(words[0], words[1], words[2], (words[3],), section))
    if not found:
        raise DatasetError(f"{path}: sections but no questions: there is nothing to test with")
    return tuple(found)


def labelled_questions(paths: Sequence[Path]) -> tuple[Question, ...]:
    """Parse ``category a b c d`` lines, or ``a b c CATEGORY d`` as in a copy of MSR's.

    With commas, lines may begin with a number, and the first line may be a header.
    """
    (path,) = paths
    lines = read_lines(path)
    delimiter = "," if delimiter_of(lines, 5) == "," else None
    if delimiter and not split(lines[0][1], delimiter)[0]:
        lines = lines[1:]  # the column of numbers has no name
    found = []
    for number, line in lines:
        words = split(line, delimiter)
        if len(words) == 6 and words[0].isdigit():
            words = words[1:]
        if len(words) != 5 or not all(words):
            raise fault(path, number, f"{len(words)} fields where a category and four words belong")
        if _CATEGORY.fullmatch(words[3]):
            words = [words[3], *words[:3], words[4]]
        found.append(Question(words[1], words[2], words[3], (words[4],), words[0]))
    return tuple(found)


def questions_and_answers(paths: Sequence[Path]) -> tuple[Question, ...]:
    """Parse MSR's two files: three words a line; a category and the answer a line."""
    questions, answers = (read_lines(path) for path in paths)
    if len(questions) != len(answers):
        raise DatasetError(
            f"{paths[1]}: {len(answers):,} answers to the {len(questions):,} questions of "
            f"{paths[0].name}"
        )
    found = []
    for (number, line), (at, reply) in zip(questions, answers, strict=True):
        words, answer = line.split(), reply.split()
        if len(words) != 3:
            raise fault(paths[0], number, f"{len(words)} words where a question has three")
        if len(answer) != 2:
            raise fault(paths[1], at, "not a category and an answer")
        found.append(Question(words[0], words[1], words[2], (answer[1],), answer[0]))
    return tuple(found)


def bats(paths: Sequence[Path]) -> tuple[Question, ...]:
    """Parse a folder of BATS: a file per relation, a word and its answers ``a/b/c`` a line.

    Every pair of lines of a file gives two questions. The word b is the first answer of its line,
    and any answer of the other line is right (A. Gladkova, A. Drozd and S. Matsuoka, 2016).
    """
    (folder,) = paths
    files = sorted(folder.rglob("*.txt"), key=lambda path: path.name)
    found: list[Question] = []
    for path in files:
        rows = []
        for number, line in read_lines(path):
            word, *rest = line.split()
            answers = tuple(answer for answer in "".join(rest[:1]).split("/") if answer)
            if not answers:
                raise fault(path, number, "a word without its answers")
            rows.append((word, answers))
        found += [
            Question(a, b[0], c, answers, path.stem)
            for (a, b), (c, answers) in permutations(rows, 2)
        ]
    if not found:
        raise DatasetError(f"{folder}: no files of BATS in it: unpack the archive there")
    return tuple(found)


def choices(paths: Sequence[Path]) -> tuple[Choice, ...]:
    """Parse ``word | right | wrong | wrong …`` lines, with bars, tabs, commas or semicolons."""
    (path,) = paths
    lines = read_lines(path)
    delimiter = delimiter_of(lines, 3)
    found = []
    for number, line in lines:
        word, *others = split(line, delimiter)
        if len(others) < 2 or not all((word, *others)):
            raise fault(path, number, "not a word, the right choice and at least one other")
        found.append(Choice(word, tuple(others)))
    return tuple(found)


def numbered_choices(paths: Sequence[Path]) -> tuple[Choice, ...]:
    """Parse ``1. word`` with ``a. choice`` lines below, and a file of numbers and letters."""
    questions: dict[int, tuple[str, dict[str, str]]] = {}
    number = 0
    for at, line in read_lines(paths[0]):
        if match := _NUMBERED.fullmatch(line):
            number = int(match[1])
            questions[number] = match[2], {}
        elif (match := _LETTERED.fullmatch(line)) and questions:
            questions[number][1][match[1].lower()] = match[2]
        else:
            raise fault(paths[0], at, "neither '1. word' nor 'a. choice'")
    found = []
    for at, line in read_lines(paths[1]):
        answer = _ANSWER.fullmatch(line)
        if answer is None:
            raise fault(paths[1], at, "not the number of a question and a letter")
        word, options = questions.pop(int(answer[1]), ("", {}))
        right = options.pop(answer[2].lower(), "")
        if not right or not options:
            raise fault(
                paths[1], at, f"question {answer[1]} has no choice {answer[2]!r} among others"
            )
        found.append(Choice(word, (right, *options.values())))
    if questions:
        raise DatasetError(f"{paths[1]}: no answer to question {min(questions)}")
    return tuple(found)


def members(paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Parse words and classes: ``word<TAB>class`` lines, or a folder with a file per class.

    A header may name the column ``class`` or ``category``. If it also has a column without a name,
    of numbers, lines with a class and no word are skipped: one collection ends each class so.
    """
    (path,) = paths
    if path.is_dir():
        return _class_files(path)
    lines = read_lines(path)
    delimiter = delimiter_of(lines, 2)
    head = [field.lower() for field in split(lines[0][1], delimiter)]
    named = next((head.index(name) for name in ("class", "category") if name in head), None)
    label = 1 if named is None else named
    word = next(
        (head.index(name) for name in ("word", "concept") if name in head), 1 - min(label, 1)
    )
    body = lines if named is None else lines[1:]
    found = []
    for number, line in body:
        fields = split(line, delimiter)
        if "" in head and len(fields) == len(head) and fields[label] and not fields[word]:
            continue
        if len(fields) <= max(word, label) or not fields[word] or not fields[label]:
            raise fault(path, number, "not a word and its class")
        found.append((_POS.sub("", fields[word]), fields[label]))
    return _distinct(path, found)


def _class_files(folder: Path) -> tuple[tuple[str, str], ...]:
    found = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        beside = path.name.lower().startswith("readme") or any(p.startswith(".") for p in parts)
        if path.is_file() and path.suffix in (".txt", "") and not beside:
            found += [(word, path.stem) for word in _listed(path)]
    return _distinct(folder, found)


def _listed(path: Path) -> list[str]:
    """Return the words of a class: the first of each line, or the first field of a table."""
    lines = read_lines(path)
    if any("," not in line for _, line in lines):
        return [line.split()[0] for _, line in lines]
    rows = [split(line, ",") for _, line in lines]
    if not any(_is_number(field) for row in rows for field in row):
        raise fault(
            path, lines[0][0], "several words between commas: put each on a line of its own"
        )
    if len(rows) > 1 and not any(map(_is_number, rows[0])) and any(map(_is_number, rows[1])):
        rows = rows[1:]  # names of columns, as Battig's norms have them
    for (number, _), row in zip(lines[-len(rows) :], rows, strict=True):
        if not row[0]:
            raise fault(path, number, "a word is missing")
    return [row[0] for row in rows]


def _is_number(text: str) -> bool:
    return _number(text) is not None


def bless(paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Parse BLESS: ``concept-n class relation relatum-n`` lines, of which two fields are used."""
    (path,) = paths
    found = []
    for number, line in read_lines(path):
        fields = line.split()
        if len(fields) < 2:
            raise fault(path, number, "not a concept and its class")
        found.append((_POS.sub("", fields[0]), fields[1]))
    return _distinct(path, found)


def _distinct(path: Path, found: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    once = tuple(dict.fromkeys(found))
    if len({name for _, name in once}) < 2:
        raise DatasetError(f"{path}: fewer than two classes: there is nothing to test with")
    return once


PARSERS: dict[str, Callable[[Sequence[Path]], tuple[Any, ...]]] = {
    "pairs": pairs(0, 1, 2),
    "pairs, score in column 4": pairs(0, 1, 3),
    "pairs, score in column 13": pairs(0, 1, 12),
    "pairs in columns 2 and 4, score in column 8": pairs(1, 3, 7),
    "tagged pairs": tagged_pairs,
    "pairs and scores": pairs_and_scores,
    "sections": sections,
    "labelled questions": labelled_questions,
    "questions and answers": questions_and_answers,
    "bats": bats,
    "choices": choices,
    "numbered choices": numbered_choices,
    "members": members,
    "bless": bless,
}
