"""What calls of agents' tools come to."""

import pytest

from featuredel.monitor.readers.tools import calls_of
from featuredel.monitor.trajectory import Call, Cell, Look, Read, Shell, Write

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("bash", {"command": "ls"}, [Shell("ls")]),
        ("execute_bash", '{"command": "ls"}', [Shell("ls")]),
        ("shell", {"command": ["bash", "-lc", "ls -l"]}, [Shell("ls -l")]),
        ("shell", {"command": ["ls", "a b"]}, [Shell("ls 'a b'")]),
        ("ipython", {"code": "1"}, [Cell("1")]),
        ("str_replace_editor", {"command": "view", "path": "a"}, [Read("a")]),
        ("str_replace_editor", {"command": "create", "path": "a", "file_text": ""},
         [Write("a", "")]),
        ("file_editor", {"command": "create", "path": "a", "file_text": "x", "old_str": None},
         [Write("a", "x")]),
        ("str_replace_editor", {"command": "insert", "path": "a", "insert_line": 1, "new_str": "x"},
         [Write("a", "x", "")]),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": ""}, [Write("a", "", "x")]),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
         [Write("a", "y", "x")]),
        ("mcp__fs__read_file", {"path": "a"}, [Read("a")]),
        ("apply_patch", {"input": PATCH}, [Write("a.py", "y", "x"), Write("b.py", "z")]),
        ("web_search", {"query": "q"}, [Look("q")]),
        ("WebFetch", {"url": "u", "prompt": "p"}, [Look("u")]),
        ("grep", {"pattern": "x y", "path": "/"}, [Shell("grep -rn -- 'x y' /")]),
        ("glob", {"pattern": "**/*.pyc"}, [Shell("find . -path '**/*.pyc'")]),
        ("list_dir", {"path": ".git"}, [Shell("ls .git")]),
        ("delete_file", {"path": "a"}, [Shell("rm a")]),
        ("think", {"thought": "git log --all"}, []),
        ("finish", {}, []),
        ("bash", "not json", [Shell("not json")]),
        ("bash", None, []),
    ],
)  # fmt: skip
def test_calls(name: str, arguments: object, expected: list[Call]) -> None:
    assert list(calls_of(name, arguments)) == expected
