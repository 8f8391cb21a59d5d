"""Downloads from a server on this machine: checked, resumed, unpacked; and what goes wrong."""

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from firth.errors import FirthError
from firth.evaluation.fetching import CHECKSUMS, fetch
from firth.evaluation.finding import DataFolders
from firth.evaluation.registry import dataset_of

PAIRS = b"gem jewel 3.94\nmidday noon 3.94\ncord smile 0.02\n"
DATE = "Wed, 01 Jan 2020 00:00:00 GMT"


class Server(ThreadingHTTPServer):
    """Files by path, which may break off after so many bytes."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.breaks: dict[str, int] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.weak = False  # whether tags of versions are, so that only dates tell them apart
        self.dated = True

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.lstrip("/")
        wanted = self.headers.get("Range")
        self.server.asked.append((name, wanted))
        if name not in self.server.files:
            self.send_error(416 if name == "unsatisfied.txt" else 404)
            return
        content = self.server.files[name]
        tag = f'"{hashlib.sha256(content).hexdigest()[:8]}"'
        begin = 0
        if wanted and self.headers.get("If-Range") == (DATE if self.server.weak else tag):
            begin = int(wanted.removeprefix("bytes=").rstrip("-"))
        if begin and begin >= len(content):
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if begin else 200)
        self.send_header("ETag", f"W/{tag}" if self.server.weak else tag)
        if self.server.dated:
            self.send_header("Last-Modified", DATE)
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        end = self.server.breaks.pop(name, len(content))
        self.wfile.write(content[begin:end])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def rg65(server):
    """The set rg65, as if it came from the server."""
    server.files["EN-RG-65.txt"] = PAIRS
    return replace(dataset_of("rg65"), download=server.url("EN-RG-65.txt"))


def test_a_file_is_fetched_once_and_its_checksum_recorded(server, rg65, tmp_path):
    found = fetch(rg65, tmp_path)
    digest = hashlib.sha256(PAIRS).hexdigest()
    assert (found.sha256, found.checked, found.items) == (digest, False, 3)
    assert (tmp_path / "rg65" / "EN-RG-65.txt").read_bytes() == PAIRS
    assert json.loads((tmp_path / CHECKSUMS).read_text()) == {rg65.download: digest}
    again = fetch(rg65, tmp_path)
    assert (again.checked, again.sha256) == (True, digest)
    assert len(server.asked) == 1
    assert not list((tmp_path / "downloads").glob("*.part"))


def test_what_cannot_be_read_is_neither_kept_nor_recorded(server, rg65, tmp_path):
    server.files["EN-RG-65.txt"] = b"<html>\n"
    message = r"^EN-RG-65\.txt:1: .*: what arrived is not rg65: give another address"
    with pytest.raises(FirthError, match=message):
        fetch(rg65, tmp_path)
    assert not (tmp_path / "rg65").exists()
    assert not (tmp_path / CHECKSUMS).exists()
    server.files["EN-RG-65.txt"] = PAIRS
    assert fetch(rg65, tmp_path).items == 3
    server.files["other/EN-RG-65.txt"] = b"<html>\n"
    with pytest.raises(FirthError, match="what arrived is not rg65"):
        fetch(rg65, tmp_path, server.url("other/EN-RG-65.txt"))
    assert (tmp_path / "rg65" / "EN-RG-65.txt").read_bytes() == PAIRS
    server.files["half.zip"] = archive("zip", {"en.test.data.txt": b"sun\tmoon\n"})
    with pytest.raises(
        FirthError, match=r"^en\.test\.data\.txt: not all of its files: what arrived"
    ):
        fetch(dataset_of("semeval17"), tmp_path, server.url("half.zip"))


def test_another_address_is_another_file(server, rg65, tmp_path):
    fetch(rg65, tmp_path)
    server.files["mirror/EN-RG-65.txt"] = b"gem jewel 1\n"
    assert fetch(rg65, tmp_path, server.url("mirror/EN-RG-65.txt")).items == 1


def test_a_file_that_changed_since_is_refused(server, rg65, tmp_path):
    fetch(rg65, tmp_path)
    for path in (tmp_path / "downloads").iterdir():
        path.unlink()
    server.files["EN-RG-65.txt"] = b"gem jewel 1\n"
    with pytest.raises(FirthError, match="its sha256 is not the known one"):
        fetch(rg65, tmp_path)
    assert (tmp_path / "rg65" / "EN-RG-65.txt").read_bytes() == PAIRS


def test_the_checksum_of_the_registry_is_kept_to(server, rg65, tmp_path):
    right = replace(rg65, sha256=hashlib.sha256(PAIRS).hexdigest())
    assert fetch(right, tmp_path).checked
    wrong = replace(rg65, sha256="0" * 64)
    with pytest.raises(FirthError, match="not the known one, 000"):
        fetch(wrong, tmp_path / "other")
    assert not (tmp_path / "other" / "rg65").exists()


def test_a_download_that_broke_off_goes_on(server, rg65, tmp_path):
    content = b"".join(b"word%d other%d %d\n" % (i, i, i % 7) for i in range(20_000))
    server.files["EN-RG-65.txt"] = content
    server.breaks["EN-RG-65.txt"] = 150_000
    with pytest.raises(FirthError, match="broke off; what arrived is kept: check the connection"):
        fetch(rg65, tmp_path)
    assert not (tmp_path / "rg65").exists()
    found = fetch(rg65, tmp_path)
    assert found.sha256 == hashlib.sha256(content).hexdigest()
    begin = int(server.asked[1][1].removeprefix("bytes=").rstrip("-"))
    assert 0 < begin <= 150_000


def test_a_small_file_goes_on_by_its_date_where_its_tag_is_weak(server, rg65, tmp_path):
    content = b"gem jewel 3.94\n" * 1000
    server.files["EN-RG-65.txt"] = content
    server.breaks["EN-RG-65.txt"] = 10_000
    server.weak = True
    with pytest.raises(FirthError, match="broke off; what arrived is kept: check"):
        fetch(rg65, tmp_path)
    assert fetch(rg65, tmp_path).sha256 == hashlib.sha256(content).hexdigest()
    assert server.asked[1][1] == "bytes=8192-"


@pytest.mark.parametrize(("end", "weak"), [(10, False), (10_000, True)])
def test_what_cannot_go_on_is_not_said_to_be_kept(server, rg65, tmp_path, end, weak):
    server.files["EN-RG-65.txt"] = b"gem jewel 3.94\n" * 1000
    server.breaks["EN-RG-65.txt"] = end
    server.weak, server.dated = weak, False
    with pytest.raises(FirthError, match="the connection broke off: check the connection"):
        fetch(rg65, tmp_path)
    assert fetch(rg65, tmp_path).items == 1000
    assert server.asked[1][1] is None


def test_a_file_that_changed_in_between_is_fetched_anew(server, rg65, tmp_path):
    server.files["EN-RG-65.txt"] = b"a b 1\n" * 40_000
    server.breaks["EN-RG-65.txt"] = 140_000
    with pytest.raises(FirthError, match="broke off"):
        fetch(rg65, tmp_path)
    server.files["EN-RG-65.txt"] = PAIRS
    assert fetch(rg65, tmp_path).items == 3


def archive(kind, files):
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as packed:
            for name, content in files.items():
                packed.writestr(name, content)
    else:
        with tarfile.open(fileobj=out, mode="w:gz") as packed:
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                packed.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_of_an_archive_only_the_test_is_unpacked(server, tmp_path, kind):
    files = {
        "ws353simrel/wordsim_similarity_goldstandard.txt": b"tiger\tcat\t7.35\n",
        "ws353simrel/README": b"read me",
        "../wordsim_similarity_goldstandard.txt": b"evil\tevil\t1\n",
        "__MACOSX/wordsim_similarity_goldstandard.txt": b"\0",
    }
    server.files[f"sets.{kind}"] = archive(kind, files)
    found = fetch(dataset_of("ws353-sim"), tmp_path, server.url(f"sets.{kind}"))
    assert found.items == 1
    names = sorted(path.name for path in (tmp_path / "ws353-sim").iterdir())
    assert names == ["wordsim_similarity_goldstandard.txt"]


def test_a_file_that_is_known_by_its_folder_is_found_again(server, tmp_path):
    server.files["w.zip"] = archive("zip", {"combined.csv": b"Word 1,Word 2,Mean\nlove,sex,6.77\n"})
    assert fetch(dataset_of("ws353"), tmp_path, server.url("w.zip")).items == 1
    assert DataFolders([tmp_path]).task("ws353").pairs == (("love", "sex", 6.77),)


def test_a_folder_of_an_archive_is_unpacked_whole(server, tmp_path):
    files = {"BATS_3.0/1_Infl/I01.txt": b"album\talbums\napp\tapps\n", "BATS_3.0/x.md": b"x"}
    server.files["BATS.zip"] = archive("zip", files)
    assert fetch(dataset_of("bats"), tmp_path, server.url("BATS.zip")).items == 2
    assert (tmp_path / "bats" / "BATS_3.0" / "1_Infl" / "I01.txt").exists()


def test_what_goes_wrong_is_one_line_with_a_remedy(server, rg65, tmp_path):
    with pytest.raises(FirthError, match="the server answered 404: check the connection"):
        fetch(rg65, tmp_path, server.url("nothing.txt"))
    with pytest.raises(FirthError, match="the server answered 416: check the connection"):
        fetch(rg65, tmp_path, server.url("unsatisfied.txt"))
    server.files["other.txt"] = PAIRS
    with pytest.raises(
        FirthError, match=r"other\.txt: holds no file of rg65: expected one of .*en-rg-65\.txt"
    ):
        fetch(rg65, tmp_path, server.url("other.txt"))
    server.files["bad.zip"] = archive("zip", {"EN-RG-65.txt": PAIRS})[:-30]
    with pytest.raises(FirthError, match=r"bad\.zip: (holds no file|a damaged archive)"):
        fetch(rg65, tmp_path, server.url("bad.zip"))
    for address in ("file:///etc/passwd", "http://[::1/x.txt"):
        with pytest.raises(FirthError, match="not the address of a file"):
            fetch(rg65, tmp_path, address)
    with pytest.raises(FirthError, match="toefl: bring your own file"):
        fetch(dataset_of("toefl"), tmp_path)
    (tmp_path / CHECKSUMS).write_text("[1]")
    with pytest.raises(FirthError, match="not a record of checksums"):
        fetch(rg65, tmp_path)


def test_without_a_connection(server, rg65, tmp_path):
    gone = Server()
    address = gone.url("EN-RG-65.txt")
    gone.server_close()
    with pytest.raises(
        FirthError, match="cannot be downloaded: no connection: check the connection"
    ):
        fetch(rg65, tmp_path, address)
