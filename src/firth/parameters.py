"""Parameters of methods: each a dataclass field with its default, range and meaning.

A method is a frozen dataclass whose fields are made by `parameter`. From these the values are
checked when the method is made, and the options of commands, their help, the axes of sweeps and
the tables of the documentation are generated.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import wraps
from operator import index
from types import UnionType
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from firth.errors import FirthError

_KEY = "parameter"
MOST_SEED = 2**63 - 1  # what the generator of random vectors takes

C = TypeVar("C", bound=type)


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
        The value if none is given.
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
    rule
        What the default amounts to where it is None or a word.
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
    rule: str = ""

    @property
    def option(self) -> str:
        """The option of a command.

        Examples
        --------
        >>> Parameter("word_alpha", float, 1.0, "An exponent.").option
        '--word-alpha'
        """
        return f"--{self.name.replace('_', '-')}"

    @property
    def type(self) -> str:
        """The type of the values, in words."""
        return {int: "integer", float: "number", bool: "flag", str: "word"}[self.kind]

    @property
    def is_limited(self) -> bool:
        """Whether some numbers are out of range."""
        return self.kind in (int, float) and {self.least, self.most, self.above} != {None}

    @property
    def shown_default(self) -> str:
        """The default, or what it amounts to, in words.

        Examples
        --------
        >>> Parameter("shift", float, 1.6094379124341003, "Subtracted.").shown_default
        '1.60944'
        """
        if isinstance(self.default, bool):
            shown = "true" if self.default else "false"
        elif isinstance(self.default, float):
            shown = f"{self.default:g}"
        else:
            shown = "none" if self.default is None else str(self.default)
        if not self.rule:
            return shown
        return self.rule if self.default is None else f"{shown}: {self.rule}"

    @property
    def range(self) -> str:
        """The values that are taken, in words.

        Examples
        --------
        >>> Parameter("alpha", float, 1.0, "An exponent.", least=0, most=1).range
        'from 0 to 1'
        """
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            return f"one of {', '.join(self.choices)}" if self.choices else "text"
        if self.above is not None:
            most = "" if self.most is None else f", {_number(self.most)} at most"
            number = f"above {_number(self.above)}{most}"
        elif self.least is not None:
            least = _number(self.least)
            number = f"{least} or more"
            if self.most is not None:
                number = f"from {least} to {_number(self.most)}"
        elif self.most is not None:
            number = f"{_number(self.most)} or less"
        else:
            number = "a whole number" if self.kind is int else "a finite number"
        words = " or ".join(repr(word) for word in self.choices)
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
        if isinstance(value, str) and (value in self.choices or self._is_text):
            return value
        if self.kind is bool and isinstance(value, bool | np.bool_):
            return bool(value)
        number = self._number(value)
        if number is None:
            expected = self.range
            if self.kind is int and self.is_limited and not hasattr(value, "__index__"):
                expected = f"a whole number, {expected}"
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
        if self.optional and text == "none" and text not in self.choices:
            return None
        value: Any = text
        if self.kind is bool:
            value = {"true": True, "false": False}.get(text.lower(), text)
        elif self.kind in (int, float) and text not in self.choices:
            try:
                value = self.kind(text)
            except ValueError:
                value = text
        return self.check(value)

    @property
    def _is_text(self) -> bool:
        return self.kind is str and not self.choices

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


def _number(value: float) -> str:
    return "2^63 - 1" if value == MOST_SEED else f"{value:g}"


def parameter(
    default: Any,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    choices: Sequence[str] = (),
    rule: str = "",
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
        "rule": rule,
    }
    return field(default=default, metadata={_KEY: known})


def seed_parameter() -> Any:
    """Make the field of the seed of a method's random start."""
    return parameter(0, "Seed of the random start vectors.", least=0, most=MOST_SEED)


def redefault(of: type, name: str, default: Any) -> Any:
    """Make a field that differs from one of another class in the default alone.

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


class Named(Checked):
    """A method: a dataclass of parameters with a name, a line about it, and its paper.

    The line is the first of the docstring, unless a class states another.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    paper: ClassVar[str] = ""  # a key of firth.papers.PAPERS, or a citation

    def __init_subclass__(cls, **settings: Any) -> None:
        """Take the summary from the docstring."""
        super().__init_subclass__(**settings)
        if "summary" not in cls.__dict__ and cls.__doc__:
            cls.summary = cls.__doc__.strip().splitlines()[0].strip()

    def settings(self) -> dict[str, Any]:
        """Return name and parameters as plain data."""
        return {"name": self.name, **asdict(self)}  # type: ignore[call-overload]


def formerly(**names: str) -> Callable[[C], C]:
    """Let a dataclass take parameters by their former names, with a warning, for one version.

    Examples
    --------
    >>> @formerly(width="dim")
    ... @dataclass(frozen=True, kw_only=True)
    ... class Method(Checked):
    ...     dim: int = parameter(100, "Dimensions of the vectors.", least=1)
    >>> former_names(Method)
    {'width': 'dim'}
    """

    def accept(of: C) -> C:
        made: Any = of.__init__  # type: ignore[misc]

        @wraps(made)
        def with_former(self: Any, **given: Any) -> None:
            for old, new in names.items():
                if old in given:
                    warnings.warn(
                        f"{of.__name__}({old}=…) is deprecated: use {new}=…",
                        DeprecationWarning,
                        stacklevel=2,
                    )
                    given[new] = given.pop(old)
            made(self, **given)

        of.__init__ = with_former  # type: ignore[misc]
        of._former = names  # type: ignore[attr-defined]
        return of

    return accept


def former_names(method: type) -> dict[str, str]:
    """Return the former names of a method's parameters, with the present ones."""
    return dict(getattr(method, "_former", {}))


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
