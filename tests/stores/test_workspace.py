"""Outputs are made aside under a lock: whole or not at all, by one run at a time."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import firth
from firth.errors import StoreError
from firth.evaluation.sweep_folder import Point, SweepFolder
from firth.space.space import Space
from firth.stores.locking import FolderLock
from firth.stores.workspace import Workspace, workspace_for, write_folder

# Two small objects of a kind, `first` and `second`, made the same in every process.
MAKE = """
import numpy as np
import firth
from firth.space.space import Space

def make(kind, number):
    words = firth.Vocabulary(["a", "b", "c"], [3, 2, 1])
    if kind == "space":
        return Space(words, np.full((3, 2), number, dtype=np.float32))
    if kind == "tree":
        return firth.Hierarchy(words, np.array([[0, 1], [2, 3]]), np.full(2, float(number)), 2)
    return firth.Counts.from_scipy(np.full((3, 3), number), ["a", "b", "c"])
"""
exec_globals: dict = {}
exec(MAKE, exec_globals)
make = exec_globals["make"]
KINDS = ["space", "tree", "counts"]

# Saves over an earlier store, and kills itself at the n-th call of a function of the system.
DRIVER = (
    MAKE
    + """
import os, pathlib, signal, sys
kind, out, name, number, when = sys.argv[1:]
owner = pathlib.Path if name == "rename" else os
original = getattr(owner, name)
calls = 0

def deadly(*args, **kwargs):
    global calls
    calls += 1
    last = calls == int(number)
    if last and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*args, **kwargs)
    if last:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(owner, name, deadly)
