"""Google's analogies, side by side with gensim's ``evaluate_word_analogies``.

Run ``python -m bench.analogies``; it prints Markdown. The space has 300,000 × 300 vectors in
clusters. It has all the words of the questions, and some of the analogies are made to hold. firth
answers all questions. gensim answers some of them, spread over the file, and its time for all is
extrapolated from their number.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.measure import data_folder, machine
from firth.evaluation.analogy import Analogy
from firth.evaluation.finding import DataFolders
from firth.evaluation.protocol import EvaluationRules
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary


def clustered(task: Analogy, words: int, dim: int) -> Space:
    """Return a space of clusters, with the words of the questions spread over the vocabulary."""
    generator = np.random.default_rng(0)
    asked = dict.fromkeys(w for q in task.questions for w in (q.a, q.b, q.c, *q.answers))
    names = [f"filler{i}" for i in range(words)]
    for place, word in zip(
        generator.choice(words, len(asked), replace=False).tolist(), asked, strict=True
    ):
        names[place] = word
    centres = generator.standard_normal((500, dim), dtype=np.float32)
    vectors = generator.standard_normal((words, dim), dtype=np.float32)
    vectors += 2 * centres[generator.integers(0, 500, words)]
    index = {name: place for place, name in enumerate(names)}
    for question in task.questions[::5]:
        a, b, c, d = (index[w] for w in (question.a, question.b, question.c, question.answers[0]))
        units = [vectors[place] / np.linalg.norm(vectors[place]) for place in (a, b, c)]
        vectors[d] = units[1] - units[0] + units[2] + 0.01 * vectors[d]
    return Space(Vocabulary(names, range(words, 0, -1)), vectors)


def ours(task: Analogy, space: Space, rule: str, repeats: int) -> tuple[float, np.ndarray]:
    """Return the median seconds, everything included, and which answers were right."""
    seconds = []
    for _ in range(repeats):
        fresh = Space(space.words, space.vectors)  # without cached results of earlier runs
        begun = time.perf_counter()
        found = replace(task, rule=rule).run(fresh, EvaluationRules())
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds), found.values


def theirs(task: Analogy, space: Space, every: int) -> tuple[float, int, np.ndarray]:
    """Return gensim's seconds for some questions, their number, and which were right."""
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(space.vector_size)
    keyed.add_vectors(list(space.words), space.vectors)
    keyed.fill_norms()
    some = task.questions[::every]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "questions.txt"
        lines = [f"{q.a} {q.b} {q.c} {q.answers[0]}" for q in some]
        path.write_text(": some\n" + "\n".join(lines) + "\n", encoding="utf-8")
        begun = time.perf_counter()
        _, sections = keyed.evaluate_word_analogies(str(path))
        seconds = time.perf_counter() - begun
    right = {tuple(question) for question in sections[0]["correct"]}
    flags = [(*(w.upper() for w in (q.a, q.b, q.c)), q.answers[0].upper()) in right for q in some]
    return seconds, len(some), np.array(flags, dtype=np.float64)


def main() -> None:
    """Measure both programs in one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=300_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--questions", type=int, default=500, help="number of questions for gensim")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    task = DataFolders([data_folder()]).task("google")
    assert isinstance(task, Analogy)
    space = clustered(task, options.words, options.dim)
    print(f"Machine: {machine()}.\n")
    print(f"{task.size:,} questions, {options.words:,} × {options.dim} vectors\n")
    every = max(1, task.size // options.questions)
    seconds, asked, right = theirs(task, space, every)
    whole = seconds * task.size / asked
    print("| | questions | s | s for all | |")
    print("|---|---|---|---|---|")
    print(f"| gensim `evaluate_word_analogies` | {asked:,} | {seconds:.1f} | {whole:.0f} | 1 |")
    for rule, name in (("add", "3CosAdd"), ("cosmul", "3CosMul")):
        took, values = ours(task, space, rule, options.repeats)
        print(f"| firth, {name} | {task.size:,} | {took:.2f} | {took:.2f} | {whole / took:.0f} × |")
        if rule == "add":
            same = (values[::every] == right).mean()
    print(
        f"\ngensim answered {right.mean():.1%} of its questions correctly. On {same:.1%} of them "
        "both programs are right or both are wrong."
    )


if __name__ == "__main__":
    main()
