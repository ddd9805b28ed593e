"""Git, through GitPython, which has its one home here: running it, patches, and a first commit.

No hook, filter, attribute or configuration of a repository ever takes effect: every command gets
its git directory by name, and what a tree's `.gitattributes` say is overridden.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

# without it GitPython refuses to be imported on a machine that lacks git
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")

import git as gitpython

from featuredel import trees
from featuredel.errors import InfrastructureError, UsageError
from featuredel.scratch import scratch_directory

T = TypeVar("T")

_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.quotePath=true",
    "core.logAllRefUpdates=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
)
_NO_CONFIGURATION = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_NEUTRAL = {
    "GIT_AUTHOR_NAME": "author",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_AUTHOR_DATE": "2000-01-01T00:00:00+0000",
    "GIT_COMMITTER_NAME": "author",
    "GIT_COMMITTER_EMAIL": "author@example.com",
    "GIT_COMMITTER_DATE": "2000-01-01T00:00:00+0000",
}
_OF_MACHINE = tuple(
    f": {os.strerror(number)}"
    for number in (
        errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ENOMEM, errno.EMFILE,
        errno.ENFILE, errno.EACCES, errno.EPERM,
    )
)  # fmt: skip
"""How git's messages end where the machine failed, and not what git was asked for."""
# info/attributes wins over every .gitattributes: bytes go in and out as they are
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding !diff\n"


class GitError(InfrastructureError):
    """A git command failed."""

    def __init__(self, command: str, stderr: str) -> None:
        lines = [line for line in stderr.splitlines() if line.strip()]
        telling = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
        self.command = command
        self.stderr = stderr
        self.reason = telling[0].strip() if telling else "no message"
        super().__init__(f"git {command}: {self.reason}")

    @property
    def of_machine(self) -> bool:
        """Whether the machine failed: a full disk, say, or git was killed and told nothing."""
        lines = self.stderr.splitlines()
        return not lines or any(line.endswith(_OF_MACHINE) for line in lines)

    def __reduce__(self) -> tuple[type["GitError"], tuple[str, str]]:
        """Survive pickling between workers."""
        return (GitError, (self.command, self.stderr))


