"""Outputs: whole or not at all, never in the place of what is not firth's, one run at a time."""

import json
import os
import shutil
import signal
import subprocess

import pytest
from tests.desk import TEXT, ended, one_line, wait_for

import firth

COUNT = ["--min-count", "1"]


def start(desk, *options):
    """Start a run that waits for its text."""
    process = desk.start("count", "-", "-o", "new", *COUNT, "--quiet", *options)
    wait_for((desk / "new.partial/runs").exists)
    return process


def finish(process, text=TEXT):
    return ended(process, *process.communicate(text.encode(), timeout=30))


def test_a_store_is_not_replaced_unless_forced(desk):
    line = desk.refusal("count", "text.txt", "-o", "kept", *COUNT)
    assert line == "kept: exists: choose another name, or replace it with --force"
    before = desk.snapshot()
    desk.result("count", "text.txt", "-o", "kept", *COUNT, "--window", "1", "--force")
    after = desk.snapshot()
    assert {name for name in before if before[name] != after[name]} <= {
        str(desk / "kept" / name)
        for name in ("meta.json", "words.tsv", "starts.npy", "columns.npy", "values.npy")
    }
    assert before.keys() == after.keys()
    assert firth.Counts.load(desk / "kept").recipe.window == 1


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    "kind", ["folder", "empty-folder", "file", "link", "dangling", "near-store"]
)
def test_what_is_not_a_store_is_never_replaced(desk, kind, force):
    if kind == "folder":
        desk.write("new/precious.txt", "precious")
    elif kind == "empty-folder":
        (desk / "new").mkdir()
    elif kind == "file":
        desk.write("new", "precious")
    elif kind == "near-store":
        desk.write("new/meta.json", '{"format": "another"}')
    else:
        (desk / "new").symlink_to("kept" if kind == "link" else "nowhere")
    line = desk.refusal("count", "text.txt", "-o", "new", *COUNT, *force)
    assert line == "new: exists and is not a store of counts: choose another name"


@pytest.mark.parametrize("name", [".", "..", "/", ""])
def test_a_folder_in_use_is_no_output(desk, name):
    assert desk.refusal("count", "text.txt", "-o", name, *COUNT, "--force")


@pytest.mark.parametrize("plan", [None, "{}", '{"format": "firth-counts"}', "[", "null"])
def test_a_folder_of_ones_own_where_the_work_would_go(desk, plan):
    desk.write("new.partial/precious.txt", "precious")
    if plan is not None:
        desk.write("new.partial/plan.json", plan)
    for option in ("--force", "--resume"):
        line = desk.refusal("count", "text.txt", "-o", "new", *COUNT, option)
        assert line == "new.partial: in the way, and not made by firth: move it"


def test_missing_folders_above_are_made_and_taken_away_if_nothing_comes_of_it(desk):
    assert "lower --min-count" in desk.refusal("count", "text.txt", "-o", "a/b/new")
    desk.result("count", "text.txt", "-o", "a/b/new", *COUNT)
    assert [path.name for path in (desk / "a/b").iterdir()] == ["new"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("text.txt/new", "cannot be written: "),
        ("a" * 300, "File name too long"),
        ("a" * 250, "cannot be written: File name too long: choose a shorter name"),
    ],
)
def test_impossible_places(desk, name, message):
    assert message in desk.refusal("count", "text.txt", "-o", name, *COUNT)


@pytest.mark.parametrize("option", [[], ["--force"], ["--resume"]])
def test_two_runs_on_one_output(desk, option):
    process = start(desk)
    second = desk.firth("count", "text.txt", "-o", "new", *COUNT, *option, "--quiet")
    assert second.code == 1
    assert one_line(second) == (
        "new.partial: another run is writing this output: wait for it, or choose another name"
    )
    assert finish(process).code == 0
    assert firth.Counts.load(desk / "new").equals(firth.Counts.load(desk / "kept"))
    assert desk.leftovers() == []


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_what_appears_while_counting_is_not_replaced(desk, force):
    process = start(desk, *force)
    desk.write("new/precious.txt", "precious")
    line = one_line(finish(process))
    assert line.startswith("new: ")
    assert (desk / "new/precious.txt").read_text() == "precious"
    assert [path.name for path in (desk / "new").iterdir()] == ["precious.txt"]
    assert desk.leftovers() == []


