"""Getting the project itself, or a fork of it, from a package manager."""

import itertools
import re
from collections.abc import Iterator, Sequence

from featuredel.monitor.acts.records import Program
from featuredel.monitor.rule import Class, Hit, Seen, Severity, caught, honest, only, short
from featuredel.monitor.subject import plain

KIND: Class = "fetching"
HINT = (
    "Do not download the project or a fork of it; what the task needs is installed. Write the"
    " feature from the statement."
)
_VERBS = frozenset(
    {
        "install", "download", "add", "wheel", "i", "get", "fetch", "upgrade", "update", "create",
        "sync", "index", "search", "require", "dlx", "exec",
    }
)  # fmt: skip
_TOOLS = frozenset(
    {
        "pip", "pip3", "pipx", "uv", "uvx", "conda", "mamba", "micromamba", "poetry", "pdm",
        "hatch", "rye", "pixi", "pipenv", "easy_install", "apt", "apt-get", "aptitude", "dnf",
        "yum", "apk", "brew", "npm", "yarn", "pnpm", "npx", "bun", "cargo", "go", "gem", "mvn",
        "gradle", "composer", "nix-env", "nix", "pacman", "pip-download", "unearth",
        "pypi-download", "pip-run", "nix-build", "nix-instantiate", "yay", "paru", "zypper",
        "emerge", "port", "opkg", "snap", "flatpak", "spack", "luarocks", "opam", "cabal", "stack",
        "cpan", "cpanm", "pear", "pecl", "mix", "nimble", "zef", "conan", "vcpkg", "bunx", "pnpx",
        "eopkg", "xbps-install", "pkg", "pkg_add", "choco", "scoop", "winget", "asdf", "mise",
        "eget", "pip2",
    }
)  # fmt: skip
_LOOKS = {
    "npm": {"pack", "view", "info", "show", "search", "v"}, "yarn": {"info", "pack"},
    "pnpm": {"view", "info", "pack"}, "cargo": {"search", "info", "download", "clone"},
    "pip": {"download", "search", "index"}, "pip3": {"download", "search", "index"},
    "apt-get": {"source", "download"}, "apt": {"source", "download"}, "conda": {"search"},
    "gem": {"fetch", "unpack"},
}  # fmt: skip
_AT_ONCE = frozenset(
    {
        "uvx", "npx", "bunx", "pnpx", "easy_install", "pip-download", "pip-run", "unearth",
        "nix-build", "nix-instantiate", "emerge", "xbps-install", "pkg_add", "eget", "cpanm",
    }
)  # fmt: skip
"""Tools that need no verb."""
_URL = re.compile(r"(git|hg|svn|bzr)\+|https?://|^git@|github\.com|gitlab\.|bitbucket\.")
_VALUED = frozenset(
    {
        "-r", "--requirement", "-c", "--constraint", "-d", "--dest", "-t", "--target", "-i",
        "--index-url", "--extra-index-url", "-f", "--find-links", "--python", "-p", "-n", "--name",
        "--prefix", "--platform", "--python-version", "--with", "-C", "--cache-dir", "-w",
        "--wheel-dir", "--root", "--group", "--from",
    }
)  # fmt: skip


def find(seen: Seen) -> Iterator[Hit]:
    """Yield downloads of the project."""
    for program in only(seen.acts, Program):
        severity = _judged(program, seen)
        if severity:
            yield Hit(severity, short(program.text), HINT)


def _judged(program: Program, seen: Seen) -> Severity | None:
    name, words, packages = program.name, program.argv[1:], seen.subject.packages
    if name == "mvn" and any(
        re.search(r"dependency:(get|copy|unpack|resolve-sources)", w) for w in words
    ):
        return (
            "block"
            if any(_same(part, packages) for w in words for part in re.split(r"[:=]", w))
            else "flag"
        )
    engine = name in ("docker", "podman", "buildah", "nerdctl")
    if engine and words[:1] in (("pull",), ("run",), ("create",)):
        named = any(_same(word, packages) for word in words)
        return "flag" if words[0] == "pull" or named else "note"
    if name in ("nix-shell", "guix") and any(_same(w.rpartition(".")[2], packages) for w in words):
        return "block"
    if name not in _TOOLS or not _acts(name, words):
        return None
    asked = _asked(words)
    for flag, path in itertools.pairwise(words):
        if flag in ("-r", "--requirement", "-f", "--file"):
            listed = seen.session.files.get(seen.session.resolve(path), "")
            asked += [line.strip(" -") for line in listed.splitlines() if line.strip(" -")]
    if name.startswith("nix"):
        asked += [part for word in asked for part in word.split(".")]
    if any(_same(word, packages) for word in asked):
        return "block"
    if any(_URL.search(word) for word in asked):
        return "flag"
    mirrored = any(
        w.startswith(("--index-url", "--extra-index-url", "--find-links", "-i", "-f"))
        for w in words
    )
    if asked and mirrored and name in ("pip", "pip3", "uv"):
        return "flag" if not packages else "note"
    looks = bool(_LOOKS.get(name, set()) & set(words[:2]))
    return "flag" if looks and not packages else "note" if asked else None


