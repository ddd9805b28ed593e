"""Metadata that archives bring along: the headers stay, what tells of the code goes."""

from pathlib import Path

import pytest

from featuredel.sources.made import forget_what_was_made, without_description

HEADERS = "Metadata-Version: 2.1\nName: calc\nVersion: 1.0\nSummary: Sums\n"


@pytest.mark.parametrize(
    "text",
    [
        HEADERS,
        HEADERS + "\nUse `mul` to multiply.\n\nOr not.\n",
        HEADERS.replace("Summary", "Description: Use `mul`\n        to multiply.\nSummary"),
        (HEADERS + "\nUse `mul`.\n").replace("\n", "\r\n"),
    ],
)
def test_the_headers_are_left(text: str) -> None:
    assert without_description(text).decode() == HEADERS


def test_only_the_projects_own_metadata_change(tmp_path: Path) -> None:
    told = f"{HEADERS}\nUse `mul`.\n"
    other = told.replace("calc", "other")
    files = {
        "PKG-INFO": told,
        "src/calc.egg-info/PKG-INFO": told,
        "src/calc.egg-info/SOURCES.txt": "calc/more.py\n",
        "src/calc.egg-info/requires.txt": "attrs\n",
        "tests/other.egg-info/PKG-INFO": other,
        "tests/other.egg-info/SOURCES.txt": "other.py\n",
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    forget_what_was_made(tmp_path)
    left = {p.relative_to(tmp_path).as_posix(): p for p in tmp_path.rglob("*") if p.is_file()}
    assert set(files) - set(left) == {"src/calc.egg-info/SOURCES.txt"}
    changed = [path for path in left if left[path].read_text() != files[path]]
    assert sorted(changed) == ["PKG-INFO", "src/calc.egg-info/PKG-INFO"]


def test_links_and_trees_without_metadata_are_left_alone(tmp_path: Path) -> None:
    forget_what_was_made(tmp_path)
    outside = tmp_path / "outside"
    outside.write_text(f"{HEADERS}\nUse `mul`.\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "PKG-INFO").symlink_to(outside)
    forget_what_was_made(tree)
    assert "mul" in outside.read_text()
