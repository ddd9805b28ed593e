"""What a prompt shows of a tree, and that a budget is kept."""

from pathlib import Path

import pytest

from featuredel.export import context
from featuredel.export.context import context_of

FILES = {
    "README.md": "Read pkg/core.py.\n",
    "docs/guide.py": "guide = 1\n",
    "setup.py": "import setuptools\n",
    "src/pkg/__init__.py": "from pkg.core import run\n",
    "src/pkg/core.py": "def run(): ...\n" * 10,
    "src/pkg/deep/far.py": "far = 1\n",
    "src/pkg/near.py": "near = 1\n",
    "src/pkg/other/far.py": "far = 2\n",
    "tests/test_core.py": "def test_run(): ...\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_what_is_named_comes_first_then_what_is_near_to_it(tree: Path) -> None:
    found = context_of(tree, "In `src/pkg/deep/far.py`: write `f`.", 1000)
    assert list(found.contents) == [
        "src/pkg/deep/far.py", "src/pkg/__init__.py", "src/pkg/core.py", "src/pkg/near.py",
        "src/pkg/other/far.py",
    ]  # fmt: skip
    assert found.contents["src/pkg/near.py"] == FILES["src/pkg/near.py"]
    assert found.needed_chars == len(FILES["src/pkg/deep/far.py"])
    assert found.listed == tuple(FILES)
    assert found.unlisted == 0


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("Write `pkg.core.run.now`, please.", "src/pkg/core.py"),
        ("Write pkg.core.run.", "src/pkg/core.py"),
        ("Add `pkg.run` (pkg/missing.py).", "src/pkg/__init__.py"),
        ("See src/pkg/near.py.", "src/pkg/near.py"),
    ],
)
def test_a_module_is_named_by_path_or_by_a_dotted_name(
    tree: Path, statement: str, first: str
) -> None:
    found = context_of(tree, statement, 1000)
    assert next(iter(found.contents)) == first
    assert found.needed_chars == len(FILES[first])


def test_tests_settings_and_documents_are_not_shown_unless_given(tree: Path) -> None:
    statement = "`src/pkg/near.py`, not tests/test_core.py, README.md, setup.py, docs/x.md"
    assert "tests/test_core.py" not in context_of(tree, statement, 1000).contents
    assert "setup.py" not in context_of(tree, statement, 1000).contents
    given = context_of(tree, statement, 1000, given=("tests/test_core.py",))
    assert given.contents["tests/test_core.py"] == FILES["tests/test_core.py"]
    needed = ("src/pkg/near.py", "tests/test_core.py")
    assert given.needed_chars == sum(len(FILES[path]) for path in needed)


def test_a_module_at_the_root_of_the_tree_is_code_and_settings_are_not(tree: Path) -> None:
    (tree / "single.py").write_text("one = 1\n")
    found = context_of(tree, "Write `single.two`; see setup.py.", 0)
    assert list(found.contents) == ["single.py"]


@pytest.mark.parametrize("chars", range(0, 260, 20))
def test_the_budget_is_kept_by_all_but_what_is_needed(tree: Path, chars: int) -> None:
    found = context_of(tree, "Write src/pkg/near.py", chars)
    shown = sum(map(len, found.contents.values()))
    assert shown <= max(chars, found.needed_chars)
    assert "src/pkg/near.py" in found.contents


def test_a_file_that_does_not_fit_makes_room_for_one_that_does(tree: Path) -> None:
    found = context_of(tree, "Write src/pkg/near.py", 50)
    assert "src/pkg/core.py" not in found.contents
    assert "src/pkg/__init__.py" in found.contents


def test_what_is_no_text_is_listed_and_not_shown(tree: Path) -> None:
    (tree / "src/pkg/latin.py").write_bytes(b"name = '\xe9'\n")
    (tree / "src/pkg/link.py").symlink_to("near.py")
    found = context_of(tree, "Write src/pkg/latin.py and src/pkg/link.py", 1000)
    assert {"src/pkg/latin.py", "src/pkg/link.py"} <= set(found.listed)
    assert not {"src/pkg/latin.py", "src/pkg/link.py"} & set(found.contents)


def test_of_many_files_the_near_ones_are_listed(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "MAX_LISTED", 3)
    found = context_of(tree, "Write src/pkg/deep/far.py", 0)
    assert found.listed == ("src/pkg/__init__.py", "src/pkg/core.py", "src/pkg/deep/far.py")
    assert found.unlisted == len(FILES) - 3


def test_the_statement_itself_is_not_part_of_it(tree: Path) -> None:
    (tree / "STATEMENT.md").write_text("Write it.")
    assert "STATEMENT.md" not in context_of(tree, "Write it.", 0, without="STATEMENT.md").listed
