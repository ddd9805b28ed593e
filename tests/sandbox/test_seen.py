"""What a sandbox says that it shows is what a command finds."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from featuredel.sandbox import Command, Mount, Sandbox, SeenFile
from featuredel.sandbox.seen import files_below, of_mounts


def names(files: Sequence[SeenFile]) -> list[str]:
    return [file.seen for file in files]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "library"
    (root / "packages" / "own").mkdir(parents=True)
    (root / "a.py").write_text("x = 1\n")
    (root / "packages" / "b.py").touch()
    (root / "packages" / "own" / "c.py").touch()
    (root / "link").symlink_to("packages")
    return root


def test_files_below(library: Path) -> None:
    found = names(tuple(files_below(library, "/opt")))
    assert sorted(found) == [
        "/opt/a.py",
        "/opt/link",
        "/opt/packages/b.py",
        "/opt/packages/own/c.py",
    ]
    hidden = names(tuple(files_below(library, "", ("/packages",))))
    assert sorted(hidden) == ["/a.py", "/link"]
    assert names(tuple(files_below(library / "a.py", "/opt/a.py"))) == ["/opt/a.py"]


def test_the_mark_is_that_of_the_files_as_they_are(library: Path) -> None:
    (part,) = of_mounts([Mount(library, "/opt"), Mount(library, "/out", writable=True)], ())
    first = part.mark
    assert part.mark == first
    (library / "a.py").write_text("x = 12\n")
    assert part.mark != first


@pytest.mark.sandbox
def test_what_is_told_is_what_is_found(back_end: Sandbox, library: Path, tree: Path) -> None:
    command = Command(
        argv=("find", "/opt", "-type", "f", "-o", "-type", "l"), layers=(tree,),
        mounts=(
            Mount(library, "/opt/x", lasting=True),
            Mount(library / "packages" / "own", "/opt/x/packages/own", lasting=True),
            Mount(library, "/opt/y"),
        ),
        hidden=("/opt/x/packages", "/opt/y/packages"),
    )  # fmt: skip
    found = back_end.run(command).stdout.decode().split()
    told: list[str] = []
    with back_end.seen(Command((), ())) as common, back_end.seen(command) as grounds:
        assert set(common) < set(grounds)
        for ground in set(grounds) - set(common):
            with ground.files() as files:
                told += [name for name in names(files) if name.startswith("/opt/")]
    assert sorted(told) == sorted(found)
    assert "/opt/x/packages/own/c.py" in found
    with back_end.seen(command) as again:
        assert again == grounds
        assert [ground.mark for ground in again] == [ground.mark for ground in grounds]
