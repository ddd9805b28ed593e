import contextlib
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from featuredel.config import Install, RepositorySpec, Settings
from featuredel.errors import Rejected, UsageError
from featuredel.languages.python.interpreters import interpreters
from featuredel.model import Environment, EnvironmentRow, Snapshot
from featuredel.sandbox import Command, ExecResult, Ground, Sandbox
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sources import parse_source
from featuredel.stages.environment import FORMAT, environment, rebuild
from featuredel.trees import tree_hash


class NoSandbox:
    """Says that nothing may run."""

    name = "none"

    def run(self, command: Command) -> ExecResult:
        raise AssertionError("nothing should have run")

    def seen(self, command: Command) -> contextlib.nullcontext[tuple[Ground, ...]]:
        """Show nothing."""
        return contextlib.nullcontext(())

    def open(self, command: Command) -> None:
        """Return no session."""


def snapshot(root: Path, files: Mapping[str, str]) -> Snapshot:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Snapshot(
        repository="toy",
        source="toy",
        source_sha256="",
        version="1.5",
        released=date(2025, 6, 1),
        licence="MIT",
        tree=tree_hash(root),
        root=root,
    )


def build(
    taken: Snapshot,
    work: Path,
    sandbox: Sandbox,
    *,
    python: str | None = None,
    install: Install | None = None,
    test: tuple[str, ...] = (),
) -> Environment:
    origin = parse_source(str(taken.root), taken.root.parent, None)
    spec = RepositorySpec("toy", "toy", origin, python=python, install=install, test=test)
    return environment(taken, spec, sandbox, work, Settings())


def test_a_tree_without_tests_is_rejected_before_anything_runs(tmp_path: Path) -> None:
    taken = snapshot(tmp_path / "tree", {"pkg/__init__.py": ""})
    with pytest.raises(Rejected, match="no tests"):
        build(taken, tmp_path / "work", NoSandbox())


def test_a_test_root_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    taken = snapshot(tmp_path / "tree", {"tests/test_a.py": "def test_a(): pass\n"})
    for roots in (("tests/nope",), ("-k", "a", "tests/nope"), ("tests/nope::test_a",)):
        with pytest.raises(UsageError, match=f"test: {roots[-1]}: no such path in "):
            build(taken, tmp_path / "work", NoSandbox(), test=roots)


def test_an_interpreter_that_is_not_here_rejects(tmp_path: Path) -> None:
    taken = snapshot(tmp_path / "tree", {"tests/test_a.py": "def test_a(): pass\n"})
    with pytest.raises(Rejected, match=r"no suitable interpreter: wants 3\.99"):
        build(taken, tmp_path / "work", NoSandbox(), python="3.99")


def test_a_project_that_wants_another_python_is_rejected(tmp_path: Path) -> None:
    files = {
        "tests/test_a.py": "def test_a(): pass\n",
        "pyproject.toml": '[project]\nname = "toy"\nrequires-python = "<3"\n',
    }
    with pytest.raises(Rejected, match="no suitable interpreter: requires Python <3"):
        build(snapshot(tmp_path / "tree", files), tmp_path / "work", NoSandbox())


def test_a_recorded_environment_is_built_again_unless_it_is_there(tmp_path: Path) -> None:
    taken = snapshot(tmp_path / "tree", {"toy.py": ""})
    row = EnvironmentRow(
        id="0" * 64, repository="toy", interpreter=interpreters()[0].version, lock=(),
        build=("by a path file",), test_roots=("tests",), runner="pytest", variables="{}",
    )  # fmt: skip
    older = tmp_path / "work" / "environments" / "older"
    older.mkdir(parents=True)
    record = older / "environment.json"
    record.write_text(json.dumps({"id": row.id, "format": FORMAT - 1}))
    found = rebuild(row, taken, NoSandbox(), tmp_path / "work", Settings())
    assert found.prefix.parent != older
    assert list(found.prefix.rglob("site-packages/_project.pth"))
    assert (found.id, found.build, found.test_roots) == (row.id, row.build, row.test_roots)
    assert rebuild(row, taken, NoSandbox(), tmp_path / "work", Settings()) == found
    older.rename(tmp_path / "older")
    found.prefix.parent.rename(older)
    assert rebuild(row, taken, NoSandbox(), tmp_path / "work", Settings()).prefix.parent == older


@pytest.mark.sandbox
@pytest.mark.network
def test_from_the_metadata_to_an_environment_and_its_cache(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": """
            [build-system]
            requires = ["setuptools>=64", "setuptools-scm>=8"]
            build-backend = "setuptools.build_meta"
            [project]
            name = "toy"
            dynamic = ["version"]
            dependencies = ["iniconfig"]
            [tool.setuptools]
            packages = ["toy"]
            [tool.setuptools_scm]
            version_file = "toy/_version.py"
        """,
        "toy/__init__.py": "from toy._version import version\nimport iniconfig\n",
        "tests/test_toy.py": "import six, toy\ndef test_a(): assert toy.version\n",
    }
    taken = snapshot(tmp_path / "tree", files)
    found = build(taken, tmp_path / "work", Bubblewrap())
    names = {pin.partition("==")[0] for pin in found.lock}
    assert {"pytest", "iniconfig", "six"} <= names
    assert "toy" not in names
    assert found.test_roots == ("tests",)
    assert found.products is not None
    assert [p.name for p in found.products.rglob("*.py")] == ["_version.py"]
    assert "1.5" in (found.products / "toy/_version.py").read_text()
    assert not list(found.prefix.rglob("site-packages/toy"))
    assert found.target_refusal == ""
    assert tree_hash(taken.root) == taken.tree
    assert build(taken, tmp_path / "work", NoSandbox()) == found


@pytest.mark.sandbox
@pytest.mark.network
def test_a_folder_without_a_build_and_a_target_that_the_runner_needs(tmp_path: Path) -> None:
    files = {
        "setup.cfg": "[metadata]\nname = pluggy\n",
        "pluggy/__init__.py": "raise RuntimeError('the copy under test')\n",
        "test_a.py": "def test_a(): pass\n",
    }
    plain = snapshot(tmp_path / "plain", {"test_a.py": "import a\ndef test_a(): a\n", "a.py": ""})
    found = build(plain, tmp_path / "work", Bubblewrap())
    assert found.build[-1].startswith("by a path file")
    other = build(plain, tmp_path / "work", Bubblewrap(), test=(".",))
    assert (other.test_roots, other.lock) == ((".",), found.lock)
    assert other.id != found.id  # a task finds its environment by the id, and runs what it names
    with pytest.raises(Rejected):
        build(snapshot(tmp_path / "tree", files), tmp_path / "work", Bubblewrap())
