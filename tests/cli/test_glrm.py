"""Generalised low-rank models from the command line."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import firth

NAMES = ["glrm", "glove", "glove-negative", "poisson", "skipgram", "sgns"]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("glrm") / "counts"
    lines = [" ".join(f"w{(7 * i * i + i * line) % 97}" for i in range(80)) for line in range(40)]
    firth.count(lines, window=3, min_count=1, out=path)
    return path


def run(*words):
    command = [sys.executable, "-m", "firth", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_is_a_method_whose_progress_tells_the_objective(name, stored, tmp_path):
    out = tmp_path / "space"
    done = run("fit", stored, "-o", out, "--method", name, "--dim", "4", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["method"]["name"] == name
    history = found["diagnostics"]["history"]
    assert history[-1]["objective"][-1] <= history[-1]["objective"][0]
    space = firth.Space.load(out)
    assert [len(side) for side in space.factors.biases] == [len(space.words)] * 2
    if name == "poisson":
        shown = run("info", out, "--figure", tmp_path / "history.svg")
        assert shown.returncode == 0, shown.stderr
        assert (tmp_path / "history.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["skipgram", "sgns"])
def test_zeros_of_skip_gram_cannot_be_ignored(name, stored, tmp_path):
    done = run("fit", stored, "-o", tmp_path / "space", "--method", name, "--zeros", "ignore")
    assert done.returncode == 1
    assert "--zeros must be 'exact' or 'weighted' with family" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "space").exists()


def test_none_is_a_word_of_optional_choices(stored, tmp_path):
    done = run("fit", stored, "-o", tmp_path / "space", "--method", "glove", "--clip", "none",
               "--dim", "2", "--json")  # fmt: skip
    assert json.loads(done.stdout)["method"]["clip"] is None


def test_an_interrupted_fit_leaves_nothing_behind(stored, tmp_path):
    out = tmp_path / "space"
    settings = ["--dim", "60", "--steps", "500", "--sweeps", "500", "--tol", "0"]
    command = [sys.executable, "-m", "firth", "fit", str(stored), "-o", str(out), "--method"]
    command += ["glrm", *settings]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = running.stderr.readline()  # of the memory that it needs
    assert "memory" in line
    time.sleep(1.0)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode not in (0, None)
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_a_space_without_an_objective_has_no_figure(stored, tmp_path):
    assert run("fit", stored, "-o", tmp_path / "ppmi", "--method", "ppmi").returncode == 0
    done = run("info", tmp_path / "ppmi", "--figure", tmp_path / "x.svg")
    assert done.returncode == 1
    assert "there is no objective to draw" in done.stderr
    assert not (tmp_path / "x.svg").exists()
    meta = tmp_path / "ppmi" / "meta.json"
    described = json.loads(meta.read_text())
    for damaged in (7, {"history": 7}, {"history": [None]}):
        described["recipe"]["diagnostics"] = damaged
        meta.write_text(json.dumps(described))
        done = run("info", tmp_path / "ppmi", "--figure", tmp_path / "x.svg")
        assert "there is no objective to draw" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    weighted = firth.methods.Weighted(dim=3).fit(firth.Counts.load(stored))
    weighted.save(tmp_path / "weighted")
    assert np.isfinite(weighted.vectors).all()
    assert run("info", tmp_path / "weighted", "--figure", tmp_path / "x.svg").returncode == 0