def run(
    git_dir: Path,
    arguments: Sequence[str],
    *,
    work_tree: Path | None = None,
    stdin: BinaryIO | None = None,
    variables: Mapping[str, str] | None = None,
    user_configuration: bool = False,
) -> bytes:
    """Run git on a git directory and return its stdout; raises `GitError` if it fails.

    It runs in `work_tree`, if there is one. The user's own configuration (credentials, proxies)
    counts only where asked for, which is where the network is.
    """
    environment = {
        **_environment(git_dir),
        **({} if user_configuration else _NO_CONFIGURATION),
        **({} if work_tree is None else {"GIT_WORK_TREE": str(work_tree)}),
        **(variables or {}),
    }
    options = [word for option in _OPTIONS for word in ("-c", option)]
    try:
        status, stdout, stderr = gitpython.Git(str(work_tree or git_dir)).execute(
            ["git", *options, *arguments],
            istream=stdin,
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            env=environment,
        )
    except gitpython.exc.GitCommandNotFound as error:
        raise UsageError("git is not installed; install it with your package manager") from error
    if status != 0:
        raise GitError(arguments[0], os.fsdecode(stderr))
    return stdout


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a git directory, read one after the other by one process."""

    command: gitpython.Git

    def size_bytes(self, oid: str) -> int:
        """Return the size of an object."""
        return self._asked(lambda: self.command.get_object_header(oid)[2], oid)

    def content(self, oid: str) -> bytes:
        """Return the bytes of an object."""
        return self._asked(lambda: self.command.get_object_data(oid)[3], oid)

    @staticmethod
    def _asked(ask: Callable[[], T], oid: str) -> T:
        try:
            return ask()
        except ValueError as error:
            raise GitError("cat-file", f"fatal: no object {oid}") from error


@contextmanager
def objects(git_dir: Path) -> Iterator[Objects]:
    """Give the objects of a git directory; raises `GitError` for one that is not there."""
    command = gitpython.Git(str(git_dir))
    command.update_environment(**_environment(git_dir), **_NO_CONFIGURATION)
    try:
        yield Objects(command)
    finally:
        command.clear_cache()


def diff(base: Path, edits: Mapping[str, bytes | None]) -> bytes:
    """Return the git patch (`--binary --full-index`) from `base` to `base` with `edits` applied.

    Modes are those of `trees.build_tree`. The bytes depend on the arguments alone.
    """
    before, after = {}, {}
    for path in sorted(edits, key=trees.name_bytes):
        full, content = base / path, edits[path]
        mode = trees.MODE_FILE
        if full.is_symlink() or full.is_file():
            mode = trees.git_mode(full)
            before[path] = (mode, trees.read(base, path))
        if content is not None:
            after[path] = (trees.MODE_FILE if mode == trees.MODE_LINK else mode, content)
    if before == after:
        return b""
    with _scratch() as git_dir:
        stream = git_dir / "stream"
        stream.write_bytes(_commit(b"before", before) + _commit(b"after", after) + b"done\n")
        with stream.open("rb") as stdin:
            run(git_dir, ["fast-import", "--quiet", "--done", "--depth=0"], stdin=stdin)
        options = ["-r", "-p", "--binary", "--full-index", "--no-renames", "--no-color"]
        return run(git_dir, ["diff-tree", *options, "refs/heads/before", "refs/heads/after"])


def apply(patch: bytes, root: Path, without: str = "") -> None:
    """Apply a git patch to the files under `root`, byte for byte, whole or not at all.

    What it does to the path `without` is left out.

    Files are replaced, never written in place, so hard-linked copies keep their content. Raises
    `ValueError` if the patch does not fit, or would leave `root`, and `GitError` if the machine
    failed.
    """
    if not patch:
        return
    with _scratch() as git_dir:
        stream = git_dir / "patch"
        stream.write_bytes(patch)
        try:
            arguments = ["apply", "--whitespace=nowarn", f"--exclude={without}", str(stream)]
            run(git_dir, arguments, work_tree=root.absolute())
        except GitError as error:
            if error.of_machine:
                raise
            raise ValueError(f"the patch does not apply: {error.reason}") from error


def commit_all(root: Path) -> str:
    """Make `root` a new repository with one commit of everything in it; return the commit's id.

    Author, date and message are neutral, so the id, and every file of the repository, depends on
    the tree alone. The commit holds exactly the bytes on disk, ignored files too.
    """
    root = root.absolute()
    git_dir = root / ".git"
    if git_dir.exists():
        raise ValueError(f"{root} is a git repository already")
    root.mkdir(parents=True, exist_ok=True)
    run(git_dir, ["init", "--quiet", "--template=", "--initial-branch=main"], work_tree=root)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text(_ATTRIBUTES)
    run(git_dir, ["add", "--all", "--force", "."], work_tree=root)
    commit = ["commit", "--quiet", "--allow-empty", "--no-verify", "--message=Initial commit"]
    run(git_dir, commit, work_tree=root, variables=_NEUTRAL)
    # `add` notes times and numbers of this machine's files; read from the commit there are none
    (git_dir / "index").unlink(missing_ok=True)
    run(git_dir, ["read-tree", "HEAD"], work_tree=root)
    (git_dir / "COMMIT_EDITMSG").unlink(missing_ok=True)
    return run(git_dir, ["rev-parse", "HEAD"]).decode().strip()


def head(root: Path) -> str:
    """Return the id of the commit that the repository at `root` stands at."""
    return run((root / ".git").absolute(), ["rev-parse", "HEAD"]).decode().strip()


def uncommitted(root: Path, *, binary: bool = False) -> bytes:
    """Return the git patch from the commit of `commit_all` to what lies at `root` now.

    With `binary` it shows no line of any file, so that it is ASCII whatever the files hold.
    """
    root = root.absolute()
    git_dir = root / ".git"
    if binary:
        (git_dir / "info" / "attributes").write_text(f"{_ATTRIBUTES}* -diff\n")
    run(git_dir, ["add", "--all", "--force", "."], work_tree=root)
    options = ["--cached", "--binary", "--full-index", "--no-renames", "--no-color"]
    return run(git_dir, ["diff", *options, "HEAD"], work_tree=root)


def stored_objects(root: Path) -> dict[str, str]:
    """Return the kind of every object in the repository at `root`, reachable or not, by its id."""
    question = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]
    lines = run((root / ".git").absolute(), question).decode().splitlines()
    return {oid: kind for oid, _, kind in (line.partition(" ") for line in lines)}


def init_bare(git_dir: Path) -> None:
    """Make an empty git directory: no hooks, no configuration, no branch."""
    for name in ("objects", "refs", "info"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "info" / "attributes").write_text(_ATTRIBUTES)
    (git_dir / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    # last, because it is what makes the directory a repository
    (git_dir / "HEAD").write_text("ref: refs/heads/none\n")


def _environment(git_dir: Path) -> dict[str, str]:
    return {
        "GIT_DIR": str(git_dir),
        # said again, lest a hook that we run under says something else
        "GIT_INDEX_FILE": str(git_dir / "index"),
        "GIT_OBJECT_DIRECTORY": str(git_dir / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


@contextmanager
def _scratch() -> Iterator[Path]:
    with scratch_directory() as directory:
        git_dir = directory / "git"
        init_bare(git_dir)
        with (git_dir / "config").open("a") as config:
            # speed alone; it is gone in a moment
            config.write("\tfsync = none\n\tcompression = 0\n[fastimport]\n\tunpackLimit = 0\n")
        yield git_dir


def _commit(branch: bytes, files: Mapping[str, tuple[int, bytes]]) -> bytes:
    """Return a commit in the language of `git fast-import`."""
    who = b"author <author@example.com> 0 +0000"
    parts = [b"commit refs/heads/%s\ncommitter %s\ndata 0\n" % (branch, who)]
    for path, (mode, content) in files.items():
        quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in trees.name_bytes(path))
        parts += [
            b"M %o inline %s\ndata %d\n" % (mode, quoted, len(content)),
            content,
            b"\n",
        ]
    return b"".join(parts)
