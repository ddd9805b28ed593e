"""What git keeps: one repository a vector, with the code in one place that a checkout hides."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from featuredel.leaks.plant import Making, Unmade, Vector
from featuredel.leaks.plant.workshop import Workshop

_SETTINGS = (
    *("user.name=author", "user.email=author@example.com", "init.defaultBranch=main"),
    *("gc.auto=0", "maintenance.auto=false", "commit.gpgSign=false", "protocol.file.allow=always"),
    *("advice.detachedHead=false", "core.hooksPath=/dev/null", "rerere.enabled=true"),
)
_FILE = "module.py"


class Repository:
    """A repository under way."""

    def __init__(self, shop: Workshop, root: Path, *init: str) -> None:
        self.shop, self.root = shop, root
        root.mkdir(parents=True, exist_ok=True)
        self("init", "--quiet", "--template=", *init)

    def __call__(self, *words: str | Path, stdin: str = "") -> str:
        """Run git here; return what it printed."""
        options = [part for setting in _SETTINGS for part in ("-c", setting)]
        shell = ["sh", "-c", 'exec "$@" < ' + (stdin or "/dev/null"), "sh"]
        argv = [*shell, "git", *options, *words]
        variables = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true"}
        return self.shop.trusted(argv, self.root, variables).decode(errors="replace").strip()

    def commit(self, message: str, text: str | None, name: str = _FILE) -> None:
        """Commit a file with a text, or nothing but the file's removal."""
        if text is None:
            (self.root / name).unlink(missing_ok=True)
        else:
            data = text.encode("utf-8", "surrogateescape")
            (self.root / name).write_bytes(data)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "-m", message)

    def forget(self) -> None:
        """Expire every reflog: what only these keep is unreachable."""
        self("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")

    def bare(self) -> None:
        """Clear the working tree, so that only the repository can tell."""
        for path in self.root.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _ancestor(git: Repository, text: str) -> None:
    git.commit("with it", text)
    git.commit("without it", None)


def _packed(git: Repository, text: str) -> None:
    """Put two versions into one pack, one as a delta of the other."""
    git.commit("with it", text)
    git.commit("more of it", f"# changed\n{text}\n# end\n")
    git.commit("without it", None)
    git("repack", "-a", "-d", "-f", "--depth=50", "--window=50", "--quiet")
    git("pack-refs", "--all")


def _unreachable(git: Repository, text: str) -> None:
    git.commit("empty", "")
    _write(git, text)
    git("hash-object", "-w", "loose.txt")


def _cruft(git: Repository, text: str) -> None:
    git.commit("empty", "")
    git.commit("with it", text)
    git("reset", "--quiet", "--hard", "HEAD~1")
    git.forget()
    git("repack", "--cruft", "--cruft-expiration=never", "-d", "--quiet")


def _stash(git: Repository, text: str) -> None:
    git.commit("empty", "")
    (git.root / _FILE).write_text(text, errors="surrogateescape")
    git("stash", "push", "--quiet")


def _note(git: Repository, text: str) -> None:
    git.commit("empty", "")
    _write(git, text)
    git("notes", "add", "-F", "loose.txt")


def _worktree(git: Repository, text: str) -> None:
    """Commit in a linked worktree, on no branch; its checkout is gone."""
    git.commit("empty", "")
    linked = git.shop.scratch / "linked"
    git("worktree", "add", "--quiet", "--detach", linked)
    (linked / _FILE).write_text(text, errors="surrogateescape")
    git("-C", linked, "add", "--all")
    git("-C", linked, "commit", "--quiet", "-m", "with it")


def _reflog(git: Repository, text: str) -> None:
    git.commit("with it", text)
    (git.root / _FILE).write_text("")
    git("add", "--all")
    git("commit", "--quiet", "--amend", "-m", "without it")


def _replaced(git: Repository, text: str) -> None:
    git.commit("empty", "")
    _write(git, text)
    blob = git("hash-object", "-w", "loose.txt")
    git("replace", git("rev-parse", f"HEAD:{_FILE}"), blob)


def _tag(git: Repository, text: str) -> None:
    """Write the text into the message of an annotated tag."""
    git.commit("empty", "")
    _write(git, text)
    git("tag", "--cleanup=verbatim", "-a", "v1", "-F", "loose.txt")


def _message(git: Repository, text: str) -> None:
    _write(git, text)
    git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-F", "loose.txt")


def _index(git: Repository, text: str) -> None:
    """Stage it, never commit it, and unstage it again."""
    git.commit("empty", "")
    (git.root / _FILE).write_text(text, errors="surrogateescape")
    git("add", "--all")
    git("reset", "--quiet", "--hard")


def _rerere(git: Repository, text: str) -> None:
    """Make a conflict: git keeps both sides of it under rr-cache, as text."""
    git.commit("base", "x = 1\n")
    git("checkout", "--quiet", "-b", "other")
    git.commit("other", text)
    git("checkout", "--quiet", "main")
    git.commit("ours", "x = 2\n")
    git("merge", "--quiet", "other", "-m", "both", "--strategy-option=patience", stdin="")


def _sha256(git: Repository, text: str) -> None:
    _ancestor(git, text)
    git("repack", "-a", "-d", "--quiet")


def _submodule(git: Repository, text: str) -> None:
    inner = Repository(git.shop, git.shop.scratch / "inner")
    _ancestor(inner, text)
    git("submodule", "--quiet", "add", inner.root, "part")
    git("commit", "--quiet", "-m", "a part")


