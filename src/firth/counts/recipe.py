"""What made a matrix of counts: its recipe, and its ledger of every token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from firth.errors import FirthError, StoreError
from firth.text.parts import Seen

Weighting = Literal["flat", "harmonic", "linear"]
Context = Literal["symmetric", "left", "right", "positional"]
Rare = Literal["drop", "gap", "unk"]

WEIGHTINGS: tuple[str, ...] = get_args(Weighting)
CONTEXTS: tuple[str, ...] = get_args(Context)
RARE: tuple[str, ...] = get_args(Rare)
# lcm(1..20) = 232,792,560 units leave room for 4e10 in 63 bits; lcm(1..23) is 23 times that.
WIDEST_HARMONIC = 20
WIDEST = 1000


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything needed to make a matrix of counts again from the same text.

    Threads, memory, paths and times do not change counts and are not part of it.
    """

    window: int = 5
    weighting: str = "flat"
    context: str = "symmetric"
    diagonal: bool = True
    rare: str = "drop"
    min_count: int = 5
    max_vocab: int | None = None
    context_min_count: int | None = None
    max_contexts: int | None = None
    vocab: str | None = None  # sha256 of a fixed vocabulary
    keep_above: int | None = None
    tokenizer: str = "words"
    lower: bool = True
    cleaners: tuple[str, ...] = ()
    encoding_errors: str = "replace"
    source: str = "text"  # or "matrix", "sum", "offset +1"

    def __post_init__(self) -> None:
        """Refuse what cannot be counted."""
        _one_of("weighting", self.weighting, WEIGHTINGS)
        _one_of("context", self.context, CONTEXTS)
        _one_of("rare", self.rare, RARE)
        _one_of("encoding_errors", self.encoding_errors, ("replace", "strict"))
        for name, least in (
            ("window", 1),
            ("min_count", 0),
            ("max_vocab", 1),
            ("context_min_count", 0),
            ("max_contexts", 1),
            ("keep_above", 0),
        ):
            value = getattr(self, name)
            if value is None and name not in ("window", "min_count"):
                continue
            if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
                raise FirthError(f"{name} must be a whole number of {least} or more, not {value!r}")
            object.__setattr__(self, name, int(value))  # NumPy's numbers do not go into JSON
        if self.window > WIDEST:
            raise FirthError(f"a window of {self.window:,} is too wide: {WIDEST:,} at most")
        if self.weighting == "harmonic" and self.window > WIDEST_HARMONIC:
            raise FirthError(
                f"a harmonic window of {self.window} is too wide to count exactly: use "
                f"{WIDEST_HARMONIC} or less, or linear weighting"
            )
        if self.keep_above is not None and self.vocab is None:
            raise FirthError("--keep-above adds to a fixed vocabulary: give one with --vocab")

    @property
    def scale(self) -> int:
        """How many units make a count of one.

        Examples
        --------
        >>> Recipe(window=10, weighting="harmonic").scale
        2520
        """
        if self.weighting == "harmonic":
            return math.lcm(*range(1, self.window + 1))
        return self.window if self.weighting == "linear" else 1

    @property
    def weights(self) -> list[int]:
        """Units at distances 1, 2, … to one side.

        Examples
        --------
        >>> Recipe(window=3, weighting="harmonic").weights
        [6, 3, 2]
        >>> Recipe(window=3, weighting="linear").weights
        [3, 2, 1]
        """
        distances = range(1, self.window + 1)
        if self.weighting == "harmonic":
            return [self.scale // distance for distance in distances]
        if self.weighting == "linear":
            return [self.window - distance + 1 for distance in distances]
        return [1] * self.window

    @property
    def sides(self) -> tuple[list[int], list[int]]:
        """The weights to the left and to the right."""
        left = [] if self.context == "right" else self.weights
        right = [] if self.context == "left" else self.weights
        return left, right

    @property
    def offsets(self) -> tuple[int, ...]:
        """The offset of each block of columns of a positional matrix; empty for the others."""
        if self.context != "positional":
            return ()
        window = range(1, self.window + 1)
        return (*(-distance for distance in reversed(window)), *window)

    def to_json(self) -> dict[str, Any]:
        """Give the recipe as plain data."""
        return {**asdict(self), "cleaners": list(self.cleaners)}

    @classmethod
    def from_json(cls, data: Any) -> Recipe:
        """Take back what `to_json` gave."""
        known = {f.name for f in fields(cls)}
        if not isinstance(data, dict) or not known >= set(data):
            raise StoreError("the recipe has entries that this version of firth does not know")
        cleaners = data.get("cleaners", [])
        if not (
            all(isinstance(data.get(name, True), bool) for name in ("diagonal", "lower"))
            and all(isinstance(data.get(name, ""), str) for name in ("tokenizer", "source"))
            and isinstance(data.get("vocab"), str | None)
            and isinstance(cleaners, list)
            and all(isinstance(cleaner, str) for cleaner in cleaners)
        ):
            raise StoreError("the recipe cannot be read: an entry is of another type")
        try:
            return cls(**{**data, "cleaners": tuple(data.get("cleaners", ()))})
        except (TypeError, FirthError) as error:
            raise StoreError(f"the recipe cannot be read: {error}") from error


def _one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise FirthError(f"{name} must be one of {', '.join(known)}, not {value!r}")


def fingerprint(words: Sequence[str]) -> str:
    """Name a fixed vocabulary by its words, in any order.

    Examples
    --------
    >>> fingerprint(["b", "a"]) == fingerprint(["a", "b"])
    True
    """
    import hashlib  # slow to load, and seldom needed

    joined = b"\xff".join(sorted(word.encode("utf-8", "replace") for word in words))
    return hashlib.sha256(joined).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """Where every token went.

    ``tokens`` were read; of these ``kept`` are words of the vocabulary and the rest were left
    out, for one of the reasons given. Under the rare rule ``unk``, those left out were counted as
    the placeholder.
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
        """Enter what was read."""
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
        """Give the ledger as plain data."""
        return {**asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, data: Any) -> Ledger:
        """Take back what `to_json` gave."""
        known = {f.name for f in fields(cls)}
        if not isinstance(data, dict) or not known >= set(data):
            raise StoreError("the ledger has entries that this version of firth does not know")
        for f in fields(cls):
            value = data.get(f.name, f.default)
            kind = {"notes": (list, tuple), "largest_rounding": (int, float)}.get(f.name, (int,))
            if not isinstance(value, kind):
                raise StoreError(f"the ledger cannot be read: {f.name} is {value!r:.40}")
        if not 0 <= data.get("largest_rounding", 0.0) < 2**63:  # nor NaN
            raise StoreError("the ledger cannot be read: largest_rounding is no size")
        if not all(isinstance(note, str) for note in data.get("notes", ())):
            raise StoreError("the ledger cannot be read: a note is not text")
        return cls(**{**data, "notes": tuple(data.get("notes", ()))})

    def rows(self) -> list[tuple[str, str]]:
        """Lines for a person to read, the empty ones left out."""
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
