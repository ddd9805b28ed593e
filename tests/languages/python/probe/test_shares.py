from collections.abc import Mapping

from featuredel.languages.python.probe.featuredel_probe.import_time import ImportTime
from featuredel.languages.python.probe.featuredel_probe.selection import above
from featuredel.languages.python.probe.featuredel_probe.shares import Shares
from featuredel.languages.python.probe.featuredel_probe.statements import Text


def shares(tests: Mapping[int, str], most: int = 8, alone: tuple[int, ...] = ()) -> Shares:
    """Return groups of variants whose tests are letters."""
    variants = {
        number: {"ids": list(some), "alone": number in alone} for number, some in tests.items()
    }
    return Shares(variants, most)


def handed_out(some: Shares) -> list[list[int]]:
    """Take all groups, of which each holds."""
    found = []
    while group := some.next():
        found.append(group)
        some.ran(group, [], [])
    return found


def test_groups_are_disjoint_and_grow_while_they_hold() -> None:
    tests = dict(enumerate("abcdefghi"))
    assert handed_out(shares(tests)) == [[0, 1], [2, 3, 4, 5], [6, 7, 8]]
    assert handed_out(shares({0: "ab", 1: "bc", 2: "c"})) == [[0, 2], [1]]
    assert handed_out(shares(tests, most=2))[:2] == [[0, 1], [2, 3]]
    assert handed_out(shares({0: "a", 1: "b"}, most=1)) == [[0], [1]]
    assert handed_out(shares({0: "a", 1: "b", 2: "c"}, alone=(0,))) == [[0], [1, 2]]


def test_what_a_group_left_open_is_run_in_less_company() -> None:
    some = shares(dict(enumerate("abcdefghijklmn")))
    some.ran(some.next(), [], [])
    assert some.next() == [2, 3, 4, 5]
    some.ran([2, 3, 4, 5], [2], [3, 4, 5])
    assert [sorted(some.next()), sorted(some.next())] == [[4, 5], [3]]
    some.ran([4, 5], [], [4, 5])
    assert [some.next(), some.next(), some.next()] == [[5], [4], [2]]
    assert len(some.next()) == 1  # it was halved twice


def test_a_variant_that_fails_alone_is_not_handed_out_again() -> None:
    some = shares({0: "a"})
    some.ran(some.next(), [0], [])
    assert some.next() == []


SOURCE = b"""
from .core import taken as alias
from star import *
import a.b

X = named(thing.fetched)

@decorated
def f(x=default):
    inner.never

class C(Base):
    y = thing.called()
"""


def test_what_a_module_does_when_it_is_imported() -> None:
    found = ImportTime(Text(SOURCE).body, "pkg")
    assert found.taken == [("pkg.core", "taken", "alias")]
    assert found.stars == {"star"}
    assert {"a", "a.b", "pkg.core", "pkg.core.taken"} <= found.imported
    assert {"named", ".fetched", "default", "Base", ".called", "decorated"} <= found.loads
    assert {".fetched", "default", "Base"} <= found.fetched
    assert not {"named", ".called"} & found.fetched
    assert ".never" not in found.loads


def test_what_a_test_is_made_of() -> None:
    assert above(["t.py::C::test[a::b]", "t.py::test_it"]) == {
        "t.py::C", "t.py::C::test", "t.py::test_it",
    }  # fmt: skip
    assert above(["t[1].py::test"]) is None
    assert above([]) is None
