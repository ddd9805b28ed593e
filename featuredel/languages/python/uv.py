"""How uv is called, and what its messages mean. Nothing here runs it."""

import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from packaging.utils import canonicalize_name

_PASSED_ON = re.compile(
    r"(UV_(?!CACHE_DIR|PYTHON|PROJECT|WORKING).*|SSL_CERT_(FILE|DIR)|.*_proxy)$", re.I
)
_NETWORK = re.compile(
    r"error sending request|dns error|failed to lookup address|connection (refused|reset|closed)"
    r"|timed out|timeout|network is unreachable|tls handshake|certificate"
    r"|HTTP status (server error|client error \(429)|Failed to (download|fetch)"
    r"|No space left on device",
    re.IGNORECASE,
)
_ORDINARY = {
    "UV_NO_PROGRESS": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "NO_COLOR": "1",
}


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that carry the user's choice of index and certificates."""
    return {k: v for k, v in environ.items() if _PASSED_ON.match(k)} | _ORDINARY


def user_configuration() -> Path | None:
    """Return the user's or the machine's uv.toml, None if there is none."""
    named = os.environ.get("UV_CONFIG_FILE")
    user = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "uv" / "uv.toml"
    choices = [Path(named)] if named else [user, Path("/etc/uv/uv.toml")]
    return next((path for path in choices if path.is_file()), None)


def compile_arguments(
    requirements: Path, excluded: Path, python: Path, newest: date | None
) -> tuple[str, ...]:
    """Return the arguments that resolve to wheels only: nothing of anybody's runs."""
    return (
        *("pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-sources"),
        *("--only-binary", ":all:", "--python", str(python), "--excludes", str(excluded)),
        *_dated(newest),
        str(requirements),
    )


def install_arguments(lock: Path, python: Path) -> tuple[str, ...]:
    """Return the arguments that install a lock's wheels, and nothing else, beside `python`."""
    return (
        *("pip", "install", "--quiet", "--only-binary", ":all:", "--no-deps"),
        *("--python", str(python), "--requirements", str(lock)),
    )


def build_arguments(
    what: Iterable[str], python: str, target: str, newest: date | None
) -> tuple[str, ...]:
    """Return the arguments that build and install into a folder, for inside of a sandbox."""
    return (
        *("pip", "install", "--quiet", "--no-deps", "--no-sources", "--break-system-packages"),
        *("--python", python, "--target", target, "--link-mode", "copy"),
        *_dated(newest),
        *what,
    )


def and_hash(
    build: tuple[str, ...], requirement: str, python: str, newest: date | None
) -> tuple[str, ...]:
    """Return the command that does a build, and then prints the lock of its source archive.

    The lock costs no second build: uv has what it needs to know in its cache.
    """
    lock = (
        *(build[0], "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-sources"),
        *("--no-deps", "--no-binary", ":all:", "--format", "pylock.toml", "--python", python),
        *_dated(newest),
        "-",
    )
    script = f'"$@" && {{ echo "$0" | {shlex.join(lock)} || true; }}'
    return ("sh", "-c", script, requirement, *build)


def locked(said: str) -> str:
    """Return what a printed lock names: "name==version sha256:..." or "name commit ...".

    That is "" where it names neither archive nor commit.
    """
    try:
        (package,) = tomllib.loads(said).get("packages", ())
        if "vcs" in package:
            return f"{package['name']} commit {package['vcs']['commit-id']}"
        archive = package.get("sdist") or package["archive"]
        return f"{package['name']}=={package['version']} sha256:{archive['hashes']['sha256']}"
    except (KeyError, TypeError, ValueError):
        return ""


def without_wheels(message: str) -> str | None:
    """Return the distribution that a failed resolution could only have built, if it was that."""
    found = re.search(r"Wheels are required for `([^`]+)`", message)
    return canonicalize_name(found.group(1)) if found else None


def blamed(message: str) -> frozenset[str]:
    """Return the distributions that the index does not know at all."""
    names = re.findall(r"(\S+) was not found in the package registry", message)
    names += re.findall(r"there (?:is|are) no versions? of ([A-Za-z0-9._-]+)", message)
    return frozenset(canonicalize_name(name) for name in names)


def network_trouble(message: str) -> bool:
    """Tell whether uv failed for a reason that may pass."""
    return bool(_NETWORK.search(message))


def tail(message: str, lines: int = 12) -> str:
    """Return the end of a log, short enough for a rejection's detail."""
    kept = [line.rstrip() for line in message.strip().splitlines() if line.strip()]
    return "\n".join(kept[-lines:])[-2000:]


def pretended_version(name: str, version: str) -> dict[str, str]:
    """Return the variables that tell build back-ends the version that git would have told."""
    suffix = re.sub(r"[-_.]+", "_", name).upper()
    return {
        "SETUPTOOLS_SCM_PRETEND_VERSION": version,
        f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{suffix}": version,
        "VCS_VERSIONING_PRETEND_VERSION": version,
        "HATCH_VCS_PRETEND_VERSION": version,
        "PBR_VERSION": version,
        "PDM_BUILD_SCM_VERSION": version,
        "POETRY_DYNAMIC_VERSIONING_BYPASS": version,
        "UV_DYNAMIC_VERSIONING_BYPASS": version,
        "VERSIONEER_OVERRIDE": version,
    }


def _dated(newest: date | None) -> tuple[str, ...]:
    return ("--exclude-newer", newest.isoformat()) if newest else ()
