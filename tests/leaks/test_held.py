"""What a solver rightly knows, and what is a copy of the answer."""

from pathlib import Path

import pytest

from featuredel.leaks.base import Base, Part
from featuredel.leaks.held import is_made, secrets_of
from featuredel.leaks.index import Index, numbers_of, write

CODE = '''
def zorptastic_merge(alpha_quux, beta_frob, gamma_wibble=2.7182):
    """Merge the quux with the frob until nothing wibbles."""
    local_snark = 7919
    for boojum_key in sorted(alpha_quux):
        local_snark += alpha_quux[boojum_key] * beta_frob[0] if boojum_key else -1
    return local_snark, "grumbledook-%s" % gamma_wibble
'''
DELETED = {"0/pkg/merge.py": CODE}


def base_with(folder: Path, text: str) -> Base:
    folder.mkdir()
    write(folder, numbers_of("a.py", text))
    return Base((Part("0" * 64, 1, frozenset(), Index(folder)),))


def tree_with(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / f"{name}.py").parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.py").write_text(text)
    root.mkdir(exist_ok=True)
    return root


def texts(root: Path, base: Base | None = None, deleted: dict[str, str] = DELETED) -> set[str]:
    return {needle.text for needle in secrets_of(deleted, root, base).needles.secret}


def test_all_is_secret_where_nothing_tells(tmp_path: Path) -> None:
    found = secrets_of(DELETED, tree_with(tmp_path / "tree", other="x = 1\n"))
    assert len(found.needles) == found.candidates
    assert found.copies == ()


def test_what_the_tree_shows_is_held(tmp_path: Path) -> None:
    tree = tree_with(tmp_path / "tree", other="print(boojum_key, 'grumbledook-')\n")
    left = texts(tree)
    assert {"boojum_key", "grumbledook-"} & left == set()
    assert {"local_snark", "7919"} <= left


def test_names_in_the_tree_are_held(tmp_path: Path) -> None:
    tree = tree_with(tmp_path / "tree", **{"pkg/boojum_key": "x = 1\n"})
    assert "boojum_key" not in texts(tree)


def test_what_the_base_shows_is_held(tmp_path: Path) -> None:
    base = base_with(tmp_path / "base", "class A:\n    local_snark = 7919\n")
    left = texts(tree_with(tmp_path / "tree"), base)
    assert {"local_snark", "7919"} & left == set()
    assert "boojum_key" in left


def test_a_vendored_copy_in_the_base_is_no_background(tmp_path: Path) -> None:
    base = base_with(tmp_path / "base", f"import os\n{CODE}\n")
    (copy,) = secrets_of(DELETED, tree_with(tmp_path / "tree"), base).copies
    assert copy.path == "pkg/merge.py"
    assert copy.shown == copy.of > 20


def test_a_part_in_a_row_is_a_copy_too(tmp_path: Path) -> None:
    lines = [f"    total_{n} = compute(first_{n}, second_{n}) + {n}\n" for n in range(40)]
    deleted = {"0/pkg/big.py": "def big():\n" + "".join(lines)}
    row = "def other():\n" + "".join(lines[10:17])
    base = base_with(tmp_path / "base", row)
    (copy,) = secrets_of(deleted, tree_with(tmp_path / "tree"), base).copies
    assert copy.shown < 0.5 * copy.of
    assert copy.in_a_row >= 60


def test_boilerplate_in_the_base_is_no_copy(tmp_path: Path) -> None:
    boilerplate = "def __eq__(self, other):\n    return isinstance(other, type(self)) and "
    base = base_with(tmp_path / "base", f"{boilerplate}self.a == other.a\n")
    deleted = {"0/pkg/merge.py": f"{CODE}\n{boilerplate}self.frob == other.frob\n"}
    found = secrets_of(deleted, tree_with(tmp_path / "tree"), base)
    assert found.copies == ()
    assert found.in_base > 10


def test_a_copy_in_the_tree_is_not_held(tmp_path: Path) -> None:
    tree = tree_with(tmp_path / "tree", old=f"import os\n{CODE}")
    (copy,) = secrets_of(DELETED, tree).copies
    assert copy.where == "old.py"
    assert "boojum_key" in texts(tree)


def test_a_twin_in_the_tree_is_held(tmp_path: Path) -> None:
    twin = CODE.replace("zorptastic", "other").replace("* beta_frob[0]", "- beta_frob")
    tree = tree_with(tmp_path / "tree", twin=twin.replace("local_snark =", "local_snark: int ="))
    found = secrets_of(DELETED, tree)
    assert found.copies == ()
    assert "boojum_key" not in texts(tree)
    assert "zorptastic_merge" in texts(tree)


@pytest.mark.parametrize("name", ["PKG-INFO", "src/a.egg-info/SOURCES.txt", ".ruff_cache/x"])
def test_what_was_made_is_not_held(tmp_path: Path, name: str) -> None:
    path = tmp_path / "tree" / name
    path.parent.mkdir(parents=True)
    path.write_text("boojum_key\n")
    assert is_made(name)
    assert "boojum_key" in texts(tmp_path / "tree")


def test_the_statement_is_held(tmp_path: Path) -> None:
    found = secrets_of(DELETED, tree_with(tmp_path / "tree"))
    told = found.without(["Write `zorptastic_merge`, which takes `alpha_quux`."])
    left = {needle.text for needle in told.needles.secret}
    assert {"zorptastic_merge", "alpha_quux"} & left == set()
    assert "boojum_key" in left
    assert told.candidates == found.candidates
