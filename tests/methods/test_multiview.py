"""One space of many views: alignment, missing words, placing, prediction, weights and stores."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests import oracles_views

import firth
from firth.association import Association
from firth.errors import FirthError, StoreError
from firth.methods import MultiView
from firth.methods.view_sources import named_views, prepared, union
from firth.resources import Resources
from firth.space.space import Space
from firth.space.store import load_checked
from firth.text.vocabulary import Vocabulary

ONE = Resources(threads=1)
TOPICS = 6


def topical(rows, columns, seed, lowest=0):
    """Counts whose words and contexts lean to topics, of which words share one in all views."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(99).dirichlet(np.full(TOPICS, 0.3), 400)
    lean = rng.dirichlet(np.full(TOPICS, 0.3), columns)
    rates = 40 * topics[lowest : lowest + rows] @ lean.T
    names = [f"w{i}" for i in range(lowest, lowest + rows)]
    contexts = [f"c{i}" for i in range(columns)]
    return firth.Counts.from_scipy(rng.poisson(rates), names, contexts)


@pytest.fixture(scope="module")
def views():
    """Three views, of which each lacks some words."""
    return {"a": topical(300, 90, 1), "b": topical(300, 70, 2, 50), "c": topical(250, 80, 3, 100)}


@pytest.fixture(scope="module")
def space(views):
    return MultiView(dim=TOPICS, min_views=1).fit(views, resources=ONE)


def dense_of(counts, words, truncate):
    """Return the prepared view with a row for each word, and which words it has, slowly."""
    table = counts.to_scipy().toarray().astype(float)
    has = np.array([w in counts.words and table[counts.words[w]].any() for w in words])
    kept = sorted(sorted(range(table.shape[1]), key=lambda j: (-table[:, j].sum(), j))[:truncate])
    rows = np.zeros((len(words), len(kept)))
    for place, word in enumerate(words):
        if has[place]:
            rows[place] = table[counts.words[word], kept] ** 0.25
    return rows, has


def test_it_is_the_dense_computation_over_the_union_of_the_words(views):
    space = MultiView(dim=5, truncate=40, view_rank=30, min_views=1).fit(views, resources=ONE)
    words = space.index_to_key
    assert set(words) == {f"w{i}" for i in range(350)}
    dense, has = zip(*(dense_of(view, words, 40) for view in views.values()), strict=True)
    _, vectors = oracles_views.leading(oracles_views.consensus(dense, has, rank=30), 5)
    assert oracles_views.angle(vectors, space.factors.left) < 1e-5
    unit = space.factors.left / np.linalg.norm(space.factors.left, axis=1, keepdims=True)
    assert space.vectors == pytest.approx(unit, abs=1e-6)


def test_words_of_few_views_are_placed_at_the_mean_of_what_their_views_predict(views):
    space = MultiView(dim=4, min_views=3).fit(views, resources=ONE)
    fitted = {*views["a"].words} & {*views["b"].words} & {*views["c"].words}
    assert space.recipe["diagnostics"]["words_fitted"] == len(fitted)
    assert len(space) == 350
    for word in ("w3", "w70", "w330"):
        assert word not in fitted
        own = space.views.of(word)
        predicted = [
            space.views.placed(name, dict(views[name].row(word))) for name in own
        ]  # fmt: skip
        row = space.factors.left[space.get_index(word)]
        assert row == pytest.approx(np.mean(predicted, axis=0), abs=1e-6)
    assert space.views.of("w3") == ("a",)
    assert space.views.of("w330") == ("b", "c")


def test_a_word_of_one_view_is_placed_near_its_topic(space, views):
    """Words that are left out of all views but one come near where the fit has them."""
    held = [f"w{i}" for i in range(120, 160)]
    less = {
        "a": views["a"],
        "b": views["b"].select([w for w in views["b"].words if w not in held]),
        "c": views["c"].select([w for w in views["c"].words if w not in held]),
    }
    without = {**less, "a": views["a"].select([w for w in views["a"].words if w not in held])}
    smaller = MultiView(dim=TOPICS, min_views=1).fit(without, resources=ONE)
    assert not {*held} & {*smaller.index_to_key}
    placed = smaller.place({w: dict(views["a"].row(w)) for w in held}, view="a")
    larger = smaller.with_words(placed)
    others = [w for w in larger.index_to_key if w not in held]
    ranks = []
    for word in held:
        mine = np.array([larger.similarity(word, other) for other in others])
        theirs = np.array([space.similarity(word, other) for other in others])
        ranks.append(np.corrcoef(mine, theirs)[0, 1])
    assert np.mean(ranks) > 0.9
    assert larger.views is not None
    assert placed.contexts[0] == np.count_nonzero(
        views["a"].to_scipy().toarray()[views["a"].words[held[0]]]
    )