def _kept(git: Repository, text: str) -> None:
    _packed(git, text)
    for pack in (git.root / ".git/objects/pack").glob("*.pack"):
        pack.with_suffix(".keep").touch()
    git("multi-pack-index", "write")
    git("commit-graph", "write", "--reachable")


def _lfs(git: Repository, text: str) -> None:
    git("lfs", "install", "--local", "--skip-repo")  # no hooks, which are switched off
    git("lfs", "track", "--filename", _FILE)
    git.commit("with it", text)
    git.commit("without it", None)


def _in_repository(
    fill: Callable[[Repository, str], None], *init: str
) -> Callable[[Workshop, Path], None]:
    def make(shop: Workshop, out: Path) -> None:
        git = Repository(shop, out / "project", *init)
        fill(git, shop.answer.text)
        if fill is not _index and fill is not _unreachable:
            (out / "project" / "loose.txt").unlink(missing_ok=True)
        git.bare()

    return make


def _conflict(shop: Workshop, out: Path) -> None:
    git = Repository(shop, out / "project")
    try:
        _rerere(git, shop.answer.text)
    except Unmade:
        git.bare()  # the merge ends with 1, as it must
        return
    raise Unmade("git merge found no conflict")


def _alternates(shop: Workshop, out: Path) -> None:
    """Lay out a repository that borrows its objects from a store elsewhere on the disk."""
    other = Repository(shop, shop.scratch / "other")
    _ancestor(other, shop.answer.text)
    store = out / "store"
    shutil.move(other.root / ".git" / "objects", store)
    git = Repository(shop, out / "project")
    (git.root / ".git/objects/info/alternates").write_text(f"{store}\n")


def _streams(shop: Workshop, out: Path) -> None:
    """Write what git has for transport: a bundle, a stream, mail, a stray pack, an archive."""
    git = Repository(shop, shop.scratch / "source")
    git.commit("empty", "")
    git.commit("with it", shop.answer.text)
    git.commit("more of it", f"# changed\n{shop.answer.text}\n")
    for name in ("bundle", "stream", "mail", "pack", "archive", "tarred"):
        (out / name).mkdir()
    git("bundle", "create", "--quiet", out / "bundle" / "all.bundle", "--all")
    (out / "stream" / "export").write_text(git("fast-export", "--all"), errors="replace")
    git("format-patch", "--quiet", "-o", out / "mail", "HEAD~2")
    git("archive", "-o", out / "archive" / "head.zip", "HEAD")
    shop.trusted(["tar", "-czf", out / "tarred" / "repository.tgz", ".git"], git.root)
    git("repack", "-a", "-d", "-f", "--quiet")
    for pack in (git.root / ".git/objects/pack").glob("*.pack"):
        shutil.copy(pack, out / "pack" / "kept.pack")
    shop.trusted(["tar", "-cf", out / "tarred" / "packed.tar", ".git"], git.root)


def _write(git: Repository, text: str) -> None:
    (git.root / "loose.txt").write_text(text, errors="surrogateescape")


_PLACES: Sequence[tuple[str, Callable[[Repository, str], None], tuple[str, ...]]] = (
    ("git-ancestor", _ancestor, ()),
    ("git-packed", _packed, ()),
    ("git-unreachable", _unreachable, ()),
    ("git-cruft-pack", _cruft, ()),
    ("git-stash", _stash, ()),
    ("git-note", _note, ()),
    ("git-worktree", _worktree, ()),
    ("git-reflog", _reflog, ()),
    ("git-replace-ref", _replaced, ()),
    ("git-tag-message", _tag, ()),
    ("git-commit-message", _message, ()),
    ("git-index", _index, ()),
    ("git-sha256", _sha256, ("--object-format=sha256",)),
    ("git-submodule", _submodule, ()),
    ("git-kept-pack", _kept, ()),
)

MAKINGS = (
    *(
        Making(
            name, "git", _in_repository(fill, *init),
            (Vector(name, ("project",), ruled=True, renaming="top"),),
            needs=("program git",),
            sampled=True,
        )
        for name, fill, init in _PLACES
    ),
    Making(
        "git-lfs", "git", _in_repository(_lfs),
        (Vector("git-lfs", ("project/.git/lfs/objects/**/*",), ruled=True),),
        needs=("program git", "program git-lfs"),
    ),
    Making(
        "git-conflict", "git", _conflict,
        (Vector("git-rerere", ("project/.git/rr-cache/**/*",), ruled=True),),
        needs=("program git",),
        sampled=True,
    ),
    Making(
        "git-alternates", "git", _alternates,
        (Vector("git-alternates", ("project", "store"), ruled=True, renaming="never"),),
        needs=("program git",),
        sampled=True,
    ),
    Making(
        "git-transport", "git", _streams,
        (
            Vector("git-bundle", ("bundle/*",), ruled=True),
            Vector("git-fast-export", ("stream/*",)),
            Vector("git-mail", ("mail/*",)),
            Vector("git-stray-pack", ("pack/*",)),
            Vector("git-archive", ("archive/*",)),
            Vector("git-in-tar-gz", ("tarred/*.tgz",)),
            Vector("git-packed-in-tar", ("tarred/*.tar",)),
        ),
        needs=("program git",),
        sampled=True,
    ),
)  # fmt: skip
