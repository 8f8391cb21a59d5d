"""The value of a setting in a recipe: known, different in the parts of a sum, or unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias, TypeVar

from firth.errors import FirthError

T = TypeVar("T")


class Unknown(Enum):
    """The type of `UNKNOWN`, which stands for a setting that nothing is known about."""

    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True)
class Mixed:
    """The values that a setting had in the parts of a sum.

    Attributes
    ----------
    values
        Two or more different values, in order of first appearance; one may be `UNKNOWN`.

    Examples
    --------
    >>> print(Mixed((1, 10)))
    1 and 10
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        """Check that there are two or more different values."""
        if len(self.values) < 2 or _different(self.values) != self.values:
            raise FirthError(f"a mixed setting needs two or more different values: {self.values!r}")

    def __str__(self) -> str:
        return " and ".join(map(str, self.values))


Stated: TypeAlias = T | Unknown | Mixed


def together(values: Iterable[Any]) -> Any:
    """Combine the values of the parts of a sum: one value, or all different ones as `Mixed`.

    Combining is associative: a sum of sums has the same values as one sum of all parts.

    Examples
    --------
    >>> together([5, 5])
    5
    >>> together([10, together([1, 10]), UNKNOWN])
    Mixed(values=(10, 1, UNKNOWN))
    """
    flat: list[Any] = []
    for value in values:
        flat.extend(value.values if isinstance(value, Mixed) else (value,))
    different = _different(flat)
    return different[0] if len(different) == 1 else Mixed(different)


def _different(values: Iterable[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return tuple(found)


def to_plain(value: Any) -> Any:
    """Convert a value for JSON: ``"unknown"``, or a list of the values of parts.

    Examples
    --------
    >>> to_plain(UNKNOWN), to_plain(Mixed((1, UNKNOWN))), to_plain(("tweets",))
    ('unknown', [1, 'unknown'], ['tweets'])
    """
    if isinstance(value, Unknown):
        return value.value
    if isinstance(value, Mixed):
        return [to_plain(part) for part in value.values]
    return list(value) if isinstance(value, tuple) else value


def from_plain(value: Any, names: bool = False) -> Any:
    """Read what `to_plain` wrote.

    Parameters
    ----------
    value
        Plain data.
    names
        Whether the setting itself is a sequence of names, such as ``cleaners``.

    Examples
    --------
    >>> from_plain([1, "unknown"])
    Mixed(values=(1, UNKNOWN))
    >>> from_plain(["tweets"], names=True), from_plain([["tweets"], []], names=True)
    (('tweets',), Mixed(values=(('tweets',), ())))
    """
    if value == UNKNOWN.value:
        return UNKNOWN
    if not isinstance(value, list):
        return value
    if names and all(isinstance(name, str) for name in value):
        return tuple(value)
    return Mixed(tuple(from_plain(part, names) for part in value))
