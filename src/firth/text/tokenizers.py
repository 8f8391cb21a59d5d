"""Tokenizers: how lines become tokens. Two are in the core; any Python function will do too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firth.errors import FirthError

NATIVE = ("words", "whitespace")
READY = "tokens"  # the recipe's name for text that is already lists of tokens
SOFT_HYPHEN = "\u00ad"  # marks where a line may break and is not part of a word, as in the core
TokenizeLine = Callable[[str], Iterable[str]]


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function or callable object, for a recipe.

    Examples
    --------
    >>> name_of(str.split)
    'python:builtins.str.split'
    """
    module = getattr(function, "__module__", None)
    if module is None:  # methods of built-in types have none
        module = getattr(getattr(function, "__objclass__", None), "__module__", "?")
    return f"python:{module}.{getattr(function, '__qualname__', type(function).__qualname__)}"


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer, and whether it lowercases.

    ``words`` finds runs of letters, marks and digits of any script, with apostrophes and hyphens
    inside them, and normalises them to Unicode NFC. ``whitespace`` splits at white space exactly as
    ``str.split()`` does. A function takes a line and returns its tokens.
    """

    name: str
    lower: bool
    function: TokenizeLine | None = None

    @classmethod
    def make(cls, tokenizer: str | TokenizeLine, lower: bool | None = None) -> Tokenizer:
        """Find a tokenizer by name, or wrap a function.

        ``words`` lowercases unless `lower` is False; the others only if `lower` is True.

        Examples
        --------
        >>> Tokenizer.make("words").lower, Tokenizer.make("whitespace").lower
        (True, False)
        >>> Tokenizer.make(str.split).name
        'python:builtins.str.split'
        """
        _check_lower(lower)
        if callable(tokenizer):
            return cls(name_of(tokenizer), bool(lower), tokenizer)
        if tokenizer not in NATIVE:
            names = " or ".join(map(repr, NATIVE))
            raise FirthError(f"`tokenizer` must be {names} or a function, not {tokenizer!r:.60}")
        return cls(tokenizer, tokenizer == "words" if lower is None else lower)

    @classmethod
    def none(cls, lower: bool | None = None) -> Tokenizer:
        """Make the tokenizer of text that is already tokenised; `lower` lowercases the tokens."""
        _check_lower(lower)
        return cls(READY, bool(lower))

    @property
    def mode(self) -> str:
        """The core's name for it: one of its tokenizers, or ``ready`` for tokens from Python."""
        return self.name if self.name in NATIVE else "ready"

    def normalize(self, word: str) -> str:
        """Normalise a word, for example of a vocabulary file, as the tokens are.

        Examples
        --------
        >>> Tokenizer.make("words").normalize("Straße")
        'strasse'
        """
        from firth import _core

        words = self.name == "words"
        return _core.normalize(word.replace(SOFT_HYPHEN, "") if words else word, words, self.lower)


def _check_lower(lower: object) -> None:
    if lower is not None and not isinstance(lower, bool):
        raise FirthError(f"`lower` must be True, False or None, not {lower!r:.60}")
