"""The tagger: its kernel equals its twin, it learns planted rules, and gives the same bits."""

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles_tagging as oracles

from firth import _core
from firth.errors import FirthError
from firth.evaluation.ner import Sentence, Tagger, entities, evaluate_entities, read_conll
from firth.evaluation.ner.features import Encoder, attributes
from firth.progress import Event
from firth.resources import Resources
from firth.space.space import Space
from firth.text.vocabulary import Vocabulary

# --- the kernel ---------------------------------------------------------------------------------

# Quarters add up without rounding, so that kernel and twin agree bit by bit and ties are ties.
QUARTERS = st.integers(-4, 4).map(lambda n: n / 4)


@st.composite
def problems(draw):
    """Sentences of features and vectors, gold tags, and orders for some epochs."""
    sizes = {name: draw(st.integers(low, high)) for name, low, high in
             [("features", 1, 5), ("tags", 1, 9), ("slots", 0, 3), ("dim", 1, 3)]}  # fmt: skip
    rows = st.one_of(st.none(), st.integers(0, 3))
    table = draw(
        st.lists(
            st.lists(QUARTERS, min_size=sizes["dim"], max_size=sizes["dim"]), min_size=4, max_size=4
        )
    )
    token = st.tuples(
        st.lists(st.integers(0, sizes["features"] - 1), max_size=4, unique=True),
        st.lists(rows, min_size=sizes["slots"], max_size=sizes["slots"]),
        st.integers(0, sizes["tags"] - 1),
    )
    sentences = draw(st.lists(st.lists(token, max_size=5), min_size=1, max_size=5))
    orders = draw(st.lists(st.permutations(range(len(sentences))), min_size=1, max_size=4))
    return sizes, table, sentences, orders


def kernel_of(sizes, table, sentences):
    tokens = [token for sentence in sentences for token in sentence]
    rows = [[-1 if row is None else row for row in token[1]] for token in tokens]
    return _core.Sentences(
        np.cumsum([0, *map(len, sentences)], dtype=np.int64),
        np.cumsum([0, *(len(token[0]) for token in tokens)], dtype=np.int64),
        np.array([f for token in tokens for f in token[0]], np.int32),
        sizes["features"],
        np.array(rows, np.int32).reshape(len(tokens), sizes["slots"]),
        np.array(table, np.float32),
    )


def row_of(name, sizes):
    """Where the weights of something stand."""
    tags, kind = sizes["tags"], name[0]
    if kind == "feature":
        return name[1]
    if kind == "before":
        return sizes["features"] + name[1]
    if kind == "pair":
        return sizes["features"] + (tags + 1) + name[1] * (tags + 1) + name[2]
    return sizes["features"] + (tags + 1) + (tags + 1) ** 2 + name[1] * sizes["dim"] + name[2]


