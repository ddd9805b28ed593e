"""Which cases can be cut out of a parametrised test, by the ids that pytest gave them."""

import ast

import pytest

from featuredel.languages.python.parametrize import removable


def cut(decorators: str, cases: str, hidden: str) -> list[str] | None:
    (node,) = ast.parse(f"{decorators}\ndef test_it(): pass\n").body
    assert isinstance(node, ast.FunctionDef)
    found = removable(node, cases.split(), hidden.split())
    return None if found is None else [ast.unparse(element) for element in found]


@pytest.mark.parametrize(
    ("decorator", "cases", "hidden", "gone"),
    [
        ('@p.parametrize("x", [1, 2.5, None, "é"])', "1 2.5 None \\xe9", "None", ["None"]),
        ('@p.parametrize("x, y", [(1, "a"), (2, "b")])', "1-a 2-b", "2-b", ["(2, 'b')"]),
        ('@p.parametrize(("x", "y"), [(1, f), (2, g)])', "1-f 2-g", "1-f", ["(1, f)"]),
        ('@p.parametrize("x", [p.param({}, id="one"), p.param([], id="two")])', "one two", "two",
         ["p.param([], id='two')"]),
        ('@p.parametrize("x", [{}, []], ids=["one", "two"])', "one two", "one", ["{}", "'one'"]),
        ('@p.parametrize("x", [{}, []])', "x0 x1", "x1", ["[]"]),
    ],
)  # fmt: skip
def test_elements_by_id(decorator: str, cases: str, hidden: str, gone: list[str]) -> None:
    assert cut(decorator, cases, hidden) == gone


def test_stacked_tables_lose_a_whole_row() -> None:
    tables = '@p.parametrize("x", [1, 2])\n@p.parametrize("y", ["a", "b"])'
    assert cut(tables, "a-1 a-2 b-1 b-2", "a-2 b-2") == ["2"]
    assert cut(tables, "a-1 a-2 b-1 b-2", "a-2") is None


@pytest.mark.parametrize(
    ("decorator", "cases", "hidden"),
    [
        ('@p.parametrize("x", [{}, []])', "x0 x1", "x0"),  # x1 would become x0
        ('@p.parametrize("x", CASES)', "1 2", "1"),
        ('@p.parametrize("x", [1, *MORE])', "1 2", "1"),
        ('@p.parametrize("x", [1, 1])', "1_0 1_1", "1_0"),
        ('@p.parametrize("x", [1, 2], ids=str)', "1 2", "1"),
        ('@p.parametrize("x", [1, 2])', "1 2 3", "1"),
        ('@p.parametrize("x", [1, 2])', "1 2", "1 2"),
        ('@p.parametrize("x", [1, 2])\n@p.parametrize("y", MORE)', "1-a 2-a", "1-a"),
    ],
)
def test_what_cannot_be_told_is_left(decorator: str, cases: str, hidden: str) -> None:
    assert cut(decorator, cases, hidden) is None
