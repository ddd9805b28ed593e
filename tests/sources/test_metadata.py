"""What projects say of themselves, in all the places where they say it."""

from pathlib import Path

import pytest

from featuredel.sources.metadata import ProjectMetadata, read_project_metadata


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ProjectMetadata()),
        (
            {"PKG-INFO": "Metadata-Version: 2.4\nName: a\nVersion: 1.2\nLicense-Expression: MIT\n"},
            ProjectMetadata("1.2", "MIT"),
        ),
        (
            {
                "PKG-INFO": "Metadata-Version: 2.1\nName: a\nVersion: 1.2\n"
                "License: BSD\nClassifier: A :: B\nClassifier: C\n"
            },
            ProjectMetadata("1.2", None, "BSD", ("A :: B", "C")),
        ),
        (
            {
                "pyproject.toml": '[project]\nversion = "2"\nlicense = "MIT"\n'
                'classifiers = ["A :: B"]\n'
            },
            ProjectMetadata("2", "MIT", None, ("A :: B",)),
        ),
        (
            {"pyproject.toml": '[project]\ndynamic = ["version"]\nlicense = {text = "BSD"}\n'},
            ProjectMetadata(None, None, "BSD"),
        ),
        (
            {"pyproject.toml": '[tool.poetry]\nversion = "3"\nlicense = "MIT"\n'},
            ProjectMetadata("3", None, "MIT"),
        ),
        (
            {"setup.cfg": "[metadata]\nversion = 4\nlicense = MIT\nclassifiers =\n  A\n  B\n"},
            ProjectMetadata("4", None, "MIT", ("A", "B")),
        ),
        ({"setup.cfg": "[metadata]\nversion = attr: pkg.v\n"}, ProjectMetadata()),
        (
            {
                "PKG-INFO": "Metadata-Version: 2.1\nName: a\nVersion: 1\n",
                "pyproject.toml": '[project]\nversion = "2"\nlicense = "MIT"\n',
            },
            ProjectMetadata("1", "MIT"),
        ),
        ({"pyproject.toml": "not toml", "setup.cfg": "not ini"}, ProjectMetadata()),
        ({"pyproject.toml": "a = " + "[" * 100_000}, ProjectMetadata()),
        ({"pyproject.toml": 'project = "x"\n[tool]\npoetry = 3\n'}, ProjectMetadata()),
    ],
)
def test_metadata(tmp_path: Path, files: dict[str, str], expected: ProjectMetadata) -> None:
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    assert read_project_metadata(tmp_path) == expected


def test_files_that_are_not_text(tmp_path: Path) -> None:
    for name in ("PKG-INFO", "pyproject.toml", "setup.cfg"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00version = '1'")
    assert read_project_metadata(tmp_path).version is None