def weights_of(sizes):
    tags = sizes["tags"]
    rows = sizes["features"] + (tags + 1) + (tags + 1) ** 2 + sizes["slots"] * sizes["dim"]
    return np.zeros((rows, -(-tags // _core.LANES) * _core.LANES))


@settings(max_examples=200)
@given(problems(), st.randoms(use_true_random=False))
def test_the_kernel_equals_its_twin(problem, chance):
    sizes, table, sentences, orders = problem
    tags = sizes["tags"]
    seen = [[(f, [None if r is None else table[r] for r in rows]) for f, rows, _ in sentence]
            for sentence in sentences]  # fmt: skip
    gold = [[tag for _, _, tag in sentence] for sentence in sentences]
    expected, errors = oracles.train(seen, gold, tags, orders)

    kernel = kernel_of(sizes, table, sentences)
    weights, totals = weights_of(sizes), weights_of(sizes)
    flat = np.array([tag for some in gold for tag in some], np.int32)
    found = []
    for epoch, order in enumerate(orders):
        found.append(kernel.epoch(tags, flat, np.array(order, np.int64), weights, totals,
                                  epoch * len(kernel), None))  # fmt: skip
    assert found == errors
    mean = weights - totals / max(len(kernel) * len(orders), 1)
    twin = weights_of(sizes)
    for (name, tag), weight in expected.items():
        twin[row_of(name, sizes), tag] = weight
    np.testing.assert_allclose(mean, twin, rtol=1e-12, atol=1e-12)

    # Whole weights, so that both see the same ties.
    allowed = [[chance.random() < 0.6 for _ in range(tags)] for _ in range(tags + 1)]
    for row in allowed:
        row[chance.randrange(tags)] = True
    whole = np.round(4 * twin)
    given = {(name, tag): whole[row_of(name, sizes), tag] for name, tag in expected}
    answer = kernel.tag(tags, whole, np.array(allowed, np.uint8), None).tolist()
    assert answer == [tag for some in oracles.tag(seen, given, tags, allowed) for tag in some]


def arrays(**changes):
    """Two sentences, three tokens, two features, two vectors."""
    sound = {
        "sentences": np.array([0, 2, 3]),
        "starts": np.array([0, 1, 1, 3]),
        "features": np.array([0, 1, 0], np.int32),
        "width": 2,
        "rows": np.array([[0], [-1], [1]], np.int32),
        "table": np.ones((2, 2), np.float32),
    }
    return _core.Sentences(**{**sound, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": np.array([0, 2, 4])}, "sentences are out of order"),
        ({"sentences": np.array([0, 4, 3])}, "sentences are out of order"),
        ({"sentences": np.array([1, 3])}, "sentences are out of order"),
        ({"sentences": np.array([], np.int64)}, "sentences are out of order"),
        ({"starts": np.array([0, 1, 1, 4])}, "features are out of order"),
        ({"starts": np.array([0, 3, 1, 3])}, "features are out of order"),
        ({"starts": np.array([], np.int64)}, "starts must not be empty"),
        ({"width": 1}, "a feature is out of range"),
        ({"features": np.array([0, 1, -1], np.int32)}, "a feature is out of range"),
        ({"rows": np.array([[0], [-1], [2]], np.int32)}, "a row of the table is out of range"),
        ({"rows": np.array([[0], [-2], [1]], np.int32)}, "a row of the table is out of range"),
        ({"rows": np.array([[0], [1]], np.int32)}, "as many rows of vectors as tokens"),
    ],
)
def test_the_kernel_refuses_arrays_that_point_outside(changes, message):
    with pytest.raises(ValueError, match=message):
        arrays(**changes)


def test_the_kernel_refuses_weights_tags_and_orders_that_do_not_fit():
    kernel, weights = arrays(), np.zeros((2 + 3 + 9 + 2, 8))
    gold, order = np.array([0, 1, 0], np.int32), np.array([1, 0])
    for message, change in [
        ("do not fit", {"weights": weights[1:]}),
        ("multiple of 8", {"weights": np.zeros((16, 4)), "totals": np.zeros((16, 4))}),
        ("one shape", {"totals": weights[1:].copy()}),
        ("one valid tag per token", {"gold": np.array([0, 2, 0], np.int32)}),
        ("one valid tag per token", {"gold": gold[:2]}),
        ("one sentence number per sentence", {"order": np.array([0, 2])}),
        ("one sentence number per sentence", {"order": np.array([0])}),
        ("must not be negative", {"step": -1}),
        ("from 1 to 2\\^20 - 1 tags", {"tags": 0}),
    ]:
        sound = {"tags": 2, "gold": gold, "order": order, "weights": weights.copy(),
                 "totals": weights.copy(), "step": 0, "progress": None}  # fmt: skip
        with pytest.raises(ValueError, match=message):
            kernel.epoch(**{**sound, **change})
    with pytest.raises(ValueError, match="some tag must be allowed"):
        kernel.tag(2, weights, np.zeros((3, 2), np.uint8), None)
    with pytest.raises(ValueError, match="one more row than tags"):
        kernel.tag(2, weights, np.ones((2, 2), np.uint8), None)


# --- features -----------------------------------------------------------------------------------

WORDS = st.sampled_from(["Ada", "ada", "Milan", "in", "USA", "3.5", "@me", "ß", "é"])
TEXTS = st.lists(st.lists(WORDS, max_size=6), max_size=4)
CLUSTERS = {"ada": "0101100", "Milan": "01", "in": "1" * 25}
SPACE = Space(
    Vocabulary(["in", "ada", "Ada", "milan"], [4, 3, 2, 1]),
    np.array([[1, 0], [0, 1], [2, 2], [-1, 3]], dtype=np.float32),
)


@given(TEXTS, TEXTS, st.booleans())
def test_features_are_those_of_the_twin(train, test, clustered):
    clusters = CLUSTERS if clustered else None
    encoder = Encoder.learn(train, clusters, None)
    names = {}
    for name, place in encoder.attributes.items():
        for slot, feature in enumerate(encoder.features[place].tolist()):
            if feature >= 0:
                names[feature] = (slot - 2, name)
    assert sorted(names) == list(range(encoder.size))

    def see(word):
        return attributes(word, clusters)

    known = set()
    for text, last in ((train, False), (test, True)):
        found = encoder.encode(text)
        ends = found.starts.tolist()
        at = 0
        for words in text:
            for place in range(len(words)):
                expected = oracles.features(words, place, see)
                known |= set() if last else set(expected)
                seen = [names[f] for f in found.features[ends[at] : ends[at + 1]].tolist()]
                assert seen == [one for one in expected if one in known]
                at += 1
        assert at == len(ends) - 1
        assert np.diff(found.sentences).tolist() == [len(words) for words in text]


@given(TEXTS)
def test_vectors_are_those_of_the_words_around_in_lower_case_where_needed_and_scaled(text):
    found = Encoder.learn(text, None, SPACE).encode(text)
    scale = 0.1 / np.std([1, 0, 0, 1, 2, 2, -1, 3])
    form = {"Ada": "Ada", "ada": "ada", "in": "in", "Milan": "milan"}
    tokens = [(words, at) for words in text for at in range(len(words))]
    assert found.rows.shape == (len(tokens), 5)
    for (words, at), rows in zip(tokens, found.rows.tolist(), strict=True):
        for offset, row in zip(range(-2, 3), rows, strict=True):
            inside = 0 <= at + offset < len(words)
            known = form.get(words[at + offset]) if inside else None
            if known is None:
                assert row == -1
            else:
                np.testing.assert_allclose(found.table[row], scale * SPACE[known], rtol=1e-6)


def test_vectors_that_say_nothing_are_refused():
    flat = Space(Vocabulary(["a", "b"], [1, 1]), np.ones((2, 3), np.float32))
    with pytest.raises(FirthError, match="all the same or not finite"):
        Tagger().fit([Sentence(("a",), ("O",))], space=flat)


# --- the tagger ---------------------------------------------------------------------------------


def name(chance, capital=True):
    word = "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(7))
    return word.capitalize() if capital else word


def planted(count, seed):
    """After mr comes a person of one or two capitalised words, after at a place; no others do."""
    chance = random.Random(seed)
    for _ in range(count):
        words, tags = [], []
        for _ in range(chance.randint(1, 4)):
            kind = chance.choice(["person", "place", None])
            size = chance.randint(1, 2)
            words += [{"person": "mr", "place": "at", None: "so"}[kind]]
            words += [name(chance) for _ in range(size)] + [name(chance, False)]
            inside = [f"{mark}-{kind}" if kind else "O" for mark in ("B", "I")][:size]
            tags += ["O", *inside, "O"]
        yield Sentence(tuple(words), tuple(tags))


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "BIOES", "BILOU"])
def test_a_planted_rule_is_learned_exactly_in_every_scheme(scheme):
    """By shapes, neighbours and the tag before; every name is new in the test."""
    train, test = list(planted(600, 1)), list(planted(200, 2))
    tagger = Tagger(epochs=8, scheme=scheme).fit(train)
    scores = evaluate_entities(test, tagger.tag(test))
    assert scores.overall.f1 == 1.0
    assert set(scores.types) == {"person", "place"}
    assert tagger.errors[-1] <= tagger.errors[0]
    assert len(tagger.errors) == tagger.epochs == 8


def test_a_rule_that_only_clusters_or_vectors_tell_is_learned_from_them():
    """Words are names or not by the fall of a coin, which nothing that is seen of them tells."""
    chance = random.Random(1)
    is_name = {name(chance): chance.random() < 0.5 for _ in range(400)}
    made = [Sentence((word, "."), ("B-x" if is_name[word] else "O", "O")) for word in is_name]
    clusters = {word: "0110" if named else "0111" for word, named in is_name.items()}
    vectors = np.random.default_rng(0).random((len(is_name), 30)).astype(np.float32)
    vectors *= np.where(list(is_name.values()), 1, -1)[:, None]
    space = Space(Vocabulary(list(is_name), [1] * len(is_name)), vectors)
    f1 = []
    for added in ({}, {"clusters": clusters}, {"space": space}):
        tagger = Tagger(epochs=20).fit(made[:200], **added)
        f1.append(evaluate_entities(made[200:], tagger.tag(made[200:])).overall.f1)
    assert f1[0] < 0.7
    assert f1[1] == 1.0
    assert f1[2] > 0.95  # entries are a tenth of other inputs: chance affixes outweigh a few


def test_the_same_sentences_and_seed_give_the_same_bits():
    train = list(planted(60, 1))
    first, again, other = (Tagger(epochs=3, seed=seed).fit(train) for seed in (5, 5, 6))
    assert first.weights.tobytes() == again.weights.tobytes()
    assert first.weights.tobytes() != other.weights.tobytes()
    assert first.tag(train) == again.tag(train)


def test_the_best_epoch_on_dev_is_chosen():
    train, dev = list(planted(30, 1)), list(planted(40, 2))
    told = []
    tagger = Tagger(epochs=6).fit(train, dev=dev, resources=Resources(progress=told.append))
    assert len(tagger.dev_scores) == 6
    assert tagger.dev_scores[tagger.epochs - 1] == max(tagger.dev_scores)
    assert tagger.epochs - 1 == tagger.dev_scores.index(max(tagger.dev_scores))
    assert evaluate_entities(dev, tagger.tag(dev)).overall.f1 == max(tagger.dev_scores)
    shorter = Tagger(epochs=tagger.epochs).fit(train)
    assert shorter.weights.tobytes() == tagger.weights.tobytes()
    assert told == [Event("training", n, 6, unit="epochs") for n in range(1, 7)]


@pytest.mark.parametrize("scheme", ["IOB2", "BIOES"])
def test_no_tag_stands_where_the_scheme_forbids_it(scheme):
    """Half-trained taggers err much, but never write I after O."""
    tagger = Tagger(epochs=1, scheme=scheme).fit(list(planted(10, 1)))
    for sentence, tags in zip(planted(200, 3), tagger.tag(list(planted(200, 3))), strict=True):
        assert len(tags) == len(sentence.words)
        marks = "BE" if scheme == "BIOES" else "BI"
        for before, tag in zip(("O", *tags), tags, strict=False):
            if tag[0] in marks[1]:
                assert before[0] in "BI"
                assert before[2:] == tag[2:]


def test_nothing_one_tag_and_unknown_words_are_no_trouble():
    tagger = Tagger(epochs=2).fit([Sentence(("a", "b"), ("O", "O")), Sentence((), ())])
    assert tagger.tags == ("O",)
    assert tagger.tag([]) == []
    assert tagger.tag([[], ["x"], Sentence(("a", "y"), ("O", "O"))]) == [(), ("O",), ("O", "O")]


def test_what_has_no_meaning_is_refused():
    for sentences in ([], [Sentence((), ())]):
        with pytest.raises(FirthError, match="no sentences to learn from"):
            Tagger().fit(sentences)
    with pytest.raises(FirthError, match="epochs must be 1 or more, not 0"):
        Tagger(epochs=0)
    with pytest.raises(FirthError, match="seed must be 0 or more"):
        Tagger(seed=-1)
    with pytest.raises(FirthError, match="not 'IO'"):
        Tagger(scheme="IO")


def test_wnut_is_learned(wnut):
    """About 24 on dev with these features; below 20 something is broken."""
    train, dev = (read_conll(wnut / f"{part}.conll") for part in ("train", "dev"))
    tagger = Tagger(epochs=4).fit(train)
    assert len(tagger.tags) == 13
    guess = tagger.tag(dev)
    assert evaluate_entities(dev, guess).overall.f1 > 0.2
    assert sum(len(entities(tags)) for tags in guess) > 150


@pytest.mark.slow
def test_200_000_tokens_are_learned_within_two_minutes():
    """Most of them words that occur once, so that there are more features than in real text."""
    train = list(planted(24_000, 1))
    assert sum(len(sentence.words) for sentence in train) > 200_000
    begun = time.perf_counter()
    tagger = Tagger(epochs=10).fit(train)
    assert time.perf_counter() - begun < 120
    assert tagger.errors[-1] == 0
