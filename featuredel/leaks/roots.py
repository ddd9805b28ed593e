"""What an argument of `leaks scan` stands for: the one place that knows more than paths."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from featuredel.errors import UsageError


@contextlib.contextmanager
def roots_of(argument: str) -> Iterator[Sequence[Path]]:
    """Give the files and directories that an argument stands for, as long as they are needed.

    Raises `UsageError` for one that is not there.
    """
    path = Path(argument)
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{argument}: no such file or directory")
    # a link that was named is meant as what it leads to; links below are never followed
    yield (path.resolve() if path.is_symlink() and path.exists() else path,)
