"""Word senses: SemEval-2013 task 13, pseudo-words, and the time of a whole vocabulary.

    python -m bench.senses semeval COUNTS TASK TABLE [--space SPACE]
    python -m bench.senses pseudo TEXT TABLE SPACE
    python -m bench.senses time COUNTS TABLE

COUNTS are of a flat window of 5, min count 20. TASK is the folder of SemEval-2013 task 13, TABLE
has the numbers of senses of WordNet's lemmas, SPACE is one of the same text, for k-means.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import firth
from firth.evaluation.induction import baseline, graded_scores, read_instances, read_key
from firth.evaluation.induction.graded import fuzzy_bcubed, fuzzy_nmi
from firth.senses import Senses, read_sense_table
from firth.senses.inducing import SMOOTHING, tokens_of

WINDOW = 15  # words on each side of a pseudo-word that are kept
OCCURRENCES = 60  # of each half of a pseudo-word
DRAWS = 2000
LDA_WORDS = 20  # it is slow


def row(name: str, scores: Any) -> None:
    values = (scores.jaccard, scores.tau, scores.ndcg, scores.nmi, scores.bcubed, scores.mean)
    shown = " | ".join(f"{value:.3f}" for value in values)
    print(f"| {name} | {100 * scores.avg:.1f} | {shown} |", flush=True)


def averaged(space: firth.Space, frequency: dict[str, float], tokens: list[str]) -> np.ndarray:
    """Return the mean of the vectors of a context, frequent words weighing little."""
    known = [token for token in tokens if token in space]
    if not known:
        return np.zeros(space.vector_size)
    weights = np.array([SMOOTHING / (SMOOTHING + frequency[token]) for token in known])
    mean = weights @ np.array([space[token] for token in known])
    return mean / max(float(np.linalg.norm(mean)), 1e-12)


def shares_of(space: firth.Space) -> dict[str, float]:
    total = int(space.words.frequencies.sum())
    pairs = zip(space.words.words, space.words.frequencies.tolist(), strict=True)
    return {word: count / total for word, count in pairs}


def kmeans(vectors: np.ndarray, clusters: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(min(clusters, len(vectors)), n_init=10, random_state=0).fit_predict(vectors)


def semeval(args: argparse.Namespace) -> None:
    counts, table = firth.load(args.counts), read_sense_table(args.table)
    gold = read_key(args.task / "gold.key")
    found = read_instances(args.task / "contexts.senseval2.xml")
    instances = [one for one in found if one.name in gold[one.word]]
    words = sorted({one.lemma for one in instances})
    print("| answers | AVG | Jaccard | tau | WNDCG | fuzzy NMI | B-cubed | mean |")
    print("|---|---|---|---|---|---|---|---|")
    for path in sorted((args.task / "systems").glob("*.key")):
        row(path.stem, graded_scores(gold, read_key(path)))
    for kind in ("one", "each", "random"):
        row(f"baseline: {kind}", graded_scores(gold, baseline(gold, kind)))
    if args.space is not None:
        row("k-means, 7 clusters", graded_scores(gold, by_kmeans(args.space, instances)))
    settings = [{"k": k} for k in ("auto", 2, 3, 5, "wordnet")]
    settings += [{**how, "clustering": "nndsvd"} for how in settings]
    settings += [{"k": 2, "clustering": "nmf"}, {"k": "auto", "pool": True}]
    for how in settings:
        begun = time.monotonic()
        senses = Senses.learn(counts, words, table=table, **how)
        seconds = time.monotonic() - begun
        answers: dict[str, dict[str, dict[str, float]]] = {}
        for one in instances:
            induced = senses.induce(one.lemma, f"{one.before} {one.after}")
            answers.setdefault(one.word, {})[one.name] = dict(induced.senses)
        name = ", ".join(f"{key}={value}" for key, value in how.items())
        row(f"{name} ({len(senses) / len(words):.1f} senses)", graded_scores(gold, answers))
        print(f"{name}: {seconds:.1f} s", file=sys.stderr)


def by_kmeans(path: Path, instances: list[Any]) -> dict[str, dict[str, dict[str, float]]]:
    space = firth.load(path)
    frequency = shares_of(space)
    answers: dict[str, dict[str, dict[str, float]]] = {}
    for word in sorted({one.word for one in instances}):
        own = [one for one in instances if one.word == word]
        vectors = [averaged(space, frequency, tokens_of(f"{o.before} {o.after}")) for o in own]
        labels = kmeans(np.array(vectors), 7)
        answers[word] = {
            one.name: {f"{word}_{label}": 1.0} for one, label in zip(own, labels, strict=True)
        }
    return answers


def pairs_of(counts: firth.Counts, table: dict[str, int], pairs: int, seed: int) -> list[list[str]]:
    """List pairs of words of one sense, of like frequency and of different topics."""
    known = counts.words
    words = [
        word for word in known
        if table.get(word) == 1 and 600 <= known.frequency(word) <= 20_000 and len(word) > 3
    ]  # fmt: skip
    from firth.association import Weighing, associate

    matrix = associate(counts, Weighing(alpha=0.75)).to_scipy()[[known[word] for word in words]]
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    cosines = (matrix @ matrix.T).toarray() / lengths[:, None] / lengths[None, :]
    far = np.median(cosines)
    order = np.random.default_rng(seed).permutation(len(words)).tolist()
    out: list[list[str]] = []
    used: set[int] = set()
    for a in order:
        for b in order:
            sizes = sorted(known.frequency(words[n]) for n in (a, b))
            if a != b and not {a, b} & used and cosines[a, b] < far and sizes[1] <= 4 * sizes[0]:
                out.append([words[a], words[b]])
                used |= {a, b}
                break
        if len(out) == pairs:
            break
    return out


def merged(
    text: Path, pairs: list[list[str]]
) -> tuple[list[str], dict[str, list[tuple[str, list[str]]]]]:
    """Return the lines of a text with pairs merged, and occurrences of each word of a pair."""
    name = {word: "+".join(pair) for pair in pairs for word in pair}
    lines, found = [], {word: [] for word in name}
    with open(text, encoding="utf-8") as file:
        for line in file:
            tokens = line.split()
            now = [name.get(token, token) for token in tokens]
            for at, token in enumerate(tokens):
                if token in name and len(found[token]) < OCCURRENCES and len(lines) % 5 == 0:
                    near = now[max(0, at - WINDOW) : at] + now[at + 1 : at + 1 + WINDOW]
                    found[token].append((name[token], near))
            lines.append(" ".join(now))
    return lines, found


def accuracy(truth: np.ndarray, labels: np.ndarray) -> float:
    """Return the share that is right if each group is called what most of it is."""
    return sum(np.bincount(truth[labels == n]).max() for n in np.unique(labels)) / len(truth)


def interval(values: list[float]) -> str:
    generator = np.random.default_rng(0)
    drawn = generator.choice(values, (DRAWS, len(values))).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{100 * np.mean(values):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def pseudo(args: argparse.Namespace) -> None:
    table = read_sense_table(args.table)
    plain = firth.count(args.text, window=5, weighting="flat", min_count=20, tokenizer="whitespace")
    pairs = pairs_of(plain, table, args.pairs, args.seed)
    lines, found = merged(args.text, pairs)
    counts = firth.count(lines, window=5, weighting="flat", min_count=20, tokenizer="whitespace")
    names = ["+".join(pair) for pair in pairs]
    space = firth.load(args.space)
    frequency = shares_of(space)
    items = {
        name: [(near, n) for n, word in enumerate(pair) for _, near in found[word]]
        for name, pair in zip(names, pairs, strict=True)
    }
    print(f"{len(pairs)} pairs, {sum(map(len, items.values())):,} occurrences")
    print(
        "| senses | number | accuracy | fuzzy NMI | B-cubed | AVG | seconds |\n"
        "|---|---|---|---|---|---|---|"
    )
    settings: list[dict[str, Any]] = [{"k": k} for k in ("auto", 2, 3)]
    settings += [{"k": k, "clustering": c} for c in ("nndsvd", "nmf") for k in (2, 3)]
    settings += [{"k": "auto", "pool": True}]
    for how in settings:
        begun = time.monotonic()
        senses = Senses.learn(counts, names, **how)
        seconds = time.monotonic() - begun
        answers = {}
        for name, own in items.items():
            induced = senses.induce_all((name, near) for near, _ in own)
            order = [senses.names[row] for row in senses.rows_of(name)]
            weights = np.array([[dict(one.senses)[s] for s in order] for one in induced])
            answers[name] = weights
        report(", ".join(f"{k}={v}" for k, v in how.items()), items, answers, seconds)
    answers = {}
    begun = time.monotonic()
    for name, own in items.items():
        vectors = np.array([averaged(space, frequency, near) for near, _ in own])
        answers[name] = np.eye(2)[kmeans(vectors, 2)]
    report("k-means of occurrences, 2 clusters", items, answers, time.monotonic() - begun)
    some = dict(list(items.items())[:LDA_WORDS])
    report(f"LDA of contexts, 2 topics ({len(some)} words)", some, *by_lda(counts, some))


def by_lda(counts: firth.Counts, items: dict[str, Any]) -> tuple[dict[str, np.ndarray], float]:
    """Topics of the contexts' own contexts by latent Dirichlet allocation; its time alone."""
    from sklearn.decomposition import LatentDirichletAllocation

    matrix = counts.to_scipy().tocsr()
    answers, seconds = {}, 0.0
    for name, own in items.items():
        place = counts.words[name]
        columns = matrix.indices[matrix.indptr[place] : matrix.indptr[place + 1]]
        begun = time.monotonic()
        model = LatentDirichletAllocation(2, random_state=0, max_iter=10)
        members = model.fit_transform(matrix[columns])
        seconds += time.monotonic() - begun
        of_column = dict(zip(columns.tolist(), members, strict=True))
        weights = []
        for near, _ in own:
            known = [counts.words[token] for token in near if token in counts.words]
            found = [of_column[n] for n in known if n in of_column]
            weights.append(np.sum(found, axis=0) if found else np.ones(2))
        answers[name] = np.array(weights) / np.max(weights, axis=1, keepdims=True)
    return answers, seconds


