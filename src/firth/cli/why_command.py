"""firth why: which contexts make two words similar."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from firth.cli import asking, options
from firth.errors import FirthError
from firth.space.space import Space
from firth.stores.kinds import META


@click.command("why")
@click.argument("space", type=options.PATH)
@click.argument("a")
@click.argument("b")
@click.option(
    "--contrast", metavar="WORD", help="Explain why A is closer to B than to WORD, or is not."
)
@asking.top
@options.common
def command(
    space: Path, a: str, b: str, contrast: str | None, top: int, quiet: bool, as_json: bool
) -> None:
    """Explain which contexts make A and B of SPACE similar, and what each contributes.

    A context counts by how far it is stronger in both words than is usual for words as frequent
    as they are; "usual" is the mean over such words. All parts add up to the cosine of the words'
    rows of the association matrix.
    """
    del quiet
    if space.exists() and not (space / META).exists():
        raise FirthError(
            f"{space}: vectors without the association matrix that firth why explains from: "
            "name a space that firth fit made"
        )
    loaded = Space.load(space)
    found = loaded.why(a, b, top) if contrast is None else loaded.why(a, b, top, contrast=contrast)
    if as_json:
        options.echo_json(asdict(found))
    else:
        click.echo(str(found))
