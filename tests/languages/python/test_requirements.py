from pathlib import Path

import pytest

from featuredel.languages.python.metadata import read_metadata
from featuredel.languages.python.requirements import Wanted, poetry_list, poetry_specifiers, wanted


def of(root: Path, pyproject: str) -> Wanted:
    (root / "pyproject.toml").write_text(pyproject)
    return wanted(root, read_metadata(root))


def test_extras_and_groups_with_what_they_include(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        """
        [project]
        name = "p"
        dependencies = ["attrs"]
        [project.optional-dependencies]
        test = ["p[mocks]", "pytest>=8"]
        mocks = ["mock"]
        docs = ["sphinx"]
        fast = ["orjson", "torch"]
        [dependency-groups]
        tests = ["pytest", {include-group = "more"}, "mypy"]
        more = ["hypothesis", "p"]
        lint = ["ruff"]
        """,
    )
    assert found.required == ("attrs", "mock", "pytest>=8", "hypothesis")
    assert found.optional == ("orjson",)
    assert found.origins == ("extra test", "dependency group tests")


def test_groups_may_include_each_other_for_ever(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        """
        [dependency-groups]
        test = ["a", {include-group = "tests"}]
        tests = ["b", {include-group = "test"}]
        """,
    )
    assert found.required == ("a", "b")


def test_development_lists_count_where_there_is_no_list_for_tests(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        """
        [dependency-groups]
        dev = ["pytest", "mock", "sphinx-copybutton", "types-mock", "pre-commit", "pytest-cov"]
        """,
    )
    assert found.required == ("pytest", "mock", "pytest-cov")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('[tool.poetry.group.test.dependencies]\nmock = "^4.0"', ("mock<5,>=4.0",)),
        ('[tool.poetry.dev-dependencies]\nmock = "*"\npython = "^3.8"', ("mock",)),
        ('[tool.pdm.dev-dependencies]\ntest = ["mock"]', ("mock",)),
        ('[tool.hatch.envs.test]\ndependencies = ["mock"]', ("mock",)),
        ('[tool.hatch.envs.default]\ndependencies = ["mock"]', ("mock",)),
        ('[tool.uv]\ndev-dependencies = ["mock"]', ("mock",)),
    ],
)
def test_tables_of_tools(tmp_path: Path, table: str, expected: tuple[str, ...]) -> None:
    assert of(tmp_path, table).required == expected


def test_the_first_source_decides_the_version(tmp_path: Path) -> None:
    (tmp_path / "requirements-test.txt").write_text("mock==1\nresponses\n")
    found = of(tmp_path, '[project]\nname="p"\n[project.optional-dependencies]\ntest=["mock>=4"]')
    assert found.required == ("mock>=4", "responses")


def test_setup_cfg_tests_require(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[options]\ntests_require = mock\n")
    assert wanted(tmp_path, read_metadata(tmp_path)).required == ("mock",)


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("~1.2", ">=1.2,<1.3"),
        ("~=1.2", "~=1.2"),
        ("1.4", "==1.4"),
        ("*", ""),
        (">=1,<2", ">=1,<2"),
        ("^1.0 || ^2.0", ">=1.0,<2"),
        ("nonsense", ""),
    ],
)
def test_poetry_constraints(constraint: str, expected: str) -> None:
    assert poetry_specifiers(constraint) == expected


def test_poetry_tables_with_markers_and_sources() -> None:
    found = poetry_list(
        {
            "python": "^3.8",
            "a": {"version": "^1", "extras": ["x"], "python": "<3.11"},
            "b": {"git": "https://example.invalid/b"},
            "c": [{"version": "1", "markers": "sys_platform == 'linux'"}],
        }
    )
    assert found == (
        'a[x]>=1,<2; python_version < "3.11"',
        "c==1; (sys_platform == 'linux')",
    )
