"""Cutting what statements are made of: elements, names, decorators, annotations and bodies."""

from typing import Any

import libcst as cst

from featuredel.languages.python.cut_lists import without
from featuredel.languages.python.cut_marked import Marked

_ONE_OR_MANY = ("isinstance", "issubclass")


class Parts(Marked):
    """What becomes of expressions, imports, definitions and assignments when parts of them go."""

    # --- lists

    def _leave_display(self, original_node: Any, updated_node: Any) -> Any:
        kept = self._without(original_node.elements, updated_node.elements)
        if len(kept.nodes) == len(updated_node.elements):
            return updated_node
        if isinstance(updated_node, cst.Set) and not kept.nodes:
            return cst.Call(cst.Name("set"))
        if not kept.nodes:
            return _emptied(updated_node)
        kind = "bracket" if isinstance(updated_node, cst.List) else "brace"
        brackets = {
            "l" + kind: kept.opened(getattr(updated_node, "l" + kind)),
            "r" + kind: kept.closed(getattr(updated_node, "r" + kind)),
        }
        return updated_node.with_changes(elements=kept.nodes, **brackets)

    leave_List = leave_Set = leave_Dict = _leave_display

    def leave_Tuple(self, original_node: Any, updated_node: Any) -> Any:
        kept = self._without(original_node.elements, updated_node.elements)
        nodes = kept.nodes
        if len(nodes) == len(updated_node.elements):
            return updated_node
        brackets = {"lpar": updated_node.lpar, "rpar": updated_node.rpar}
        if not nodes:
            brackets = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
        elif updated_node.lpar:
            brackets["lpar"] = [*updated_node.lpar[:-1], kept.opened(updated_node.lpar[-1])]
            brackets["rpar"] = [kept.closed(updated_node.rpar[0]), *updated_node.rpar[1:]]
        if len(nodes) == 1 and not isinstance(nodes[0].comma, cst.Comma):
            nodes = (nodes[0].with_changes(comma=cst.Comma()),)
        shrunk = updated_node.with_changes(elements=nodes, **brackets)
        self.gone.shrunk.add(id(shrunk))
        self.keep_alive.append(shrunk)
        return shrunk

    def leave_Call(self, original_node: Any, updated_node: Any) -> Any:
        args = list(updated_node.args)
        if isinstance(updated_node.func, cst.Name) and updated_node.func.value in _ONE_OR_MANY:
            args = [arg.with_changes(value=self._alone(arg.value)) for arg in args]
        kept = self._without(original_node.args, args)
        before = kept.reopened(updated_node.whitespace_before_args)
        if args and not kept.nodes:
            before = cst.SimpleWhitespace("")
        return updated_node.with_changes(args=kept.nodes, whitespace_before_args=before)

    def leave_ClassDef(self, original_node: Any, updated_node: Any) -> Any:
        updated_node = self._undecorated(original_node, updated_node)
        before = [*original_node.bases, *original_node.keywords]
        if not any(self._element_cut(arg) for arg in before):
            return updated_node
        left = self._without(before, [*updated_node.bases, *updated_node.keywords])
        kept = left.nodes
        bases = [arg for arg in kept if arg.keyword is None and arg.star != "**"]
        changes: dict[str, Any] = {"bases": bases, "keywords": kept[len(bases) :]}
        if not kept:
            changes |= {"lpar": cst.MaybeSentinel.DEFAULT, "rpar": cst.MaybeSentinel.DEFAULT}
        else:
            changes["lpar"] = left.opened(updated_node.lpar)
            changes["rpar"] = left.closed(updated_node.rpar)
        return updated_node.with_changes(**changes)

    def leave_Del(self, original_node: Any, updated_node: Any) -> Any:
        target = updated_node.target
        if isinstance(target, cst.Tuple):
            if not target.elements:
                self.gone.statements.add(id(original_node))
            return updated_node.with_changes(target=self._alone(target))
        if self._cut("element", original_node.target):
            self.gone.statements.add(id(original_node))
        return updated_node

    # --- imports, decorators, annotations, stubs

    def _leave_import(self, original_node: Any, updated_node: Any) -> Any:
        if isinstance(original_node.names, cst.ImportStar):
            if self._cut("alias", original_node.names):
                self.gone.statements.add(id(original_node))
            return updated_node
        aliases = original_node.names
        kept = without(updated_node.names, lambda position: self._cut("alias", aliases[position]))
        if not kept.nodes:
            self.gone.statements.add(id(original_node))
            return updated_node
        changes: dict[str, Any] = {"names": kept.nodes}
        if getattr(updated_node, "lpar", None) is not None:
            changes["lpar"] = kept.opened(updated_node.lpar)
            changes["rpar"] = kept.closed(updated_node.rpar)
        elif len(kept.nodes) < len(aliases):
            last = kept.nodes[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            changes["names"] = (*kept.nodes[:-1], last)
        return updated_node.with_changes(**changes)

    leave_Import = leave_ImportFrom = _leave_import

    def _undecorated(self, original: Any, updated: Any) -> Any:
        pairs = zip(original.decorators, updated.decorators, strict=True)
        kept = [after for before, after in pairs if not self._cut("decorator", before.decorator)]
        return updated.with_changes(decorators=kept)

    def leave_FunctionDef(self, original_node: Any, updated_node: Any) -> Any:
        updated_node = self._undecorated(original_node, updated_node)
        if original_node.returns and self._cut("annotation", original_node.returns.annotation):
            updated_node = updated_node.with_changes(returns=None)
        if self._cut("stub", original_node):
            updated_node = updated_node.with_changes(body=_stub(updated_node.body))
        return updated_node

    def leave_Param(self, original_node: Any, updated_node: Any) -> Any:
        note = original_node.annotation
        if note is None or not self._cut("annotation", note.annotation):
            return updated_node
        tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        equal = tight if updated_node.default is not None else cst.MaybeSentinel.DEFAULT
        return updated_node.with_changes(annotation=None, equal=equal)

    def leave_AnnAssign(self, original_node: Any, updated_node: Any) -> Any:
        note = original_node.annotation.annotation
        if self._cut("unbind", original_node):
            return self._unbound(original_node, updated_node)
        if updated_node.value is None or not self._cut("annotation", note):
            return updated_node
        target = cst.AssignTarget(updated_node.target)
        return cst.Assign([target], updated_node.value, semicolon=updated_node.semicolon)

    def leave_Assign(self, original_node: Any, updated_node: Any) -> Any:
        return self._unbound(original_node, updated_node)

    def _unbound(self, original: Any, updated: Any) -> Any:
        """Return the value of an assignment alone if its names are cut."""
        if updated.value is None or not self._cut("unbind", original):
            return updated
        return cst.Expr(updated.value, semicolon=updated.semicolon)


def _emptied(display: Any) -> Any:
    """Return a list or dict display with nothing in it."""
    if isinstance(display, cst.List):
        return display.with_changes(
            elements=(), lbracket=cst.LeftSquareBracket(), rbracket=cst.RightSquareBracket()
        )
    return display.with_changes(
        elements=(), lbrace=cst.LeftCurlyBrace(), rbrace=cst.RightCurlyBrace()
    )


def _stub(suite: Any) -> cst.IndentedBlock:
    """Return the suite with its docstring alone, raising NotImplementedError."""
    first = suite.body[0] if isinstance(suite, cst.IndentedBlock) else None
    kept: list[Any] = [first] if _is_docstring(first) else []
    raising = cst.SimpleStatementLine([cst.Raise(cst.Name("NotImplementedError"))])
    indent = suite.indent if isinstance(suite, cst.IndentedBlock) else None
    return cst.IndentedBlock([*kept, raising], indent=indent)


def _is_docstring(node: Any) -> bool:
    return (
        isinstance(node, cst.SimpleStatementLine)
        and isinstance(node.body[0], cst.Expr)
        and isinstance(node.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )
