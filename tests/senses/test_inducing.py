"""Induction: planted occurrences, graded weights, the words that decided, unknown contexts."""

import numpy as np
import pytest

import firth
from firth.errors import FirthError
from firth.senses import Senses, Tagger, tag
from firth.senses.inducing import SMOOTHING, tokens_of


@pytest.fixture(scope="module")
def senses(counts):
    return Senses.learn(counts, ["bank"], k=2)


def topic_of(senses, sense):
    return next(one for one in senses.of("bank") if one.name == sense).contexts[0][0][0]


def test_nearly_all_planted_occurrences_are_told_apart(senses, lines):
    held = [line for line in lines if "bank" in line.split()]
    found = senses.induce_all(("bank", line) for line in held)
    right = [topic_of(senses, one.best) in line.replace("bank", "")[:3]
             for one, line in zip(found, held, strict=True)]  # fmt: skip
    assert np.mean(right) > 0.95
    assert all(one.known for one in found)


def plain(senses, counts, word, tokens):
    """The cosines of a sentence with the senses, written out."""
    frequency = dict(zip(counts.words.words, counts.words.frequencies.tolist(), strict=True))
    total = sum(frequency.values())
    query = {}
    for token in tokens:
        if token in frequency and token != word:
            weight = SMOOTHING / (SMOOTHING + frequency[token] / total)
            query[token] = query.get(token, 0) + weight
    out = []
    for row in senses.rows_of(word):
        columns, values = senses.vector(row)
        sense = dict(zip([counts.words.words[c] for c in columns], values.tolist(), strict=True))
        product = sum(sense.get(token, 0) * weight for token, weight in query.items())
        lengths = [sum(v**2 for v in side.values()) ** 0.5 for side in (sense, query)]
        out.append(product / (lengths[0] * lengths[1]))
    return out


def test_weights_are_cosines_over_the_largest(senses, counts):
    tokens = ["a1", "a1", "bank", "b7", "a20", "never-seen"]
    cosines = plain(senses, counts, "bank", tokens)
    expected = {f"bank_{n + 1}": cosine / max(cosines) for n, cosine in enumerate(cosines)}
    found = senses.induce("bank", tokens)
    assert dict(found.senses) == pytest.approx(expected)
    assert found.senses[0][1] == 1
    assert [weight for _, weight in found.senses] == sorted(expected.values(), reverse=True)


def test_a_sentence_and_its_tokens_are_the_same(senses):
    assert senses.induce("bank", "A1, a2 (bank)!") == senses.induce("bank", ["a1", "a2", "bank"])


def test_the_words_that_decided_add_up_to_the_difference_of_the_cosines(senses, counts):
    tokens = ["a1", "b2", "a3"]
    found = senses.induce("bank", tokens)
    cosines = sorted(plain(senses, counts, "bank", tokens), reverse=True)
    first, second = (sum(v for _, v in found.deciding[name]) for name, _ in found.senses)
    assert first - second == pytest.approx(cosines[0] - cosines[1])
    decided = {word for word, _ in found.deciding[found.best]}
    assert {word[0] for word in decided} == {topic_of(senses, found.best)}


@pytest.mark.parametrize("sentence", ["", "nothing known here", "bank bank", []])
def test_an_unknown_context_falls_back_to_the_shares_and_says_so(senses, sentence):
    found = senses.induce("bank", sentence)
    shares = senses.shares("bank")
    assert not found.known
    assert [name for name, _ in found.senses] == ["bank_1", "bank_2"]
    assert [w for _, w in found.senses] == pytest.approx((shares / shares.max()).tolist())
    assert found.deciding == {"bank_1": [], "bank_2": []}


def test_what_is_not_a_sentence_is_refused(senses):
    with pytest.raises(FirthError, match="a text, or a list of words"):
        senses.induce("bank", [1, 2])


def test_words_are_cut_as_the_tokenizer_words_does():
    text = "He said: \"don't\" – twice.\nStraße; don't\tNAÏVE 3.5 x-y"
    counted = firth.count([text.replace("\n", " ")], min_count=1, window=1)
    assert {*tokens_of(text)} == {*counted.words.words}
    assert len(tokens_of(text)) == int(counted.words.frequencies.sum())
    assert tokens_of("") == tokens_of(" .. \n") == []


