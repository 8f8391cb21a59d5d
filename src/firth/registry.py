"""Registries: the methods of one kind by name. Commands and pages are generated from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from firth.errors import FirthError


class _Named(Protocol):
    name: ClassVar[str]


T = TypeVar("T", bound=_Named)


class Registry(Mapping[str, type[T]]):
    """Methods by name, in alphabetical order.

    Parameters
    ----------
    aliases
        Other names of methods. They can be looked up, but are not listed.

    Examples
    --------
    >>> class Toy:
    ...     name = "toy"
    >>> toys = Registry[Toy](usual="toy")
    >>> toys.register(Toy).name, list(toys), toys["usual"].name
    ('toy', ['toy'], 'toy')
    >>> toys["robot"]
    Traceback (most recent call last):
    firth.errors.FirthError: method must be one of usual, toy, not 'robot'
    """

    def __init__(self, **aliases: str) -> None:
        self._methods: dict[str, type[T]] = {}
        self.aliases = aliases

    def register(self, method: type[T]) -> type[T]:
        """Add a method under its name; can also be used as a decorator."""
        other = self._methods.get(method.name)
        if not method.name or method.name in self.aliases:
            raise FirthError(f"{method.__name__} needs a `name` of its own, not {method.name!r}")
        if other is not None and other.__qualname__ != method.__qualname__:
            raise FirthError(f"the name {method.name!r} is taken by {other.__qualname__}")
        self._methods[method.name] = method
        return method

    def register_all(self, found: Iterable[Any], kind: type[T]) -> None:
        """Register every class of a kind that has a name, from the contents of a module."""
        for one in found:
            if isinstance(one, type) and issubclass(one, kind) and one.name:
                self.register(one)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that can be looked up, aliases first."""
        return (*self.aliases, *self)

    def __getitem__(self, name: str) -> type[T]:
        found = self._methods.get(self.aliases.get(name, name))
        if found is None:
            raise FirthError(f"`method` must be one of {', '.join(self.names)}, not {name!r}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._methods or name in self.aliases

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._methods))

    def __len__(self) -> int:
        return len(self._methods)
