import random
import subprocess
from pathlib import Path

import pytest

from featuredel import git
from featuredel.patches import added_lines, changed_paths, new_file_patch, splice_patch, spliced


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


# --- without context ------------------------------------------------------------------------


def applied_by_git(root: Path, path: str, old: bytes, patch: bytes) -> bytes:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(old)
    (root / "patch").write_bytes(patch)
    command = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "patch"]
    subprocess.run(command, cwd=root, check=True)
    return file.read_bytes()


@pytest.mark.parametrize("seed", range(40))
def test_patches_without_context_are_what_git_takes(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    lines = [bytes(chance.choices(b"ab\r", k=chance.randint(0, 3))) for _ in range(6)]
    old = b"\n".join(lines) + chance.choice([b"\n", b"end"])
    places = sorted(chance.randint(0, len(old)) for _ in range(6))
    texts = [chance.choice([b"Z", b"Z\n", b"q\nr\n", b""]) for _ in range(3)]
    splices = list(zip(places[::2], places[1::2], texts, strict=True))
    new, place = b"", 0
    for start, end, text in splices:
        new += old[place:start] + text
        place = end
    new += old[place:]
    patch = splice_patch("a/b c.py", old, splices)
    assert spliced(old, [patch]) == new
    if new != old and new:
        assert applied_by_git(tmp_path, "a/b c.py", old, patch) == new


def test_several_patches_of_one_file() -> None:
    old = b"1\n2\n3\n"
    one = splice_patch("f", old, [(0, 1, b"one")])
    two = splice_patch("f", old, [(4, 5, b"three\nmore")])
    end = splice_patch("f", old, [(6, 6, b"4\n")])
    assert spliced(old, [two, end, one]) == b"one\n2\nthree\nmore\n4\n"
    assert spliced(old, [end, end]) == b"1\n2\n3\n4\n4\n"
    with pytest.raises(ValueError, match="does not fit"):
        spliced(old, [one, one])
    with pytest.raises(ValueError, match="does not fit"):
        spliced(b"other\n", [one])


def test_a_patch_that_makes_a_file(tmp_path: Path) -> None:
    patch = new_file_patch("t/ü.py", b"a\nb")
    assert spliced(b"", [patch]) == b"a\nb"
    git.apply(patch, tmp_path)
    assert (tmp_path / "t/ü.py").read_bytes() == b"a\nb"
