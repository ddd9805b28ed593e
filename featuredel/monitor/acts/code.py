"""Python code that a step runs: the files, hosts and commands in it.

It is parsed, never executed.
"""

import ast
import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from featuredel.monitor.acts.fold import Folder
from featuredel.monitor.acts.hosts import HOSTS, TALKS
from featuredel.monitor.acts.records import Act, How, Reach, Source, Touch, Use
from featuredel.monitor.acts.session import Session
from featuredel.monitor.acts.syntax import source, targets_of, tree_of

ROUNDS = 8
"""Of a loop over literal values."""

INLINED = 40
"""Calls of a script's own functions that are followed into them."""


@dataclass(frozen=True, slots=True)
class Nested:
    """A command, or Python code, within Python code."""

    script: str
    python: bool = False


_READS = frozenset(
    {
        "open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "os.open",
        "zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "sqlite3.connect", "shelve.open",
        "dbm.open", "runpy.run_path", "importlib.machinery.SourcelessFileLoader",
        "importlib.machinery.SourceFileLoader", "importlib.util.spec_from_file_location",
        "linecache.getline", "linecache.getlines", "numpy.load", "joblib.load", "os.readlink",
        "zipimport.zipimporter", "mmap.mmap", "pandas.read_pickle", "builtins.open",
        "fileinput.input", "zipfile.Path", "tokenize.open", "pickle.load", "zipfile.PyZipFile",
        "pathlib.Path.open",
    }
)  # fmt: skip
_LISTS = frozenset({"os.listdir", "os.scandir", "os.walk", "os.stat", "os.fwalk"})
_GLOBS = frozenset({"glob.glob", "glob.iglob"})
_COPIES = frozenset(
    {
        "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move",
        "os.rename", "os.replace", "shutil.unpack_archive",
    }
)  # fmt: skip
_DELETES = frozenset({"os.remove", "os.unlink", "shutil.rmtree", "os.rmdir", "os.removedirs"})
_LINKS = frozenset({"os.symlink", "os.link"})
_MODES = frozenset({"os.chmod", "os.chown", "os.lchown", "os.utime"})
_METHODS: dict[str, How] = {
    "read_text": "read", "read_bytes": "read", "iterdir": "list", "glob": "search",
    "rglob": "search", "write_text": "write", "write_bytes": "write", "unlink": "delete",
    "rmdir": "delete", "chmod": "mode", "symlink_to": "link", "hardlink_to": "link",
    "touch": "write", "extractall": "read", "walk": "list",
}  # fmt: skip
_OF_MODULES = _LISTS | _GLOBS | _DELETES | _MODES
_COMMANDS = frozenset(
    {
        "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
        "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput",
        "subprocess.getstatusoutput", "pty.spawn", "commands.getoutput", "popen2.popen2",
        "asyncio.create_subprocess_shell", "asyncio.create_subprocess_exec", "sh.Command",
        "posix.system", "pexpect.run", "pexpect.spawn", "invoke.run", "get_ipython.system",
    }
)  # fmt: skip
_SPAWNS = ("os.exec", "os.spawn", "os.posix_spawn")
_PIP = frozenset(
    {"pip.main", "pip._internal.main", "pip._internal.cli.main.main", "pip._internal.cli.main"}
)
_QUIET = (
    "print", "len", "isinstance", "repr", "str", "type", "format", "re.", "assert", ".append",
    "pytest.main", ".startswith", ".endswith", ".split", ".join", "add_argument", "ValueError",
)  # fmt: skip

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
        self.session = session
        self.folder = Folder()
        self.opened: dict[str, tuple[str, str]] = {}  # variable -> path, mode
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.inlined = 0
        self.lines = [line.encode() for line in code.splitlines(keepends=True)]

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
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                self.folder.dotted[alias.asname or full] = full
                yield Use(f"import {alias.name}", (), source(node))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                full = f"{node.module or ''}.{alias.name}"
                self.folder.dotted[alias.asname or alias.name] = full
                yield Use(f"import {full}", (), source(node))
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
                        self.folder.argv = tuple(self._words(node.value)[1:])
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
            path, mode = self._path_and_mode(value)
            if path is not None:
                self.opened[name] = (path, mode)

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
        keywords = [self.folder.text(k.value) for k in node.keywords]
        yield Use(name, arguments, text)
        first = arguments[0] if arguments else (keywords[0] if keywords else None)
        if name in self.functions and any(argument is not None for argument in arguments):
            yield from self._helper(self.functions[name], arguments)
        elif name in _COMMANDS or name.startswith(_SPAWNS):
            yield from self._command(node, name)
        elif name == "runpy.run_module" and first and self.folder.argv:
            yield Nested(shlex.join((first, *self.folder.argv)))
        elif name in ("exec", "eval", "compile", "builtins.exec", "get_ipython.run_cell"):
            if first is not None:
                yield Nested(first, python=True)
        elif name.endswith((".connect", ".connect_ex", ".sendto")) and (host := self._host(node)):
            yield Reach(host, name, text)
        elif name in _PIP:
            yield Nested(f"pip {first or ''}")
        elif name.startswith(HOSTS):
            yield from self._reached(node, name, text)
        elif (
            name.rpartition(".")[2] in _METHODS
            and name not in _OF_MODULES
            and isinstance(node.func, ast.Attribute)
        ):
            yield from self._method(node.func, arguments, text)
        elif name.endswith(".write") and isinstance(node.func, ast.Attribute):
            yield from self._written(node.func, first, text)
        else:
            yield from self._files(node, name, arguments, text)

    def _helper(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, arguments: tuple[str | None, ...]
    ) -> Iterator[Act | Nested]:
        """Yield what a function of the script does with what it is given."""
        self.inlined += 1
        if self.inlined > INLINED:
            return
        args = function.args
        names = [a.arg for a in (*args.posonlyargs, *args.args)]
        for name, argument in zip(names, arguments, strict=False):
            if argument is not None:
                self.folder.texts[name] = argument
        if args.vararg is not None:
            rest = [a if a is not None else "*" for a in arguments[len(names) :]]
            self.folder.texts[args.vararg.arg] = " ".join(rest)
        del self.functions[function.name]  # it may call itself
        yield from self.statements(function.body)
        self.functions[function.name] = function

    def _command(self, node: ast.Call, name: str) -> Iterator[Nested]:
        if not node.args:
            return
        given = node.args[0]
        words = self._words(given)
        if words:
            yield Nested(shlex.join(words))
        elif name.startswith(_SPAWNS) or name.endswith("create_subprocess_exec"):
            parts = [self.folder.text(a) or "*" for a in node.args]
            yield Nested(" ".join(parts[1:] if name.startswith("os.exec") else parts))
        elif (script := self.folder.text(given)) is not None:
            yield Nested(script)

    def _words(self, node: ast.expr) -> list[str]:
        """Return the words of a command that is a list, or put together of lists; [] of others."""
        if isinstance(node, ast.List | ast.Tuple):
            parts = [
                (self.folder.text(e.value) or "*").split()
                if isinstance(e, ast.Starred)
                else [self.folder.text(e) or "*"]
                for e in node.elts
            ]
            return [word for part in parts for word in part]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self._words(node.left), self._words(node.right)
            if not (left or right):
                return []
            return [*(left or self._split(node.left)), *(right or self._split(node.right))]
        if isinstance(node, ast.Call) and self.folder.name(node.func) in ("shlex.split", "list"):
            return self._split(node.args[0]) if node.args else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._split(node.func.value) if node.func.attr == "split" else []
        return []

    def _host(self, node: ast.Call) -> str:
        """Return the host of an address that is a pair: `s.connect(("example.net", 443))`."""
        pair = node.args[-1] if node.args else None
        if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
            return ""
        return self.folder.text(pair.elts[0]) or ""

    def _split(self, node: ast.expr) -> list[str]:
        return (self.folder.text(node) or "*").split()

    def _reached(self, node: ast.Call, name: str, text: str) -> Iterator[Reach]:
        if TALKS.match(name):
            return  # to the host that was named when it was opened
        given = [self.folder.text(a) for a in (*node.args, *(k.value for k in node.keywords))]
        where = next((g for g in given if g), "")
        if where or not name.startswith(("socket.socket", "requests.exc", "httpx.Client")):
            yield Reach(where, name, text)

    def _method(
        self, function: ast.Attribute, arguments: tuple[str | None, ...], text: str
    ) -> Iterator[Touch]:
        base = self.folder.text(function.value)
        how = _METHODS[function.attr]
        if how == "search":
            base = f"{base or '.'}/{(arguments[0] if arguments else None) or '*'}"
        if base is not None:
            new = arguments[0] if how in ("write", "link") and arguments else None
            new = "" if function.attr == "touch" else new
            yield Touch(self.session.resolve(base), how, function.attr, text, new)

    def _written(self, function: ast.Attribute, content: str | None, text: str) -> Iterator[Touch]:
        if isinstance(function.value, ast.Name) and function.value.id in self.opened:
            path, mode = self.opened[function.value.id]
        elif isinstance(function.value, ast.Call):
            found, mode = self._path_and_mode(function.value)
            path = found or ""
        else:
            return
        if path and set(mode) & set("wax+"):
            old = "" if "a" in mode else None
            yield Touch(self.session.resolve(path), "write", "write", text, content, old)

    def _path_and_mode(self, node: ast.Call) -> tuple[str | None, str]:
        method = isinstance(node.func, ast.Attribute) and self.folder.name(node.func) not in _READS
        path = self.folder.text(
            node.func.value
            if method and isinstance(node.func, ast.Attribute)
            else (node.args[0] if node.args else None)
        )
        given = node.args[0 if method else 1 :][:1] + [
            k.value for k in node.keywords if k.arg == "mode"
        ]
        return path, (self.folder.text(given[0]) if given else None) or "r"

    def _files(
        self, node: ast.Call, name: str, arguments: tuple[str | None, ...], text: str
    ) -> Iterator[Touch]:
        paths = [a for a in arguments if a is not None]
        if name.rpartition(".")[2] == "open":
            path, mode = self._path_and_mode(node)
            if name == "os.open" and re.search(r"O_(WRONLY|RDWR|CREAT)", text):
                mode = "w"
            if path is not None:
                how: How = "write" if set(mode) & set("wax+") else "read"
                old = "" if "a" in mode else None
                yield Touch(self.session.resolve(path), how, name, text, None, old)
        elif name == "fileinput.input" and "inplace" in text and paths:
            yield Touch(self.session.resolve(paths[0]), "edit", name, text)
        elif name in _COPIES and len(arguments) > 1:
            taken, target = arguments[0] or "*", arguments[1] or "*"
            yield Touch(self.session.resolve(taken), "read", name, text)
            new = self.session.files.get(self.session.resolve(taken))
            yield Touch(self.session.resolve(target), "write", name, text, new, pattern=taken)
        elif name in _LINKS and len(arguments) > 1:
            yield Touch(self.session.resolve(arguments[1] or "*"), "link", name, text, arguments[0])
        elif name in _DELETES or name in _MODES:
            kind: How = "delete" if name in _DELETES else "mode"
            for path in paths[:1]:
                yield Touch(self.session.resolve(path), kind, name, text)
        elif name in _LISTS or name in _GLOBS:
            kind = "search" if name in _GLOBS or name.endswith("walk") else "list"
            for path in paths[:1]:
                yield Touch(self.session.resolve(path), kind, name, text)
        elif not name.startswith(_QUIET) and not name.endswith(_QUIET):
            for path in paths:
                if ("/" in path or "." in path) and " " not in path and "\n" not in path:
                    yield Touch(self.session.resolve(path), "read", name, text)
