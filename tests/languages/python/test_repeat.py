"""Builds done twice: what is the same, and what cannot be."""

import io
import shutil
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import pytest
from end_to_end.index_server import serve

from featuredel.languages.python.build import Builder
from featuredel.languages.python.built import Lock
from featuredel.languages.python.interpreters import Interpreter, interpreters
from featuredel.languages.python.metadata import read_metadata
from featuredel.languages.python.repeat import repeat
from featuredel.leaks.provenance import Product
from featuredel.model import Snapshot
from featuredel.sandbox import Limits, Sandbox
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.local import Local
from featuredel.tarfiles import tarfile
from featuredel.trees import tree_hash

pytestmark = pytest.mark.sandbox

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "{name}"
version = "1.0"
"""

BACKEND = """
import os, subprocess, zipfile

def build_wheel(folder, settings=None, metadata=None, **more):
    about = "Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n"
    files = {{"{name}-1.0.dist-info/METADATA": about}}
    files["{name}-1.0.dist-info/WHEEL"] = "Wheel-Version: 1.0\\nTag: py3-none-any\\n"
    files["{name}-1.0.dist-info/RECORD"] = ""
    {make}
    with zipfile.ZipFile(os.path.join(folder, "{name}-1.0-py3-none-any.whl"), "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return "{name}-1.0-py3-none-any.whl"

build_editable = build_wheel
"""

BY_PATH = """
    files["toy.pth"] = "/workspace"
    open("toy_version.py", "w").write(os.environ["SOURCE_DATE_EPOCH"])
"""
DRAWING = (
    BY_PATH
    + """
    open("toy_drawn.py", "w").write(os.urandom(8).hex())
"""
)
COMPILING = """
    source = os.path.abspath("frob.c")
    flags = ["-shared", "-fPIC", "-g", *os.environ.get("CPPFLAGS", "").split()]
    subprocess.run(["gcc", *flags, source, "-o", "frob.so"], check=True)
    files["frob.so"] = open("frob.so", "rb").read()
"""


def files_of(name: str, make: str) -> dict[str, str]:
    backend = BACKEND.format(name=name, make=make.strip())
    return {"pyproject.toml": PYPROJECT.format(name=name), "backend.py": backend}


def archive_of(name: str, files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        for path, text in {**files, "PKG-INFO": about}.items():
            entry = tarfile.TarInfo(f"{name}-1.0/{path}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


@pytest.fixture
def interpreter() -> Interpreter:
    return interpreters()[0]


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Offer one archive, and nothing else, to be had in the sandbox too."""
    source = "const char *where(void) { return __FILE__; }\nint twice(int x) { return 2 * x; }\n"
    with serve(
        {"frob": archive_of("frob", {**files_of("frob", COMPILING), "frob.c": source})}
    ) as at:
        monkeypatch.setenv("UV_DEFAULT_INDEX", at)
        yield


def builder_for(
    tmp_path: Path, files: Mapping[str, str], sandbox: Sandbox | None = None
) -> Builder:
    root = tmp_path / "tree"
    root.mkdir()
    for path, text in files.items():
        (root / path).write_text(text)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    snapshot = Snapshot(
        repository="toy", source="toy", source_sha256="", version="1.0",
        released=date(2025, 6, 1), licence="MIT", tree=tree_hash(root), root=root,
    )  # fmt: skip
    inside = sandbox or Bubblewrap()
    return Builder(snapshot, read_metadata(root), inside, scratch, None, Limits(wall_s=120))


def built(builder: Builder, interpreter: Interpreter, *requirements: str) -> dict[str, Product]:
    sources = tuple(builder.build_source(name, interpreter) for name in requirements)
    return repeat(builder, Lock((), sources, False), builder.project(interpreter), interpreter)


def differing(products: Mapping[str, Product]) -> list[str]:
    return [path for path, product in products.items() if not product.same_again]


def test_a_project_by_path(tmp_path: Path, index: None, interpreter: Interpreter) -> None:
    builder = builder_for(tmp_path, files_of("toy", BY_PATH))
    products = built(builder, interpreter)
    assert differing(products) == []
    version = products["/workspace/toy_version.py"]
    assert version.inputs == f"tree {builder.snapshot.tree}"
    assert version.command == "uv pip install --no-deps -e /workspace"
    assert products["/env/pyvenv.cfg"].inputs == f"Python {interpreter.version}"
    assert any(path.endswith("/toy.pth") for path in products)


def test_a_project_that_cannot_be_built(tmp_path: Path, interpreter: Interpreter) -> None:
    products = built(builder_for(tmp_path, {"toy.py": "x = 1\n"}), interpreter)
    assert differing(products) == []
    assert any(path.endswith("/_project.pth") for path in products)


def test_a_build_that_draws(tmp_path: Path, index: None, interpreter: Interpreter) -> None:
    builder = builder_for(tmp_path, files_of("toy", DRAWING))
    assert differing(built(builder, interpreter)) == ["/workspace/toy_drawn.py"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("sandbox", [Bubblewrap(), Local()], ids=lambda sandbox: sandbox.name)
def test_a_dependency_that_is_compiled(
    tmp_path: Path, index: None, interpreter: Interpreter, sandbox: Sandbox
) -> None:
    builder = builder_for(tmp_path, files_of("toy", BY_PATH), sandbox)
    products = built(builder, interpreter, "frob")
    assert differing(products) == []
    (extension,) = (product for path, product in products.items() if path.endswith("/frob.so"))
    name, _, digest = extension.inputs.partition(" sha256:")
    assert (name, len(digest)) == ("frob==1.0", 64)
