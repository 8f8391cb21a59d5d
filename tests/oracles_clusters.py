"""Simple reference implementations of the clustering kernels, which share no code with them."""

from itertools import combinations, pairwise
from math import fsum, log, sqrt

import numpy as np

LANES = 8
TIE = 1e-6


def squared_distance(a, b):
    """Return ‖a - b‖², as eight running sums of every eighth entry, which are added in pairs."""
    squares = (np.pad(a, (0, -len(a) % LANES)) - np.pad(b, (0, -len(b) % LANES))) ** 2
    sums = np.zeros(LANES)
    for eight in squares.reshape(-1, LANES):
        sums = sums + eight
    while len(sums) > 1:
        sums = sums[0::2] + sums[1::2]
    return float(sums[0])


def ward(vectors, active, weights=None):
    """Merge the cheapest of all pairs of active clusters, looking at each pair each time.

    Of pairs that may cost the same, distances being known to half of `TIE`, the oldest is merged.
    """
    points = len(vectors)
    longest = max(sum(float(x) * float(x) for x in vector) for vector in vectors)
    slack = TIE / 2 * sqrt(longest)
    weights = np.ones(points) if weights is None else weights
    clusters, merges, costs = {}, [], []

    def parts(a, b):
        (m, x), (n, y) = clusters[a], clusters[b]
        return m * n / (m + n), sqrt(squared_distance(x, y))

    def merge():
        pairs = {pair: parts(*pair) for pair in combinations(sorted(clusters), 2)}
        most = min(both * (apart + slack) ** 2 for both, apart in pairs.values())
        older, younger = min(
            pair
            for pair, (both, apart) in pairs.items()
            if both * max(0.0, apart - slack) ** 2 <= most
        )
        (m, x), (n, y) = clusters[older], clusters[younger]
        cost = m * n / (m + n) * squared_distance(x, y)
        (m, x), (n, y) = clusters.pop(older), clusters.pop(younger)
        clusters[points + len(merges)] = m + n, (m * x + n * y) / (m + n)
        merges.append((older, younger))
        costs.append(cost)

    for point, vector in enumerate(np.asarray(vectors, dtype=np.float64)):
        clusters[point] = float(weights[point]), vector
        if len(clusters) > active:
            merge()
    while len(clusters) > 1:
        merge()
    return np.array(merges, dtype=np.int64).reshape(-1, 2), np.array(costs)


def information(counts, sizes):
    """Equation 3 of Stratos, Kim, Collins and Hsu (2014): Σ n(c, c')/N ln(n(c, c') N / n(c) n(c')).

    `counts` are those of pairs of clusters, `sizes` those of clusters; N is the sum of `sizes`.
    """
    tokens = sum(sizes)
    return fsum(
        counts[c][d] / tokens * log(counts[c][d] * tokens / (sizes[c] * sizes[d]))
        for c in range(len(sizes))
        for d in range(len(sizes))
        if counts[c][d]
    )


def brown(pairs, frequencies, active):
    """Merge the two active clusters that lose least, trying every pair each time."""
    tokens = float(sum(frequencies))
    tolerance = 1e-12 * (1 + log(tokens))
    clusters, merges, costs = {}, [], []

    def kept(groups):
        """Return the mutual information of groups; words that have not entered are in none."""
        table = [[sum(pairs[v][w] for v in a for w in b) for b in groups] for a in groups]
        sizes = [sum(frequencies[v] for v in a) for a in groups]
        return fsum(
            n / tokens * log(n * tokens / (sizes[i] * sizes[j]))
            for i, line in enumerate(table)
            for j, n in enumerate(line)
            if n
        )

    def merge():
        before = kept([*clusters.values()])
        losses = {}
        for a, b in combinations(sorted(clusters), 2):
            rest = [group for node, group in clusters.items() if node not in {a, b}]
            losses[a, b] = before - kept([*rest, clusters[a] + clusters[b]])
        least = min(losses.values())
        older, younger = min(pair for pair, loss in losses.items() if loss <= least + tolerance)
        clusters[len(frequencies) + len(merges)] = clusters.pop(older) + clusters.pop(younger)
        merges.append((older, younger))
        costs.append(losses[older, younger])

    for word in range(len(frequencies)):
        clusters[word] = [word]
        if len(clusters) > active:
            merge()
    while len(clusters) > 1:
        merge()
    return np.array(merges, dtype=np.int64).reshape(-1, 2), np.array(costs)


def labels_of(merges, points, clusters):
    """Return the label of each point when `clusters` are left, numbered in order of appearance."""
    groups = {point: [point] for point in range(points)}
    for number, (a, b) in enumerate(merges[: points - clusters]):
        groups[points + number] = groups.pop(a) + groups.pop(b)
    labels = [0] * points
    for number, group in enumerate(sorted(groups.values(), key=min)):
        for point in group:
            labels[point] = number
    return labels


def neighbours(line):
    """Return how often each word of a line is followed by each other; words are numbers."""
    size = max(line) + 1
    table = np.zeros((size, size), dtype=np.int64)
    for a, b in pairwise(line):
        table[a, b] += 1
    return table
