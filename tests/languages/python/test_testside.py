"""The visible tests after a deletion: what goes, what stays byte for byte, what is hidden."""

from pathlib import Path

from toy_side import GONE, after, side


def test_functions_go_with_what_only_they_used(tmp_path: Path) -> None:
    before = '''\
"""Doc."""

import json
import os

import pytest

from pkg import (
    gone,
    kept,  # stays
)

CASES = [1, 2]
SHARED = {"a": 1}  # of both


def helper(x):
    return json.dumps(gone(x))


@pytest.fixture
def only_ours():
    return CASES


@pytest.fixture
def shared(): return SHARED


# About the feature.
def test_ours(only_ours, shared):
    assert helper(only_ours)


def test_stays(shared):   # odd   spacing stays
    assert kept(os.sep)
'''
    expected = '''\
"""Doc."""

import os

import pytest

from pkg import (
    kept,  # stays
)

SHARED = {"a": 1}  # of both


@pytest.fixture
def shared(): return SHARED


def test_stays(shared):   # odd   spacing stays
    assert kept(os.sep)
'''
    assert after(tmp_path, before, {"test_ours": True, "test_stays": False}) == expected


def test_lists_lose_the_elements_that_name_what_is_dead(tmp_path: Path) -> None:
    before = """\
import pkg
from pkg import gone, kept

FUNCTIONS = [gone, kept]
BY_NAME = {
    "gone": gone,
    "kept": kept,
}


def test_ours():
    assert gone() == FUNCTIONS[0]()


def test_stays():
    assert FUNCTIONS and BY_NAME and pkg.kept
"""
    text = after(tmp_path, before, {"test_ours": True, "test_stays": False})
    assert "FUNCTIONS = [kept]" in text
    assert 'BY_NAME = {\n    "kept": kept,\n}' in text


def test_a_class_without_a_test_goes_with_its_helpers(tmp_path: Path) -> None:
    before = """\
import unittest

from pkg import gone, kept


class TestOurs(unittest.TestCase):
    def setUp(self):
        self.it = gone()

    def helper(self):
        return self.it

    def test_it(self):
        assert self.helper()


class TestBoth(unittest.TestCase):
    def test_stays(self):
        assert kept()

    def test_ours(self):
        assert self.check(gone())

    def check(self, it):
        return it
"""
    tests = {"TestOurs::test_it": True, "TestBoth::test_ours": True, "TestBoth::test_stays": False}
    expected = """\
import unittest

from pkg import kept


class TestBoth(unittest.TestCase):
    def test_stays(self):
        assert kept()
"""
    assert after(tmp_path, before, tests) == expected


def test_cases_of_a_parametrised_test(tmp_path: Path) -> None:
    before = """\
import pytest

from pkg import gone, kept


@pytest.mark.parametrize(
    "f",
    [
        gone,
        kept,
    ],
)
def test_it(f):
    assert not f()
"""
    text = after(tmp_path, before, {"test_it[gone]": True, "test_it[kept]": False})
    assert "    [\n        kept,\n    ],\n" in text
    assert "gone" not in text


def test_cases_that_cannot_be_told_apart_hide_the_whole_function(tmp_path: Path) -> None:
    before = """\
import pytest

from pkg import gone, kept


@pytest.mark.parametrize("f", [gone, kept] * 1)
def test_it(f):
    assert not f()


def test_stays():
    assert not kept()
"""
    path = "tests/test_it.py::"
    entered = {"test_it[gone]": True, "test_it[kept]": False, "test_stays": False}
    found = side(
        tmp_path,
        {"tests/test_it.py": before},
        {path + name: ours for name, ours in entered.items()},
    )
    assert found.hidden_tests == (path + "test_it[gone]", path + "test_it[kept]")