def test_a_killed_run_on_standard_input_is_not_in_the_way(desk):
    process = start(desk)
    process.kill()
    process.communicate(timeout=30)
    assert (desk / "new.partial").exists()
    desk.result("count", "text.txt", "-o", "new", *COUNT)
    assert desk.leftovers() == []


def test_a_run_killed_between_the_two_renames_of_a_replacement(desk):
    """The earlier store stands under a name of firth's: the next run puts it back."""
    before = desk.snapshot()
    plan = {"format": "firth-partial", "version": 2, "recipe": {}, "inputs": []}
    desk.write("kept.partial/plan.json", json.dumps(plan))
    (desk / "kept").rename(desk / "kept.partial/old")
    done = desk.firth("count", "text.txt", "-o", "kept", "--quiet")
    assert "holds an interrupted run" in one_line(done)
    shutil.rmtree(desk / "kept.partial")
    assert desk.snapshot() == before


@pytest.mark.parametrize(
    ("version", "why"),
    [(2, "a run with other options or other text"), (1, "a run of another version of firth")],
)
def test_an_interrupted_run_is_kept_until_told(desk, version, why):
    plan = {"format": "firth-partial", "version": version, "recipe": {}, "inputs": []}
    desk.write("new.partial/plan.json", json.dumps(plan))
    desk.write("new.partial/lock", "")
    before = desk.snapshot()
    resumed = f"new.partial is from {why}: start anew with --force"
    for option, message in (([], "--resume, or start anew"), (["--resume"], resumed)):
        done = desk.firth("count", "text.txt", "-o", "new", *COUNT, "-q", *option)
        assert done.code == 1
        assert message in one_line(done)
    assert desk.snapshot() == before
    desk.result("count", "text.txt", "-o", "new", *COUNT, "--force")
    assert desk.leftovers() == []


def test_resuming_what_is_complete(desk):
    before = desk.snapshot()
    assert desk.result("count", "text.txt", "-o", "kept", *COUNT, "--resume")["words"] == 6
    assert desk.snapshot() == before


def limited(size):
    return f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"


def pairs(words=60):
    """A text whose files grow one after another past any limit on their size."""
    return "\n".join(f"w{i} w{j}" for i in range(words) for j in range(0, words, 7))


@pytest.mark.parametrize("output", [["-o", "new"], ["-o", "kept", "--force"]])
def test_a_limit_on_the_size_of_files_wherever_it_strikes(desk, output):
    desk.write("pairs.txt", pairs())
    command = ["count", "pairs.txt", *output, *COUNT]
    for size in (0, 100, 500, 1200, 3000):
        line = desk.refusal(*command, first=limited(size))
        assert "cannot be written: File too large: raise the limit" in line
    assert desk.firth(*command, first=limited(10_000)).code == 0


def test_the_last_bytes_of_an_array_do_not_fit(desk):
    """Many words without company: the starts of the rows are the longest file."""
    desk.write("words.txt", "\n".join(f"w{i}" for i in range(2000)))
    line = desk.refusal("count", "words.txt", "-o", "new", *COUNT, first=limited(16_100))
    assert "starts.npy" in line or "new" in line
    assert "cannot be written: File too large" in line


@pytest.mark.parametrize(
    "command",
    [
        ["merge", "kept", "kept"],
        ["import", "records.bin", "--vocab-file", "vocab.txt"],
        ["export", "kept", "--vocab-file", "new.txt"],
    ],
    ids=lambda command: command[0],
)
def test_other_commands_under_a_limit(desk, command):
    desk.result("export", "kept", "-o", "records.bin", "--vocab-file", "vocab.txt")
    line = desk.refusal(*command, "-o", "new", first=limited(150))
    assert "cannot be written: File too large" in line