def test_a_missing_view_is_predicted_from_the_others(views):
    held = [f"w{i}" for i in range(130, 190)]
    rows = [w for w in views["b"].words if w not in held]
    space = MultiView(dim=TOPICS, min_views=1).fit(
        {**views, "b": views["b"].select(rows)}, resources=ONE
    )
    mean = space.views.means[space.views.span("b")]
    mine = theirs = 0.0
    for word in held:
        assert space.views.of(word) == ("a", "c")
        actual = space.views.row("b", dict(views["b"].row(word)))
        predicted = np.array([value for _, value in space.predict("b", word, topn=None)])
        mine += ((predicted - actual) ** 2).sum()
        theirs += ((mean - actual) ** 2).sum()
    assert mine < 0.5 * theirs
    best = space.predict("b", held[0], topn=3)
    assert [value for _, value in best] == sorted((v for _, v in best), reverse=True)


def test_diagnostics_are_those_of_the_maps(space):
    maps = space.views
    lines = space.recipe["views"]
    assert [line["view"] for line in lines] == ["a", "b", "c"]
    assert lines[1]["correlation"] == pytest.approx(maps.correlations[1].mean())
    assert lines[1]["explained"] == pytest.approx(maps.together[1])
    assert (maps.together > 0.3).all()
    assert (maps.together < 1).all()
    assert (maps.correlations[:, :3] > 0.8).all()
    assert space.recipe["diagnostics"]["largest_residual"] < 1e-6


def test_it_comes_back_from_its_store(space, tmp_path):
    space.save(tmp_path / "space")
    back = load_checked(tmp_path / "space")
    assert back.recipe == space.recipe
    for name, value in vars(space.views).items():
        if name.startswith("_"):
            continue
        other = getattr(back.views, name)
        assert np.array_equal(value, other) if isinstance(value, np.ndarray) else value == other
    assert back.predict("a", "w120") == space.predict("a", "w120")
    row = dict(topical(300, 90, 1).row("w5"))
    assert (
        back.place({"new": row}, view="a")["new"] == space.place({"new": row}, view="a")["new"]
    ).all()
    assert "views" in json.loads((tmp_path / "space" / "meta.json").read_text())


@pytest.mark.parametrize("file", ["view_maps.npy", "view_words.npy", "view_contexts.tsv"])
def test_a_damaged_store_of_views_is_refused(space, tmp_path, file):
    space.save(tmp_path / "space")
    path = tmp_path / "space" / file
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(StoreError, match=file):
        Space.load(tmp_path / "space")
    shutil.rmtree(tmp_path / "space")


def test_bytes_depend_on_neither_threads_nor_the_order_of_views(views, tmp_path, store_bytes):
    for number, (threads, order) in enumerate([(1, "abc"), (2, "cab"), (3, "bca"), (8, "cba")]):
        given = {name: views[name] for name in order}
        found = MultiView(dim=5).fit(given, resources=Resources(threads=threads))
        found.save(tmp_path / str(number))
    stores = [store_bytes(tmp_path / str(number)) for number in range(4)]
    assert all(store == stores[0] for store in stores)


def test_the_blocks_of_positional_counts_are_views():
    lines = ["a b c d e", "b a d c e", "e a c b d"] * 3
    counts = firth.count(lines, min_count=1, context="positional", window=2, resources=ONE)
    named = named_views({"near": counts})
    assert [view.name for view in named] == ["near/+1", "near/+2", "near/-1", "near/-2"]
    for view in named:
        assert view.counts().equals(counts.block(view.block))
        assert view.counts().recipe == counts.block(view.block).recipe
        starts = counts.block(view.block).csr()[0]
        assert view.observed().tolist() == np.flatnonzero(np.diff(starts)).tolist()
    space = MultiView(dim=2).fit(counts, resources=ONE)
    assert space.views.names == ("view/+1", "view/+2", "view/-1", "view/-2")


