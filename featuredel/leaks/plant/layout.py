"""Laying out a vector: as its tool left it, and under names that tell nothing."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from featuredel.leaks.plant import Unmade, Vector
from featuredel.leaks.plant.workshop import copied

_COMPANIONS = ("-wal", "-shm", "-journal")
"""SQLite finds these by their names alone, so that they keep their ends."""


def lay(made: Path, vector: Vector, plain: Path, neutral: Path | None) -> None:
    """Copy what is the vector's among what was made into `plain`, and renamed into `neutral`.

    Raises `Unmade` if the tool left nothing of the kind.
    """
    chosen = sorted(_chosen(made, vector))
    if not chosen:
        raise Unmade(f"the tool left nothing like {' or '.join(vector.picks)}")
    for path in chosen:
        copied(path, plain / path.relative_to(made))
    if neutral is None:
        return
    if vector.renaming == "never":
        shutil.copytree(plain, neutral, symlinks=True)
        return
    numbers: dict[Path, int] = {}
    for path in chosen if vector.renaming == "top" else _files(chosen):
        end = next((end for end in _COMPANIONS if path.name.endswith(end)), "")
        known = path.with_name(path.name.removesuffix(end))
        number = numbers.setdefault(known, len(numbers))
        copied(path, neutral / f"f{number:05d}{end}")


def _chosen(made: Path, vector: Vector) -> Iterator[Path]:
    """Yield what the patterns name; nothing that lies in a folder that one of them names."""
    found = {path for pattern in vector.picks for path in made.glob(pattern)}
    # glob passes over a link that leads nowhere, if it is named in full
    found |= {made / pattern for pattern in vector.picks if (made / pattern).is_symlink()}
    folders = {path for path in found if path.is_dir() and not path.is_symlink()}
    if any(pattern.endswith("*") for pattern in vector.picks):
        yield from found - folders  # the pattern is about files, wherever they are
    else:
        yield from found


def _files(chosen: list[Path]) -> Iterator[Path]:
    for path in chosen:
        if path.is_symlink() or not path.is_dir():
            yield path
        else:
            yield from sorted(p for p in path.rglob("*") if p.is_symlink() or not p.is_dir())
