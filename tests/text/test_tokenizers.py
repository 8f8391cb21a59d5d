"""The tokenizers equal their twins on any bytes, and normalisation equals Python's."""

import unicodedata
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests import oracles

import firth
from firth import _core
from firth.errors import FirthError
from firth.text.tokenizers import Tokenizer

SAME_UNICODE = unicodedata.unidata_version == _core.UNICODE_VERSION


def known(char):
    """Whether both tables can know a character: Unicode 3.2 is in all of them."""
    return SAME_UNICODE or unicodedata.ucd_3_2_0.category(char) != "Cn"


def fair(text):
    assume(all(map(known, text)))
    return text


# Every kind of character that a rule names, from many scripts, with what stands at rules' edges.
SCRIPTS = (
    "aZß09 ÉéİıſK ΣςσΩ Жж אִ بِّ کِ नमस्ते हिन्दी ไทย 한국 한 日本語 ﬁ ǅ ŉ ΐ ᾳ 𐐀𐐨 ²Ⅷ٣ _#@.,;:!?()"
    "\u0301\u0308\u0345\u0323 '-\u2019\u2010\u2011\u200c\u200d\u00ad \t\r\v\f\x1c\x1f\x85\xa0\u1680"
    "\u2003\u2028\u2029\u202f\u205f\u3000\u180e\u200b\ufeff\ufffd\ufffe\0\n"
)
SCRIPTS_TEXT = st.text(alphabet=SCRIPTS, max_size=40)
JOINED = st.text(alphabet="ab1é'-\u2019\u00ad\u200d\u0301 .\n", max_size=30)
ANY_TEXT = st.one_of(SCRIPTS_TEXT, JOINED, st.text(max_size=30)).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)
# Whole and broken characters, with leads and tails of every length, and forms that are forbidden.
BYTES = b"aZ \n'-\0\xc3\xa9\xe2\x80\x99\xed\xa0\xf0\x9f\x98\xf4\x90\xff\xc0\xaf"
FRAGMENTS = [*(bytes([byte]) for byte in BYTES), b"\xef\xbf\xbd", b"\xcc\x81", b"\xc2\xad"]
BROKEN = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(b"".join)
TEXTS = st.one_of(ANY_TEXT, BROKEN, st.binary(max_size=30))


def tokenize(data, tokenizer, lower, last=True):
    """Run the kernel, and read its ids as lines of tokens."""
    ids, text, ends, counts, seen = _core.tokenize(data, tokenizer, lower, last)
    arena = text.tobytes()
    types = [arena[a:b].decode() for a, b in pairwise([0, *ends.tolist()])]
    tokens = [None if i == 0 else types[i - 1] for i in ids.tolist()]
    lines, line = [], []
    for token in tokens:
        if token is None:
            lines.append(line)
            line = []
        else:
            line.append(token)
    stream = [token for token in tokens if token is not None]
    assert len(set(types)) == len(types)
    assert dict(zip(types, counts.tolist(), strict=True)) == Counter(stream)
    assert seen["tokens"] == len(stream)
    return lines, line, seen, ids.tolist()


@given(TEXTS, st.sampled_from(["words", "whitespace"]), st.booleans())
@settings(max_examples=600)
@example(b"don't-stop 'quoted' a--b rock\xe2\x80\x99n\xe2\x80\x99roll", "words", True)
@example("co\u00adoperate co\u00ad operate \u00ad x\u00ad".encode(), "words", True)
@example("ΐ ΰ ᾳ ŉ İ ı ẞ ﬃ".encode(), "words", True)
@example(b"\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf \xe2\x82", "whitespace", True)
def test_tokens_equal_the_twin(data, tokenizer, lower):
    fair(oracles.decode(data))
    lines, rest, seen, ids = tokenize(data, tokenizer, lower)
    expected = oracles.tokenize(data, tokenizer, lower)
    assert rest == []
    assert [line for line in lines if line] == [line for line in expected if line]
    assert seen["lines"] == len(expected)
    assert seen["nul"] == data.count(0)
    assert seen["invalid"] == oracles.malformed(data)
    assert all(ids[i] or ids[i + 1] for i in range(len(ids) - 1)), "empty lines leave nothing"


@given(TEXTS)
def test_the_first_malformed_byte_is_where_python_finds_it(data):
    try:
        data.decode()
        first = -1
    except UnicodeDecodeError as error:
        first = error.start
    for tokenizer in ("words", "whitespace"):
        assert _core.tokenize(data, tokenizer, True, True)[4]["first_invalid"] == first
    assert _core.malformed(data) == (oracles.malformed(data), first)


@given(st.lists(SCRIPTS_TEXT, max_size=5), st.sampled_from(["words", "whitespace"]))
def test_a_text_cut_at_spaces_gives_the_tokens_of_the_whole(texts, tokenizer):
    """Pieces end at white space; a line that goes on is left open."""
    pieces = [(text + " ").encode() for text in texts]
    open_line, whole = [], []
    for piece in pieces:
        lines, rest, _, _ = tokenize(piece, tokenizer, True, last=False)
        for line in lines:
            whole.append(open_line + line)
            open_line = []
        open_line += rest
    whole.append(open_line)
    lines, _, _, _ = tokenize(b"".join(pieces), tokenizer, True)
    assert [line for line in whole if line] == [line for line in lines if line]


