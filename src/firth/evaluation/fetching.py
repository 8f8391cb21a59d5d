"""Download tests: resume, check, unpack and keep them.

An interrupted download is resumed if the server says that the file has not changed. The checksum is
compared with the registry's, or with the one recorded at the first download. Only the files of the
test are unpacked from an archive.
"""

from __future__ import annotations

import json
import logging
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from firth.errors import FirthError, StoreError, need_extra
from firth.evaluation.finding import DataFolders, how_to_get
from firth.evaluation.lines import LARGEST, DatasetError
from firth.evaluation.registry import Dataset
from firth.progress import Event, Progress, silent
from firth.stores.workspace import write_folder
from firth.stores.writing import naming_write_errors, write_whole

CHECKSUMS = "checksums.json"
DOWNLOADS = "downloads"
BLOCK = 2**12  # bytes that an interrupted download loses at most
PATIENCE = 30.0  # seconds without a byte


@dataclass(frozen=True)
class Fetched:
    """A test that was downloaded.

    `checked` says whether its checksum was known before.
    """

    dataset: Dataset
    address: str
    folder: Path
    sha256: str
    checked: bool
    items: int


def fetch(
    dataset: Dataset, folder: Path, address: str | None = None, progress: Progress = silent
) -> Fetched:
    """Download a test into a folder of its own below `folder`, unless it is there already.

    Parameters
    ----------
    dataset
        From the registry.
    folder
        Where downloads, checksums and unpacked tests are kept.
    address
        Where to download from, instead of the registry's address.
    progress
        Called with an `Event` as bytes arrive.
    """
    try:
        import pooch
    except ImportError:
        raise need_extra("pooch", "data") from None
    source = address or dataset.download
    if not source:
        raise FirthError(f"{dataset.name}: {how_to_get(dataset)}")
    name = _file_name(source)
    known = _known_checksum(dataset, folder, source)
    downloads = folder / DOWNLOADS
    with naming_write_errors(folder):
        downloads.mkdir(parents=True, exist_ok=True)
    pooch.get_logger().setLevel(logging.CRITICAL)  # firth reports instead
    try:
        path = Path(
            pooch.retrieve(source, known or None, path=downloads, downloader=_Resuming(progress))
        )
    except ValueError as error:
        if "hash of downloaded" not in str(error):
            raise
        raise FirthError(
            f"{source}: its sha256 is not the known one, {known}: it is damaged or has changed; "
            f"if you trust it, remove its line from {folder / CHECKSUMS}, or download it by hand"
        ) from None
    seen = pooch.file_hash(path)
    try:
        files = _files(path, name, dataset)
        items = _items(files, dataset)
    except FirthError:
        path.unlink(missing_ok=True)  # otherwise it would be taken for the test from now on
        raise
    _install(files, folder / dataset.name)
    _record(folder, source, seen)
    return Fetched(dataset, source, folder / dataset.name, seen, bool(known), items)


def _file_name(source: str) -> str:
    """Return the name of the file at an address."""
    try:
        parts = urlsplit(source)
    except ValueError:  # as for a bracket that is not closed
        parts = urlsplit("")
    name = unquote(PurePosixPath(parts.path).name)
    if parts.scheme not in ("http", "https") or not name:
        raise FirthError(
            f"{source[:200]}: not the address of a file: it must begin with http or https"
        )
    return name


def _known_checksum(dataset: Dataset, folder: Path, source: str) -> str:
    if source == dataset.download and dataset.sha256:
        return dataset.sha256
    return _recorded(folder).get(source, "")


def _recorded(folder: Path) -> dict[str, str]:
    path = folder / CHECKSUMS
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise StoreError(f"{path}: not a record of checksums: fix it, or remove it")
    return found


def _record(folder: Path, source: str, sha256: str) -> None:
    with naming_write_errors(folder):
        known = {**_recorded(folder), source: sha256}
        write_whole(folder / CHECKSUMS, json.dumps(known, indent=2, sort_keys=True) + "\n")


