"""A run that is killed at any moment goes on, and gives the bytes of a run that was not."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.chunking import chunking

import firth
from firth.counts import job
from firth.errors import CorpusError, StoreError
from firth.resources import Resources

ROOT = Path(__file__).parents[2]
CHUNKS = {"piece": 100, "block": 50, "hold": 40, "chunk": 60, "runs": 4, "batch": 10}
OPTIONS = {"window": 3, "weighting": "harmonic", "min_count": 2}

# Counts in tiny chunks, and kills itself at the n-th call of a function: before it, after it, or,
# where it removes a folder, when it is half done.
DRIVER = """
import importlib, os, signal, sys, types
sys.path.insert(0, {root!r})
import firth
from tests.chunking import chunking

text, out, target, number, when = sys.argv[1:]
module, _, path = target.partition(":")
*owners, name = path.split(".")
owner = importlib.import_module(module)
for part in owners:
    owner = getattr(owner, part)
original = getattr(owner, name)
calls = 0

def deadly(*args, **kwargs):
    global calls
    calls += 1
    last = calls == int(number)
    if last and when == "half":
        next(args[0].glob("*.npy")).unlink()
    if last and when != "after":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*args, **kwargs)
    if last:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

if owners and isinstance(owner, types.ModuleType):  # another module, as this one knows it
    known = types.SimpleNamespace(**{{**vars(owner), name: deadly}})
    setattr(importlib.import_module(module), owners[-1], known)
else:
    setattr(owner, name, deadly)
with chunking(**{chunks!r}):
    firth.count(text, out=out, resources=firth.resources.Resources(1), **{options!r})
"""

MOMENTS = [
    ("firth.text.parts:Part.save", 1, "before"),
    ("firth.text.parts:Part.save", 6, "after"),
    ("firth.counts.job:select", 1, "before"),
    ("firth.counts.job:write_run", 1, "before"),
    ("firth.counts.job:write_run", 4, "after"),
    ("firth.counts.job:merge_runs", 1, "before"),
    ("firth.counts.merging:write_run", 1, "after"),
    ("firth.counts.merging:write_run", 2, "before"),
    ("firth.counts.merging:shutil.rmtree", 1, "before"),
    ("firth.counts.merging:shutil.rmtree", 1, "half"),
    ("firth.counts.merging:shutil.rmtree", 3, "half"),
    ("firth.counts.job:write_description", 1, "after"),
    ("firth.counts.workspace:Workspace.publish", 1, "before"),
    ("firth.counts.workspace:Workspace.publish", 1, "after"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A text of a few hundred words, and the store of an unbroken run over it."""
    folder = tmp_path_factory.mktemp("corpus")
    rng = random.Random(3)
    lines = (" ".join(rng.choices("abcdefghij", k=rng.randint(0, 25))) for _ in range(40))
    path = folder / "text.txt"
    path.write_text("\n".join(lines))
    firth.count(path, out=folder / "whole", resources=Resources(1), **OPTIONS)
    return path, {p.name: p.read_bytes() for p in (folder / "whole").iterdir()}


def kill(text, out, target, number, when, options=OPTIONS):
    script = DRIVER.format(root=str(ROOT), chunks=CHUNKS, options=options)
    command = [sys.executable, "-c", script, str(text), str(out), target, str(number), when]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def finished(folder):
    """When each whole part and run of a workspace was written."""
    found = [*folder.glob("parts/*.npz"), *folder.glob("runs/*[0-9]/*")]
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in found}


@pytest.mark.parametrize(("target", "number", "when"), MOMENTS)
def test_a_killed_run_resumes_to_the_same_bytes(
    corpus, tmp_path, store_bytes, target, number, when
):
    text, expected = corpus
    out, folder = tmp_path / "counts", tmp_path / "counts.partial"
    kill(text, out, target, number, when)
    before = finished(folder)
    seen = {}
    original = job.merge_runs

    def look(*args):
        seen.update(finished(folder))
        return original(*args)

    with chunking(**CHUNKS), patch.object(job, "merge_runs", look):
        counts = firth.count(text, out=out, resume=True, **OPTIONS)
    assert store_bytes(out) == expected
    assert counts.equals(firth.Counts.load(out))
    assert not folder.exists()
    if seen:
        parts = {name for name in before if name.startswith("parts")}
        assert all(seen[name] == before[name] for name in parts), "parts are not made again"
        spans = {name.split("/")[1] for name in before if name.startswith("runs")}
        if spans:
            kept = {name for name, time in before.items() if seen.get(name) == time} - parts
            assert kept, "runs are not made again"


def test_a_kill_leaves_no_store_but_what_can_be_gone_on_from(corpus, tmp_path):
    text, _ = corpus
    kill(text, tmp_path / "counts", "firth.counts.job:write_run", 4, "after")
    assert not (tmp_path / "counts").exists()
    assert len([*tmp_path.glob("counts.partial/runs/*[0-9]/rows.packed")]) == 3
    with pytest.raises(StoreError, match="with resume=True, or start anew with force=True"):
        firth.count(text, out=tmp_path / "counts", **OPTIONS)


