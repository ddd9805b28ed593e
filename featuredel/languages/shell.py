"""Reading shell commands: what a line of bash runs, as far as its text tells.

Nothing is executed. Variables with literal values are expanded, loops over literal words are
unrolled; what cannot be known stays as it is written ("$(date)").
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from featuredel.languages.shell_words import Words

ROUNDS = 12
"""Of a loop that is unrolled; what differs after that many is not worth the time."""

DEPTH = 200
"""Of nested syntax; nobody writes deeper than this, and the walk calls itself."""

LONGEST = 100_000
"""Characters of a variable; a line may double one."""

_LANGUAGE = Language(tree_sitter_bash.language())
_ASSIGNING = {"variable_assignment", "variable_assignments"}


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command. `argv` is empty where a line only assigns or redirects."""

    argv: tuple[str, ...]
    text: str  # as it is written
    assigned: Mapping[str, str] = field(default_factory=dict)  # before the command, or alone
    reads: tuple[str, ...] = ()  # files that are redirected to its input
    writes: tuple[str, ...] = ()  # files that its outputs go to
    appends: frozenset[str] = frozenset()  # those of them that are kept
    stdin: str | None = None  # what a here-document, a here-string or a pipe gives it, if known
    background: bool = False
    looped: bool = False
    defines: str | None = None  # the function that this defines; its body follows


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a command: redirections, what is piped in, `&`, loops."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    appends: frozenset[str] = frozenset()
    text: str = ""  # with its redirections
    stdin: str | None = None
    background: bool = False
    looped: bool = False


Said = Callable[[Command], str | None]
"""What a command prints, where that can be told; None otherwise."""


def commands(
    text: str, said: Said, variables: dict[str, str] | None = None, stdin: str | None = None
) -> list[Command]:
    """Return the commands of a shell text in the order in which they start.

    `variables` are those known before it, and are updated. A text that bash would refuse gives
    what can be made out of it.
    """
    source = text.encode(errors="replace")
    reader = _Reader(source, said, variables if variables is not None else {})
    reader.walk(Parser(_LANGUAGE).parse(source).root_node, _Around(stdin=stdin))
    return reader.found


