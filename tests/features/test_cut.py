from pathlib import Path

from toy_index import baseline, index_of

from featuredel.features.cut import Cutter, Seed
from featuredel.model import DefinitionId as Id
from featuredel.relation import Relation

SOURCE = """\
def entry():
    return helper() + shared()
def helper():
    return 1
def shared():
    return 2
def apart():
    return 3
class C:
    def tested(self):
        return entry()
    def untested(self):
        return 5
def outer():
    def inner():
        return 1
    return inner
"""
TESTS = "import m\nTABLE = [m.helper]\ndef test_a(): pass\ndef test_b(): pass\ndef test_c(): pass\n"
A, B, C = (f"tests/test_m.py::test_{x}" for x in "abc")
ENTERED = {
    A: ["m.py::entry", "m.py::helper", "m.py::shared", "m.py::apart", "m.py::C.tested"],
    B: ["m.py::shared", "m.py::outer"],
    C: ["m.py::outer", "m.py::outer.inner"],
}


def cutter(root: Path, tests: str = "") -> Cutter:
    index = index_of(
        root, {"m.py": SOURCE, "tests/test_m.py": tests or TESTS.replace("TABLE", "#")}
    )
    return Cutter(Relation(index, baseline(index, ENTERED)))


def seed(cutter: Cutter, name: str) -> Seed:
    d = Id(f"m.py::{name}")
    return Seed(d, "definition", (d,), cutter.relation.tests(d))


def test_the_connected_part_of_what_only_its_tests_enter(tmp_path: Path) -> None:
    cut = cutter(tmp_path)
    piece = cut.cut(seed(cut, "entry"))
    assert piece is not None
    assert {d.split("::")[1] for d in piece.chosen} == {
        "entry",
        "helper",
        "C",
        "C.tested",
        "C.untested",  # a class goes whole
    }
    assert cut.tops(piece.chosen) == ("m.py::C", "m.py::entry", "m.py::helper")
    assert cut.lines(piece.chosen) == 9
    assert piece.component_share == 9 / 11  # `apart` is entered by the same test
    assert piece.retreats == ()


def test_retreat_keeps_what_must_stay(tmp_path: Path) -> None:
    cut = cutter(tmp_path, TESTS)
    support = cut.relation.index
    reached = cut.relation.baseline.lines.reached
    assert "tests/test_m.py" in support.test_paths
    assert "tests/test_m.py" in reached
    piece = cut.cut(seed(cut, "entry"))
    assert piece is not None
    assert "m.py::helper" not in piece.chosen
    assert [(r.definition, r.reason) for r in piece.retreats] == [
        ("m.py::helper", "test support uses it")
    ]


def test_a_seed_that_must_stay_gives_nothing(tmp_path: Path) -> None:
    cut = cutter(tmp_path, TESTS)
    assert cut.cut(seed(cut, "helper")) is None


def test_what_lies_in_a_function_goes_with_it_only(tmp_path: Path) -> None:
    cut = cutter(tmp_path)
    only_c = cut.relation.tests(Id("m.py::outer.inner"))
    assert "m.py::outer.inner" not in cut.closed(only_c)


def test_a_seed_of_tests_takes_the_largest_part(tmp_path: Path) -> None:
    cut = cutter(tmp_path)
    tests = cut.relation.tests(Id("m.py::entry"))
    piece = cut.cut(Seed(Id("tests/test_m.py::"), "test_module", (), tests))
    assert piece is not None
    assert "m.py::entry" in piece.chosen
    assert "m.py::apart" not in piece.chosen
