"""Count the contexts of words in a text, as the counts were made that a space was learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from firth.counts.blocks import SIDES
from firth.counts.counting import count
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe
from firth.counts.stated import Mixed, Unknown
from firth.errors import FirthError
from firth.progress import Event
from firth.resources import Resources
from firth.text.sources import Corpus
from firth.text.tokenizers import NATIVE, READY, Tokenizer

if TYPE_CHECKING:
    from firth.space.space import Space


def contexts_in(
    space: Space,
    corpus: object,
    words: Sequence[str],
    window: int | None,
    weighting: str | None,
    resources: Resources | None,
) -> Counts:
    """Count the contexts of words; see `Space.contexts_in`."""
    if isinstance(words, str):
        raise FirthError(f"`words` must be a list of words, not the text {words!r:.60}")
    known = space.contexts
    if known is None or "counts" not in space.recipe:
        raise FirthError(
            "this space does not say how its text was counted: fit counts of a text with the "
            "method weighted, the default"
        )
    recipe = Recipe.from_json(space.recipe["counts"])
    source = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    reader = _tokenizer(recipe, source)
    wanted = list(dict.fromkeys(reader.normalize(word) for word in words))
    if not any(word.strip() for word in wanted):
        raise FirthError("there is no word to place: give one in `words`")
    used = resources or Resources()
    # Words that are outside of the vocabulary may be dropped, so that windows close over them.
    found = count(
        source,
        window=_stated(recipe, "window", window),
        weighting=_stated(recipe, "weighting", weighting),
        context=_context(space, recipe),
        diagonal=_stated(recipe, "diagonal", True),
        rare=_stated(recipe, "rare", "drop"),
        vocab=list(dict.fromkeys((*known.words, *wanted))),
        tokenizer=reader.name if reader.name != READY else "whitespace",
        lower=reader.lower,
        cleaners=_cleaners(recipe, source),
        encoding_errors=_stated(recipe, "encoding_errors", "replace"),
        resources=_without_notes(used),
    )
    rows = [word for word in wanted if word in found.words and found.words.frequency(word)]
    if not rows:
        some = ", ".join(repr(word) for word in wanted[:3]) + (", …" if len(wanted) > 3 else "")
        raise FirthError(f"{some}: not in the text: give a text that has the words to place")
    return found.select(rows, [word for word in known if word in found.contexts])


def _stated(recipe: Recipe, name: str, given: Any) -> Any:
    """Return a setting that is given, or else that of the counts of the space."""
    value = getattr(recipe, name)
    if name in ("window", "weighting") and given is not None:
        return given
    if not isinstance(value, Unknown | Mixed):
        return value
    if given is not None:
        return given
    raise FirthError(f"the {name} of the counts of this space is {value}: give `{name}`")


def _context(space: Space, recipe: Recipe) -> str:
    """Return which contexts the counts of the space tell apart."""
    blocks = tuple(space.recipe.get("offsets") or ())
    if blocks == SIDES:
        return "sides"
    return "positional" if blocks else str(_stated(recipe, "context", "symmetric"))


def _tokenizer(recipe: Recipe, source: Corpus) -> Tokenizer:
    """Return the tokenizer of the counts of a space."""
    name, lower = recipe.tokenizer, recipe.lower
    known_lower = lower if isinstance(lower, bool) else None
    if source.is_tokenized:
        return Tokenizer.none(known_lower)
    if isinstance(name, str) and name.startswith("python:"):
        raise FirthError(
            f"the text of this space was cut into tokens by {name.removeprefix('python:')}, which "
            "is not known here: give lists of tokens in Python"
        )
    if name == READY:  # lists of tokens, as of a text that was cut at its spaces
        return Tokenizer.make("whitespace", known_lower)
    return Tokenizer.make(name if name in NATIVE else "words", known_lower)


def _cleaners(recipe: Recipe, source: Corpus) -> tuple[str, ...]:
    """Return the cleaners of the counts of a space; lists of tokens are clean."""
    names = recipe.cleaners
    if source.is_tokenized or not isinstance(names, tuple):
        return ()
    own = next((name for name in names if name.startswith("python:")), None)
    if own is not None:
        raise FirthError(
            f"the text of this space was cleaned by {own.removeprefix('python:')}, which is not "
            "known here: give lists of tokens in Python"
        )
    return names


def _without_notes(resources: Resources) -> Resources:
    """Return resources that do not report that a short text lacks most of the vocabulary."""

    def progress(event: Event) -> None:
        if event.stage != "note":
            resources.progress(event)

    return Resources(resources.threads, resources.memory, progress=progress)