def test_columns_are_cut_to_the_most_frequent_and_words_stay(views):
    view = named_views(views)[0]
    cut = prepared(view, "none", 7, ONE)
    sums = views["a"].to_scipy().sum(axis=0)
    assert cut.matrix.shape == (300, 7)
    assert min(cut.sums) >= np.sort(sums)[-7]
    assert cut.total == sums.sum()


@pytest.mark.parametrize("nonlinearity", ["fourth-root", "log", "ppmi", "none"])
def test_a_row_is_prepared_for_placing_as_it_was_for_the_fit(views, nonlinearity):
    space = MultiView(dim=3, nonlinearity=nonlinearity, truncate=60).fit(views, resources=ONE)
    counts = views["b"]
    whole = prepared(named_views(views)[1], nonlinearity, 60, ONE)
    for word in ("w60", "w200"):
        own = space.views.row("b", dict(counts.row(word)))
        place = whole.places.tolist().index(counts.words[word])
        assert own == pytest.approx(whole.matrix.to_dense()[place], rel=1e-5)


def test_spaces_of_different_words_and_dimensions_are_fused():
    rng = np.random.default_rng(0)
    common = rng.standard_normal((60, 4))
    one = common[:50] @ rng.standard_normal((4, 9))
    other = common[10:] @ rng.standard_normal((4, 5))
    spaces = {
        "one": Space(Vocabulary([f"w{i}" for i in range(50)]), one.astype(np.float32)),
        "other": Space(Vocabulary([f"w{i}" for i in range(10, 60)]), other.astype(np.float32)),
    }
    fused = MultiView(dim=4, min_views=1).fit(spaces, resources=ONE)
    assert len(fused) == 60
    assert fused.views.of("w5") == ("one",)
    assert fused.views.of("w30") == ("one", "other")
    assert fused.views.of("w55") == ("other",)
    both = [fused.get_index(f"w{i}") for i in range(10, 50)]
    # Both are linear in the same four dimensions, and so is the fusion, where both have the word.
    left = fused.factors.left[both].astype(float)
    left = left - left.mean(axis=0)
    shared = common[10:50] - common[10:50].mean(axis=0)
    assert oracles_views.angle(shared, left) < 1e-3
    predicted = [value for _, value in fused.predict("other", "w5", topn=None)]
    assert len(predicted) == 5


def test_views_of_disjoint_words_give_vectors_for_all(views):
    parts = {"x": topical(100, 30, 5), "y": topical(100, 30, 6, 200)}
    space = MultiView(dim=4, min_views=1).fit(parts, resources=ONE)
    assert len(space) == 200
    assert space.vectors.any(axis=1).all()
    with pytest.raises(FirthError, match="no word is in min_views = 2 of the 2 views"):
        MultiView(dim=4, min_views=2).fit(parts, resources=ONE)


def test_odd_views_have_a_result_or_an_error(views):
    single = firth.Counts.from_scipy(np.array([[3], [1], [2]]), ["w1", "w2", "w3"], ["x"])
    space = MultiView(dim=5).fit({**views, "single": single}, resources=ONE)
    assert np.isfinite(space.vectors).all()
    alone = MultiView(dim=50).fit({"single": single}, resources=ONE)
    assert alone.vectors.shape == (3, 3)
    assert np.count_nonzero(alone.factors.values) == 1
    with pytest.raises(FirthError, match="there are no views to learn from"):
        MultiView().fit([])
    with pytest.raises(FirthError, match="multiview learns from counts or an association or a sp"):
        MultiView().fit([3])
    with pytest.raises(FirthError, match="rows of the association have no names"):
        MultiView().fit([Association.from_scipy(np.eye(3))])
    with pytest.raises(FirthError, match="given twice"):
        MultiView().fit([(np.eye(2), ["a", "a"])])
    empty = firth.Counts.from_scipy(np.zeros((2, 2), dtype=int), ["a", "b"])
    with pytest.raises(FirthError, match="no counts to learn from"):
        MultiView().fit([views["a"], empty])


