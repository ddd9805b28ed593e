"""The import rules: they point down, stages are strangers, each heavy library has one home."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import featuredel

ROOT = Path(featuredel.__file__).parent
LAYERS = [  # from the ground up; a module may import from its own layer and those before it
    {"model", "errors", "patches", "tarfiles", "scratch", "rewriting", "completions"},
    {
        "config", "document", "sources", "git",
        "trees", "tables", "cards", "relation", "languages", "sandbox", "leaks",
    },
    {"controls", "forks", "grading", "submission", "gates", "features"},
    {"stages", "tasks", "export", "monitor", "selection"},
    {"pipeline", "api", "solve"},
    {"jobs", "progress", "trainers", "workspaces"},
    {"run"},
    {"console", "doctor"},
    {"cli", "__main__"},
]  # fmt: skip
HOMES = {
    "ahocorasick_rs": "leaks/matcher",
    "docker": "sandbox",
    "libcst": "languages",
    "tree_sitter": "languages",
    "tree_sitter_bash": "languages",
    "pyflakes": "languages",
    "pyarrow": "tables",
    "git": "git",
    "dask": "run",
    "distributed": "run",
    "openai": "solve/chat",
    "httpx2": "solve/wire",
    "pypi_simple": "sources",
    "numpy": "selection",
    "scipy": "selection",
    "tomli_w": "export/harbor/settings",
}
SCRIPTS = ("languages/python/probe/", "sandbox/launcher/")
"""These run by themselves, in a sandbox or before one: they import nothing of featuredel."""


def _modules() -> list[Path]:
    return sorted(p for p in ROOT.rglob("*.py") if not _where(p).startswith(SCRIPTS))


def _where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _layer(name: str) -> int:
    part = name.split(".")[1]
    found = [i for i, layer in enumerate(LAYERS) if part in layer]
    assert found, f"{name}: say in LAYERS where it belongs"
    return found[0]


def _dotted(path: Path) -> str:
    return ".".join(("featuredel", *path.relative_to(ROOT).with_suffix("").parts))


@pytest.mark.parametrize("path", _modules(), ids=_where)
def test_imports_point_down(path: Path) -> None:
    if path.name == "__init__.py" and path.parent == ROOT:
        return
    own = _layer(_dotted(path))
    for name in _imports(path):
        if name.startswith("featuredel.") and name != "featuredel.__version__":
            assert _layer(name) <= own, f"{path.relative_to(ROOT)} imports {name}"


def test_stages_never_import_each_other() -> None:
    for path in (ROOT / "stages").glob("*.py"):
        assert not [n for n in _imports(path) if n.startswith("featuredel.stages")], path


def test_languages_never_import_a_sandbox_back_end() -> None:
    back_ends = {f"featuredel.sandbox.{p.stem}" for p in (ROOT / "sandbox").iterdir()}
    for path in (ROOT / "languages").rglob("*.py"):
        assert _where(path).startswith(SCRIPTS) or not back_ends & set(_imports(path)), path


@pytest.mark.parametrize("library", HOMES)
def test_each_heavy_library_has_one_home(library: str) -> None:
    for path in _modules():
        where = path.relative_to(ROOT).with_suffix("").as_posix()
        if any(n == library or n.startswith(f"{library}.") for n in _imports(path)):
            assert where == HOMES[library] or where.startswith(f"{HOMES[library]}/"), where


def test_scripts_import_nothing_of_featuredel() -> None:
    for path in ROOT.rglob("*.py"):
        if _where(path).startswith(SCRIPTS):
            nodes = ast.walk(ast.parse(path.read_bytes()))
            modules = [n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)]
            assert not [m for m in modules if m.split(".")[0] == "featuredel"], path
