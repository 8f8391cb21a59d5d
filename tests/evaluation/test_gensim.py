"""The same numbers as gensim, where the rules coincide."""

import numpy as np
import pytest
from tests.evaluation.conftest import space_of

from firth.evaluation.analogy import Analogy
from firth.evaluation.finding import DataFolders
from firth.evaluation.parsing import PARSERS
from firth.evaluation.protocol import EvaluationRules
from firth.evaluation.similarity import Similarity

gensim_models = pytest.importorskip("gensim.models")
SEED = 7


def both_of(words, vectors):
    """The same vectors in gensim and here."""
    keyed = gensim_models.KeyedVectors(vectors.shape[1])
    keyed.add_vectors(words, vectors)
    return keyed, space_of(words, vectors)


def planted(words, seed=SEED):
    """Vectors in which some analogies hold: words of a line near each other."""
    generator = np.random.default_rng(seed)
    return generator.standard_normal((len(words), 20)).astype(np.float32)


@pytest.fixture(scope="module")
def real(data):
    """The words of the real tests and vectors for most of them, mixed case and all."""
    folders = DataFolders([data])
    google = folders.task("google").questions
    words = [w for q in google for w in (q.a, q.b, q.c, *q.answers)]
    words += [w for p in folders.task("ws353").pairs for w in p[:2]]
    words = list(dict.fromkeys(words))
    generator = np.random.default_rng(SEED)
    kept = [word for word in words if generator.random() < 0.9]
    lower = [word.lower() for word in kept if word != word.lower() and generator.random() < 0.3]
    names = list(dict.fromkeys([*kept, *lower, *(f"filler{i}" for i in range(300))]))
    order = generator.permutation(len(names))
    names = [names[i] for i in order]
    vectors = generator.standard_normal((len(names), 30)).astype(np.float32)
    place = {name: i for i, name in enumerate(names)}
    for q in google:  # let about half of the questions come out right
        if all(w in place for w in (q.a, q.b, q.c, q.answers[0])) and generator.random() < 0.5:
            a, b, c, d = (place[w] for w in (q.a, q.b, q.c, q.answers[0]))
            unit = [vectors[p] / np.linalg.norm(vectors[p]) for p in (a, b, c)]
            vectors[d] = 0.8 * (unit[1] - unit[0] + unit[2]) + 0.05 * vectors[d]
    return both_of(names, vectors)


@pytest.mark.parametrize("name", ["ws353", "men", "scws", "simlex999", "mturk287"])
@pytest.mark.parametrize("insensitive", [True, False])
@pytest.mark.parametrize("dummy", [True, False])
def test_word_pairs(real, data, tmp_path, name, insensitive, dummy):
    keyed, space = real
    rows = [
        line.split("\t")
        for line in (data / "wordsim" / f"{name}.tsv").read_text().split("\n")
        if line
    ]
    path = tmp_path / "pairs.tsv"
    # A word with itself is 1 here; there it is 1 but for rounding, which puts equals in an order.
    path.write_text("".join("\t".join(r) + "\n" for r in rows if r[0].lower() != r[1].lower()))
    _, spearman, oov = keyed.evaluate_word_pairs(
        str(path), case_insensitive=insensitive, dummy4unknown=dummy
    )
    rules = EvaluationRules(
        case="fold" if insensitive else "exact", oov="zero" if dummy else "skip"
    )
    found = Similarity(name, PARSERS["pairs"]([path])).run(space, rules)
    assert found.score == pytest.approx(spearman.statistic, abs=1e-6)
    assert 100 * (1 - found.n_covered / found.total) == pytest.approx(oov)


@pytest.mark.parametrize("insensitive", [True, False])
@pytest.mark.parametrize("restrict", [300_000, 900])
def test_word_analogies(real, data, tmp_path, insensitive, restrict):
    keyed, space = real
    lines = (data / "analogy" / "google-questions-words.txt").read_text().splitlines()
    some = [line for i, line in enumerate(lines) if line.startswith(":") or i % 7 == 0]
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(some) + "\n")
    score, sections = keyed.evaluate_word_analogies(
        str(path), restrict_vocab=restrict, case_insensitive=insensitive
    )
    rules = EvaluationRules(case="fold" if insensitive else "exact", restrict=restrict)
    found = Analogy("google", PARSERS["sections"]([path])).run(space, rules)
    assert 0.1 < score < 0.98
    assert found.score == pytest.approx(score, abs=1e-6)
    ours = {part.task.removeprefix("google: "): part for part in found.by_section()}
    for section in sections[:-1]:
        part = ours[section["section"]]
        right, asked = len(section["correct"]), len(section["correct"]) + len(section["incorrect"])
        assert (part.values.sum(), part.n_covered) == (right, asked)


def test_analogies_with_unknown_words_as_wrong(real, data, tmp_path):
    keyed, space = real
    lines = (data / "analogy" / "google-questions-words.txt").read_text().splitlines()
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(lines[:300]) + "\n")
    score, _ = keyed.evaluate_word_analogies(str(path), dummy4unknown=True)
    found = Analogy("google", PARSERS["sections"]([path])).run(space, EvaluationRules(oov="zero"))
    assert found.score == pytest.approx(score, abs=1e-6)
    assert found.n_covered < found.total


def test_word_pairs_without_the_real_sets(tmp_path):
    words = [f"Word{i}" for i in range(40)]
    keyed, space = both_of(words, planted(words))
    generator = np.random.default_rng(0)
    lines = [
        f"{words[i].upper()}\t{words[j]}\t{generator.integers(0, 5)}"
        for i, j in generator.integers(0, 40, size=(80, 2))
    ]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join([*lines, "unknown\tWord1\t3"]) + "\n")
    _, spearman, _ = keyed.evaluate_word_pairs(str(path))
    found = Similarity("pairs", PARSERS["pairs"]([path])).run(space)
    assert found.score == pytest.approx(spearman.statistic, abs=1e-6)
    assert (found.n_covered, found.total) == (80, 81)
