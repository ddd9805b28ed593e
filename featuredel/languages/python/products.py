"""What the build of a project by path leaves in its tree: extensions, generated modules."""

import re
from pathlib import Path

from featuredel.languages.python.drawn import settle

_NOT_PRODUCTS = re.compile(
    r"(^|/)(build|dist|__pycache__|\.eggs|\.git|[^/]+\.(egg-info|dist-info))/"
    r"|\.(c|cc|cpp|cxx|h|o|a|pyc|html|log|lock|egg)$|(^|/)\.[^/]+$"
)


def products_of(changes: Path, root: Path) -> Path | None:
    """Reduce a build's changes to the new files that the project needs at run time.

    None where there are none. They lose what was drawn for the build.
    """
    for path in sorted(changes.rglob("*"), reverse=True):
        relative = path.relative_to(changes).as_posix()
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif (
            path.is_symlink()
            or not path.is_file()
            or _NOT_PRODUCTS.search(relative)
            or (root / relative).exists()
        ):
            path.unlink()
        else:
            settle(path)
    return changes if any(changes.iterdir()) else None
