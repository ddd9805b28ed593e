from collections.abc import Mapping
from pathlib import Path

import pytest
from toy_index import baseline, index_of

from featuredel.features.stay import Stay
from featuredel.model import DefinitionId as Id
from featuredel.relation import Relation

SOURCE = """\
import abc
__version__ = "1"
class Base(abc.ABC):
    @abc.abstractmethod
    def must(self): ...
    def may(self):
        return 1
    def __repr__(self):
        return "x"
class Heir(Base):
    def must(self):
        return 2
    def may(self):
        return 3
    def own(self):
        return 4
    def own_too(self):
        return 5
    def own_as_well(self):
        return 6
def live():
    return 1
def choose(x):
    return 0 if x else live
def deco(f):
    return f
@deco
def decorated():
    return 1
def supported():
    return 1
def mentioned():
    return 1
class Made:
    pass
MADE = Made()
TABLE = {
    "made": Made,
}
def reads():
    return MADE, TABLE
def step():
    return 1
def hollow(x):
    if x:
        y = step()
        y += 1
        return y
class Lone:
    def only(self):
        return 1
class Token:
    def __getattr__(self, name):
        return Token()
    def split(self):
        return 1
    def quiet(self):
        return 1
KEYWORD = Token().Keyword
"""
TESTS = """\
import m
TABLE = [m.supported]
def helper():
    return m.supported
def test_a():
    m.mentioned
def test_b():
    helper()
"""
HOLLOW = SOURCE.split("if x:")[0].count("\n") + 1
A, B = "tests/test_m.py::test_a", "tests/test_m.py::test_b"


@pytest.fixture
def stay(tmp_path: Path) -> Stay:
    index = index_of(tmp_path, {"m.py": SOURCE, "tests/test_m.py": TESTS})
    entered = {
        A: ["m.py::live", "m.py::decorated", "m.py::step", "m.py::hollow", "m.py::Lone.only"],
        B: [
            "m.py::reads",
            f"m.py:{HOLLOW}",
            "m.py::choose",
            "m.py::Heir.own",
            "m.py::Token.split",
            "tests/test_m.py::helper",
            "m.py::decorated",
        ],
    }
    return Stay(
        Relation(
            index, baseline(index, entered, imported=["m.py::deco", "m.py::Token.__getattr__"])
        )
    )


def reasons(stay: Stay, tests: int, *names: str) -> Mapping[str, str]:
    chosen = frozenset(Id(f"m.py::{name}") for name in names)
    found = stay.reasons(chosen, tests)
    return {d.split("::")[1]: reason for d, reason in found.items()}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Heir.must", "overrides an abstract method"),
        ("Heir.may", "a base class takes over"),
        ("Base.__repr__", "every class inherits one"),
        ("__version__", "the language or a tool reads it"),
        ("live", "a line that others run names it"),
        ("deco", "a decorator of what stays"),
        ("supported", "test support uses it"),
        ("Made", "a name made of it is used by others"),
        ("step", "little would be left of what names it"),
        ("Lone.only", "most of a class that stays"),
        ("Token.__getattr__", "runs while modules are imported"),
    ],
)
def test_what_stays(stay: Stay, name: str, reason: str) -> None:
    assert reasons(stay, 0b01, name) == {name: reason}


@pytest.mark.parametrize("name", ["Heir.own", "mentioned", "choose"])
def test_what_may_go(stay: Stay, name: str) -> None:
    assert reasons(stay, 0b10, name) == {}


def test_an_override_may_go_with_what_it_overrides(stay: Stay) -> None:
    assert reasons(stay, 0b11, "Heir.may", "Base.may") == {}


def test_a_class_is_not_left_as_a_shell(stay: Stay) -> None:
    most = ("Heir.own", "Heir.own_too", "Heir.own_as_well")
    assert set(reasons(stay, 0b11, *most).values()) == {"most of a class that stays"}
    assert reasons(stay, 0b11, "Heir", *most, "Heir.must", "Heir.may") == {}


def test_a_decorator_may_go_with_all_that_it_decorates(stay: Stay) -> None:
    assert reasons(stay, 0b11, "deco", "decorated") == {}


def test_test_support_may_go_when_all_its_tests_go(stay: Stay) -> None:
    assert reasons(stay, 0b11, "supported") == {}
