"""The Dockerfiles: what the agent of a task works in, and what grades it.

Both begin alike for all tasks of one environment, so that an engine builds those layers once.
"""

import importlib.metadata
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from featuredel.languages.python.interpreters import minor_of
from featuredel.model import EnvironmentRow

BASE = (
    "python:3.13-bookworm@sha256:07bf1bd38e191e3ed18b5f3eb0006d5ab260cb8c967f49d3bf947e5c2e44d8a9"
)
"""Debian with Python, git and a C compiler."""

WORKSPACE, PROJECT = "workspace.tar", "project.tar"
"""What the agent's Dockerfile adds, beside it: the tree, and for a project that is not built by
itself what makes it importable."""

HOME, WORK = "/opt/featuredel", "/var/lib/featuredel"

_CLEARED = (
    "find / -xdev -path /env -prune -o -path /proc -prune"
    " -o -path '*/lib/python3*/test/support' -prune"
    " -o '(' -name site-packages -o -name dist-packages -o -name python-wheels"
    " -o -path '*/ensurepip/_bundled'"
    " -o -path '*/lib/python3*/test/*' ! -path '*/test/__init__.py' ')' -prune"
    " -exec rm -rf '{}' +"
)
"""Removes what a sandbox of featuredel does not show either."""

_CLOSED = (
    "find / -xdev '(' -path /proc -o -path /tmp -o -path /var/tmp -o -path /run/lock ')' -prune"
    " -o '(' -type d -o -type f ')' -perm -0002 -exec chmod o-w '{}' +"
)
"""Leaves no place where what is graded could keep something, but those that are cleared."""

_EDITABLE = "-e /workspace"
_BUILT = re.compile(r"uv pip install --no-deps (.+)")


def is_by_path(environment: EnvironmentRow) -> bool:
    """Tell whether the project has no build of its own that works."""
    return not any(_EDITABLE in one for one in environment.build)


def site_packages(environment: EnvironmentRow) -> str:
    """Return where the environment's packages lie."""
    major, minor = minor_of(environment.interpreter)
    return f"/env/lib/python{major}.{minor}/site-packages"


def agent_dockerfile(environment: EnvironmentRow, base: str) -> str:
    """Return environment/Dockerfile: the environment from its lock, then the solver's tree."""
    return _lines(
        "# What the agent of this task works in, as featuredel records it.",
        *_beginning(base, environment.interpreter),
        _run(
            f"uv venv --quiet --no-project --python {environment.interpreter} /env",
            *_install("/env/bin/python", _pins(environment)),
        ),
        "# other packages, wheels and tests that the base image has may hold the answer",
        _run(_CLEARED),
        *_accounts(),
        f"ADD --chown=solver:solver {WORKSPACE} /",
        *(
            (f"ADD {PROJECT} /",)
            if is_by_path(environment)
            else (
                _run(
                    f"uv pip install --quiet --python /env/bin/python --no-deps {_EDITABLE}",
                    "git -c safe.directory=/workspace -C /workspace checkout --quiet -- .",
                    "chown -hR solver:solver /workspace",
                ),
            )
        ),
        "ENV PATH=/env/bin:$PATH",
        "USER solver",
        "WORKDIR /workspace",
    )


def verifier_dockerfile(environment: EnvironmentRow, base: str, featuredel: str) -> str:
    """Return tests/Dockerfile: featuredel, the task's rows, and its environment built of them.

    `featuredel` is a requirement, or names a wheel or source archive that lies beside it. The last
    step grades an empty diff, and before that gold, which must earn 1 for the image to come about.
    """
    archive = archive_of(featuredel)
    wanted = f"/opt/{archive.name}" if archive else featuredel
    return _lines(
        "# What grades this task. Its files are no agent's to see.",
        *_beginning(base, environment.interpreter),
        *((f"COPY {archive.name} /opt/",) if archive else ()),
        _run(
            f"uv venv --quiet --no-project --python '>=3.11' {HOME}",
            *_install(f"{HOME}/bin/python", [wanted], ""),
        ),
        *_accounts(),
        f"ENV FEATUREDEL_SANDBOX=account FEATUREDEL_HOME={HOME} FEATUREDEL_WORK={WORK}",
        "COPY . /tests/",
        _run(
            f"install -d -m 700 {WORK}",
            "chmod -R go= /tests",
            _CLOSED,
            "touch /.featuredel-account",
            f"{HOME}/bin/featuredel grade /tests/dataset \"$(cat /tests/task)\" /dev/null"
            f" --sandbox account --work {WORK}",
        ),
        "WORKDIR /",
    )  # fmt: skip


def _beginning(base: str, interpreter: str) -> tuple[str, ...]:
    uv = importlib.metadata.version("uv")
    return (
        f"FROM {base}",
        "ENV UV_PYTHON_INSTALL_DIR=/opt/python UV_NO_CACHE=1 UV_LINK_MODE=copy",
        _run(
            "(command -v uv >/dev/null || python3 -m pip install --quiet --no-cache-dir"
            f" --break-system-packages uv=={uv})",
            f"(uv python find --quiet {interpreter} || uv python install --quiet {interpreter})",
        ),
    )


def _accounts() -> tuple[str, ...]:
    return (_run("id solver >/dev/null 2>&1 || /usr/sbin/useradd --uid 1000 --create-home solver"),)


def _pins(environment: EnvironmentRow) -> list[str]:
    """Return what the lock names, and what was built of source archives."""
    found = (match[1] for one in environment.build if (match := _BUILT.fullmatch(one)))
    built = [text for text in found if text != _EDITABLE]
    return [*environment.lock, *built]


def _install(python: str, wanted: list[str], option: str = " --no-deps") -> Iterable[str]:
    if wanted:
        told = " ".join(shlex.quote(one) for one in wanted)
        yield f"uv pip install --quiet --python {python}{option} {told}"


def _run(*commands: str) -> str:
    return "RUN " + " \\\n && ".join(commands)


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def archive_of(featuredel: str) -> Path | None:
    """Return the path if `featuredel` names a wheel or source archive, not a requirement."""
    return Path(featuredel) if featuredel.endswith((".whl", ".tar.gz")) else None