def test_tagging_replaces_the_words_that_are_clear(senses, lines, tmp_path):
    done = tag(senses, lines, tmp_path / "tagged.txt")
    tagged = (tmp_path / "tagged.txt").read_text().splitlines()
    assert len(tagged) == len(lines)
    before = sum(line.split().count("bank") for line in lines)
    assert done.replaced + done.unclear == before
    assert done.replaced > 0.95 * before
    for line, was in zip(tagged, lines, strict=True):
        assert [word.partition("_")[0] for word in line.split()] == was.split()
    counted = firth.count(tmp_path / "tagged.txt", tokenizer="whitespace", min_count=1)
    assert counted.words.frequency("bank_1") + counted.words.frequency("bank_2") == done.replaced


@pytest.mark.parametrize("tokenizer", ["words", "whitespace"])
@pytest.mark.parametrize("lower", [True, False])
def test_a_text_is_tagged_by_the_words_that_were_counted(lines, tmp_path, tokenizer, lower):
    text = [line.upper() for line in lines]
    counts = firth.count(
        text, window=5, weighting="flat", min_count=1, tokenizer=tokenizer, lower=lower
    )
    bank = "bank" if lower else "BANK"
    senses = Senses.learn(counts, [bank], k=2)
    done = tag(senses, text, tmp_path / "tagged.txt")
    before = sum(line.split().count("BANK") for line in text)
    assert done.replaced > 0.95 * before
    assert f"{bank}_1" in (tmp_path / "tagged.txt").read_text().split()


def test_tagging_agrees_with_induction(senses, lines):
    tagger = Tagger(senses, window=20, clear=1)
    for line in lines[:60:3]:
        tokens = line.split()
        found = [word for word in tagger.tagged(tokens) if word.startswith("bank_")]
        assert found in ([], [senses.induce("bank", tokens).best])


def test_words_that_are_not_clear_stay(senses):
    one, two = (sense.contexts[0][0] for sense in senses.of("bank"))
    tokens = [one, "bank", two]
    assert Tagger(senses, clear=0).tagged(tokens) == tokens
    assert Tagger(senses, clear=1).tagged(tokens)[1] in ("bank_1", "bank_2")
    assert Tagger(senses).tagged(["bank", "who"]) == ["bank", "who"]


@pytest.mark.parametrize("how", [{"window": 0}, {"clear": 1.5}])
def test_settings_of_tagging_are_checked(senses, how, tmp_path):
    with pytest.raises(FirthError, match="must be"):
        tag(senses, ["a1 bank"], tmp_path / "out", **how)
    assert not (tmp_path / "out").exists()


def test_readings(senses, counts, lines):
    found = senses.read("bank", counts=counts, corpus=lines, top=8, examples=2)
    for reading in found:
        topic = reading.contexts[0][0][0]
        assert {word[0] for word, _ in reading.contexts} == {topic}
        assert {word[0] for word, _ in reading.neighbours} == {topic}
        assert len(reading.neighbours) == 8
        assert len(reading.examples) == 2
        for line in reading.examples:
            assert senses.induce("bank", line).best == reading.name
    with pytest.raises(FirthError, match="top must be 1 or more"):
        senses.read("bank", top=0)


def test_neighbours_are_the_most_similar_rows(senses, counts):
    from firth.association import Weighing, associate

    dense = associate(counts, Weighing(scale="pmi", alpha=0.75)).to_dense()
    units = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    reading = senses.read("bank", counts=counts, top=3)[0]
    own = np.zeros(len(dense))
    columns, values = senses.vector(0)
    own[columns] = values
    cosines = units @ own / np.linalg.norm(own)
    cosines[counts.words["bank"]] = -1
    order = np.argsort(-cosines, kind="stable")[:3]
    assert [word for word, _ in reading.neighbours] == [counts.words.words[n] for n in order]
    assert [v for _, v in reading.neighbours] == pytest.approx(cosines[order], rel=1e-5)
