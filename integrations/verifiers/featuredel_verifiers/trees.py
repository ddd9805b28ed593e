"""Trees of files on their way into a runtime of verifiers and out of it.

They travel as one archive. What comes out is the solver's: it is unpacked with care, and nothing
in the runtime is asked what has changed.
"""

import asyncio
import errno
import io
from pathlib import Path

import verifiers.v1 as vf

from featuredel.tarfiles import tarfile

MAX_TREE_BYTES = 256 << 20
"""A larger archive is no solution: nobody unpacks it."""

_ARCHIVE = ".featuredel.tar"
_OF_NAMES = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP}


async def lay(runtime: vf.Runtime, tree: Path) -> None:
    """Write a tree, with its repository, to the folder that a runtime works in."""
    await runtime.write(_ARCHIVE, await asyncio.to_thread(_packed, tree))
    unpack = f"tar -xof {_ARCHIVE} && rm {_ARCHIVE}"
    done = await runtime.run(["sh", "-c", unpack], {})
    if done.exit_code:
        raise vf.SandboxError(f"the tree of the task: {done.stderr.strip()[-500:]}")


async def take(runtime: vf.Runtime, dest: Path) -> bool:
    """Make `dest` what lies in the folder that a runtime works in, without its repository.

    Returns False, and makes nothing, if that is too much or cannot be packed: the solver did that.
    Links that lead out of the tree and special files are left out.
    """
    pack = f"rm -rf {_ARCHIVE}; tar -cf {_ARCHIVE} --exclude=./{_ARCHIVE} --exclude=./.git ."
    done = await runtime.run(["sh", "-c", f"{pack} 2>/dev/null; wc -c < {_ARCHIVE}"], {})
    size = done.stdout.strip()
    if not size.isdecimal() or int(size) > MAX_TREE_BYTES:
        return False
    archive = await runtime.read(_ARCHIVE, MAX_TREE_BYTES)
    await runtime.run(["rm", "-f", _ARCHIVE], {})
    return await asyncio.to_thread(_unpacked, archive, dest)


def _packed(tree: Path) -> bytes:
    """Return a tar of a directory, as of nobody and no time."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        return member.replace(uid=0, gid=0, uname="", gname="", mtime=0, deep=False)

    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for child in sorted(tree.iterdir()):
            archive.add(child, child.name, filter=plain)
    return stream.getvalue()


def _unpacked(archive: bytes, dest: Path) -> bool:
    dest.mkdir()
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            opened.extractall(dest, filter=_harmless)
    except tarfile.TarError:
        return False
    except OSError as error:
        if error.errno in _OF_NAMES:
            return False
        raise
    return True


def _harmless(member: tarfile.TarInfo, dest: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(member, dest)
    except tarfile.FilterError:
        return None
