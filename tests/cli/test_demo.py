"""The demo: a corpus that is already here, from its text to answers."""

import json
import time

from tests.desk import Desk

from firth.cli.demo_command import _show_answers


def test_the_demo_learns_from_this_machines_documentation(tmp_path):
    desk = Desk(tmp_path)
    begun = time.monotonic()
    done = desk.firth("demo", "--json", "--quiet")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert time.monotonic() - begun < 60
    assert found["ledger"]["tokens"] > 500_000
    assert ["monte", "carlo"] in [pair[:2] for pair in found["collocations"]]
    assert "threads" in found["neighbours"]["thread"]
    assert ["add", "added", "remove", "removed"] in found["analogies"]
    assert "stronger than usual in both" in found["why"]
    assert not list(tmp_path.iterdir())


def test_clusters_stand_under_each_other_whatever_their_paths(capsys):
    clusters = {"101": ["returns", "yields"], "1111101111110": ["two", "six"]}
    _show_answers({"neighbours": {}, "analogies": [], "clusters": clusters, "why": ""})
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["  101            returns, yields", "  1111101111110  two, six"]
