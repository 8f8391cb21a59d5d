"""The counting kernels equal their twins, and refuse what is not what it says it is."""

import os
import sys
from contextlib import ExitStack
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

from firth import _core
from firth.counts.arrays import (
    LIMIT,
    OFFSET,
    PACKED,
    STARTS,
    keep_rows,
    load_rows,
    open_run,
    write_rows,
    write_run,
)

END, DROPPED = oracles.END_OF_LINE, oracles.DROPPED
THREADS = st.sampled_from([1, 2, 3, 8])


KINDS = st.sampled_from([np.uint16, np.uint32])


def u32(values):
    return np.array(values, dtype=np.uint32)


def stream_of(values, kind):
    """A stream of ids of 16 or 32 bits, in which the largest number ends a line."""
    return np.array(values, dtype=np.uint32).astype(kind)  # the last bits of END are its END


def test_the_mark_is_the_twins():
    assert _core.DROPPED == DROPPED


# --- streams ------------------------------------------------------------------------------------


@given(st.data(), THREADS, KINDS)
def test_place_equals_the_twin(data, threads, kind):
    parts = []
    for _ in range(data.draw(st.integers(0, 5))):
        places = data.draw(st.lists(st.one_of(st.integers(0, 9), st.just(DROPPED)), max_size=6))
        ids = data.draw(st.lists(st.integers(0, len(places)), max_size=30))
        parts.append((ids, places))
    out = _core.empty(sum(len(ids) for ids, _ in parts), kind is np.uint16)
    size, dropped = _core.place([(u32(ids), u32(places)) for ids, places in parts], out, threads)
    assert dropped == 0
    expected = [position for part in parts for position in oracles.place(*part)]
    assert out.dtype == kind
    assert out[:size].tolist() == stream_of(expected, kind).tolist()


def test_place_refuses_ids_without_a_type_and_an_output_without_room():
    with pytest.raises(IndexError):
        _core.place([(u32([2]), u32([0]))], _core.empty(1), 1)
    with pytest.raises(ValueError, match="room"):
        _core.place([(u32([1]), u32([0]))] * 2, _core.empty(1), 1)


def test_place_refuses_ids_that_do_not_fit():
    """The largest of 16 bits ends a line, and what is larger would become another word."""
    out = _core.empty(1, narrow=True)
    assert _core.place([(u32([1]), u32([2**16 - 2]))], out, 1) == (1, 0)
    assert out.tolist() == [2**16 - 2]
    for place in (2**16 - 1, 2**16, END):
        with pytest.raises(IndexError, match="does not fit"):
            _core.place([(u32([1]), u32([place]))], out, 1)


@given(st.data(), THREADS, KINDS, st.integers(0, 2**63 - 1), st.integers(0, 2**40))
def test_place_samples_as_the_twin(data, threads, kind, key, first):
    levels = st.one_of(st.just(oracles.ALWAYS), st.integers(0, oracles.ALWAYS))
    parts, expected, dropped = [], [], 0
    for _ in range(data.draw(st.integers(0, 4))):
        places = data.draw(st.lists(st.one_of(st.integers(0, 9), st.just(DROPPED)), max_size=6))
        size = len(places)
        thresholds = data.draw(st.lists(levels, min_size=size, max_size=size))
        ids = data.draw(st.lists(st.integers(0, size), max_size=30))
        parts.append((u32(ids), u32(places), u32(thresholds), first, key))
        kept, left_out = oracles.place_sampled(ids, places, thresholds, first, key)
        expected += kept
        dropped += left_out
        first += sum(id_ > 0 for id_ in ids)
    out = _core.empty(sum(len(part[0]) for part in parts), kind is np.uint16)
    assert _core.place(parts, out, threads) == (len(expected), dropped)
    assert out[: len(expected)].tolist() == stream_of(expected, kind).tolist()


