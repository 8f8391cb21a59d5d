"""Parameters of methods: each a dataclass field with its default, range and meaning.

A method is a frozen dataclass whose fields are made by `parameter`. From these the values are
checked when the method is made, and the options of commands, their help, the axes of sweeps and
the tables of the documentation are generated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from operator import index
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from firth.errors import FirthError

_KEY = "parameter"


@dataclass(frozen=True)
class Parameter:
    """What is known of one parameter of a method.

    Attributes
    ----------
    name
        Of the field; a command's option has dashes in the place of underscores.
    kind
        ``int``, ``float``, ``bool`` or ``str``.
    default
        None where a rule that `meaning` states decides.
    meaning
        One line.
    least, most
        The range of a number, inclusive.
    above
        A bound that a number must exceed.
    choices
        The values that text may have; beside a number, words that may stand in its place.
    optional
        Whether None is a value.
    """

    name: str
    kind: type
    default: Any
    meaning: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def range(self) -> str:
        """The values that are taken, in words.

        Examples
        --------
        >>> Parameter("alpha", float, 1.0, "An exponent.", least=0, most=1).range
        'from 0 to 1'
        """
        words = " or ".join(repr(word) for word in self.choices)
        if self.kind in (bool, str):
            return "" if self.kind is bool else words
        if self.above is not None:
            number = f"above {self.above:g}"
        elif self.least is not None and self.most is not None:
            number = f"from {self.least:g} to {self.most:g}"
        elif self.least is not None:
            number = f"{self.least:g} or more"
        else:
            number = "a whole number" if self.kind is int else "a finite number"
        return f"{number}, or {words}" if words else number

    def check(self, value: Any) -> Any:
        """Return a value as it is kept, or raise if it is not one of this parameter.

        Examples
        --------
        >>> Parameter("dim", int, 100, "Dimensions.", least=1).check(0)
        Traceback (most recent call last):
        firth.errors.FirthError: dim must be 1 or more, not 0
        """
        if value is None and self.optional:
            return None
        if isinstance(value, str) and value in self.choices:
            return value
        if self.kind is bool and isinstance(value, bool):
            return value
        number = self._number(value)
        if number is None:
            expected = self.range or "true or false"
            if self.kind is str:
                expected = f"one of {', '.join(self.choices)}"
            raise FirthError(f"`{self.name}` must be {expected}, not {value!r:.60}")
        return number

    def parse(self, text: str) -> Any:
        """Read a value from text, as a command or the axis of a sweep gives it.

        Examples
        --------
        >>> threshold = Parameter("threshold", float, -3.0, "A bound.", choices=("auto",))
        >>> threshold.parse("-2.5"), threshold.parse("auto")
        (-2.5, 'auto')
        """
        text = text.strip()
        value: Any = text
        if self.kind is bool:
            value = {"true": True, "false": False}.get(text.lower(), text)
        elif self.kind in (int, float) and text not in self.choices:
            try:
                value = self.kind(text)
            except ValueError:
                value = text
        return self.check(value)

    def _number(self, value: Any) -> float | int | None:
        """Return a number in the range as Python has it, or None."""
        if self.kind not in (int, float) or isinstance(value, bool | str):
            return None
        try:
            number = index(value) if self.kind is int else float(value)
        except (TypeError, ValueError):
            return None
        fits = (
            math.isfinite(number)
            and (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
        )
        return number if fits else None


def parameter(
    default: Any,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """Make a dataclass field that is a parameter; see `Parameter`.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Method(Checked):
    ...     dim: int = parameter(100, "Dimensions of the vectors.", least=1)
    >>> Method(dim=2)
    Method(dim=2)
    >>> [p.meaning for p in parameters_of(Method)]
    ['Dimensions of the vectors.']
    """
    known = {
        "meaning": meaning,
        "least": least,
        "most": most,
        "above": above,
        "choices": tuple(choices),
    }
    return field(default=default, metadata={_KEY: known})


def redefault(of: type, name: str, default: Any) -> Any:
    """Make the field of a subclass that differs from its parent's in the default alone.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Method(Checked):
    ...     dim: int = parameter(100, "Dimensions of the vectors.", least=1)
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Wide(Method):
    ...     dim: int = redefault(Method, "dim", 300)
    >>> Wide()
    Wide(dim=300)
    """
    known = next(f.metadata[_KEY] for f in fields(of) if f.name == name)
    return field(default=default, metadata={_KEY: known})


class Checked:
    """A dataclass whose parameters are checked when it is made."""

    def __post_init__(self) -> None:
        """Check every parameter."""
        for known in parameters_of(type(self)):
            object.__setattr__(self, known.name, known.check(getattr(self, known.name)))


def parameters_of(method: type) -> tuple[Parameter, ...]:
    """List the parameters of a method, in the order of its fields."""
    found: tuple[Parameter, ...] | None = method.__dict__.get("_parameters")
    if found is None:
        hints = get_type_hints(method)
        found = tuple(
            _of_field(one.name, hints[one.name], one.default, one.metadata[_KEY])
            for one in fields(method)
            if _KEY in one.metadata
        )
        method._parameters = found  # type: ignore[attr-defined]
    return found


def _of_field(name: str, hint: Any, default: Any, known: dict[str, Any]) -> Parameter:
    """Read the kind of a parameter from the type of its field."""
    kinds = set(get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,))
    optional = type(None) in kinds
    numbers = kinds & {int, float, bool}
    kind = next(iter(numbers)) if numbers else str
    value = None if default is MISSING else default
    return Parameter(name, kind, value, optional=optional, **known)
