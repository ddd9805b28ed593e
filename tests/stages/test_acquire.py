"""acquire: one tree from each kind of source, checked, and kept by its hash."""

import datetime
import io
import os
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from featuredel import git, trees
from featuredel.config import RepositorySpec, Settings, load
from featuredel.errors import InfrastructureError, Rejected, SourceError, UsageError
from featuredel.model import Snapshot
from featuredel.sources import ArchiveSource
from featuredel.sources.licences import LicencePolicy
from featuredel.sources.registry import Archive
from featuredel.stages import acquire as stage
from featuredel.stages.acquire import acquire

PKG_INFO = b"Metadata-Version: 2.4\nName: toy\nVersion: 1.0\nLicense-Expression: MIT\n"


def spec_of(tmp_path: Path, source: str, more: str = "") -> RepositorySpec:
    path = tmp_path / "repos.yaml"
    path.write_text(f"repositories:\n- source: {source}\n  name: toy\n{more}")
    return load(path).repositories[0]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "toy").mkdir(parents=True)
    (root / "PKG-INFO").write_bytes(PKG_INFO)
    (root / "toy" / "__init__.py").write_bytes(b"a = 1\r\n")
    (root / "toy" / "link.py").symlink_to("__init__.py")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9")).write_bytes(b"\xff")
    return root


def test_a_directory(project: Path, tmp_path: Path) -> None:
    (project / "toy" / "__pycache__").mkdir()
    (project / "toy" / "__pycache__" / "x.pyc").write_bytes(b"")
    found = acquire(spec_of(tmp_path, "project"), tmp_path / "work")
    assert found == Snapshot(
        repository="toy",
        source="project",
        source_sha256="",
        version="1.0",
        released=None,
        licence="MIT",
        tree=trees.tree_hash(found.root),
        root=tmp_path / "work" / "snapshots" / found.tree,
    )
    assert list(trees.files(found.root)) == [
        "PKG-INFO",
        "caf\udce9",
        "toy/__init__.py",
        "toy/link.py",
    ]
    assert (found.root / "toy" / "__init__.py").read_bytes() == b"a = 1\r\n"
    assert os.listdir(tmp_path / "work" / "snapshots") == [found.tree]  # noqa: PTH208


def test_a_checkout_gives_what_is_tracked_as_it_is_on_disk(project: Path, tmp_path: Path) -> None:
    git.commit_all(project)
    (project / "untracked").write_bytes(b"")
    (project / "toy" / "__init__.py").write_bytes(b"a = 2\n")
    (project / "toy" / "link.py").unlink()
    found = acquire(spec_of(tmp_path, "project"), tmp_path / "work")
    assert list(trees.files(found.root)) == ["PKG-INFO", "caf\udce9", "toy/__init__.py"]
    assert (found.root / "toy" / "__init__.py").read_bytes() == b"a = 2\n"


def test_a_commit(project: Path, tmp_path: Path) -> None:
    (project / "PKG-INFO").unlink()
    (project / "LICENSE").write_text(
        "This is free and unencumbered software released into the public domain."
    )
    commit = git.commit_all(project)
    git.run(project / ".git", ["tag", "toy-2.1"])
    found = acquire(spec_of(tmp_path, f"git+file://{project}@toy-2.1"), tmp_path / "work")
    assert found.source == f"git+file://{project}@{commit}"
    assert (found.version, found.licence) == ("2.1", "Unlicense")
    assert found.released == datetime.date(2000, 1, 1)
    assert found.tree == git.run(project / ".git", ["rev-parse", "HEAD^{tree}"]).decode().strip()


def test_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tarfile.open(tmp_path / "archive", "w:gz") as archive:
        info = tarfile.TarInfo("toy-1.0/PKG-INFO")
        info.size = len(PKG_INFO)
        archive.addfile(info, io.BytesIO(PKG_INFO))
    released = datetime.date(2024, 5, 6)

    def fetch(source: ArchiveSource, cache: Path, max_bytes: int) -> Archive:
        assert (source.name, cache, max_bytes) == ("toy", tmp_path / "work" / "archives", 77)
        return Archive(tmp_path / "archive", "5" * 64, "toy-1.0.tar.gz", released)

    monkeypatch.setattr(stage, "fetch_archive", fetch)
    spec = spec_of(tmp_path, "pkg:pypi/Toy@1.0", "  max_archive_bytes: 77\n")
    found = acquire(spec, tmp_path / "work")
    assert (found.source, found.source_sha256) == ("pkg:pypi/toy@1.0", "5" * 64)
    assert (found.released, found.version) == (released, "1.0")
    assert list(trees.files(found.root)) == ["PKG-INFO"]


