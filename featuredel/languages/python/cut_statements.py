"""Cutting statements, and the arms and clauses of those that hold others."""

from collections.abc import Iterable
from typing import Any

import libcst as cst

from featuredel.languages.python.cut_blocks import Slot, leading, rebuild
from featuredel.languages.python.cut_marked import Marked

_PASS = cst.SimpleStatementLine([cst.Pass()])


class Statements(Marked):
    """What becomes of blocks when statements, arms, cases, handlers and `with` items go."""

    # --- statements and blocks

    def leave_SimpleStatementLine(self, original_node: Any, updated_node: Any) -> Any:
        kept = self._small(original_node, updated_node)
        if not kept:
            self.gone.statements.add(id(original_node))
            return updated_node
        return updated_node.with_changes(body=kept)

    def leave_SimpleStatementSuite(self, original_node: Any, updated_node: Any) -> Any:
        kept = self._small(original_node, updated_node)
        return updated_node.with_changes(body=kept or [cst.Pass()])

    def _small(self, original: Any, updated: Any) -> list[Any]:
        """Return what is left of a line of small statements."""
        kept = [
            after
            for before, after in zip(original.body, updated.body, strict=True)
            if id(before) not in self.gone.statements and not self._cut("statement", before)
        ]
        if kept and len(kept) < len(updated.body):
            kept[-1] = kept[-1].with_changes(semicolon=updated.body[-1].semicolon)
        return kept

    def leave_IndentedBlock(self, original_node: Any, updated_node: Any) -> Any:
        body, rest = rebuild(self._slots(original_node, updated_node))
        if not body:
            body = [_PASS]
        return updated_node.with_changes(body=body, footer=(*rest, *updated_node.footer))

    def leave_Module(self, original_node: Any, updated_node: Any) -> Any:
        body, rest = rebuild(self._slots(original_node, updated_node))
        return updated_node.with_changes(body=body, footer=(*rest, *updated_node.footer))

    def _slots(self, original: Any, updated: Any) -> Iterable[Slot]:
        for before, after in zip(original.body, updated.body, strict=True):
            if id(before) in self.gone.statements or self._whole(before):
                yield Slot(before, ())
            elif id(before) in self.gone.spliced:
                yield Slot(before, self.gone.spliced[id(before)])
            else:
                yield Slot(before, (after,))

    def _whole(self, node: Any) -> bool:
        return not isinstance(node, cst.SimpleStatementLine) and self._cut("statement", node)

    # --- arms

    def leave_If(self, original_node: Any, updated_node: Any) -> Any:
        if self._cut("else", original_node):
            updated_node = updated_node.with_changes(orelse=None)
        if self._cut("unwrap", original_node):
            if id(original_node) in self.arms:
                lines = updated_node.leading_lines
                return cst.Else(body=updated_node.body, leading_lines=lines)
            self._splice(original_node, updated_node.body)
        if not self._cut("body", original_node) and not (
            id(original_node) in self.arms and self._cut("statement", original_node)
        ):
            return updated_node
        rest = updated_node.orelse
        if id(original_node) in self.arms:
            return cst.RemoveFromParent() if rest is None else rest
        if isinstance(rest, cst.If):
            lines = leading(original_node)
            self.gone.spliced[id(original_node)] = [rest.with_changes(leading_lines=lines)]
        else:
            self._splice(original_node, rest.body if rest is not None else None)
        return updated_node

    def _splice(self, original: Any, *suites: Any) -> None:
        """Let the statements of `suites` stand where `original` stood."""
        statements = [node for suite in suites if suite is not None for node in _lines(suite)]
        if statements:
            own = leading(statements[0])
            comments = own[next((n for n, line in enumerate(own) if line.comment), len(own)) :]
            lines = (*leading(original), *comments)
            statements[0] = statements[0].with_changes(leading_lines=lines)
        self.gone.spliced[id(original)] = statements

    def _leave_loop(self, original_node: Any, updated_node: Any) -> Any:
        if self._cut("else", original_node):
            return updated_node.with_changes(orelse=None)
        return updated_node

    leave_For = leave_While = _leave_loop

    def _leave_try(self, original_node: Any, updated_node: Any) -> Any:
        if self._cut("else", original_node):
            updated_node = updated_node.with_changes(orelse=None)
        kept = [
            after
            for before, after in zip(original_node.handlers, updated_node.handlers, strict=True)
            if not self._cut("handler", before)
        ]
        if len(kept) == len(updated_node.handlers):
            return updated_node
        if not kept and updated_node.finalbody is None:
            orelse = updated_node.orelse
            self._splice(original_node, updated_node.body, orelse and orelse.body)
            return updated_node
        if not kept and updated_node.orelse is not None:
            lines = [*_lines(updated_node.body), *_lines(updated_node.orelse.body)]
            return updated_node.with_changes(
                handlers=(), orelse=None, body=cst.IndentedBlock(lines)
            )
        return updated_node.with_changes(handlers=kept)

    leave_Try = leave_TryStar = _leave_try

    def leave_Match(self, original_node: Any, updated_node: Any) -> Any:
        pairs = zip(original_node.cases, updated_node.cases, strict=True)
        kept = [after for before, after in pairs if not self._cut("case", before.pattern)]
        if not kept:
            self.gone.statements.add(id(original_node))
            return updated_node
        return updated_node.with_changes(cases=kept)

    def leave_With(self, original_node: Any, updated_node: Any) -> Any:
        items = self._without(original_node.items, self._unnamed(original_node, updated_node)).nodes
        if not items or self._cut("unwrap", original_node):
            self._splice(original_node, updated_node.body)
            return updated_node
        return updated_node.with_changes(items=items)

    def _unnamed(self, original: Any, updated: Any) -> list[Any]:
        """Return the items of a `with`, without the names that are cut."""
        return [
            after.with_changes(asname=None) if self._cut("unbind", before.item) else after
            for before, after in zip(original.items, updated.items, strict=True)
        ]

    def leave_ExceptHandler(self, original_node: Any, updated_node: Any) -> Any:
        if self._cut("unbind", original_node):
            updated_node = updated_node.with_changes(name=None)
        return updated_node.with_changes(type=self._alone(updated_node.type))


def _lines(suite: Any) -> list[Any]:
    """Return the statements of a suite as statements of a block."""
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)]
    return [node for node in suite.body if node is not _PASS]
