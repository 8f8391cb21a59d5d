"""firth analogy: a is to b as c is to what."""

from __future__ import annotations

from pathlib import Path

import click

from firth.cli import asking, former, options
from firth.space.opening import open_space

RULES = {
    "add": "the largest cosine with b - a + c",
    "cosmul": "the largest cos(b) cos(c) / cos(a), of cosines shifted to 0 or more",
}


@click.command("analogy")
@click.argument("space", type=options.PATH)
@click.argument("a")
@click.argument("b")
@click.argument("c")
@click.option(
    "--method",
    type=former.Choice(tuple(RULES), {"mul": "cosmul"}),
    default="add",
    show_default=True,
    help="Combine cosines by sum (add: 3CosAdd) or by product (cosmul: 3CosMul).",
)
@asking.top
@asking.restrict
@options.common
def command(
    space: Path,
    a: str,
    b: str,
    c: str,
    method: str,
    top: int,
    restrict: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Complete an analogy in SPACE: A is to B as C is to what?

    SPACE is a stored space, or a file of vectors in any format that firth import reads.
    """  # noqa: D400
    loaded = open_space(space)
    answer = loaded.most_similar if method == "add" else loaded.most_similar_cosmul
    found = answer([b, c], [a], topn=top, restrict_vocab=restrict)
    if not as_json and not quiet:
        click.echo(f"{a} is to {b} as {c} is to … ({RULES[method]})", err=True)
    asking.show_words({"a": a, "b": b, "c": c, "method": method}, found, as_json)
