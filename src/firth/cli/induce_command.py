"""firth induce: which senses a word has in a sentence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from firth.cli import options
from firth.evaluation.induction import read_instances, write_key
from firth.senses import Induction, Senses
from firth.stores.writing import check_free


@click.command("induce")
@click.argument("senses", type=options.PATH)
@click.argument("word", required=False)
@click.argument("sentences", metavar="[SENTENCE]...", nargs=-1)
@click.option("--instances", type=options.PATH, metavar="FILE",
              help="Answer a task: the XML of its instances, as of SemEval.")  # fmt: skip
@click.option("--key", type=options.PATH, metavar="FILE",
              help="With --instances: the file of answers to write.")  # fmt: skip
@click.option("--force", is_flag=True, help="With --key: replace an existing file.")
@options.common
def command(
    senses: Path,
    word: str | None,
    sentences: tuple[str, ...],
    instances: Path | None,
    key: Path | None,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Say which senses of WORD each SENTENCE has: name, weight and the words that speak for it.

    SENSES is a store of firth senses. A SENTENCE of - reads sentences from standard input, one per
    line.
    """
    if (instances is None) != (key is None) or (instances is None) == (word is None):
        raise click.UsageError("give WORD and SENTENCE, or --instances and --key.")
    learnt = Senses.load(senses)
    if instances is not None and key is not None:
        check_free(key, force)
        _answer(learnt, instances, key, force, as_json)
        return
    assert word is not None
    if not sentences:
        raise click.UsageError("give a SENTENCE, or - for standard input.")
    texts = [(word, text) for given in sentences for text in _texts(given)]
    found = learnt.induce_all(texts)
    if as_json:
        options.echo_json([_plain(one) for one in found])
        return
    for number, one in enumerate(found):
        if number:
            click.echo()
        _show(one, quiet)


def _texts(given: str) -> list[str]:
    if given != "-":
        return [given]
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip()]


def _answer(learnt: Senses, instances: Path, key: Path, force: bool, as_json: bool) -> None:
    """Answer the instances of a task; one whose word was not divided has one sense."""
    answers: dict[str, dict[str, dict[str, float]]] = {}
    known = missing = 0
    for instance in read_instances(instances):
        labels = {f"{instance.lemma}_1": 1.0}
        if instance.lemma in learnt:
            text = f"{instance.before} {instance.after}"
            found = learnt.induce(instance.lemma, text)
            labels = dict(found.senses)
            known += found.known
        else:
            missing += 1
        answers.setdefault(instance.word, {})[instance.name] = labels
    write_key(answers, key, force=force)
    total = sum(map(len, answers.values()))
    result = {"key": str(key), "instances": total, "known": known, "not_divided": missing}
    if as_json:
        options.echo_json(result)
    else:
        click.echo(
            f"{key}: {total:,} instances, {known:,} by their contexts, {missing:,} of words that "
            "were not divided"
        )


def _plain(found: Induction) -> dict[str, Any]:
    return {
        "word": found.word,
        "known": found.known,
        "senses": [
            {
                "name": name,
                "weight": weight,
                "deciding": [[word, value] for word, value in found.deciding[name]],
            }
            for name, weight in found.senses
        ],
    }


def _show(found: Induction, quiet: bool) -> None:
    if not found.known and not quiet:
        click.echo(
            f"firth: note: no word of the sentence is a context of {found.word!r}: the weights are "
            "those of its senses in the whole text",
            err=True,
        )
    width = max(len(name) for name, _ in found.senses)
    for name, weight in found.senses:
        words = " ".join(word for word, _ in found.deciding[name])
        click.echo(f"{name:<{width}}  {weight:.4f}  {words}".rstrip())