def test_glove_weights_are_those_of_expression_12(views):
    space = MultiView(dim=4, weights="glove", heaviest=700, truncate=40, min_views=1).fit(
        views, resources=ONE
    )
    words = space.index_to_key
    dense, has = zip(*(dense_of(view, words, 40) for view in views.values()), strict=True)
    weights = []
    for view in views.values():
        sums = dict(zip(view.words, view.to_scipy().sum(axis=1).tolist(), strict=True))
        weights.append(np.array([min(1, sums.get(w, 0) / 700) ** 0.75 for w in words]))
    assert 0 < weights[0][np.flatnonzero(has[0])].min() < 1
    whole = oracles_views.consensus(dense, has, weights=weights)
    _, vectors = oracles_views.leading(whole, 4)
    assert oracles_views.angle(vectors, space.factors.left) < 1e-5


def test_weights_of_views_and_groups(views):
    plain = MultiView(dim=4).fit(views, resources=ONE)
    even = MultiView(dim=4, weights={"a": 2, "b": 2.0, "c": 2}).fit(views, resources=ONE)
    assert even.vectors == pytest.approx(plain.vectors, abs=1e-5)
    heavy = MultiView(dim=4, weights="a=50").fit(views, resources=ONE)
    assert heavy.views.correlations[0].mean() > 0.999
    assert heavy.views.weights.tolist() == [50, 1, 1]
    none = MultiView(dim=4, weights={"b": 0}, min_views=1).fit(views, resources=ONE)
    left_out = MultiView(dim=4, min_views=1).fit({k: views[k] for k in "ac"}, resources=ONE)
    shared = left_out.index_to_key
    assert none.vectors[[none.get_index(w) for w in shared]] == pytest.approx(
        left_out.vectors, abs=1e-4
    )
    grouped = {"g/x": views["a"], "g/y": views["b"], "h": views["c"]}
    assert MultiView(weights="g=3").fit(grouped, resources=ONE).views.weights.tolist() == [3, 3, 1]
    for bad in ("a", "a=x", "a=-1", "=2"):
        with pytest.raises(FirthError, match="weights must be glove, learned, or NAME=WEIGHT"):
            MultiView(weights=bad)
    with pytest.raises(FirthError, match="weights names no view or group 'q': there are a, b, c"):
        MultiView(weights="q=1").fit(views)
    with pytest.raises(FirthError, match="weights are all 0"):
        MultiView(weights="a=0,b=0,c=0").fit(views)


def test_weights_keep_all_their_digits(views):
    weights = {"a": 1 / 3, "b": 2, "c": 1e-7}
    space = MultiView(dim=4, weights=weights).fit(views, resources=ONE)
    assert space.views.weights.tolist() == [1 / 3, 2, 1e-7]


def test_two_views_in_a_tuple_are_views_and_names_are_distinct(views):
    pair = views["a"], views["b"]
    assert [view.source for view in named_views(pair)] == list(pair)
    assert len(named_views((np.eye(2), ["a", "b"]))) == 1
    near = firth.count(["a b c"] * 3, window=1, context="positional", min_count=1)
    with pytest.raises(FirthError, match=r"two views are named near/\+1: give one of them another"):
        named_views({"near": near, "near/+1": views["a"]})


def test_half_and_twice_the_weight_of_each_group_are_tried(monkeypatch):
    from firth.methods import view_weights

    scores = {"a=1,b=1": 0.1, "a=0.5,b=1": 0.2, "a=2,b=1": 0.3, "a=2,b=0.5": 0.2, "a=2,b=2": 0.4}
    monkeypatch.setattr(view_weights, "correlation", lambda text, _: scores[text])
    assert view_weights.learned_weights(["a", "b"], lambda text: text, [], ONE) == "a=2,b=2"


def test_weights_are_learned_from_pairs(views):
    """A view of noise loses weight where pairs are judged by the topics."""
    rng = np.random.default_rng(4)
    names = [f"w{i}" for i in range(350)]
    noise = firth.Counts.from_scipy(
        rng.poisson(2.0, (350, 60)), names, [f"n{i}" for i in range(60)]
    )
    given = {**views, "noise": noise}
    topics = np.random.default_rng(99).dirichlet(np.full(TOPICS, 0.3), 400)
    pairs = []
    for i, j in rng.integers(0, 350, (400, 2)).tolist():
        if i != j:
            pairs.append((f"w{i}", f"w{j}", float(topics[i] @ topics[j])))
    method = MultiView(dim=12, weights="learned", min_views=1)
    space = method.fit(given, dev=pairs[:200], resources=ONE)
    weights = dict(zip(space.views.names, space.views.weights.tolist(), strict=True))
    assert weights["noise"] < max(weights[name] for name in "abc")
    assert space.recipe["method"]["weights"] == "learned"
    assert "noise=" in space.recipe["chosen"]["weights"]
    from firth.methods.view_weights import correlation

    plain = MultiView(dim=12, min_views=1).fit(given, resources=ONE)
    assert correlation(space, pairs[200:]) > correlation(plain, pairs[200:])
    for wrong in (method, MultiView()):
        with pytest.raises(FirthError, match="needs dev"):
            wrong.fit(given, dev=None if wrong is method else pairs)
    with pytest.raises(FirthError, match="only 0 of the 1 pairs of dev are in the views"):
        method.fit(given, dev=[("x", "y", 1.0)])


