"""What type checkers keep: mypy of its three cache formats, stubs, fine-grained dependencies."""

import shlex
from collections.abc import Callable
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Workshop

_COMMON = "--config-file planted.ini --namespace-packages"
_SETTINGS = """
[mypy]
ignore_missing_imports = True
ignore_errors = True
"""
"""Errors are none of ours, and old versions keep nothing of a module that has some."""


def _mypy(pins: str, options: str = "") -> Callable[[Workshop, Path], None]:
    def make(shop: Workshop, out: Path) -> None:
        script = f"mypy {_COMMON} {options} {_paths(shop)}"
        shop.shell(pins, script, out, layers=(_settings(shop),))

    return make


def _stale(shop: Workshop, out: Path) -> None:
    """Take the feature out and run mypy again: rows of what is gone stay in the database."""
    start = shop.layer({"planted.ini": _SETTINGS, "other.py": ""})
    run = f"mypy {_COMMON}"
    script = f"{run} {_paths(shop)} other.py; rm -f {_paths(shop)}; {run} other.py"
    shop.shell("mypy-2", script, out, layers=(start,))


def _deleted_rows(shop: Workshop, out: Path) -> None:
    """Delete every row without a VACUUM: SQLite keeps their bytes in free pages."""
    clean = (
        "import pathlib, sqlite3\n"
        "for path in pathlib.Path('.mypy_cache').rglob('cache.db'):\n"
        "    base = sqlite3.connect(path)\n"
        "    base.execute('PRAGMA secure_delete = OFF')\n"
        "    base.execute('DELETE FROM files2')\n"
        "    base.commit()\n"
        "    base.close()\n"
    )
    script = f"mypy {_COMMON} {_paths(shop)}; python -c {shlex.quote(clean)}"
    shop.shell("mypy-1.20", script, out, layers=(_settings(shop),))


def _stubs(shop: Workshop, out: Path) -> None:
    shop.shell("mypy-2", f"stubgen --include-private -o typings {_paths(shop)}", out)


def _settings(shop: Workshop) -> Path:
    return shop.layer({"planted.ini": _SETTINGS})


def _paths(shop: Workshop) -> str:
    return shlex.join(shop.answer.paths)


MAKINGS = (
    Making(
        "mypy 1.18", "type checkers", _mypy("mypy-1.18"),
        (Vector("mypy-1.18-json", ("**/*.data.json",), ruled=True),),
        needs=("pins mypy-1.18",),
    ),
    Making(
        "mypy 1.18 for its daemon", "type checkers", _mypy("mypy-1.18", "--cache-fine-grained"),
        (Vector("mypy-1.18-fine-grained", ("**/*.deps.json",), ruled=True),),
        needs=("pins mypy-1.18",),
    ),
    Making(
        "mypy 1.19", "type checkers", _mypy("mypy-1.19"),
        (Vector("mypy-1.19-json", ("**/*.data.json",), ruled=True),),
        needs=("pins mypy-1.19",),
    ),
    Making(
        "mypy 1.20", "type checkers", _mypy("mypy-1.20"),
        (Vector("mypy-1.20-database", ("**/cache*.db*",), ruled=True),),
        needs=("pins mypy-1.20",),
    ),
    Making(
        "mypy 1.20, files", "type checkers", _mypy("mypy-1.20", "--no-sqlite-cache"),
        (Vector("mypy-1.20-fixed-format", ("**/*.data.ff",), ruled=True),),
        needs=("pins mypy-1.20",),
    ),
    Making(
        "mypy 1.20, rows deleted", "type checkers", _deleted_rows,
        (Vector("mypy-1.20-deleted-rows", ("**/cache*.db*",), ruled=True),),
        needs=("pins mypy-1.20",),
    ),
    Making(
        "mypy 2", "type checkers", _mypy("mypy-2"),
        (Vector("mypy-2-shards", ("**/cache*.db*",), ruled=True),),
        needs=("pins mypy-2",),
        sampled=True,
    ),
    Making(
        "mypy 2, files", "type checkers", _mypy("mypy-2", "--no-sqlite-cache"),
        (Vector("mypy-2-fixed-format", ("**/*.data.ff",), ruled=True),),
        needs=("pins mypy-2",),
    ),
    Making(
        "mypy 2, run again", "type checkers", _stale,
        (Vector("mypy-2-stale-shards", ("**/cache*.db*",), ruled=True),),
        needs=("pins mypy-2",),
    ),
    Making(
        "stubgen", "type checkers", _stubs,
        (Vector("stubs", ("typings/**/*.pyi",)),),
        needs=("pins mypy-2",),
    ),
)  # fmt: skip
