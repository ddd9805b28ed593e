"""Source archives: found in an index, verified, kept. The index is one of the test's own."""

import datetime
import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pypi_simple import PYPI_SIMPLE_ENDPOINT
from urllib3.util import Retry

from featuredel.errors import Rejected, SourceError, UsageError
from featuredel.sources import ArchiveSource, registry

CONTENT = gzip.compress(b"not really a tar archive", mtime=0)
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def listed(filename: str, sha256: str = DIGEST) -> dict[str, object]:
    return {
        "filename": filename,
        "url": f"/files/{filename}",
        "hashes": {"sha256": sha256} if sha256 else {},
        "upload-time": "2024-05-06T23:59:59.5Z",
    }


class Index(ThreadingHTTPServer):
    """A package index with one project, `toy`; counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.broken_answers = 0
        self.files = [
            listed("toy-1.0.tar.gz"),
            listed("toy-1.0-py3-none-any.whl", "1" * 64),
            listed("toy-2.0-py3-none-any.whl", "2" * 64),
            listed("toy-3.0.tar.gz", ""),
        ]


class Handler(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.server.broken_answers:
            self.server.broken_answers -= 1
            self.answer(503, "text/plain", b"")
        elif self.path == "/simple/toy/":
            page = {"meta": {"api-version": "1.1"}, "name": "toy", "files": self.server.files}
            self.answer(200, "application/vnd.pypi.simple.v1+json", json.dumps(page).encode())
        elif self.path.startswith("/files/"):
            self.answer(200, "application/octet-stream", CONTENT)
        elif self.path == "/simple/odd/":
            self.answer(200, "image/png", b"")
        else:
            self.answer(404, "text/plain", b"")

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with Index() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://127.0.0.1:{server.server_port}/simple/")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(registry, "_RETRY", Retry(total=2, status_forcelist=(503,)))
        yield server
        server.shutdown()
        thread.join()


def fetch(
    tmp_path: Path, version: str = "1.0", sha256: str | None = None, name: str = "toy"
) -> registry.Archive:
    source = ArchiveSource("pypi", name, version, sha256)
    return registry.fetch_archive(source, tmp_path / "archives", max_bytes=1000)


@pytest.mark.parametrize("sha256", [None, DIGEST])
@pytest.mark.parametrize("version", ["1.0", "1"])
def test_an_archive(index: Index, tmp_path: Path, version: str, sha256: str | None) -> None:
    found = fetch(tmp_path, version, sha256)
    assert found.path.read_bytes() == CONTENT
    assert found.sha256 == DIGEST
    assert found.filename == "toy-1.0.tar.gz"
    assert found.released == datetime.date(2024, 5, 6)
    assert sorted(path.name for path in found.path.parent.iterdir()) == [DIGEST, f"{DIGEST}.json"]


def test_what_is_kept_needs_no_network(index: Index, tmp_path: Path) -> None:
    first = fetch(tmp_path)
    asked = list(index.asked)
    assert fetch(tmp_path, sha256=DIGEST) == first
    assert index.asked == asked
    assert fetch(tmp_path) == first  # without a digest the index says which it is
    assert index.asked == [*asked, "/simple/toy/"]


@pytest.mark.parametrize(
    ("name", "version", "told"),
    [("none", "1.0", "there is no package"), ("toy", "9.9", "version 9")],
)
def test_what_is_kept_is_not_taken_for_another_package_or_version(
    index: Index, tmp_path: Path, name: str, version: str, told: str
) -> None:
    fetch(tmp_path)
    with pytest.raises(UsageError, match=told):
        fetch(tmp_path, version, DIGEST, name)


def test_what_is_damaged_is_fetched_anew(index: Index, tmp_path: Path) -> None:
    fetch(tmp_path).path.write_bytes(b"half")
    assert fetch(tmp_path, sha256=DIGEST).path.read_bytes() == CONTENT


def test_an_index_without_digests(index: Index, tmp_path: Path) -> None:
    assert fetch(tmp_path, "3.0").sha256 == DIGEST
    with pytest.raises(UsageError, match=rf"the sha256 is {DIGEST}, not {'4' * 64}"):
        fetch(tmp_path, "3.0", "4" * 64)
    assert len(list((tmp_path / "archives").iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "version", "sha256", "message"),
    [
        ("none", "1.0", None, r"pkg:pypi/none@1\.0: there is no package 'none'"),
        ("toy", "9.9", None, r"toy has no version 9\.9"),
        ("toy", "1.0", "5" * 64, rf"the archive's sha256 is {DIGEST}, not 5555"),
    ],
)
def test_what_the_user_can_mend(
    index: Index, tmp_path: Path, name: str, version: str, sha256: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        fetch(tmp_path, version, sha256, name)


def test_a_release_without_a_source_archive(index: Index, tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"^no source archive: pkg:pypi/toy@2\.0"):
        fetch(tmp_path, "2.0")


def test_an_archive_that_is_too_large(index: Index, tmp_path: Path) -> None:
    source = ArchiveSource("pypi", "toy", "1.0", None)
    with pytest.raises(Rejected, match=r"^too large: toy-1\.0\.tar\.gz .* max_archive_bytes is 10"):
        registry.fetch_archive(source, tmp_path / "archives", max_bytes=10)
    assert list((tmp_path / "archives").iterdir()) == []


def test_a_failure_that_passes(index: Index, tmp_path: Path) -> None:
    index.broken_answers = 2
    assert fetch(tmp_path).sha256 == DIGEST


def test_a_failure_that_stays(index: Index, tmp_path: Path) -> None:
    index.broken_answers = 100
    with pytest.raises(SourceError, match=r"^pkg:pypi/toy@1\.0: ") as caught:
        fetch(tmp_path)
    assert "\n" not in str(caught.value)
    assert len(index.asked) == 3


def test_an_odd_answer(index: Index, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the index answered oddly"):
        fetch(tmp_path, name="odd")


def test_nobody_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RETRY", Retry(total=0))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(SourceError, match=r"pkg:pypi/toy@1\.0"):
        fetch(tmp_path)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, PYPI_SIMPLE_ENDPOINT),
        ({"PIP_INDEX_URL": "https://a/simple"}, "https://a/simple"),
        ({"PIP_INDEX_URL": "https://a/", "UV_DEFAULT_INDEX": "https://b/"}, "https://b/"),
        ({"UV_DEFAULT_INDEX": "name=https://b/?c=d"}, "https://b/?c=d"),
        ({"UV_INDEX_URL": "https://c/?c=d"}, "https://c/?c=d"),
    ],
)
def test_the_index_that_the_user_names(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert registry._endpoint() == expected
