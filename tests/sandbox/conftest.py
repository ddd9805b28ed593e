"""A small tree, and short ways to run something on it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel.sandbox import Command, ExecResult, Mount, Sandbox
from featuredel.sandbox.bubblewrap import Bubblewrap

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


@pytest.fixture(params=["overlay", "copy"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Return bubblewrap, once with and once without the kernel's overlay."""
    return Bubblewrap(overlay=request.param == "overlay")


@pytest.fixture
def shell(sandbox: Sandbox, tree: Path) -> Shell:
    """Return a function that runs a shell script in the sandbox on the tree."""

    def run(script: str, **fields: object) -> ExecResult:
        fields.setdefault("layers", (tree,))
        return sandbox.run(Command(argv=("/bin/sh", "-c", script), **fields))  # type: ignore[arg-type]

    return run


@pytest.fixture
def quick(tree: Path) -> Shell:
    """Return a function that runs a shell script on the tree, with the overlay only."""

    def run(script: str, **fields: object) -> ExecResult:
        command = Command(argv=("/bin/sh", "-c", script), layers=(tree,), **fields)  # type: ignore[arg-type]
        return Bubblewrap().run(command)

    return run


@pytest.fixture
def python(tree: Path) -> Shell:
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
        return Bubblewrap().run(command)

    return run
