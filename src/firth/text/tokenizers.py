"""How lines become tokens: two tokenizers in the core, or any Python callable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firth.errors import FirthError

NATIVE = ("words", "whitespace")
READY = "tokens"  # the name of no tokenizer, for text that comes as lists of tokens
SOFT_HYPHEN = "\u00ad"  # a place to break a line: no part of a word, as in core/tokenize.cpp
TokenizeLine = Callable[[str], Iterable[str]]


def name_of(function: Callable[..., object]) -> str:
    """Name a function, or an object that can be called, for a recipe.

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
    """A tokenizer and whether it folds case.

    ``words`` takes runs of letters, marks and digits of any script, with apostrophes and hyphens
    inside them, in Unicode's NFC; ``whitespace`` takes what stands between white space, exactly as
    ``str.split()``; a callable takes a line and returns its tokens.
    """

    name: str
    lower: bool
    function: TokenizeLine | None = None

    @classmethod
    def make(cls, tokenizer: str | TokenizeLine, lower: bool | None = None) -> Tokenizer:
        """Look a tokenizer up by name, or wrap a callable.

        Case is folded by ``words`` unless `lower` is False, by the others only if it is True.

        Examples
        --------
        >>> Tokenizer.make("words").lower, Tokenizer.make("whitespace").lower
        (True, False)
        >>> Tokenizer.make(str.split).name
        'python:builtins.str.split'
        """
        if callable(tokenizer):
            return cls(name_of(tokenizer), bool(lower), tokenizer)
        if tokenizer not in NATIVE:
            raise FirthError(f"no tokenizer {tokenizer!r}: choose {' or '.join(NATIVE)}")
        return cls(tokenizer, tokenizer == "words" if lower is None else lower)

    @classmethod
    def none(cls, lower: bool | None = None) -> Tokenizer:
        """For tokens that come ready: they stay as they are, unless `lower` is True."""
        return cls(READY, bool(lower))

    @property
    def mode(self) -> str:
        """What the core is told: its own tokenizers by name, others' tokens come ready."""
        return self.name if self.name in NATIVE else "ready"

    def normalize(self, word: str) -> str:
        """Bring a word from elsewhere, such as a vocabulary file, to the form of the tokens.

        Examples
        --------
        >>> Tokenizer.make("words").normalize("Straße")
        'strasse'
        """
        from firth import _core

        words = self.name == "words"
        return _core.normalize(word.replace(SOFT_HYPHEN, "") if words else word, words, self.lower)
