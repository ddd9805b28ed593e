from pathlib import Path

from featuredel.languages.python.imported import distributions_used, read_used


def used(root: Path, source: str, **options: str) -> tuple[str, ...]:
    (root / "tests").mkdir(exist_ok=True)
    (root / "tests/test_a.py").write_text(source)
    return distributions_used(root, ["tests/test_a.py"], options)


def test_imports_become_distributions(tmp_path: Path) -> None:
    source = """
import os, yaml, dateutil.parser
from bs4 import BeautifulSoup
from . import helpers
try:
    import simplejson
except ImportError:
    simplejson = None
import pytest, urllib2
"""
    expected = ("PyYAML", "beautifulsoup4", "python-dateutil", "simplejson")
    assert used(tmp_path, source) == expected


def test_modules_of_the_tree_are_not_installed(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").touch()
    (tmp_path / "support.py").touch()
    assert used(tmp_path, "import pkg.sub, support, tests.test_a\n") == ()


def test_inside_functions_only_what_is_well_known_counts(tmp_path: Path) -> None:
    source = """
import pytest
def test_a():
    import made_up_module
    import numpy
    pytest.importorskip("rare_one")
"""
    assert used(tmp_path, source) == ("numpy", "rare_one")


def test_fixtures_marks_and_options_name_plugins(tmp_path: Path) -> None:
    source = """
import pytest
@pytest.mark.asyncio
async def test_a(mocker, own): ...
@pytest.fixture
def own(benchmark): ...
@pytest.fixture
def benchmark(): ...
"""
    found = used(tmp_path, source, required_plugins="pytest-env>=1", DJANGO_SETTINGS_MODULE="x")
    assert found == ("pytest-asyncio", "pytest-django", "pytest-env>=1", "pytest-mock")


def test_a_file_that_does_not_parse_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print 'python 2'")
    assert read_used(tmp_path / "a.py") is None
