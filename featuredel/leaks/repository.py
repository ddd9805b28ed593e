"""The git repository of a solver's directory: nothing is stored in it but the tree that lies there.

That is stronger than looking for needles in each object, and costs one hash of the tree.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from featuredel import git, trees
from featuredel.leaks.finding import Finding

_STORES = re.compile(r"info/packs|[0-9a-f]{2}/[0-9a-f]{38}|pack/pack-[0-9a-f]{40}\.(pack|idx|rev)")


def explain_repository(root: Path) -> Iterator[Finding]:
    """Yield a finding for each object or store in the repository at `root` that is not its tree's.

    One commit is expected, without a parent.
    """
    expected = trees.object_ids(root)
    commits = []
    for oid, kind in sorted(git.stored_objects(root).items()):
        if kind == "commit":
            commits.append(oid)
        elif oid not in expected:
            yield _strange(root, f"objects/{oid}", f"a {kind} that is not of the tree")
    for oid in commits[1:]:
        yield _strange(root, f"objects/{oid}", "a second commit")
    store = root / ".git" / "objects"
    for path in sorted(store.rglob("*")):
        name = path.relative_to(store).as_posix()
        if not path.is_dir() and not _STORES.fullmatch(name):
            yield _strange(root, f"objects/{name}", "not a store of objects")


def stores_apart(root: Path) -> list[Path]:
    """Return everything in a solver's directory but the objects of its repository."""
    inside = [path for path in sorted(root.iterdir()) if path.name != ".git"]
    about = sorted((root / ".git").glob("*"))
    return [*inside, *(path for path in about if path.name != "objects")]


def _strange(root: Path, name: str, detail: str) -> Finding:
    return Finding(str(root / ".git" / name), "git", "provenance", "", detail)