make(kind, 2).save(out, force=True)
"""
)


def read(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_writer_that_is_killed_leaves_a_whole_store_or_its_place(tmp_path, kind):
    """After every rename and before every third flush; the next writer takes over what is left."""
    for number in (1, 2):
        make(kind, number).save(tmp_path / f"store{number}")
    first, second = (read(tmp_path / f"store{number}") for number in (1, 2))
    assert first != second
    seen = []
    for name, when, step in (("rename", "after", 1), ("fsync", "before", 3)):
        for number in range(1, 40, step):
            out = tmp_path / name / str(number) / "out"
            out.parent.mkdir(parents=True)
            make(kind, 1).save(out)
            command = [sys.executable, "-c", DRIVER, kind, str(out), name, str(number), when]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            assert done.returncode == -signal.SIGKILL, done.stderr
            if out.exists():
                assert read(out) in (first, second)
                seen.append("old" if read(out) == first else "new")
            else:  # between two renames: the next writer puts it back before it begins
                seen.append("away")
                with pytest.raises(StoreError, match=r"appeared during the run|exists: choose"):
                    make(kind, 2).save(out)
                assert read(out) == first
            make(kind, 2).save(out, force=True)
            assert read(out) == second
            assert [*out.parent.iterdir()] == [out]
        assert done.returncode == 0
    assert {*seen} == {"old", "new", "away"}


@pytest.mark.parametrize("kind", KINDS)
def test_two_writers_of_one_store_cannot_mix(tmp_path, kind):
    """The second is refused at once, and the first is not disturbed."""
    out = tmp_path / "out"
    began, go_on = threading.Event(), threading.Event()
    original = os.fsync
    errors = []

    def wait(descriptor):
        if threading.current_thread() is writer:
            began.set()
            go_on.wait(30)
        original(descriptor)

    def write():
        try:
            make(kind, 1).save(out)
        except BaseException as error:
            errors.append(error)

    writer = threading.Thread(target=write)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", wait)
        writer.start()
        assert began.wait(30)
        for force in (False, True):
            with pytest.raises(StoreError, match="another run is writing this output: wait"):
                make(kind, 2).save(out, force=force)
        go_on.set()
        writer.join()
    assert errors == []
    make(kind, 1).save(tmp_path / "alone")
    assert read(out) == read(tmp_path / "alone")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "alone"}


def test_writers_of_different_kinds_share_the_lock(tmp_path):
    with (
        write_folder(tmp_path / "out", {"a"}, force=False),
        pytest.raises(StoreError, match="another run is writing"),
    ):
        make("counts", 1).save(tmp_path / "out")


def test_two_sweeps_cannot_mix(tmp_path):
    first = SweepFolder(tmp_path / "out", {"grid": 1})
    first.open(force=False)
    first.save(0, Point({"dim": 1}, []))
    for plan, force in (({"grid": 1}, False), ({"grid": 2}, True)):
        with pytest.raises(StoreError, match="another run is writing this output"):
            SweepFolder(tmp_path / "out", plan).open(force=force)
    assert len(first.done) == 1
    first.close()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "point-0000.json", "sweep.json",
    ]  # fmt: skip
    again = SweepFolder(tmp_path / "out", {"grid": 1})
    again.open(force=False)
    assert again.load(0, {"dim": 1}) == []


def test_a_lock_goes_with_its_process(tmp_path):
    """It is in the way of other processes while its process lives, and no longer."""
    take = (
        "import pathlib, sys; from firth.stores.locking import FolderLock\n"
        "lock = FolderLock(pathlib.Path(sys.argv[1])); print('held', flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", take, str(tmp_path)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:  # fmt: skip
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match="another run is writing this output"):
            FolderLock(tmp_path)
        process.kill()
    FolderLock(tmp_path).release(remove=True)
    assert not list(tmp_path.iterdir())


def test_a_lock_file_that_was_replaced_locks_nothing(tmp_path, monkeypatch):
    """A run that opened the file before another removed it does not hold the folder."""
    held = FolderLock(tmp_path)
    original = os.open

    def open_and_lose(path, *args, **kwargs):
        descriptor = original(path, *args, **kwargs)
        if str(path).endswith("lock"):
            held.release(remove=True)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)
    with pytest.raises(StoreError, match="another run"):
        FolderLock(tmp_path)
    monkeypatch.undo()
    FolderLock(tmp_path).release()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, OSError])
@pytest.mark.parametrize("force", [False, True])
def test_an_interrupted_writer_leaves_nothing(tmp_path, error, force):
    if force:
        make("space", 1).save(tmp_path / "out")
    before = read(tmp_path / "out") if force else None
    names = {"meta.json", "words.tsv", "vectors.npy"}
    expected = StoreError if error is OSError else error
    with (
        pytest.raises(expected),
        write_folder(tmp_path / "out", names, force=force) as folder,
    ):
        (folder / "vectors.npy").write_bytes(b"half")
        raise error
    assert [*tmp_path.iterdir()] == ([tmp_path / "out"] if force else [])
    assert before is None or read(tmp_path / "out") == before


def test_what_appears_meanwhile_is_not_replaced(tmp_path):
    out = tmp_path / "out"
    for force, message in ((False, "exists: choose another name"), (True, "holds more than a:")):
        with (
            pytest.raises(StoreError, match=message),
            write_folder(out, {"a"}, force=force) as folder,
        ):
            (folder / "a").write_text("new")
            out.mkdir()
            (out / "precious").write_text("mine")
        assert read(out) == {"precious": b"mine"}
        (out / "precious").unlink()
        out.rmdir()


def test_an_interrupted_count_is_not_cleared_away_by_a_space_of_its_name(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt), Keeping(workspace_for(out), {"inputs": ["text"]}):
        raise KeyboardInterrupt
    with pytest.raises(StoreError, match="holds an interrupted run: continue it with"):
        make("space", 1).save(out)
    assert workspace_for(out).exists()
    make("space", 1).save(out, force=True)
    assert [*tmp_path.iterdir()] == [out]


class Keeping(Workspace):
    """A workspace that a later run can continue from."""

    def keeps(self, error):
        return isinstance(error, KeyboardInterrupt)


def test_a_folder_of_a_user_is_left_alone(tmp_path):
    mine = tmp_path / "out.partial"
    (mine / "store").mkdir(parents=True)
    (mine / "store" / "thesis.txt").write_text("years of work")
    for kind in KINDS:
        with pytest.raises(StoreError, match="in the way, and not made by firth: move it"):
            make(kind, 1).save(tmp_path / "out", force=True)
    assert (mine / "store" / "thesis.txt").read_text() == "years of work"


def test_a_space_of_nothing_but_numbers_is_made_the_same_here_and_there():
    """The text that the processes run is the one that this one ran."""
    assert isinstance(make("space", 1), Space)
    assert make("tree", 2).costs.tolist() == [2.0, 2.0]
    assert np.all(make("counts", 3).to_scipy().toarray() == 3)
    assert isinstance(make("counts", 3), firth.Counts)
