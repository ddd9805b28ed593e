"""Hidden test files: with the names there nothing changes, without them the module still loads."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from featuredel.languages.python.placeholders import with_placeholders

PLUGIN = """
import json
outcomes = {}
def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid.split("::", 1)[1]] = report.outcome
        if report.failed and report.longrepr:
            outcomes[report.nodeid.split("::", 1)[1]] = report.longrepr.reprcrash.message
def pytest_collectreport(report):
    if report.failed:
        outcomes["collection"] = str(report.longrepr)
def pytest_sessionfinish():
    open("outcomes.json", "w").write(json.dumps(outcomes))
"""
PACKAGE = """
class Base:
    tag = "base"
    def __init__(self, x=0): self.x = x
    def double(self): return 2 * self.x
class Problem(Exception): pass
def twice(x): return 2 * x
def plain(x): return x
def decorate(f): return f
LIMIT = 3
"""
KEPT = "def plain(x): return x\n"


def outcomes(folder: Path, package: str, source: bytes) -> Mapping[str, str]:
    folder.mkdir()
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").write_text(package)
    (folder / "plugin.py").write_text(PLUGIN)
    (folder / "test_it.py").write_bytes(source)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider"]
    subprocess.run([*command, "--rootdir=.", "test_it.py"], cwd=folder, capture_output=True)
    found: Mapping[str, str] = json.loads((folder / "outcomes.json").read_text())
    return found


def both(tmp_path: Path, source: str, *names: str) -> Mapping[str, str]:
    """Return the outcomes with `names` missing; with them there the file does what it did."""
    missing = {("pkg", name) for name in names}
    hidden = with_placeholders(source.encode(), missing)
    original = outcomes(tmp_path / "original", PACKAGE, source.encode())
    assert outcomes(tmp_path / "gold", PACKAGE, hidden) == original
    assert set(original.values()) == {"passed"}
    found = outcomes(tmp_path / "missing", KEPT, hidden)
    assert "collection" not in found
    assert set(found) == set(original)
    return found


NEEDS = "is not implemented"


def test_a_missing_name_fails_only_the_tests_that_use_it(tmp_path: Path) -> None:
    source = '''"""Doc."""
from __future__ import annotations
from pkg import (
    plain,  # stays
    twice as t,
)
def test_kept(): assert plain(1) == 1
def test_gone(): assert t(1) == 2
'''
    found = both(tmp_path, source, "twice")
    assert found["test_kept"] == "passed"
    assert "featuredel: pkg.twice is not implemented" in found["test_gone"]


def test_uses_while_the_module_loads_are_absorbed(tmp_path: Path) -> None:
    source = """
import re
import pytest
import pkg
from pkg import Base, LIMIT, decorate, plain

class Heir(Base, list):
    tag = Base.tag + "!"

TABLE = {Base: [LIMIT + 1, -LIMIT, LIMIT > 2, *range(LIMIT)]}
PATTERN = re.compile(Base.tag)
MADE = pkg.Base(3)

@decorate
def test_decorated(): assert plain(1)

@pytest.mark.parametrize("f", [pkg.twice, pkg.plain])
def test_each(f): assert f(0) == 0

def test_kept(): assert plain(2) == 2
def test_heir(): assert Heir().double() == 0
def test_table(): assert TABLE[Base][0] == 4
def test_pattern(): assert PATTERN.match("base")
def test_made(): assert MADE.double() == 6
"""
    found = both(tmp_path, source, "Base", "LIMIT", "decorate", "twice")
    passed = {test for test, outcome in found.items() if outcome == "passed"}
    assert passed == {"test_kept", "test_each[plain]"}
    assert NEEDS in found["test_each[twice]"]
    assert NEEDS in found["test_decorated"]
    assert NEEDS in found["test_pattern"]


USES = (
    "assert not isinstance(1, Base)",
    "assert not issubclass(int, (str, Base))",
    "assert Base != 3",
    "assert LIMIT",
    "assert [LIMIT] == [3]",
    "assert f'{LIMIT}' == '3'",
    "assert list(range(LIMIT)) == [0, 1, 2]",
    "assert hasattr(Base, 'tag')",
    "import copy; assert copy.deepcopy(LIMIT) == 3",
    "import unittest.mock as m\n    with m.patch.object(Base, 'tag', 1): pass",
    "with pytest.raises(Problem): raise Problem()",
    "with pytest.raises(Problem): int('x') if LIMIT < 0 else raise_it()",
    "try: raise_it()\n    except Problem: pass",
)


def test_every_use_inside_a_test_fails(tmp_path: Path) -> None:
    source = """
