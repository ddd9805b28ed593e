"""Tables of literals in code, however they are spelled.

A table of the domain (units, codes, names) looks much the same as one of answers. What tells them
apart: the keys read like inputs of tests, and there is another way for all that is not listed.
"""

import ast
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from featuredel.monitor.acts.syntax import (
    Function,
    arguments_of,
    defaults_of,
    source,
    targets_of,
    tree_of,
)
from featuredel.monitor.answers.literals import (
    literal,
    number,
    scattered,
    specific,
    text_of,
    wordy,
    written,
)

LEAST = 2
"""Listed answers, with another way for the rest."""

ORDINAL = 9999
"""A number above it may be that of a day, a digest or an account."""

FLAG = 2
"""A number up to it may be a state, or a bit."""

Table = list[tuple[ast.expr, ast.expr]]
Lists = Mapping[str, list[ast.expr]]

_COLUMNS = re.compile(r"\s*(?:[,\t;=]|:\s)\s*")
_FILLS = frozenset({"setdefault", "__setitem__"})
_BETWEEN = re.compile(r"\s*(?:=+>|-+>|\t|\s\|\s|\s=\s|::|;)\s*")


def tables(tree: ast.AST) -> Iterator[tuple[str, Table]]:
    """Yield the tables of a piece of code by the last part of their names, "" if they have none."""
    lists = lists_of(tree)
    filled: dict[str, Table] = {}
    named: set[int] = set()
    learners = dict(_learners(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = targets_of(node)
            if pairs := pairs_of(node.value, lists):
                named.add(id(node.value))
                for target in targets:
                    if isinstance(target, ast.Name | ast.Attribute):
                        yield last_name(target), pairs
            for target in targets:
                if isinstance(target, ast.Subscript):
                    _fill(filled, target.value, target.slice, node.value)
        elif isinstance(node, ast.ClassDef) and (pairs := _enumerated(node)):
            yield node.name, pairs
        elif isinstance(node, Function):
            for name, value in defaults_of(node):
                if pairs := pairs_of(value, lists):
                    named.add(id(value))
                    yield name, pairs
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            _filled_by(node, node.func, learners, filled)
        elif isinstance(node, ast.Subscript) and (pairs := indexed(node, lists)):
            yield "", pairs
        elif isinstance(node, ast.For):
            yield from (("", rows) for rows in _gone_over(node, lists) if rows)
        nameless = isinstance(node, ast.Dict | ast.Call | ast.List) and id(node) not in named
        if nameless and isinstance(node, ast.expr) and (pairs := pairs_of(node, lists)):
            yield "", pairs
    yield from filled.items()


def _gone_over(node: ast.For, lists: Lists) -> Iterator[Table]:
    """Yield the rows of a loop: of a tuple, or of two sequences by one place in both."""
    if isinstance(node.iter, ast.Tuple):
        yield pairs_of(node.iter, lists)
    called = node.iter if isinstance(node.iter, ast.Call) and node.iter.args else None
    if called is not None and source(called.func) == "enumerate":
        first = _column(called.args[0], lists)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Name):
                second = _column(inner.value, lists)
                yield list(zip(first, second, strict=False)) if len(second) > 1 else []


def _enumerated(node: ast.ClassDef) -> Table:
    """Return the values and names of an enumeration, which stand for each other."""
    if not any("Enum" in source(base) for base in node.bases):
        return []
    given = [n for n in node.body if isinstance(n, ast.Assign) and literal(n.value)]
    return [(n.value, ast.Constant(source(n.targets[0]))) for n in given]


def _filled_by(
    call: ast.Call, called: ast.Name | ast.Attribute, learners: dict[str, str],
    filled: dict[str, Table],
) -> None:  # fmt: skip
    """Add the rows that a call puts into a table."""
    name = last_name(called)
    holder = called.value if isinstance(called, ast.Attribute) else None
    first = call.args[0] if call.args else None
    if name == "update" and holder is not None and isinstance(first, ast.Dict):
        for key, value in zip(first.keys, first.values, strict=True):
            if key is not None:
                _fill(filled, holder, key, value)
    elif len(call.args) > 1 and first is not None:
        if name in learners:
            _fill(filled, ast.Name(learners[name]), first, call.args[1])
        elif name in _FILLS and holder is not None:
            _fill(filled, holder, first, call.args[1])


def _fill(filled: dict[str, Table], target: ast.expr, key: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name | ast.Attribute) and literal(key) and literal(value):
        filled.setdefault(last_name(target), []).append((key, value))


def indexed(node: ast.Subscript, lists: Lists) -> Table:
    """Return the rows of `ANSWERS[INPUTS.index(given)]`."""
    place = node.slice.func if isinstance(node.slice, ast.Call) else None
    if not isinstance(place, ast.Attribute) or place.attr != "index":
        return []
    return list(zip(_column(place.value, lists), _column(node.value, lists), strict=False))


def _learners(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield functions that put their first argument into a table: their names and its."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = [name for name in arguments_of(node) if name not in ("self", "cls")]
            for inner in node.body:
                for target in targets_of(inner):
                    if (
                        isinstance(target, ast.Subscript)
                        and isinstance(target.value, ast.Name | ast.Attribute)
                        and given[:1] == [source(target.slice)]
                    ):
                        yield node.name, last_name(target.value)


def inputs(tree: ast.AST) -> set[str]:
    """Return the names of sequences of literals that read like inputs of tests."""
    return {name for name, items in lists_of(tree).items() if sum(map(specific, items)) >= LEAST}


def lists_of(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the sequences of literals, by name."""
    return {
        last_name(target): node.value.elts
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.List | ast.Tuple)
        and literal(node.value)
        for target in node.targets
        if isinstance(target, ast.Name | ast.Attribute)
    }


def last_name(node: ast.Name | ast.Attribute) -> str:
    """Return a name without what it belongs to."""
    return node.id if isinstance(node, ast.Name) else node.attr


def pairs_of(node: ast.expr, lists: Lists | None = None) -> Table:
    """Return keys and values of a mapping of literals, however it is spelled; none of others.

    `lists` are the sequences that a name may stand for.
    """
    pairs: Table = []
    if isinstance(node, ast.Call):
        return _called(node, lists or {})
    if isinstance(node, ast.DictComp):
        pairs = _zipped_over(node, lists or {})
    elif isinstance(node, ast.Dict):
        pairs = [(k, _given(v)) for k, v in zip(node.keys, node.values, strict=False) if k]
        pairs = _flat(pairs) or pairs
    elif isinstance(node, ast.List | ast.Tuple):
        rows = [e for e in node.elts if isinstance(e, ast.Tuple | ast.List) and len(e.elts) > 1]
        matrix = all(number(e) is not None for row in rows for e in row.elts if len(row.elts) > 2)
        told = len(rows) == len(node.elts) and not (matrix and rows and len(rows[0].elts) > 2)
        pairs = [_row(row.elts) for row in rows] if told else _records(node.elts)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        pairs = _written_out(node.value) or _separated(node.value)
    whole = len(pairs) >= LEAST and all(written(k) and written(v) for k, v in pairs)
    return pairs if whole else []


def _flat(pairs: Table) -> Table:
    """Return the rows of a table of tables whose inner keys are inputs: `{"mi": {12.5: 20.1}}`."""
    inner = [v for _, v in pairs if isinstance(v, ast.Dict)]
    keys = [k for table in inner for k in table.keys]
    if len(inner) < len(pairs) or not all(k is not None and number(k) is not None for k in keys):
        return []
    return [
        (ast.Tuple([k, inner_key]), value)
        for k, table in pairs
        if isinstance(table, ast.Dict)
        for inner_key, value in zip(table.keys, table.values, strict=True)
        if inner_key is not None
    ]


def _records(items: list[ast.expr]) -> Table:
    """Return the rows of a list of records: `[Case("a = 1", 3), Case("b = 2", 4)]`."""
    calls = [e for e in items if isinstance(e, ast.Call) and len(e.args) > 1]
    same = len({source(call.func) for call in calls}) == 1 and len(calls) == len(items)
    return [_row(call.args) for call in calls] if same else []


def _row(cells: list[ast.expr]) -> tuple[ast.expr, ast.expr]:
    first = _pattern(cells[0])
    return (first if len(cells) == 2 else ast.Tuple([first, *cells[1:-1]])), cells[-1]


def _given(node: ast.expr) -> ast.expr:
    """Return what a function without arguments gives, anything else as it is."""
    bare = isinstance(node, ast.Lambda) and not node.args.args and literal(node.body)
    return node.body if bare and isinstance(node, ast.Lambda) else node


def _pattern(node: ast.expr) -> ast.expr:
    """Return the text that a regular expression of nothing but text matches."""
    if isinstance(node, ast.Call) and source(node.func) in ("re.compile", "compile") and node.args:
        node = node.args[0]
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, str) and value.startswith("^") and value.endswith("$"):
        bare = re.sub(r"\\(\W)", "", value[1:-1])
        if not re.search(r"[\\\[\](){}*+?|^$]", bare):
            return ast.Constant(re.sub(r"\\(\W)", r"\1", value[1:-1]))
    return node


def _called(node: ast.Call, lists: Lists) -> Table:
    name = source(node.func).rpartition(".")[2]
    first = node.args[0] if node.args else None
    if first is None or len(node.args) > 1:
        return []
    if name in ("loads", "literal_eval", "eval") and isinstance(first, ast.Constant):
        return _loaded(first.value)
    if name in ("safe_load", "load") and isinstance(first, ast.Constant):
        return _written_out(str(first.value), re.compile(r":\s+"))
    if isinstance(first, ast.Call) and source(first.func) == "zip":
        columns = [_column(given, lists) for given in first.args]
        whole = len(columns) > 1 and all(columns)
        return [_row(list(cells)) for cells in zip(*columns, strict=False)] if whole else []
    wraps = name in ("dict", "MappingProxyType", "OrderedDict", "Dict", "frozendict")
    own = name[:1].isupper() or name.startswith("_")  # a class of its own
    return pairs_of(first, lists) if wraps or (own and isinstance(first, ast.Dict)) else []


def _column(node: ast.expr, lists: Lists) -> list[ast.expr]:
    if isinstance(node, ast.List | ast.Tuple):
        return node.elts
    return lists.get(last_name(node), []) if isinstance(node, ast.Name | ast.Attribute) else []


def _zipped_over(node: ast.DictComp, lists: Lists) -> Table:
    """Return the rows of `{(a, b): c for a, b, c in zip(A, B, C)}`."""
    over = node.generators[0].iter
    if not isinstance(over, ast.Call) or source(over.func) != "zip":
        return []
    columns = [_column(given, lists) for given in over.args]
    return [_row(list(cells)) for cells in zip(*columns, strict=False)] if all(columns) else []


def _written_out(text: str, between: re.Pattern[str] = _BETWEEN) -> Table:
    """Return the rows of a table that is written as text, a line a row."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    rows = [between.split(line) for line in lines]
    if len(rows) < LEAST or any(len(row) != 2 or not all(row) for row in rows):
        return []
    return [(ast.Constant(a.strip("'\"")), ast.Constant(b.strip("'\""))) for a, b in rows]


def _separated(text: str) -> Table:
    """Return the rows of text that is separated by commas and quoted, without its heading."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if len(lines) < LEAST or '"' not in text:
        return []
    rows = [row for row in csv.reader(lines) if len(row) == 2]
    cells = rows[1:] if not lines[0].startswith('"') else rows
    return [(_cell(a), _cell(b)) for a, b in cells] if len(rows) == len(lines) else []


def _cell(text: str) -> ast.Constant:
    whole = re.fullmatch(r"-?\d+(\.\d+)?", text.strip())
    return ast.Constant(float(text) if whole else text)


def _loaded(text: object) -> Table:
    if not isinstance(text, str) or len(text) > 100_000:
        return []
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return []
    tree = tree_of(repr(told)) if isinstance(told, Mapping | list) else None
    node = tree.body[0] if tree else None
    return pairs_of(node.value) if isinstance(node, ast.Expr) else []


def table_of_file(name: str, text: str) -> Table:
    """Return the rows of a file of data: JSON, or two columns of text."""
    if name.endswith(".json"):
        return _loaded(text)
    return _written_out(text, _COLUMNS) if name.endswith((".csv", ".tsv", ".txt", ".yaml")) else []


def like_tests(table: Table) -> bool:
    """Tell whether most keys read like inputs of tests rather than words of the domain."""
    if not table:
        return False
    keys = [key for key, _ in table]
    if all(number(key) is not None for key in keys):
        if all((number(key) or 0) > ORDINAL for key in keys) and all(
            isinstance(value, ast.Tuple | ast.List) for _, value in table
        ):
            return scattered(keys, LEAST)
        return all(number(value) is not None for _, value in table) and scattered(keys)
    found = sum(specific(key) for key in keys)
    return found >= LEAST and found * 2 > len(keys)


def vocabulary(keys: Sequence[ast.expr]) -> bool:
    """Tell whether keys are combinations of few words, as the states and events of a machine."""
    cells = [
        n
        for key in keys
        if isinstance(key, ast.Tuple)
        for n in ast.walk(key)
        if isinstance(n, ast.Constant)
    ]
    words = [text for text in map(text_of, cells) if text is not None]
    small = [cell for cell in cells if abs(number(cell) or 0) <= FLAG and number(cell) is not None]
    named = len(words) + len(small) == len(cells) and all(map(wordy, words))
    return bool(words) and named and len(set(words)) < len(words)


def pairs_of_words(table: Table) -> bool:
    """Tell whether a table gives numbers or collections for combinations of unlike words."""
    keys = [key for key, _ in table]
    several = all(
        isinstance(key, ast.Tuple)
        and len(key.elts) > 1
        and all(text_of(e) is not None for e in key.elts)
        for key in keys
    )
    told = all(text_of(value) is None for _, value in table)
    return bool(keys) and several and told and not vocabulary(keys)