def test_two_kills_and_other_threads_and_chunks_change_nothing(corpus, tmp_path, store_bytes):
    text, expected = corpus
    out = tmp_path / "counts"
    kill(text, out, "firth.counts.job:write_run", 4, "after")
    with chunking(**{**CHUNKS, "chunk": 130}):
        with (
            patch.object(job, "write_description", side_effect=KeyboardInterrupt),
            pytest.raises(KeyboardInterrupt),
        ):
            firth.count(text, out=out, resume=True, **OPTIONS)
        firth.count(text, out=out, resume=True, resources=Resources(3), **OPTIONS)
    assert store_bytes(out) == expected


@pytest.mark.parametrize("context", ["sides", "symmetric"])
def test_a_killed_run_that_samples_resumes_to_the_same_bytes(
    corpus, tmp_path, store_bytes, context
):
    """What the chunks before the kill dropped is in the ledger too."""
    text, _ = corpus
    options = {**OPTIONS, "context": context, "subsample": 0.02, "seed": 7}
    whole = firth.count(text, out=tmp_path / "whole", **options)
    assert whole.ledger.subsampled > 10
    out = tmp_path / "counts"
    kill(text, out, "firth.counts.job:write_run", 4, "after", options)
    with chunking(**{**CHUNKS, "chunk": 130}):
        firth.count(text, out=out, resume=True, **options)
    assert store_bytes(out) == store_bytes(tmp_path / "whole")


def test_resume_without_anything_to_resume_is_a_plain_run(corpus, tmp_path, store_bytes):
    text, expected = corpus
    firth.count(text, out=tmp_path / "counts", resume=True, **OPTIONS)
    assert store_bytes(tmp_path / "counts") == expected
    times = finished(tmp_path), (tmp_path / "counts" / "meta.json").stat().st_mtime_ns
    firth.count(text, out=tmp_path / "counts", resume=True, **OPTIONS)
    assert (finished(tmp_path), (tmp_path / "counts" / "meta.json").stat().st_mtime_ns) == times


@pytest.mark.parametrize(
    "other",
    [{"window": 4}, {"weighting": "flat"}, {"min_count": 3}, {"rare": "gap"}, {"diagonal": False},
     {"tokenizer": "whitespace"}, {"max_vocab": 5}, {"context": "left"}, {"context": "sides"},
     {"subsample": 0.02}],
)  # fmt: skip
def test_resume_with_other_options_is_refused(corpus, tmp_path, other):
    text, _ = corpus
    out = tmp_path / "counts"
    with (
        chunking(**CHUNKS),
        patch.object(job, "write_description", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        firth.count(text, out=out, **OPTIONS)
    before = finished(tmp_path / "counts.partial")
    assert before
    with pytest.raises(StoreError, match="other options or other text"):
        firth.count(text, out=out, resume=True, **{**OPTIONS, **other})
    assert finished(tmp_path / "counts.partial") == before
    counts = firth.count(text, out=out, force=True, **{**OPTIONS, **other})
    assert counts.equals(firth.count(text, **{**OPTIONS, **other}))


def test_resume_over_a_changed_text_is_refused(corpus, tmp_path):
    text, _ = corpus
    copy = tmp_path / "text.txt"
    copy.write_bytes(text.read_bytes())
    kill(copy, tmp_path / "counts", "firth.counts.job:merge_runs", 1, "before")
    status = copy.stat()
    changed = copy.read_bytes().replace(b"a", b"b", 1)
    copy.write_bytes(changed)
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    with pytest.raises(StoreError, match="other text"):
        firth.count(copy, out=tmp_path / "counts", resume=True, **OPTIONS)


def test_resume_needs_files(tmp_path):
    with pytest.raises(CorpusError, match="resume needs files"):
        firth.count(["a b"], out=tmp_path / "counts", resume=True, min_count=1)


def test_damaged_parts_of_a_killed_run_are_made_again(corpus, tmp_path, store_bytes):
    text, expected = corpus
    kill(text, tmp_path / "counts", "firth.counts.job:select", 1, "before")
    parts = sorted((tmp_path / "counts.partial" / "parts").glob("*.npz"))
    assert len(parts) > 4
    parts[0].write_bytes(parts[0].read_bytes()[:-30])
    parts[1].write_bytes(b"")
    content = bytearray(parts[2].read_bytes())
    content[len(content) // 2] ^= 0xFF
    parts[2].write_bytes(content)
    with chunking(**CHUNKS):
        firth.count(text, out=tmp_path / "counts", resume=True, **OPTIONS)
    assert store_bytes(tmp_path / "counts") == expected


def test_two_runs_never_write_one_output(corpus, tmp_path):
    text, _ = corpus
    out = tmp_path / "counts"

    def second(event):
        with pytest.raises(StoreError, match="another run is writing"):
            firth.count(text, out=out, resume=True, **OPTIONS)

    firth.count(text, out=out, resources=Resources(progress=second), **OPTIONS)
    assert json.loads((out / "meta.json").read_text())["recipe"]["window"] == 3


def test_a_users_folder_of_the_workspaces_name_is_left_alone(corpus, tmp_path):
    text, _ = corpus
    mine = tmp_path / "counts.partial"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    for how in ({}, {"resume": True}, {"force": True}):
        with pytest.raises(StoreError, match="in the way, and not made by firth: move it"):
            firth.count(text, out=tmp_path / "counts", **how, **OPTIONS)
    assert (mine / "thesis.txt").read_text() == "years of work"
