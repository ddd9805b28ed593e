"""Environments with nothing but pytest, made from the packages that run these tests."""

import importlib.metadata
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from featuredel.languages.python import runner
from featuredel.languages.python.interpreters import Interpreter
from featuredel.model import Environment, TestRequest, TestRun
from featuredel.sandbox import ExecResult
from featuredel.sandbox.bubblewrap import Bubblewrap

RUNNER = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")


def make_environment(interpreter: Interpreter, prefix: Path) -> Environment:
    """Make a virtual environment at `prefix`; all of pytest's packages are pure Python."""
    subprocess.run(
        [interpreter.executable, "-m", "venv", "--without-pip", "--symlinks", prefix], check=True
    )
    (packages,) = prefix.glob("lib/python3*/site-packages")
    for name in RUNNER:
        for file in importlib.metadata.files(name) or ():
            if ".." not in file.parts and file.suffix != ".pyc":
                (packages / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), packages / file)
    subprocess.run(
        [prefix / "bin/python", "-m", "compileall", "-q", packages], check=True, timeout=300
    )
    (packages / "project.pth").write_text("/workspace/src\n")
    return Environment(
        id="0" * 16,
        interpreter=interpreter.version,
        prefix=prefix,
        home=interpreter.home,
        lock=(),
        build=(),
        products=None,
        test_roots=(),
    )


def write_tree(root: Path, files: Mapping[str, str]) -> Path:
    """Write text files."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, encoding="utf-8")
    return root


def execute(environment: Environment, tree: Path, request: TestRequest) -> ExecResult:
    """Run the tests of a tree; return what the sandbox saw."""
    return Bubblewrap().run(runner.test_command(environment, (tree,), request))


def run(environment: Environment, tree: Path, request: TestRequest) -> TestRun:
    """Run the tests of a tree."""
    return runner.test_run(request, execute(environment, tree, request))
