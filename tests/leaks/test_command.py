"""The command `leaks scan`: what it says, and with which code it ends."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from looking import CODE

from featuredel import cli
from featuredel.errors import UsageError


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(cli.cli, ["leaks", "scan", *map(str, words)], standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return int(result.return_value or 0), result.output


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "core.py").write_text(CODE)
    (tmp_path / "tree").mkdir()
    return tmp_path / "core.py"


def test_a_clean_tree_is_told_as_one(code: Path) -> None:
    (code.parent / "tree" / "a.py").write_text("x = 1\n")
    status, told = run(code.parent / "tree", "--code", code)
    assert status == 0
    assert told.startswith("0 findings; ")


def test_a_finding_says_where_in_which_view_which_needle(code: Path) -> None:
    leak = code.parent / "tree" / "notes.txt"
    leak.write_text("about zorptastic_merge\n")
    status, told = run(code.parent / "tree", "--code", code)
    assert status == 1
    assert f"{leak}: content in view raw: zorptastic_merge (identifier)\n" in told


def test_needles_of_a_file_and_json(code: Path) -> None:
    needles = code.parent / "needles.json"
    for told in ([{"kind": "string", "text": "grumbledook"}],):
        needles.write_text(json.dumps({"secret": told}))
        status, output = run(code, code.parent / "tree", "--needles", needles, "--json")
        shown = json.loads(output)
        assert (status, shown["needles"], shown["files"]) == (1, 1, 2)
        assert [f["needle"] for f in shown["findings"]] == ["grumbledook"]


def test_without_needles_names_are_told(tmp_path: Path) -> None:
    (tmp_path / "tree" / ".mypy_cache").mkdir(parents=True)
    status, told = run(tmp_path / "tree")
    assert (status, "path in view names: cache of a type checker" in told) == (1, True)
    assert run(tmp_path / "tree", "--no-paths")[0] == 0


def test_a_link_that_is_named_is_followed(code: Path) -> None:
    link = code.parent / "link"
    link.symlink_to(code)
    assert run(link, "--code", code)[0] == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no JSON"),
        ("{}", "a list of needles is expected"),
        ('[{"kind": "word", "text": "a"}]', "needle 0 needs a text, and a kind of identifier"),
        ('["a"]', "needle 0 needs"),
    ],
)
def test_a_bad_file_of_needles_is_one_line(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "needles.json").write_text(content)
    with pytest.raises(UsageError, match=told):
        run(tmp_path, "--needles", tmp_path / "needles.json")


def test_what_cannot_be_meant_is_one_line(code: Path) -> None:
    with pytest.raises(UsageError, match="no such file or directory"):
        run(code.parent / "nowhere")
    with pytest.raises(UsageError, match="give one of them"):
        run(code, "--needles", code, "--code", code)
    (code.parent / "empty.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="nothing in the code"):
        run(code, "--code", code.parent / "empty.py")