def test_place_refuses_a_sampling_that_does_not_fit():
    out = _core.empty(1)
    with pytest.raises(ValueError, match="a threshold for each type"):
        _core.place([(u32([1]), u32([0]), u32([]), 0, 0)], out, 1)
    with pytest.raises(ValueError, match="a part must"):
        _core.place([(u32([1]), u32([0]), u32([0]))], out, 1)
    with pytest.raises(ValueError, match="a part must"):
        _core.place([(u32([1]),)], out, 1)


@given(st.data(), THREADS, KINDS)
def test_bucket_equals_the_twin(data, threads, kind):
    stream = data.draw(st.lists(st.one_of(st.integers(0, 6), st.just(END)), max_size=60))
    first = data.draw(st.integers(0, len(stream)))
    last = data.draw(st.integers(first, len(stream)))
    rows = data.draw(st.integers(0, 6))
    starts, postings = _core.bucket(stream_of(stream, kind), first, last, rows, threads)
    assert (starts.tolist(), postings.tolist()) == oracles.bucket(stream, first, last, rows)


@pytest.mark.parametrize(("first", "last"), [(2, 1), (0, 4), (4, 4)])
def test_bucket_refuses_positions_outside_the_stream(first, last):
    with pytest.raises(ValueError, match="outside the stream"):
        _core.bucket(u32([0, 1, END]), first, last, 2, 1)


# --- memory -------------------------------------------------------------------------------------

MANY = 1 << 20  # numbers: more than the least memory that is kept


@pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="there the core takes its memory from the heap, which keeps what it likes",
)
def test_memory_that_is_freed_is_used_again_only_where_asked():
    """A new array of the system's holds zeros; one made of kept memory holds what was left."""

    def left_over(arrays, size):
        held = [_core.empty(MANY) for _ in range(arrays)]
        for array in held:
            array[:] = 7
        del array, held
        return _core.empty(size)

    assert not left_over(1, MANY).any()
    with _core.Spare():
        assert np.count_nonzero(left_over(2, 2 * MANY)) == 2 * MANY
    with _core.Spare():
        assert np.count_nonzero(left_over(1, 3 * MANY)) == MANY
    assert not left_over(1, MANY).any()


def test_arrays_made_of_kept_memory_can_be_written_and_can_grow():
    entry, rows = widening(3 * MANY)

    def merged():
        return keep_rows(
            lambda files: _core.merge_rows([entry] * 2, rows, entry["width"], LIMIT, files, 2, None)
        )

    expected = lists(merged())
    with _core.Spare():
        for step in (1, 2, 3):  # memory of many pieces comes back as such
            held = [_core.empty(MANY * piece + 5) for piece in range(1, 4)]
            for array in held:
                array[:] = step
            assert [int(array.max()) for array in held] == [step] * 3
            del array, held
            assert lists(merged()) == expected


# --- windows ------------------------------------------------------------------------------------


def count_rows(
    stream, postings, *, universe=3, columns=2, left=(1,), right=(1,), starts=None, kind=np.uint32,
    blocks="window",
):  # fmt: skip
    ends = [0, len(postings)] if starts is None else starts
    return _core.count_rows(
        stream_of(stream, kind), universe, columns, np.array(ends, np.int64), u32(postings), None,
        list(left), list(right), blocks, None, 1, None,
    )  # fmt: skip


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_a_row_passes_32_bits_where_its_counts_do(kind):
    """A weight of 2^32 - 1 twice is more than a narrow row holds."""
    heavy = 2**32 - 1
    options = {"left": [heavy], "right": [heavy], "kind": kind}
    _, _, wide, columns, values = count_rows([END, 0, 1, 0, END], [2], **options)
    assert wide
    assert (columns.tolist(), values.tolist()) == ([0], [2 * heavy])
    _, _, wide, _, values = count_rows([END, 0, 1, END], [2], **options)
    assert not wide
    assert values.tolist() == [heavy]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"stream": [0, 1, END]}, "begin and end"),
        ({"stream": [END, 1, 0]}, "begin and end"),
        ({"stream": [END]}, "begin and end"),
        ({"stream": [END, 3, END]}, "outside the vocabulary"),
        ({"stream": [END, DROPPED, END]}, "outside the vocabulary"),
        ({"postings": [0]}, "posting"),
        ({"postings": [2]}, "posting"),
        ({"postings": [2**32 - 1]}, "posting"),
        ({"starts": [0, 2]}, "starts"),
        ({"starts": [1, 1]}, "starts"),
        ({"starts": [0, 2, 1]}, "starts must rise"),
        ({"starts": []}, "starts"),
        ({"left": [0]}, "weights"),
        ({"right": [2**32]}, "weights"),
        ({"columns": 4}, "columns"),
        ({"universe": 2**32}, "too many distinct ids"),
        ({"blocks": "halves"}, "blocks must be"),
        ({"columns": 2**30, "blocks": "sides"}, "columns"),
    ],
)
@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_count_rows_refuses_what_would_lead_it_astray(wrong, message, kind):
    with pytest.raises(ValueError, match=message):
        count_rows(**{"stream": [END, 1, END], "postings": [1], "kind": kind, **wrong})


