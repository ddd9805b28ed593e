"""Folding expressions of Python into text, as far as their source tells."""

import ast
import base64
import binascii
import codecs
import posixpath

from featuredel.monitor.acts.syntax import source

_PATHS = frozenset({"Path", "PurePath", "PosixPath", "PurePosixPath"})
_SAME = frozenset(
    {
        "resolve", "absolute", "expanduser", "strip", "decode", "encode", "as_posix", "lower",
        "abspath", "realpath", "str", "fspath", "open", "sorted", "list", "iter", "next", "bytes",
        "normpath", "tuple", "reversed", "rstrip", "lstrip", "set", "TextIOWrapper", "BytesIO",
    }
)  # fmt: skip

RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "unittest", "doctest", "xdist", "nose"})
"""Packages that run tests, or compare for them."""

LONGEST = 100_000
"""Characters that a text is followed to; code may double a text in each line."""


class Folder:
    """What is known of names: text, the dotted name of what they stand for."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.dotted: dict[str, str] = {}
        self.collections: dict[str, ast.expr] = {}  # dicts and lists that names stand for
        self.argv: tuple[str, ...] = ()  # what a script is given

    def name(self, node: ast.AST) -> str:
        """Return the full dotted name of a function or module, "" if it has none."""
        try:
            return self._name(node)
        except RecursionError:
            return ""

    def _name(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return self.dotted.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.name(node.value)
            return f"{base}.{node.attr}" if base else f".{node.attr}"
        if isinstance(node, ast.Call):
            called = self.name(node.func)
            if called in ("__import__", "importlib.import_module") and node.args:
                return self.text(node.args[0]) or called
            if called in ("getattr", "builtins.getattr") and len(node.args) > 1:
                return f"{self.name(node.args[0])}.{self.text(node.args[1]) or '?'}"
            return called
        if isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(key, str) and self.name(node.value) == "sys.modules":
                return key
            return self.name(node.value)
        if isinstance(node, ast.Await | ast.Starred):
            return self.name(node.value)
        return ""

    def text(self, node: ast.AST | None) -> str | None:
        """Return what an expression comes to; "*" stands for parts that are not known."""
        try:
            text = self._text(node)
        except RecursionError:
            return None
        return text if text is None or len(text) <= LONGEST else None

    def _text(self, node: ast.AST | None) -> str | None:
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.Name):
            return self.texts.get(node.id)
        if isinstance(node, ast.JoinedStr):
            return "".join(self.text(value) or "*" for value in node.values)
        if isinstance(node, ast.FormattedValue):
            return (
                self._spelled(node.value) if node.conversion == ord("r") else self.text(node.value)
            )
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            if self.name(node) == "sys.executable":
                return "python"
            if node.attr in ("__file__", "origin") and (path := self._of_runner(node.value)):
                return path
            base = self.text(node.value)
            if base is not None and node.attr in ("parent", "parents"):
                return posixpath.join(base, "..")
            return base if node.attr in ("name", "buffer") else None
        if isinstance(node, ast.Subscript):
            at = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if self.name(node.value) == "sys.argv" and isinstance(at, int):
                return self.argv[at - 1] if 0 < at <= len(self.argv) else None
            text = self.text(node.value)
            backwards = isinstance(node.slice, ast.Slice) and node.slice.step is not None
            return text[::-1] if text and backwards else text
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and node.elts:
            parts = [self.text(element) for element in node.elts]
            return " ".join(p for p in parts if p is not None) if any(parts) else None
        if isinstance(node, ast.NamedExpr | ast.Starred | ast.Await):
            return self.text(node.value)
        return None

    def _of_runner(self, node: ast.AST) -> str | None:
        """Return where a module of what runs the tests lies; None for other modules."""
        given = node.args[:1] if isinstance(node, ast.Call) else []
        module = (self.text(given[0]) if given else None) or self.name(node)
        if module.partition(".")[0] not in RUNNERS:
            return None
        return f"/usr/lib/python3/site-packages/{module.replace('.', '/')}.py"

    def _spelled(self, node: ast.AST) -> str | None:
        """Return what `repr` of an expression comes to."""
        held = self.collections.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(held, ast.Dict | ast.List | ast.Tuple | ast.Set):
            filled_later = held is not node and not any(True for _ in ast.iter_child_nodes(held))
            return None if filled_later else source(held)
        text = self.text(node)
        return repr(text) if text is not None and "*" not in text else None

    def _binary(self, node: ast.BinOp) -> str | None:
        left, right = self.text(node.left), self.text(node.right)
        if left is None and right is None:
            return None
        if isinstance(node.op, ast.Add):
            return (left if left is not None else "*") + (right if right is not None else "*")
        if isinstance(node.op, ast.Div):
            return posixpath.join(left if left is not None else "*", right or "*")
        if isinstance(node.op, ast.Mod) and left is not None:
            spelled = self._spelled(node.right) if "%r" in left else None
            return left.replace("%s", right or "*").replace("%r", spelled or "*")
        return None

    def _call(self, node: ast.Call) -> str | None:
        name = self.name(node.func)
        last = name.rpartition(".")[2]
        arguments = [self.text(argument) for argument in node.args]
        inner = self.text(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if last in ("pformat", "repr", "dumps", "saferepr") and node.args:
            return self._spelled(node.args[0])
        if last == "cache_from_source" and arguments and arguments[0]:
            folder, name = posixpath.split(arguments[0])
            return posixpath.join(folder, "__pycache__", f"{name}c")
        if last == "home" and "Path" in name:
            return "~"
        if last in ("getsourcefile", "getfile", "getabsfile") and node.args:
            return self._of_runner(node.args[0])
        if last in ("cwd", "getcwd"):
            return "."
        if last in ("getsitepackages", "get_python_lib", "getusersitepackages"):
            return "/usr/lib/python3/site-packages"
        if last in _PATHS or name in ("os.path.join", "posixpath.join"):
            return posixpath.join(*(a if a is not None else "*" for a in arguments or ["."]))
        if last in ("glob", "rglob", "iglob", "joinpath", "with_name", "iterdir"):
            pattern = arguments[0] if arguments and arguments[0] is not None else "*"
            return posixpath.join(inner, pattern) if inner is not None else pattern
        if last == "join" and inner is not None and node.args:
            return _joined(inner, node.args[0], self)
        if last == "dirname" and arguments:
            return posixpath.dirname(arguments[0]) if arguments[0] is not None else None
        if last in ("with_suffix",) and inner is not None and arguments:
            return posixpath.splitext(inner)[0] + (arguments[0] or "")
        if last == "chr" and node.args and isinstance(node.args[0], ast.Constant):
            value = node.args[0].value
            return chr(value) if isinstance(value, int) and 0 <= value < 0x110000 else None
        if last == "replace" and inner is not None and len(arguments) == 2:
            return inner.replace(arguments[0] or "\0", arguments[1] or "")
        if last == "format" and inner is not None:
            return inner.replace("{}", arguments[0] or "*") if arguments else inner
        if last in _SAME:
            return inner if inner is not None else (arguments[0] if arguments else None)
        return _decoded(name, arguments)


def _constant(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return value.decode("latin-1") if isinstance(value, bytes) else None


def _joined(separator: str, node: ast.AST, folder: Folder) -> str | None:
    if isinstance(node, ast.List | ast.Tuple):
        return separator.join(folder.text(element) or "*" for element in node.elts)
    return folder.text(node)


def _decoded(name: str, arguments: list[str | None]) -> str | None:
    given = arguments[0] if arguments else None
    if given is None:
        return None
    try:
        if name.endswith(("b64decode", "decodebytes")):
            return base64.b64decode(given).decode("latin-1")
        if name.endswith(("fromhex", "unhexlify")):
            return bytes.fromhex(given).decode("latin-1")
        if name == "codecs.decode" and len(arguments) > 1 and "rot" in (arguments[1] or ""):
            return codecs.decode(given, "rot13")
    except (ValueError, binascii.Error):
        return None
    return None
