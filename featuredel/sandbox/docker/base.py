"""The base image where no registry can be reached: Debian, by mmdebstrap, with one layer.

The same packages give the same image: times are neutral, Python's modules are compiled without
the times of their sources, and what differs from one installation to the next is not in it.
"""

import contextlib
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from featuredel.errors import InfrastructureError, UsageError
from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.images import Image
from featuredel.sandbox.docker.layers import EPOCH_S, Layer, digest_of
from featuredel.sandbox.docker.stock import OWN_BASE
from featuredel.sandbox.root import VARIABLES
from featuredel.scratch import scratch_directory

PACKAGES = ("ca-certificates", "g++", "gcc", "git", "libc6-dev", "make", "python3", "tzdata")
"""What tests and builds of projects call for. `python3` runs the first process of a container."""

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
LEFT_OUT = ("man", "doc", "info", "locale", "lintian", "python-wheels")
HOOKS = (
    'chroot "$1" find /usr -depth -type d -name dist-packages -exec rm -rf {} +',
    'chroot "$1" find / -xdev -type f -perm /6000 -exec chmod ug-s {} +',
    'chroot "$1" sh -c "python3 -m compileall -q -f --invalidation-mode unchecked-hash'
    ' /usr/lib/python3* || true"',
    'rm -rf "$1"/var/log/* "$1"/var/cache/* "$1"/etc/machine-id "$1"/etc/hostname'
    ' "$1"/etc/resolv.conf "$1"/root/.bashrc "$1"/root/.profile "$1"/var/lib/apt/extended_states',
)


def build_base(suite: str = "", more: tuple[str, ...] = ()) -> Image:
    """Do `make_base` in the engine of this machine."""
    with contextlib.closing(connect()) as client:
        return make_base(client, suite, more)


def make_base(client: Any, suite: str = "", more: tuple[str, ...] = ()) -> Image:
    """Build and load the base image of a Debian suite (that of this machine by default).

    `more` are further packages. Raises `UsageError` where that cannot be done here.
    """
    program = shutil.which("mmdebstrap")
    if program is None:
        raise UsageError("make base-image needs mmdebstrap: apt-get install mmdebstrap")
    suite = suite or _own_suite()
    with scratch_directory() as place:
        place.chmod(0o755)  # apt gives up its rights in there
        path = place / "base.tar"
        _bootstrap(program, suite, (*PACKAGES, *more), path)
        config = {
            "Env": [f"PATH={VARIABLES['PATH']}"],
            "Cmd": ["/bin/sh"],
            "Labels": labels.made("base", suite=suite),
        }
        architecture = ARCHITECTURES.get(platform.machine(), platform.machine())
        return images.load(
            client, None, [Layer(path, digest_of(path))], OWN_BASE, config, architecture, place
        )


def _own_suite() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise UsageError("this is no Debian: name a suite, as in make base-image SUITE=bookworm")


def _bootstrap(program: str, suite: str, packages: tuple[str, ...], path: Path) -> None:
    arguments = [
        *(program, "--variant=minbase", "--format=tar", "--skip=output/mknod"),
        f"--include={','.join(packages)}",
        *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in LEFT_OUT),
        *(f"--customize-hook={hook}" for hook in HOOKS),
        *(suite, str(path)),
    ]
    run = subprocess.run(
        arguments,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH_S)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        said = [line for line in run.stderr.splitlines() if line.startswith("E:")]
        raise InfrastructureError(f"mmdebstrap: {'; '.join(said[:3]) or run.stderr[-300:]}")
