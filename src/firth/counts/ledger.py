"""The ledger of a matrix of counts: an account of every token that was read."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from firth.errors import StoreError
from firth.text.parts import Seen


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """An account of every token that was read.

    Of the `tokens` that were read, `kept` are words of the vocabulary. The others were left out for
    one of the reasons listed; with ``rare="unk"`` they were counted as the placeholder. Of the
    tokens that are words, `subsampled` were dropped before windows were formed.

    Examples
    --------
    >>> import firth
    >>> ledger = firth.count(["a rose is a rose"], min_count=2).ledger
    >>> ledger.tokens, ledger.kept, ledger.below_min_count, ledger.dropped
    (5, 4, 1, 1)
    """

    files: int = 0
    bytes_read: int = 0
    lines: int = 0
    tokens: int = 0
    types: int = 0
    kept: int = 0
    kept_types: int = 0
    below_min_count: int = 0
    beyond_max_vocab: int = 0
    not_in_vocabulary: int = 0
    subsampled: int = 0
    invalid: int = 0
    nul: int = 0
    blank: int = 0
    largest_rounding: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def dropped(self) -> int:
        """Tokens that are not words of the vocabulary."""
        return self.tokens - self.kept

    def with_seen(self, seen: Seen) -> Ledger:
        """Return a copy with the numbers of what was read."""
        return replace(self, **asdict(seen))

    def __add__(self, other: Ledger) -> Ledger:
        if not isinstance(other, Ledger):
            return NotImplemented
        out: dict[str, Any] = {}
        for f in fields(self):
            a, b = getattr(self, f.name), getattr(other, f.name)
            out[f.name] = max(a, b) if f.name == "largest_rounding" else a + b
        out["notes"] = tuple(dict.fromkeys(out["notes"]))
        return Ledger(**out)

    def to_json(self) -> dict[str, Any]:
        """Return the ledger as plain data.

        `subsampled` is left out where it is 0, as in stores of earlier versions.
        """
        plain = {**asdict(self), "notes": list(self.notes)}
        if not self.subsampled:
            del plain["subsampled"]
        return plain

    @classmethod
    def from_json(cls, data: Any) -> Ledger:
        """Read what `to_json` returned."""
        known = {f.name for f in fields(cls)}
        if not isinstance(data, dict) or not known >= set(data):
            raise StoreError("the ledger has entries that this version of firth does not know")
        for f in fields(cls):
            value = data.get(f.name, f.default)
            kind = {"notes": (list, tuple), "largest_rounding": (int, float)}.get(f.name, (int,))
            if not isinstance(value, kind):
                raise StoreError(f"the ledger cannot be read: {f.name} is {value!r:.40}")
        if not 0 <= data.get("largest_rounding", 0.0) < 2**63:  # nor NaN
            raise StoreError("the ledger cannot be read: largest_rounding is not a size")
        if not all(isinstance(note, str) for note in data.get("notes", ())):
            raise StoreError("the ledger cannot be read: a note is not text")
        return cls(**{**data, "notes": tuple(data.get("notes", ()))})

    def rows(self) -> list[tuple[str, str]]:
        """Return `entries`, under its former name."""
        warnings.warn(
            "Ledger.rows() is deprecated: use Ledger.entries()", DeprecationWarning, stacklevel=2
        )
        return self.entries()

    def entries(self) -> list[tuple[str, str]]:
        """List the numbers that are not zero as names and formatted values."""
        share = f" ({self.kept / self.tokens:.1%})" if self.tokens else ""
        entries = [
            ("files", self.files),
            ("bytes", self.bytes_read),
            ("lines", self.lines),
            ("tokens read", self.tokens),
            ("distinct words", self.types),
            ("tokens kept", f"{self.kept:,}{share}" if self.kept else 0),
            ("words kept", self.kept_types),
            ("rare: below min count", self.below_min_count),
            ("rare: beyond max vocab", self.beyond_max_vocab),
            ("rare: not in vocabulary", self.not_in_vocabulary),
            ("frequent: subsampled", self.subsampled),
            ("malformed UTF-8, replaced", self.invalid),
            ("NUL bytes, read as spaces", self.nul),
            ("blank tokens, left out", self.blank),
            ("largest rounding", f"{self.largest_rounding:.3g}" if self.largest_rounding else 0),
        ]
        shown = [
            (name, value if isinstance(value, str) else f"{value:,}")
            for name, value in entries
            if value
        ]
        return shown + [("note", note) for note in self.notes]
