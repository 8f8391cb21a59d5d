"""What is known of how a matrix of counts was made: its recipe."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from numbers import Real
from operator import index
from typing import Any, Literal, get_args

from firth.counts.blocks import LEFT, RIGHT, SIDES, Block, Blocks, block_name
from firth.counts.stated import UNKNOWN, Mixed, Stated, Unknown, from_plain, to_plain
from firth.errors import FirthError, StoreError

Weighting = Literal["flat", "harmonic", "linear"]
Context = Literal["symmetric", "left", "right", "sides", "positional"]
Rare = Literal["drop", "gap", "unk"]

WEIGHTINGS: tuple[str, ...] = get_args(Weighting)
CONTEXTS: tuple[str, ...] = get_args(Context)
RARE: tuple[str, ...] = get_args(Rare)
# lcm(1..20) = 232,792,560 units leave room for 4e10 in 63 bits; lcm(1..23) is 23 times that.
WIDEST_HARMONIC = 20
WIDEST = 1000

_CHOICES = {
    "weighting": WEIGHTINGS,
    "context": CONTEXTS,
    "rare": RARE,
    "encoding_errors": ("replace", "strict"),
}
_LEAST = {
    "window": 1,
    "min_count": 0,
    "max_vocab": 1,
    "context_min_count": 0,
    "max_contexts": 1,
    "keep_above": 0,
    "sampling_seed": 0,
}
_PARAMETER = {"sampling_seed": "seed"}  # names in `firth.count`, where they differ
_OPTIONAL = (
    *("max_vocab", "context_min_count", "max_contexts", "vocab", "keep_above"),
    *("subsample", "sampling_seed"),
)
# Settings that earlier versions did not have. They are written only if they differ from the value
# that is assumed where they are absent: None for counts of a text, unknown for others.
_LATER = ("subsample", "sampling_seed")
_PART = "part of "
_OF_OFFSET = re.compile(r"(?:part of )?offset ([+-]\d{1,4})")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What is known of how a matrix of counts was made.

    The recipe of a counted text has every setting, so that the text can be counted again in the
    same way. That of a matrix from elsewhere has only what its user states. A setting in which the
    parts of a sum differ is `Mixed`. Threads, memory, paths and times do not change counts and are
    not part of a recipe.

    Attributes
    ----------
    window, weighting, context, diagonal, rare, min_count, max_vocab, context_min_count, \
    max_contexts, keep_above, tokenizer, lower, cleaners, encoding_errors, subsample
        As for `firth.count`; `UNKNOWN` where nothing is known. None means no limit.
    sampling_seed
        The `seed` of `firth.count`; None where there is no subsampling.
    vocab
        The SHA-256 of a fixed vocabulary; None if there was none.
    source
        ``"text"``, ``"matrix"`` (made elsewhere), ``"sum"``, or ``"offset +1"`` (the block of one
        offset of positional counts). A selection of rows or columns is ``"part of …"``.

    Examples
    --------
    >>> Recipe(window=5, weighting="flat").min_count
    UNKNOWN
    """

    window: Stated[int] = UNKNOWN
    weighting: Stated[str] = UNKNOWN
    context: Stated[str] = UNKNOWN
    diagonal: Stated[bool] = UNKNOWN
    rare: Stated[str] = UNKNOWN
    min_count: Stated[int] = UNKNOWN
    max_vocab: Stated[int | None] = UNKNOWN
    context_min_count: Stated[int | None] = UNKNOWN
    max_contexts: Stated[int | None] = UNKNOWN
    vocab: Stated[str | None] = UNKNOWN
    keep_above: Stated[int | None] = UNKNOWN
    tokenizer: Stated[str] = UNKNOWN
    lower: Stated[bool] = UNKNOWN
    cleaners: Stated[tuple[str, ...]] = UNKNOWN
    encoding_errors: Stated[str] = UNKNOWN
    subsample: Stated[float | None] = UNKNOWN
    sampling_seed: Stated[int | None] = UNKNOWN
    source: Stated[str] = UNKNOWN

    def __post_init__(self) -> None:
        """Check every setting that is stated."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Mixed):
                value = Mixed(tuple(_checked(field.name, part) for part in value.values))
            else:
                value = _checked(field.name, value)
            object.__setattr__(self, field.name, value)
        window, harmonic = self.window, self.weighting == "harmonic"
        if isinstance(window, int) and harmonic and window > WIDEST_HARMONIC:
            raise FirthError(
                f"a harmonic window of {window} is too wide to count exactly: `window` must be "
                f"{WIDEST_HARMONIC} or less; or use `weighting='linear'`"
            )
        if isinstance(self.keep_above, int) and self.vocab is None:
            raise FirthError("`keep_above` adds to a fixed vocabulary: give one with `vocab`")

    def known(self, name: str) -> Any:
        """Return a setting that must be known.

        Examples
        --------
        >>> Recipe(window=Mixed((2, 5))).known("window")
        Traceback (most recent call last):
        firth.errors.FirthError: the window of these counts is not known: it is 2 and 5
        """
        value = getattr(self, name)
        if isinstance(value, Unknown | Mixed):
            raise FirthError(f"the {name} of these counts is not known: it is {value}")
        return value

    @property
    def is_complete(self) -> bool:
        """Whether every setting is known."""
        return not any(isinstance(getattr(self, f.name), Unknown | Mixed) for f in fields(self))

    @property
    def denominator(self) -> int:
        """The number of units in a count of one.

        Examples
        --------
        >>> Recipe(window=10, weighting="harmonic").denominator
        2520
        """
        window, weighting = self.known("window"), self.known("weighting")
        if weighting == "harmonic":
            return math.lcm(*range(1, window + 1))
        return int(window) if weighting == "linear" else 1

    @property
    def scale(self) -> int:
        """The former name of `denominator`."""
        warnings.warn(
            "Recipe.scale is deprecated: use Recipe.denominator", DeprecationWarning, stacklevel=2
        )
        return self.denominator

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
        window, weighting = self.known("window"), self.known("weighting")
        distances = range(1, window + 1)
        if weighting == "harmonic":
            return [self.denominator // distance for distance in distances]
        if weighting == "linear":
            return [window - distance + 1 for distance in distances]
        return [1] * int(window)

    @property
    def sides(self) -> tuple[list[int], list[int]]:
        """The weights to the left and to the right."""
        context = self.known("context")
        left = [] if context == "right" else self.weights
        right = [] if context == "left" else self.weights
        return left, right

    @property
    def offsets(self) -> Blocks:
        """The blocks of columns: offsets of positional counts, or sides; empty for other counts."""
        context = self.known("context")
        if context == "sides":
            return SIDES
        if context != "positional":
            return ()
        window = range(1, self.known("window") + 1)
        return (*(-distance for distance in reversed(window)), *window)

    @property
    def layout(self) -> str:
        """What has a block of columns of its own: ``window``, ``sides`` or ``offsets``."""
        kinds = {"sides": "sides", "positional": "offsets"}
        return kinds.get(self.known("context"), "window")

    @property
    def offset(self) -> int | None:
        """The offset of counts that are one block of positional counts; None for other counts.

        Examples
        --------
        >>> Recipe(source="offset +1").offset, Recipe(source="text").offset
        (1, None)
        """
        found = _OF_OFFSET.fullmatch(str(self.source))
        return None if found is None else int(found[1])

    def of_block(self, block: Block) -> Recipe:
        """Return the recipe of the block of one offset or side."""
        if isinstance(block, str):
            return replace(self, context=block)
        side = LEFT if block < 0 else RIGHT
        return replace(self, context=side, source=f"offset {block_name(block)}")

    def of_part(self) -> Recipe:
        """Return the recipe of a selection of rows or columns."""
        if not isinstance(self.source, str) or self.source.startswith(_PART):
            return self
        return replace(self, source=_PART + self.source)

    def symmetry(self, same_words: bool) -> bool | None:
        """Return whether counting a text by this recipe gives a symmetric matrix.

        True if it must, None if that depends on the text or the counts come from elsewhere.

        Parameters
        ----------
        same_words
            Whether rows and columns have one vocabulary.
        """
        counted = self.source == "text" and self.context == "symmetric"
        return True if counted and same_words else None

    def summary(self) -> str:
        """Describe the counts in a few words.

        Examples
        --------
        >>> Recipe(window=5, weighting="flat", context="left", source="text").summary()
        'left flat window of 5'
        >>> Recipe(source="matrix").summary()
        'from a matrix'
        """
        kinds = [str(kind) for kind in (self.context, self.weighting) if isinstance(kind, str)]
        if isinstance(self.window, int):
            kinds.append(f"window of {self.window}")
        known = " ".join(kinds)
        if self.offset is not None:
            block = f"offset {self.offset:+d}"
            return f"{block} of a {' '.join(kinds[1:])}" if len(kinds) == 3 else block
        if self.source in ("matrix", _PART + "matrix"):
            return f"from a matrix, {known}" if known else "from a matrix"
        return known or "window unknown"

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data; see `firth.counts.stated`."""
        plain = {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}
        absent = _absent(plain)
        return {
            name: value for name, value in plain.items() if name not in _LATER or value != absent
        }

    @classmethod
    def from_json(cls, data: Any) -> Recipe:
        """Read what `to_json` returned; settings that are absent are unknown."""
        known = {f.name for f in fields(cls)}
        if not isinstance(data, dict) or not known >= set(data):
            raise StoreError("the recipe has entries that this version of firth does not know")
        stated = {**dict.fromkeys(_LATER, _absent(data)), **data}
        try:
            return cls(
                **{name: from_plain(value, name == "cleaners") for name, value in stated.items()}
            )
        except (TypeError, FirthError) as error:
            raise StoreError(f"the recipe cannot be read: {error}") from error