class _Resuming:
    """A downloader for pooch that resumes interrupted downloads."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        """Download to the file that pooch names."""
        import requests

        del pooch
        target = Path(output_file)
        # pooch chooses another name each time, in the same folder.
        part = target.with_name(_part_name(url))
        try:
            self._download(requests, url, part)
        except requests.exceptions.RequestException as error:
            status = getattr(error.response, "status_code", None)
            cause = f"the server answered {status}" if status else _cause(error, bool(_had(part)))
            raise FirthError(
                f"{url}: cannot be downloaded: {cause}: check the connection and try again, or "
                "give another `address`"
            ) from None
        part.replace(target)
        part.with_suffix(".mark").unlink(missing_ok=True)

    def _download(self, requests: Any, url: str, part: Path) -> None:
        mark = part.with_suffix(".mark")
        have = _had(part)
        headers = {"Accept-Encoding": "identity"}
        if have:
            version = mark.read_text(encoding="utf-8")
            headers |= {"Range": f"bytes={have}-", "If-Range": version}
        with requests.get(url, stream=True, headers=headers, timeout=PATIENCE) as response:
            if response.status_code == 416 and have:  # it is complete, or has changed
                part.unlink()
                self._download(requests, url, part)
                return
            response.raise_for_status()
            if response.status_code != 206:
                have = 0
            version = _version(response.headers)
            if version:
                mark.write_text(version, encoding="utf-8")
            else:
                mark.unlink(missing_ok=True)
            total = have + int(response.headers.get("Content-Length") or 0)
            with open(part, "ab" if have else "wb") as file:
                for block in response.iter_content(BLOCK):
                    file.write(block)
                    have += len(block)
                    self._progress(Event("fetching", have, total, unit="bytes"))
            if total and have < total:
                raise requests.exceptions.ConnectionError("the connection broke off")


def _part_name(url: str) -> str:
    import hashlib

    return f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.part"


def _had(part: Path) -> int:
    """Return how many bytes are there already; 0 if their version is not known."""
    return part.stat().st_size if part.exists() and part.with_suffix(".mark").exists() else 0


def _version(headers: Mapping[str, str]) -> str:
    """Return what identifies the version of a file; empty if the server does not say."""
    tag = headers.get("ETag") or ""
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified") or ""


def _cause(error: Exception, kept: bool) -> str:
    """Say in a few words what went wrong with a connection."""
    name = type(error).__name__
    if "Timeout" in name:
        return "no answer in time"
    if "broke" in str(error) or "Incomplete" in str(error) or "Chunked" in name:
        return "the connection broke off" + ("; what arrived is kept" if kept else "")
    return "no connection"


def _files(path: Path, name: str, dataset: Dataset) -> dict[str, bytes]:
    """Return the files of a test, from an archive or as they are."""
    named = {file.lower() for files, _ in dataset.sources for file in files}
    wanted = {file if file.endswith("/") else file.rpartition("/")[2] for file in named}
    found: dict[str, bytes] = {}
    for member, content in _members(path, name):
        parts = PurePosixPath(member).parts
        folder = next((at for at, part in enumerate(parts) if f"{part.lower()}/" in wanted), None)
        if ".." in parts or "__MACOSX" in parts:
            continue
        if folder is not None:
            found["/".join(parts[folder:])] = content
        elif parts and parts[-1].lower() in wanted:
            found.setdefault(parts[-1], content)
    if not found:
        raise FirthError(
            f"{name}: holds no file of {dataset.name}: expected one of {', '.join(sorted(wanted))}"
        )
    return found


def _items(files: Mapping[str, bytes], dataset: Dataset) -> int:
    """Read the files of a test in a temporary folder, and return how many items they have."""
    with tempfile.TemporaryDirectory() as aside, naming_write_errors(Path(aside)):
        folder = Path(aside) / dataset.name  # some files are recognised by their folder
        _write(files, folder)
        folders = DataFolders([folder])
        try:
            found = folders.task(dataset.name) if folders.find(dataset) else None
            cause = f"{', '.join(sorted(files))}: not all of its files"
        except DatasetError as error:
            found, cause = None, str(error).removeprefix(f"{folder}/")
    if found is None:
        raise DatasetError(f"{cause}: what arrived is not {dataset.name}: give another `address`")
    return found.size


def _install(files: Mapping[str, bytes], target: Path) -> None:
    """Put the files of a test into a folder of their own."""
    ours = {PurePosixPath(file).parts[0] for file in files}
    if target.is_dir():
        ours |= {entry.name for entry in target.iterdir()}  # an earlier download is replaced
    with write_folder(target, ours, force=True) as aside:
        _write(files, aside)


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for file, content in files.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _members(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for info in archive.infolist():
                    if not info.is_dir() and info.file_size <= LARGEST:
                        yield info.filename, archive.read(info)
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                for member in archive:
                    opened = archive.extractfile(member) if member.isreg() else None
                    if opened is not None and member.size <= LARGEST:
                        yield member.name, opened.read()
        else:
            yield name, path.read_bytes()
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, RuntimeError) as error:
        raise FirthError(f"{name}: a damaged archive: {error}: download it again") from None
