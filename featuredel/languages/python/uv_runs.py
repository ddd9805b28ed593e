"""Running uv: on this machine what is safe, in a sandbox what runs the code of strangers."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from uv import find_uv_bin

from featuredel.errors import InfrastructureError
from featuredel.languages.python import drawn, uv
from featuredel.languages.python.built import Unresolvable
from featuredel.sandbox import Command, Mount, Sandbox

_TOOLS = "/tools"
UV = f"{_TOOLS}/uv"
"""Where it is in the sandbox."""

_CONFIGURATION = f"{_TOOLS}/uv.toml"
_CERTIFICATES = f"{_TOOLS}/certificates.pem"


class NoWheel(Unresolvable):
    """A distribution would have to be built."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message, (name,))
        self.name = name


def here(arguments: tuple[str, ...], scratch: Path, timeout_s: float) -> str:
    """Run uv on this machine and return its output.

    Raises `NoWheel` or `Unresolvable` if there is nothing that fits, and `InfrastructureError`
    for trouble that may pass.
    """
    _no_settings(scratch)
    try:
        run = subprocess.run(
            [find_uv_bin(), *arguments],
            cwd=scratch,
            env={**os.environ, **uv.variables({})},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise InfrastructureError(f"uv {arguments[0]} took too long") from late
    if run.returncode == 0:
        return run.stdout
    name = uv.without_wheels(run.stderr)
    if name:
        raise NoWheel(name, uv.tail(run.stderr))
    if uv.network_trouble(run.stderr):
        raise InfrastructureError(f"uv {arguments[0]}: {uv.tail(run.stderr, 3)}")
    raise Unresolvable(uv.tail(run.stderr), uv.blamed(run.stderr))


def inside(sandbox: Sandbox, command: Command, home: Path, scratch: Path) -> str:
    """Run `command`, which calls `UV`, with a network and an interpreter; return its output.

    Raises `Unresolvable` with what it said if it fails, and `InfrastructureError` if that may pass.
    """
    result = sandbox.run(
        replace(
            command,
            mounts=(*command.mounts, *_mounts(home, scratch)),
            variables={**_variables(), **command.variables},
            network=True,
        )
    )
    if result.ended == "exited" and result.exit_code == 0:
        return result.stdout.decode(errors="replace")
    message = result.stderr.decode(errors="replace") or f"the build ended by {result.ended}"
    if result.ended == "exited" and uv.network_trouble(message):
        raise InfrastructureError(f"building in the sandbox: {uv.tail(message, 3)}")
    raise Unresolvable(uv.tail(message))


def _no_settings(scratch: Path) -> Path:
    """Return an empty uv.toml, which stops uv from looking for settings in the folders above."""
    empty = scratch / "uv.toml"
    empty.touch()
    return empty


def _mounts(home: Path, scratch: Path) -> Iterator[Mount]:
    yield Mount(Path(find_uv_bin()), UV)
    yield Mount(uv.user_configuration() or _no_settings(scratch), _CONFIGURATION)
    if home != Path("/usr"):  # which is always there
        yield Mount(home, str(home))
    if certificates := _certificates():
        yield Mount(certificates, _CERTIFICATES)


def _variables() -> dict[str, str]:
    own = {"UV_CONFIG_FILE": _CONFIGURATION, "UV_CACHE_DIR": drawn.CACHE}
    certificates = {"SSL_CERT_FILE": _CERTIFICATES} if _certificates() else {}
    return {**uv.variables(os.environ), **certificates, **drawn.UNCHANGING, **own}


def _certificates() -> Path | None:
    named = os.environ.get("SSL_CERT_FILE")
    return Path(named) if named and Path(named).is_file() else None
