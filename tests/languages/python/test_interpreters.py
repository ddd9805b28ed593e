import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

from featuredel.languages.python.interpreters import Interpreter, hidden, inspect, mounts, suitable
from featuredel.languages.python.metadata import Metadata

HERE = tuple(
    Interpreter(version, Path(f"/opt/{version}/bin/python"), Path(f"/opt/{version}"))
    for version in ("3.13.0", "3.12.1", "3.11.7", "3.8.18")
)
NOTHING = Metadata("p", "", (), (), {}, buildable=True)


def versions(metadata: Metadata, released: date | None = None) -> list[str]:
    return [i.version for i in suitable(metadata, HERE, released)]


def named(*minors: str) -> Metadata:
    classifiers = tuple(f"Programming Language :: Python :: {minor}" for minor in minors)
    return replace(NOTHING, classifiers=("License :: X", *classifiers))


def test_what_the_classifiers_name_comes_first() -> None:
    assert versions(named("3", "3.11", "3.12")) == ["3.12.1", "3.11.7", "3.13.0", "3.8.18"]


def test_an_old_project_gets_the_nearest_one() -> None:
    assert versions(named("2.7", "3.6", "3.7"))[0] == "3.8.18"


def test_requires_python_excludes() -> None:
    assert versions(replace(NOTHING, requires_python=">=3.12,!=3.13.*")) == ["3.12.1"]
    assert versions(replace(NOTHING, requires_python="<3")) == []


def test_without_classifiers_the_day_decides() -> None:
    assert versions(NOTHING, date(2024, 1, 1))[:3] == ["3.12.1", "3.11.7", "3.8.18"]
    assert versions(NOTHING)[0] == "3.13.0"


def test_this_interpreter_is_found_behind_its_virtual_environment() -> None:
    found = inspect(Path(sys.executable))
    assert found is not None
    assert found.minor == sys.version_info[:2]
    assert found.home == Path(sys.base_prefix)


def test_what_does_not_run_is_none(tmp_path: Path) -> None:
    assert inspect(tmp_path / "python3.12") is None


def test_of_an_interpreter_nothing_is_shown_that_belongs_to_packages(tmp_path: Path) -> None:
    library = tmp_path / "lib" / "python3.12"
    for place in ("site-packages/pip", "ensurepip/_bundled", "test/support", "test/wheeldata"):
        (library / place).mkdir(parents=True)
    (library / "test" / "__init__.py").touch()
    (tmp_path / "bin").mkdir()
    for name in ("python3.12", "flask", "python3.11"):
        (tmp_path / "bin" / name).touch()
    (tmp_path / "bin" / "python3").symlink_to("python3.12")
    shown = [mount.target.removeprefix(f"{tmp_path}/") for mount in mounts(tmp_path, (3, 12))]
    assert shown == [
        *("bin/python3", "bin/python3.12", "lib"),
        *("lib/python3.12/test/__init__.py", "lib/python3.12/test/support"),
    ]
    assert hidden(tmp_path) == tuple(
        f"{library}/{place}" for place in ("ensurepip/_bundled", "site-packages", "test")
    )


def test_an_interpreter_in_usr_is_its_library() -> None:
    shown = [mount.target for mount in mounts(Path("/usr"), sys.version_info[:2])]
    assert all("/python" in path for path in shown)
