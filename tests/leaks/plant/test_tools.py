"""Where tools come from, and what is said where they are not there."""

import sys
from pathlib import Path

import pytest

from featuredel.leaks.plant import Unmade
from featuredel.leaks.plant.tools import Tools, python, run


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        ("program no-such-program", "no-such-program is not installed"),
        ("python 2.1", "Python 2.1 is not installed"),
        ("program sh", None),
    ],
)
def test_what_a_machine_lacks_is_told(need: str, reason: str | None, tmp_path: Path) -> None:
    assert Tools(tmp_path).lack(need) == reason


def test_tools_that_cannot_be_had_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty"))
    tools = Tools(tmp_path / "store")
    lacking = tools.lack("pins editors")
    assert lacking is not None
    assert "the tools of 'editors' cannot be had" in lacking
    assert not list((tmp_path / "store").glob("*/.ready"))
    assert tools.lack("pins editors") == lacking, "it is not tried again in this run"


def test_a_tool_that_fails_says_how(tmp_path: Path) -> None:
    with pytest.raises(Unmade, match="sh ended with 3: out of luck"):
        run(["sh", "-c", "echo out of luck; exit 3"], tmp_path)


def test_a_tool_that_is_not_there_is_unmade(tmp_path: Path) -> None:
    with pytest.raises(Unmade, match="No such file"):
        run([str(tmp_path / "nothing")], tmp_path)


def test_this_python_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.base_prefix) / "bin"))
    assert python(f"3.{sys.version_info.minor}") is not None