def report(
    name: str, items: dict[str, Any], answers: dict[str, np.ndarray], seconds: float
) -> None:
    right, nmi, sides = [], [], []
    for word, own in items.items():
        truth = np.array([n for _, n in own])
        weights = answers[word]
        right.append(accuracy(truth, weights.argmax(axis=1)))
        nmi.append(fuzzy_nmi(np.eye(2)[truth], weights))
        sides.append(fuzzy_bcubed(np.eye(2)[truth], weights))
    precision, recall = np.mean(sides, axis=0)
    bcubed = 2 * precision * recall / (precision + recall)
    number = statistics.mean(weights.shape[1] for weights in answers.values())
    avg = 100 * np.sqrt(np.mean(nmi) * bcubed)
    print(
        f"| {name} | {number:.2f} | {interval(right)} | {np.mean(nmi):.3f} | {bcubed:.3f} | "
        f"{avg:.1f} | {seconds:.1f} |",
        flush=True,
    )


def whole(args: argparse.Namespace) -> None:
    counts, table = firth.load(args.counts), read_sense_table(args.table)
    times: dict[str, list[float]] = {}
    for _ in range(args.repeats):
        for name, how in (("wordnet", {"k": "wordnet"}), ("auto", {"k": "auto"})):
            for pool in (False, True):
                begun = time.monotonic()
                senses = Senses.learn(counts, table=table, pool=pool, **how)
                seconds = time.monotonic() - begun
                label = f"{name}{', pool' if pool else ''}"
                times.setdefault(label, []).append(seconds)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
                print(f"{label}: {senses!r} {seconds:.1f} s, {peak:.2f} GiB", flush=True)
    for label, values in times.items():
        print(f"{label}: median {statistics.median(values):.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(required=True)
    one = kinds.add_parser("semeval")
    one.add_argument("counts", type=Path)
    one.add_argument("task", type=Path)
    one.add_argument("table", type=Path)
    one.add_argument("--space", type=Path)
    one.set_defaults(run=semeval)
    two = kinds.add_parser("pseudo")
    two.add_argument("text", type=Path)
    two.add_argument("table", type=Path)
    two.add_argument("space", type=Path)
    two.add_argument("--pairs", type=int, default=60)
    two.add_argument("--seed", type=int, default=1)
    two.set_defaults(run=pseudo)
    three = kinds.add_parser("time")
    three.add_argument("counts", type=Path)
    three.add_argument("table", type=Path)
    three.add_argument("--repeats", type=int, default=1)
    three.set_defaults(run=whole)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
