"""The files tests come in: every layout, odd bytes, and what is refused by name and line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.evaluation.analogy import Question
from firth.evaluation.lines import DatasetError
from firth.evaluation.parsing import PARSERS
from firth.evaluation.synonyms import Choice


def parse(layout, *paths):
    return PARSERS[layout](list(paths))


PAIRS = (("new york", "city", 7.5), ("love", "sex", 6.77))


@pytest.mark.parametrize(
    "text",
    [
        "new york\tcity\t7.5\nlove\tsex\t6.77\n",
        "new york\tcity\t7.5\r\nlove\tsex\t6.77\r\n",
        "new york\tcity\t7.5\rlove\tsex\t6.77",
        "\ufeffnew york\tcity\t7.5\nlove\tsex\t6.77\n",
        "\ufeffWord 1,Word 2,Human (mean)\r\nnew york,city,7.5\r\nlove,sex,6.77\r\n",
        "Word 1\tWord 2\tHuman (mean)\nnew york\tcity\t7.5\nlove\tsex\t6.77\n",
        '"new york","city",7.5\nlove,sex,6.77\n',
        "new york;city;7.5\nlove;sex;6.77\n",
        "# a comment\n\nnew york\t city\t7.50\t1\t2\n\nlove\tsex\t 6.77\t3\t4\n\n",
    ],
)
def test_pairs_in_every_dress(write, text):
    assert parse("pairs", write(text)) == PAIRS


def test_pairs_with_white_space_between(write):
    assert parse("pairs", write("sun sunlight 50.000000\nriver  water 49\n")) == (
        ("sun", "sunlight", 50.0),
        ("river", "water", 49.0),
    )


def test_layouts_of_the_original_archives(write):
    simlex = "word1\tword2\tPOS\tSimLex999\tconc(w1)\nold\tnew\tA\t1.58\t2.72\n"
    assert parse("pairs, score in column 4", write(simlex)) == (("old", "new", 1.58),)
    simverb = "take\tremove\tV\t6.81\tSYNONYMS\n"
    assert parse("pairs, score in column 4", write(simverb)) == (("take", "remove", 6.81),)
    verbs = "go move 1 2 3 4 5 6 7 8 9 10 5.5\n"
    assert parse("pairs, score in column 13", write(verbs)) == (("go", "move", 5.5),)
    scws = "1\tBrazil\tn\tnut\tn\tin <b>Brazil</b> ...\ta <b>nut</b>\t1.1\t0\t1\n"
    layout = "pairs in columns 2 and 4, score in column 8"
    assert parse(layout, write(scws)) == (("Brazil", "nut", 1.1),)
    men = "sun-n sunlight-n 50.0\nwalk-v up-to-date-j 3\n"
    assert parse("tagged pairs", write(men)) == (
        ("sun", "sunlight", 50.0), ("walk", "up-to-date", 3.0)
    )  # fmt: skip
    data, gold = write("Harry Potter\tHogwarts\nsun\tmoon\n", "d"), write("3.5\n2\n", "g")
    assert parse("pairs and scores", data, gold) == (
        ("Harry Potter", "Hogwarts", 3.5), ("sun", "moon", 2.0)
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        ",word1,word2,similarity\n0,new york,city,7.5\n1,love,sex,6.77\n",
        "id\tscore\tword2\tword1\n0\t7.5\tcity\tnew york\n1\t6.77\tsex\tlove\n",
    ],
)
def test_a_header_says_where_words_and_scores_stand(write, text):
    assert parse("pairs", write(text)) == PAIRS


def test_bytes_that_nobody_reads_need_not_be_text(write):
    layout = "pairs in columns 2 and 4, score in column 8"
    line = b"1\tBrazil\tn\tnut\tn\tcaf\xe9 <b>Brazil</b>\ta <b>nut</b>\t1.1\t0\n"
    assert parse(layout, write(line)) == (("Brazil", "nut", 1.1),)
    with pytest.raises(DatasetError, match=r"text.txt:1: not UTF-8"):
        parse(layout, write(line.replace(b"nut\tn", b"n\xfct\tn")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text.txt: empty"),
        ("\n \n# only a comment\n", "text.txt: empty"),
        ("\ufeff", "text.txt: empty"),
        ("word1\tword2\tscore\n", "a header but no pairs"),
        ("a\tb\t1\nc\td\thigh\n", "text.txt:2: 'high' is not a score"),
        ("a\tb\t1\nc\td\tnan\n", "text.txt:2: 'nan' is not a score"),
        ("a\tb\tnan\nc\td\t1\n", "text.txt:1: 'nan' is not a score"),
        ("a\tb\t1\nc\td\tinf\n", "text.txt:2: 'inf' is not a score"),
        ("a\tb\t1\n\nc\td\n", "text.txt:3: 1 fields where 3 are needed|text.txt:3: 2 fields"),
        ("a\t\t1\nc\td\t2\n", "text.txt:1: a word is missing"),
        (b"a\tb\t1\nc\t\xff\t2\n", "text.txt:2: not UTF-8"),
    ],
)
def test_what_is_no_file_of_pairs(write, text, message):
    with pytest.raises(DatasetError, match=message):
        parse("pairs", write(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DatasetError, match=r"no\.tsv: No such file"):
        parse("pairs", tmp_path / "no.tsv")
    with pytest.raises(DatasetError, match="Is a directory"):
        parse("pairs", tmp_path)


def test_analogies_in_sections(write):
    text = "\ufeff: capitals\r\nAthens Greece Bern Switzerland\r\n: family\r\nboy girl he she"
    assert parse("sections", write(text)) == (
        Question("Athens", "Greece", "Bern", ("Switzerland",), "capitals"),
        Question("boy", "girl", "he", ("she",), "family"),
    )
    assert parse("sections", write("a b c d\n")) == (Question("a", "b", "c", ("d",), ""),)
    with pytest.raises(DatasetError, match=r"text.txt:2: 3 words where a question has four"):
        parse("sections", write(": s\na b c\n"))
    with pytest.raises(DatasetError, match="sections but no questions"):
        parse("sections", write(": s\n"))


def test_analogies_with_their_category(write):
    expected = (Question("good", "better", "rough", ("rougher",), "JJ_JJR"),)
    assert parse("labelled questions", write("JJ_JJR\tgood\tbetter\trough\trougher\n")) == expected
    assert parse("labelled questions", write("good better rough JJ_JJR rougher\n")) == expected
    numbered = ",type,word1,word2,word3,target\n0,JJ_JJR,good,better,rough,rougher\n"
    assert parse("labelled questions", write(numbered)) == expected
    questions, answers = write("good better rough\n", "q"), write("JJ_JJR rougher\n", "a")
    assert parse("questions and answers", questions, answers) == expected
    with pytest.raises(DatasetError, match=r"text.txt:1: 4 fields where a category"):
        parse("labelled questions", write("a b c d\n"))
    with pytest.raises(DatasetError, match="2 answers to the 1 questions of q"):
        parse("questions and answers", questions, write("A b\nA c\n", "two"))
    with pytest.raises(DatasetError, match=":1: 2 words where a question has three"):
        parse("questions and answers", write("a b\n", "q2"), answers)
    with pytest.raises(DatasetError, match=":1: not a category and an answer"):
        parse("questions and answers", questions, write("b\n", "a2"))


def test_bats_makes_every_pair_of_lines_a_question_both_ways(tmp_path):
    folder = tmp_path / "BATS_3.0" / "1_Inflectional_morphology"
    folder.mkdir(parents=True)
    (folder / "I01 [noun - plural_reg].txt").write_text("album\talbums\napp\tapps/applications\n")
    found = parse("bats", tmp_path / "BATS_3.0")
    section = "I01 [noun - plural_reg]"
    assert found == (
        Question("album", "albums", "app", ("apps", "applications"), section),
        Question("app", "apps", "album", ("albums",), section),
    )
    (folder / "I02.txt").write_text("lonely\n")
    with pytest.raises(DatasetError, match=r"I02.txt:1: a word without its answers"):
        parse("bats", tmp_path / "BATS_3.0")
    with pytest.raises(DatasetError, match="no files of BATS"):
        (tmp_path / "empty").mkdir()
        parse("bats", tmp_path / "empty")


ANSWERS = (
    "1\t(a,a,-)\t1\tc\n2\t(a,a,-)\t2\ta\n",
    "1 c\n2 a\n",
    "1.\tc\n2.\ta\n",
    "1 - c\n2 - a\n",
    "1 (C)\n2) A\n",
)


@pytest.mark.parametrize("answers", ANSWERS)
def test_synonyms_numbered(write, answers):
    questions = (
        "1. enormously\na. appropriately\nb. uniquely\nc. tremendously\nd. decidedly\n\n"
        "2. provisions\na. stipulations\nb. interrelations\nc. jurisdictions\nd. views\n"
    )
    found = parse("numbered choices", write(questions, "q"), write(answers, "a"))
    assert found == (
        Choice("enormously", ("tremendously", "appropriately", "uniquely", "decidedly")),
        Choice("provisions", ("stipulations", "interrelations", "jurisdictions", "views")),
    )  # fmt: skip


def test_synonyms_in_lines(write):
    expected = (Choice("rusty", ("corroded", "black", "dirty")),)
    assert parse("choices", write("rusty | corroded | black | dirty\n")) == expected
    assert parse("choices", write("rusty\tcorroded\tblack\tdirty\n")) == expected
    assert parse("choices", write("rusty corroded black dirty\n")) == expected
    with pytest.raises(DatasetError, match=":1: not a word, the right choice"):
        parse("choices", write("rusty corroded\n"))


@pytest.mark.parametrize(
    ("questions", "answers", "message"),
    [
        ("one\n", "1 a\n", "q:1: neither"),
        ("1. one\na. x\nb. y\n", "none\n", "a:1: not the number"),
        ("1. one\na. x\nb. y\n", "1 d\n", "question 1 has no choice 'd'"),
        ("1. one\na. x\nb. y\n", "2 a\n", "question 2 has no choice"),
        ("1. one\na. x\nb. y\n2. two\na. x\nb. y\n", "1 a\n", "no answer to question 2"),
    ],
)
def test_synonyms_that_do_not_fit(write, questions, answers, message):
    with pytest.raises(DatasetError, match=message):
        parse("numbered choices", write(questions, "q"), write(answers, "a"))


def test_members_of_classes(write, tmp_path):
    expected = (("owl", "bird"), ("oak", "tree"))
    assert parse("members", write("owl\tbird\noak\ttree\nowl\tbird\n")) == expected
    assert parse("members", write("class,word\nbird,owl\ntree,oak\n")) == expected
    assert parse("members", write("concept category\nowl-n bird\noak-n tree\n")) == expected
    ended = ",category,word\n0,bird,owl\n1,bird,\n2,tree,oak\n3,tree,\n"
    assert parse("members", write(ended)) == expected
    with pytest.raises(DatasetError, match=r"text.txt:3: not a word and its class"):
        parse("members", write("category,word\nbird,owl\nbird,\ntree,oak\n"))
    assert parse("bless", write("owl-n\tbird\tattri\tnocturnal-j\nowl-n\tbird\tcoord\tjay-n\n"
                                "oak-n\ttree\tmero\tleaf-n\n")) == expected  # fmt: skip
    folder = tmp_path / "EN-AP"
    folder.mkdir()
    (folder / "bird.txt").write_text("owl\n")
    (folder / "tree.txt").write_text("oak 12\n")
    for name in ("README", "Readme.txt", ".hidden"):
        (folder / name).write_text("what this is\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref\n")
    assert parse("members", folder) == expected
    (folder / "bird.txt").write_text("word,freq,rank\nowl,12,1\nbarn owl,3,2\n")
    assert parse("members", folder) == (("owl", "bird"), ("barn owl", "bird"), ("oak", "tree"))
    (folder / "bird.txt").write_text("word,freq\nowl,12\n,3\n")
    with pytest.raises(DatasetError, match=r"bird.txt:3: a word is missing"):
        parse("members", folder)
    with pytest.raises(DatasetError, match="fewer than two classes"):
        parse("members", write("owl\tbird\n"))
    with pytest.raises(DatasetError, match=":2: not a word and its class"):
        parse("members", write("owl\tbird\noak\n"))
    with pytest.raises(DatasetError, match=":1: not a concept and its class"):
        parse("bless", write("owl-n\n"))


@pytest.mark.parametrize("layout", [name for name in PARSERS if name not in ("bats",)])
@given(st.data())
def test_any_bytes_give_items_or_one_line(tmp_path_factory, layout, data):
    alphabet = st.sampled_from(["a", "1", ".", "\t", " ", "\n", "\r", ",", ";", "|", ":", "é", "-n",
                                "nan", "#", '"', "\ufeff", "\0"])  # fmt: skip
    texts = [
        data.draw(st.one_of(st.binary(max_size=40), st.lists(alphabet, max_size=30).map("".join)))
        for _ in range(2)
    ]
    folder = tmp_path_factory.mktemp("any")
    paths = []
    for number, text in enumerate(texts):
        path = folder / str(number)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(path)
    two = layout in ("pairs and scores", "questions and answers", "numbered choices")
    try:
        items = parse(layout, *(paths if two else paths[:1]))
    except DatasetError as error:
        assert re.match(re.escape(str(folder)), str(error))
        assert "\n" not in str(error)
    else:
        assert items
