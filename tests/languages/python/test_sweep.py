"""What removed tests leave behind: helpers, fixtures, imports and settings."""

from pathlib import Path

from toy_side import SOURCE, after, side


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