def test_a_method_inherited_by_another_class(tmp_path: Path) -> None:
    before = """\
from pkg import gone, kept


class Shared:
    f = staticmethod(kept)

    def test_it(self):
        assert not self.f()


class TestA(Shared):
    f = staticmethod(gone)


class TestB(Shared):
    pass
"""
    text = after(tmp_path, before, {"TestA::test_it": True, "TestB::test_it": False})
    assert "TestA" not in text
    assert "class TestB(Shared)" in text
    assert "def test_it" in text


def test_a_module_without_a_test_goes_and_its_data_and_helpers(tmp_path: Path) -> None:
    files = {
        "tests/__init__.py": "",
        "tests/test_ours.py": """\
from pathlib import Path

from pkg import gone
from tests.tools import load


def test_it():
    assert gone(load(Path(__file__).parent / "data" / "ours.txt"))
""",
        "tests/tools.py": "def load(path):\n    return path.read_text()\n",
        "tests/data/ours.txt": "data",
        "tests/data/theirs.txt": "data",
        "tests/test_stays.py": "from pkg import kept\n\n\ndef test_it():\n    assert not kept()\n",
    }
    found = side(
        tmp_path,
        files,
        {"tests/test_ours.py::test_it": True, "tests/test_stays.py::test_it": False},
    )
    gone = ["tests/data/ours.txt", "tests/test_ours.py", "tests/tools.py"]
    assert found.edits == dict.fromkeys(gone)
    assert [file.path for file in found.hidden_files] == gone
    hidden = {file.path: file.content for file in found.hidden_files}
    assert hidden["tests/data/ours.txt"] == b"data"
    assert b"gone = _featuredel.name('pkg', 0, 'gone')" in hidden["tests/test_ours.py"]


def test_a_test_that_names_what_is_dead_is_hidden_though_it_is_not_in_t(tmp_path: Path) -> None:
    before = """\
from pkg import gone, kept


def test_ours():
    assert gone()


def test_names_it():
    assert kept() is not gone


def test_stays():
    assert not kept()
"""
    path = "tests/test_it.py::"
    entered = {"test_ours": True, "test_names_it": False, "test_stays": False}
    found = side(
        tmp_path,
        {"tests/test_it.py": before},
        {path + name: ours for name, ours in entered.items()},
    )
    assert found.hidden_tests == (path + "test_names_it", path + "test_ours")


def test_a_helper_that_many_retained_tests_use_blocks(tmp_path: Path) -> None:
    uses = "".join(f"def test_{n}():\n    assert helper(0)\n\n\n" for n in range(9))
    before = f"""\
from pkg import gone, kept


def helper(x):
    return gone(x) if x else kept


def test_ours():
    assert gone()


{uses}"""
    entered = {f"tests/test_it.py::test_{n}": False for n in range(9)}
    found = side(
        tmp_path, {"tests/test_it.py": before}, {"tests/test_it.py::test_ours": True, **entered}
    )
    assert list(found.blocked) == [GONE]
    assert not found.edits


def test_the_same_input_gives_the_same_output(tmp_path: Path) -> None:
    before = (
        "from pkg import gone, kept\n\n\ndef test_a():\n    gone()\n\n\ndef test_b():\n    kept()\n"
    )
    tests = {"test_a": True, "test_b": False}
    first = after(tmp_path / "a", before, tests)
    assert after(tmp_path / "b", before, tests) == first


def test_a_hidden_test_goes_from_the_module_that_imports_it(tmp_path: Path) -> None:
    more = "from pkg import gone\n\n\ndef test_more():\n    assert gone()\n"
    before = """\
import sys

from pkg import kept

if sys.version_info >= (3, 8):
    print("more")
    from tests.more import test_more  # noqa


def test_kept():
    assert kept()
"""
    files = {"tests/more.py": more, "tests/__init__.py": ""}
    entered = {"test_kept": False, "test_more": True}
    seen = after(tmp_path, before, entered, files)
    assert "test_more" not in seen and 'print("more")' in seen
