"""What is shown of a machine: programs and libraries, and no packages of any language."""

from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel.sandbox import ExecResult, Mount
from featuredel.sandbox.host import shown

Shell = Callable[..., ExecResult]


def names(usr: Path) -> list[str]:
    return [path.relative_to(usr).as_posix() for path in shown(usr)]


def test_only_what_is_listed(tmp_path: Path) -> None:
    for place in (
        *("bin", "lib/x86_64-linux-gnu", "lib/python3/dist-packages", "lib/some-sdk", "share/doc"),
        *("share/zoneinfo", "local/lib/python3.12/site-packages", "local/bin", "share/man"),
        *("src", "share/python-wheels"),
    ):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "local" / "lib" / "libfrob.so.1.2").touch()
    (tmp_path / "lib" / "notes.txt").touch()
    assert names(tmp_path) == [
        "bin", "share/zoneinfo", "lib/x86_64-linux-gnu", "local/lib/libfrob.so.1.2",
    ]  # fmt: skip


def test_links_to_other_folders_are_not_shown_twice(tmp_path: Path) -> None:
    (tmp_path / "lib" / "aarch64-linux-gnu").mkdir(parents=True)
    (tmp_path / "lib64").symlink_to("lib")
    assert names(tmp_path) == ["lib/aarch64-linux-gnu"]


@pytest.mark.sandbox
def test_no_packages_are_seen_in_the_sandbox(quick: Shell) -> None:
    found = quick(
        "find / -path /proc -prune -o -path /workspace -prune -o"
        r" \( -name dist-packages -o -name '*.dist-info' -o -name '*.egg-info' -o -name '*.whl' \)"
        " -print 2>/dev/null"
    )
    assert found.stdout == b""
    assert quick("git --version && grep --version && find --version").exit_code == 0


@pytest.mark.sandbox
def test_what_is_hidden_is_empty_but_for_what_is_shown_in_it(quick: Shell, tmp_path: Path) -> None:
    library = tmp_path / "library"
    for name in ("pip", "support"):
        (library / "packages" / name).mkdir(parents=True)
        (library / "packages" / name / "code.py").touch()
    (library / "os.py").touch()
    result = quick(
        "cd /opt/x && find . -type f | sort; touch packages/new",
        mounts=(
            Mount(library, "/opt/x"),
            Mount(library / "packages" / "support", "/opt/x/packages/support"),
        ),
        hidden=("/opt/x/packages",),
    )
    assert result.stdout.split() == [b"./os.py", b"./packages/support/code.py"]
    assert b"Read-only" in result.stderr
