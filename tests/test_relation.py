from pathlib import Path

import pytest
from toy_index import baseline, index_of

from featuredel.model import DefinitionId as Id
from featuredel.relation import Relation, stem, words

SOURCE = """\
LIMIT = 3
class Base:
    def run(self):
        return 1
class Heir(Base):
    def more(self):
        return 2
class Marker(Exception):
    pass
def wrap(f):
    def inner():
        return f()
    return inner
def use():
    if LIMIT:
        raise Marker
    try:
        return 1
    except Marker:
        return isinstance(1, Base)
def parse_macro():
    return 1
def visit_macro():
    return 2
def unused():
    return 3
"""
TESTS = "def test_a(): pass\ndef test_b(): pass\ndef test_c(): pass\n"
A, B, C = "t/test_m.py::test_a", "t/test_m.py::test_b", "t/test_m.py::test_c"


@pytest.fixture
def relation(tmp_path: Path) -> Relation:
    index = index_of(tmp_path, {"m.py": SOURCE, "t/test_m.py": TESTS})
    entered = {
        A: ["m.py::Base.run", "m.py::use", "m.py::parse_macro"],
        B: ["m.py::Heir.more", "m.py::wrap.inner"],
        C: ["m.py:16", "m.py::visit_macro", "m.py::parse_macro"],
    }
    return Relation(index, baseline(index, entered, imported=["m.py::wrap"]))


def who(relation: Relation, *names: str) -> tuple[str, ...]:
    return relation.names(relation.tests_of(Id(f"m.py::{name}") for name in names))


def test_a_function_is_entered_where_a_line_of_its_body_runs(relation: Relation) -> None:
    assert who(relation, "parse_macro") == (A, C)
    assert who(relation, "unused") == ()


def test_a_function_is_entered_through_one_in_it(relation: Relation) -> None:
    assert who(relation, "wrap") == (B,)


def test_a_class_counts_its_heirs(relation: Relation) -> None:
    assert who(relation, "Heir") == (B,)
    assert who(relation, "Base") == (A, B)  # the isinstance line that only A runs adds nothing


def test_a_class_without_methods_is_entered_where_a_line_names_it(relation: Relation) -> None:
    assert who(relation, "Marker") == (A, C)


def test_a_constant_is_entered_where_a_line_names_it(relation: Relation) -> None:
    assert who(relation, "LIMIT") == (A,)


def test_union_and_names(relation: Relation) -> None:
    assert who(relation, "Heir", "LIMIT") == (A, B)
    assert relation.names(0) == ()
    assert relation.names(relation.all_tests) == (A, B, C)


def test_closure_is_what_no_other_test_enters(relation: Relation) -> None:
    only_c = relation.tests(Id("m.py::visit_macro"))
    assert relation.closure(only_c) == {"m.py::visit_macro"}
    a_and_c = relation.tests(Id("m.py::parse_macro"))
    assert relation.closure(a_and_c) == {
        "m.py::LIMIT",
        "m.py::Base.run",
        "m.py::Marker",
        "m.py::use",
        "m.py::parse_macro",
        "m.py::visit_macro",
    }


def test_at_import(relation: Relation) -> None:
    assert relation.at_import(Id("m.py::wrap"))
    assert not relation.at_import(Id("m.py::use"))


def test_neighbours(relation: Relation) -> None:
    use = relation.neighbours(Id("m.py::use"))
    assert use == {
        "m.py::LIMIT": "reference",
        "m.py::Marker": "reference",
        "m.py::Base": "reference",
    }
    assert relation.neighbours(Id("m.py::parse_macro")) == {"m.py::visit_macro": "stem"}
    assert relation.neighbours(Id("m.py::Base.run")) == {"m.py::Base": "member"}


def test_component_and_reach(relation: Relation) -> None:
    everything = frozenset(relation.index.definitions)
    part = relation.component(Id("m.py::Heir.more"), everything)
    assert {"m.py::Heir", "m.py::Base", "m.py::use", "m.py::LIMIT"} <= part
    assert "m.py::parse_macro" not in part
    assert relation.reach(Id("m.py::LIMIT"), everything) == {"m.py::LIMIT"}
    assert "m.py::LIMIT" in relation.reach(Id("m.py::use"), everything)


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("parse_macro", "macro"),
        ("visit_Macro", "macro"),
        ("Macro", "macro"),
        ("run", ""),
        ("get", ""),
    ],
)
def test_stem(name: str, about: str) -> None:
    assert stem(name) == about


def test_words() -> None:
    assert words("set_partitions") == ("partition",)
    assert words("HTTPServerError") == ("error", "server")
    assert words("to_x") == ()
