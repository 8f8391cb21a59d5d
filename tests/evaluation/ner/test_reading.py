"""Files of tagged sentences: what is read, and what is refused with file and line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import CorpusError, FirthError
from firth.evaluation.ner import Sentence, read_conll

PLAIN = [Sentence(("Ada", "sleeps"), ("B-person", "O")), Sentence(("Milan",), ("B-place",))]


@pytest.mark.parametrize(
    "text",
    [
        "Ada\tB-person\nsleeps\tO\n\nMilan\tB-place\n",
        "Ada\tB-person\nsleeps\tO\n\nMilan\tB-place",
        "\n\nAda\tB-person\nsleeps\tO\n\t\n \n\nMilan\tB-place\n\n\n",
        "Ada\tB-person\r\nsleeps\tO\r\n\r\nMilan\tB-place\r\n",
        "\ufeffAda\tB-person\nsleeps\tO\n\nMilan\tB-place\n",
        "Ada B-person\nsleeps   O\n\nMilan B-place \n",
        "Ada NNP B-NP B-person\nsleeps VBZ O O\n\nMilan NNP B-NP B-place\n",
        "-DOCSTART- -X- O\n\nAda N B-person\nsleeps V O\n-DOCSTART- -X- O\nMilan N B-place\n",
        "-DOCSTART-\nAda B-person\nsleeps O\n\n-DOCSTART-\n\nMilan B-place\n",
    ],
)
def test_columns_blank_lines_line_ends_marks_and_documents(write, text):
    assert read_conll(write(text)) == PLAIN


def test_other_columns_can_be_named(write):
    path = write("1\tAda\tB-person\tx\n2\tsleeps\tO\ty\n\n1\tMilan\tB-place\tx\n")
    assert read_conll(path, word=1, tag=2) == read_conll(path, word=1, tag=-2) == PLAIN


def test_a_word_may_hold_spaces_of_other_kinds(write):
    odd = "a\u00a0b\u2028c\x0bd"
    assert read_conll(write(f"{odd} O\n{odd}\tO\n")) == [Sentence((odd, odd), ("O", "O"))]
    assert read_conll(write("New York\tB-place\n")) == [Sentence(("New York",), ("B-place",))]


def test_i_after_o_begins_an_entity_unless_a_scheme_is_named(write):
    path = write("in\tO\nMilan\tI-place\n")
    assert read_conll(path)[0].tags == read_conll(path, scheme="IOB1")[0].tags == ("O", "I-place")
    for scheme in ("IOB2", "BIOES"):
        with pytest.raises(CorpusError, match=f"line 2: 'I-place' is not valid here in {scheme}"):
            read_conll(path, scheme=scheme)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no sentences"),
        ("\n \n\t\n", "holds no sentences"),
        ("-DOCSTART- O\n\n", "holds no sentences"),
        ("Ada\nsleeps\n", "line 1: 'Ada' has no tag: a line is a word, a tab and a tag"),
        ("Ada\tO\n\nMilan\n", "line 3: 1 columns where 2 came before"),
        ("Ada\tO\nMilan\tN\tO\n", "line 2: 3 columns where 2 came before"),
        ("Ada\tO\nMilan\t\n", "line 2: '' is not a tag"),
        ("Ada\tO\n\tO\n", "line 2: there is no word before the tab"),
        ("Ada\tperson\n", "line 1: 'person' is not a tag: tags are O, B-type"),
        ("Ada\tX-person\n", "line 1: 'X-person' is not a tag"),
        (b"Ada\tO\n\xff\tO\n", "not UTF-8 at byte 6"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(write, text, message):
    path = write(text, "names.conll")
    with pytest.raises(CorpusError) as caught:
        read_conll(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_columns_and_schemes_that_are_not_there(write, tmp_path):
    with pytest.raises(CorpusError, match="cannot be read: No such file"):
        read_conll(tmp_path / "none")
    with pytest.raises(CorpusError, match="cannot be read: Is a directory"):
        read_conll(tmp_path)
    with pytest.raises(CorpusError, match="line 1: there is no column 2 among 2"):
        read_conll(write("Ada O\n"), tag=2)
    with pytest.raises(FirthError, match=r"scheme must be one of .*, not 'IO'"):
        read_conll(write("Ada O\n"), scheme="IO")
    with pytest.raises(CorpusError, match="2 words have 1 tags"):
        Sentence(("a", "b"), ("O",))


WORDS = st.text(
    st.characters(blacklist_characters="\t\n\r ", blacklist_categories=["Cs"]), min_size=1
)


@given(
    st.lists(
        st.lists(st.tuples(WORDS, st.sampled_from(["O", "B-a", "I-a"])), min_size=1), min_size=1
    )
)
def test_what_is_written_is_read(tmp_path_factory, sentences):
    blocks = ["".join(f"{word}\t{tag}\n" for word, tag in tokens) for tokens in sentences]
    path = tmp_path_factory.mktemp("conll") / "file"
    path.write_bytes(("\n" + "\n".join(blocks)).encode())
    expected = [
        Sentence(tuple(word for word, _ in tokens), tuple(tag for _, tag in tokens))
        for tokens in sentences
        if not any(word.startswith("-DOCSTART-") for word, _ in tokens)
    ]
    if len(expected) == len(sentences):
        assert read_conll(path) == expected


@given(st.binary(max_size=60))
def test_any_bytes_give_sentences_or_one_line(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(content)
    try:
        assert read_conll(path)
    except CorpusError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)


def test_the_sentences_of_wnut_are_all_read(wnut):
    sizes = {"train": (3394, 62730), "dev": (1009, 15733), "test": (1287, 23394)}
    for name, (count, tokens) in sizes.items():
        sentences = read_conll(wnut / f"{name}.conll", scheme="IOB2")
        assert len(sentences) == count
        assert sum(len(sentence.words) for sentence in sentences) == tokens
