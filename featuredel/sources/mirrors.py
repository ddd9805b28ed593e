"""Local mirrors of git repositories, and the tree of a commit out of one.

A mirror is a bare repository that holds branches and tags, without the contents of files where the
server knows partial clones; those are fetched when a commit is exported. Nothing is ever checked
out: files are written from git's objects, so neither filters nor attributes have a say.
"""

import datetime
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from featuredel import git, trees
from featuredel.errors import Rejected, SourceError, UsageError
from featuredel.scratch import alone
from featuredel.sources.archives import Bounds, Entry, check_links, write_tree
from featuredel.sources.submodules import UNSAFE_REPOSITORY, is_local, submodule_urls

_ATTEMPTS = 3
_PAUSE_S = 2.0
_MAX_DEPTH = 5  # submodules of submodules
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_EXPRESSION = re.compile(r"[~^:?*\[\\\s]|@\{|\.\.")  # what no name of a branch or tag can hold
_REFERENCES = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_DEFAULT_BRANCH = "refs/featuredel/default"
_NETWORK = ("http.lowSpeedLimit=1000", "http.lowSpeedTime=60")  # bytes a second, for seconds
_FETCH = (
    "--quiet",
    "--force",
    "--no-auto-gc",
    "--no-tags",
    "--no-write-fetch-head",
    "--recurse-submodules=no",
    "--filter=blob:none",
)
_SSH = "ssh -oBatchMode=yes -oConnectTimeout=30 -oServerAliveInterval=15"
# what git says when trying again will not help
_FINAL = re.compile(
    r"not found|does not exist|does not appear to be a git repository|authentication failed"
    r"|could not read (?:username|password)|permission denied|access denied|not our ref"
    r"|couldn't find remote ref|not allowed|dubious ownership|returned error: 40[0-9]",
    re.IGNORECASE,
)
_GITLINK = 0o160000  # a submodule's commit
_MODES = {"100755": trees.MODE_EXECUTABLE, "120000": trees.MODE_LINK, "160000": _GITLINK}
_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_LFS_POINTER_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Mirror:
    """A mirror of the repository at `url`."""

    url: str
    git_dir: Path


def mirror(url: str, cache: Path) -> Mirror:
    """Return the mirror of `url` below `cache`; nothing is fetched yet."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", urlsplit(url).path.strip("/"))[-60:]
    digest = hashlib.sha256(url.encode()).hexdigest()[:12]
    found = Mirror(url, cache.absolute() / f"{name.strip('-.')}-{digest}.git")
    with _locked(found):
        if not found.git_dir.exists():
            fresh = found.git_dir.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)  # of a run that was killed here
            git.init_bare(fresh)
            git.run(fresh, ["config", "remote.origin.url", url])
            fresh.rename(found.git_dir)
    return found


def resolve(source: Mirror, revision: str) -> str:
    """Return the commit that a commit, tag or branch names; "" is the default branch.

    A whole commit id that is here already costs no network; anything else may have moved, and is
    looked up. Raises `SourceError` if the repository cannot be reached, `Rejected` if it is empty
    and `UsageError` if it has no such revision.
    """
    if _COMMIT.fullmatch(revision) and _has_commit(source, revision):
        return revision
    with _locked(source):
        for stale in source.git_dir.rglob("*.lock"):
            stale.unlink()  # of a git that was killed; a living one would hold our lock
        _update(source, default_branch=not revision)
        if _COMMIT.fullmatch(revision) and not _has_commit(source, revision):
            _fetch_commit(source, revision)
    for name in _names(revision):
        if commit := _commit_of(source, name):
            return commit
    raise UsageError(f"{source.url} has no commit, tag or branch {revision!r}")


def commit_date(source: Mirror, commit: str) -> datetime.date:
    """Return the day (UTC) on which the commit was made."""
    seconds = git.run(source.git_dir, ["show", "--no-patch", "--format=%ct", commit])
    return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).date()


def describe(source: Mirror, commit: str) -> tuple[str, int] | None:
    """Return the nearest tag before the commit and the number of commits since, or None."""
    try:
        found = git.run(source.git_dir, ["describe", "--tags", "--long", "--abbrev=7", commit])
    except git.GitError:
        return None
    tag, distance, _ = found.decode("utf-8", "replace").strip().rsplit("-", 2)
    return tag, int(distance)


def export(source: Mirror, commit: str, dest: Path, bounds: Bounds, cache: Path) -> None:
    """Write the commit's tree to `dest`, a new directory, with its submodules, without any `.git`.

    Raises `Rejected` for a tree that is unsafe, too large, or holds Git LFS pointers.
    """
    write_tree(_entries(source, commit, "", cache, 0), dest, bounds, UNSAFE_REPOSITORY)
    check_links(dest, UNSAFE_REPOSITORY)
    _check_lfs(dest)


def tracked_files(directory: Path) -> tuple[str, ...] | None:
    """Return the paths below `directory` that git tracks, those of submodules included.

    None if it is not in a checkout, or nothing in it is tracked.
    """
    top = next((at for at in (directory, *directory.parents) if (at / ".git").exists()), None)
    if top is None:
        return None
    git_dir = top / ".git"
    if git_dir.is_file():  # a worktree or submodule: the file says where its directory is
        git_dir = top / git_dir.read_text().removeprefix("gitdir:").strip()
    common = git_dir / "commondir"
    objects = (git_dir / common.read_text().strip() if common.is_file() else git_dir) / "objects"
    prefix = trees.name_bytes(
        f"{directory.relative_to(top).as_posix()}/" if directory != top else ""
    )
    listed = git.run(
        git_dir,
        ["ls-files", "-z", "--cached", "--recurse-submodules"],
        work_tree=top,
        variables={"GIT_OBJECT_DIRECTORY": str(objects)},
    )
    paths = (path for path in listed.split(b"\0") if path.startswith(prefix) and path != prefix)
    names = dict.fromkeys(trees.name_text(path.removeprefix(prefix)) for path in paths)
    return tuple(names) or None


@contextmanager
def _locked(source: Mirror) -> Iterator[None]:
    """Hold the mirror's lock, which other processes respect too."""
    source.git_dir.parent.mkdir(parents=True, exist_ok=True)
    with alone(source.git_dir.with_suffix(".lock")):
        yield


