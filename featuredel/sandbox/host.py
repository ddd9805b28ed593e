"""What of this machine a command that has no network can see, name by name.

A machine has grown: it holds other people's packages, vendored copies of well-known libraries and
documentation of both, any of which may be the answer to a task. So nothing is shown but what
programs need to run at all. Builds, which have a network anyhow, see all of /usr.
"""

import re
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("bin", "sbin")
LIBRARIES = ("lib", "lib32", "lib64", "libx32", "local/lib")
FOLDERS_OF_LIBRARIES = re.compile(
    r"[a-z0-9_]+-linux-[a-z0-9]+|gcc|git-core|locale|file|ssl|engines-\d.*|sasl2|perl5?"
    r"|bfd-plugins|terminfo|t(cl|k)\d.*|tcltk"
)
MORE = (
    "include",
    "libexec/git-core",
    "libexec/gcc",
    *(
        f"share/{name}"
        for name in (
            *("dict", "file", "fontconfig", "fonts", "git-core", "misc", "mime", "perl", "perl5"),
            *("tabset", "tcltk", "terminfo", "zoneinfo"),
        )
    ),
)


def shown(usr: Path = Path("/usr")) -> Iterator[Path]:
    """Yield the files and folders below /usr that are shown, sorted, each with all it holds."""
    for name in sorted((*PROGRAMS, *MORE)):
        if (usr / name).exists() and not (usr / name).is_symlink():
            yield usr / name
    for name in sorted(LIBRARIES):
        yield from shown_of(usr / name)


def shown_of(folder: Path) -> Iterator[Path]:
    """Yield what is shown of a library or program folder; nothing of one that is not there."""
    if folder.is_dir() and not folder.is_symlink():
        if folder.name in PROGRAMS:
            yield folder
        else:
            yield from (path for path in sorted(folder.iterdir()) if _is_library(path))


def _is_library(path: Path) -> bool:
    """Return whether an entry of a library folder is a library, or a folder of such."""
    if path.is_dir():
        return bool(FOLDERS_OF_LIBRARIES.fullmatch(path.name))
    return ".so" in path.suffixes or path.name.startswith("ld-linux")