class _Reader:
    def __init__(self, source: bytes, said: Said, variables: dict[str, str]) -> None:
        self.said = said
        self.variables = variables
        self.words = Words(source, variables, self._substituted)
        self.found: list[Command] = []
        self.depth = 0

    def walk(self, node: Node, around: _Around) -> None:
        if self.depth < DEPTH:
            self.depth += 1
            self._statement(node, around)
            self.depth -= 1

    def _statement(self, node: Node, around: _Around) -> None:
        kind = node.type
        if kind == "command":
            self._command(node, around)
        elif kind == "pipeline":
            self._pipeline(node.named_children, around)
        elif kind == "redirected_statement":
            self._redirected(node, around)
        elif kind in ("declaration_command", "unset_command"):
            self._declaration(node, around)
        elif kind in _ASSIGNING:
            self._assignment(node, around)
        elif kind == "for_statement":
            self._for(node, around)
        elif kind == "while_statement":
            self._while(node, around)
        elif kind == "function_definition":
            name = self.words.text(node.child_by_field_name("name"))
            self.found.append(Command((), self.words.text(node), defines=name))
            self._children(node.named_children[1:], around)
        elif kind == "list":
            self._children(_members(node), around, last_only=True)
        elif kind not in ("comment", "heredoc_body", "heredoc_start", "heredoc_end"):
            if kind in ("test_command", "word", "string", "concatenation", "command_substitution"):
                self.words.word(node)
            else:
                self._children(node.children, around)

    def _children(self, nodes: Sequence[Node], around: _Around, *, last_only: bool = False) -> None:
        """Walk statements in order; in a list, redirections belong to the last of them."""
        named = [n for n in nodes if n.is_named]
        for number, node in enumerate(nodes):
            if not node.is_named:
                continue
            follows = nodes[number + 1].type if number + 1 < len(nodes) else ""
            inner = around
            if last_only and node is not named[-1]:
                inner = _Around(background=around.background, looped=around.looped)
            if follows == "&":
                inner = replace(inner, background=True)
            self.walk(node, inner)

    def _pipeline(self, stages: Sequence[Node], around: _Around) -> None:
        last = len(stages) - 1
        stdin = around.stdin
        for number, stage in enumerate(stages):
            inner = replace(
                around, stdin=stdin, writes=around.writes if number == last else (),
                text="",
            )  # fmt: skip
            before = len(self.found)
            self.walk(stage, inner)
            stdin = self._output(self.found[before:])

    def _substituted(self, nodes: Sequence[Node]) -> str | None:
        before = len(self.found)
        self._children(nodes, _Around())
        return self._output(self.found[before:])

    def _output(self, ran: Sequence[Command]) -> str | None:
        said = [text for text in (self.said(command) for command in ran) if text is not None]
        return "\n".join(dict.fromkeys(said)) if said else None

    def _redirected(self, node: Node, around: _Around) -> None:
        body = node.child_by_field_name("body")
        after: list[Node] = []
        for child in node.children_by_field_name("redirect"):
            around = self._redirect(child, around, after)
        before = len(self.found)
        if body is not None and body.type in ("command", "list"):
            around = replace(around, text=self.words.text(node))
        if body is None:
            alone = _Around(reads=around.reads, writes=around.writes, appends=around.appends)
            self._add(node, (), {}, alone)
        elif body.type == "pipeline" and len(body.named_children) > 1:
            self._pipeline(body.named_children, around)
        else:
            self.walk(body, around)
        for child in after:  # what stands behind <<EOF on its line
            if child.type == "pipeline":
                fed = self._output(self.found[before:])
                self._pipeline(child.named_children, replace(around, stdin=fed, writes=(), text=""))
            else:
                self.walk(child, _Around(looped=around.looped))

    def _redirect(self, node: Node, around: _Around, after: list[Node]) -> _Around:
        if node.type == "herestring_redirect":
            return replace(around, stdin=self.words.joined(node.named_children))
        if node.type == "heredoc_redirect":
            for child in node.named_children:
                if child.type in ("file_redirect", "herestring_redirect"):
                    around = self._redirect(child, around, after)
                elif child.type == "heredoc_body":
                    around = replace(around, stdin=self._heredoc(node, child))
                elif child.type not in ("heredoc_start", "heredoc_end", "file_descriptor"):
                    after.append(child)
            return around
        target = node.child_by_field_name("destination")
        where = self.words.word(target) if target is not None else ""
        sign = next((c.type for c in node.children if not c.is_named), ">")
        if sign.startswith("<") and sign != "<>":
            if target is not None and target.type == "process_substitution":
                return replace(around, stdin=self._output(self.found[-1:]))
            return replace(around, reads=(*around.reads, where))
        if where.isdigit() or where in ("-", "/dev/null"):
            return around
        if ">>" in sign:
            around = replace(around, appends=around.appends | {where})
        return replace(around, writes=(*around.writes, where))

    def _heredoc(self, redirect: Node, body: Node) -> str:
        start = next((c for c in redirect.named_children if c.type == "heredoc_start"), None)
        raw = self.words.text(body)
        quoted = start is None or self.words.text(start)[:1] in "'\"\\"
        return raw if quoted else self.words.gapped(body)

    def _command(self, node: Node, around: _Around) -> None:
        assigned: dict[str, str] = {}
        argv: list[str] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                name, value = self._assigned(child)
                assigned[name] = value
            elif child.type == "command_name":
                argv.append(self.words.joined(child.named_children))
            elif child.type.endswith("_redirect"):
                around = self._redirect(child, around, [])
            else:
                argv.extend(self.words.split(child))
        self._add(node, tuple(argv), assigned, around)

    def _add(
        self, node: Node, argv: tuple[str, ...], assigned: Mapping[str, str], around: _Around
    ) -> None:
        self.found.append(
            Command(
                argv, around.text or self.words.text(node), dict(assigned), around.reads,
                around.writes, around.appends, around.stdin, around.background,
                around.looped,
            )
        )  # fmt: skip

    def _declaration(self, node: Node, around: _Around) -> None:
        argv = [node.children[0].type if node.children else "declare"]
        for child in node.named_children:
            if child.type == "variable_assignment":
                name, value = self._assigned(child)
                self.variables[name] = value
                argv.append(f"{name}={value}")
            else:
                argv.append(self.words.word(child))
        self._add(node, tuple(argv), {}, around)

    def _assignment(self, node: Node, around: _Around) -> None:
        each = [node] if node.type == "variable_assignment" else node.named_children
        assigned = dict(self._assigned(child) for child in each)
        self.variables.update(assigned)
        self._add(node, (), assigned, around)

    def _assigned(self, node: Node) -> tuple[str, str]:
        name = self.words.text(node.child_by_field_name("name"))
        value = node.child_by_field_name("value")
        return name, self.words.word(value)[:LONGEST] if value is not None else ""

    def _for(self, node: Node, around: _Around) -> None:
        name = self.words.text(node.child_by_field_name("variable"))
        values = [
            part
            for child in node.children_by_field_name("value")
            for part in self.words.split(child)
        ]
        body = node.child_by_field_name("body")
        for value in values[:ROUNDS] or [f"${name}"]:
            self.variables[name] = value
            if body is not None:
                self.walk(body, replace(around, looped=True))

    def _while(self, node: Node, around: _Around) -> None:
        around = replace(around, looped=True)
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        before = len(self.found)
        if condition is not None:
            self.walk(condition, around)
        named = [
            c.argv[-1] for c in self.found[before:] if c.argv[:1] == ("read",) and len(c.argv) > 1
        ]
        lines: list[str | None] = [*(around.stdin or "").splitlines()] if named else []
        for line in lines[:ROUNDS] or [None]:
            if line is not None:
                self.variables[named[-1]] = line
            if body is not None:
                self.walk(body, around)


def _members(node: Node) -> list[Node]:
    """Return what a list holds; the grammar nests `a && b && c` to the left, however long it is."""
    held: list[Node] = []
    while node.type == "list":
        node, *rest = node.children
        held.extend(reversed(rest))
    return [node, *reversed(held)]