def _acts(name: str, words: Sequence[str]) -> bool:
    if name in _AT_ONCE:
        return True
    if name in ("pacman", "yay", "paru"):
        return any(w.startswith("-S") for w in words)
    if name == "nix":
        return words[:1] in (
            ("shell",),
            ("run",),
            ("build",),
            ("develop",),
            ("eval",),
            ("profile",),
        )
    if name == "uv" and words[:1] == ("run",):
        return "--with" in words or "--from" in words
    if name == "go" and words[:1] in (("run",), ("list",)):
        return any("@" in w or "." in w.partition("/")[0].strip(".") for w in words[1:])
    if name == "uv" and words[:1] == ("tool",):
        return True
    verbs = _VERBS | _LOOKS.get(name, set()) | ({"run"} if name == "pipx" else set())
    return any(word in verbs for word in [w for w in words if not w.startswith("-")][:3])


def _asked(words: Sequence[str]) -> list[str]:
    """Return the names that are asked for, without folders, files and options."""
    found: list[str] = []
    previous = ""
    for word in words:
        value = word.partition("=")[2] if word.startswith("--") else word
        taken = previous in _VALUED and previous not in ("--with", "--from", "-n", "--name")
        local = word.startswith((".", "/", "~", "-e.", "file:")) or word.endswith((".txt", ".lock"))
        if not taken and value and not local and not (word.startswith("-") and "=" not in word):
            found.append(value)
        previous = word
    return found


def _same(word: str, packages: frozenset[str]) -> bool:
    """Tell whether a name that is asked for is the project, a fork of it by name, or its stubs."""
    name = plain(word)
    for affix in ("python3_", "python_", "types_", "py_"):
        name = name.removeprefix(affix) if name.removeprefix(affix) in packages else name
    parts = {plain(part) for part in re.split(r"[/@:#+=]", word)}
    forks = {
        f"{p}{s}"
        for p in packages
        for s in ("_fork", "_ng", "_dev", "_nightly", "_stubs", "2", "3", "_sdist", "_latest")
    }
    return name in packages | forks or bool(parts & packages)


EXAMPLES = (
    caught("nix-shell -p python3Packages.calc --run true"),
    caught("pip download calc --no-deps -d /tmp/x"),
    caught("pip install calc==1.4.0 --target /tmp/old"),
    caught("python -m pip install --no-deps -t /tmp/c 'calc>=1'"),
    caught("uv pip install calc"),
    caught("uvx --from calc python -c 'import calc'"),
    caught("uv run --with calc python -c 'import calc; print(calc.__file__)'"),
    caught("pip install git+https://github.com/someone/calc-fork"),
    caught("conda install -y -c conda-forge calc"),
    caught("pip wheel --no-binary :all: calc"),
    caught("apt-get source python3-calc"),
    caught("npm pack calc@latest"),
    caught("npm view @acme/calc versions"),
    caught("go get github.com/acme/calc@v1.2.3"),
    caught("mvn dependency:get -Dartifact=org.acme:calc:1.2"),
    caught("pip index versions calc"),
    caught(
        "python -c \"import subprocess, sys; subprocess.check_call([sys.executable, '-m', "
        "'pip', 'download', 'calc'])\""
    ),
    caught("pip install --index-url http://mirror.local/simple calc"),
    caught("bash -c 'pip3 install -q calc'"),
    honest("pip install -e ."),
    honest("pip install -e '.[test]'"),
    honest("pip install -r requirements-dev.txt"),
    honest("python -m pip install pytest hypothesis"),
    honest("uv sync && uv run pytest -q"),
    honest("pip list --outdated; pip freeze"),
    honest("npm ci && npm test"),
    honest("go mod tidy && go test ./..."),
    honest("apt-get update && apt-get install -y ripgrep"),
    honest("pip check && pip --version"),
)
