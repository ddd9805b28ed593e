from pathlib import Path

from featuredel import git
from featuredel.patches import added_lines, changed_paths


def test_added_lines_count_in_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    (tmp_path / "b.py").write_bytes(b"old\n")
    patch = git.diff(
        tmp_path,
        {"a.py": b"1\nnew\n2\n3\n4\n5\n6\n7\n8\n+++ b/x\nend\n", "b.py": None, "n.py": b"x\ny"},
    )
    assert added_lines(patch) == {
        "a.py": frozenset({2, 10, 11}),
        "n.py": frozenset({1, 2}),
    }
    assert changed_paths(patch) == {"a.py", "b.py", "n.py"}


def test_quoted_paths(tmp_path: Path) -> None:
    patch = git.diff(tmp_path, {'ü "x" y.py': b"a = 1\n", "binary.bin": b"\x00\xff"})
    assert added_lines(patch) == {'ü "x" y.py': frozenset({1})}
    assert changed_paths(patch) == {'ü "x" y.py', "binary.bin"}
