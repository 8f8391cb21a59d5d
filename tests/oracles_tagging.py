"""Simple reference implementations of the tagger's parts, which share no code with them."""

from collections import defaultdict
from fractions import Fraction

# --- entities -----------------------------------------------------------------------------------


def _parts(tag):
    return ("O", "") if tag == "O" else tuple(tag.split("-", 1))


def starts_chunk(before, tag):
    """Return whether an entity begins at a tag, by the rules of the CoNLL-2000 scorer."""
    (mark_before, type_before), (mark, kind) = _parts(before), _parts(tag)
    return (
        mark in ("B", "S")
        or (mark_before in ("O", "E", "S") and mark in ("I", "E"))
        or (mark != "O" and type_before != kind)
    )


def ends_chunk(tag, after):
    """Return whether an entity ends with a tag."""
    (mark, kind), (mark_after, type_after) = _parts(tag), _parts(after)
    return (
        mark in ("E", "S")
        or (mark in ("B", "I") and mark_after in ("O", "B", "S"))
        or (mark != "O" and kind != type_after)
    )


def entities(tags):
    """Return the spans that begin at their first token and end with their last, but not between."""
    padded = ["O", *tags, "O"]
    found = set()
    for first in range(len(tags)):
        for end in range(first + 1, len(tags) + 1):
            begins = [starts_chunk(padded[i], padded[i + 1]) for i in range(first, end)]
            stops = [ends_chunk(padded[i + 1], padded[i + 2]) for i in range(first, end)]
            rest = [False] * (end - first - 1)
            if begins == [True, *rest] and stops == [*rest, True]:
                found.add((first, end, _parts(tags[first])[1]))
    return found


def f1(gold, predicted):
    """Return the exact F1 over sentences."""
    ours = {(i, *e) for i, tags in enumerate(predicted) for e in entities(tags)}
    theirs = {(i, *e) for i, tags in enumerate(gold) for e in entities(tags)}
    precision = Fraction(len(ours & theirs), len(ours)) if ours else Fraction(0)
    recall = Fraction(len(ours & theirs), len(theirs)) if theirs else Fraction(0)
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


# --- features -----------------------------------------------------------------------------------


def features(words, at, attributes):
    """Return the features of a token, as pairs of offset and attribute."""
    found = []
    for offset in (-2, -1, 0, 1, 2):
        if not 0 <= at + offset < len(words):
            found.append((offset, "edge"))
            continue
        everywhere, middle = attributes(words[at + offset])
        found += [(offset, name) for name in everywhere]
        if offset == 0:
            found += [(0, name) for name in middle]
    return found


# --- the perceptron -----------------------------------------------------------------------------


def inputs(sentence, at, one, two):
    """Return the weights that a token uses, each with its input.

    A sentence is a list of (features, vectors), where vectors has a list or None for each slot.
    """
    names, vectors = sentence[at]
    used = [(("before", one), 1.0), (("pair", one, two), 1.0)]
    used += [(("feature", name), 1.0) for name in names]
    for slot, vector in enumerate(vectors):
        used += [(("entry", slot, k), x) for k, x in enumerate(vector or [])]
    return used


def best(weights, used, tags):
    """Return the tag with the highest score; of ties, the first."""
    scores = [(sum(weights[name, tag] * x for name, x in used), -tag) for tag in tags]
    return -max(scores)[1]


def train(sentences, gold, tags, orders):
    """Return the mean of the weights after each token, and the errors of each epoch."""
    weights, sums = defaultdict(float), defaultdict(float)
    steps, errors = 0, []
    for order in orders:
        errors.append(0)
        for number in order:
            one = two = tags
            for at in range(len(sentences[number])):
                used = inputs(sentences[number], at, one, two)
                guess = best(weights, used, range(tags))
                right = gold[number][at]
                if guess != right:
                    errors[-1] += 1
                    for name, x in used:
                        weights[name, right] += x
                        weights[name, guess] -= x
                steps += 1
                for name, weight in weights.items():
                    sums[name] += weight
                one, two = right, one
    return {name: total / steps for name, total in sums.items()}, errors


def tag(sentences, weights, tags, allowed):
    """Return tags by given weights, from left to right."""
    weights = defaultdict(float, weights)
    found = []
    for sentence in sentences:
        one = two = tags
        found.append([])
        for at in range(len(sentence)):
            may = [tag for tag in range(tags) if allowed[one][tag]]
            guess = best(weights, inputs(sentence, at, one, two), may)
            found[-1].append(guess)
            one, two = guess, one
    return found