def _absent(plain: dict[str, Any]) -> str | None:
    """Return the value of a setting that an earlier version did not write."""
    counted = plain.get("rare", UNKNOWN.value) != UNKNOWN.value
    return None if counted else UNKNOWN.value


def _checked(name: str, value: Any) -> Any:
    """Return a setting as a recipe keeps it, or raise if it cannot have this value."""
    if isinstance(value, Unknown) or (value is None and name in _OPTIONAL):
        return value
    if isinstance(value, str) and value == UNKNOWN.value:
        return UNKNOWN
    if name in _LEAST:
        return _whole(name, value)
    if name == "subsample":
        return _rate(value)
    if name in _CHOICES:
        fits, expected = value in _CHOICES[name], f"one of {', '.join(_CHOICES[name])}"
    elif name in ("diagonal", "lower"):
        fits, expected = isinstance(value, bool), "True or False"
    elif name == "cleaners":
        fits = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
        expected = "a tuple of names"
    else:
        fits, expected = isinstance(value, str), "text"
    if not fits:
        raise FirthError(f"`{name}` must be {expected}, not {value!r:.60}")
    return value


def _whole(name: str, value: Any) -> int:
    """Return a Python int: JSON takes none of NumPy's numbers."""
    least = _LEAST[name]
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least:
        given = _PARAMETER.get(name, name)
        raise FirthError(f"`{given}` must be a whole number of {least} or more, not {value!r:.60}")
    if name == "window" and number > WIDEST:
        raise FirthError(f"`window` must be {WIDEST:,} or less, not {number:,}")
    return number


def _rate(value: Any) -> float:
    """Return a rate of subsampling as a recipe keeps it."""
    if isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) <= 1:
        return float(value)
    raise FirthError(f"`subsample` must be above 0 and at most 1, not {value!r:.60}")


def fingerprint(words: Sequence[str]) -> str:
    """Return a hash of the words of a fixed vocabulary, which does not depend on their order.

    Examples
    --------
    >>> fingerprint(["b", "a"]) == fingerprint(["a", "b"])
    True
    """
    import hashlib  # slow to load, and seldom needed

    joined = b"\xff".join(sorted(word.encode("utf-8", "replace") for word in words))
    return hashlib.sha256(joined).hexdigest()
