"""Simple reference implementations of the kernels, which share no code with them."""

import math
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
    """Return the number of malformed sequences: replacement characters that decoding added."""
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
    """Return the lines of a text, also empty ones, as lists of tokens."""
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
    """Return rows and contexts as lists of (word, frequency), without the placeholder."""
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
    """Return how many tokens are kept, and how many are dropped for each reason."""
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


def pairs_of_line(line, rows, contexts, rare):
    """Return a line as pairs of the row and the context at each position, or None."""
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


def keep_rate(frequency, total, rate):
    """Return the probability that a token of a word is kept."""
    return math.sqrt(rate * total / frequency) + rate * total / frequency


def subsample(lines, rows, contexts, rare, rate, seed):
    """Return the lines without the tokens that are dropped, and how many those are."""
    tokens = [token for line in lines for token in line]
    frequency = Counter(tokens)
    known = {word for word, _ in [*rows, *contexts] if rare != "unk" or word != UNKNOWN}
    unknown = sum(token not in known for token in tokens) if rare == "unk" else 0
    total = sum(token in known for token in tokens) + unknown
    place, dropped, kept_lines = 0, 0, []
    for line in lines:
        kept = []
        for token in line:
            n = frequency[token] if token in known else unknown
            least = 1.0 if not n else keep_rate(n, total, rate)
            if least < 1 and draw(seed, place) >= int(least * 2**32):
                dropped += 1
            else:
                kept.append(token)
            place += 1
        kept_lines.append(kept)
    return kept_lines, dropped


def count(lines, rows, contexts, *, window, weighting, context, rare, diagonal):
    """Return exact counts as {(word, context): count}, or {(word, (block, context)): count}."""
    row_set, context_set = {word for word, _ in rows}, {word for word, _ in contexts}
    counts = Counter()
    for line in lines:
        places = pairs_of_line(line, row_set, context_set, rare)
        for at, (word, _) in enumerate(places):
            for offset in offsets(context, window):
                if word is None or not 0 <= at + offset < len(places):
                    continue
                other = places[at + offset][1]
                if other is None or (other == word and not diagonal):
                    continue
                column = other
                if context == "positional":
                    column = (offset, other)
                elif context == "sides":
                    column = ("left" if offset < 0 else "right", other)
                counts[word, column] += weight(weighting, window, abs(offset))
    return counts


def cells(counts):
    """Return the cells of a `firth.Counts`, in the format of `count`."""
    matrix = counts.to_scipy(units=True).tocoo()
    found = {}
    for row, column, units in zip(*matrix.coords, matrix.data.tolist(), strict=True):
        block, context = divmod(int(column), len(counts.contexts))
        name = counts.contexts.words[context]
        if counts.offsets:
            name = (counts.offsets[block], name)
        found[counts.words.words[row], name] = Fraction(units, counts.denominator)
    return found


# --- streams and sums ---------------------------------------------------------------------------


def place(ids, places):
    """Return the positions of the tokens of a part (0 ends a line), without the dropped ones."""
    found = [END_OF_LINE if i == 0 else places[i - 1] for i in ids]
    return [position for position in found if position != DROPPED]


ALWAYS = 0xFFFFFFFF  # the threshold of a type that is never sampled


def draw(key, place):
    """Return the random number, of 32 bits, of a token at a place in the text."""
    step, most = 0x9E3779B97F4A7C15, 2**64 - 1

    def mixed(x):
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & most
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & most
        return x ^ (x >> 31)

    return mixed((mixed((key + step) & most) + (place + 1) * step) & most) >> 32


def place_sampled(ids, places, thresholds, first, key):
    """Return the positions of a sampled part, and how many tokens the sampling drops."""
    found, dropped = [], 0
    for id_ in ids:
        if id_ == 0:
            found.append(END_OF_LINE)
            continue
        here, first = first, first + 1
        if places[id_ - 1] == DROPPED:
            continue
        if thresholds[id_ - 1] != ALWAYS and draw(key, here) >= thresholds[id_ - 1]:
            dropped += 1
        else:
            found.append(places[id_ - 1])
    return found, dropped


def bucket(stream, first, last, rows):
    """Return where each row begins in the postings, and the postings."""
    postings = [[p for p in range(first, last) if stream[p] == row] for row in range(rows)]
    starts = np.cumsum([0, *map(len, postings)])
    return starts.tolist(), [p for row in postings for p in row]


def add(matrices, rows, columns):
    """Return the sum of matrices {(row, column): value}, as starts, columns and values."""
    total = Counter()
    for matrix in matrices:
        for cell, value in matrix.items():
            total[cell] += value
    table = [sorted((c, v) for (r, c), v in total.items() if r == row and v) for row in range(rows)]
    assert all(column < columns for row in table for column, _ in row)
    starts = np.cumsum([0, *map(len, table)]).tolist()
    return starts, [c for row in table for c, _ in row], [v for row in table for _, v in row]


# --- association --------------------------------------------------------------------------------


def transform(name, x):
    with np.errstate(divide="ignore"):
        return {
            "none": lambda: x,
            "log1p": lambda: np.log(1 + x),
            "log": lambda: np.log(x),
            "two-thirds": lambda: np.cbrt(x) ** 2,
            "sqrt": lambda: np.sqrt(x),
        }[name]()