def test_two_workers_race_for_one_snapshot(project: Path, tmp_path: Path) -> None:
    spec = spec_of(tmp_path, "project")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: acquire(spec, tmp_path / "work"), range(8)))
    assert len(set(found)) == 1
    assert trees.tree_hash(found[0].root) == found[0].tree


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("PKG-INFO", PKG_INFO.replace(b"MIT", b"GPL-3.0-only"), "licence not allowed"),
        ("PKG-INFO", b"Metadata-Version: 2.4\nName: toy\nVersion: 1.0\n", "unknown licence"),
        (".env", b"TOKEN=ghp" + b"_aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY2\n", "holds credentials"),
        ("big.py", b"#" * (32 * 1024 * 1024 + 1), "too large"),
    ],
)
def test_trees_that_may_not_enter(
    project: Path, tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (project / name).write_bytes(content)
    with pytest.raises(Rejected) as caught:
        acquire(spec_of(tmp_path, "project"), tmp_path / "work")
    assert caught.value.reason == reason
    assert caught.value.detail
    assert list((tmp_path / "work" / "snapshots").iterdir()) == []


def test_a_licence_that_the_user_states(project: Path, tmp_path: Path) -> None:
    (project / "PKG-INFO").unlink()
    found = acquire(spec_of(tmp_path, "project", "  licence: isc\n"), tmp_path / "work")
    assert found.licence == "ISC"
    spec = replace(spec_of(tmp_path, "project"), licences=LicencePolicy(unknown="allow"))
    assert acquire(spec, tmp_path / "work").licence == "LicenseRef-unknown"


def test_an_empty_repository(tmp_path: Path) -> None:
    (tmp_path / "project" / "empty").mkdir(parents=True)
    with pytest.raises(Rejected, match=r"^empty repository"):
        acquire(spec_of(tmp_path, "project"), tmp_path / "work")
    git.commit_all(tmp_path / "project")
    with pytest.raises(Rejected, match=r"^empty repository"):
        acquire(spec_of(tmp_path, f"git+file://{tmp_path}/project"), tmp_path / "work")


def test_a_link_out_of_a_directory(project: Path, tmp_path: Path) -> None:
    (project / "out").symlink_to("../repos.yaml")
    with pytest.raises(Rejected, match=r"^unsafe directory: a link out of the tree: 'out'"):
        acquire(spec_of(tmp_path, "project"), tmp_path / "work")


@pytest.mark.parametrize(
    "source", ["nowhere", "repos.yaml", "git+file:///nowhere/at/all", "git+file:///nowhere@v1"]
)
def test_sources_that_are_not_there(tmp_path: Path, source: str) -> None:
    with pytest.raises(UsageError) as caught:
        acquire(spec_of(tmp_path, source), tmp_path / "work")
    assert str(caught.value).startswith(f"{tmp_path}/repos.yaml:2: repositories[0].source: ")
    assert "\n" not in str(caught.value)


def test_a_source_that_cannot_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object) -> Archive:
        raise SourceError("pkg:pypi/toy@1.0: no route to host")

    monkeypatch.setattr(stage, "fetch_archive", fetch)
    expected = r"repos\.yaml:2: repositories\[0\]\.source: pkg:pypi/toy@1\.0: no route to host"
    with pytest.raises(SourceError, match=expected):
        acquire(spec_of(tmp_path, "pkg:pypi/toy@1.0"), tmp_path / "work")


def test_limits_can_be_handed_in(project: Path, tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"^too large: more files than max_files, 2"):
        acquire(spec_of(tmp_path, "project"), tmp_path / "work", Settings(max_files=2))


def test_a_fault_of_this_machine(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/somewhere")

    monkeypatch.setattr(stage, "write_tree", full)
    with pytest.raises(InfrastructureError, match="/somewhere: No space left on device"):
        acquire(spec_of(tmp_path, "project"), tmp_path / "work")


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        (None, None),
        (("v1.2", 0), "1.2"),
        (("1.2", 3), "1.2.post3"),
        (("toy-1.2rc1", 3), "1.2rc1.post3"),
        (("release/1.2", 0), "1.2"),
        (("1.2.post1", 4), "1.2.post1"),
        (("nightly", 1), None),
    ],
)
def test_versions_from_tags(described: tuple[str, int] | None, expected: str | None) -> None:
    assert stage._described_version(described) == expected