def _names(revision: str) -> list[str]:
    """Return what a revision may stand for, in the order in which to look."""
    if not revision:
        return [_DEFAULT_BRANCH]
    if _EXPRESSION.search(revision):
        return []
    names = [f"refs/tags/{revision}", f"refs/heads/{revision}"]
    return [*names, revision] if _SHORT_COMMIT.fullmatch(revision) else names


def _update(source: Mirror, default_branch: bool) -> None:
    _network(source, ["--prune", *_REFERENCES])
    if not git.run(source.git_dir, ["for-each-ref", "--count=1"]):
        raise Rejected("empty repository", f"{source.url} has neither branches nor tags")
    if default_branch:
        _network(source, [f"+HEAD:{_DEFAULT_BRANCH}"])


def _fetch_commit(source: Mirror, commit: str) -> None:
    """Fetch a commit that no branch or tag leads to, if the server gives it."""
    try:
        _network(source, [commit])
    except UsageError:
        raise UsageError(f"{source.url} has no commit {commit}") from None


def _network(source: Mirror, arguments: Sequence[str], wanted: Iterable[str] = ()) -> None:
    """Run `git fetch`; failures that may pass are tried again, and end in `SourceError`.

    `wanted` are object ids to fetch besides what the arguments name.
    """
    options = [word for option in _NETWORK for word in ("-c", option)]
    command = [*options, "fetch", *_FETCH, "origin", *arguments]
    variables = {
        "GIT_ALLOW_PROTOCOL": "file" if is_local(source.url) else "https:http:ssh:git",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", _SSH),
    }
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with tempfile.TemporaryFile() as stdin:
                stdin.write("".join(f"{oid}\n" for oid in wanted).encode())
                stdin.seek(0)
                git.run(
                    source.git_dir,
                    command,
                    stdin=stdin,
                    variables=variables,
                    user_configuration=True,
                )
            return
        except git.GitError as error:
            if _FINAL.search(error.stderr):
                raise UsageError(f"{source.url}: {error.reason}") from error
            if attempt == _ATTEMPTS:
                raise SourceError(f"{source.url}: {error.reason}") from error
            time.sleep(_PAUSE_S * attempt)


def _has_commit(source: Mirror, commit: str) -> bool:
    return _commit_of(source, commit) == commit


def _commit_of(source: Mirror, name: str) -> str | None:
    arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    try:
        return git.run(source.git_dir, arguments).decode().strip()
    except git.GitError:
        return None


def _entries(source: Mirror, commit: str, prefix: str, cache: Path, depth: int) -> Iterator[Entry]:
    """Yield the files of a commit and, after them, those of its submodules."""
    listed = git.run(source.git_dir, ["ls-tree", "-r", "-z", "--full-tree", commit])
    rows = [_row(line) for line in listed.split(b"\0") if line]
    _fetch_blobs(source, commit)
    with git.objects(source.git_dir) as objects:
        for row in rows:
            if row.mode != _GITLINK:
                read = partial(objects.content, row.oid)
                yield Entry(prefix + row.path, row.mode, objects.size_bytes(row.oid), read)
    modules = {row.path: row.oid for row in rows if row.mode == _GITLINK}
    if not modules or depth == _MAX_DEPTH:
        return
    urls = submodule_urls(source.git_dir, commit, source.url)
    for path, oid in modules.items():
        if path in urls:  # else it is a leftover, and git makes nothing of it either
            module = mirror(urls[path], cache)
            try:
                pinned = resolve(module, oid)
            except UsageError as error:
                raise Rejected("missing submodule", f"{path!r}: {error}") from error
            yield from _entries(module, pinned, f"{prefix}{path}/", cache, depth + 1)


@dataclass(frozen=True, slots=True)
class _Row:
    mode: int
    oid: str
    path: str


def _row(line: bytes) -> _Row:
    description, _, path = line.partition(b"\t")
    mode, _, oid = description.decode().split(" ")
    # the odd 100664 of old repositories is a plain file
    return _Row(_MODES.get(mode, trees.MODE_FILE), oid, trees.name_text(path))


def _fetch_blobs(source: Mirror, commit: str) -> None:
    """Fetch, in one go, the contents of the commit's files that the mirror lacks."""
    arguments = ["rev-list", "--objects", "--no-walk", "--missing=print", commit]
    lines = git.run(source.git_dir, arguments).splitlines()
    missing = [line[1:].decode() for line in lines if line.startswith(b"?")]
    if missing:
        with _locked(source):
            _network(source, ["--stdin"], missing)


def _check_lfs(root: Path) -> None:
    paths = list(trees.files(root))
    attributes = [path for path in paths if path.rpartition("/")[2] == ".gitattributes"]
    if not any(b"filter=lfs" in trees.read(root, path) for path in attributes):
        return
    pointers = [
        path
        for path in paths
        if (root / path).lstat().st_size < _LFS_POINTER_BYTES
        and trees.read(root, path).startswith(_LFS_POINTER)
    ]
    if pointers:
        more = f" and {len(pointers) - 3} more" if len(pointers) > 3 else ""
        raise Rejected("content in Git LFS", ", ".join(pointers[:3]) + more)
