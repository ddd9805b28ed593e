"""Path rules: artefacts are told, what belongs in a tree is not."""

import pytest

from featuredel.leaks.paths import RULES, rule


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("t/.mypy_cache/3.11/cache.db", "cache of a type checker"),
        ("t/.mypy_cache", "cache of a type checker"),
        ("t/x.data.ff", "cache of a type checker"),
        ("t/pkg/__pycache__/a.cpython-311.pyc", "compiled Python"),
        ("t/.git/logs/HEAD", "history or state of git"),
        ("t/.git/refs/stash", "history or state of git"),
        ("t/.hypothesis/constants/0a", "cache of a test runner, linter or coverage"),
        ("t/.coverage", "cache of a test runner, linter or coverage"),
        ("t/build/lib.linux-x86_64/pkg/a.py", "built or installed copy"),
        ("t/pkg/a.py.orig", "left by an editor, a merge or a tool"),
        ("t/pkg/a.py~", "left by an editor, a merge or a tool"),
        ("t/pkg/.a.py.swp", "left by an editor, a merge or a tool"),
        ("t/tags", "index of a code browser"),
        ("root/.cache/pip/http-v2/0", "cache of a package manager"),
        ("t/docs/_build/doctrees/index.doctree", "output of a build of documents"),
        ("t/target/debug/deps/a.rlib", "output of a build"),
        ("t/.tox/py311", "virtual environment or its tool"),
    ],
)
def test_artefacts_are_told(path: str, what: str) -> None:
    assert rule(path) == what
    assert rule(f"/{path}") == what


@pytest.mark.parametrize(
    "path",
    [
        "t/pkg/a.py",
        "t/.git/HEAD",
        "t/.git/refs/heads/main",
        "t/.git/objects/ab/cdef",
        "t/.gitignore",
        "t/.coveragerc",
        "t/docs/tags.md",
        "t/pkg/tags/a.py",
        "t/build/setup.py",
        "t/pkg/coverage_tool.py",
        "env/lib/python3.11/site-packages/a/__pycache__/b.cpython-311.pyc",
        "env/lib/python3.11/site-packages/a-1.0.dist-info/RECORD",
        "env/lib/python3.11/ensurepip/_bundled/pip-24.0-py3-none-any.whl",
    ],
)
def test_what_belongs_is_not(path: str) -> None:
    assert rule(path) is None


def test_a_cache_within_an_installed_package_is_still_one() -> None:
    assert rule("env/lib/python3.11/site-packages/a/.mypy_cache/x") == "cache of a type checker"


def test_every_pattern_finds_what_it_names() -> None:
    for what, patterns in RULES.items():
        for pattern in patterns:
            path = pattern.replace("[0-9]", "7").replace("*", "x").rstrip("/")
            assert rule(f"t/{path}") is not None, (what, pattern)
