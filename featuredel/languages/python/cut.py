"""Cut pieces out of a source file, byte for byte the same elsewhere.

`ast` decides what goes (see `planner.py`), in its own coordinates; libcst takes it out here, in one
pass. `prune.py` does the same to an `ast` tree, and tests hold the two against each other.
"""

import ast
import io
import tokenize
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from featuredel.languages.python.cut_blocks import Slot, leading, rebuild
from featuredel.languages.python.cut_lists import Kept, without
from featuredel.languages.python.cut_whole import collapsed
from featuredel.languages.python.cut_windows import edited, split_lines
from featuredel.languages.python.source import parse

Action = Literal[
    "statement",  # a statement goes; the place is that of the statement
    "element",  # of a display, call, class header, `with` or `del`; the place is that of the value
    "alias",  # a name of an import
    "decorator",
    "handler",  # an except clause; without any left, the body stands alone
    "case",  # an arm of a match; the place is that of its pattern
    "body",  # an `if` gives way to its else part
    "else",  # an `if` or loop loses its else part
    "unwrap",  # an `if` or `with` gives way to its body
    "annotation",  # of a parameter, a return value or an assignment; the place is the annotation's
    "unbind",  # an assignment, except clause or, at its value's place, `with` item binds no name
    "replace",  # the expression from the place to `end` becomes `text`
    "stub",  # a function keeps its signature and docstring and raises NotImplementedError
]
"""What a cut does. Places are where `ast` says that the node begins."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Cut:
    """One piece to take out of the file at `path`. Columns count UTF-8 bytes, as in ast."""

    path: str
    line: int
    column: int
    action: Action
    end: Place = (0, 0)
    text: str = ""

    @property
    def place(self) -> Place:
        """Where the node begins."""
        return (self.line, self.column)


def apply(source: bytes, cuts: Collection[Cut], tree: ast.Module | None = None) -> bytes:
    """Return `source` without the pieces. `tree` is the source's, if it has been parsed.

    Raises `ValueError` or `libcst.ParserSyntaxError` if it does not parse.
    """
    if not cuts:
        return source
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    text = source.decode(encoding)
    whole = {cut.place for cut in cuts if cut.action == "statement"}
    text, where = collapsed(text, tree or _tree(source), whole)
    left = [moved for cut in cuts if (moved := _moved(cut, where)) is not None]

    def edit(window: str, shift: int) -> str:
        moved = [
            replace(cut, line=cut.line - shift, end=(cut.end[0] - shift, cut.end[1]))
            for cut in left
        ]
        return _apply(window, moved)

    tree = _tree(text.encode(encoding))
    return edited(text, tree, (cut.line for cut in left), edit).encode(encoding)


def _tree(source: bytes) -> ast.Module:
    tree = parse(source)
    if tree is None:
        raise ValueError("the source does not parse")
    return tree


def _moved(cut: Cut, where: Mapping[int, int | None]) -> Cut | None:
    """Return a cut where its line is now, or None if that went with something whole."""
    line, last = where.get(cut.line), where.get(cut.end[0])
    if line is None:
        return None
    return replace(cut, line=line, end=(last or 0, cut.end[1]))


def _apply(code: str, cuts: Collection[Cut]) -> str:
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    columns = _Columns(code)
    positions = wrapper.resolve(PositionProvider)
    cutter = _Cutter(positions, [columns.in_characters(cut) for cut in cuts])
    edited_module = wrapper.module.visit(cutter)
    assert isinstance(edited_module, cst.Module)
    return edited_module.code


class _Columns:
    """Turns columns in bytes into columns in characters."""

    def __init__(self, code: str) -> None:
        self.lines = split_lines(code)

    def _characters(self, place: Place) -> Place:
        line, column = place
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return place
        return (line, len(text.encode()[:column].decode(errors="replace")))

    def in_characters(self, cut: Cut) -> Cut:
        line, column = self._characters(cut.place)
        return Cut(cut.path, line, column, cut.action, self._characters(cut.end), cut.text)


@dataclass(slots=True)
class _Gone:
    """What happened to nodes that their parents must settle, by the identity of the original."""

    statements: set[int] = field(default_factory=set)
    spliced: dict[int, Sequence[Any]] = field(default_factory=dict)
    shrunk: set[int] = field(default_factory=set)  # tuples (as updated) that lost elements


class _Cutter(cst.CSTTransformer):
    """Visits only the statements that hold a cut."""

    def __init__(self, positions: Mapping[cst.CSTNode, CodeRange], cuts: Iterable[Cut]) -> None:
        super().__init__()
        self.positions = positions
        self.places: dict[str, set[Place]] = {}
        self.texts: dict[tuple[Place, Place], str] = {}
        for cut in cuts:
            self.places.setdefault(cut.action, set()).add(cut.place)
            if cut.action == "replace":
                self.texts[cut.place, cut.end] = cut.text
        self.lines = sorted({line for places in self.places.values() for line, _ in places})
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
        places = self.places.get(action)
        return bool(places) and self._start(node) in (places or ())

    def _element_cut(self, node: Any) -> bool:
        return self._cut("element", _value(node))

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            span = self.positions[node]
            first = span.start.line
            for decorator in getattr(node, "decorators", ()):
                first = min(first, self.positions[decorator].start.line)
            last = span.end.line
            if not any(first <= line <= last for line in self.lines):
                return False
        if isinstance(node, cst.If) and isinstance(node.orelse, cst.If):
            self.arms.add(id(node.orelse))
        return True

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        updated = super().on_leave(original_node, updated_node)
        if self.texts and isinstance(original_node, cst.BaseExpression):
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
        return self.texts.get((self._start(node), (end.line, end.column)))

    # --- statements and blocks

    def leave_SimpleStatementLine(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        kept = self._small(original_node, updated_node)
        if not kept:
            self.gone.statements.add(id(original_node))
            return updated_node
        return updated_node.with_changes(body=kept)

    def leave_SimpleStatementSuite(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    def leave_IndentedBlock(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        body, rest = rebuild(self._slots(original_node, updated_node))
        if not body:
            body = [_PASS]
        return updated_node.with_changes(body=body, footer=(*rest, *updated_node.footer))

    def leave_Module(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    def leave_If(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    leave_For = leave_While = _leave_loop  # noqa: N815

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

    leave_Try = leave_TryStar = _leave_try  # noqa: N815

    def leave_Match(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        pairs = zip(original_node.cases, updated_node.cases, strict=True)
        kept = [after for before, after in pairs if not self._cut("case", before.pattern)]
        if not kept:
            self.gone.statements.add(id(original_node))
            return updated_node
        return updated_node.with_changes(cases=kept)

    def leave_With(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    def leave_ExceptHandler(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        if self._cut("unbind", original_node):
            updated_node = updated_node.with_changes(name=None)
        return updated_node.with_changes(type=self._alone(updated_node.type))

    def leave_Assign(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        return self._unbound(original_node, updated_node)

    def _unbound(self, original: Any, updated: Any) -> Any:
        """Return the value of an assignment alone if its names are cut."""
        if updated.value is None or not self._cut("unbind", original):
            return updated
        return cst.Expr(updated.value, semicolon=updated.semicolon)

    # --- lists

    def _without(self, before: Sequence[Any], after: Sequence[Any]) -> Kept:
        return without(after, lambda position: self._element_cut(before[position]))

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

    leave_List = leave_Set = leave_Dict = _leave_display  # noqa: N815

    def leave_Tuple(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    def _alone(self, node: Any) -> Any:
        """Return the only element of a tuple that lost the others, where one or many will do."""
        if id(node) not in self.gone.shrunk or len(node.elements) != 1:
            return node
        return node.elements[0].value

    def leave_Call(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        args = list(updated_node.args)
        if isinstance(updated_node.func, cst.Name) and updated_node.func.value in _ONE_OR_MANY:
            args = [arg.with_changes(value=self._alone(arg.value)) for arg in args]
        kept = self._without(original_node.args, args)
        before = kept.reopened(updated_node.whitespace_before_args)
        if args and not kept.nodes:
            before = cst.SimpleWhitespace("")
        return updated_node.with_changes(args=kept.nodes, whitespace_before_args=before)

    def leave_ClassDef(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    def leave_Del(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
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

    leave_Import = leave_ImportFrom = _leave_import  # noqa: N815

    def _undecorated(self, original: Any, updated: Any) -> Any:
        pairs = zip(original.decorators, updated.decorators, strict=True)
        kept = [after for before, after in pairs if not self._cut("decorator", before.decorator)]
        return updated.with_changes(decorators=kept)

    def leave_FunctionDef(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        updated_node = self._undecorated(original_node, updated_node)
        if original_node.returns and self._cut("annotation", original_node.returns.annotation):
            updated_node = updated_node.with_changes(returns=None)
        if self._cut("stub", original_node):
            updated_node = updated_node.with_changes(body=_stub(updated_node.body))
        return updated_node

    def leave_Param(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        note = original_node.annotation
        if note is None or not self._cut("annotation", note.annotation):
            return updated_node
        tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        equal = tight if updated_node.default is not None else cst.MaybeSentinel.DEFAULT
        return updated_node.with_changes(annotation=None, equal=equal)

    def leave_AnnAssign(self, original_node: Any, updated_node: Any) -> Any:  # noqa: N802
        note = original_node.annotation.annotation
        if self._cut("unbind", original_node):
            return self._unbound(original_node, updated_node)
        if updated_node.value is None or not self._cut("annotation", note):
            return updated_node
        target = cst.AssignTarget(updated_node.target)
        return cst.Assign([target], updated_node.value, semicolon=updated_node.semicolon)


_PASS = cst.SimpleStatementLine([cst.Pass()])
_ONE_OR_MANY = ("isinstance", "issubclass")


def _emptied(display: Any) -> Any:
    """Return a list or dict display with nothing in it."""
    if isinstance(display, cst.List):
        return display.with_changes(
            elements=(), lbracket=cst.LeftSquareBracket(), rbracket=cst.RightSquareBracket()
        )
    return display.with_changes(
        elements=(), lbrace=cst.LeftCurlyBrace(), rbrace=cst.RightCurlyBrace()
    )


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


def _lines(suite: Any) -> list[Any]:
    """Return the statements of a suite as statements of a block."""
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)]
    return [node for node in suite.body if node is not _PASS]


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
