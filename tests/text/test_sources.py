"""Where text comes from: every source gives the same tokens, and what is no text is refused."""

import bz2
import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.chunking import chunking

import firth
from firth.errors import CorpusError
from firth.text.parts import tokenize
from firth.text.pieces import pieces
from firth.text.sources import Corpus, TextFile
from firth.text.tokenizers import Tokenizer

PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    ".zst": zstandard.ZstdCompressor().compress,
}
CHARS = st.sampled_from(["a", "b", "é", "'", "-", " ", " ", "\t", "\n", "\r", "\0", "𐐷", "\u3000"])


class Keeper:
    """An iterable that hands out what it was given."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return self.items


def read(source, tokenizer="words", **options):
    """Tokenise a corpus piece by piece; return its lines, and what was seen."""
    chosen = Tokenizer.make(tokenizer)
    lines, line, seen = [], [], None
    for piece in pieces(Corpus(source), chosen, **options):
        part = tokenize(piece, chosen.lower, False)
        seen = part.seen if seen is None else seen + part.seen
        ends = [0, *part.ends.tolist()]
        arena = part.text.tobytes()
        for i in part.ids.tolist():
            if i:
                line.append(arena[ends[i - 1] : ends[i]].decode())
            elif line:
                lines.append(line)
                line = []
    assert line == [], "the last line is ended"
    return lines, seen


def full(lines):
    return [line for line in lines if line]


# --- pieces -------------------------------------------------------------------------------------


@given(
    st.lists(st.text(CHARS, max_size=60), min_size=1, max_size=3),
    st.integers(1, 80),
    st.integers(1, 40),
    st.sampled_from(["words", "whitespace"]),
    st.sampled_from(["", *PACKERS]),
)
@settings(max_examples=200)
def test_wherever_pieces_end_the_tokens_are_those_of_the_text(
    tmp_path_factory, texts, piece, block, tokenizer, suffix
):
    """Each file ends its last line, so that no window reaches from one file to the next."""
    folder = tmp_path_factory.mktemp("text")
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.txt{suffix}")
        paths[-1].write_bytes(PACKERS.get(suffix, bytes)(text.encode()))
    with chunking(piece=piece, block=block):
        lines, seen = read(paths, tokenizer)
    lower = tokenizer == "words"
    expected = [oracles.tokenize(text.encode(), tokenizer, lower) for text in texts]
    assert lines == full(line for text in expected for line in text)
    if seen is not None:
        assert seen.lines == sum(map(len, expected))
        assert seen.bytes_read == sum(len(text.encode()) for text in texts)
        assert seen.nul == sum(text.count("\0") for text in texts)


@given(st.binary(max_size=120), st.integers(1, 40), st.integers(1, 20))
@settings(max_examples=100)
def test_pieces_of_malformed_text_count_what_is_malformed_once(tmp_path_factory, data, size, block):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_bytes(data.replace(b"\x1f\x8b", b""))
    data = path.read_bytes()
    try:
        with chunking(piece=size, block=block):
            lines, seen = read(path)
    except CorpusError:  # it looks like something else than text
        return
    data = data.removeprefix(b"\xef\xbb\xbf")
    assert lines == full(oracles.tokenize(data, "words", True))
    assert (0 if seen is None else seen.invalid) == oracles.malformed(data)


@given(st.lists(st.text(CHARS, max_size=30), max_size=6), st.integers(1, 40))
def test_strings_are_lines_or_several(texts, piece):
    with chunking(piece=piece):
        lines, _ = read(["first", *texts])
    joined = "first\n" + "".join(text.removesuffix("\n") + "\n" for text in texts)
    assert lines == full(oracles.tokenize(joined.encode(), "words", True))


def test_a_byte_order_mark_is_no_text(write, tmp_path):
    plain = write("\ufeffa b")
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for path in (plain, packed):
        assert read(path, "whitespace")[0] == [["a", "b"]]
        assert read(path, str.split)[0] == [["a", "b"]]


def test_a_cleaner_sees_lines_and_gives_lines(write):
    def every_word_alone(lines):
        return (word for line in lines for word in line.split())

    lines, seen = read(write("a b\nc\n"), cleaner=every_word_alone)
    assert lines == [["a"], ["b"], ["c"]]
    assert seen.bytes_read == 6


# --- files, folders, patterns -------------------------------------------------------------------


def test_a_folder_gives_its_files_by_name_without_the_hidden(tmp_path):
    for name in ("b.txt", "a/z.txt", "a/b/y.txt", ".hidden", ".git/x.txt", "c.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    found = [str(file.path.relative_to(tmp_path)) for file in Corpus(tmp_path).files]
    assert found == ["a/b/y.txt", "a/z.txt", "b.txt", "c.txt"]


def test_a_pattern_gives_what_matches_and_a_real_name_comes_first(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv", "[d].txt"):
        (tmp_path / name).write_text("x")
    names = [file.path.name for file in Corpus(str(tmp_path / "[ab].txt")).files]
    assert names == ["a.txt", "b.txt"]
    assert [f.path.name for f in Corpus(str(tmp_path / "[d].txt")).files] == ["[d].txt"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("absent.txt", "no such file"),
        ("absent/*.txt", "no file matches"),
        ("", "empty name"),
        ("a\0b", "no such file|not a file name"),
        pytest.param("x" * 5000, "cannot be read|no such file|not a file name", id="long"),
        (b"text", "decode them"),
        (5, "int is not a text"),
        (None, "NoneType is not a text"),
        ([Path("-"), Path("-")], "only once"),
        ((line for line in ["a"]), "generator can be read only once"),
        (map(str, [1]), "map can be read only once"),
        (io.StringIO("a b"), "StringIO can be read only once"),
        (Keeper(line for line in ["a"]), "Keeper can be read only once"),
        ("a text\nof two lines", "a text of two lines: no such file.*in a list"),
    ],
)
def test_what_is_no_text_is_refused_by_name(source, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=message):
        Corpus(source)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="holds no files"):
        Corpus(tmp_path)


def test_a_list_of_file_names_is_taken_for_a_mistake(write):
    path = write("a b")
    with pytest.raises(CorpusError, match="Path objects"):
        Corpus([str(path)])
    assert len(Corpus([path]).files) == 1


@pytest.mark.parametrize("words", [60, 100, 1000, 3000])
def test_a_line_too_long_to_be_a_name_is_text(words):
    """Names end at 255 bytes on most systems, and paths at 4096."""
    counts = firth.count(["word " * words], window=1, min_count=1)
    assert counts.words.frequency("word") == words


def test_an_iterable_that_starts_again_is_read_twice():
    class Lines:
        def __iter__(self):
            return iter(["a b", "c"])

    corpus = Corpus(Lines())
    assert read(corpus)[0] == read(corpus)[0] == [["a", "b"], ["c"]]


def test_no_item_is_lost_by_looking_at_the_first():
    class Lines:
        """As a class that opens its file once: what was read is gone."""

        def __init__(self, lines):
            self.rest = iter(lines)

        def __iter__(self):
            yield from self.rest

    for lines in (["a b", "a b", "c"], [["a", "b"], ["a", "b"], ["c"]]):
        kept = Lines(lines)
        assert firth.count(kept, window=1, min_count=1).ledger.tokens == 5
        with pytest.raises(CorpusError, match="is empty"):
            firth.count(kept)
        looked_at = firth.Corpus(Lines(lines))
        assert looked_at.is_tokenized == isinstance(lines[0], list)
        assert firth.count(looked_at, window=1, min_count=1).ledger.tokens == 5


@pytest.mark.parametrize("out", [None, "counts"])
def test_an_error_of_the_system_in_an_iterable_is_one_of_reading(tmp_path, out):
    class Lines:
        def __iter__(self):
            yield "a b"
            yield from (tmp_path / "absent.txt").open()

    with pytest.raises(CorpusError, match=r"absent\.txt: cannot be read: No such file"):
        firth.count(Lines(), min_count=1, out=out and tmp_path / out)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("made", ["a b", None, 5, b"a"])
def test_a_tokenizer_that_gives_no_tokens_is_refused(made):
    with pytest.raises(CorpusError, match="tokenizer returned"):
        firth.count(["a b"], tokenizer=lambda _: made, min_count=1)


@pytest.mark.parametrize(
    "items", [["a", ["b"]], [["b"], "a"], [5], [None], [b"a"], [["a", 5]], ["a", 5], [["a"], 5]]
)
def test_mixed_items_are_refused(items):
    with pytest.raises(CorpusError, match="must be"):
        read(items)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"a", mtime=0), r"gzip data: give it a name ending in \.gz"),
        (bz2.compress(b"a"), r"\.bz2"),
        (lzma.compress(b"a"), r"\.xz"),
        (zstandard.compress(b"a"), r"\.zst"),
        ("a b".encode("utf-16"), "iconv"),
        (b"%PDF-1.4", "PDF"),
        (b"PK\x03\x04", "unpack"),
        (bytes(range(32)) * 40, "binary file"),
        (b"\x7fELF" + b"\0" * 99, "program"),
    ],
    ids=["gzip", "bzip2", "xz", "zstandard", "utf-16", "pdf", "zip", "controls", "program"],
)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_that_is_no_text_is_refused_with_what_it_is(tmp_path, data, message, suffix):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(gzip.compress(data) if suffix else data)
    with pytest.raises(CorpusError, match=message):
        read(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_damaged_and_cut_archives_are_refused(tmp_path, suffix):
    whole = PACKERS[suffix](os.urandom(50_000).hex().encode())
    path = tmp_path / f"text{suffix}"
    for damaged in (whole[:-20], whole[: len(whole) // 2], b"nonsense, not compressed", whole[:3]):
        path.write_bytes(damaged)
        with pytest.raises(CorpusError, match=r"damaged or cut short"):
            read(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_archives_of_several_members_are_read_to_the_end(tmp_path, suffix):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(PACKERS[suffix](b"a b\nc") + PACKERS[suffix](b"d\ne\n"))
    assert read(path)[0] == [["a", "b"], ["cd"], ["e"]]


def test_standard_input_is_read_to_its_end(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"a b\nc")

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert read("-")[0] == [["a", "b"], ["c"]]


def test_a_file_that_shrinks_while_being_read_is_an_error(write):
    path = write("a b c d " * 100)
    found = list(pieces(Corpus(path), Tokenizer.make("words")))
    path.write_text("a")
    with pytest.raises(CorpusError, match="became shorter"):
        found[0].read()


def test_identity_changes_with_the_file(write):
    path = write("a b")
    before = Corpus(path).identity()
    assert Corpus(path).identity() == before
    path.write_text("a b c")
    assert Corpus(path).identity() != before
    with pytest.raises(CorpusError, match="resume needs files"):
        Corpus("-").identity()
    with pytest.raises(CorpusError, match="resume needs files"):
        Corpus(["a b"]).identity()


def test_a_zst_bomb_unpacks_in_bounded_steps(tmp_path):
    path = tmp_path / "bomb.zst"
    packed = zstandard.ZstdCompressor(level=3).compress(bytes(1 << 28))
    path.write_bytes(packed)
    sizes = [len(block) for block, _ in TextFile(path).blocks()]
    assert sum(sizes) == 1 << 28
    assert max(sizes) <= 33 << 20


def test_zst_frames_of_any_size_follow_each_other(tmp_path):
    texts = [b"", b"a", b"one two " * 5000, b"\n", bytes(range(32, 127)) * 300]
    path = tmp_path / "frames.zst"
    path.write_bytes(b"".join(zstandard.ZstdCompressor().compress(text) for text in texts))
    assert b"".join(block for block, _ in TextFile(path).blocks()) == b"".join(texts)
