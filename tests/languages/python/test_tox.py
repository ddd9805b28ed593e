from pathlib import Path

import pytest

from featuredel.languages.python.tox import (
    Installed,
    for_tests,
    from_arguments,
    from_nox,
    from_tox,
)


def test_tox_ini_with_factors_references_and_files(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text("""
[tox]
envlist = py38,lint
[base]
deps =
    mock
[testenv]
deps =
    {[base]deps}
    -r{toxinidir}/requirements/tests.txt
    -c constraints.txt
    unit: responses
    unit-!py38t: matplotlib; python_version < "4"
    docs: sphinx
    py{38,39}: six
    numpy=={env:NUMPY:1.0}
extras = fast, slow
dependency_groups =
    tests
[testenv:lint]
deps = ruff
[testenv:py38]
deps = tomli
""")
    found = from_tox(tmp_path, {})
    assert found.requirements == (
        *("mock", "responses", 'matplotlib; python_version < "4"', "six", "numpy==1.0", "tomli"),
    )
    assert found.files == ("requirements/tests.txt",)
    assert found.extras == ("fast", "slow")
    assert found.groups == ("tests",)


def test_tox_tables(tmp_path: Path) -> None:
    (tmp_path / "tox.toml").write_text("""
[env_run_base]
deps = ["mock", "-r tests.txt"]
dependency_groups = ["tests"]
[env.docs]
deps = ["sphinx"]
""")
    found = from_tox(tmp_path, {"tool": {"tox": {"env_run_base": {"extras": ["a"]}}}})
    assert found == Installed(("mock",), ("tests.txt",), ("a",), ("tests",))


def test_tox_inside_pyproject(tmp_path: Path) -> None:
    text = "[testenv]\ndeps = mock\n"
    assert from_tox(tmp_path, {"tool": {"tox": {"legacy_tox_ini": text}}}).requirements == ("mock",)


def test_nox_sessions_for_tests(tmp_path: Path) -> None:
    (tmp_path / "noxfile.py").write_text("""
import nox
DEPS = ["mock", "responses"]
@nox.session
def tests(session):
    session.install("-r", "tests.txt", ".[fast]", *DEPS)
    session.install(computed())
    session.run("pip", "install", "six")
    session.install(*nox.project.dependency_groups(PYPROJECT, "test"))
@nox.session
def docs(session):
    session.install("sphinx")
raise SystemExit("never run")
""")
    found = from_nox(tmp_path)
    assert set(found.requirements) >= {"mock", "responses", "six"}
    assert "sphinx" not in found.requirements
    assert found.files == ("tests.txt",)
    assert found.extras == ("fast",)
    assert found.groups == ("test",)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in ("py311", "py3", "tests", "unit", "py38-unit", "test_all")),
        *((name, False) for name in ("docs", "lint", "mypy", "py311-docs", "django42", "bench")),
    ],
)
def test_names_of_environments(name: str, expected: bool) -> None:
    assert for_tests(name) is expected


def test_arguments_of_pip() -> None:
    found = from_arguments(("-e", ".[a,b]", "--group", "g", "-rx.txt", "-c", "c.txt", "mock", "-U"))
    assert found == Installed(("mock",), ("x.txt",), ("a", "b"), ("g",))
