"""Same text and options, same bytes: whatever the threads, the memory, the chunks, the source."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
import zstandard
from tests.chunking import chunking

import firth
from firth.resources import Resources

CHUNKINGS = [
    {},
    {"piece": 3000, "block": 100},
    {"piece": 3000, "block": 100, "chunk": 900},
    {"piece": 2000, "block": 100, "hold": 500, "chunk": 900, "batch": 50},
    {"piece": 1500, "block": 100, "hold": 0, "chunk": 500, "runs": 3, "batch": 7},
]

OPTIONS = [
    {"window": 4, "min_count": 3},
    {"window": 5, "weighting": "harmonic", "context": "positional", "min_count": 4, "rare": "unk"},
    {"window": 4, "context": "sides", "min_count": 3, "subsample": 0.02, "seed": 5},
    {"window": 3, "context": "sides", "max_contexts": 40, "rare": "gap", "subsample": 1e-3},
    {"window": 3, "weighting": "linear", "context": "left", "rare": "gap", "max_vocab": 15,
     "max_contexts": 40, "context_min_count": 2, "diagonal": False},
]  # fmt: skip


@pytest.fixture(scope="module")
def text():
    """Some thousand words by Zipf's law, in lines of any length, the last without an end."""
    rng = np.random.default_rng(1957)
    words = [f"w{n}" for n in np.minimum(rng.zipf(1.3, 4000), 400)]
    lines, at = [], 0
    while at < len(words):
        size = int(rng.choice([0, 1, 2, 20, 300]))
        lines.append(" ".join(words[at : at + size]))
        at += size
    return "\n".join(lines)


@pytest.mark.parametrize("options", OPTIONS)
def test_threads_chunks_and_memory_leave_no_trace(text, write, tmp_path, store_bytes, options):
    path = write(text)
    firth.count(path, out=tmp_path / "plain", resources=Resources(threads=1), **options)
    expected = store_bytes(tmp_path / "plain")
    assert set(expected) >= {"meta.json", "words.tsv", "starts.npy", "columns.npy", "values.npy"}
    for number, (chunks, threads) in enumerate(product(CHUNKINGS, (1, 2, 3, 8))):
        out = tmp_path / f"run{number}"
        with chunking(**chunks):
            firth.count(path, out=out, resources=Resources(threads=threads), **options)
        assert store_bytes(out) == expected, (chunks, threads)
    # The process itself counts, and one that a sanitizer watches has 350M after other tests.
    for memory in ("600M", "2G"):
        firth.count(path, out=tmp_path / memory, resources=Resources(memory=memory), **options)
        assert store_bytes(tmp_path / memory) == expected
    assert not list(tmp_path.glob("*.partial"))


def test_every_source_of_a_text_gives_the_same_bytes(
    text, write, tmp_path, store_bytes, monkeypatch
):
    data = text.encode()
    packed = {
        "text.txt": data,
        "text.gz": gzip.compress(data),
        "text.bz2": bz2.compress(data),
        "text.xz": lzma.compress(data),
        "text.zst": zstandard.compress(data),
    }
    stores = []
    for name, content in packed.items():
        with chunking(piece=3000, block=500, chunk=1000):
            firth.count(write(content, name), out=tmp_path / f"of-{name}", min_count=3)
        stores.append(store_bytes(tmp_path / f"of-{name}"))
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(data)}))
    firth.count("-", out=tmp_path / "of-stdin", min_count=3)
    stores.append(store_bytes(tmp_path / "of-stdin"))
    assert all(store == stores[0] for store in stores)

    firth.count(text.splitlines(keepends=True), out=tmp_path / "of-lines", min_count=3)
    firth.count([text], out=tmp_path / "of-one", min_count=3)
    for name in ("of-lines", "of-one"):  # Python's strings are no files, and that is in the ledger
        found = store_bytes(tmp_path / name)
        assert {**found, "meta.json": b""} == {**stores[0], "meta.json": b""}
        meta, file_meta = json.loads(found["meta.json"]), json.loads(stores[0]["meta.json"])
        assert (meta["ledger"].pop("files"), file_meta["ledger"].pop("files")) == (0, 1)
        assert meta == file_meta


def test_the_command_line_gives_the_bytes_of_the_library(text, write, tmp_path, store_bytes):
    path = write(text)
    firth.count(path, out=tmp_path / "library", min_count=3, window=2)
    command = [sys.executable, "-m", "firth", "count", "-o", str(tmp_path / "command"),
               "--min-count", "3", "--window", "2", "--quiet", "--threads", "2"]  # fmt: skip
    subprocess.run([*command, str(path)], check=True, capture_output=True)
    assert store_bytes(tmp_path / "command") == store_bytes(tmp_path / "library")
    command[5] = str(tmp_path / "piped")
    subprocess.run([*command, "-"], check=True, capture_output=True, input=text.encode())
    assert store_bytes(tmp_path / "piped") == store_bytes(tmp_path / "library")


def test_threads_memory_paths_and_times_are_not_in_a_store(write, tmp_path, store_bytes):
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
        firth.count(write("a b a b", f"{name}/text-{name}.txt"), min_count=1,
                    out=tmp_path / name / "counts")  # fmt: skip
    assert store_bytes(tmp_path / "here" / "counts") == store_bytes(
        tmp_path / "elsewhere" / "counts"
    )
    content = b"".join(store_bytes(tmp_path / "here" / "counts").values())
    assert b"here" not in content
    assert b"thread" not in content
    assert b"memory" not in content


def test_counts_in_memory_are_the_counts_of_the_store(text, tmp_path, store_bytes):
    kept = firth.count([text], min_count=3, weighting="harmonic")
    kept.save(tmp_path / "saved")
    firth.count([text], min_count=3, weighting="harmonic", out=tmp_path / "counted")
    assert store_bytes(tmp_path / "saved") == store_bytes(tmp_path / "counted")
