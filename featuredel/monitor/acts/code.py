"""Python code that a step runs: the files, hosts and commands in it.

It is parsed, never executed.
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence

from featuredel.monitor.acts.calls import Calls
from featuredel.monitor.acts.fold import Folder
from featuredel.monitor.acts.records import Act, Nested, Source, Use
from featuredel.monitor.acts.session import Session
from featuredel.monitor.acts.syntax import (
    bound_by,
    imported_by,
    positional_of,
    source,
    targets_of,
    tree_of,
)

ROUNDS = 8
"""Of a loop over literal values."""

INLINED = 40
"""Calls of a script's own functions that are followed into them."""


_MAGIC = re.compile(
    r"\s*(?:!{1,2}|%(?:sx|system)\s|%(?=(?:pip|conda|mamba|uv|cat|ls|cp|mv|rm|less)\b))\s*(.+)"
)
_CELL = re.compile(r"\s*%%(?:bash|sh|script \w+)[^\n]*\n(.*)", re.DOTALL)


def acts_of_code(
    code: str, session: Session, given: tuple[str, ...] = ()
) -> Iterator[Act | Nested]:
    """Yield what Python code does that is `given` words; nothing if it does not parse.

    Magic lines of IPython count.
    """
    for line in code.splitlines():
        if magic := _MAGIC.match(line):
            yield Nested(magic[1])
    if cell := _CELL.match(code):
        yield Nested(cell[1])
    tree = parsed(code)
    if tree is None:
        return
    yield Source(code)
    walk = _Walk(session, code)
    walk.folder.argv = given
    yield from walk.statements(tree.body)


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of code, None if it has none; magic lines are left out."""
    kept = "\n".join(
        "" if line.lstrip().startswith(("!", "%")) else line for line in code.splitlines()
    )
    return tree_of(textwrap.dedent(kept))


class _Walk:
    def __init__(self, session: Session, code: str) -> None:
        self.folder = Folder()
        self.calls = Calls(session, self.folder)
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.inlined = 0
        self.lines = [line.encode(errors="replace") for line in code.splitlines(keepends=True)]

    def _segment(self, node: ast.expr) -> str:
        """Return the source of a node; `ast.get_source_segment` splits the whole for each."""
        last = node.end_lineno or node.lineno
        lines = self.lines[node.lineno - 1 : last]
        if not lines:
            return ""
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode(errors="replace")

    def statements(self, body: Sequence[ast.stmt]) -> Iterator[Act | Nested]:
        for node in body:
            yield from self._statement(node)

    def _statement(self, node: ast.stmt) -> Iterator[Act | Nested]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.folder.dotted |= bound_by(node)
            yield from (Use(f"import {name}", (), source(node)) for name in imported_by(node))
        elif isinstance(node, ast.For):
            yield from self._expressions(node.iter)
            yield from self._loop(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                yield from self._expressions(item.context_expr)
                if isinstance(item.optional_vars, ast.Name):
                    self._assign(item.optional_vars.id, item.context_expr)
            yield from self.statements(node.body)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not isinstance(node, ast.ClassDef):
                self.functions[node.name] = node
            yield from self.statements(node.body)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from self._expressions(child)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in targets_of(node):
                    if isinstance(target, ast.Name):
                        self._assign(target.id, node.value)
                    elif self.folder.name(target) == "sys.argv":
                        self.folder.argv = tuple(self.calls.words(node.value)[1:])
                    elif isinstance(target, ast.Subscript):
                        yield self._set(target, node.value)
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                for child in getattr(node, field, ()):
                    if isinstance(child, ast.stmt):
                        yield from self._statement(child)
                    else:
                        yield from self.statements(getattr(child, "body", []))

    def _set(self, target: ast.Subscript, value: ast.expr) -> Use:
        key = self.folder.text(target.slice)
        return Use(
            f"{self.folder.name(target.value)}[]",
            (key, self.folder.text(value)),
            source(target),
        )

    def _assign(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.Set):
            self.folder.collections[name] = value
        text = self.folder.text(value)
        if text is not None:
            self.folder.texts[name] = text
        dotted = self.folder.name(value)
        if dotted:
            self.folder.dotted[name] = dotted
        if isinstance(value, ast.Call) and dotted.rpartition(".")[2] == "open":
            self.calls.opens(name, value)

    def _loop(self, node: ast.For) -> Iterator[Act | Nested]:
        names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        values: list[str | None] = [self.folder.text(node.iter)]
        rows = self._rows(node.iter)
        if rows and isinstance(node.target, ast.Tuple):
            for row in rows[:ROUNDS]:
                for target, cell in zip(node.target.elts, row, strict=False):
                    if isinstance(target, ast.Name):
                        self._assign(target.id, cell)
                yield from self.statements(node.body)
            return
        if isinstance(node.iter, ast.List | ast.Tuple | ast.Set) and len(names) == 1:
            values = [self.folder.text(element) for element in node.iter.elts[:ROUNDS]]
        for value in values or [None]:
            if value is not None:
                for name in names:
                    self.folder.texts[name] = value
            yield from self.statements(node.body)

    def _rows(self, node: ast.expr) -> list[list[ast.expr]]:
        """Return the rows that a loop goes over: pairs of a mapping, or tuples of a list."""
        held: ast.AST | None = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            held = node.func.value if node.func.attr == "items" else None
        if isinstance(held, ast.Name):
            held = self.folder.collections.get(held.id)
        if isinstance(held, ast.Dict):
            return [[k, v] for k, v in zip(held.keys, held.values, strict=True) if k is not None]
        if isinstance(held, ast.List | ast.Tuple):
            return [e.elts for e in held.elts if isinstance(e, ast.Tuple | ast.List)]
        return []

    def _expressions(self, node: ast.expr) -> Iterator[Act | Nested]:
        for child in ast.walk(node):
            if isinstance(child, ast.comprehension):
                text = self.folder.text(child.iter)
                for name in ast.walk(child.target):
                    if isinstance(name, ast.Name) and text is not None:
                        self.folder.texts[name.id] = text
        for child in ast.walk(node):
            if isinstance(child, ast.Call):
                yield from self._called(child)
            elif isinstance(child, ast.NamedExpr):
                self._assign(child.target.id, child.value)

    def _called(self, node: ast.Call) -> Iterator[Act | Nested]:
        name = self.folder.name(node.func)
        text = self._segment(node) or source(node)
        arguments = tuple(self.folder.text(a) for a in node.args)
        yield Use(name, arguments, text)
        if name in self.functions and any(argument is not None for argument in arguments):
            yield from self._helper(self.functions[name], arguments)
        else:
            yield from self.calls.acts(node, name, arguments, text)

    def _helper(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, arguments: tuple[str | None, ...]
    ) -> Iterator[Act | Nested]:
        """Yield what a function of the script does with what it is given."""
        self.inlined += 1
        if self.inlined > INLINED:
            return
        names = positional_of(function)
        for name, argument in zip(names, arguments, strict=False):
            if argument is not None:
                self.folder.texts[name] = argument
        if function.args.vararg is not None:
            rest = [a if a is not None else "*" for a in arguments[len(names) :]]
            self.folder.texts[function.args.vararg.arg] = " ".join(rest)
        del self.functions[function.name]  # it may call itself
        yield from self.statements(function.body)
        self.functions[function.name] = function
