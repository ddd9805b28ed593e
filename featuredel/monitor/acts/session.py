"""What a shell session keeps from step to step, as far as it can be followed."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from featuredel.monitor.acts.records import Program

_HOME = re.compile(r"^(/root|/home/[\w.-]+)(?=/|$)")


def ran_by(program: Program) -> Iterator[str]:
    """Yield what a command counts as having run: its name, and what it makes of files."""
    name, words = program.name, program.argv
    yield name
    if "build" in words and name in ("poetry", "uv", "hatch", "npm", "yarn", "pnpm"):
        yield f"{'npm' if name in ('yarn', 'pnpm') else name} build"
    if name in ("pip", "pip3") and words[1:2] == ("wheel",):
        yield "build"
    if name.startswith("python") and any("setup.py" in word for word in words):
        yield "setup.py"
    if name in ("pytest", "py.test") and any(word.startswith("--cov") for word in words):
        yield "pytest --cov"
    if name.startswith("python") and any(w in words for w in ("cProfile", "profile")):
        yield "cProfile"
    if any(word.startswith("--prof") for word in words):
        yield "pytest --prof"
    if name == "make" and any(word in ("docs", "html", "doc", "-C") for word in words):
        yield "make docs"


_BUILDERS = frozenset(
    {
        "sphinx", "sphinx-build", "sphinx-apidoc", "mkdocs", "pdoc", "pdoc3", "pydoc", "doxygen",
        "coverage", "pytest", "py.test", "mypy", "mypy.stubgen", "stubgen", "build", "flit",
        "hatch", "poetry", "nox", "tox", "trace", "setup.py", "jupyter", "make",
    }
)  # fmt: skip


def made_by(program: Program) -> Iterator[str]:
    """Yield the folders outside the tree that a command fills with what it makes of the tree."""
    if program.name in ("venv", "virtualenv") or program.argv[:2] == ("uv", "venv"):
        for word in program.argv[1:]:
            if word.startswith(("/tmp/", "/var/tmp/")):  # noqa: S108
                yield word.rstrip("/")
    if program.name in _BUILDERS or (program.name == "uv" and "build" in program.argv):
        for word in program.argv[1:]:
            path = re.split(r"^--?[\w-]+=|^--cov-report=\w+:|=", word)[-1]
            if path.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")):  # noqa: S108
                yield path.rstrip("/")


@dataclass(slots=True)
class Session:
    """State of one trajectory. The only record here that changes."""

    cwd: str = ""
    root: str = ""  # the solver's tree: where the first command ran
    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)  # of the shell: their whole text
    files: dict[str, str] = field(default_factory=dict)  # what was written, by absolute path
    packages: frozenset[str] = frozenset()  # of the project
    known: set[str] = field(
        default_factory=set
    )  # files that were shown or read, as they were named
    judged: set[str] = field(default_factory=set)  # code of the project whose new text was seen
    written: list[str] = field(default_factory=list)  # that text
    doubted: list[str] = field(default_factory=list)  # of it, what there was an alarm about
    made: set[str] = field(default_factory=set)  # files that the solver made itself
    ran: set[str] = field(default_factory=set)  # programs, and git's subcommands
    tested: set[str | float] = field(default_factory=set)  # literals of the tests that were shown
    shown: set[str | float] = field(default_factory=set)  # literals of the project's code
    outputs: set[str] = field(default_factory=set)  # scratch paths that builders were given
    commits: int = 0  # of the solver's own
    hashes: set[str] = field(default_factory=set)  # of those
    branches: set[str] = field(default_factory=set)  # that the solver made
    aliases: dict[str, str] = field(default_factory=dict)  # of git, that the solver made
    taken: set[str] = field(default_factory=set)  # scratch places that a look was put into
    moved: dict[str, str] = field(default_factory=dict)  # where files lie now, where they lay
    edited: set[tuple[str, str, str]] = field(default_factory=set)  # path, old, new text

    def resolve(self, path: str) -> str:
        """Return `path` from the current folder, with `~` for any home."""
        path = path.strip()
        for sign in ("$HOME", "${HOME}"):
            if path.startswith(sign):
                path = "~" + path[len(sign) :]
        if not path.startswith(("/", "~", "$")):
            path = posixpath.join(self.cwd or self.root, path)
        path = _HOME.sub("~", path)
        return posixpath.normpath("/" + path.lstrip("/") if path.startswith("//") else path)

    def enter(self, folder: str) -> None:
        """Follow a `cd`; the first to an absolute folder tells the solver's tree."""
        if folder in ("-", ""):
            return
        self.cwd = self.resolve(folder)
        if not self.root and self.cwd.startswith(("/", "~/")) and self.cwd not in ("/", "/tmp"):  # noqa: S108
            self.root = self.cwd

    def leave_step(self, *, fresh: bool) -> None:
        """End a step; a fresh shell for the next forgets folder and variables."""
        if fresh:
            self.cwd = self.root
            self.variables.clear()

    def is_known(self, path: str) -> bool:
        """Tell whether a file was there before: it was read, or shown by a listing."""
        inside = self.inside(path) or path
        name = posixpath.basename(inside)
        if inside in self.known or "/" not in inside:
            return inside in self.known
        listed = name in self.known and name != "__init__.py"
        return listed or any(known.endswith("/" + inside) for known in self.known)

    def folders_made(self, program: Program) -> list[str]:
        """Return the folders that a `mkdir` makes, as far as nothing in them was shown before."""
        if program.name != "mkdir":
            return []
        folders = [self.resolve(w) for w in program.argv[1:] if not w.startswith("-")]
        return [folder for folder in folders if not self._holds_known(folder)]

    def _holds_known(self, folder: str) -> bool:
        inside = self.inside(folder) or folder
        return any(known.startswith(inside.rstrip("/") + "/") for known in self.known)

    def inside(self, path: str) -> str | None:
        """Return `path` from the solver's tree, None if it is not in there."""
        if not path.startswith(("/", "~", "$")):
            return path
        if self.root and (path == self.root or path.startswith(self.root.rstrip("/") + "/")):
            return path[len(self.root) :].lstrip("/") or "."
        return None