def test_a_stream_of_16_bits_has_no_room_for_an_id_more():
    stream = {"stream": [END, 0, 1, END], "postings": [1], "kind": np.uint16}
    assert count_rows(**stream, universe=2**16 - 1)[1] == 1
    with pytest.raises(ValueError, match="too many distinct ids"):
        count_rows(**stream, universe=2**16)


@pytest.mark.parametrize("place", [1, 2**20, 2**20 + 1, 2**21, 2**21 + 2])
def test_a_flaw_is_found_wherever_threads_have_cut_a_long_stream(place):
    stream, postings = np.zeros(2**21 + 4, np.uint32), np.arange(1, 2**21 + 3, dtype=np.uint32)
    stream[[0, -1]] = END
    starts = np.array([0, len(postings)], np.int64)

    def count():
        _core.count_rows(
            stream, 3, 3, starts, postings, None, [1], [1], "window", None, 2, None
        )  # fmt: skip

    count()
    stream[place] = 3
    with pytest.raises(ValueError, match="outside the vocabulary"):
        count()
    stream[place] = 0
    postings[place - 1] = 0
    with pytest.raises(ValueError, match="posting"):
        count()


# --- sums ---------------------------------------------------------------------------------------

VALUES = st.one_of(st.integers(1, 5), st.integers(2**32 - 2, 2**32 + 2), st.integers(1, 2**60))
WIDTHS = st.sampled_from([1, 5, 70, 5000, (1 << 20) + 3, 3 << 20])


