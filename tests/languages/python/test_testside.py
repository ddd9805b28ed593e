"""The visible tests after a deletion: what goes, what stays byte for byte, what is hidden."""

from pathlib import Path

from toy_side import GONE, SOURCE, after, side


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


def test_a_string_that_names_a_helper_keeps_it(tmp_path: Path) -> None:
    before = """\
from pkg import gone, kept


class Registered:
    pass


def test_ours():
    assert gone(Registered)


def test_stays():
    assert kept("test_it.Registered")
"""
    text = after(tmp_path, before, {"test_ours": True, "test_stays": False})
    assert "class Registered" in text


def test_fixtures_in_conftest(tmp_path: Path) -> None:
    conftest = """\
import pytest

from pkg import gone, kept


@pytest.fixture
def ours():
    return gone()


@pytest.fixture
def theirs():
    return kept()
"""
    tests = "def test_ours(ours):\n    pass\n\n\ndef test_stays(theirs):\n    pass\n"
    found = side(
        tmp_path,
        {"tests/conftest.py": conftest, "tests/test_it.py": tests},
        {"tests/test_it.py::test_ours": True, "tests/test_it.py::test_stays": False},
    )
    text = found.edits["tests/conftest.py"]
    assert text is not None
    assert b"gone" not in text
    assert b"def theirs" in text
    assert {f.path for f in found.hidden_files} == {"tests/conftest.py", "tests/test_it.py"}


def test_the_same_input_gives_the_same_output(tmp_path: Path) -> None:
    before = (
        "from pkg import gone, kept\n\n\ndef test_a():\n    gone()\n\n\ndef test_b():\n    kept()\n"
    )
    tests = {"test_a": True, "test_b": False}
    first = after(tmp_path / "a", before, tests)
    assert after(tmp_path / "b", before, tests) == first


def test_a_fixture_that_stands_in_for_an_inherited_one_stays(tmp_path: Path) -> None:
    base = """\
import pytest


class TestBase:
    @pytest.fixture(params=[1, 2])
    def maker(self, request):
        return request.param

    @pytest.fixture
    def made(self, maker):
        return maker

    def test_base(self, made):
        assert made
"""
    middle = """\
import pytest
from tests.test_base import TestBase


@pytest.fixture
def world():
    return 2


class TestMiddle(TestBase):
    @pytest.fixture
    def maker(self):
        return 3

    def test_middle(self, made, globe):
        assert made
"""
    files = {
        "tests/__init__.py": "",
        "tests/conftest.py": (
            "import pytest\n\n\n@pytest.fixture\ndef world():\n    return 1\n\n\n"
            "@pytest.fixture\ndef globe(world):\n    return world\n"
        ),
        "tests/test_base.py": base,
        "tests/test_middle.py": middle,
        "tests/test_ours.py": (
            "import pytest\nfrom pkg import gone\nfrom tests.test_middle import TestMiddle\n\n\n"
            "class TestOurs(TestMiddle):\n    @pytest.fixture\n    def maker(self):\n"
            "        return gone\n\n    def test_ours(self, maker, world):\n        assert maker\n"
        ),
    }
    middle_tests = {
        "tests/test_base.py::TestBase::test_base[1]": False,
        "tests/test_middle.py::TestMiddle::test_base": False,
        "tests/test_middle.py::TestMiddle::test_middle": False,
    }
    ours = {
        "tests/test_ours.py::TestMiddle::test_base": False,
        "tests/test_ours.py::TestMiddle::test_middle": False,
        "tests/test_ours.py::TestOurs::test_base": True,
        "tests/test_ours.py::TestOurs::test_middle": True,
        "tests/test_ours.py::TestOurs::test_ours": True,
    }
    found = side(tmp_path, files, {**middle_tests, **ours})
    assert dict(found.edits) == {"tests/test_ours.py": None}
    assert set(found.hidden_tests) == set(ours)


def test_an_import_is_no_fixture_of_the_same_name(tmp_path: Path) -> None:
    before = """\
from pkg import gone
from pkg import proxy


def test_gone():
    assert gone(proxy)


def test_kept(proxy):
    assert proxy
"""
    conftest = "import pytest\n\n\n@pytest.fixture\ndef proxy():\n    return 1\n"
    more = {"pkg.py": SOURCE + "\n\nproxy = object()\n", "tests/conftest.py": conftest}
    seen = after(tmp_path, before, {"test_gone": True, "test_kept": False}, more)
    assert seen.lstrip("\n") == "def test_kept(proxy):\n    assert proxy\n"


def test_settings_stay_in_a_module_that_hands_out_its_name(tmp_path: Path) -> None:
    before = """\
from pkg import gone
from pkg import kept

SECRET_KEY = "config"
helper = 1


def test_gone():
    assert gone(SECRET_KEY) == helper


def test_kept():
    assert kept(__name__)
"""
    seen = after(tmp_path, before, {"test_gone": True, "test_kept": False})
    assert 'SECRET_KEY = "config"\n' in seen and "helper" not in seen


def test_a_setting_of_a_class_stays_for_a_base_from_elsewhere(tmp_path: Path) -> None:
    before = """\
from elsewhere import Rendering
from pkg import gone
from pkg import kept


class TestKept(Rendering):
    options = {"smart": True}

    def test_kept(self):
        assert self.render(kept)


class TestGone(Rendering):
    options = {"smart": False}

    def test_gone(self):
        assert self.render(gone, self.options)
"""
    seen = after(tmp_path, before, {"TestKept::test_kept": False, "TestGone::test_gone": True})
    assert '    options = {"smart": True}\n' in seen and "TestGone" not in seen


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
