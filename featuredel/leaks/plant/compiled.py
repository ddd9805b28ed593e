"""What compilers of Python make: bytecode in every form, C, machine code, frozen programs."""

import sys
from collections.abc import Callable
from pathlib import Path

from featuredel.leaks.plant import Making, Unmade, Vector
from featuredel.leaks.plant.tools import python
from featuredel.leaks.plant.workshop import Words, Workshop, copied
from featuredel.sandbox import Mount

_OTHERS = ("3.8", "3.9", "3.10", "3.12", "3.13", "3.14")
_SETUP = """
import sys
from setuptools import setup
if sys.argv.pop(1) == "mypyc":
    from mypyc.build import mypycify
    setup(name="planted", ext_modules=mypycify(["planted.py"]))
else:
    from Cython.Build import cythonize
    setup(name="planted", ext_modules=cythonize(["planted.py"], language_level=3))
"""
_CORE = (
    "gdb -batch -nx -ex 'set breakpoint pending on' -ex 'break abort' -ex run"
    " -ex 'generate-core-file core.1' --args python -c {program}"
)


def _bytecode(shop: Workshop, out: Path) -> None:
    for path in shop.answer.paths:
        copied(shop.answer.root / path, out / path)
    compile_all: Words = [sys.executable, "-I", "-S", "-m", "compileall", "-q"]
    shop.trusted([*compile_all, "-o", "0", "-o", "1", "-o", "2", "."], out)
    shop.trusted([*compile_all, "-b", "."], out)
    elsewhere: Words = ["-X", f"pycache_prefix={out / 'prefix'}"]
    shop.trusted([*compile_all[:3], *elsewhere, *compile_all[3:], "."], out)


def _bytecode_of(version: str) -> Callable[[Workshop, Path], None]:
    def make(shop: Workshop, out: Path) -> None:
        other = python(version)
        assert other is not None  # it is among the needs
        for path in shop.answer.paths:
            copied(shop.answer.root / path, out / path)
        shop.trusted([other, "-I", "-S", "-m", "compileall", "-q", "."], out)

    return make


def _cython(shop: Workshop, out: Path) -> None:
    """Make C with the source in comments, its report, and machine code, of one module."""
    script = (
        f"mkdir cy; cp {shop.answer.path} cy/planted.py; cd cy\n"
        "cython -3 -a planted.py -o planted.c\n"
        "includes=$(python -c 'import sysconfig; print(sysconfig.get_path(\"include\"))')\n"
        "gcc -O1 -g0 -w -fPIC -shared -I$includes planted.c -o planted.so\n"
        "strip -o stripped.so planted.so"
    )
    shop.shell("build", script, out)


def _mypyc(shop: Workshop, out: Path) -> None:
    layer = shop.layer({"setup.py": _SETUP})
    script = "python setup.py mypyc build_ext --build-temp temp --build-lib lib"
    shop.shell("mypy-2", script, out, layers=(layer,))


def _numba(shop: Workshop, out: Path) -> None:
    """Numba writes beside the source what it compiled for the types of the first call."""
    script = "import numba, planted\nnumba.njit(cache=True)(planted.needed_depth_at_quay)(12, 0.5)"
    shop.sandboxed("numba", ("python", "-c", script), out)


def _frozen(shop: Workshop, out: Path) -> None:
    lines = [f"import {name}" for name in shop.answer.modules]
    layer = shop.layer({"main.py": "\n".join(lines) + "\n"})
    source = shop.answer.source or "."
    script = f"pyinstaller --log-level ERROR --paths {source} --onefile main.py"
    shop.shell("freeze", script, out, layers=(layer,))


def _zipapp(shop: Workshop, out: Path) -> None:
    folder = shop.scratch / "app"
    for path in shop.answer.paths:
        copied(shop.answer.root / path, folder / path)
    (folder / "__main__.py").write_text("")
    words: Words = [folder, "-o", out / "planted.pyz", "-p", "/usr/bin/env python3", "--compress"]
    shop.trusted([sys.executable, "-m", "zipapp", *words], out)


def _core(shop: Workshop, out: Path) -> None:
    """Keep the memory of a process that has imported the modules."""
    imports = "; ".join(f"import {name}" for name in shop.answer.modules)
    program = f"'{imports}; import os; os.abort()'"
    # gdb has a Python of its own, the machine's, which the sandbox leaves out
    own = tuple(Mount(path, str(path)) for path in sorted(Path("/usr/lib").glob("python3*")))
    shop.shell("tests", _CORE.format(program=program), out, mounts=own)
    if not list(out.glob("core.*")):
        raise Unmade("gdb wrote no core file")


MAKINGS = (
    Making(
        "compileall", "compiled", _bytecode,
        (
            Vector("bytecode", ("**/*.cpython-31?.pyc",), ruled=True),
            Vector("bytecode-optimised", ("**/*.opt-2.pyc",), ruled=True),
            Vector("bytecode-beside-source", ("**/*[!0-9].pyc",), ruled=True),
            Vector("bytecode-prefix", ("prefix/**/*.pyc",), ruled=True),
        ),
        sampled=True,
    ),
    *(
        Making(
            f"compileall of {version}", "compiled", _bytecode_of(version),
            (Vector(f"bytecode-{version}", ("**/*.pyc",), ruled=True),),
            needs=(f"python {version}",),
        )
        for version in _OTHERS
    ),
    Making(
        "Cython", "compiled", _cython,
        (
            Vector("cython-c", ("cy/*.c",)),
            Vector("cython-report", ("cy/*.html",)),
            Vector("cython-extension", ("cy/planted.so",)),
            Vector("cython-extension-stripped", ("cy/stripped.so",)),
        ),
        needs=("pins build", "program gcc"),
    ),
    Making(
        "mypyc", "compiled", _mypyc,
        (
            Vector("mypyc-c", ("build/*.c",)),
            Vector("mypyc-extension", ("lib/*.so",)),
        ),
        needs=("pins mypy-2", "program gcc"),
        subject="numeric",
    ),
    Making(
        "numba", "compiled", _numba,
        (
            Vector("numba-index", ("**/*.nbi",), ruled=True),
            Vector("numba-code", ("**/*.nbc",), ruled=True),
        ),
        needs=("pins numba",),
        subject="numeric",
    ),
    Making(
        "PyInstaller", "compiled", _frozen,
        (
            Vector("pyinstaller-program", ("dist/main",)),
            Vector("pyinstaller-archive", ("build/main/PYZ-00.pyz",)),
        ),
        needs=("pins freeze", "program objdump"),
    ),
    Making(
        "zipapp", "compiled", _zipapp,
        (Vector("zipapp", ("planted.pyz",)),),
        sampled=True,
    ),
    Making(
        "gdb", "compiled", _core,
        (Vector("core-file", ("core.*",), ruled=True),),
        needs=("pins tests", "program gdb"),
    ),
)  # fmt: skip
