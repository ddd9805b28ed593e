"""Tests that are made while their module is imported, in the visible tree."""

import json
from pathlib import Path

import pytest
from toy_side import after, side

BASE = """\
import unittest


class Base(unittest.TestCase):
    @classmethod
    def load(cls, name):
        for title in read(name):
            setattr(cls, "test_" + title, lambda self: None)


def read(name):
    return [name]
"""
SPEC = [{"section": "Hard breaks", "n": n} for n in range(1, 5)]


def spec_tests(ours: set[int]) -> dict[str, bool]:
    return {f"tests/test_it.py::TestSpec::test_hard_breaks_{n:03}": n in ours for n in range(1, 5)}


def test_cases_in_a_file_of_cases_go_by_themselves(tmp_path: Path) -> None:
    files = {
        "tests/__init__.py": BASE,
        "tests/spec.json": json.dumps(SPEC, indent=1),
        "tests/test_it.py": (
            "from tests import Base\n\n\nclass TestSpec(Base):\n    pass\n\n\n"
            'TestSpec.load("spec.json")\n'
        ),
    }
    found = side(tmp_path, files, spec_tests({2, 3}))
    assert list(found.edits) == ["tests/spec.json"]
    assert json.loads(found.edits["tests/spec.json"] or b"") == [SPEC[0], SPEC[3]]
    assert {test[-1] for test in found.hidden_tests} == {"2", "3"}
    assert json.loads(found.hidden_files[0].content) == SPEC, "grading has them all"


def test_what_else_runs_a_case_is_hidden_with_it(tmp_path: Path) -> None:
    files = {
        "tests/__init__.py": BASE,
        "tests/spec.json": json.dumps(SPEC),
        "tests/test_it.py": (
            "from tests import Base\n\n\nclass TestSpec(Base):\n    pass\n\n\n"
            'class TestFast(Base):\n    pass\n\n\nTestSpec.load("spec.json")\n'
            'TestFast.load("spec.json")\n'
        ),
    }
    fast = {test.replace("TestSpec", "TestFast"): False for test in spec_tests(set())}
    found = side(tmp_path, files, {**spec_tests({2}), **fast})
    assert list(found.edits) == ["tests/spec.json"]
    assert [test.split("::", 1)[1] for test in found.hidden_tests] == [
        "TestFast::test_hard_breaks_002",
        "TestSpec::test_hard_breaks_002",
    ]


def test_a_loader_goes_with_all_that_it_makes(tmp_path: Path) -> None:
    before = """\
from tests import Base


def load(name):
    class Made(Base):
        pass

    Made.load(name + ".txt")
    globals()["Test_" + name] = Made


load("hard_breaks")
load("tabs")


class TestOwn(Base):
    def test_own(self):
        pass


TestOwn.load("own.txt")
"""
    entered = {
        "Test_hard_breaks::test_one": True,
        "Test_hard_breaks::test_two": False,
        "Test_tabs::test_one": False,
        "TestOwn::test_own": False,
        "TestOwn::test_more": True,
    }
    expected = before.replace('load("hard_breaks")\n', "", 1).replace(
        '\n\nTestOwn.load("own.txt")\n', ""
    )
    assert after(tmp_path, before, entered, {"tests/__init__.py": BASE}) == expected


def test_a_module_whose_tests_are_all_made_goes_with_its_data(tmp_path: Path) -> None:
    files = {
        "tests/__init__.py": BASE,
        "tests/data/spec.txt": "one",
        "tests/test_it.py": (
            "from tests import Base\n\n\nclass TestSpec(Base):\n    pass\n\n\n"
            'TestSpec.load("spec.txt")\n'
        ),
        "tests/test_other.py": "def test_stays():\n    pass\n",
    }
    entered = {
        "tests/test_it.py::TestSpec::test_one": True,
        "tests/test_other.py::test_stays": False,
    }
    found = side(tmp_path, files, entered)
    gone = {path for path, content in found.edits.items() if content is None}
    assert gone == {"tests/data/spec.txt", "tests/test_it.py"}


@pytest.mark.parametrize(
    "makes",
    [
        "for n in (1, 2):\n    setattr(TestIt, f'test_{n}', lambda self: None)\n",
        "test_1 = make(1)\n",
    ],
)
def test_statements_that_make_tests(tmp_path: Path, makes: str) -> None:
    before = (
        "def make(n):\n    return lambda: n\n\n\n"
        "class TestIt:\n    def test_own(self):\n        pass\n\n\n" + makes
    )
    made = "test_1" if makes.startswith("test_1") else "TestIt::test_1"
    text = after(tmp_path, before, {made: True, "TestIt::test_own": False})
    assert makes not in text
    assert "def test_own" in text


def test_a_class_that_is_filled_by_its_decorator_goes_as_a_whole(tmp_path: Path) -> None:
    before = (
        "from tests import fill\n\n\n"
        "@fill\nclass TestIt:\n    def test_own(self):\n        pass\n\n\n"
        "def test_stays():\n    pass\n"
    )
    entered = {"TestIt::test_own": False, "TestIt::test_made": True, "test_stays": False}
    more = {"tests/__init__.py": "def fill(cls):\n    return cls\n"}
    assert after(tmp_path, before, entered, more).lstrip() == "def test_stays():\n    pass\n"


def test_cases_that_a_decorator_makes_go_with_their_function(tmp_path: Path) -> None:
    before = """\
from tests import expand


class TestIt:
    @expand([1, 2])
    def test_ours(self, n):
        assert n

    @expand([1, 2])
    def test_stays(self, n):
        assert n


@expand("ab")
class TestMany:
    def test_many(self):
        pass
"""
    entered = {
        "TestIt::test_ours_0": False,
        "TestIt::test_ours_1_two": True,
        "TestIt::test_stays_0": False,
        "TestMany_0::test_many": False,
        "TestMany_1_b::test_many": True,
    }
    more = {"tests/__init__.py": "def expand(cases):\n    return lambda made: made\n"}
    ours = "    @expand([1, 2])\n    def test_ours(self, n):\n        assert n\n\n"
    many = before[before.index('\n\n@expand("ab")') :]
    assert after(tmp_path, before, entered, more) == before.replace(ours, "").replace(many, "")
