import io
from pathlib import Path

import pytest

from featuredel.sandbox.launcher import pack
from featuredel.trees import tree_hash


def sent(*roots: Path) -> io.BytesIO:
    stream = io.BytesIO()
    pack.send((entry for root in roots for entry in pack.entries(str(root))), stream)
    stream.seek(0)
    return stream


def test_a_tree_comes_out_as_it_went_in(tree: Path, tmp_path: Path) -> None:
    (tree / "big").write_bytes(bytes(3 * pack.PART_BYTES))
    (tree / "empty").mkdir()
    target = tmp_path / "target"
    target.mkdir()
    pack.lay(pack.receive(sent(tree)), str(target))
    assert tree_hash(target) == tree_hash(tree)
    assert (target / "empty").is_dir()
    assert (target / "run.sh").stat().st_mtime_ns == (tree / "run.sh").stat().st_mtime_ns


def test_a_later_tree_lies_over_an_earlier_one(tmp_path: Path) -> None:
    lower, upper, target = (tmp_path / name for name in ("lower", "upper", "target"))
    for path in (lower / "a" / "deep", upper / "b", target):
        path.mkdir(parents=True)
    (lower / "a" / "deep" / "f").touch()
    (lower / "b").write_text("a file")
    (upper / "a").write_text("a file")
    (upper / "b" / "f").touch()
    (lower / "c").mkdir()
    (lower / "c").chmod(0o555)
    (upper / "c").mkdir()
    (upper / "c" / "f").touch()
    pack.lay(pack.receive(sent(lower, upper)), str(target))
    names = sorted(path.relative_to(target).as_posix() for path in target.rglob("*"))
    assert names == ["a", "b", "b/f", "c", "c/f"]


def test_no_link_is_followed(tmp_path: Path) -> None:
    victim, source, target = (tmp_path / name for name in ("victim", "source", "target"))
    for path in (victim, source / "way", target):
        path.mkdir(parents=True)
    (source / "way" / "f").touch()
    (source / "file").write_text("new")
    (target / "way").symlink_to(victim)
    (target / "file").symlink_to(victim / "file")
    pack.lay(pack.receive(sent(source)), str(target))
    assert list(victim.iterdir()) == []
    assert (target / "way" / "f").exists()


def test_a_stream_that_was_cut_is_an_error(tree: Path) -> None:
    whole = sent(tree).getvalue()
    with pytest.raises(EOFError):
        list(pack.receive(io.BytesIO(whole[:-1])))
