"""What an argument of `leaks scan` stands for: the one place that knows more than paths."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from featuredel.errors import SandboxError, UsageError


@contextlib.contextmanager
def roots_of(argument: str) -> Iterator[Sequence[Path]]:
    """Give the files and directories that an argument stands for, as long as they are needed.

    What is no path is the name or id of a Docker image, of which each layer is a directory, with
    the whiteouts of what it removes, and its configuration another. Raises `UsageError` for what
    is neither.
    """
    path = Path(argument)
    if not path.exists() and not path.is_symlink():
        # the client takes longer to import than a scan of a small tree takes
        from featuredel.sandbox.docker.saved import saved_image

        with contextlib.ExitStack() as stack:
            try:
                layers = stack.enter_context(saved_image(argument))
            except SandboxError as error:
                raise UsageError(f"{argument}: no such file or directory; {error}") from error
            yield [layer.root for layer in layers]
        return
    # a link that was named is meant as what it leads to; links below are never followed
    yield (path.resolve() if path.is_symlink() and path.exists() else path,)
