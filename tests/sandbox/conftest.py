"""A small tree, and short ways to run something on it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from engine import docker_engine

from featuredel.sandbox import Command, ExecResult, Mount, Sandbox
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.docker.back_end import Docker

Shell = Callable[..., ExecResult]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree with a directory, a program, a link, and an awkward name."""
    root = tmp_path / "a,b:c d"
    (root / "src").mkdir(parents=True)
    (root / "src" / "mod.py").write_text("x = 1\n")
    (root / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("src/mod.py")
    return root


@pytest.fixture(scope="session")
def docker() -> Iterator[Docker]:
    """Return the back-end for a Docker engine; tests are skipped where none answers."""
    with docker_engine() as back_end:
        yield back_end


@pytest.fixture(params=["overlay", "copy", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Return each back-end; bubblewrap once with and once without the kernel's overlay."""
    if request.param == "docker":
        return cast(Docker, request.getfixturevalue("docker"))
    return Bubblewrap(overlay=request.param == "overlay")


@pytest.fixture(params=["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)])
def back_end(request: pytest.FixtureRequest) -> Sandbox:
    """Return each back-end once."""
    if request.param == "docker":
        return cast(Docker, request.getfixturevalue("docker"))
    return Bubblewrap()


@pytest.fixture
def shell(sandbox: Sandbox, tree: Path) -> Shell:
    """Return a function that runs a shell script in the sandbox on the tree."""

    def run(script: str, **fields: object) -> ExecResult:
        fields.setdefault("layers", (tree,))
        return sandbox.run(Command(argv=("/bin/sh", "-c", script), **fields))  # type: ignore[arg-type]

    return run


@pytest.fixture
def quick(back_end: Sandbox, tree: Path) -> Shell:
    """Return a function that runs a shell script on the tree, in each back-end once."""

    def run(script: str, **fields: object) -> ExecResult:
        command = Command(argv=("/bin/sh", "-c", script), layers=(tree,), **fields)  # type: ignore[arg-type]
        return back_end.run(command)

    return run


@pytest.fixture
def python(back_end: Sandbox, tree: Path) -> Shell:
    """Return a function that runs Python code on the tree, by this interpreter."""
    home = Path(sys.base_prefix)

    def run(code: str, **fields: object) -> ExecResult:
        program = home / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
        command = Command(
            argv=(str(program), "-I", "-S", "-c", code),
            layers=(tree,),
            mounts=(Mount(home, str(home)),),
            **fields,  # type: ignore[arg-type]
        )
        return back_end.run(command)

    return run
