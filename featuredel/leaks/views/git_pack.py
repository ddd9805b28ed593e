"""Packs and bundles of git, wherever they lie: in a git directory, in an archive, by themselves.

A pack is indexed anew in a scratch repository and every object in it is read, reachable or not:
no index, configuration, hook or alternate of the repository it comes from is believed or run.
Loose objects are zlib streams and need no reader of their own; reflogs and references are text.
"""

import os
import resource
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from featuredel.git import init_bare
from featuredel.leaks.bounds import Budget
from featuredel.leaks.views import streams
from featuredel.leaks.views.view import Damaged, Unseen, View, collect
from featuredel.scratch import scratch_directory

name = "git object"
claims = True

_MAGIC = (b"PACK\0\0\0\2", b"PACK\0\0\0\3")
_BUNDLES = (b"# v2 git bundle\n", b"# v3 git bundle\n")
_MEMORY_BYTES = 4 << 30
_STEP_BYTES = 1 << 20
_DELTAS = (6, 7)


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a pack or a bundle."""
    return head.startswith(_MAGIC + _BUNDLES)


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield every object, deltas resolved; of a pack without its bases what it holds itself."""
    start = 0
    if view.content[:8] not in _MAGIC:
        start = view.content.find(b"\n\nPACK", 0, 16 << 20) + 2
        if start < 2:
            raise Damaged("a bundle without a pack")
    with scratch_directory() as directory:
        git_dir = directory / "git"
        init_bare(git_dir)
        if view.content.find(b"object-format=sha256", 0, start) >= 0 or _is_sha256(view.where):
            _use_sha256(git_dir)
        pack = git_dir / "objects" / "pack" / "pack-0.pack"
        pack.parent.mkdir()
        with pack.open("wb") as file:
            for at in range(start, len(view.content), _STEP_BYTES):
                file.write(view.content[at : at + _STEP_BYTES])
        if _indexed(git_dir, pack, budget):
            yield from _objects(git_dir, view, budget)
        else:
            yield from _entries(view, start, budget)


def _is_sha256(where: str) -> bool:
    digest = where.rpartition("pack-")[2].partition(".")[0]
    return len(digest) == 64


def _use_sha256(git_dir: Path) -> None:
    (git_dir / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n"
        "[extensions]\n\tobjectformat = sha256\n"
    )


def _environment(git_dir: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(git_dir),
        "GIT_DIR": str(git_dir),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _indexed(git_dir: Path, pack: Path, budget: Budget) -> bool:
    try:
        done = subprocess.run(
            ["git", "index-pack", "--threads=1", str(pack)],
            env=_environment(git_dir),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=budget.left_s(),
            preexec_fn=_limited,
            check=False,
        )
    except subprocess.TimeoutExpired:
        budget.tick()
        return False
    return done.returncode == 0


def _objects(git_dir: Path, view: View, budget: Budget) -> Iterator[View]:
    command = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered", "--buffer"]
    with subprocess.Popen(
        command,
        env=_environment(git_dir),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=_limited,
    ) as process:
        assert process.stdout is not None
        try:
            while header := process.stdout.readline(4096):
                oid, kind, size = header.decode("ascii", "replace").split()
                content = collect(_exactly(process.stdout, int(size)), budget)
                process.stdout.read(1)
                yield view.part(name, f"{kind} {oid[:12]}", content, deeper=kind == "blob")
        finally:
            process.kill()


def _exactly(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size:
        chunk = stream.read(min(size, _STEP_BYTES))
        if not chunk:
            raise Damaged("git stopped in the middle of an object")
        size -= len(chunk)
        yield chunk


def _entries(view: View, start: int, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the entries as they lie there; a delta holds what is new in it as it is."""
    at = start + 12
    count = int.from_bytes(view.content[start + 8 : start + 12], "big")
    digest_bytes = 32 if _is_sha256(view.where) else 20
    for number in range(count):
        kind, at = _entry_header(view, at, digest_bytes)
        stream = streams.Stream(view.content, at, zlib.decompressobj, budget, joined=False)
        content = collect(stream, budget)
        label = f"entry {number}"
        yield view.part(name, label, content, deeper=kind not in _DELTAS)
        if stream.failure:
            raise Damaged(f"pack: {stream.failure}")
        at = stream.end


def _entry_header(view: View, at: int, digest_bytes: int) -> tuple[int, int]:
    """Return the kind of the entry at `at`, and where its stream begins."""
    raw = view.content[at : at + 64]
    if len(raw) < 2:
        raise Damaged("pack: fewer objects than it says")
    kind, used = raw[0] >> 4 & 7, 0
    while used < len(raw) - 1 and raw[used] & 0x80:
        used += 1
    used += 1
    if kind == 7:
        used += digest_bytes
    elif kind == 6:
        while used < len(raw) - 1 and raw[used] & 0x80:
            used += 1
        used += 1
    return kind, at + used