import pytest
from pkg import Base, LIMIT, Problem
def raise_it(): raise Problem("x")
""" + "".join(f"def test_{number}():\n    {body}\n" for number, body in enumerate(USES))
    found = both(tmp_path, source, "Base", "LIMIT", "Problem")
    assert len(found) == len(USES)
    assert "passed" not in found.values()


def test_modules_that_are_missing_as_a_whole(tmp_path: Path) -> None:
    source = b"""
import pkg.deep.gone as gone
import pkg.deep.gone
from pkg.deep import gone as again
from pkg.deep.gone import *
from pkg.deep.gone import one
class Heir(Two): pass
VALUE = pkg.deep.gone.one()
def test_kept(): pass
def test_gone(): gone.one()
def test_again(): again.one()
def test_one(): one()
def test_heir(): Heir()
def test_value(): assert VALUE is None
"""
    hidden = with_placeholders(source, {("pkg.deep.gone", "")})
    found = outcomes(tmp_path / "missing", KEPT, hidden)
    assert [test for test, outcome in found.items() if outcome == "passed"] == ["test_kept"]


def test_a_missing_dependency_is_not_mistaken_for_a_missing_name(tmp_path: Path) -> None:
    source = b"""
try:
    from pkg import twice
except ImportError:
    twice = None
def test_it(): assert twice is None
"""
    hidden = with_placeholders(source, {("pkg", "twice")})
    found = outcomes(tmp_path / "it", "import no_such_dependency", hidden)
    assert found == {"test_it": "passed"}


@pytest.mark.parametrize(
    "source",
    [
        b"from pkg import (\n    a,\n    b,\n)\nx = 1\n",
        b"import os, \\\n    pkg.b\nx = 1\n",
        b"'''doc'''\nfrom __future__ import annotations\nfrom pkg import b\nx = 1",
        b"\r\n# note\r\nfrom pkg import b\r\nclass A(b): pass\r\n",
        b"'''doc'''\ntry:\n    from pkg import b\nexcept ImportError: pass\nx = 1\n",
        "# -*- coding: latin-1 -*-\nfrom pkg import b\ns = 'é'\n".encode("latin-1"),
        b"\xef\xbb\xbffrom pkg import b\nx = 1\n",
    ],
)
def test_lines_stay_where_they_were(source: bytes) -> None:
    hidden = with_placeholders(source, {("pkg", "b")})
    compile(hidden, "hidden", "exec")
    assert b"_featuredel" in hidden
    end = source.rstrip(b"\r\n").splitlines()[-1]
    assert hidden.splitlines().index(end) == source.splitlines().index(end)


@pytest.mark.parametrize(
    "source", [b"from pkg import a\n", b"def f(:\n", b"def f():\n    from pkg import b\n", b""]
)
def test_a_file_that_needs_nothing_stays_as_it_is(source: bytes) -> None:
    assert with_placeholders(source, {("pkg", "b")}) == source


def test_relative_imports_start_from_the_package() -> None:
    source = b"from ..core import b\n"
    assert with_placeholders(source, {("pkg.core", "b")}, "pkg.tests") != source
    assert with_placeholders(source, {("core", "b")}, "pkg.tests") == source
