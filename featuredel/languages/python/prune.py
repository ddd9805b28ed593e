"""Apply cuts to an `ast` tree: what is left keeps its place in the original file.

The tree itself stays as it is: what holds a cut is copied, what holds none is shared. So a linter
that reads the pruned tree speaks of the original lines, and the planner can go on cutting before a
single byte is written.
"""

import ast
import copy
from collections.abc import Collection, Iterable
from typing import Any

from featuredel.languages.python.cuts import Action, Cut, Marks, Place


def prune(tree: ast.Module, cuts: Collection[Cut]) -> ast.Module:
    """Return `tree` without what `cut.apply` would take out."""
    if not cuts:
        return tree
    pruned = _Pruner(cuts).visit(tree)
    assert isinstance(pruned, ast.Module)
    return pruned


class _Pruner(ast.NodeTransformer):
    def __init__(self, cuts: Iterable[Cut]) -> None:
        self.marks = Marks(cuts)

    def _cut(self, action: Action, node: Any) -> bool:
        return self.marks.at(action, (node.lineno, node.col_offset))

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt):
            if self._cut("statement", node):
                return None
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if not self.marks.within(first, node.end_lineno or first):
                return node
        if self.marks.has("replace") and isinstance(node, ast.expr):
            text = self.marks.text(*_span(node))
            if text is not None:
                return ast.copy_location(ast.parse(text, mode="eval").body, node)
        method = getattr(self, "visit_" + type(node).__name__, self.generic_visit)
        visited = method(_copied(node))
        if isinstance(visited, ast.stmt | ast.ExceptHandler | ast.match_case):
            self._fill(visited)
        return visited

    def _fill(self, node: Any) -> None:
        if hasattr(node, "body") and isinstance(node.body, list) and not node.body:
            node.body.append(_pass(node))

    # --- arms

    def visit_If(self, node: ast.If) -> Any:
        if self._cut("else", node):
            node.orelse = []
        self.generic_visit(node)
        if self._cut("body", node):
            return node.orelse
        if self._cut("unwrap", node):
            return node.body
        return node

    def _loop(self, node: Any) -> Any:
        if self._cut("else", node):
            node.orelse = []
        had = bool(node.orelse)
        self.generic_visit(node)
        if had and not node.orelse:
            node.orelse = [_pass(node)]
        return node

    visit_For = visit_AsyncFor = visit_While = _loop  # noqa: N815

    def _try(self, node: Any) -> Any:
        if self._cut("else", node):
            node.orelse = []
        node.handlers = [handler for handler in node.handlers if not self._cut("handler", handler)]
        self.generic_visit(node)
        if node.handlers:
            return node
        node.body = [*node.body, *node.orelse]
        node.orelse = []
        return node if node.finalbody else node.body

    visit_Try = visit_TryStar = _try  # noqa: N815

    def visit_Match(self, node: ast.Match) -> Any:
        node.cases = [case for case in node.cases if not self._cut("case", case.pattern)]
        self.generic_visit(node)
        return node if node.cases else None

    def _with(self, node: Any) -> Any:
        node.items = [item for item in node.items if not self._cut("element", item.context_expr)]
        for item in node.items:
            if self._cut("unbind", item.context_expr):
                item.optional_vars = None
        self.generic_visit(node)
        if node.items and not self._cut("unwrap", node):
            return node
        return node.body

    visit_With = visit_AsyncWith = _with  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        node.type = self._alone(node.type)
        if self._cut("unbind", node):
            node.name = None
        self.generic_visit(node)
        return node

    # --- lists

    def _elements(self, nodes: list[Any]) -> list[Any]:
        return [node for node in nodes if not self._cut("element", node)]

    def _display(self, node: Any) -> Any:
        node.elts = self._elements(node.elts)
        self.generic_visit(node)
        return node

    visit_List = visit_Tuple = _display  # noqa: N815

    def visit_Set(self, node: ast.Set) -> Any:
        node.elts = self._elements(node.elts)
        self.generic_visit(node)
        if node.elts:
            return node
        name = ast.copy_location(ast.Name("set", ast.Load()), node)
        return ast.copy_location(ast.Call(name, [], []), node)

    def visit_Dict(self, node: ast.Dict) -> Any:
        pairs = [
            (key, value)
            for key, value in zip(node.keys, node.values, strict=True)
            if not self._cut("element", value if key is None else key)
        ]
        node.keys = [key for key, _ in pairs]
        node.values = [value for _, value in pairs]
        self.generic_visit(node)
        return node

    def _alone(self, node: Any) -> Any:
        """Return the only element that a tuple keeps, where one or many will do."""
        if not isinstance(node, ast.Tuple):
            return node
        kept = self._elements(node.elts)
        if len(kept) != 1 or len(kept) == len(node.elts):
            return node
        return kept[0].value if isinstance(kept[0], ast.Starred) else kept[0]

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
            node.args = [self._alone(arg) for arg in node.args]
        node.args = self._elements(node.args)
        node.keywords = [word for word in node.keywords if not self._cut("element", word.value)]
        self.generic_visit(node)
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        node.targets = [self._alone(target) for target in self._elements(node.targets)]
        return node if node.targets else None

    # --- definitions, imports, annotations

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.bases = self._elements(node.bases)
        node.keywords = [word for word in node.keywords if not self._cut("element", word.value)]
        return self._undecorated(node)

    def _function(self, node: Any) -> Any:
        if node.returns is not None and self._cut("annotation", node.returns):
            node.returns = None
        if self._cut("stub", node):
            node.body = _stubbed(node)
        return self._undecorated(node)

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815

    def _undecorated(self, node: Any) -> Any:
        node.decorator_list = [d for d in node.decorator_list if not self._cut("decorator", d)]
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> Any:
        if node.annotation is not None and self._cut("annotation", node.annotation):
            node.annotation = None
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        return self._unbound(node)

    def _unbound(self, node: Any) -> Any:
        if node.value is None or not self._cut("unbind", node):
            return node
        return ast.copy_location(ast.Expr(node.value), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if self._cut("unbind", node):
            return self._unbound(node)
        if node.value is None or not self._cut("annotation", node.annotation):
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def _import(self, node: Any) -> Any:
        node.names = [alias for alias in node.names if not self._cut("alias", alias)]
        return node if node.names else None

    visit_Import = visit_ImportFrom = _import  # noqa: N815


def _copied(node: ast.AST) -> ast.AST:
    if not node._fields:
        return node
    found = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(found, name, list(value))
    return found


def _span(node: Any) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _pass(node: ast.AST) -> ast.Pass:
    return ast.copy_location(ast.Pass(), node)


def _stubbed(node: Any) -> list[ast.stmt]:
    name = ast.copy_location(ast.Name("NotImplementedError", ast.Load()), node.body[-1])
    raising = ast.copy_location(ast.Raise(name, None), node.body[-1])
    kept = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
    return [*kept, raising]
