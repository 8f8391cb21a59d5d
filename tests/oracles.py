"""The slow, obvious twin of every kernel. Nothing here is shared with the code it checks."""

import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np

UNKNOWN = "<unk>"
JOINERS = "'-\u2019\u2010\u2011\u200c\u200d"
SOFT_HYPHEN = "\u00ad"
END_OF_LINE = 0xFFFFFFFF
DROPPED = 0xFFFFFFFE


# --- text ---------------------------------------------------------------------------------------


def decode(data):
    return data.decode("utf-8", "replace")


def malformed(data):
    """How many malformed sequences there are: the replacement characters that were not there."""
    return decode(data).count("\ufffd") - data.decode("utf-8", "ignore").count("\ufffd")


def normalize(text, compose, lower):
    if compose:
        text = unicodedata.normalize("NFC", text)
    if lower:
        text = text.casefold()
    if compose and lower:
        text = unicodedata.normalize("NFC", text)
    return text


def begins_word(char):
    return unicodedata.category(char)[0] == "L" or unicodedata.category(char) == "Nd"


def goes_on(char):
    return begins_word(char) or unicodedata.category(char)[0] == "M"


def words_of_line(line, lower):
    tokens, at = [], 0
    while at < len(line):
        if not begins_word(line[at]):
            at += 1
            continue
        word = ""
        while at < len(line):
            char = line[at]
            if goes_on(char):
                word += char
            elif char in JOINERS + SOFT_HYPHEN and line[at + 1 :] and begins_word(line[at + 1]):
                word += "" if char == SOFT_HYPHEN else char
            else:
                break
            at += 1
        tokens.append(normalize(word, True, lower))
    return tokens


def split_line(line, lower):
    tokens = line.replace("\0", " ").split()
    return [normalize(token, False, lower) for token in tokens]


def tokenize(data, tokenizer, lower):
    """The lines of a text as lists of tokens, empty ones too; a last line need not be ended."""
    of_line = {"words": words_of_line, "whitespace": split_line}[tokenizer]
    lines = decode(data).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [of_line(line, lower) for line in lines]


# --- vocabularies -------------------------------------------------------------------------------


def sort(frequencies):
    return sorted(frequencies.items(), key=lambda pair: (-pair[1], pair[0]))


def most_frequent(frequency, least, most):
    return sort({word: n for word, n in frequency.items() if n >= least})[:most]


def choose(
    frequency,
    *,
    min_count,
    max_vocab=None,
    vocab=None,
    keep_above=None,
    rare="drop",
    context_min_count=None,
    max_contexts=None,
):
    """Rows and contexts as lists of (word, frequency), before there is a placeholder."""
    known = {word: n for word, n in frequency.items() if rare != "unk" or word != UNKNOWN}
    if vocab is None:
        rows = most_frequent(known, min_count, max_vocab)
    else:
        listed = {word: known.get(word, 0) for word in vocab if rare != "unk" or word != UNKNOWN}
        chosen = {word: n for word, n in listed.items() if n >= min_count}
        if keep_above is not None:
            chosen |= {word: n for word, n in known.items() if n > keep_above}
        rows = sort(chosen)[:max_vocab]
    if context_min_count is None and max_contexts is None:
        return rows, rows
    least = min_count if context_min_count is None else context_min_count
    return rows, most_frequent(known, least, max_contexts)


def account(frequency, rows, contexts, min_count, fixed):
    """How many tokens were kept, and how many were not for which reason."""
    kept = dict(rows) | dict(contexts)
    ledger = Counter(tokens=frequency.total(), types=len(frequency))
    for word, n in frequency.items():
        if word in kept:
            ledger["kept"] += n
            ledger["kept_types"] += 1
        elif n < min_count:
            ledger["below_min_count"] += n
        else:
            ledger["not_in_vocabulary" if fixed else "beyond_max_vocab"] += n
    return ledger


def with_unknown(vocabulary, frequency):
    known = {word for word, _ in vocabulary}
    unknown = sum(n for word, n in frequency.items() if word not in known)
    return sort(dict(vocabulary) | {UNKNOWN: unknown}) if unknown else vocabulary


# --- counting -----------------------------------------------------------------------------------


def weight(weighting, window, distance):
    if weighting == "harmonic":
        return Fraction(1, distance)
    if weighting == "linear":
        return Fraction(window - distance + 1, window)
    return Fraction(1)


def offsets(context, window):
    left, right = range(-window, 0), range(1, window + 1)
    if context == "left":
        return [*left]
    if context == "right":
        return [*right]
    return [*left, *right]


def lay(line, rows, contexts, rare):
    """A line as pairs of the row and the context at each place, None where there is none."""
    places = []
    for token in line:
        row = token if token in rows else None
        context = token if token in contexts else None
        if rare == "unk":
            row = row or (UNKNOWN if UNKNOWN in rows else None)
            context = context or (UNKNOWN if UNKNOWN in contexts else None)
        if row is None and context is None and rare == "drop":
            continue
        places.append((row, context))
    return places


def count(lines, rows, contexts, *, window, weighting, context, rare, diagonal):
    """Exact counts as {(word, context): count}, or {(word, (offset, context)): count}."""
    row_set, context_set = {word for word, _ in rows}, {word for word, _ in contexts}
    counts = Counter()
    for line in lines:
        places = lay(line, row_set, context_set, rare)
        for at, (word, _) in enumerate(places):
            for offset in offsets(context, window):
                if word is None or not 0 <= at + offset < len(places):
                    continue
                other = places[at + offset][1]
                if other is None or (other == word and not diagonal):
                    continue
                column = (offset, other) if context == "positional" else other
                counts[word, column] += weight(weighting, window, abs(offset))
    return counts


def cells(counts):
    """The cells of a `firth.Counts`, in the form that `count` gives."""
    matrix = counts.to_scipy(units=True).tocoo()
    found = {}
    for row, column, units in zip(*matrix.coords, matrix.data.tolist(), strict=True):
        block, context = divmod(int(column), len(counts.contexts))
        name = counts.contexts.words[context]
        if counts.offsets:
            name = (counts.offsets[block], name)
        found[counts.words.words[row], name] = Fraction(units, counts.scale)
    return found


# --- streams and sums ---------------------------------------------------------------------------


def place(ids, places):
    """Tokens of a part (0 ends a line) to positions, without the dropped ones."""
    found = [END_OF_LINE if i == 0 else places[i - 1] for i in ids]
    return [position for position in found if position != DROPPED]


def bucket(stream, first, last, rows):
    """Where each row begins in its postings, and the postings."""
    postings = [[p for p in range(first, last) if stream[p] == row] for row in range(rows)]
    starts = np.cumsum([0, *map(len, postings)])
    return starts.tolist(), [p for row in postings for p in row]


def add(matrices, rows, columns):
    """The sum of matrices {(row, column): value}, as starts, columns and values."""
    total = Counter()
    for matrix in matrices:
        for cell, value in matrix.items():
            total[cell] += value
    table = [sorted((c, v) for (r, c), v in total.items() if r == row and v) for row in range(rows)]
    assert all(column < columns for row in table for column, _ in row)
    starts = np.cumsum([0, *map(len, table)]).tolist()
    return starts, [c for row in table for c, _ in row], [v for row in table for _, v in row]
