from pathlib import Path

import pytest
from toy_index import write_tree

from featuredel.languages.python import layout


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b.py", "a/b"), ("a/__init__.py", "a"), ("__init__.py", ""), ("a.pyi", "a")],
)
def test_stem(path: str, expected: str) -> None:
    assert layout.stem(path) == expected


def test_test_paths() -> None:
    paths = [
        "tests/test_a.py",
        "tests/helpers/data.py",
        "tests/conftest.py",
        "pkg/tests/test_b.py",
        "pkg/tests/support.py",
        "pkg/testing/runner.py",  # a source package for all its name
        "pkg/a.py",
        "test_root.py",
        "pkg/c_test.py",
    ]
    assert layout.test_paths(paths) == {
        "tests/test_a.py",
        "tests/helpers/data.py",
        "tests/conftest.py",
        "pkg/tests/test_b.py",
        "pkg/tests/support.py",
        "test_root.py",
        "pkg/c_test.py",
    }


def test_import_roots(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["lib"]\n',
            "setup.cfg": "[options]\npackage_dir =\n    = python\n",
        },
    )
    roots = layout.import_roots(tmp_path, ["source/pkg/__init__.py", "source/pkg/a.py", "t/x.py"])
    assert roots == ("", "src", "lib", "python", "source", "t")


def test_entry_points(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "pyproject.toml": '[project.entry-points.pytest11]\nplug = "pkg.plugin"\n',
            "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    run = pkg.cli:main\n",
            "setup.py": "setup(entry_points={'console_scripts': ['old = pkg.old:go']})\n",
        },
    )
    found = layout.entry_points(tmp_path)
    assert {("pkg.plugin", ""), ("pkg.cli", "main"), ("pkg.old", "go")} <= set(found)


def test_broken_configuration_is_no_configuration(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "[project\n", "setup.cfg": "no section\n"})
    assert layout.entry_points(tmp_path) == ()
