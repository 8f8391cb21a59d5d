"""Keys and instances as the organisers write them, and files that are not what they should be."""

import pytest

from firth.errors import FirthError
from firth.evaluation.induction import read_instances, read_key, write_key


def test_weights_are_divided_by_the_largest(write):
    path = write("a.n a.n.1 x/4 y/1\r\na.n a.n.2 x !! a comment\nb b.1 x y\n", "gold.key")
    assert read_key(path) == {
        "a.n": {"a.n.1": {"x": 1.0, "y": 0.25}, "a.n.2": {"x": 1.0}},
        "b": {"b.1": {"x": 1.0, "y": 1.0}},
    }


def test_senses_without_a_weight_or_named_twice_weigh_the_same(write):
    """As the organisers' program reads them: 17 lines of their gold key name a sense twice."""
    path = write("a a.1 x/4 y\na a.2 x/4 x/2 y/1\n", "gold.key")
    assert read_key(path)["a"] == {"a.1": {"x": 1.0, "y": 1.0}, "a.2": {"x": 1.0, "y": 1.0}}


def test_sense_names_may_have_slashes_and_lines_no_sense(write):
    path = write("a a.1 add%2:32:01::/3 x/y/1 z/0\na a.2\n", "gold.key")
    assert read_key(path)["a"] == {"a.1": {"add%2:32:01::": 1.0, "x/y": 1 / 3}, "a.2": {}}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a\n", r":1: a line is"),
        ("a a.1 x/1\na a.1 x/1\n", r":2: 'a.1' is there twice"),
        ("a a.1 x/-1\n", "not a sense and a weight"),
        ("a a.1 x/nan\n", "not a sense and a weight"),
        ("a a.1 /1\n", "not a sense and a weight"),
        ("", "empty"),
        (b"a a.1 \xff/1\n", "not UTF-8"),
    ],
)
def test_damaged_keys_are_refused(write, text, what):
    with pytest.raises(FirthError, match=what):
        read_key(write(text, "bad.key"))


def test_a_key_can_be_read_back(tmp_path):
    key = {"a": {"a.1": {"x": 1.0, "y": 0.25, "z": 0.00001}, "a.2": {"y": 1.0}}}
    write_key(key, tmp_path / "key")
    assert read_key(tmp_path / "key") == {"a": {"a.1": {"x": 1.0, "y": 0.25}, "a.2": {"y": 1.0}}}
    with pytest.raises(FirthError, match="exists"):
        write_key(key, tmp_path / "key")
    with pytest.raises(FirthError, match=r"'a\.3' of 'a' has no sense"):
        write_key({"a": {"a.3": {}}}, tmp_path / "other")
    for names in (("a b", "a.1", "x"), ("a", "a 1", "x"), ("a", "a.1", "x y"), ("a", "", "x")):
        word, instance, sense = names
        with pytest.raises(FirthError, match="names have no spaces"):
            write_key({word: {instance: {sense: 1.0}}}, tmp_path / "other")
    assert not (tmp_path / "other").exists()


SENSEVAL = """<?xml version="1.0" encoding="UTF-8"?>
<corpus lang="english"><lexelt item="bank.n">
<instance id="bank.n.1"><context>the &quot;old&quot; <b>tall</b>
  <head>banks</head> of <i>the</i> river</context></instance>
<instance id="bank.n.2"><context>no head here</context></instance>
</lexelt></corpus>
"""


def test_instances_of_senseval(write):
    one, two = read_instances(write(SENSEVAL, "contexts.xml"))
    assert (one.before, one.head, one.after) == ('the "old" tall', "banks", "of the river")
    assert (one.word, one.lemma, one.name) == ("bank.n", "bank", "bank.n.1")
    assert (two.text, two.head) == ("no head here", "")


def test_instances_of_semeval_2010(write):
    text = (
        "<bank.n.test><bank.n.1>before <TargetSentence>on the bank</TargetSentence> after"
        "</bank.n.1></bank.n.test>"
    )
    (one,) = read_instances(write(text, "bank.n.xml"))
    assert (one.word, one.name, one.text) == ("bank.n", "bank.n.1", "before on the bank after")


def test_every_instance_of_the_gold_key_is_read(semeval):
    found = read_instances(semeval / "contexts.senseval2.xml")
    assert all(instance.head for instance in found)
    gold = read_key(semeval / "gold.key")
    assert {n for names in gold.values() for n in names} <= {instance.name for instance in found}
    assert {instance.word for instance in found} == {*gold}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<corpus>", "not XML"),
        ("<corpus/>", "no instances"),
        ("<!DOCTYPE c [<!ENTITY a 'b'>]><corpus>&a;</corpus>", "declares entities"),
        ("<c><lexelt item='a'><instance><context/></instance></lexelt></c>", "no name"),
        (SENSEVAL.replace("bank.n.2", "bank.n.1"), "is there twice"),
        ("<!DOCTYPE c [<!ENTITY a 'b'>]><c>&a;</c>".encode("utf-16"), "declares entities"),
    ],
)
def test_damaged_files_are_refused(write, text, what):
    with pytest.raises(FirthError, match=what):
        read_instances(write(text, "contexts.xml"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FirthError, match="No such file"):
        read_instances(tmp_path / "none.xml")


def test_elements_deep_in_each_other_are_read(write):
    deep = "<i>" * 20_000 + "the <head>banks</head> of" + "</i> it" * 20_000
    instance = f"<instance id='a.1'><context>{deep}</context></instance>"
    (one,) = read_instances(write(f"<lexelt item='a'>{instance}</lexelt>", "contexts.xml"))
    assert (one.before, one.head) == ("the", "banks")
    assert one.after.split() == ["of", *["it"] * 20_000]
