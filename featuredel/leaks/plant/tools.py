"""The tools that make artefacts: pinned, from their registries, each set in a place of its own.

None of them is ever imported by featuredel. A set of Python tools is a virtual environment made
from a file of `pins/`, a set of Node's from a lock in `npm/`; both are kept by the digest of that
file, so that they are fetched once.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from uv import find_uv_bin

from featuredel.leaks.plant import Unmade
from featuredel.scratch import scratch_directory

_HERE = Path(__file__).parent
_PATIENCE_S = 900.0
_ENOUGH = 3000  # characters of a log's end


@dataclass(frozen=True, slots=True)
class Tools:
    """Where tools are kept, and what has been found out about them in this run."""

    store: Path
    _known: dict[str, str | None] = field(default_factory=dict)

    def lack(self, need: str) -> str | None:
        """Return why a need is not met on this machine, or None if it is.

        Needs: `program NAME` on the PATH, `pins SET` and `npm SET` from the registries,
        `python X.Y`, `attributes` of files, `engine` (Docker's).
        """
        if need not in self._known:
            kind, _, name = need.partition(" ")
            self._known[need] = _CHECKS[kind](self, name)
        return self._known[need]

    def pins(self, name: str) -> Path:
        """Return the virtual environment of a set of Python tools, made if it is not there."""
        pins = _HERE / "pins" / f"{name}.txt"
        return self._kept(f"py{sys.version_info.minor}-{name}", pins, _install_pins)

    def npm(self, name: str) -> Path:
        """Return the folder that holds `node_modules` of a set, made if it is not there."""
        return self._kept(f"npm-{name}", _HERE / "npm" / name / "package-lock.json", _install_npm)

    def _kept(self, name: str, lock: Path, install: Callable[[Path, Path], None]) -> Path:
        digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
        place = self.store / f"{name}-{digest}"
        ready = place / ".ready"
        if not ready.exists():
            self.store.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(place, ignore_errors=True)
            install(lock, place)  # in its final place: virtual environments cannot be moved
            ready.touch()
        return place


def python(version: str) -> Path | None:
    """Return an interpreter of this version that the machine has, "3.8" say."""
    roots = [Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"]
    places = [p / "bin" for root in roots if root.is_dir() for p in sorted(root.iterdir())]
    places += [Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if "shims" not in p]
    return next((p / f"python{version}" for p in places if (p / f"python{version}").exists()), None)


def run(argv: list[str], cwd: Path, variables: dict[str, str] | None = None) -> bytes:
    """Run a trusted tool on this machine; return its stdout. Raises `Unmade` if it fails."""
    try:
        done = subprocess.run(
            argv, cwd=cwd, env={**os.environ, **(variables or {})}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unmade(f"{Path(argv[0]).name}: {error}") from error
    if done.returncode != 0:
        log = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise Unmade(f"{Path(argv[0]).name} ended with {done.returncode}: {log[-_ENOUGH:]}")
    return done.stdout


def _install_pins(pins: Path, place: Path) -> None:
    uv = find_uv_bin()
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    run([uv, "venv", "--quiet", "--no-project", "--python", str(base), str(place)], Path("/"))
    where = ["--python", str(place / "bin" / "python"), "--require-hashes", "--no-deps"]
    arguments = ["--quiet", "--only-binary", ":all:", "--requirements", str(pins)]
    run([uv, "pip", "install", *where, *arguments], Path("/"))


def _install_npm(lock: Path, place: Path) -> None:
    place.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(lock.parent / name, place)
    run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], place)


def _program(_tools: Tools, name: str) -> str | None:
    return None if shutil.which(name) else f"{name} is not installed"


def _got(get: Callable[[str], Path], name: str) -> str | None:
    try:
        get(name)
    except Unmade as error:
        return f"the tools of {name!r} cannot be had: {error}"
    return None


def _npm(tools: Tools, name: str) -> str | None:
    return _program(tools, "npm") or _program(tools, "node") or _got(tools.npm, name)


def _python(_tools: Tools, version: str) -> str | None:
    return None if python(version) else f"Python {version} is not installed"


def _attributes(tools: Tools, _name: str) -> str | None:
    tools.store.mkdir(parents=True, exist_ok=True)
    with scratch_directory(tools.store) as folder:
        try:
            os.setxattr(folder, "user.trial", b"1")
        except OSError as error:
            return f"this file system keeps no attributes: {error.strerror}"
    return None


def _engine(tools: Tools, _name: str) -> str | None:
    if lacking := _program(tools, "docker"):
        return lacking
    try:
        run(["docker", "version", "--format", "{{.Server.Version}}"], Path("/"))
    except Unmade:
        return "no Docker engine is running"
    return None


_CHECKS: dict[str, Callable[[Tools, str], str | None]] = {
    "program": _program,
    "pins": lambda tools, name: _got(tools.pins, name),
    "npm": _npm,
    "python": _python,
    "attributes": _attributes,
    "engine": _engine,
}