def test_fewer_dimensions_are_cut_from_more(views):
    wide, narrow = (MultiView(dim=dim).fit(views, resources=ONE) for dim in (8, 3))
    derived = MultiView(dim=3).derive(wide)
    assert derived.vectors == pytest.approx(narrow.vectors, abs=1e-4)
    assert derived.views.projections.shape == (90 + 70 + 80, 3)


def test_the_union_has_the_largest_frequency_and_no_order_of_views(views):
    names = named_views(views)
    words = union(names)
    assert union(names[::-1]) == words
    for word in ("w10", "w120", "w340"):
        known = [v.words.frequencies[v.words[word]] for v in views.values() if word in v.words]
        assert words.frequencies[words[word]] == max(known)


def test_queries_of_views_name_what_is_wrong(space):
    with pytest.raises(FirthError, match="view must be one of a, b, c, not 'z'"):
        space.predict("z", "w1")
    with pytest.raises(FirthError, match="'nowhere' is not in the space"):
        space.predict("a", "nowhere")
    with pytest.raises(FirthError, match="the count of 'c1' is -1: give 0 or more"):
        space.place({"new": {"c1": -1}}, view="a")
    with pytest.raises(FirthError, match="a row of the view a has 90 finite numbers"):
        space.place({"new": [1.0, 2.0]}, view="a")
    with pytest.raises(FirthError, match="a row of the view a has 90 finite numbers"):
        space.place({"new": "many"}, view="a")
    with pytest.raises(FirthError, match="a count of the view a is -2: give 0 or more"):
        space.place({"new": [1.0] * 89 + [-2.0]}, view="a")
    for wrong in ("many", None, 10**400):
        with pytest.raises(FirthError, match=r"the count of 'c1' is .*: give 0 or more"):
            space.place({"new": {"c1": wrong}}, view="a")
    plain = firth.methods.PPMI(dim=2).fit(topical(30, 20, 1))
    with pytest.raises(FirthError, match="this space has no views"):
        plain.place({"new": {"c1": 1}}, view="a")
    with pytest.raises(FirthError, match="say by view which of them has the words: a, b, c"):
        space.place({"new": {"c1": 1}})
    assert not space.place({"new": {"unknown": 3}}, view="a").vectors.any()


def test_spaces_of_version_4_keep_being_read(tmp_path, store_bytes):
    path = Path(__file__).parents[1] / "space" / "stores" / "fitted-v4"
    space = load_checked(path)
    assert space.views.names == ("one", "two")
    assert space.views.weights.tolist() == [2.0, 1.0]
    assert space.views.contexts[0].words == ("z", "tab\tin", "x", "y")
    assert [space.views.of(word) for word in "abg"] == [("one",), ("one", "two"), ("two",)]
    row = space.views.placed("one", {"x": 1, "tab\tin": 16})
    means = space.views.means[:4]
    prepared_row = np.array([0.0, 2.0, 1.0, 0.0]) - means
    assert row == pytest.approx(prepared_row @ space.views.projections[:4], abs=1e-6)
    space.save(tmp_path / "same")
    assert store_bytes(tmp_path / "same") == store_bytes(path)


def test_the_plain_fusions_need_the_memory_that_is_announced():
    import tracemalloc

    from firth.methods.fusion import averaged, baseline_memory, concatenated

    words = Vocabulary([f"w{i}" for i in range(4000)])
    rng = np.random.default_rng(0)
    spaces = {
        name: Space(words, rng.standard_normal((4000, 100)).astype(np.float32)) for name in "abc"
    }
    tracemalloc.start()
    try:
        concatenated(spaces, 20, ONE)
        averaged(spaces)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert baseline_memory(spaces, 20) / 2 < peak < baseline_memory(spaces, 20)
