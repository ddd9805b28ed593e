"""Finding the nodes that are cut, as libcst walks a source file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange

from featuredel.languages.python.cut_lists import Kept, without
from featuredel.languages.python.cuts import Action, Cut, Marks, Place


@dataclass(slots=True)
class _Gone:
    """What happened to nodes that their parents must settle, by the identity of the original."""

    statements: set[int] = field(default_factory=set)
    spliced: dict[int, Sequence[Any]] = field(default_factory=dict)
    shrunk: set[int] = field(default_factory=set)  # tuples (as updated) that lost elements


class Marked(cst.CSTTransformer):
    """Visits only the statements that hold a cut."""

    def __init__(self, positions: Mapping[cst.CSTNode, CodeRange], cuts: Iterable[Cut]) -> None:
        super().__init__()
        self.positions = positions
        self.marks = Marks(cuts)
        self.gone = _Gone()
        self.keep_alive: list[cst.CSTNode] = []  # so that identities stay unique
        self.arms: set[int] = set()  # `elif` nodes, which are not statements of a block

    # --- where things are

    def _start(self, node: cst.CSTNode) -> Place:
        brackets = getattr(node, "lpar", ())
        if isinstance(node, cst.Tuple | cst.GeneratorExp) and brackets:
            node = brackets[-1]
        start = self.positions[node].start
        return (start.line, start.column)

    def _cut(self, action: Action, node: cst.CSTNode) -> bool:
        return self.marks.has(action) and self.marks.at(action, self._start(node))

    def _element_cut(self, node: Any) -> bool:
        return self._cut("element", _value(node))

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            span = self.positions[node]
            first = span.start.line
            for decorator in getattr(node, "decorators", ()):
                first = min(first, self.positions[decorator].start.line)
            last = span.end.line
            if not self.marks.within(first, last):
                return False
        if isinstance(node, cst.If) and isinstance(node.orelse, cst.If):
            self.arms.add(id(node.orelse))
        return True

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        updated = super().on_leave(original_node, updated_node)
        if self.marks.has("replace") and isinstance(original_node, cst.BaseExpression):
            text = self._text_for(original_node)
            if text is not None and isinstance(updated, cst.BaseExpression):
                new = cst.parse_expression(text)
                if updated.lpar and not new.lpar and not isinstance(original_node, cst.Tuple):
                    new = new.with_changes(lpar=updated.lpar, rpar=updated.rpar)
                return new
        return updated

    def _text_for(self, node: cst.BaseExpression) -> str | None:
        end = self.positions[node].end
        if isinstance(node, cst.Tuple) and node.rpar:
            end = self.positions[node.rpar[0]].end
        return self.marks.text(self._start(node), (end.line, end.column))

    def _without(self, before: Sequence[Any], after: Sequence[Any]) -> Kept:
        return without(after, lambda position: self._element_cut(before[position]))

    def _alone(self, node: Any) -> Any:
        """Return the only element of a tuple that lost the others, where one or many will do."""
        if id(node) not in self.gone.shrunk or len(node.elements) != 1:
            return node
        return node.elements[0].value


def _value(node: Any) -> cst.CSTNode:
    """Return the node whose place is that of the element."""
    if isinstance(node, cst.DictElement):
        return node.key
    if isinstance(node, cst.WithItem):
        return node.item
    if isinstance(node, cst.StarredElement) or (isinstance(node, cst.Arg) and node.star == "*"):
        return node
    value: cst.CSTNode = node.value
    return value