def associate(x, how, scale, alpha, word_alpha, kappa, shift, threshold, bits, power):
    """Return the association of a dense matrix of counts, and its values before the threshold.

    A row or column is empty if its transformed frequency is not above zero (ln of 1 or less).
    """
    of_word = x.sum(axis=1, keepdims=True) + kappa
    of_context = x.sum(axis=0, keepdims=True) + kappa
    cell, of_word, of_context = (transform(how, part) for part in (x, of_word, of_context))
    of_word, of_context = np.maximum(of_word, 0), np.maximum(of_context, 0)
    smooth = np.where(of_context > 0, of_context**alpha, 0)
    share = smooth.sum() / max(of_context.sum(), 1e-300)  # N(α) / N(1)
    of_words = np.where(of_word > 0, of_word**word_alpha, 0)
    share_of_words = of_words.sum() / max(of_word.sum(), 1e-300)  # W(ω) / W(1)
    known = (x > 0) & (of_word > 0) & (smooth > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = cell * smooth.sum() * share_of_words / (of_words * smooth)
        root = np.sqrt(share * share_of_words)
        raw = {
            "none": lambda: np.where(x > 0, cell, 0),
            "reg": lambda: np.where((x > 0) & (of_word > 0), cell / of_word, 0),
            "cca": lambda: np.where(known, cell / np.sqrt(of_words * smooth) * root, 0),
            "pmi": lambda: np.where(known, np.log(ratio) - shift, 0),
            "log1p": lambda: np.where(known, np.log(1 + ratio * np.exp(-shift)), 0),
        }[scale]()
        if bits and scale in {"pmi", "log1p"}:
            raw = raw / np.log(2)
        kept = np.where(raw > threshold, raw, 0) if scale == "pmi" else raw
        # -∞ is below every threshold. NaN is kept, so that tests find it.
        kept = np.where(np.isnan(raw), raw, kept)
        return np.sign(kept) * np.abs(kept) ** power, raw


def lowest_threshold(values, share):
    """Return the lowest threshold, of the values or just below them, that keeps few negatives."""
    positives = sum(v > 0 for v in values)
    below = np.nextafter(np.float32(min([*values, 0])), np.float32(-np.inf))
    for threshold in sorted([below, *(v for v in values if v < 0)]):
        if sum(threshold < v < 0 for v in values) <= share * positives:
            return threshold
    return 0.0


# --- a planted Brown model ----------------------------------------------------------------------


def brown_model(classes, words_each, rng):
    """Return π, T and O: P(first class), P(next class | class) and P(word | class)."""
    share = np.full(classes, 0.4 / (classes - 1))
    follow = np.array([np.roll(share, h) for h in range(classes)]) * rng.uniform(0.5, 1, (classes,))
    for h in range(classes):
        follow[h, (h + 1) % classes] = 0.6
    follow /= follow.sum(axis=1, keepdims=True)
    emit = np.zeros((classes * words_each, classes))
    for h in range(classes):
        emit[h::classes, h] = rng.dirichlet(np.full(words_each, 5.0))
    return np.full(classes, 1 / classes), follow, emit


def brown_joint(pi, follow, emit):
    """Return the exact P(word, next word)."""
    return emit @ np.diag(pi) @ follow @ emit.T


def brown_text(pi, follow, emit, tokens, rng):
    """Draw one line of words, named by class and number."""
    state = int(rng.choice(len(pi), p=pi))
    states = np.empty(tokens, dtype=np.int64)
    steps = follow.cumsum(axis=1)
    for at, draw in enumerate(rng.random(tokens).tolist()):
        states[at] = state
        state = min(int(np.searchsorted(steps[state], draw)), len(pi) - 1)
    words = np.empty(tokens, dtype=np.int64)
    for h in range(len(pi)):
        here = states == h
        words[here] = rng.choice(len(emit), size=int(here.sum()), p=emit[:, h])
    return " ".join(f"c{w % len(pi)}w{w}" for w in words.tolist())


def k_means(points, k, rng, rounds=30, starts=20):
    """Return the labels of the best of several runs of Lloyd's algorithm with k-means++ starts."""
    best, labels = np.inf, np.zeros(len(points), dtype=np.int64)
    for _ in range(starts):
        centres = points[[int(rng.integers(len(points)))]]
        for _ in range(k - 1):
            away = ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
            centres = np.vstack([centres, points[int(rng.choice(len(away), p=away / away.sum()))]])
        for _ in range(rounds):
            squares = ((points[:, None] - centres) ** 2).sum(axis=2)
            at = squares.argmin(axis=1)
            centres = np.array(
                [points[at == j].mean(axis=0) if np.any(at == j) else centres[j] for j in range(k)]
            )
        cost = squares.min(axis=1).sum()
        if cost < best:
            best, labels = cost, at
    return labels


# --- what is usual ------------------------------------------------------------------------------


def unit_means(rows, groups):
    """The mean of rows of length one, group by group; a row of zeros stays one."""
    means = []
    for group in groups:
        total = [0.0] * len(rows[0])
        for place in group:
            length = sum(float(value) ** 2 for value in rows[place]) ** 0.5
            total = [
                sum_ + (float(value) / length if length else 0.0)
                for sum_, value in zip(total, rows[place], strict=True)
            ]
        means.append([sum_ / len(group) for sum_ in total])
    return np.array(means).reshape(len(groups), -1)


def bands(frequencies):
    """Words by rank of frequency in bands of 64, 64, 128, 256, …"""
    order = sorted(range(len(frequencies)), key=lambda place: (-frequencies[place], place))
    out, begin, size = [], 0, 64
    while begin < len(order):
        out.append(order[begin : begin + size])
        begin += size
        size = begin
    return out
