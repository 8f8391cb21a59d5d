r"""A folder with ``vectors.safetensors`` and ``words.txt``.

The first holds the tensor ``vectors`` and, if they are known, ``frequencies`` (int64). The second
holds one word per line, in which backslash, tab, newline and carriage return are written ``\\``,
``\t``, ``\n``, ``\r``; so it can hold any word.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from firth.errors import StoreError
from firth.space.formats.faults import check_distinct
from firth.space.formats.streams import open_file, read_lines
from firth.space.formats.table import VectorTable, first_infinite
from firth.text.vocabulary import escape, unescape

VECTORS, WORDS = "vectors.safetensors", "words.txt"
NAMES = (VECTORS, WORDS)
FORMAT, VERSION = "firth-vectors", 1
_LARGEST_HEADER = 1 << 20  # bytes of JSON: two tensors need a few hundred
_FLOATS = ("F16", "F32", "F64")


def read_tensors(folder: Path) -> VectorTable:
    """Read a folder of tensors and words."""
    name = str(folder / VECTORS)
    vectors, frequencies, notes = _tensors(folder / VECTORS)
    words = _words(folder / WORDS)
    if len(words) != len(vectors):
        raise StoreError(
            f"{folder / WORDS}: {len(words):,} words for the {len(vectors):,} rows of {VECTORS}: "
            "they are not from the same table, or one is cut short"
        )
    bad = first_infinite(vectors)
    if bad:
        raise StoreError(f"{name}: row {bad[0] + 1:,}: {words[bad[0]]!r:.80} has {vectors[bad]}")
    if frequencies is not None and (frequencies.shape != (len(words),) or frequencies.min() < 0):
        raise StoreError(f"{name}: the frequencies do not fit the words: the file is damaged")
    return VectorTable(tuple(words), vectors, frequencies, notes)


def _tensors(path: Path) -> tuple[Any, Any, tuple[str, ...]]:
    """Load the tensors with the safetensors library, after checking the size of the header."""
    from safetensors import SafetensorError, safe_open

    open_file(path)
    notes: tuple[str, ...] = ()
    try:
        with open(path, "rb") as file:
            if int.from_bytes(file.read(8), "little") > _LARGEST_HEADER:
                raise StoreError(f"{path}: the header is too large: damaged, or not safetensors")
        with safe_open(path, "np") as tensors:
            _check_version(path, tensors.metadata() or {})
            if "vectors" not in tensors.keys():  # noqa: SIM118 - not a dict
                raise StoreError(f"{path}: no tensor is called vectors")
            stored = tensors.get_slice("vectors")
            kind, shape = stored.get_dtype(), stored.get_shape()
            if kind not in _FLOATS or len(shape) != 2 or 0 in shape:
                raise StoreError(f"{path}: vectors is not a table of floats but {kind} {shape}")
            if kind != "F32":
                notes = (f"vectors of {kind} were converted to F32",)
            with np.errstate(over="ignore"):  # infinite values are refused
                vectors = np.ascontiguousarray(tensors.get_tensor("vectors"), np.float32)
            frequencies = None
            if "frequencies" in tensors.keys():  # noqa: SIM118
                if tensors.get_slice("frequencies").get_dtype() != "I64":
                    raise StoreError(f"{path}: the frequencies are not int64")
                frequencies = tensors.get_tensor("frequencies")
    except SafetensorError as error:
        raise StoreError(f"{path}: not valid safetensors: {str(error)[:200]}") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error}") from error
    return vectors, frequencies, notes


def _check_version(path: Path, metadata: dict[str, str]) -> None:
    """Raise if a later version of firth wrote the file; files of other programs have no version."""
    try:
        ours = json.loads(metadata.get("firth", "{}"))
    except (ValueError, RecursionError):
        ours = None
    if not isinstance(ours, dict) or ours.get("format", FORMAT) != FORMAT:
        raise StoreError(f"{path}: its description is damaged, or that of another kind of file")
    if ours.get("version", VERSION) != VERSION:
        raise StoreError(f"{path}: version {ours['version']!r:.40}: install a newer firth")


def _words(path: Path) -> list[str]:
    words: list[str] = []
    for chunk in read_lines(open_file(path)):
        for line in chunk.removesuffix(b"\n").split(b"\n"):
            number = len(words) + 1
            try:
                word = line.decode()
            except UnicodeDecodeError as error:
                raise StoreError(
                    f"{path}: line {number:,} is not UTF-8 at its byte {error.start + 1:,}"
                ) from None
            if not word:
                raise StoreError(f"{path}: line {number:,} has no word: the file is damaged")
            words.append(unescape(word) if "\\" in word else word)
    check_distinct(str(path), words, range(1, len(words) + 1))
    return words


def write_tensors(table: VectorTable, folder: Path) -> None:
    """Write tensors and words into a folder."""
    from safetensors.numpy import save_file

    arrays: dict[str, Any] = {"vectors": table.vectors}
    if table.frequencies is not None:
        arrays["frequencies"] = table.frequencies
    # One entry, because the library writes several in any order.
    description = {"firth": json.dumps({"format": FORMAT, "version": VERSION})}
    save_file(arrays, folder / VECTORS, metadata=description)
    text = "".join(f"{escape(word)}\n" for word in table.words)
    (folder / WORDS).write_bytes(text.encode())
