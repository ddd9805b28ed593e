"""Take single cases out of a parametrised test, where the ids of the others stay what they are."""

import ast
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product

from featuredel.languages.python.parsed import Function


@dataclass(frozen=True, slots=True)
class Table:
    """The cases of one `parametrize` decorator, and how pytest calls them."""

    elements: tuple[ast.expr, ...]
    given: tuple[ast.expr, ...]  # elements of `ids=[...]`, or nothing
    ids: tuple[tuple[str, ...], ...]  # of each element, what it may be called
    names: tuple[str, ...]  # of the arguments


@dataclass(frozen=True, slots=True)
class Case:
    """A case of a parametrised test, by its id, and the value in it that is asked for."""

    id: str
    element: ast.expr
    values: tuple[ast.expr, ...]
    value: ast.expr  # one of them
    has_id: bool  # it is said in the source, so that no value changes it


def cases(node: Function, name: str, ids: Collection[str]) -> tuple[Case, ...]:
    """Return the cases `ids` of a test with one table, and what each gives an argument.

    Nothing, unless that is certain of each of them.
    """
    tables = [table for d in node.decorator_list if (table := _table(d)) is not None]
    count = sum("parametrize" in ast.dump(d) for d in node.decorator_list)
    if len(tables) != 1 or count != 1 or name not in tables[0].names:
        return ()
    table, found = tables[0], []
    by_module = any(ast.unparse(d).startswith("pytest.mark.") for d in node.decorator_list)
    for element, called in zip(table.elements, table.ids, strict=True):
        own = set(called).intersection(ids)
        values = _values(element, table.names)
        told = bool(table.given) or isinstance(element, ast.Call)
        if not own:
            continue
        id_ = min(own)
        plain = id_.isascii() and id_.isprintable() and "\\" not in id_
        if len(own) > 1 or values is None or not (told or (by_module and plain)):
            return ()
        found.append(Case(id_, element, values, values[table.names.index(name)], told))
    return tuple(found) if sorted(case.id for case in found) == sorted(set(ids)) else ()


def _values(element: ast.expr, names: tuple[str, ...]) -> tuple[ast.expr, ...] | None:
    """Return the values of a case whose id no value can change, or that is given by values."""
    values: list[ast.expr] = [element]
    if isinstance(element, ast.Call):
        if not any(keyword.arg == "id" for keyword in element.keywords):
            return None
        values = element.args
    elif len(names) > 1:
        values = element.elts if isinstance(element, ast.Tuple | ast.List) else []
    return tuple(values) if len(values) == len(names) else None


def removable(
    node: Function, cases: Collection[str], hidden: Collection[str]
) -> tuple[ast.expr, ...] | None:
    """Return the elements to cut so that of all `cases` exactly the `hidden` ones go, or None."""
    tables = [table for d in node.decorator_list if (table := _table(d)) is not None]
    if not tables or len(tables) != sum("parametrize" in ast.dump(d) for d in node.decorator_list):
        return None
    tables.reverse()  # the decorator nearest to the function comes first in the id
    named = _named(tables, frozenset(cases))
    if named is None:
        return None
    for number, table in enumerate(tables):
        gone = {
            row for row in range(len(table.elements))
            if all(case in hidden for rows, case in named.items() if rows[number] == row)
        }  # fmt: skip
        left = {case for rows, case in named.items() if rows[number] not in gone}
        if (
            gone
            and left
            and left.isdisjoint(hidden)
            and not _renamed(table.names, number, gone, named)
        ):
            cut = [table.elements[row] for row in sorted(gone)]
            return (*cut, *(table.given[row] for row in sorted(gone) if table.given))
    return None


def _named(tables: list[Table], cases: frozenset[str]) -> dict[tuple[int, ...], str] | None:
    """Return the id of each combination of rows, or None unless all ids are accounted for."""
    if math.prod(len(table.elements) for table in tables) != len(cases):
        return None
    found: dict[tuple[int, ...], str] = {}
    for rows in product(*(range(len(table.elements)) for table in tables)):
        choices = product(*(table.ids[row] for table, row in zip(tables, rows, strict=True)))
        named = {"-".join(choice) for choice in choices} & cases
        if len(named) != 1:
            return None
        found[rows] = named.pop()
    return found if len(set(found.values())) == len(cases) else None


def _renamed(
    names: tuple[str, ...], number: int, gone: Collection[int], named: dict[tuple[int, ...], str]
) -> bool:
    """Tell whether an element behind the first that goes has an id that counts positions."""
    return any(
        f"{name}{rows[number]}" in case
        for rows, case in named.items()
        for name in names
        if rows[number] > min(gone)
    )


def _table(decorator: ast.expr) -> Table | None:
    if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
        return None
    if decorator.func.attr != "parametrize" or len(decorator.args) < 2:
        return None
    names = _names(decorator.args[0])
    values = decorator.args[1]
    if names is None or not isinstance(values, ast.List | ast.Tuple):
        return None
    keywords = {keyword.arg: keyword.value for keyword in decorator.keywords}
    if not set(keywords) <= {"ids", "indirect"}:
        return None
    given = keywords.get("ids")
    if given is not None and not (
        isinstance(given, ast.List | ast.Tuple) and len(given.elts) == len(values.elts)
    ):
        return None
    elements = tuple(values.elts)
    told = tuple(given.elts) if isinstance(given, ast.List | ast.Tuple) else ()
    called = [_called(element, names, row, told) for row, element in enumerate(elements)]
    if any(one is None for one in called):
        return None
    ids = tuple(one for one in called if one is not None)
    return Table(elements, told, ids, names)


def _names(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return tuple(name.strip() for name in node.value.split(",") if name.strip())
    if isinstance(node, ast.List | ast.Tuple):
        names = [e.value for e in node.elts if isinstance(e, ast.Constant)]
        return tuple(str(name) for name in names) if len(names) == len(node.elts) else None
    return None


def _called(
    element: ast.expr, names: tuple[str, ...], row: int, given: tuple[ast.expr, ...]
) -> tuple[str, ...] | None:
    """Return what pytest may call an element, or None if that is beyond us."""
    if given:
        return tuple(_of_value(given[row], names[0], row)) or None
    values: list[ast.expr] = [element]
    if isinstance(element, ast.Call) and ast.unparse(element.func).endswith("param"):
        for keyword in element.keywords:
            if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
                return (str(keyword.value.value),)
        values = list(element.args)
    elif len(names) > 1:
        if not isinstance(element, ast.Tuple | ast.List):
            return None
        values = list(element.elts)
    if len(values) != len(names) or any(isinstance(v, ast.Starred) for v in values):
        return None
    parts = [tuple(_of_value(v, n, row)) for v, n in zip(values, names, strict=True)]
    return tuple("-".join(choice) for choice in product(*parts))


def _of_value(value: ast.expr, name: str, row: int) -> Iterator[str]:
    """Yield what pytest may call one value of a case."""
    try:
        literal = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        if isinstance(value, ast.Name | ast.Attribute):
            yield value.id if isinstance(value, ast.Name) else value.attr
        yield f"{name}{row}"
        return
    if isinstance(literal, str):
        yield literal.encode("unicode_escape").decode("ascii")
    elif isinstance(literal, bytes):
        yield literal.decode("ascii", "backslashreplace")
    elif literal is None or isinstance(literal, bool | int | float | complex):
        yield str(literal)
    else:
        yield f"{name}{row}"
