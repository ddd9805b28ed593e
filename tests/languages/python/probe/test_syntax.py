import ast
import sys
from pathlib import Path

import pytest

from featuredel.languages.python.runner import PROBE

FILES = sorted(PROBE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_probe_is_written_for_old_interpreters(file: Path) -> None:
    ast.parse(file.read_text(), feature_version=(3, 8))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_probe_needs_the_standard_library_only(file: Path) -> None:
    own = {"featuredel_probe", "pytest", "_pytest", "coverage", "hypothesis"}
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        assert {name.split(".")[0] for name in names} <= own | sys.stdlib_module_names
