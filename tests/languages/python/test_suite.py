from pathlib import Path

import pytest

from featuredel.languages.python.suite import find_tests


def tree(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("def test_a(): pass\n")
    return root


@pytest.mark.parametrize(
    ("paths", "roots"),
    [
        (("tests/test_a.py", "tests/sub/test_b.py", "pkg/a.py"), ("tests",)),
        (("pkg/tests/test_a.py", "pkg/__init__.py"), ("pkg/tests",)),
        (tuple(f"pkg/{n}/tests/test_{n}.py" for n in "abcdef"), ("pkg",)),
        (tuple(f"src/pkg/{n}/tests/test_{n}.py" for n in "abcdef"), ("src/pkg",)),
        (("test_a.py", "a.py"), ("test_a.py",)),
        (("tests/test_a.py", "docs/test_doc.py", "build/lib/tests/test_a.py"), ("tests",)),
        (("tests/parser.py", "pkg/a.py"), ("tests/parser.py",)),
        (("pkg/a.py",), ()),
        ((".hidden/test_a.py",), ()),
    ],
)
def test_roots(tmp_path: Path, paths: tuple[str, ...], roots: tuple[str, ...]) -> None:
    assert find_tests(tree(tmp_path, *paths)).roots == roots


def test_the_projects_own_test_paths_stand(tmp_path: Path) -> None:
    tree(tmp_path, "checks/test_a.py", "checks/conftest.py", "other/test_b.py")
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\ntestpaths = checks\n")
    found = find_tests(tmp_path)
    assert found.roots == ()
    assert found.files[-1] == "checks/test_a.py"
    assert "other/test_b.py" not in found.files


def test_test_paths_that_are_not_there_do_not_count(tmp_path: Path) -> None:
    tree(tmp_path, "tests/test_a.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = missing\n")
    assert find_tests(tmp_path).roots == ("tests",)
