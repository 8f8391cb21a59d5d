"""Counts of bitexts, dependencies and lexicons: what is counted, and what is refused where."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.counts.bitext import bitext, columns_of, files_of
from firth.counts.conllu import Word, sentences
from firth.counts.dependencies import STANFORD, dependencies
from firth.counts.lexicon import groups_of, lexicon
from firth.counts.pairs import PairCounts
from firth.counts.views import offsets
from firth.errors import CorpusError, FirthError
from firth.space.neighbour_counts import neighbour_counts
from firth.space.space import Space
from firth.text.lines import numbered_lines
from firth.text.vocabulary import Vocabulary

# --- pairs and lines ----------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz")), min_size=1))
def test_pairs_add_up_in_any_portions(pairs):
    whole = PairCounts()
    portions = PairCounts()
    for number, (word, context) in enumerate(pairs):
        whole.add(word, context)
        portions.add(word, context)
        if number % 3 == 0:
            portions._add_up()
    found = whole.counts()
    assert portions.counts().equals(found)
    for word in {word for word, _ in pairs}:
        expected = {c: pairs.count((word, c)) for w, c in pairs if w == word}
        assert dict(found.row(word)) == expected


def test_rare_words_and_contexts_of_pairs_are_left_out():
    pairs = PairCounts()
    for word, context in [("a", "x"), ("a", "x"), ("b", "x"), ("a", "y")]:
        pairs.add(word, context)
    assert pairs.counts(min_count=2).row("a") == [("x", 2)]
    with pytest.raises(FirthError, match="no pair of words and contexts is left of 4"):
        pairs.counts(min_count=4)


def test_lines_of_compressed_files_are_the_same(tmp_path):
    text = "caf\u00e9\r\n\nlast"
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(("\ufeff" + text).encode())
    packed.write_bytes(gzip.compress(text.encode()))
    expected = [(1, "caf\u00e9"), (2, ""), (3, "last")]
    assert list(numbered_lines(plain)) == list(numbered_lines(packed)) == expected
    plain.write_bytes(b"fine\nbad \xff\n")
    with pytest.raises(CorpusError, match=r"a\.txt:2: not UTF-8"):
        list(numbered_lines(plain))
    packed.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(CorpusError, match=r"a\.txt\.gz"):
        list(numbered_lines(packed))
    for path, message in ((tmp_path, "is a folder"), (tmp_path / "no", "no")):
        with pytest.raises(CorpusError, match=message):
            list(numbered_lines(path))


# --- bitext -------------------------------------------------------------------------------------


def test_aligned_words_are_counted(write):
    path = write("The red cat\tLe chat rouge\t0-0 1-2 2-1\nthe cat\tle chat\t0-0 1-1 1-0\n")
    counts = bitext(columns_of(path))
    assert counts.row("cat") == [("le", 1), ("chat", 2)]
    assert counts.row("the") == [("le", 2)]
    assert "The" in bitext(columns_of(path), lower=False).words
    separate = [
        write("The red cat\nthe cat\n", "en"),
        write("Le chat rouge\nle chat\n", "fr"),
        write("0-0 1-2 2-1\n0-0 1-1 1-0\n", "links"),
    ]
    assert bitext(files_of(*separate)).equals(counts)
    shorter = write("Le chat rouge\n", "fr")
    with pytest.raises(CorpusError, match=r"fr: has fewer lines than .*en"):
        bitext(files_of(separate[0], shorter, separate[2]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a b\tc\t2-0", "the link 2-0 names word 2 of a sentence of 2 words"),
        ("a b\tc\t0-1", "the link 0-1 names word 1 of a translation of 1 words"),
        ("a\tb\t0:0", "'0:0' is not a link of two places"),
        ("a\tb\t0-", "'0-' is not a link"),
        ("a\tb\t-1-0", "'-1-0' is not a link"),
        ("a\tb\t\u0661-0", "is not a link"),
        ("a\tb\t" + "9" * 5000 + "-0", "is not a link"),
        ("a\tb", "2 columns where"),
    ],
)
def test_links_are_checked_against_the_sentences(write, line, message):
    path = write(f"a\tb\t0-0\n{line}\n")
    with pytest.raises(CorpusError, match=message) as raised:
        bitext(columns_of(path))
    assert ":2: " in str(raised.value)


# --- dependencies -------------------------------------------------------------------------------

TREE = """\
# sent_id = 1
1	Cats	cat	NOUN	NNS	_	4	nsubj	4:nsubj	_
2	of	of	ADP	IN	_	3	case	3:case	_
3	Rome	Rome	PROPN	NNP	_	1	nmod	1:nmod:of	_
4	eat	eat	VERB	VBP	_	0	root	0:root	_
5-6	fishand	_	_	_	_	_	_	_	_
5	fish	fish	NOUN	NN	_	4	obj	4:obj	_
6	and	and	CCONJ	CC	_	7	cc	7:cc	_
7	mice	mouse	NOUN	NNS	_	5	conj	4:obj|5:conj:and	_
7.1	eat	eat	VERB	VBP	_	_	_	0:exroot	_
"""


def test_relations_are_views_of_words_and_governors(write):
    parsed = list(sentences(write(TREE, "tree.conllu")))
    assert len(parsed) == 1
    assert parsed[0][4] == Word("fish", 4, "obj", ((4, "obj"),))
    views = dependencies(parsed)
    found = {name: {w: counts.row(w) for w in counts.words} for name, counts in views.items()}
    assert found == {
        "nsubj": {"cats": [("eat", 1)]},
        "prep_of": {"rome": [("cats", 1)]},
        "pobj": {"rome": [("of", 1)]},
        "dobj": {"fish": [("eat", 1)], "mice": [("eat", 1)]},
        "conj_and": {"mice": [("fish", 1)]},
    }
    basic = dependencies(parsed, relations="universal", lower=False)
    assert basic["obj"].row("fish") == [("eat", 1)]
    assert basic["nmod"].row("Rome") == [("Cats", 1)]
    assert "root" not in basic


def test_without_enhanced_relations_prepositions_come_from_the_words(write):
    plain = "\n".join(
        "\t".join([*line.split("\t")[:8], "_", "_"]) if "\t" in line else line
        for line in TREE.splitlines()
    )
    views = dependencies(sentences(write(plain + "\n", "plain.conllu")))
    assert views["prep_of"].row("rome") == [("cats", 1)]
    assert views["conj_and"].row("mice") == [("fish", 1)]
    assert views["dobj"].words.words == ("fish",)  # what only the enhanced relations say


def test_there_are_the_21_relations_of_the_paper():
    named = "nsubj amod advmod rcmod dobj prep_of prep_in prep_to prep_on prep_for prep_with "
    named += "prep_from prep_at prep_by prep_as prep_between xsubj agent conj_and conj_but pobj"
    assert {*STANFORD, "pobj"} == {*named.split()}
    assert len(named.split()) == 21


def row(number, head, relation="dep", enhanced="_"):
    return f"{number}\tw{number}\t_\t_\t_\t_\t{head}\t{relation}\t{enhanced}\t_"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([row(1, 0).replace("\t", " ", 1)], "bad:1: structure: 9 columns where 10"),
        ([row(1, 0).replace("w1", "")], "bad:1: structure: column 2 is empty"),
        ([row(1, 0).replace("w1", "\u00a0")], "bad:1: structure: column 2 is empty"),
        ([row(1, "9" * 5000)], "bad:1: head: '9+ is not the number of a word"),
        ([row(1, 0, "root", "9" * 5000 + ":x")], "bad:1: enhanced dependencies: '9+ is not a"),
        ([row(1, 0), row(3, 1)], "bad:2: number: '3' where word 2 was expected"),
        ([row(1, 0), row("2-1", 1)], "bad:2: number: the tokens 2-1 do not follow word 1"),
        ([row(1, 0), row("0.1", 1)], "bad:2: number: the node 0.1 does not follow word 1"),
        ([row(1, "x")], "bad:1: head: 'x' is not the number of a word"),
        ([row(1, 0), row(2, 7)], "bad:1: head: word 2 has the head 7 in a sentence of 2 words"),
        ([row(1, 0, "_")], "bad:1: relation: word 1 has none"),
        ([row(1, 0, "root", "x:y")], "bad:1: enhanced dependencies: 'x:y' is not a head"),
        ([row(1, 0), row(2, 0)], "bad:1: root: the sentence that begins here has 2 roots"),
        ([row(1, 2), row(2, 1)], "bad:1: root: the sentence that begins here has 0 roots"),
        ([row(1, 0), row(2, 3), row(3, 2)], "bad:1: head: the heads .* form a circle at word [23]"),
        ([row(1, 0), "# late", row(2, 1)], "bad:2: structure: a comment inside a sentence"),
    ],
)
def test_malformed_sentences_are_refused_by_line_and_kind(write, lines, message):
    with pytest.raises(CorpusError, match=message):
        list(sentences(write("\n".join(lines) + "\n", "bad")))


def test_a_relation_with_a_word_that_cannot_be_counted_is_not_left_out_silently():
    blank = [Word(" ", 2, "nsubj"), Word("sleep", 0, "root"), Word("well", 2, "advmod")]
    with pytest.raises(FirthError, match="is blank"):
        dependencies([blank])


def test_dependencies_without_any_of_the_relations_are_an_error(write):
    only = [row(1, 0, "root"), row(2, 1, "punct")]
    parsed = list(sentences(write("\n".join(only) + "\n\n", "few")))
    with pytest.raises(FirthError, match="no word has a governor by these relations"):
        dependencies(parsed)
    with pytest.raises(FirthError, match="relations must be stanford or universal"):
        dependencies(parsed, relations="other")


# --- lexicon ------------------------------------------------------------------------------------


def test_words_are_in_groups_named_by_their_first_word(write):
    path = write("Fawn crawl\n\nsprinkle spray spray\nfawn deer\ncrawl creep\n")
    counts = lexicon(groups_of(path))
    assert counts.row("crawl") == [("fawn", 1), ("crawl", 1)]
    assert counts.row("deer") == [("fawn", 1)]
    assert counts.row("spray") == [("sprinkle", 1)]
    assert int(counts.values.max()) == 1


def test_families_of_catvar_are_read(write):
    path = write("absorb_V%7#absorber_N%2#a-b_N%1\nzoo_N%1\n")
    assert list(groups_of(path, "catvar")) == [["absorb", "absorber", "a-b"], ["zoo"]]
    bad = write("absorb_V%7\nabsorb\n", "bad")
    with pytest.raises(CorpusError, match="bad:2: not a family of CatVar"):
        list(groups_of(bad, "catvar"))


# --- neighbours and offsets ---------------------------------------------------------------------


def test_neighbours_of_a_space_are_its_nearest_by_cosine():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((40, 5)).astype(np.float32)
    vectors[7] = 0
    space = Space(Vocabulary([f"w{i}" for i in range(40)], range(40, 0, -1)), vectors)
    counts = neighbour_counts(space, 6)
    for word in ("w0", "w33"):
        expected = [(n, s) for n, s in space.most_similar(word, topn=6) if s > 0]
        assert {n for n, _ in counts.row(word)} == {n for n, _ in expected}
        assert dict(counts.row(word)) == pytest.approx(dict(expected), abs=6e-4)
    assert counts.row("w7") == []


def test_the_neighbours_do_not_depend_on_how_many_words_are_compared_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((40, 5)).astype(np.float32)
    space = Space(Vocabulary([f"w{i}" for i in range(40)]), vectors)
    whole = neighbour_counts(space, 6)
    monkeypatch.setattr("firth.space.neighbour_counts._CELLS", 7 * 40)
    assert neighbour_counts(space, 6).equals(whole)


def test_a_space_of_one_word_has_no_neighbours():
    with pytest.raises(FirthError, match="no two words of the space have a positive cosine"):
        neighbour_counts(Space(Vocabulary(["a"]), np.ones((1, 2), dtype=np.float32)))


def test_some_offsets_of_positional_counts():
    lines = ["a b c d e", "b a d c e"] * 2
    both = firth.count(lines, window=2, context="positional", min_count=1)
    before = offsets(both, [-2, -1])
    assert before.offsets == (-2, -1)
    for offset in before.offsets:
        assert before.block(offset).equals(both.block(offset))
    with pytest.raises(FirthError, match="there is no block at offset 3"):
        offsets(both, [3])
