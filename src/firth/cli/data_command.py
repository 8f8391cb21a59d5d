"""firth data: list the tests, and download those that are freely available."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from firth.cli import options, testing
from firth.cli.progress import Reporter
from firth.errors import FirthError
from firth.evaluation.fetching import fetch
from firth.evaluation.finding import DataFolders, cache_folder, data_folders, how_to_get
from firth.evaluation.registry import DATASETS, dataset_of


@click.group("data", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """List the known tests, and download those that are freely available."""


@command.command("list", short_help="List the known tests.")
@click.option(
    "--data",
    multiple=True,
    type=options.PATH,
    help="Folder of tests; may be repeated.  [default: FIRTH_DATA, and the tests downloaded by "
    "firth data get]",
)
@options.common
def list_command(data: tuple[Path, ...], quiet: bool, as_json: bool) -> None:
    """List every test: its task, size and licence, and its file or how to get it."""
    del quiet
    try:
        folders = DataFolders(data_folders(data))
    except FirthError:
        if data:
            raise
        folders = DataFolders([])  # then the list says how to get each test
    rows: list[dict[str, Any]] = []
    for name, dataset in DATASETS.items():
        found = folders.find(dataset)
        here = None if found is None else [str(path) for path in found.paths]
        rows.append(
            {**asdict(dataset), "name": name, "format": dataset.format, "here": here,
             "how": how_to_get(dataset)}
        )  # fmt: skip
    if as_json:
        options.echo_json(rows)
        return
    header = ["name", "task", "items", "licence", "here, or how to get it"]
    lines = [
        [row["name"], row["task"], f"{row['items']:,}", row["licence"],
         row["here"][0] if row["here"] else row["how"]]
        for row in rows
    ]  # fmt: skip
    testing.show_table(options.rich_table(header, lines, 2, left=(3, 4)))


@command.command("get", short_help="Download tests by name.")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    help="Folder to write the tests to.  [default: FIRTH_DATA, or else the user's cache]",
)
@click.option("--from", "address", metavar="URL", help="Download from another address.")
@options.common
def get_command(
    names: tuple[str, ...], out: Path | None, address: str | None, quiet: bool, as_json: bool
) -> None:
    """Download tests by NAME, and check them.

    An interrupted download is continued. The sha256 of a test is checked if it is known, and
    recorded if not. firth data list shows the names.
    """
    if address is not None and len(names) > 1:
        raise click.UsageError("--from needs exactly one NAME.")
    named = os.environ.get("FIRTH_DATA")
    folder = out or (Path(named) if named else cache_folder())
    datasets = [dataset_of(name) for name in names]
    results = []
    with Reporter(quiet) as progress:
        for dataset in datasets:
            found = fetch(dataset, folder, address, progress)
            results.append(found)
            if not as_json:
                how = "as known" if found.checked else "recorded"
                click.echo(
                    f"{dataset.name}: {found.items:,} items in {found.folder}, sha256 {how}: "
                    f"{found.sha256}"
                )
            if found.items != dataset.items and not quiet:
                click.echo(
                    f"firth: warning: {dataset.name} has {found.items:,} items, where "
                    f"{dataset.items:,} are expected",
                    err=True,
                )
    if as_json:
        options.echo_json(
            [
                {
                    "name": found.dataset.name,
                    "folder": str(found.folder),
                    "address": found.address,
                    "sha256": found.sha256,
                    "checked": found.checked,
                    "items": found.items,
                }
                for found in results
            ]
        )
