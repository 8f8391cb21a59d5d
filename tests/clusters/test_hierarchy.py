"""Trees: cuts, paths, scipy's linkage, mutual information level by level, new words, files."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_monotonic, is_valid_linkage
from tests import oracles_clusters as oracles
from tests.clusters_drawn import trees

import firth
from firth.clusters.information import memory, mutual_information
from firth.clusters.paths import from_text, to_text
from firth.errors import FirthError, StoreError, UnknownWord

NEIGHBOURS = {"window": 1, "context": "positional", "min_count": 1}


@given(trees())
def test_every_cut_is_what_the_merges_say(tree):
    for clusters in range(1, len(tree) + 1):
        labels = oracles.labels_of(tree.merges.tolist(), len(tree), clusters)
        assert tree.cut(clusters).tolist() == labels
    assert tree.cut().max() + 1 == tree.clusters


@given(trees())
def test_paths_are_a_prefix_code_of_the_clusters(tree):
    labels, bits = tree.cut().tolist(), tree.bits
    assert len({*bits}) == tree.clusters
    assert len({*zip(labels, bits, strict=True)}) == tree.clusters
    distinct = sorted({*bits})
    assert not any(b.startswith(a) for a in distinct for b in distinct if a != b)
    # A binary tree whose leaves have these depths has no place left.
    assert sum(2.0 ** -len(path) for path in distinct) == 1
    for word, path in tree.paths().items():
        assert word in tree.prefix(path[:-1])
        assert tree.prefix(path) == tree.words_of(word)


@given(trees())
def test_prefixes_are_nodes_of_the_tree(tree):
    """The words below a prefix are those that a node of the merges has below it."""
    below = {i: {i} for i in range(len(tree))}
    for number, (a, b) in enumerate(tree.merges.tolist()):
        below[len(tree) + number] = below[a] | below[b]
    known = {frozenset(words) for words in below.values()}
    prefixes = {path[:end] for path in tree.bits for end in range(len(path) + 1)}
    for path in prefixes:
        assert frozenset(tree.words[word] for word in tree.prefix(path)) in known


@given(trees())
def test_scipy_cuts_the_linkage_as_we_do(tree):
    if len(tree) < 2:
        return
    for linkage in (tree.to_linkage(), tree.to_linkage(costs=True)):
        assert is_valid_linkage(linkage)
        assert is_monotonic(linkage)
    for clusters in range(1, len(tree) + 1):
        theirs = fcluster(tree.to_linkage(), clusters, "maxclust")
        ours = tree.cut(clusters)
        assert len({*zip(ours.tolist(), theirs.tolist(), strict=True)}) == clusters


@given(trees())
def test_paths_files_round_trip(tree):
    text = to_text(tree)
    again = from_text(text, "paths")
    assert again.paths() == tree.paths()
    assert again.words == tree.words
    assert again.clusters == tree.clusters
    assert to_text(again) == text
    same = oracles.labels_of(again.merges.tolist(), len(tree), tree.clusters)
    assert again.cut().tolist() == same == tree.cut().tolist()


def test_what_a_paths_file_holds(tmp_path):
    words = firth.Vocabulary(["cat", "run", "dog"], [4, 3, 2])
    tree = firth.Hierarchy(words, np.array([[0, 2], [1, 3]]), np.zeros(2), 2)
    tree.write_paths(tmp_path / "paths")
    assert (tmp_path / "paths").read_bytes() == b"0\trun\t3\n1\tcat\t4\n1\tdog\t2\n"
    with pytest.raises(StoreError, match="exists"):
        tree.write_paths(tmp_path / "paths")
    tree.write_paths(tmp_path / "paths", force=True)
    assert firth.Hierarchy.load(tmp_path / "paths").paths() == tree.paths()
    assert firth.Hierarchy.read_paths(tmp_path / "paths").paths() == tree.paths()


@given(st.text(st.sampled_from("01\t\n\rab é9-"), max_size=60))
def test_any_text_is_a_tree_or_an_error(text):
    try:
        tree = from_text(text, "paths")
    except StoreError as error:
        assert str(error).startswith("paths: ")
        return
    assert from_text(to_text(tree), "paths").paths() == tree.paths()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no paths in it"),
        ("\n\r\n", "there are no paths in it"),
        ("01\tcat\n", "line 1 is not bits, a word and a count"),
        ("01\tcat\t1\n02\tdog\t1\n", "line 2 is not bits"),
        ("01\t\t1\n", "line 1 is not bits"),
        ("01\t \t1\n", "line 1 is not bits"),
        ("01\tcat\tmany\n", "line 1: 'many' is not a count"),
        ("01\tcat\t-1\n", "line 1: '-1' is not a count"),
        ("0\tcat\t1\n1\tcat\t1\n", "line 2: 'cat' is given twice"),
        ("0\tcat\t1\n01\tdog\t1\n", "path 0 goes on in path 01"),
        ("\tcat\t1\n1\tdog\t1\n", "path of no bits goes on in path 1"),
    ],
)
def test_what_is_no_paths_file(text, message):
    with pytest.raises(StoreError, match=message):
        from_text(text, "paths")


def test_files_of_others(tmp_path):
    """Windows line ends, a byte order mark, and a tree of which one side was lost."""
    path = tmp_path / "paths"
    path.write_bytes("\ufeff00\tcat\t4\r\n10\trun\t3\r\n10\tran\t3\r\n".encode())
    tree = firth.Hierarchy.load(path)
    assert tree.paths() == {"cat": "00", "ran": "10", "run": "10"}
    assert (tree.clusters, tree.cut().tolist()) == (2, [0, 1, 1])
    path.write_bytes(b"\xff\xfe0")
    with pytest.raises(StoreError, match="not UTF-8 at byte 0"):
        firth.Hierarchy.load(path)
    with pytest.raises(StoreError, match="cannot be read"):
        firth.Hierarchy.read_paths(tmp_path / "nowhere")


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "", "a\rb", "a\udc80"])
def test_a_word_that_could_not_be_read_again_is_not_written(word, tmp_path):
    words = firth.Vocabulary.unchecked([word, "b"], [1, 1])
    tree = firth.Hierarchy(words, np.array([[0, 1]]), np.zeros(1), 2)
    with pytest.raises(FirthError, match="cannot be written to a paths file"):
        tree.write_paths(tmp_path / "paths")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("merges", "clusters", "message"),
    [
        ([[0, 1]], 1, "no binary tree over 3 words"),
        ([[0, 1], [0, 3]], 1, "no binary tree"),
        ([[0, 3], [1, 2]], 1, "no binary tree"),
        ([[0, 1], [2, -1]], 1, "no binary tree"),
        ([[0, 1], [2, 3]], 4, "3 words cannot make 4 clusters"),
    ],
)
def test_what_is_no_tree(merges, clusters, message):
    words = firth.Vocabulary("abc", [3, 2, 1])
    with pytest.raises(FirthError, match=message):
        firth.Hierarchy(words, np.array(merges), np.zeros(len(merges)), clusters)


def test_questions_that_have_no_answer():
    tree = from_text("00\tkitten\t4\n01\trun\t3\n", "paths")
    with pytest.raises(UnknownWord, match="not a word of this tree; near it: kitten"):
        tree.path("kiten")
    with pytest.raises(FirthError, match="'2' is not a path"):
        tree.prefix("2")
    with pytest.raises(FirthError, match="begins with 1"):
        tree.prefix("1")
    with pytest.raises(FirthError, match="2 words cannot be cut into 3 clusters"):
        tree.cut(3)
    for clusters in (0, -1, 1.5, "2"):
        with pytest.raises(FirthError, match="clusters must be 1 or more, not "):
            tree.cut(clusters)


# --- mutual information -------------------------------------------------------------------------


def zipf_lines(seed=0, lines=150):
    rng = np.random.default_rng(seed)
    return [" ".join(f"w{n}" for n in line) for line in np.minimum(rng.zipf(1.4, (lines, 9)), 40)]


def equation_3(lines, label):
    """Count tokens and neighbours by hand."""
    tokens = [label[word] for line in lines for word in line.split()]
    pairs = Counter(
        (label[a], label[b])
        for line in lines
        for a, b in zip(line.split(), line.split()[1:], strict=False)
    )
    sizes, size = Counter(tokens), max(tokens) + 1
    table = [[pairs[c, d] for d in range(size)] for c in range(size)]
    return oracles.information(table, [sizes[c] for c in range(size)])


@pytest.mark.parametrize("weighting", ["flat", "harmonic", "linear"])
def test_mutual_information_is_equation_3(weighting):
    lines = zipf_lines()
    counts = firth.count(lines, window=3, weighting=weighting, context="positional", min_count=1)
    labels = np.arange(len(counts.words)) % 5
    label = dict(zip(counts.words, labels.tolist(), strict=True))
    assert mutual_information(labels, counts) == pytest.approx(equation_3(lines, label), abs=1e-12)


def test_levels_are_the_information_of_each_cut():
    counts = firth.count(zipf_lines(), **NEIGHBOURS)
    for method in (firth.clusters.BrownClusters, firth.clusters.SpectralClusters):
        settings = {} if method is firth.clusters.BrownClusters else {"neighbours": "LR1"}
        tree = method(clusters=12, **settings).fit(counts)
        levels = tree.levels(counts)
        by_hand = [tree.information(counts, clusters) for clusters in range(1, 13)]
        np.testing.assert_allclose(levels, by_hand, atol=1e-12)
        assert np.all(np.diff(levels) >= -1e-12)  # a union never adds information
        if method is firth.clusters.BrownClusters:
            np.testing.assert_allclose(-np.diff(levels[::-1]), tree.costs[-11:], atol=1e-12)


def test_words_that_a_tree_does_not_have_are_left_out():
    lines = zipf_lines()
    counts = firth.count(lines, **NEIGHBOURS)
    tree = firth.clusters.BrownClusters(clusters=4).fit(counts.top(20, 20))
    assert len(tree) == 20
    pairs = [(a, b) for line in lines for a, b in zip(line.split(), line.split()[1:], strict=False)]
    label = dict(zip(tree.words, tree.cut().tolist(), strict=True))
    found = Counter((label[a], label[b]) for a, b in pairs if a in label and b in label)
    sizes = Counter(label[w] for line in lines for w in line.split() if w in label)
    tokens = sum(len(line.split()) for line in lines)
    expected = sum(
        n / tokens * np.log(n * tokens / (sizes[c] * sizes[d])) for (c, d), n in found.items()
    )
    assert tree.information(counts) == pytest.approx(expected)


def test_levels_of_a_text_that_lacks_a_cluster():
    """Whichever cluster has no word in the text, the last one among them."""
    lines = zipf_lines()
    counts = firth.count(lines, **NEIGHBOURS)
    tree = firth.clusters.BrownClusters(clusters=8).fit(counts)
    for words in tree.members.values():
        left = [word for word in counts.words if word not in words]
        fewer = counts.select(left, left)
        levels = tree.levels(fewer)
        by_hand = [tree.information(fewer, clusters) for clusters in range(1, 9)]
        np.testing.assert_allclose(levels, by_hand, atol=1e-12)


@pytest.mark.parametrize("settings", [{"window": 1, "context": "right"}, {"window": 1}, {}])
def test_information_keeps_to_its_memory_with_a_cluster_for_each_word(settings):
    lines = [
        " ".join(map(str, line))
        for line in np.minimum(np.random.default_rng(0).zipf(1.15, (6000, 30)), 9000).tolist()
    ]
    given = {"window": 2, "context": "positional", "weighting": "flat", "min_count": 1}
    counts = firth.count(lines, **{**given, **settings})
    labels = np.arange(len(counts.words))
    mutual_information(labels % 2, counts)  # what is imported is not counted
    tracemalloc.start()
    try:
        mutual_information(labels, counts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert memory(counts) / 3 < peak < memory(counts)


# --- new words ----------------------------------------------------------------------------------


def test_new_words_go_where_they_lose_least():
    """Against trying every cluster, and summing equation 3 over the clusters and the word."""
    lines = zipf_lines(1)
    counts = firth.count(lines, **NEIGHBOURS)
    tree = firth.clusters.BrownClusters(clusters=5).fit(counts.top(15, 15))
    found = tree.assign(counts)
    assert [*found] == [word for word in counts.words if word not in tree]
    paths = sorted({*tree.bits})
    label = {word: paths.index(path) for word, path in tree.paths().items()}
    for word in [*found][::3]:
        kept = []
        for cluster in range(len(paths)):
            labels = np.array([label.get(w, -1) for w in counts.words])
            labels[counts.words[word]] = cluster
            kept.append(mutual_information(labels, counts))
        assert kept[paths.index(found[word])] == pytest.approx(max(kept), abs=1e-12)


def test_words_that_cannot_be_assigned():
    counts = firth.count(["a b a b c a", "d", "e f"], **NEIGHBOURS)
    tree = firth.clusters.BrownClusters(clusters=2).fit(counts.select([*"abc"], [*"abc"]))
    assert tree.assign(counts, ["a"]) == {"a": tree.path("a")}
    assert tree.assign(counts) == {}  # d, e and f are never near
    both = firth.count(["a b a b c a", "d", "b g"], **NEIGHBOURS)
    assert [*tree.assign(both)] == ["g"]
    with pytest.raises(FirthError, match="'d' never occurs next to a word of the tree"):
        tree.assign(counts, ["d"])
    with pytest.raises(FirthError, match="'zebra' is not a word of these counts"):
        tree.assign(counts, ["zebra"])
