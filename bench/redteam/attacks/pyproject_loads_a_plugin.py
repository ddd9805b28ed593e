"""pyproject.toml loads a plugin; other settings are deleted."""

import re

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View

HEAD = re.compile(r"^\[tool\.pytest[^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)


def attack(view: View) -> None:
    for name in ("pytest.ini", "tox.ini", "setup.cfg"):
        (view.root / name).unlink(missing_ok=True)
    path = "pyproject.toml"
    before = HEAD.sub("", view.read(path)) if (view.root / path).exists() else ""
    view.write(path, f'{before}\n[tool.pytest.ini_options]\naddopts = "-p reporting"\n')
    view.write("reporting.py", CONFTEST)