READY = st.text(min_size=1, max_size=6).filter(lambda token: token.isprintable() or token.strip())


@given(st.lists(st.lists(READY, max_size=5), max_size=5), st.booleans())
def test_ready_tokens_are_taken_as_they_are(lines, lower):
    fair("".join(token for line in lines for token in line))
    data = b"".join(b"".join(t.encode() + b"\xff" for t in line) + b"\xfe" for line in lines)
    found, rest, seen, _ = tokenize(data, "ready", lower)
    folded = [[oracles.normalize(t, False, lower) for t in line] for line in lines]
    assert [line for line in found if line] == [line for line in folded if line]
    assert (rest, seen["lines"]) == ([], len(lines))


# --- normalisation ------------------------------------------------------------------------------


@given(st.one_of(st.text(max_size=20), SCRIPTS_TEXT), st.booleans(), st.booleans())
@settings(max_examples=400)
def test_normalisation_is_pythons(text, compose, lower):
    assert _core.normalize(fair(text), compose, lower) == oracles.normalize(text, compose, lower)


MARKED = st.text(
    alphabet=[chr(c) for c in range(0x110000) if unicodedata.combining(chr(c)) and known(chr(c))]
    + list("aeoüÅΩ\u1100\u1161\u11a8가각"),
    max_size=12,
)


@given(MARKED)
@settings(max_examples=300)
def test_runs_of_combining_marks_are_ordered_and_composed_as_pythons(text):
    assert _core.normalize(text, True, False) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("compose", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_every_character_is_normalised_as_python_does(compose, lower):
    chars = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000 and known(chr(c))]
    wrong = [
        char
        for char in chars
        if oracles.normalize(char, compose, lower) != char
        and _core.normalize(char, compose, lower) != oracles.normalize(char, compose, lower)
    ]
    assert wrong == []
    # Those that stay as they are, together: a line between them keeps them from composing.
    still = "\n".join(c for c in chars if oracles.normalize(c, compose, lower) == c)
    assert _core.normalize(still, compose, lower) == oracles.normalize(still, compose, lower)


@pytest.mark.skipif(not SAME_UNICODE, reason="Python's Unicode is another than the core's")
def test_every_character_is_of_the_kind_that_unicode_gives_it():
    """In `words`, a letter or digit is a word, a mark goes on, all others part."""
    chars = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000 and c != 10]
    joiners = oracles.JOINERS + oracles.SOFT_HYPHEN
    text = "\n".join(f"a{char}b" for char in chars)
    lines, _, _, _ = tokenize(text.encode(), "words", False)
    assert len(lines) == len(chars)
    for char, line in zip(chars, lines, strict=True):
        parts = 1 if char in joiners or oracles.goes_on(char) else 2
        assert len(line) == parts, f"U+{ord(char):04X}"


def test_every_white_space_of_python_parts_tokens():
    spaces = [chr(c) for c in range(0x110000) if chr(c).isspace() and c != 10]
    for space in spaces:
        assert tokenize(f"a{space}b".encode(), "whitespace", False)[0] == [["a", "b"]]
    others = ["\u200b", "\ufeff", "\u180e", "\u2060", "\x08", "\x1b"]
    assert all(
        tokenize(f"a{char}b".encode(), "whitespace", False)[0] == [[f"a{char}b"]] for char in others
    )


# --- names --------------------------------------------------------------------------------------


def test_dotless_i_and_sharp_s_are_folded_as_unicode_does():
    """Not as Turkish has it: that would need to know the language of a word."""
    words = firth.count(
        ["Iğdır IĞDIR ISPARTA ısparta İzmir izmir Straße STRASSE"], min_count=1
    ).words
    assert sorted(words) == sorted(
        ["iğdır", "iğdir", "isparta", "ısparta", "i\u0307zmir", "izmir", "strasse"]
    )


def test_a_tokenizer_is_chosen_by_name_or_is_a_function():
    assert Tokenizer.make("words") == Tokenizer("words", True)
    assert Tokenizer.make("whitespace", True) == Tokenizer("whitespace", True)
    assert Tokenizer.make(str.split).mode == "ready"
    with pytest.raises(FirthError, match="'words' or 'whitespace' or a function, not 'sentences'"):
        Tokenizer.make("sentences")


def test_a_python_tokenizer_sees_each_line_and_its_name_is_in_the_recipe():
    def pairs(line):
        return [line[i : i + 2] for i in range(0, len(line), 2)]

    counts = firth.count(["abcd", "cdab\n"], tokenizer=pairs, window=1, min_count=1)
    assert counts.row("ab") == [("cd", 2)]
    assert counts.recipe.tokenizer.startswith("python:")
    assert counts.recipe.tokenizer.endswith("pairs")


@given(st.text(max_size=15), st.sampled_from(["words", "whitespace"]), st.booleans())
def test_a_token_normalised_once_more_stays_what_it_is(text, name, lower):
    """So that a word of a store can be given as a vocabulary, and is found."""
    for line in tokenize(fair(text).encode(), name, lower)[0]:
        for token in line:
            assert Tokenizer.make(name, lower).normalize(token) == token