@st.composite
def matrices(draw):
    """Rows and columns of a sum, and the matrices {(row, column): value} to add."""
    rows, columns = draw(st.integers(0, 4)), draw(WIDTHS)
    near = st.sampled_from([0, columns // 2, columns - 1, min(columns - 1, 1 << 20)])
    cell = st.tuples(st.integers(0, max(rows - 1, 0)), st.one_of(st.integers(0, columns - 1), near))
    matrix = st.dictionaries(cell, VALUES, max_size=8 if rows else 0)
    return rows, columns, draw(st.lists(matrix, max_size=4))


def source(matrix, rows, width, wide):
    starts, columns, values = oracles.add([matrix], rows, width)
    return {
        "starts": np.array(starts, np.int64),
        "columns": np.array(columns, np.int32),
        "values": np.array(values, np.uint64 if wide else np.uint32),
        "wide": wide,
        "rows": rows,
        "width": width,
    }


def needs_64(matrix):
    return max(matrix.values(), default=0) >= 2**32


def lists(rows):
    return tuple(array.tolist() for array in rows)


@given(matrices(), THREADS, st.data())
@settings(max_examples=60)
def test_sums_equal_the_twin_in_memory_and_in_files(tmp_path_factory, case, threads, data):
    rows, columns, many = case
    wide = [needs_64(matrix) or data.draw(st.booleans()) for matrix in many]
    sources = [source(m, rows, columns, w) for m, w in zip(many, wide, strict=True)]
    expected = oracles.add(many, rows, columns)

    def write(files):
        return _core.merge_rows(sources, rows, columns, LIMIT, files, threads, None)

    kept = keep_rows(write)
    assert lists(kept) == expected
    assert (kept[2].dtype == np.uint64) == any(v >= 2**32 for v in expected[2])
    folder = tmp_path_factory.mktemp("rows")
    size = write_rows(folder, write)
    loaded = load_rows(folder, rows, size)
    assert lists(loaded) == expected
    assert loaded[2].dtype == kept[2].dtype


@given(matrices(), THREADS, st.integers(1, 50))
@settings(max_examples=40)
def test_sums_of_runs_equal_the_twin_in_memory_and_as_a_run(tmp_path_factory, case, threads, batch):
    rows, columns, many = case
    folder = tmp_path_factory.mktemp("runs")

    def run(name, write):
        (folder / name).mkdir()
        write_run(folder / name, write)
        return folder / name

    def merging(folders):
        def write(files):
            with ExitStack() as stack:
                runs = [stack.enter_context(open_run(path)) for path in folders]
                return _core.merge_runs(
                    runs, OFFSET, rows, columns, LIMIT, batch, files, threads, None
                )

        return write

    folders = []
    for number, matrix in enumerate(many):
        entry = source(matrix, rows, columns, needs_64(matrix))
        write = partial(_core.merge_rows, [entry], rows, columns, LIMIT, threads=1, progress=None)
        folders.append(run(str(number), write))
    expected = oracles.add(many, rows, columns)
    assert lists(keep_rows(merging(folders))) == expected
    again = run("again", merging(folders))
    assert lists(keep_rows(merging([again]))) == expected


def test_a_run_takes_few_bytes_and_keeps_every_one(tmp_path):
    """Neighbours of 1 take two bytes; 2^14 columns apart, or 128 and more, they take more."""
    matrix = {(0, c): 1 for c in range(100)} | {(1, 20_000): 2**40}
    entry = source(matrix, 2, 30_000, wide=True)
    write_run(tmp_path, lambda file: _core.merge_rows([entry], 2, 30_000, LIMIT, file, 1, None))
    assert len((tmp_path / PACKED).read_bytes()) == 2 * 100 + 3 + 6


@pytest.mark.parametrize(
    ("starts", "rows", "message"),
    [
        ([0, 2, 6], [1, 3, 0, 1, 3], "starts do not rise"),
        ([0, 9, 6], [1, 3, 0, 1, 3, 2], "starts do not rise"),
        ([-1, 2, 6], [1, 3, 0, 1, 3, 2], "starts do not rise"),
        ([0, 3, 6], [1, 3, 0, 1, 3, 2], "an entry is damaged"),
        ([0, 2, 6], [255] * 6, "an entry is damaged"),
        ([0, 2, 6], [1, 3, 5, 1, 3, 2], "outside the sum"),
        ([0, 2], [1, 3, 0, 1, 3, 2], "Input/output error"),
    ],
)
def test_damaged_runs_are_refused(tmp_path, starts, rows, message):
    entry = source({(0, 1): 3, (1, 0): 1, (1, 4): 2}, 2, 5, wide=False)
    write_run(tmp_path, lambda file: _core.merge_rows([entry], 2, 5, LIMIT, file, 1, None))
    assert (tmp_path / PACKED).read_bytes() == bytes([1, 3, 0, 1, 3, 2])
    (tmp_path / STARTS).write_bytes(b"\0" * OFFSET + np.array(starts, np.int64).tobytes())
    (tmp_path / PACKED).write_bytes(bytes(rows))
    with open_run(tmp_path) as run, pytest.raises((ValueError, OSError), match=message):
        _core.merge_runs([run], OFFSET, 2, 5, LIMIT, 64, None, 1, None)


@given(st.data(), THREADS)
@settings(max_examples=60)
def test_sums_with_renamed_rows_and_columns_equal_the_twin(data, threads):
    rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    many, sources = [], []
    for _ in range(data.draw(st.integers(1, 3))):
        own_rows = data.draw(st.integers(1, rows))
        width = data.draw(st.integers(1, columns))
        to_rows = data.draw(st.permutations(range(rows)))[:own_rows]
        to_columns = data.draw(st.permutations(range(columns)))[:width]
        cell = st.tuples(st.integers(0, own_rows - 1), st.integers(0, width - 1))
        own = data.draw(st.dictionaries(cell, VALUES, max_size=6))
        row_of = np.full(rows, -1, np.int64)
        row_of[to_rows] = np.arange(own_rows)
        entry = source(own, own_rows, width, needs_64(own))
        sources.append({**entry, "row_of": row_of, "column_to": np.array(to_columns, np.int32)})
        many.append({(to_rows[r], to_columns[c]): v for (r, c), v in own.items()})
    found = _core.merge_rows(sources, rows, columns, LIMIT, None, threads, None)
    assert lists((found[0], found[3], found[4])) == oracles.add(many, rows, columns)


def widening(size):
    """Two matrices whose sum passes 32 bits only in its last row, after `size` narrow entries."""
    starts = np.array([0, *range(size // 300, size, size // 300), size, size + 1], np.int64)
    lengths = np.diff(starts)
    columns = np.concatenate([np.arange(n) for n in lengths]).astype(np.int32)
    values = (np.arange(size + 1) % 1000 + 1).astype(np.uint32)
    values[-1] = 2**32 - 1
    entry = {"starts": starts, "columns": columns, "values": values, "wide": False,
             "rows": len(lengths), "width": int(columns.max()) + 1}  # fmt: skip
    return entry, len(lengths)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_sum_that_passes_32_bits_at_last_widens_all_that_was_laid_down(tmp_path, threads):
    """More entries than one step of the widening, so that it goes over the file from the back."""
    entry, rows = widening(600_000)
    expected = entry["values"].astype(np.uint64) * 2

    def write(files):
        return _core.merge_rows([entry, entry], rows, entry["width"], LIMIT, files, threads,
                                None)  # fmt: skip

    kept = keep_rows(write)
    loaded = load_rows(tmp_path, rows, write_rows(tmp_path, write))
    for starts, columns, values in (kept, loaded):
        assert values.dtype == np.uint64
        assert np.array_equal(values, expected)
        assert np.array_equal(starts, entry["starts"])
        assert np.array_equal(columns, entry["columns"])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sum_beyond_the_limit_is_an_error_and_one_at_it_is_not(threads):
    one = source({(0, 0): 50, (1, 1): 7}, 2, 2, False)
    found = _core.merge_rows([one, one], 2, 2, 100, None, threads, None)
    assert found[4].tolist() == [100, 14]
    with pytest.raises(OverflowError):
        _core.merge_rows([one, one], 2, 2, 99, None, threads, None)
    large = source({(0, 0): LIMIT}, 1, 1, True)
    assert _core.merge_rows([large], 1, 1, LIMIT, None, 1, None)[4].tolist() == [LIMIT]
    with pytest.raises(OverflowError):
        _core.merge_rows([large, large], 1, 1, LIMIT, None, 1, None)


SOUND = {"starts": [0, 1, 2], "columns": [0, 1], "values": [1, 1], "width": 2, "rows": 2}


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": [0, 2]},
        {"columns": [-1, 1]},
        {"columns": [2**31 - 1, 0]},
        {"starts": [0, 3, 2]},
        {"starts": [0, -1, 2]},
        {"starts": [0, 2**62, 2]},
        {"starts": [0, 2]},
        {"values": [1]},
        {"rows": 1, "starts": [0, 2]},
        {"row_of": [0, 5]},
        {"row_of": [0]},
        {"column_to": [0]},
        {"column_to": [0, 2]},
        {"column_to": [0, -1]},
    ],
)
def test_sums_refuse_sources_that_are_not_what_they_say(wrong):
    entry = {**SOUND, **wrong, "wide": False}
    kinds = {"starts": np.int64, "columns": np.int32, "values": np.uint32, "row_of": np.int64,
             "column_to": np.int32}  # fmt: skip
    entry = {k: np.array(v, kinds[k]) if k in kinds else v for k, v in entry.items()}
    with pytest.raises((ValueError, IndexError)):
        _core.merge_rows([entry], 2, 2, LIMIT, None, 1, None)


def test_sums_refuse_arrays_of_other_types_rather_than_convert_them():
    """A converted copy would be gone by the time the kernel reads it."""
    entry = source({(0, 0): 1}, 1, 1, False)
    for name in ("starts", "columns", "values"):
        with pytest.raises((RuntimeError, TypeError)):
            wrong = {**entry, name: entry[name].astype(np.int16)}
            _core.merge_rows([wrong], 1, 1, LIMIT, None, 1, None)


def test_columns_out_of_order_across_stretches_are_refused():
    entry = source({(0, 5): 1, (0, 1 << 20): 1}, 1, 2 << 20, False)
    entry["columns"] = entry["columns"][::-1].copy()
    with pytest.raises(ValueError, match="do not rise"):
        _core.merge_rows([entry], 1, 2 << 20, LIMIT, None, 1, None)


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=5), st.lists(st.integers(-1, 4)))
def test_soundness_is_what_it_says(starts, columns):
    fine = (
        starts[0] == 0
        and starts[-1] == len(columns)
        and starts == sorted(starts)
        and all(
            row == sorted(set(row)) and all(0 <= column < 4 for column in row)
            for a, b in pairwise(starts)
            for row in [columns[a:b]]
        )
    )
    found = _core.sound(np.array(starts, np.int64), np.array(columns, np.int32), 4, 2)
    assert found == fine


# --- the lexicon --------------------------------------------------------------------------------


def packed(words):
    encoded = [word.encode() for word in words]
    ends = np.cumsum([len(word) for word in encoded]).astype(np.uint64)
    return np.frombuffer(b"".join(encoded), np.uint8), ends


@given(st.lists(st.dictionaries(st.text(max_size=9), st.integers(0, 9), max_size=20), max_size=4))
def test_a_lexicon_adds_and_orders_as_a_dictionary_does(parts):
    lexicon, total = _core.Lexicon(), {}
    for part in parts:
        text, ends = packed(part)
        ids = lexicon.merge(text, ends, np.array([*part.values()], np.int64))
        assert lexicon.words(ids) == [*part]
        for word, n in part.items():
            total[word] = total.get(word, 0) + n
    assert len(lexicon) == len(total)
    assert lexicon.words(lexicon.order(2)) == [
        word for word, _ in oracles.most_frequent(total, 2, None)
    ]
    found = lexicon.find([*total, "\U0010ffff not there"])
    assert lexicon.counts()[found[:-1]].tolist() == [*total.values()]
    assert found[-1] == -1


def test_a_lexicon_of_a_hundred_thousand_words_forgets_none():
    words = [f"w{i}" for i in range(100_000)]
    text, ends = packed(words)
    lexicon = _core.Lexicon()
    lexicon.merge(text, ends, np.arange(100_000, dtype=np.int64))
    assert np.array_equal(lexicon.counts()[lexicon.find(words)], np.arange(100_000))


def test_a_lexicon_refuses_broken_parts_and_overflow():
    lexicon = _core.Lexicon()
    text, ends = packed(["a", "b"])
    one = np.array([1, 1], np.int64)
    for wrong in ([2, 1], [1, 9]):
        with pytest.raises(ValueError, match="rise within"):
            lexicon.merge(text, np.array(wrong, np.uint64), one)
    with pytest.raises(ValueError, match="negative"):
        lexicon.merge(text, ends, -one)
    with pytest.raises(ValueError, match="as many"):
        lexicon.merge(text, ends, one[:1])
    with pytest.raises(ValueError, match="outside the lexicon"):
        lexicon.words(u32([99]))
    lexicon = _core.Lexicon()
    lexicon.merge(text, ends, np.array([LIMIT, 1], np.int64))
    with pytest.raises(OverflowError):
        lexicon.merge(text, ends, one)
