"""Counting words in text: `count`, its parameters and their checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firth.counts.budget import Budget
from firth.counts.job import Job
from firth.counts.matrix import Counts
from firth.counts.recipe import Recipe, fingerprint
from firth.counts.workspace import Workspace
from firth.errors import CorpusError, FirthError
from firth.resources import Resources, accept_former_keywords
from firth.text.pieces import Cleaner
from firth.text.sources import Corpus
from firth.text.tokenizers import TokenizeLine, Tokenizer, name_of
from firth.text.vocabulary import word_list


@accept_former_keywords
def count(
    corpus: object,
    *,
    window: int = 10,
    weighting: str = "harmonic",
    context: str = "symmetric",
    diagonal: bool = True,
    min_count: int | None = None,
    max_vocab: int | None = None,
    vocab: str | Path | Sequence[str] | None = None,
    keep_above: int | None = None,
    rare: str = "drop",
    context_min_count: int | None = None,
    max_contexts: int | None = None,
    tokenizer: str | TokenizeLine = "words",
    lower: bool | None = None,
    cleaners: str | Cleaner | Sequence[str | Cleaner] = (),
    encoding_errors: str = "replace",
    subsample: float | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    force: bool = False,
    resources: Resources | None = None,
) -> Counts:
    """Count which words occur near which in a text.

    Parameters
    ----------
    corpus
        A file, folder, glob pattern or ``-`` (standard input); a list of paths; an iterable of
        strings or of lists of tokens that can be read again; or a `Corpus`.
    window
        How many words to each side are contexts; a window ends with the line. The defaults of
        `window` and `weighting` suit the default method best (docs/default.md).
    weighting
        ``flat`` counts each neighbour once, ``harmonic`` 1/distance, ``linear``
        (window - distance + 1)/window.
    context
        ``symmetric`` counts both sides into one matrix, ``left`` and ``right`` one side only,
        ``sides`` each side into columns of its own, ``positional`` each offset.
    diagonal
        Whether a word may be its own context.
    min_count, max_vocab
        The least frequency of a word (by default 5, or 0 with `vocab`), and the largest number of
        words to keep.
    vocab, keep_above
        A fixed vocabulary, as a file or a list, and a frequency above which other words are added
        to it.
    rare
        How to treat all other words: ``drop`` removes them before windows are formed, ``gap``
        keeps their places empty, ``unk`` counts them as one placeholder ``<unk>``.
    context_min_count, max_contexts
        Give the contexts a vocabulary of their own, with this least frequency and largest size.
    tokenizer, lower
        ``words``, ``whitespace`` or a function from a line to its tokens; and whether to lowercase
        (by default only ``words`` does). Lists of tokens need no tokenizer.
    cleaners
        ``wikipedia``, ``tweets`` or functions from lines to lines, applied in order.
    encoding_errors
        ``replace`` malformed UTF-8 and record it in the ledger, or refuse it (``strict``).
    subsample
        Drop tokens of frequent words at random before windows are formed: a word of relative
        frequency p is kept with probability √(t/p) + t/p, where t is `subsample`; 1e-3 is a usual
        value. The choice depends on the text and the seed alone. None keeps all.
    seed
        Of `subsample`.
    out
        A folder to write the counts to; the result is mapped from it. None keeps them in memory.
    resume, force
        Continue an interrupted run; replace an earlier store. Both need `out`.
    resources
        Threads, memory and progress, which do not change the result. The default is all cores and
        four fifths of the free memory.

    Returns
    -------
    Counts

    Examples
    --------
    >>> counts = count(["the cat sat", "the cat ran"], window=2, weighting="harmonic", min_count=1)
    >>> counts.row("cat")
    [('the', 2.0), ('ran', 1.0), ('sat', 1.0)]
    """
    if out is None and (resume or force):
        given = "resume" if resume else "force"
        raise FirthError(f"`{given}=True` needs the folder of a store: give one as `out`")
    source = Corpus(corpus)
    chosen = Tokenizer.none(lower) if source.is_tokenized else Tokenizer.make(tokenizer, lower)
    cleaner, cleaner_names = _cleaner(cleaners)
    if cleaner is not None and source.is_tokenized:
        raise CorpusError(
            "`cleaners` take lines, not lists of tokens: clean the text before you tokenise it"
        )
    fixed = None
    if vocab is not None:
        listed = (chosen.normalize(word) for word in word_list(vocab))
        fixed = list(dict.fromkeys(word for word in listed if word.strip()))
    if min_count is None:
        min_count = 5 if fixed is None else 0
    recipe = Recipe(
        window=window,
        weighting=weighting,
        context=context,
        diagonal=diagonal,
        rare=rare,
        min_count=min_count,
        max_vocab=max_vocab,
        context_min_count=context_min_count,
        max_contexts=max_contexts,
        vocab=None if fixed is None else fingerprint(fixed),
        keep_above=keep_above,
        tokenizer=chosen.name,
        lower=chosen.lower,
        cleaners=cleaner_names,
        encoding_errors=encoding_errors,
        subsample=subsample,
        sampling_seed=None if subsample is None else seed,
        source="text",
    )
    used = resources or Resources()
    job = Job(source, recipe, chosen, cleaner, fixed, Budget.of(used), used.progress)
    if out is None:
        with Workspace(None, {}, resume=False, force=False) as work:
            return job.run(work, in_memory=True)
    return job.run_to(Path(out), resume, force)


def _cleaner(
    cleaners: str | Cleaner | Sequence[str | Cleaner],
) -> tuple[Cleaner | None, tuple[str, ...]]:
    """Compose the cleaners, and list their names."""
    try:
        given = [cleaners] if isinstance(cleaners, str) or callable(cleaners) else list(cleaners)
    except TypeError:
        raise FirthError(
            f"`cleaners` must be names or functions from lines to lines, not {cleaners!r:.60}"
        ) from None
    if not given:
        return None, ()
    from firth.text.cleaners import resolve

    names = (part if isinstance(part, str) else name_of(part) for part in given)
    return resolve(given), tuple(names)
