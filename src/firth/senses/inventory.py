"""How many senses words have: from WordNet, a table or a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from firth.errors import CorpusError, FirthError

INDEX_FILES = ("index.noun", "index.verb", "index.adj", "index.adv")
LARGEST = 1 << 28  # bytes: far more than any table has
DIGITS = 18  # of a number of senses at most

SenseTable = Mapping[str, int]


def read_sense_table(path: str | Path) -> dict[str, int]:
    r"""Read how many senses each lemma has.

    Parameters
    ----------
    path
        The folder of WordNet's dict files (``index.noun``, ``index.verb``, ``index.adj`` and
        ``index.adv``), or a file with a line for each lemma, or for each lemma and part of speech,
        whose fields are separated by tabs: the lemma first, the number of senses last. The senses
        of different parts of speech are added up. Lemmas are in lower case, and of several words
        with underscores between them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "senses.tsv"
    >>> _ = path.write_text("bank\tn\t10\nbank\tv\t8\nriver\tn\t1\n")
    >>> read_sense_table(path)
    {'bank': 18, 'river': 1}
    """
    path = Path(path)
    table: dict[str, int] = {}
    if not path.is_dir():
        _read(path, table, index=False)
        return table
    files = [path / name for name in INDEX_FILES if (path / name).is_file()]
    if not files:
        raise CorpusError(f"{path}: has none of {', '.join(INDEX_FILES)}: give WordNet's folder")
    for file in files:
        _read(file, table, index=True)
    return table


def _read(path: Path, table: dict[str, int], index: bool) -> None:
    """Add the lines of a file to a table."""
    try:
        if path.stat().st_size > LARGEST:
            raise CorpusError(f"{path}: larger than any table of senses: is it the right file?")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror}: check the name") from None
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start:,}: convert it") from None
    for number, line in enumerate(text.splitlines(), 1):
        # The licence at the head of WordNet's files is indented.
        if not line.strip() or (index and line.startswith("  ")):
            continue
        fields = line.split(" ") if index else line.split("\t")
        # In an index file: lemma, part of speech, number of synsets, …
        count = fields[2 if index else -1] if len(fields) > (2 if index else 1) else ""
        if not fields[0] or not count.strip().isdecimal() or len(count) > DIGITS:
            raise CorpusError(f"{path}: line {number:,}: no lemma and number of senses there")
        lemma = fields[0].lower()
        table[lemma] = table.get(lemma, 0) + int(count)


def check_table(table: SenseTable) -> SenseTable:
    """Raise if a mapping does not give whole numbers of senses."""
    for word, number in table.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise FirthError(f"the senses of {word!r:.40} must be a whole number, not {number!r}")
    return table