@pytest.fixture
def small_disk(desk):
    """A disk of 64 KiB, where the system lets us have one."""
    disk = desk / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]
    if not shutil.which("mount") or subprocess.call(mounting, stderr=subprocess.DEVNULL):
        pytest.skip("no right to mount a small disk")
    try:
        shutil.copytree(desk / "kept", disk / "kept")
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_full_disk(desk, small_disk):
    desk.write("pairs.txt", pairs(150))
    for name in ("new", "kept", "below/new"):
        line = desk.refusal("count", "pairs.txt", "-o", small_disk / name, *COUNT, "--force")
        assert line.startswith(str(small_disk / name))
        assert line.endswith(
            "cannot be written: No space left on device: free some space, or choose another disk"
        )
    assert desk.result("count", "text.txt", "-o", small_disk / "kept", *COUNT, "--force")


@pytest.mark.memory
def test_a_full_disk_keeps_what_a_later_run_can_use(desk, small_disk):
    """Work on disk survives a full disk, and the run goes on from it once there is room."""
    text = "".join(f"w{i % 97} w{i % 89} w{i % 83}\n" for i in range(40_000)) * 50
    path = desk.write("long.txt", text)
    options = [path, *COUNT, "--memory", "120M", "--threads", "1", "--quiet"]
    subprocess.run(["mount", "-o", "remount,size=2M", small_disk], check=True)
    done = desk.firth("count", *options, "-o", small_disk / "new")
    assert done.code == 1
    line = one_line(done)
    assert "No space left on device: free some space" in line
    assert line.endswith("new.partial keeps the work so far: continue with --resume")
    subprocess.run(["mount", "-o", "remount,size=64M", small_disk], check=True)
    assert desk.firth("count", *options, "-o", small_disk / "new", "--resume").code == 0
    assert desk.firth("count", *options, "-o", "new").code == 0
    for file in (desk / "new").iterdir():
        assert (small_disk / "new" / file.name).read_bytes() == file.read_bytes()
    assert desk.leftovers() == []


def test_ctrl_c_while_waiting_for_text(desk):
    before = desk.snapshot()
    process = start(desk)
    process.stdin.write(TEXT.encode() * 1000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=2)
    assert (process.returncode, out) == (130, b"")
    assert err == b"firth: interrupted\n"
    assert desk.snapshot() == before


def test_ctrl_c_while_waiting_for_a_named_pipe(desk):
    os.mkfifo(desk / "pipe")
    before = desk.snapshot()
    process = desk.start("count", "pipe", "-o", "kept", "--force", "--quiet")
    wait_for((desk / "kept.partial/plan.json").exists)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=2) == (b"", b"firth: interrupted\n")
    assert process.returncode == 130
    assert desk.snapshot() == before


@pytest.mark.memory
def test_ctrl_c_in_the_middle_of_work_and_resuming(desk):
    lines = [f"w{i % 9973} w{i % 9967} w{i % 9949} w{i % 9941}\n" for i in range(100_000)]
    desk.write("long.txt", "".join(lines) * 20)
    options = ["long.txt", "--window", "20", "--memory", "128M", "--threads", "2", "--quiet"]
    process = desk.start("count", *options, "-o", "new")
    parts = desk / "new.partial/parts"
    wait_for(lambda: any(parts.glob("*.npz")))
    process.send_signal(signal.SIGINT)
    done = ended(process, *process.communicate(timeout=5))
    assert (done.code, done.out) == (130, "")
    assert one_line(done) == (
        "interrupted; new.partial keeps the work so far: continue with --resume"
    )
    assert not (desk / "new").exists()
    assert any(parts.glob("*.npz"))
    assert desk.firth("count", *options, "-o", "new", "--resume").code == 0
    assert desk.firth("count", *options, "-o", "unbroken").code == 0
    for file in (desk / "unbroken").iterdir():
        assert (desk / "new" / file.name).read_bytes() == file.read_bytes()
    assert desk.leftovers() == []
